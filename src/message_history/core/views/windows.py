"""Windows: the part of a conversation that goes on when it has grown too long.

A turn is, here, what the user says and everything up to what the user says next; its rounds begin with its assistant
messages. Windows keep whole turns, or the newest rounds of a turn that does not fit, so no call loses its result: see
`cuts`. What leads goes through the same step as any message.

Nothing here decides what a valid history is, and nothing that is omitted is kept alive: the old history has it. The
functions are documented in `message_history.windows`, which does the same for histories.
"""

from __future__ import annotations

from collections import Counter as Tally
from itertools import chain
from typing import TYPE_CHECKING, Final, SupportsIndex, TypeAlias, final

from attrs import define, evolve, frozen

from message_history.core.messages.blocks import (
    Content,
    ProviderBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    blocks_of,
    is_blank,
    with_meta,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.messages.message import Message, make_message, not_plain, with_content
from message_history.core.messages.repairs import Repair, RepairCode
from message_history.core.messages.thinking import any_thinking, count_of_thinking
from message_history.core.turns.conversation import (
    Conversation,
    context_of,
    length_of,
    make_conversation,
    message_at,
    messages_in,
    open_turn_of,
    parts_of,
    past_of,
)
from message_history.core.turns.drafts import AssistantDraft, UserDraft, assistant_message, user_message
from message_history.core.turns.past import ids_of, records_of
from message_history.core.turns.rewrites import TRIMMED, fold_messages
from message_history.core.turns.rules import behind_change
from message_history.core.turns.stubs import awaited, standing_stubs
from message_history.core.values.json_values import short_repr
from message_history.core.values.log import Log
from message_history.core.views.costs import Counter, json_of_block
from message_history.core.views.cuts import (
    Pin,
    WindowError,
    checked_index,
    checked_pin,
    content_behind,
    leading_blocks,
    safe_position,
    starts_turn,
)
from message_history.core.views.fitting import fitting_cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.turns.past import Turn


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


def window(
    conversation: Conversation,
    *,
    max_tokens: float | None = None,
    max_messages: int | None = None,
    counter: Counter | None = None,
    pin: Pin = "turn",
) -> Kept:
    """Keep the newest turns that fit, or the newest rounds of a turn that does not."""
    position, pin = fitting_cut(
        conversation, max_tokens=max_tokens, max_messages=max_messages, counter=counter, pin=checked_pin(pin)
    )
    return drop_before(conversation, position, pin=pin) if position else (conversation, Omitted())


def drop_before(conversation: Conversation, cut: SupportsIndex, *, pin: Pin = "turn", since: int | None = None) -> Kept:
    """Omit all messages before a safe cut; thinking from message `since` on stays valid."""
    position = safe_position(conversation, cut)
    if position == 0:
        return conversation, Omitted()
    leading = leading_blocks(conversation, position, checked_pin(pin))
    marks = (block.mark for block in leading[:1])
    added = [
        Repair(code=RepairCode.BOOTSTRAP_ADDED, index=0, added=leading[:1])
        for mark in marks
        if mark is not None and mark.kind == "bootstrap"
    ]
    return _from(conversation, position, leading, added, since)


def rewind(conversation: Conversation, n_turns: int = 1) -> Kept:
    """Omit the newest whole turns."""
    if checked_index("n_turns", n_turns) < 0:
        raise WindowError(f"n_turns: {n_turns} turns cannot be omitted; pass a number from 0 on")
    messages = _messages_from(conversation, 0)
    starts = [n for n, message in enumerate(messages) if n == 0 or starts_turn(message)]
    if n_turns > len(starts):
        raise WindowError(f"n_turns: {n_turns:,} turns cannot be omitted; the history has {len(starts):,}")
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


def compact(
    conversation: Conversation, summary: Content, *, keep_from: SupportsIndex | None = None, pin: Pin = None
) -> Kept:
    """Put a summary in the place of the messages before a safe cut."""
    blocks = blocks_of(summary)
    if unfit := next((block for block in blocks if not isinstance(block, _IN_SUMMARIES)), None):
        raise ValueError(f"summary must be made of text, images and documents, not of a {type(unfit).__name__}")
    if all(isinstance(block, TextBlock) and is_blank(block.text) for block in blocks):
        raise ValueError("summary must say something, and holds nothing but blank text; `drop_before` puts no summary")
    if keep_from is not None:
        position = safe_position(conversation, keep_from, "keep_from")
    else:
        position = messages_in(past_of(conversation)) if awaited(conversation) else length_of(conversation)
    pinned = leading_blocks(conversation, position, pin) if checked_pin(pin) and position else ()
    return _from(conversation, position, (*pinned, *blocks))


def trim_results(conversation: Conversation, *, older_than: SupportsIndex, text: str = TRIMMED) -> Kept:
    """Shorten old results; calls, ids and everything else stay."""
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {short_repr(text)}")
    past, (assistant, user), context = parts_of(conversation)
    if text == context.policy.stub_text:
        raise ValueError(
            f"text must not be the text of a stub, {short_repr(text)}: no result would seem to be there; pass another"
        )
    messages = _messages_from(conversation, 0)
    end = slice(checked_index("older_than", older_than)).indices(len(messages))[1]
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
        invalidated=sum(map(count_of_thinking, messages[first:])),
    )
    trimmed = [*trimmed[:first], *map(behind_change, trimmed[first:])]
    return fold_messages(conversation, trimmed, context.repairs, user=user), omitted


_IN_SUMMARIES: Final = (TextBlock, ImageBlock, DocumentBlock, ProviderBlock)


def _messages_from(conversation: Conversation, start: int) -> list[Message]:
    return [message_at(conversation, position) for position in range(start, length_of(conversation))]


