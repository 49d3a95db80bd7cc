"""OpenAssistant's trees of messages: the conversation that its readers ranked first at each step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    DATA_SET,
    NOTHING_JUDGED,
    Conversations,
    Document,
    Format,
    item_fit,
    objects_in,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Reading

_LAST: Final = 1_000_000


def _is_tree(item: Mapping[str, Any]) -> bool:
    root = item.get("prompt")
    return "message_tree_id" in item and isinstance(root, dict) and isinstance(root.get("text"), str)


def _rank(message: Mapping[str, Any]) -> int:
    rank = message.get("rank")
    return rank if isinstance(rank, int) else _LAST


def _is_row(item: Mapping[str, Any]) -> bool:
    return {"message_id", "parent_id", "message_tree_id", "text", "role"} <= item.keys()


def _read_rows(document: Document) -> Reading:
    """Read messages of one row each: each names the one that it answers."""
    rows = {item["message_id"]: dict(item) for _, item in document.numbered_items if _is_row(item)}
    for row in rows.values():
        parent = rows.get(row["parent_id"])
        if parent is not None and row["parent_id"]:  # A root answers nothing, so no message is its own ancestor.
            parent.setdefault("replies", []).append(row)
    roots = [
        {"message_tree_id": row["message_tree_id"], "prompt": row} for row in rows.values() if not row["parent_id"]
    ]
    return _read(Document(data=b"", text="", value=roots))


def _read(document: Document) -> Reading:
    found = Conversations()
    for n, item in document.numbered_items:
        collector = found.collector()
        if not isinstance(item, dict) or not _is_tree(item):
            collector.note(n, "an item that is not a tree of messages", item)
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
OASST_ROWS: Final = Format(
    name="oasst-messages",
    rank=1011,
    title="OpenAssistant's messages, a row for each (OASST1, OASST2)",
    files="data sets: a message in each line",
    omits="as of `oasst`, and messages whose tree is not in the file",
    unwritten=DATA_SET,
    source="huggingface.co: OpenAssistant/oasst1",
    checked="2026-11-23",
    fit=item_fit(_is_row),
    read=_read_rows,
    judged=NOTHING_JUDGED,
)
