"""Every call of a conversation with its state, its result and its place.

The state of a call is read from its result, its stub, and the later marked texts that quote a late result or say that
its state has changed. Which state may follow which is decided in `rules.py`.
"""

from __future__ import annotations

from datetime import UTC, datetime
from math import isfinite
from typing import TYPE_CHECKING, Any, SupportsIndex, final, overload

from attrs import define, evolve, frozen

from message_history.core.messages.blocks import ProviderBlock, ToolResultBlock, keyed_call, placed
from message_history.core.messages.repairs import UnknownCallError
from message_history.core.turns.conversation import context_of, messages_of
from message_history.core.turns.past import ids_of
from message_history.core.turns.rules import CallState, is_settled, state_of_reason
from message_history.core.values.json_values import short_repr, thaw
from message_history.core.values.keys import Origin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.core.messages.blocks import ToolUseBlock
    from message_history.core.messages.message import Message
    from message_history.core.turns.conversation import Conversation
    from message_history.core.values.keys import Lineage
    from message_history.core.values.meta import Decision, Mark


def seconds(name: str, value: float | datetime | None) -> float | None:
    """Return a time from seconds since 1970."""
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"{name} must have a time zone, or be seconds since 1970")
        return value.timestamp()
    known: object = value
    if known is not None and (isinstance(known, bool) or not isinstance(known, int | float) or not isfinite(known)):
        raise TypeError(f"{name} must be seconds since 1970 or a datetime, not {short_repr(value)}")
    return value


def readable_time(time: float) -> str:
    try:
        return datetime.fromtimestamp(time, UTC).isoformat(timespec="seconds")
    except (OverflowError, OSError, ValueError):
        return f"{time:.0f}"


@final
@frozen
class CallRecord:
    """A call, and what became of it.

    Args:
        call: the call; it knows its turn.
        state: what became of it.
        position: the position of its message.
        result: its result, also one that came late; None if it has none, or if its provider has run it and holds the
            result in a block of its own.
        detail: the reason that a person gave for denying it.
        key: its name for life, as an idempotency key: the same in each window, after a save and a load and in a fork;
            another for each other call of the conversation, also for one that is proposed anew after a `rewind`.
        decisions: all that was recorded of it, oldest first.
    """

    call: ToolUseBlock
    state: CallState
    position: int
    result: ToolResultBlock | None = None
    detail: str = ""
    key: str = ""
    decisions: tuple[Decision, ...] = ()

    @property
    def by(self) -> str:
        """Return who decided last, or which worker holds the call; empty if nobody said."""
        return self.decisions[-1].by if self.decisions else ""

    @property
    def until(self) -> float | None:
        """Return the time until which that holds, in seconds since 1970; None if nobody said."""
        return self.decisions[-1].until if self.decisions else None

    @property
    def input(self) -> dict[str, Any]:
        """Return the tool's input: the arguments as a person edited them, else as they were proposed."""
        edited = [decision.input for decision in self.decisions if decision.input is not None]
        return self.call.input if not edited else thaw(edited[-1])


@final
class Calls(tuple[CallRecord, ...]):
    """The calls of a history, oldest first: a tuple that can be filtered."""

    __slots__ = ()

    @overload
    def __getitem__(self, index: SupportsIndex) -> CallRecord: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[CallRecord, ...]: ...

    @overload
    def __getitem__(self, index: str) -> CallRecord: ...

    def __getitem__(self, index: SupportsIndex | slice | str) -> CallRecord | tuple[CallRecord, ...]:
        """Return the call at a position, or the one that has a key; `UnknownCallError` when none has."""
        if not isinstance(index, str):
            return super().__getitem__(index)
        found = next((each for each in self if each.key == index), None)
        if found is None:
            raise UnknownCallError(index, [each.call.id for each in self.unsettled()])
        return found

    def where(self, *states: CallState | str, turn: int | None = None) -> Calls:
        """Return the calls in some states.

        Args:
            states: the states, such as `waiting`; without any, all.
            turn: the position of the calls' message; None for all.

        Returns:
            The calls, in the same order.

        Raises:
            ValueError: for an unknown state.
        """
        wanted = frozenset(map(CallState, states)) or frozenset(CallState)
        return Calls(each for each in self if each.state in wanted and (turn is None or each.position == turn))

    def expired(self, now: float | datetime) -> Calls:
        """Return the started calls whose time has run out, as unknown: they may have taken effect.

        Args:
            now: the time, in seconds since 1970, or with its time zone.
        """
        end = seconds("now", now)
        return Calls(
            evolve(each, state=CallState.UNKNOWN)
            for each in self
            if each.state is CallState.STARTED and each.until is not None and end is not None and each.until <= end
        )

    def unsettled(self) -> Calls:
        """Return the calls that may still run, or may have run without a result; the oldest first.

        A call that its provider runs is among them until you have decided.
        """
        return Calls(each for each in self if not is_settled(each.state, each.call.approval))


