"""Windows: the part of a conversation that goes on when it has grown too long.

A turn is, here, what the user says and everything up to what the user says next; its rounds begin with its assistant
messages. Windows keep whole turns, or the newest rounds of a turn that does not fit, so no call loses its result: see
`cuts`. What leads goes through the same step as any message.

Nothing here decides what a valid history is, and nothing that is omitted is kept alive: the old history has it. The
functions are documented in `message_history.windows`, which does the same for histories.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final, SupportsIndex, TypeAlias, final

from attrs import define, evolve, field, frozen

from message_history.core.messages.blocks import (
    Content,
    ProviderBlock,
    TextBlock,
    ToolResultBlock,
    blocks_of,
    is_blank,
    with_meta,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.messages.message import Message, make_message, part_of, with_content
from message_history.core.messages.repairs import Repair, RepairCode, in_words
from message_history.core.messages.thinking import any_thinking, count_of_thinking
from message_history.core.turns.calls import Calls, find_calls
from message_history.core.turns.conversation import (
    Conversation,
    context_of,
    length_of,
    make_conversation,
    message_at,
    messages_in,
    parts_of,
    past_of,
)
from message_history.core.turns.drafts import AssistantDraft, UserDraft, assistant_message, count_of_calls, user_message
from message_history.core.turns.effects import say_again
from message_history.core.turns.past import settled_stubs
from message_history.core.turns.rewrites import TRIMMED, folded
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
    pinned_places,
    safe_position,
    starts_turn,
)
from message_history.core.views.fitting import fitting_cut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.turns.calls import CallRecord
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
        unsettled: the calls that were omitted though they may still run, or may have run without a result: what
            becomes of them is for you to keep, as the history does not know them any more. `repairs` names them, too.
    """

    messages: int = 0
    results: int = 0
    positions: Sequence[int] = ()
    repairs: int = 0
    invalidated: int = 0
    unsettled: Calls = field(factory=Calls)


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
    return _from(conversation, position, leading, pin, added=added, since=since)


def rewind(conversation: Conversation, n_turns: int) -> Kept:
    if checked_index("n_turns", n_turns) < 0:
        raise WindowError(f"n_turns: {n_turns} turns cannot be omitted; pass a number from 0 on")
    messages = _messages_from(conversation, 0)
    starts = [n for n, message in enumerate(messages) if n == 0 or starts_turn(message)]
    if n_turns > len(starts):
        raise WindowError(f"n_turns: {n_turns:,} turns cannot be omitted; the history has {len(starts):,}")
    if n_turns == 0:
        return conversation, Omitted()
    return _drop_from(conversation, messages, starts[len(starts) - n_turns])


def drop_from(conversation: Conversation, position: SupportsIndex) -> Kept:
    """Omit all messages from a position on."""
    messages = _messages_from(conversation, 0)
    end = slice(checked_index("position", position)).indices(len(messages))[1]
    return _drop_from(conversation, messages, end) if end < len(messages) else (conversation, Omitted())


