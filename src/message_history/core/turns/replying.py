"""Rule 16: where a reply goes: after what it answers, and nowhere if it is there already."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from attrs import evolve

from message_history.core.messages.blocks import RedactedThinkingBlock, TextBlock, ThinkingBlock, ToolUseBlock
from message_history.core.messages.message import part_of, with_replies
from message_history.core.turns.conversation import (
    branched,
    context_of,
    length_of,
    make_conversation,
    open_turn_of,
    parts_of,
)
from message_history.core.turns.drafts import call_key
from message_history.core.turns.growth import Added, added_since
from message_history.core.turns.ingest import Ingest, add_parsed
from message_history.core.turns.rewrites import with_system
from message_history.core.turns.rules import behind_change, is_piece, may_be_again
from message_history.core.turns.stubs import standing_stubs

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.core.messages.parsed import Parsed
    from message_history.core.messages.replies import ReplyInfo
    from message_history.core.turns.conversation import Context, Conversation


def add_reply(conversation: Conversation, parsed: Parsed, as_sent: Callable[[], Conversation]) -> Conversation:
    """Add a reply to what is sent of a conversation, which `as_sent` returns.

    The cost is linear in the reply and in the open turn.
    """
    past, (assistant, user), context = parts_of(conversation)
    if assistant is None:
        return add_parsed(conversation, parsed)
    info, known = _info_of(parsed), assistant.replies
    has_id = info is not None and info.id is not None
    # Without an id all that the provider says must be the same; and an answer to other text, or to stubs that somebody
    # has closed the turn with, may well say what the one before said.
    is_alike = has_id or ((info is None or info in known) and not standing_stubs(conversation))
    is_certain = has_id or user is None or any(message.calls for message in parsed.messages)
    if may_be_again(known, info) and is_alike and is_certain:
        before = make_conversation(past.first(len(past) - 1), past[-1], context)
        again = _Reply(before, conversation, parsed).again(may_grow=has_id)
        if again is not None:
            return again
    sent = conversation if user is not None or is_piece(known, info) else as_sent()
    return add_parsed(conversation, parsed) if sent is conversation else add_reply_to(sent, conversation, parsed)


def add_reply_to(sent: Conversation, conversation: Conversation, parsed: Parsed) -> Conversation:
    """Add a reply after the version that was sent, and after that what was added since.

    Another reply to that version stays before this one, in the same message. A reply in which the assistant says
    nothing goes after all of it: then what was sent may still change, and what was replied to may not. Raises
    `ValueError` when the conversation did not grow from that version.
    """
    system = context_of(conversation).system
    if context_of(sent).system != system:
        sent, parsed = with_system(sent, system), _behind_change(parsed)
    reply = _Reply(sent, conversation, parsed)
    if not reply.is_answer:
        return add_parsed(conversation, parsed)
    known = reply.there.replies if reply.there is not None else ()
    again = reply.again(may_grow=True) if may_be_again(known, _info_of(parsed)) else None
    return again if again is not None else reply.added()


@final
class _Reply:
    """A reply that arrives, next to what was added since the version that it answers."""

    def __init__(self, sent: Conversation, conversation: Conversation, parsed: Parsed) -> None:
        added = added_since(sent, conversation)
        if added is None:
            raise ValueError(
                "`sent` is not an earlier version of this history; if you cut it since, pass the cut version"
            )
        self._sent, self._conversation, self._parsed = sent, conversation, parsed
        self._info = _info_of(parsed)
        self._has_id = self._info is not None and self._info.id is not None
        self._steps, self._context = added
        self.there = _first_reply(added)
        if self.there is None and any(message.role == "assistant" and message.ids for message, _ in added.steps):
            # The reply's calls may be in the places of these.
            self._context = evolve(self._context, lineage=context_of(branched(sent)).lineage)
        """What the assistant said in the meantime, right after that version."""
        self._alone = Ingest(self._context, sent)
        self._alone.add_reply(parsed)
        self.is_answer = self._alone.replied(sent)

    def added(self) -> Conversation:
        """Return the conversation with the reply, after those to the same version and before what followed."""
        if self.there is None:
            return self._followed(self._alone, 0)
        ingest = Ingest(self._context, self._sent)
        ingest.add(self.there, None, keep_thinking=True)
        ingest.add_reply(_behind_change(self._parsed))
        return self._followed(ingest, 1)

    def again(self, *, may_grow: bool) -> Conversation | None:
        """Return the conversation if the reply is in it, or the beginning of it; None if it is a new one."""
        alone = added_since(self._sent, self._alone.current)
        message = _first_reply(alone) if alone is not None and len(alone.steps) == 1 else None
        if self.there is None or message is None:
            return None
        there, blocks = self.there.content, message.content
        is_there = set(map(_essence, blocks)) <= set(map(_essence, there))
        if is_there and (self._info is None or self._info in self.there.replies):
            return self._conversation
        named = [reply for reply in self.there.replies if self._is_of(reply)]
        may_grow = is_there or (may_grow and not any(reply.has_ended for reply in named))
        run = _beginning_of(blocks, there, is_named=self._has_id and bool(named)) if may_grow else None
        if run is None:
            return self._conversation if is_there else None
        return self._grown(self.there, *run)

    def _grown(self, there: Message, start: int, end: int) -> Conversation:
        """Return the conversation with the reply in the place of its beginning."""
        others = tuple(reply for reply in there.replies if not self._is_of(reply))
        whole = end - start == len(there.content)
        ingest = Ingest(self._without_repairs_of_beginning() if whole else self._context, self._sent)
        for piece in (there.content[:start], None, there.content[end:]):
            if piece is None:
                ingest.add_reply(_behind_change(self._parsed) if start else self._parsed)
            elif piece:
                ingest.add(with_replies(part_of(there, piece), others), None, keep_thinking=True)
                others = ()
        return self._followed(ingest, 1)

    def _followed(self, ingest: Ingest, first: int) -> Conversation:
        for message, call in self._steps[first:]:
            ingest.add(behind_change(message), None, keep_thinking=True, answers=call)
        return ingest.finish(is_final=not self._parsed.is_unfinished)

    def _is_of(self, reply: ReplyInfo) -> bool:
        return self._info is not None and reply.id == self._info.id

    def _without_repairs_of_beginning(self) -> Context:
        """Return the context without the repairs of the reply's beginning: they are made again if they are needed."""
        position = length_of(self._sent) - (open_turn_of(self._sent)[1] is None)
        repairs = self._context.repairs
        first = len(repairs)
        while first and repairs[first - 1].index >= position:
            first -= 1
        kept = (repair for repair in repairs[first:] if repair.index != position)
        return evolve(self._context, repairs=repairs.first(first).extend(kept))


