"""What `opencode run --format json` prints: the parts of the replies as they are completed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import BLOCKS, NOTHING_JUDGED, PRINTED, Collector, Format, Reading, row_fit
from message_history.formats.opencode import add_part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document

_KINDS: Final = ("step_start", "step_finish", "text", "reasoning", "tool_use", "error")


def _is_event(row: Mapping[str, Any]) -> bool:
    has_part = isinstance(row.get("part"), dict) or row.get("type") == "error"
    return row.get("type") in _KINDS and "sessionID" in row and has_part


def _read(document: Document) -> Reading:
    collector = Collector()
    id: object = None
    for number, row in document.rows():
        id = id or row.get("sessionID")
        if row.get("type") == "error":
            collector.omit("error events")
        elif _is_event(row):
            add_part(collector, number, "assistant", row["part"])
        else:
            collector.note(number, f"an event of the unknown type {row.get('type')!r}", row)
    return collector.reading(BLOCKS, id=id)


OPENCODE_STREAM: Final = Format(
    name="opencode-stream",
    rank=170,
    title="opencode: printed events (run --format json)",
    files="the output of `opencode run --format json`, which does not hold what the user asked",
    omits="steps, errors",
    unwritten=PRINTED,
    source="anomalyco/opencode: packages/opencode/src/cli/cmd/run.ts",
    checked="2026-11-22",
    fit=row_fit(_is_event, lambda row: _is_event(row) and "part" in row),
    read=_read,
    judged=NOTHING_JUDGED,
)