def _count_of_repairs(conversation: Conversation) -> int:
    return len(context_of(conversation).repairs) + len(standing_stubs(conversation))


def _from(
    conversation: Conversation,
    position: int,
    leading: tuple[Block, ...],
    added: Sequence[Repair] = (),
    since: int | None = None,
) -> Kept:
    """Go on from a position, with other blocks before it.

    What is settled behind the cut is as valid as it was, so it is taken over turn by turn; only what leads is new.
    """
    past, (assistant, user), context = parts_of(conversation)
    first = message_at(conversation, position) if position < length_of(conversation) else None
    inside = first is not None and first.role == "assistant"
    # From here on, the cut is in the user message of the open turn, or behind it.
    newest = messages_in(past) + (assistant is not None)
    if first is not None and not inside:
        leading = (*leading, *content_behind(first))
    if not inside and position >= newest:
        assistant = user = None
    tail = _Tail(past[position // 2 + 1 :], assistant, user, leading)
    invalidated = _invalidate(tail, conversation, position, since)
    kept = position // 2
    if (
        any(map(_is_late, leading))
        or any(past.summaries(_any_quotes, kept))
        or _any_quotes(0, [open_turn_of(conversation)])
    ):
        _settle_all(tail, conversation, position)
    results = len(first.ids) if first is not None and not inside else 0
    repairs = [
        evolve(each, index=each.index - position + inside)
        for each in context.repairs
        if each.index >= position + bool(results)
    ]
    goes_on = fold_messages(conversation, [make_message("user", tail.leading)], repairs, added)
    if inside or position < newest:
        _, (_, lead), context = parts_of(goes_on)
        turns = Log([(None, user_message(None, lead, context.policy)), *tail.turns])
        goes_on = make_conversation(turns, (tail.assistant, tail.user), context)
    omitted = Omitted(
        messages=position,
        results=results,
        positions=range(position),
        repairs=_count_of_repairs(conversation) + len(added) - _count_of_repairs(goes_on),
        invalidated=invalidated,
    )
    return goes_on, omitted


@final
@define
class _Tail:
    """What is kept: settled turns, both messages of the open turn, and the blocks that lead."""

    turns: list[Turn]
    assistant: Message | AssistantDraft | None
    user: Message | UserDraft | None
    leading: tuple[Block, ...]


def _invalidate(tail: _Tail, conversation: Conversation, position: int, since: int | None) -> int:
    """Invalidate the thinking that is kept, but for that of messages from `since` on; count the blocks."""
    past, end = past_of(conversation), since if since is not None else length_of(conversation)
    count = 0
    if any(past.summaries(_any_thinking, position // 2)):
        # The first kept turn is the one whose assistant message stands at the position, or right behind it.
        first = position // 2 * 2 + 1
        for number in range(min(len(tail.turns), max((end - first + 1) // 2, 0))):
            assistant, user = tail.turns[number]
            if assistant is not None and (valid := count_of_thinking(assistant)):
                count += valid
                tail.turns[number] = behind_change(assistant), user
    newest = assistant_message(tail.assistant) if messages_in(past) < end else None
    if newest is not None and count_of_thinking(newest):
        count += count_of_thinking(newest)
        tail.assistant = behind_change(newest)
    return count


def _any_thinking(_: int, turns: Sequence[Turn]) -> bool:
    """Return whether a turn holds thinking, for `Log.summaries`."""
    return any_thinking([assistant for assistant, _ in turns if assistant is not None])


def _any_quotes(_: int, turns: Sequence[Turn]) -> bool:
    """Return whether a turn quotes a late result, for `Log.summaries`."""
    # A plain message has nothing that travels with its blocks; to ask for them would make them.
    others = not_plain([user for _, user in turns if user is not None])
    return any(block.meta is not None and _is_late(block) for user in others for block in user.content)


def _settle_all(tail: _Tail, conversation: Conversation, position: int) -> None:
    """Mark the quotes of late results, in what is kept, whose calls are omitted."""
    user = tail.user
    rest = tuple(user.rest) if isinstance(user, UserDraft) else user.content if user is not None else ()
    blocks = chain(tail.leading, *(answer.content for _, answer in tail.turns if answer is not None), rest)
    omitted_calls = _late_results_of_omitted(conversation, position, blocks)
    if not omitted_calls:
        return
    tail.leading = _settle(tail.leading, omitted_calls)
    tail.turns = [
        (assistant, with_content(answer, _settle(answer.content, omitted_calls)) if answer is not None else None)
        for assistant, answer in tail.turns
    ]
    if isinstance(user, UserDraft):
        tail.user = evolve(user, rest=Log(_settle(user.rest, omitted_calls)))
    elif user is not None:
        tail.user = with_content(user, _settle(user.content, omitted_calls))


def _late_results_of_omitted(conversation: Conversation, position: int, kept: Iterable[Block]) -> Tally[str]:
    """Count the late results in what is kept whose calls are omitted, by their calls' ids."""
    found: Tally[str] = Tally()
    ids = {block.mark.tool_use_id for block in kept if _is_late(block) and block.mark}
    omitted = past_of(conversation).first((position + 1) // 2)
    here = [] if position % 2 else _stubs_at(conversation, position)
    for id in sorted(ids):
        record = records_of(omitted, id)
        waiting = len(record.stubs) - record.late if record is not None else 0
        found[id] = waiting + sum(id in ids_of(call) for call in here)
    return +found


def _stubs_at(conversation: Conversation, position: int) -> list[ToolUseBlock]:
    """Return the calls whose stubs stand in a user message that is the first behind a cut."""
    results = message_at(conversation, position).results if position < length_of(conversation) else ()
    calls = message_at(conversation, position - 1).calls if results else ()
    return [call for call, result in zip(calls, results, strict=False) if result.is_stub]


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
