"""A model of sessions with approvals: random actions, a process that ends between any two of them, and the laws.

`play` takes the actions as the documented loop does. `World.holds` says what must be true after each of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from message_history import CallState, CallStateError, MessageHistory, ToolUseBlock, check
from message_history.dialects.registry import DIALECTS as KNOWN

if TYPE_CHECKING:
    from collections.abc import Callable

    from message_history import CallRecord
    from message_history.dialects import Dialect

DIALECTS: list[Dialect[Any]] = [*KNOWN.values()]
ACTIONS = (
    "user",
    "reply",
    "call",
    "calls",
    "request",
    "waiting",
    "approved",
    "denied",
    "cancelled",
    "run",
    "run and forget",
    "start and forget",
    "second result",
)
FATES = ("lives", "lives", "lives", "ends before the save", "ends after the save")
"""What becomes of the process when it saves."""

actions = st.lists(
    st.tuples(st.sampled_from(ACTIONS), st.integers(0, 9), st.sampled_from(FATES)), min_size=4, max_size=20
)


class EndedError(Exception):
    """The process ended; what it had not saved is lost."""


class World:
    """A random session: the history on disk, and what really happened.

    Args:
        sessions: opens the session anew, as another process would.
    """

    def __init__(self, sessions: Callable[[], Any]) -> None:
        self._open = sessions
        self._session = sessions()
        self.history: MessageHistory = self._session.load()
        self.fate = "lives"
        self.effects: dict[str, int] = {}
        self._ended: dict[str, CallState] = {}
        self._sent: dict[str, tuple[Dialect[Any], list[Any]]] = {}

    def save(self, history: MessageHistory) -> None:
        """Save a history, unless the process ends before; load it, if it ends after."""
        fate, self.fate = self.fate, "lives"
        if fate != "ends before the save":
            self._session.append(history)
            self.history = history
        if fate != "lives":
            self.reload()
            raise EndedError

    def reload(self) -> None:
        """Load the session, as another process would."""
        self._session = self._open()
        loaded = self._session.load()
        assert loaded == self.history
        assert loaded.calls == self.history.calls
        assert loaded.awaiting == self.history.awaiting
        self.history = loaded

    def reply(self, dialect: Dialect[Any]) -> None:
        """Send the history to a provider, and save its reply."""
        sent = self.history.as_sent(dialect)
        if sent[-1].role == "assistant":
            # A reply that is continued becomes one message with the rest of it.
            return
        self.save(sent.add_assistant("ok"))
        self._sent[dialect.name] = dialect, sent.for_send(dialect)

    def run(self, record: CallRecord, action: str) -> None:
        """Run a tool as the documented loop does: `started` is saved before it takes effect."""
        self.save(self.history.record_call(record.call, "started"))
        if action != "start and forget":
            self.effects[record.key] = self.effects.get(record.key, 0) + 1
        if action == "run":
            self.save(self.history.add_tool_result(record.call, "done"))
        else:
            self.reload()

    def holds(self) -> None:
        """Hold what must be true at every step."""
        offered = self.history.calls.unsettled()
        awaited = {(call.turn, call.id) for call in self.history.awaiting}
        for record in self.history.calls:
            if self._ended.get(record.key) is CallState.ANSWERED:
                assert record.state is CallState.ANSWERED
            elif record.key in self._ended:
                assert record.state in (self._ended[record.key], CallState.ANSWERED)
            if record.state in (CallState.ANSWERED, CallState.DENIED, CallState.CANCELLED):
                self._ended[record.key] = record.state
                assert record not in offered
                assert (record.position, record.call.id) not in awaited
            if record.call.approval == "provider":
                assert record.key not in self.effects
            if self.effects.get(record.key):
                assert record.state in (CallState.STARTED, CallState.ANSWERED)
        for dialect in DIALECTS:
            assert check(self.history.for_send(dialect), dialect) == []
        for dialect, sent in self._sent.values():
            assert self.history.for_send(dialect)[: len(sent)] == sent


def play(world: World, taken: list[tuple[str, int, str]]) -> None:
    """Take the actions; the process ends as their fates say, and another one goes on."""
    if not world.history:
        world.save(world.history.add_user("q"))
    for action, number, fate in taken:
        world.fate = fate
        try:
            _take(world, action, number)
        except EndedError:
            pass
        except CallStateError:
            world.fate = "lives"
        world.holds()
    assert all(count == 1 for count in world.effects.values())


def _request(number: int) -> dict[str, Any]:
    """Return a reply that asks a person: the provider runs the call, or the client does."""
    asked = {
        "type": "mcp_approval_request",
        "id": f"mcpr_{number}",
        "name": "f",
        "arguments": "{}",
        "server_label": "s",
    }
    checks = [{"id": f"cu_sc_{number}", "code": "c", "message": "m"}]
    click = {"type": "computer_call", "id": f"cu_{number}", "call_id": f"click_{number}", "action": {"type": "wait"}}
    item = asked if number % 2 else {**click, "pending_safety_checks": checks, "status": "completed"}
    return {"object": "response", "id": f"resp_{number}", "model": "m", "output": [item]}


def _take(world: World, action: str, number: int) -> None:
    history = world.history
    unsettled = history.calls.unsettled()
    record = unsettled[number % len(unsettled)] if unsettled else None
    if action == "user":
        world.save(history.add_user("more"))
    elif action == "reply":
        world.reply(DIALECTS[number])
    elif action in ("call", "calls"):
        calls = [ToolUseBlock(f"call_{n}", "f", {"n": n}) for n in range(1 if action == "call" else 2)]
        world.save(history.add_assistant(calls))
    elif action == "request":
        world.save(history.add_response(_request(len(history))))
    elif action == "second result":
        answered = history.calls.where(CallState.ANSWERED)
        if answered:
            world.save(history.add_tool_result(answered[number % len(answered)].call, f"again {number}"))
    elif record is None:
        return
    elif world.effects.get(record.key):
        # It was started and took effect: who looks for its key finds that. Its result is late, if the turn has settled.
        world.save(history.add_tool_result(record.call, "found"))
    elif action in ("waiting", "approved", "denied", "cancelled"):
        world.save(history.record_call(record.call, action, reason="no" if action == "denied" else ""))
    elif record.state in (CallState.APPROVED, CallState.PROPOSED):
        world.run(record, action)
