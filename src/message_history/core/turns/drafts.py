"""Drafts: messages of the open turn that still grow.

A draft costs the piece that arrives, not what it holds already; it becomes a message when it is read or when its
turn settles. Nothing here decides what may be joined or which result answers which call.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, final

from attrs import evolve, field, frozen

from message_history.core.messages.arrived import joined_arrivals
from message_history.core.messages.blocks import ToolResultBlock, ToolUseBlock
from message_history.core.messages.message import Message, make_message, with_arrivals, with_replies
from message_history.core.messages.replies import joined_replies
from message_history.core.turns.past import KeyRecord, ids_of, note_news
from message_history.core.turns.stub_results import make_stub
from message_history.core.values.json_values import thaw
from message_history.core.values.log import Log
from message_history.core.values.meta import Mark, Meta
from message_history.core.values.value import Value

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from message_history.core.messages.arrived import Arrival
    from message_history.core.messages.block_base import Block
    from message_history.core.messages.policy import Policy
    from message_history.core.messages.replies import ReplyInfo


@final
@frozen(repr=False, eq=False)
class AssistantDraft(Value):
    """An assistant message that grows."""

    blocks: Log[Block]
    calls: Log[ToolUseBlock]
    replies: tuple[ReplyInfo, ...] = ()  # what the provider said of the replies that they came in
    # The message that it was opened from, while nothing has been added.
    message: Message | None = field(default=None, eq=False)
    arrivals: tuple[Arrival, ...] = field(default=(), eq=False)

    @staticmethod
    def of(message: Message | None) -> AssistantDraft:
        return (
            AssistantDraft(Log(message.content), Log(message.calls), message.replies, message, message.arrivals)
            if message is not None
            else AssistantDraft(Log(), Log())
        )

    def add(self, block: Block) -> AssistantDraft:
        calls = self.calls.append(block) if isinstance(block, ToolUseBlock) else self.calls
        return AssistantDraft(self.blocks.append(block), calls, self.replies, None, self.arrivals)

    def with_replies(self, replies: tuple[ReplyInfo, ...]) -> AssistantDraft:
        """Return the draft with what the provider said of more replies in it."""
        return AssistantDraft(self.blocks, self.calls, joined_replies(self.replies, replies), None, self.arrivals)

    def arrived(self, size: int, arrivals: Iterable[Arrival]) -> AssistantDraft:
        """Return the draft with what came after its first blocks."""
        return evolve(self, message=None, arrivals=joined_arrivals(self.arrivals, size, arrivals))

    def named(self, id: str) -> int:
        """Return the positions, as bits, of the calls that have this id now or came with it, in logarithmic time."""
        found = 0
        if len(self.calls) <= FEW:
            for position, call in enumerate(self.calls):
                if id == call.id or (call.meta is not None and id in ids_of(call)):
                    found |= 1 << position
            return found
        for once, often in self.calls.summaries(_positions_by_id):
            if id in once:
                found |= 1 << once[id]
            elif id in often:
                found |= often[id]
        return found

    def place_of(self, call: ToolUseBlock) -> int | None:
        """Find a call as it arrived, even after it was renamed or dropped for the same one: its position, or None."""
        for id in dict.fromkeys((call.id, asked_id(call))):
            named = self.named(id)
            while named:
                position = lowest(named)
                if is_alike(self.calls[position], call):
                    return position
                named &= named - 1
        return None

    def holds(self, call: ToolUseBlock) -> bool:
        key = call_key(call)
        return any(key in keys for keys in self.calls.summaries(_call_keys))


class Answer(NamedTuple):
    """A result of the open turn."""

    call: int  # the position of its call among the calls of the turn
    result: ToolResultBlock
    made: bool  # True for a stub made by closing, False for one that came in


@final
@frozen(repr=False, eq=False)
class UserDraft(Value):
    """A user message that grows: the results of the turn's calls, then all else."""

    answers: Log[Answer]  # results and stubs, as they arrived; a real result beats a stub, a later stub an earlier one
    answered: int  # the calls that have a real result, as bits
    stubbed: int  # the calls for which a stub arrived, as bits
    rest: Log[Block]
    arrivals: tuple[Arrival, ...] = field(default=(), eq=False)

    @staticmethod
    def of(message: Message | None) -> UserDraft:
        """Open a message for more. The message has one real result per call in call order, then the rest."""
        if message is None:
            return UserDraft(Log(), 0, 0, Log())
        results = message.results
        answers = Log(Answer(call, result, made=False) for call, result in enumerate(results))
        return UserDraft(answers, (1 << len(results)) - 1, 0, Log(message.content[len(results) :]), message.arrivals)

    def add(self, block: Block) -> UserDraft:
        return UserDraft(self.answers, self.answered, self.stubbed, self.rest.append(block), self.arrivals)

    def arrived(self, size: int, arrivals: Iterable[Arrival]) -> UserDraft:
        """Return the draft with what came after its first blocks."""
        return evolve(self, arrivals=joined_arrivals(self.arrivals, size, arrivals))

    def answer(self, call: int, result: ToolResultBlock, *, made: bool = False) -> UserDraft:
        """Return the draft with one more result for the call at a position; `made` when closing made it."""
        bit = 1 << call
        stub = result.is_stub
        return UserDraft(
            self.answers.append(Answer(call, result, made)),
            self.answered if stub else self.answered | bit,
            self.stubbed | bit if stub else self.stubbed,
            self.rest,
            self.arrivals,
        )

    def without(self, calls: Collection[int]) -> UserDraft:
        """Return the draft without the results and stubs of some calls. `calls` are the positions of the calls."""
        kept = [answer for answer in self.answers if answer.call not in calls]
        gone = sum(1 << call for call in calls)
        return UserDraft(Log(kept), self.answered & ~gone, self.stubbed & ~gone, self.rest, self.arrivals)

    def latest(self, call: int) -> Answer | None:
        """Find what the call at a position has now: its real result, else its last stub.

        The cost is logarithmic in the answers.
        """
        if len(self.answers) <= FEW:
            return next((answer for answer in reversed(self.answers[:]) if answer.call == call), None)
        found = None
        for positions in self.answers.summaries(_latest_by_call):
            found = positions.get(call, found)
        return self.answers[found] if found is not None else None

    def news_of(self, key: str) -> KeyRecord:
        """Find what the rest says of a call; the places are in `rest`. Logarithmic in the rest."""
        found = KeyRecord()
        for news in self.rest.summaries(_news_by_key):
            if key in news:
                last, quoted = news[key]
                found = KeyRecord(last or found.last, quoted or found.quote)
        return found