def _drop_from(conversation: Conversation, messages: list[Message], position: int) -> Kept:
    repairs = [repair for repair in context_of(conversation).repairs if repair.index < position]
    unsettled = _unsettled_in(conversation, lambda at: at >= position)
    missed = _missed(unsettled, position)
    omitted = Omitted(
        messages=len(messages) - position,
        positions=range(position, len(messages)),
        repairs=_count_of_repairs(conversation) - len(repairs),
        unsettled=unsettled,
    )
    context = context_of(conversation)
    number = len(messages[position - 1].ids) if position else 0
    lineage = context.lineage.branched(position // 2, number)
    ingest = folded(evolve(context, lineage=lineage), messages[:position], repairs, missed)
    for message in messages[position:]:
        say_again(ingest, message.content, context.policy)
    return ingest.finish(allowed=len(missed)), omitted


def compact(
    conversation: Conversation, summary: Content, *, keep_from: SupportsIndex | None = None, pin: Pin = None
) -> Kept:
    """Put a summary in the place of the messages before a safe cut."""
    blocks = blocks_of(summary)
    if unfit := next((block for block in blocks if not isinstance(block, _IN_SUMMARIES)), None):
        raise ValueError(f"summary must be made of text, images and documents, not of a {type(unfit).__name__}")
    if all(isinstance(block, TextBlock) and is_blank(block.text) for block in blocks):
        raise ValueError("summary must not be blank; `drop_before` omits messages without a summary")
    if keep_from is not None:
        position = safe_position(conversation, keep_from, "keep_from")
    else:
        position = messages_in(past_of(conversation)) if awaited(conversation) else length_of(conversation)
    pinned = leading_blocks(conversation, position, pin) if checked_pin(pin) and position else ()
    return _from(conversation, position, (*pinned, *blocks), pin)


def trim_results(
    conversation: Conversation,
    *,
    older_than: SupportsIndex | None = None,
    keep: SupportsIndex | None = None,
    text: str | Callable[[CallRecord], str] = TRIMMED,
) -> Kept:
    """Shorten old results; calls, ids and everything else stay."""
    if not isinstance(text, str) and not callable(text):
        raise TypeError(f"text must be a str, or a function of a call, not {short_repr(text)}")
    if (older_than is None) == (keep is None):
        raise TypeError("trim_results takes older_than or keep: a position, or how many of the newest results stay")
    past, (assistant, user), context = parts_of(conversation)
    messages = _messages_from(conversation, 0)
    end = len(messages) if older_than is None else checked_index("older_than", older_than)
    end = slice(end).indices(len(messages))[1]
    count = len(messages) if keep is None else _count_to_trim(messages, checked_index("keep", keep))
    trimming = _Trimming(_texts(conversation, text), count)
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
    return folded(context, trimmed, context.repairs).finish(user), omitted


def _count_to_trim(messages: Iterable[Message], keep: int) -> int:
    """Return how many of the results are not among the newest."""
    if keep < 0:
        raise ValueError(f"keep must be a number from 0 on, not {keep}")
    return max(sum(not result.is_stub for message in messages for result in message.results) - keep, 0)


def _texts(
    conversation: Conversation, text: str | Callable[[CallRecord], str]
) -> Callable[[int, ToolResultBlock], tuple[Block, ...]]:
    """Return the function that makes the content in place of a result in a message."""
    stub = context_of(conversation).policy.stub_text
    records = (
        {} if isinstance(text, str) else {(each.position + 1, each.call.id): each for each in find_calls(conversation)}
    )

    def content(position: int, result: ToolResultBlock) -> tuple[Block, ...]:
        found = text if isinstance(text, str) else text(records[position, result.tool_use_id])
        if not isinstance(found, str):
            raise TypeError(f"text must return a str for a call, not {short_repr(found)}")
        if found == stub:
            raise ValueError(
                f"text must not be the text of a stub, {short_repr(found)}: no result would seem to be there; "
                "pass another"
            )
        return () if is_blank(found) else (TextBlock(found),)

    if isinstance(text, str):
        fixed = content(0, ToolResultBlock(""))
        return lambda *_: fixed
    return content


_IN_SUMMARIES: Final = (TextBlock, ImageBlock, DocumentBlock, ProviderBlock)


def _messages_from(conversation: Conversation, start: int) -> list[Message]:
    return [message_at(conversation, position) for position in range(start, length_of(conversation))]


def _count_of_repairs(conversation: Conversation) -> int:
    return len(context_of(conversation).repairs) + len(standing_stubs(conversation))


def _unsettled_in(conversation: Conversation, omitted: Callable[[int], bool]) -> Calls:
    """Return the calls that may still run, or may have run without a result, in the messages at some positions.

    Complexity: linear in the stubs; where there are such calls, in the conversation.
    """
    past, (assistant, _), _ = parts_of(conversation)
    turns = {turn for turn, _ in settled_stubs(past)} | ({len(past)} if count_of_calls(assistant) else set())
    if not any(omitted(2 * turn - 1) for turn in turns):
        return Calls()
    return Calls(each for each in find_calls(conversation).unsettled() if omitted(each.position))


def _missed(unsettled: Calls, index: int) -> list[Repair]:
    """Name the calls that are omitted before their outcome is known."""
    if not unsettled:
        return []
    calls = tuple(with_meta(each.call, key=each.key) for each in unsettled)
    detail = ", ".join(map(in_words, calls))
    return [Repair(code=RepairCode.UNSETTLED_CALL_OMITTED, index=index, removed=calls, detail=detail)]


def _from(
    conversation: Conversation,
    position: int,
    leading: tuple[Block, ...],
    pin: Pin,
    *,
    added: Sequence[Repair] = (),
    since: int | None = None,
) -> Kept:
    """Go on from a position, with other blocks before it; settled turns after the cut are kept as they are."""
    past, (assistant, user), context = parts_of(conversation)
    first = message_at(conversation, position) if position < length_of(conversation) else None
    inside = first is not None and first.role == "assistant"
    # From here on, the cut is in the user message of the open turn, or after it.
    newest = messages_in(past) + (assistant is not None)
    if first is not None and not inside:
        leading = (*leading, *content_behind(first))
    if not inside and position >= newest:
        assistant = user = None
    tail = _Tail(past[position // 2 + 1 :], assistant, user, leading)
    invalidated = _invalidate(tail, conversation, position, since)
    results = len(first.ids) if first is not None and not inside else 0
    repairs = [
        evolve(each, index=each.index - position + inside)
        for each in context.repairs
        if each.index >= position + bool(results)
    ]
    dropped = context.lineage.dropped + position // 2
    context = evolve(context, lineage=context.lineage._replace(dropped=dropped))
    unsettled = _unsettled_in(conversation, lambda at: at < position)
    missed = _missed(unsettled, 0)
    added = [*missed, *added]
    sources = [message_at(conversation, place) for place in pinned_places(conversation, position, pin)]
    leads = _as_they_came(tail.leading, [*sources, *([first] if first is not None else [])])
    goes_on = folded(context, leads, repairs, added).finish(allowed=len(missed))
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
        unsettled=unsettled,
    )
    return goes_on, omitted


def _as_they_came(leading: tuple[Block, ...], sources: Sequence[Message]) -> list[Message]:
    """Return what leads as messages, each with the metadata that came with it."""
    if not any(message.arrivals for message in sources):
        return [make_message("user", leading)]
    origins = {id(block): message for message in sources for block in message.content}
    runs = [tuple(run) for _, run in groupby(leading, lambda block: id(origins.get(id(block))))]
    return [part_of(origins[id(run[0])], run) if id(run[0]) in origins else make_message("user", run) for run in runs]


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
        # The first kept turn is the one whose assistant message is at the position, or right after it.
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


@final
class _Trimming:
    """Results that are shortened, and where they are."""

    def __init__(self, content: Callable[[int, ToolResultBlock], tuple[Block, ...]], count: int) -> None:
        self.positions: list[int] = []
        self.results = 0
        self._content = content  # returns what replaces their content
        self._left = count  # how many are looked at

    def message(self, position: int, message: Message) -> Message:
        """Return a message with shorter results; the same message when there is nothing to shorten."""
        content = tuple(self._block(position, block) for block in message.content)
        return with_content(message, content) if position in self.positions[-1:] else message

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
        if not isinstance(block, ToolResultBlock) or block.is_stub or not self._left:
            return block
        self._left -= 1
        content = self._content(position, block)
        # That a person edited the arguments is not part of what the tool returned.
        note = tuple(each for each in block.content[-1:] if each.mark is not None and each.mark.kind == "edited")
        if _size(block.content) <= _size(content) + _size(note):
            return block
        self.results += 1
        if position not in self.positions[-1:]:
            self.positions.append(position)
        return evolve(block, content=(*content, *note))


def _size(content: tuple[Block, ...]) -> int:
    return sum(len(block.text) if isinstance(block, TextBlock) else len(json_of_block(block)) for block in content)
