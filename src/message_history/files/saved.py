"""What a session keeps besides its messages, which are in the saved form, as JSON, and how much of a history is new."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from attrs import evolve

from message_history.core.messages.block_base import Block
from message_history.core.messages.blocks import RedactedThinkingBlock, ThinkingBlock
from message_history.core.messages.message import is_plain, kept_keys
from message_history.core.messages.plain import meta_of_keys
from message_history.core.turns.conversation import messages_in, parts_of
from message_history.core.turns.replying import has_begun
from message_history.core.turns.rules import behind_change
from message_history.core.turns.stubs import standing_stubs
from message_history.history import conversation_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history.core.messages.message import Message
    from message_history.core.messages.repairs import Repair
    from message_history.core.turns.past import Turn
    from message_history.core.values.log import Log
    from message_history.history import MessageHistory


class Growth(NamedTuple):
    """What of a history is not saved yet."""

    message: int  # the position of the first message that is new, or another than the one that is saved
    repair: int  # the number of the first repair that is new


def growth(saved: MessageHistory, history: MessageHistory) -> Growth | None:
    """Find what is not saved yet, the last message again if it grew; None for a history that does not go on from it."""
    before, now = conversation_of(saved), conversation_of(history)
    past, _, context = parts_of(before)
    new_past, _, new_context = parts_of(now)
    is_longer = (
        context.system == new_context.system
        and context.lineage == new_context.lineage
        and new_past.starts_with(past)
        and context.lineage == new_context.lineage
        and _has_same_replies(past, new_past)
        and new_context.repairs.starts_with(context.repairs)
        and len(history) >= len(saved)
    )
    if not is_longer:
        return None
    first = next((n for n in range(messages_in(past), len(saved)) if not is_same(history[n], saved[n])), len(saved))
    new = new_context.repairs[len(context.repairs) :]
    if first < len(saved) - 1 or (first < len(saved) and not _has_grown(saved, history, len(saved), new)):
        return None
    if first == len(history) and standing_stubs(before) != standing_stubs(now):
        first -= 1
    return Growth(first, len(context.repairs))


def is_same(left: Message, right: Message) -> bool:
    return left is right or (left == right and _beside(left) == _beside(right))


def _beside(message: Message) -> tuple[object, ...]:
    # To ask a plain message for its blocks would make them.
    metas = map(meta_of_keys, kept_keys(message)) if is_plain(message) else [block.meta for block in message.content]
    keys = [(meta.key, meta.mark.key if meta.mark is not None else "") for meta in metas if meta is not None]
    return message.replies, message.arrivals, [pair for pair in keys if any(pair)]


def _has_same_replies(past: Log[Turn], new_past: Log[Turn]) -> bool:
    """Return whether a provider has said nothing more of the replies in settled turns."""
    chunks = zip(past.chunks(), new_past.chunks(), strict=False)
    return all(
        was is now or [each and _beside(each) for each in was] == [each and _beside(each) for each in now]
        for (saved, count), (held, _) in chunks
        if saved is not held
        for was, now in zip(saved.items[:count], held.items, strict=False)
    )


def goes_on(saved: MessageHistory, history: MessageHistory) -> bool:
    """Return whether a history has all the messages that are saved, but for the last, which may have grown.

    A part of that may be further back now, after a reply to what was sent before. Thinking may be invalidated
    meanwhile, as by another system prompt.
    """
    pairs = zip(saved[:-1], history, strict=False)
    # A reply that has not ended may have grown, though a state of its calls is saved already.
    open_one = len(saved) - 2
    return (
        len(history) >= len(saved)
        and all(
            was == now or behind_change(was) == behind_change(now) or (n == open_one and has_begun(was, now))
            for n, (was, now) in enumerate(pairs)
        )
        and (not saved or _has_grown(saved, history, len(history), history.repairs))
    )


def _has_grown(saved: MessageHistory, history: MessageHistory, end: int, repairs: Iterable[Repair]) -> bool:
    """Return whether all of the last saved message is there up to `end`, but for what was made or is in a repair."""
    was, now = saved[-1], history[len(saved) - 1]
    if was.role != now.role:
        return False
    if was.content == now.content[: len(was.content)] or has_begun(was, now):
        return True
    kept = {_alike(block) for message in history[len(saved) - 1 : end] for block in message.content}
    missing = [block for block in was.content if not _is_made(block) and _alike(block) not in kept]
    if not missing:
        return True
    inside = (repair for repair in repairs if repair.index < end)
    removed = {_alike(block) for repair in inside for block in repair.removed if isinstance(block, Block)}
    return all(_alike(block) in removed for block in missing)


def _alike(block: Block) -> Block:
    """Return a block without what may change on it: what travels with it, and whether its prefix is what it was."""
    if isinstance(block, ThinkingBlock | RedactedThinkingBlock):
        return evolve(block, bound=True, meta=None)
    return evolve(block, meta=None)


def _is_made(block: Block) -> bool:
    """Return whether this library made a block, which may give way."""
    return block.mark is not None and block.mark.kind in ("stub", "bootstrap", "continuation")


def standing(history: MessageHistory) -> list[Repair]:
    """Return the repairs of a history that a result may still undo: the stubs that closing it has made."""
    return standing_stubs(conversation_of(history))
