"""Every call of a conversation with its state, its result and its place.

The state of a call is read from what stands for it: its result, its stub, and the marked texts behind it that quote a
late result or say that its state has changed. Which state may follow which is decided in `rules.py`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, final

from attrs import define, evolve, frozen

from message_history.core.messages.blocks import ProviderBlock, ToolResultBlock
from message_history.core.turns.conversation import messages_of
from message_history.core.turns.past import ids_of
from message_history.core.turns.rules import CallState, is_settled, state_of_reason
from message_history.core.values.json_values import thaw

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.blocks import ToolUseBlock
    from message_history.core.messages.message import Message
    from message_history.core.turns.conversation import Conversation
    from message_history.core.values.meta import Mark


@final
@frozen
class CallRecord:
    """A call, and what became of it.

    Args:
        call: the call; it knows its turn.
        state: what became of it.
        position: the position of the message that it stands in.
        result: its result, also one that came late; None if it has none, or if its provider has run it and holds the
            result in a block of its own.
        detail: the reason that a person gave for denying it.
        key: an idempotency key: the same after a save and a load, another for the same id in another turn. It is unique
            in its history; put the session's name before it for tools that several sessions share.
    """

    call: ToolUseBlock
    state: CallState
    position: int
    result: ToolResultBlock | None = None
    detail: str = ""
    key: str = ""


@final
class Calls(tuple[CallRecord, ...]):
    """The calls of a history, oldest first: a tuple that can be filtered."""

    __slots__ = ()

    def where(self, *states: CallState, turn: int | None = None) -> Calls:
        """Return the calls in some states.

        Args:
            states: the states; none for all.
            turn: the position of the message that the calls stand in; None for all.

        Returns:
            The calls, in the same order.

        Raises:
            ValueError: for a state that is none.
        """
        wanted = frozenset(map(CallState, states)) or frozenset(CallState)
        return Calls(each for each in self if each.state in wanted and (turn is None or each.position == turn))

    def unsettled(self) -> Calls:
        """Return the calls that may still run, or may have run without a result; the oldest first.

        A call that its provider runs is among them until you have decided.
        """
        return Calls(each for each in self if not is_settled(each.state, each.call.approval))


@define(eq=False)
class _Found:
    """A call while its state is being read."""

    call: ToolUseBlock
    position: int
    number: int
    state: CallState = CallState.PROPOSED
    result: ToolResultBlock | None = None
    detail: str = ""
    key: str = ""


def find_calls(conversation: Conversation) -> Calls:
    return Calls(
        CallRecord(found.call, found.state, found.position, found.result, found.detail, found.key or _key(found))
        for found in _read(messages_of(conversation)).found
    )


def state_of_settled(conversation: Conversation, turn: int, number: int) -> CallState:
    """Return the state of a call of a settled turn. `number` is its place among the calls of the turn."""
    calls = [found for found in _read(messages_of(conversation)).found if found.position == 2 * turn - 1]
    return calls[number].state


def _read(messages: Iterable[Message]) -> _Reader:
    reader = _Reader()
    for position, message in enumerate(messages):
        reader.read(position, message)
    return reader


@final
class _Reader:
    """Reads the messages of a conversation, oldest first."""

    def __init__(self) -> None:
        self.found: list[_Found] = []
        self._by_id: dict[str, list[_Found]] = {}
        self._by_place: dict[tuple[int, str], _Found] = {}
        self._open: list[_Found] = []

    def read(self, position: int, message: Message) -> None:
        if message.role == "assistant":
            for block in message.content:
                if block.meta is not None and isinstance(block, ProviderBlock):
                    self._ran(block)
            self._open = [self._call(position, call) for call in message.calls]
            return
        for found, result in zip(self._open, message.results, strict=False):
            _answer(found, result)
        self._open = []
        for number, block in enumerate(message.content):
            if block.meta is not None and block.meta.mark is not None and not isinstance(block, ToolResultBlock):
                self._news(position, message, number, block)

    def _call(self, position: int, call: ToolUseBlock) -> _Found:
        same = self._by_id.setdefault(call.id, [])
        found = _Found(evolve(call, turn=position), position, len(same))
        if call.approval:
            found.state = CallState.WAITING
        for id in ids_of(call):
            self._by_id.setdefault(id, []).append(found)
            self._by_place[position, id] = found
        self.found.append(found)
        return found

    def _news(self, position: int, message: Message, number: int, block: Block) -> None:
        mark = block.mark
        if mark is None or mark.kind not in ("quote", "state"):
            return
        found = self._target(position, mark)
        if found is None:
            return
        if mark.kind == "state":
            found.state, found.detail = state_of_reason(mark.reason), mark.detail
            found.key = mark.key or found.key
        elif mark.reason == "late":
            content = message.content[number + 1 : number + 1 + mark.blocks]
            found.result = ToolResultBlock(found.call.id, content, mark.is_error)
            found.state = CallState.ANSWERED

    def _ran(self, block: ProviderBlock) -> None:
        """Read a block that holds the result of a call that its provider has run."""
        mark = block.mark
        if mark is not None and mark.kind == "approval":
            for found in self._by_id.get(mark.tool_use_id, ())[-1:]:
                found.state = CallState.ANSWERED

    def _target(self, position: int, mark: Mark) -> _Found | None:
        """Find the call that a quote or news is about."""
        if mark.distance and (position - mark.distance, mark.tool_use_id) in self._by_place:
            return self._by_place[position - mark.distance, mark.tool_use_id]
        # No distance, as an earlier version wrote, or messages between were removed: the oldest call is answered first.
        same = self._by_id.get(mark.tool_use_id, ())
        return next((each for each in same if each.state is not CallState.ANSWERED), None)


def _answer(found: _Found, result: ToolResultBlock) -> None:
    mark = result.mark
    if mark is None or not result.is_stub:
        found.state, found.result = CallState.ANSWERED, result
    else:
        found.state, found.detail, found.key = state_of_reason(mark.reason), mark.detail, mark.key
        if found.call.approval and found.state is CallState.UNKNOWN:
            found.state = CallState.WAITING


def _key(found: _Found) -> str:
    from hashlib import sha256  # noqa: PLC0415 - OpenSSL takes long to load, and few ask for keys

    call = found.call
    text = json.dumps([call.id, found.number, call.name, thaw(call.input)], sort_keys=True)
    return sha256(text.encode()).hexdigest()[:32]
