"""OpenAI Agents SDK: a session whose list is always one that the API accepts.

session = HistorySession("user-1")
result = await Runner.run(agent, "hi", session=session)
session.history

A run that was interrupted waits for a person: `read_interruptions` records that, and `answer_interruptions` gives what
was decided back to the run.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any, final

from agents.memory.session_settings import SessionSettings, resolve_session_limit

from message_history.core.messages.blocks import ToolResultBlock
from message_history.core.messages.denials import REASONED
from message_history.core.messages.message import with_content
from message_history.core.turns.conversation import context_of
from message_history.core.turns.ingest import add_parsed
from message_history.core.turns.rewrites import folded
from message_history.core.turns.rules import CallState
from message_history.core.turns.stub_results import known_denial
from message_history.dialects import OpenAIResponses
from message_history.dialects.registry import read
from message_history.history import MessageHistory, conversation_of, history_of
from message_history.integrations.decisions import ask, decide, is_denied, record_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agents import TResponseInputItem
    from agents.items import ToolApprovalItem
    from agents.run_state import RunState

    from message_history.core.messages.message import Message

__all__ = ["HistorySession", "answer_interruptions", "read_interruptions"]


@final
class HistorySession:
    """A session of the Agents SDK that holds a history; pass it to `Runner.run(session=...)`.

    Args:
        session_id: its name.
        history: the conversation so far.
        dialect: how items are written; `OpenAIResponses.for_model(...)` knows what a model takes.
        on_change: called with each new history, to save it: `append` of a session file or database fits.
        session_settings: the SDK's own settings, with a limit for all reads.
    """

    # The SDK looks for this: ids of items are left out where no server knows them.
    _ignore_ids_for_matching = True

    def __init__(
        self,
        session_id: str,
        history: MessageHistory | None = None,
        *,
        dialect: OpenAIResponses | None = None,
        on_change: Callable[[MessageHistory], object] | None = None,
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self._history = history if history is not None else MessageHistory()
        self._dialect = dialect if dialect is not None else OpenAIResponses()
        self._on_change = on_change

    @property
    def history(self) -> MessageHistory:
        """Return the history as it is now."""
        return self._history

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the items, the oldest first.

        Args:
            limit: how many at most, of the newest. It never parts a call from its output, nor reasoning from what it
                led to: where it would, fewer items are given.

        Returns:
            The items. A call without an output has a stub, which stays out of the history.

        Complexity: linear in the history; with a limit, in the number of items given, times its logarithm.
        """
        limit = resolve_session_limit(limit, self.session_settings)
        history = self._history.as_sent()
        items = self._items(history)
        if limit is None or len(items) <= limit:
            return items
        starts = [n for n, message in enumerate(history) if not message.results]
        # Later starts give fewer items.
        first = bisect_left(starts, -limit, key=lambda start: -len(self._rest(history, start)))
        return self._rest(history, starts[first]) if limit > 0 and first < len(starts) else []

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items.

        Args:
            items: what the SDK gives: the user's words, what the model said and called, outputs.

        Raises:
            InvariantError: when the history's policy says to raise.
        """
        if items:
            self._change(self._with(self._history, items))

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the newest item off.

        Returns:
            The item; None when the session is empty.

        Complexity: linear in the history.
        """
        messages = list(self._history)
        items = self._items(self._history)
        while items and items[-1].get("output") == self._history.policy.stub_text:
            items.pop()
        if not items:
            return None
        last: TResponseInputItem = items.pop()
        # Only the last turn is read anew; what is before it stays as it is.
        start = max((n for n, message in enumerate(messages) if message.role == "assistant"), default=0)
        while start and len(self._written(messages[:start])) > len(items):
            start -= 1
        before = self._history if start else self._history.with_system(None)
        repairs = context_of(conversation_of(self._history)).repairs
        history = history_of(folded(context_of(conversation_of(before)), messages[:start], repairs).finish())
        rest = items[len(self._written(messages[:start])) :]
        self._change(self._with(history, rest) if rest else history)
        return last

    async def clear_session(self) -> None:
        """Take all items off; the policy stays."""
        self._change(MessageHistory(policy=self._history.policy))

    def _change(self, history: MessageHistory) -> None:
        self._history = history
        if self._on_change is not None:
            self._on_change(history)

    def _with(self, history: MessageHistory, items: Sequence[Any]) -> MessageHistory:
        parsed = read(items, self._dialect)
        # The SDK says in a text of its own that a call was denied; our texts of other states are not taken from a tool.
        parsed.messages = [_with_denials(message) for message in parsed.messages]
        return history_of(add_parsed(conversation_of(history), parsed))

    def _items(self, history: MessageHistory) -> list[Any]:
        return self._dialect.render(history, context_of(conversation_of(history)).system).messages

    def _written(self, messages: Sequence[Message]) -> list[Any]:
        system = context_of(conversation_of(self._history)).system if messages else ()
        return self._dialect.render(messages, system).messages

    def _rest(self, history: MessageHistory, start: int) -> list[Any]:
        return self._dialect.render(history[start:]).messages


def read_interruptions(history: MessageHistory, state: RunState[Any, Any]) -> MessageHistory:
    """Record what a run that was interrupted waits for, and what was decided in its state.

    Args:
        history: the history of its session.
        state: `result.to_state()`, or a state that was loaded.

    Returns:
        A new history: the calls of the interruptions wait for approval, or are approved or denied.

    Raises:
        UnknownCallError: for a call that is not in the history.

    Complexity: linear in the history, for each call.
    """
    for item in state.get_interruptions():
        id = str(item.call_id)
        history = ask(history, [id])
        decided = _decided(state, item)
        if decided is not None and record_of(history, id).state is CallState.WAITING:
            approved, reason = decided
            history = decide(history, id, approved=approved, reason=reason)
    return history


def answer_interruptions(state: RunState[Any, Any], history: MessageHistory) -> list[ToolApprovalItem]:
    """Approve and reject the interruptions of a run as a history says.

    Args:
        state: the state of the run; it is changed, and `Runner.run(agent, state)` goes on from it.
        history: the history that the decisions were recorded in.

    Returns:
        The interruptions that nobody has decided, and those whose calls were started: the SDK would run them again.

    Raises:
        UnknownCallError: for a call that is not in the history.

    Complexity: linear in the history, for each call.
    """
    undecided = []
    for item in state.get_interruptions():
        record = record_of(history, str(item.call_id))
        denied = is_denied(record)
        if denied is None:
            undecided.append(item)
        elif denied:
            state.reject(item, rejection_message=f"{REASONED}{record.detail}" if record.detail else None)
        else:
            state.approve(item)
    return undecided


def _decided(state: RunState[Any, Any], item: ToolApprovalItem) -> tuple[bool, str] | None:
    """Return whether an interruption was approved, and the reason; None if nobody has decided."""
    context = state._context  # The SDK has no other way to ask.
    name, id = str(item.name), str(item.call_id)
    approved = context.get_approval_status(name, id, existing_pending=item) if context is not None else None
    if context is None or approved is None:
        return None
    message = context.get_rejection_message(name, id, existing_pending=item) or ""
    return approved, message.removeprefix(REASONED)


def _with_denials(message: Message) -> Message:
    if not message.results:
        return message
    blocks = (known_denial(block) if isinstance(block, ToolResultBlock) else block for block in message.content)
    return with_content(message, tuple(blocks))
