"""The logs of Toychat: who spoke in each line, with what the bot ran and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    EXPORTED,
    Collector,
    Format,
    Reading,
    call,
    objects_in,
    result,
    row_fit,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document


def _is_row(row: Mapping[str, Any]) -> bool:
    return row.get("who") in ("human", "bot", "tool") and ("words" in row or "gave" in row)


def _read(document: Document) -> Reading:
    collector = Collector()
    for number, row in document.rows():
        who = row.get("who")
        if who == "human":
            collector.add_blocks(number, "user", text(row.get("words")))
        elif who == "bot":
            ran = [call(each.get("id"), each.get("tool"), each.get("args")) for each in objects_in(row.get("ran"))]
            collector.add_blocks(number, "assistant", [*text(row.get("words")), *ran])
        elif who == "tool":
            collector.add_blocks(number, "user", [result(row.get("for"), row.get("gave"), is_error=row.get("failed"))])
        elif who == "app":
            collector.omit("events of the app")
        else:
            collector.note(number, "a row of nobody who is known", row)
    return collector.reading(BLOCKS)


TOYCHAT: Final = Format(
    name="toychat",
    title="Toychat logs",
    files="~/.toychat/*.jsonl",
    omits="events of the app",
    unwritten=EXPORTED,
    source="none: a toy",
    checked="2026-11-23",
    fit=row_fit(_is_row),
    read=_read,
)
