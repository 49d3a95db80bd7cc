"""Windows: the part of a conversation that goes on when it has grown too long.

A whole turn is, here, a user message that answers no call, and everything up to the next such message. Windows remove
whole turns only, so no call loses its result; what is kept goes through the same step as any message.

Nothing here decides what a valid history is, and nothing that is omitted is kept alive: the old history has it. The
functions are documented in `message_history.windows`, which does the same for histories.
"""

from __future__ import annotations

import math
from collections import Counter as Tally
from operator import index
from typing import TYPE_CHECKING, Final, SupportsIndex, TypeAlias, final

from attrs import evolve, frozen

from message_history.core.blocks import (
    Block,
    Content,
    DocumentBlock,
    ImageBlock,
    ProviderBlock,
    RedactedThinkingBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    blocks_of,
    is_blank,
    with_meta,
)
from message_history.core.conversation import (
    Conversation,
    context_of,
    length_of,
    message_at,
    messages_in,
    parts_of,
    past_of,
)
from message_history.core.costs import Costs, Counter, Cut, json_of_block, opening_of, starts_turn
from message_history.core.drafts import UserDraft
from message_history.core.json_values import short_repr
from message_history.core.log import Log
from message_history.core.message import Message, has_thinking, make_message
from message_history.core.past import records_of
from message_history.core.repairs import Repair, RepairCode
from message_history.core.rewrites import fold_messages
from message_history.core.rules import behind_change
from message_history.core.stubs import awaited, standing_stubs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history.core.past import Turn

__all__ = [
    "TRIMMED",
    "Kept",
    "Omitted",
    "WindowError",
    "compact",
    "drop_before",
    "rewind",
    "safe_cuts",
    "trim_results",
    "window",
]

TRIMMED: Final = "[This result was left out to save space.]"
"""The text that `trim_results` puts in the place of an old result."""


@final
@frozen(kw_only=True)
class Omitted:
    """What a window does not have any more, in numbers; the history that it was taken of still has it.

    Args:
        messages: how many messages were omitted.
        results: how many results were shortened.
        positions: the positions, in the old history, of the messages that were omitted or shortened.
        repairs: how many repairs were omitted with them.
        invalidated: how many thinking blocks were invalidated, because something before them has changed.
    """

    messages: int = 0
    results: int = 0
    positions: Sequence[int] = ()
    repairs: int = 0
    invalidated: int = 0


Kept: TypeAlias = tuple[Conversation, Omitted]
"""A conversation that goes on with a part of another, and what was omitted."""


@final
class WindowError(ValueError):
    """A history cannot be cut as it was asked for.

    Args:
        problem: what is wrong, with the numbers.
        cost: what the newest whole turn costs, where it does not fit.
        messages: how many messages it has.
    """

    def __init__(self, problem: str, cost: int | None = None, messages: int | None = None) -> None:
        super().__init__(problem)
        self.cost = cost
        self.messages = messages

    def __reduce__(self) -> tuple[type[WindowError], tuple[str, int | None, int | None]]:
        return WindowError, (str(self), self.cost, self.messages)


def safe_cuts(conversation: Conversation, counter: Counter | None = None) -> tuple[Cut, ...]:
    """Find where a conversation may be cut, oldest first."""
    costs = Costs(conversation, counter)
    return tuple(reversed([Cut(position, cost) for position, cost in costs.of_turns()]))


def window(
    conversation: Conversation,
    *,
    max_tokens: float | None = None,
    max_messages: int | None = None,
    counter: Counter | None = None,
) -> Kept:
    """Keep the newest whole turns that fit."""
    if max_tokens is None and max_messages is None:
        raise TypeError("a window needs a budget: max_tokens, max_messages or both")
    tokens = _budget("max_tokens", max_tokens)
    messages = _budget("max_messages", max_messages)
    costs = Costs(conversation, (lambda _: 0) if max_tokens is None else counter)
    length = length_of(conversation)
    kept: int | None = None
    newest: Cut | None = None
    for position, cost in costs.of_turns(tokens, messages):
        newest = newest if newest is not None else Cut(position, cost)
        if cost <= tokens and length - position <= messages:
            kept = position
    if newest is None:
        return conversation, Omitted()
    if kept is not None:
        return drop_before(conversation, kept)
    number = length - newest.position
    asked = [f"a budget of {max_tokens:,}"] if max_tokens is not None else []
    asked += [f"at most {max_messages:,} messages"] if max_messages is not None else []
    needs = f"has {number:,} messages" + (f" and costs {newest.cost:,}" if max_tokens is not None else "")
    raise WindowError(f"the newest whole turn {needs}; it does not fit {' and '.join(asked)}", newest.cost, number)