@define(eq=False)
class _Found:
    """A call while its state is being read."""

    call: ToolUseBlock
    origin: Origin
    state: CallState = CallState.PROPOSED
    result: ToolResultBlock | None = None
    detail: str = ""
    decisions: tuple[Decision, ...] = ()
    is_elsewhere: bool = False

    def record(self) -> CallRecord:
        call = self.call
        return CallRecord(call, self.state, call.turn or 0, self.result, self.detail, call.key, self.decisions)

    def take(self, mark: Mark) -> None:
        self.decisions = mark.recorded() or self.decisions
        self.detail = mark.detail or next((each.reason for each in reversed(self.decisions) if each.reason), "")


def find_calls(conversation: Conversation) -> Calls:
    reader = _Reader(context_of(conversation).lineage)
    for position, message in enumerate(messages_of(conversation)):
        reader.read(position, message)
    return Calls(found.record() for found in reader.found if not found.is_elsewhere)


def calls_since(conversation: Conversation, messages: Sequence[Message], first: int) -> Calls:
    """Return the calls that the messages from a position on mention, with what they say last.

    Complexity: linear in these messages.
    """
    reader = _Reader(context_of(conversation).lineage)
    # Results follow the message of their calls.
    for position in range(max(first - 1 + first % 2, 0), len(messages)):
        reader.read(position, messages[position])
    return Calls(found.record() for found in reader.found)


@final
class _Reader:
    """Reads the messages of a conversation, oldest first."""

    def __init__(self, lineage: Lineage) -> None:
        self.found: list[_Found] = []
        self._lineage = lineage
        self._by_id: dict[str, _Found] = {}
        self._by_key: dict[str, _Found] = {}
        self._open: list[_Found] = []

    def read(self, position: int, message: Message) -> None:
        if message.role == "assistant":
            for block in message.content:
                if block.meta is not None and isinstance(block, ProviderBlock):
                    self._ran(block)
            turn = (position + 1) // 2
            self._open = [self._call(call, Origin(self._lineage, turn, n)) for n, call in enumerate(message.calls)]
            return
        for found, result in zip(self._open, message.results, strict=False):
            self._answer(found, result)
        self._open = []
        for number, block in enumerate(message.content):
            if block.meta is not None and block.meta.mark is not None and not isinstance(block, ToolResultBlock):
                self._news(message, number, block.meta.mark)

    def _call(self, call: ToolUseBlock, origin: Origin) -> _Found:
        found = _Found(placed(call, origin), origin)
        if call.approval:
            found.state = CallState.WAITING
        self._by_id.update(dict.fromkeys(ids_of(call), found))
        self.found.append(found)
        return found

    def _answer(self, found: _Found, result: ToolResultBlock) -> None:
        mark = result.mark
        if mark is None or not result.is_stub:
            found.state, found.result = CallState.ANSWERED, result
            if mark is not None:
                found.take(mark)
            return
        found.call = placed(found.call, found.origin._replace(key=mark.key))
        self._by_key[found.call.key] = found
        found.state = state_of_reason(mark.reason)
        found.take(mark)
        if found.call.approval and found.state is CallState.UNKNOWN:
            found.state = CallState.WAITING

    def _news(self, message: Message, number: int, mark: Mark) -> None:
        if mark.key == "" or mark.kind not in ("state", "quote"):
            return
        if mark.key not in self._by_key:
            call = keyed_call(mark.key, mark.tool_use_id, mark.name)
            self._by_key[mark.key] = _Found(call, Origin(self._lineage, 0, 0, mark.key), is_elsewhere=True)
            self.found.append(self._by_key[mark.key])
        found = self._by_key[mark.key]
        if mark.kind == "state":
            found.state = state_of_reason(mark.reason)
            found.take(mark)
        elif mark.reason == "late":
            content = message.content[number + 1 : number + 1 + mark.blocks]
            found.result = ToolResultBlock(found.call.id, content, mark.is_error)
            found.state = CallState.ANSWERED
            found.take(mark)

    def _ran(self, block: ProviderBlock) -> None:
        """Read a block that holds the result of a call that its provider has run."""
        mark = block.mark
        if mark is not None and mark.kind == "approval" and mark.tool_use_id in self._by_id:
            self._by_id[mark.tool_use_id].state = CallState.ANSWERED