OpenTurn: TypeAlias = tuple["Message | AssistantDraft | None", "Message | UserDraft | None"]
"""The turn that may still change."""


def assistant_message(assistant: Message | AssistantDraft | None) -> Message | None:
    if not isinstance(assistant, AssistantDraft):
        return assistant
    if assistant.message is not None:
        return assistant.message
    message = with_replies(make_message("assistant", tuple(assistant.blocks)), assistant.replies)
    return with_arrivals(message, assistant.arrivals)


def user_message(
    assistant: Message | AssistantDraft | None, user: Message | UserDraft | None, policy: Policy
) -> Message | None:
    """Make the message of a draft; a call without a result has a stub in it."""
    if not isinstance(user, UserDraft):
        return user
    results: list[Block] = list(final_answers(assistant, user, policy))
    return with_arrivals(make_message("user", (*results, *user.rest)), user.arrivals)


def final_answers(
    assistant: Message | AssistantDraft | None, user: UserDraft, policy: Policy
) -> Iterator[ToolResultBlock]:
    """Yield the result or stub of each call of the open turn, in call order."""
    calls = calls_of(assistant)
    found: list[ToolResultBlock | None] = [None] * len(calls)
    for call, result, _ in user.answers:
        # Nothing replaces a real result, so the last one counts.
        found[call] = result
    for call_block, answer in zip(calls, found, strict=True):
        yield answer if answer is not None else make_stub(call_block, policy)


def calls_of(assistant: Message | AssistantDraft | None) -> Sequence[ToolUseBlock]:
    if isinstance(assistant, AssistantDraft):
        return list(assistant.calls)
    return assistant.calls if assistant is not None else ()