def _budget(name: str, value: float | None) -> float:
    """Check a budget; None is no limit."""
    if value is None:
        return math.inf
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} must be a number, not {short_repr(value)}")
    if not value >= 0:
        raise ValueError(f"{name} must not be negative, not {value!r}")
    return value


def drop_before(conversation: Conversation, cut: SupportsIndex) -> Kept:
    """Omit all messages before a safe cut."""
    position = _position(conversation, cut)
    if position == 0:
        return conversation, Omitted()
    opening = opening_of(message_at(conversation, position), context_of(conversation).policy)
    if not opening:
        return _from(conversation, position)
    added = Repair(code=RepairCode.BOOTSTRAP_ADDED, index=0, added=opening)
    return _from(conversation, position, [make_message("user", opening)], [added])


def rewind(conversation: Conversation, n_turns: int = 1) -> Kept:
    """Omit the newest whole turns."""
    if n_turns < 0:
        raise WindowError(f"{n_turns} turns cannot be omitted; pass a number from 0 on")
    messages = _messages_from(conversation, 0)
    starts = [n for n, message in enumerate(messages) if n == 0 or starts_turn(message)]
    if n_turns > len(starts):
        raise WindowError(f"{n_turns:,} turns cannot be omitted: the history has {len(starts):,}")
    if n_turns == 0:
        return conversation, Omitted()
    position = starts[len(starts) - n_turns]
    repairs = [repair for repair in context_of(conversation).repairs if repair.index < position]
    omitted = Omitted(
        messages=len(messages) - position,
        positions=range(position, len(messages)),
        repairs=_count_of_repairs(conversation) - len(repairs),
    )
    return fold_messages(conversation, messages[:position], repairs), omitted


def compact(conversation: Conversation, summary: Content, *, keep_from: SupportsIndex | None = None) -> Kept:
    """Put a summary in the place of the messages before a safe cut."""
    leading = blocks_of(summary)
    if not all(isinstance(block, _IN_SUMMARIES) for block in leading):
        raise ValueError("a summary is made of text, images and documents")
    if all(isinstance(block, TextBlock) and is_blank(block.text) for block in leading):
        raise ValueError("a summary must say something")
    waiting = awaited(conversation) if keep_from is None else ()
    if waiting:
        ids = ", ".join(f"{call.id!r:.80}" for call in waiting)
        raise WindowError(f"calls are awaited ({ids}); keep them, or add their results first")
    position = length_of(conversation) if keep_from is None else _position(conversation, keep_from)
    return _from(conversation, position, [make_message("user", leading)])


def trim_results(conversation: Conversation, *, older_than: SupportsIndex, text: str = TRIMMED) -> Kept:
    """Shorten old results; calls, ids and everything else stay."""
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {short_repr(text)}")
    past, (assistant, user), context = parts_of(conversation)
    if text == context.policy.stub_text:
        raise ValueError("this text says that a result is missing; a shortened result needs another one")
    messages = _messages_from(conversation, 0)
    end = slice(index(older_than)).indices(len(messages))[1]
    trimming = _Trimming(() if is_blank(text) else (TextBlock(text),))
    before_user = messages_in(past) + (assistant is not None)
    trimmed = [trimming.message(n, message) for n, message in enumerate(messages[: min(end, before_user)])]
    user = trimming.user(before_user, user) if end > before_user else user
    if not trimming.positions:
        return conversation, Omitted()
    first = trimming.positions[0]
    trimmed += messages[len(trimmed) : before_user]
    omitted = Omitted(
        results=trimming.results,
        positions=tuple(trimming.positions),
        invalidated=_count_of_thinking(messages[first:]),
    )
    trimmed = [*trimmed[:first], *map(behind_change, trimmed[first:])]
    return fold_messages(conversation, trimmed, context.repairs, user=user), omitted


_IN_SUMMARIES: Final = (TextBlock, ImageBlock, DocumentBlock, ProviderBlock)


def _messages_from(conversation: Conversation, start: int) -> list[Message]:
    return [message_at(conversation, position) for position in range(start, length_of(conversation))]


def _count_of_repairs(conversation: Conversation) -> int:
    return len(context_of(conversation).repairs) + len(standing_stubs(conversation))


def _position(conversation: Conversation, cut: SupportsIndex) -> int:
    """Return the position of a safe cut; `WindowError` for any other."""
    position, length = index(cut), length_of(conversation)
    if 0 <= position < length and starts_turn(message_at(conversation, position)):
        return position
    starts = [n for n, message in enumerate(_messages_from(conversation, 0)) if starts_turn(message)]
    before = [start for start in starts if start < position][-1:]
    after = [start for start in starts if start >= position][:1]
    near = " and ".join(map(str, before + after))
    where = f"the nearest safe cuts are {near}" if near else "the history is empty"
    raise WindowError(f"{position} is no safe cut of a history of {length:,} messages; {where}")


