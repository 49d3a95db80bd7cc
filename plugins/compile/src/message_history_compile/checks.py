"""What makes a row untrue, found apart from repairing: replies joined across what is gone, and lost masks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history import RepairCode, ToolResultBlock, ToolUseBlock
from message_history.core.messages.block_base import Block
from message_history.core.messages.message import is_plain
from message_history.dialects.registry import read
from message_history_compile.errors import CannotCompileError
from message_history_compile.masks import masks_in, masks_of, metas_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history import Message, MessageHistory, Repair
    from message_history.dialects import Dialect
    from message_history.files.files import SavedFile

_GONE: Final = frozenset(
    {RepairCode.ORPHAN_RESULT_DROPPED, RepairCode.BLANK_TEXT_DROPPED, RepairCode.EMPTY_MESSAGE_DROPPED}
)


def check_joins(
    file: SavedFile, dialect: Dialect[Any] | None, messages: Iterable[Message], repairs: Iterable[Repair]
) -> None:
    """Reject a conversation in which two replies became one that nobody wrote: what stood between them is not there."""
    open_ids = {block.tool_use_id for each in messages for block in _stubs_in(each)}
    removed: dict[int, int] = {}
    for repair in repairs:
        if repair.code in _GONE and repair.source is not None:
            removed[repair.source] = removed.get(repair.source, 0) + len(repair.removed)
    if not removed and not open_ids:
        return
    parsed = read([*file.system_entries(), *file.entries], dialect)
    before: Message | None = None
    gone = False
    for message, source in zip(parsed.messages, parsed.sources, strict=True):
        if message.role == "user" and removed.get(source, 0) >= len(message.content):
            gone = True
            continue
        if before is not None and before.role == message.role == "assistant":
            if gone:
                why = "two replies would become one: what was between them answers no call, or is blank"
                raise CannotCompileError("joined", why)
            if open_ids.intersection(before.ids) and message.text:
                why = "two replies would become one: the result that was between them is missing"
                raise CannotCompileError("joined", why)
        before, gone = message, False


def check_drops(messages: Sequence[Message]) -> None:
    """Reject a conversation in which two replies would become one when calls without a result are dropped."""
    for before, between, after in zip(messages, messages[1:], messages[2:], strict=False):
        if not (before.role == after.role == "assistant") or not _are_stubs(between):
            continue
        ids = {block.tool_use_id for block in between.content if isinstance(block, ToolResultBlock)}
        if any(not isinstance(block, ToolUseBlock) or block.id not in ids for block in before.content):
            why = "a reply goes on from a call whose result is missing, and would be joined to the one before"
            raise CannotCompileError("joined", why)


def is_open_at_the_end(messages: Sequence[Message]) -> bool:
    """Return whether only calls of the last reply have no result: a row ends with that reply, and needs no stub."""
    return not any(map(_stubs_in, messages[:-1]))


def check_masks(entries: Iterable[Any], history: MessageHistory) -> None:
    """Reject a conversation of whose masks some are not found again in its history."""
    there = masks_in(list(entries))
    if there and there > _masks_found(history):
        raise CannotCompileError("mask_lost", f"it has {there} masks, and one is on what could not be read")


def _masks_found(history: MessageHistory) -> int:
    kept = sum(masks_of(metas_of(message)) for message in history)
    gone = (block.meta for repair in history.repairs for block in repair.removed if isinstance(block, Block))
    return kept + masks_of(gone)


def _are_stubs(message: Message) -> bool:
    return len(_stubs_in(message)) == len(message.content)


def _stubs_in(message: Message) -> list[ToolResultBlock]:
    """Return the stubs of a message; a plain content holds none."""
    if is_plain(message):
        return []
    return [block for block in message.content if isinstance(block, ToolResultBlock) and block.is_stub]