def count_of_calls(assistant: Message | AssistantDraft | None) -> int:
    if assistant is None:
        return 0
    return len(assistant.calls) if isinstance(assistant, AssistantDraft) else len(assistant.ids)


def free_id(assistant: AssistantDraft, base: str, number: int) -> str:
    """Return the id with a number after it that no call of a draft has: the given one, or one above all."""
    if assistant.named(f"{base}_{number}"):
        number = max((numbers.get(base, 0) for numbers in assistant.calls.summaries(_highest_numbers)), default=0) + 1
    while assistant.named(f"{base}_{number}"):
        number += 1
    return f"{base}_{number}"


def with_id(block: ToolUseBlock, id: str) -> ToolUseBlock:
    meta = block.meta if block.meta is not None else Meta()
    return evolve(
        block, id=id, meta=evolve(meta, mark=Mark(kind="renamed", tool_use_id=block.id, reason=block.approval))
    )


FEW: Final = 8
"""So many calls or answers are looked through one by one; more have an index."""


def _positions_by_id(start: int, calls: list[ToolUseBlock]) -> tuple[dict[str, int], dict[str, int]]:
    """Find calls by id: the position of an id that occurs once, the positions as bits of one that occurs often."""
    positions: dict[str, list[int]] = {}
    for position, call in enumerate(calls, start):
        for id in ids_of(call):
            positions.setdefault(id, []).append(position)
    once = {id: found[0] for id, found in positions.items() if len(found) == 1}
    return once, {id: _bits(found) for id, found in positions.items() if len(found) > 1}


def _highest_numbers(start: int, calls: list[ToolUseBlock]) -> dict[str, int]:
    """Find the highest number of each id that ends with one, for `Log.summaries`."""
    del start
    highest: dict[str, int] = {}
    for call in calls:
        for id in ids_of(call):
            base, _, number = id.rpartition("_")
            if number.isascii() and number.isdigit() and len(number) <= MAX_DIGITS:
                highest[base] = max(highest.get(base, 0), int(number))
    return highest


MAX_DIGITS: Final = 18
"""An id that ends with more digits than that does not count as one with a number."""


def _bits(positions: list[int]) -> int:
    bits = bytearray(positions[-1] // 8 + 1)
    for position in positions:
        bits[position // 8] |= 1 << position % 8
    return int.from_bytes(bits, "little")


def asked_id(call: ToolUseBlock) -> str:
    mark = call.mark
    return mark.tool_use_id if mark is not None and mark.kind == "renamed" else call.id


def call_key(call: ToolUseBlock) -> tuple[str, str, str]:
    """Return what makes two calls of one turn the same: the id that the call came with, its name and its input."""
    return asked_id(call), call.name, _input_text(call)


def is_alike(left: ToolUseBlock, right: ToolUseBlock) -> bool:
    return left.name == right.name and (
        left.frozen_input is right.frozen_input or _input_text(left) == _input_text(right)
    )


def _input_text(call: ToolUseBlock) -> str:
    """Write an input as text, in which 1 is not true."""
    return _SORTED(thaw(call.frozen_input))


_SORTED: Final = json.JSONEncoder(sort_keys=True).encode


def lowest(bits: int) -> int:
    """Return the position of the lowest bit that is set."""
    return (bits & -bits).bit_length() - 1


def _call_keys(_: int, calls: list[ToolUseBlock]) -> set[tuple[str, str, str]]:
    return set(map(call_key, calls))


def _latest_by_call(start: int, answers: list[Answer]) -> dict[int, int]:
    return {answer.call: position for position, answer in enumerate(answers, start)}


def tells(_: int, blocks: list[Block]) -> bool:
    """Return whether a block may mention a call, for `Log.summaries`: most do not, and keys take long to make."""
    return any(block.meta is not None for block in blocks)


def _news_by_key(start: int, blocks: list[Block]) -> dict[str, KeyRecord]:
    news: dict[str, KeyRecord] = {}
    for position, block in enumerate(blocks, start):
        note_news(news, block.mark, (0, position))
    return news