def _from(
    conversation: Conversation, position: int, leading: Sequence[Message] = (), added: Sequence[Repair] = ()
) -> Kept:
    """Go on from a position, with something else before it."""
    past, (assistant, user), context = parts_of(conversation)
    kept: Sequence[Message] = _messages_from(conversation, position)
    repairs = [evolve(each, index=each.index - position) for each in context.repairs if each.index >= position]
    # Results that are still coming in stay as they are: their stubs are not final yet.
    calling = messages_in(past) + 1 - position if assistant is not None else 0
    messages, user = (kept[:calling], user) if calling > 0 else (kept, None)
    omitted_calls = _late_results_of_omitted(conversation, position, kept)
    if omitted_calls:
        messages = [make_message(message.role, _settle(message.content, omitted_calls)) for message in messages]
        if isinstance(user, UserDraft):
            user = evolve(user, rest=Log(_settle(user.rest, omitted_calls)))
        elif user is not None:
            user = make_message("user", _settle(user.content, omitted_calls))
    goes_on = fold_messages(conversation, [*leading, *map(behind_change, messages)], repairs, added, user)
    omitted = Omitted(
        messages=position,
        positions=range(position),
        repairs=_count_of_repairs(conversation) + len(added) - _count_of_repairs(goes_on),
        invalidated=_count_of_thinking(kept),
    )
    return goes_on, omitted


def _count_of_thinking(messages: Iterable[Message]) -> int:
    """Count the thinking that is valid."""
    return sum(
        isinstance(block, ThinkingBlock | RedactedThinkingBlock) and block.bound
        for message in messages
        if has_thinking(message)
        for block in message.content
    )


def _late_results_of_omitted(conversation: Conversation, position: int, kept: Iterable[Message]) -> Tally[str]:
    """Count the late results in what is kept whose calls are omitted, by their calls' ids."""
    found: Tally[str] = Tally()
    ids = {block.mark.tool_use_id for message in kept for block in message.content if _is_late(block) and block.mark}
    omitted: Log[Turn] = Log(past_of(conversation)[: position // 2]) if ids else Log()
    for id in ids:
        record = records_of(omitted, id)
        if record is not None and len(record.stubs) > record.late:
            found[id] = len(record.stubs) - record.late
    return found


def _settle(blocks: Iterable[Block], omitted_calls: Tally[str]) -> tuple[Block, ...]:
    """Mark quotes of late results whose calls are omitted: they answer no call of what is kept."""
    content: list[Block] = []
    for block in blocks:
        mark = block.mark
        if mark is not None and _is_late(block) and omitted_calls[mark.tool_use_id] > 0:
            omitted_calls[mark.tool_use_id] -= 1
            content.append(with_meta(block, mark=evolve(mark, reason="omitted")))
        else:
            content.append(block)
    return tuple(content)


def _is_late(block: Block) -> bool:
    mark = block.mark
    return mark is not None and mark.kind == "quote" and mark.reason == "late"


@final
class _Trimming:
    """Results that are shortened, and where they are.

    Args:
        content: what stands in the place of what they had.
    """

    def __init__(self, content: tuple[Block, ...]) -> None:
        self.positions: list[int] = []
        self.results = 0
        self._content = content
        self._size = _size(content)

    def message(self, position: int, message: Message) -> Message:
        """Return a message with shorter results; the same message when there is nothing to shorten."""
        content = tuple(self._block(position, block) for block in message.content)
        return make_message(message.role, content) if position in self.positions[-1:] else message

    def user(self, position: int, user: Message | UserDraft | None) -> Message | UserDraft | None:
        """Return the user message of the open turn with shorter results."""
        if not isinstance(user, UserDraft):
            return self.message(position, user) if user is not None else None
        answers = []
        for answer in user.answers:
            result = self._block(position, answer.result)
            answers.append(answer._replace(result=result) if isinstance(result, ToolResultBlock) else answer)
        return evolve(user, answers=Log(answers)) if position in self.positions[-1:] else user

    def _block(self, position: int, block: Block) -> Block:
        """Return a real result with other content, if that is shorter."""
        if not isinstance(block, ToolResultBlock) or block.is_stub or _size(block.content) <= self._size:
            return block
        self.results += 1
        if position not in self.positions[-1:]:
            self.positions.append(position)
        return evolve(block, content=self._content)


def _size(content: tuple[Block, ...]) -> int:
    return sum(len(block.text) if isinstance(block, TextBlock) else len(json_of_block(block)) for block in content)
