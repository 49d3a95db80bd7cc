"""OpenAssistant's trees of messages: the conversation that its readers ranked first at each step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    DATA_SET,
    NOTHING_JUDGED,
    Conversations,
    Format,
    item_fit,
    objects_in,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document, Reading

_LAST: Final = 1_000_000


def _is_tree(item: Mapping[str, Any]) -> bool:
    root = item.get("prompt")
    return "message_tree_id" in item and isinstance(root, dict) and isinstance(root.get("text"), str)


def _rank(message: Mapping[str, Any]) -> int:
    rank = message.get("rank")
    return rank if isinstance(rank, int) else _LAST


def _read(document: Document) -> Reading:
    found = Conversations()
    for n, item in document.numbered_items:
        collector = found.collector()
        if not isinstance(item, dict) or not _is_tree(item):
            collector.note(n, "an item that is no tree of messages", item)
            continue
        message = item["prompt"]
        while message is not None:
            role = "assistant" if message.get("role") == "assistant" else "user"
            collector.add_blocks(n, role, text(message.get("text")))
            replies = [each for each in objects_in(message.get("replies")) if not each.get("deleted")]
            collector.omit("replies that were ranked lower", max(len(replies) - 1, 0))
            message = min(replies, key=_rank) if replies else None
        found.add(collector.conversation(BLOCKS, label=f"item {n}" if found else "", id=item["message_tree_id"]))
    return found.reading()


OASST: Final = Format(
    name="oasst",
    rank=1010,
    title="OpenAssistant's trees (OASST1, OASST2)",
    files="data sets: a tree in each line",
    omits="replies that were ranked lower, which are counted; labels",
    unwritten=DATA_SET,
    source="LAION-AI/Open-Assistant: oasst-data/oasst_data/schemas.py",
    checked="2026-11-23",
    fit=item_fit(_is_tree),
    read=_read,
    judged=NOTHING_JUDGED,
    by_line=True,
)