def _info_of(parsed: Parsed) -> ReplyInfo | None:
    return next((message.replies[-1] for message in reversed(parsed.messages) if message.replies), None)


def _behind_change(parsed: Parsed) -> Parsed:
    return evolve(parsed, messages=list(map(behind_change, parsed.messages)))


def _first_reply(added: Added) -> Message | None:
    """Return what was added first, if the assistant said it."""
    message = added.steps[0][0] if added.steps else None
    return message if message is not None and message.role == "assistant" else None


def _beginning_of(blocks: Sequence[Block], there: Sequence[Block], *, is_named: bool) -> tuple[int, int] | None:
    """Return where a reply begins in a message: at its end, or if it is named, after text that was added since."""
    for start in range(len(there)):
        end, at = start, 0
        while end < len(there):
            at = next((n for n in range(at, len(blocks)) if _begins(there[end], blocks[n])), len(blocks)) + 1
            if at > len(blocks):
                break
            end += 1
        if end > start and (is_named or end == len(there)):
            return start, end
    return None


def has_begun(was: Message, now: Message) -> bool:
    """Return whether a message of the assistant is the beginning of another, as of a reply that is streamed."""
    return was.role == now.role == "assistant" and _beginning_of(now.content, was.content, is_named=False) == (
        0,
        len(was.content),
    )


def _begins(was: Block, now: Block) -> bool:
    """Return whether a block is another's beginning, or all of it."""
    if isinstance(was, TextBlock) and isinstance(now, TextBlock):
        return now.text.startswith(was.text)
    if isinstance(was, ThinkingBlock) and isinstance(now, ThinkingBlock):
        return now.thinking.startswith(was.thinking) and was.signature in (None, now.signature)
    return _essence(was) == _essence(now)


def _essence(block: Block) -> Hashable:
    """Return what makes a block of a reply the same block."""
    if isinstance(block, ToolUseBlock):
        return call_key(block)
    if isinstance(block, ThinkingBlock | RedactedThinkingBlock):
        return evolve(block, bound=True, meta=None)
    return evolve(block, meta=None)
