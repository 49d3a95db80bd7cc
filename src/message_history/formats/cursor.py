"""The transcripts of Cursor's agent: messages of the Messages API's form, whose calls have no ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit.base import NOTHING_JUDGED, Collector, Fit, Format, Reading, fit_items
from message_history.formats.kit.raw_blocks import BLOCKS, text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.formats.kit.document import Document

_CALLS: Final = ("tool_use", "tool-use", "tool_call", "tool-call")
_RESULTS: Final = ("tool_result", "tool-result")


def _is_row(row: Mapping[str, Any]) -> bool:
    message = row.get("message")
    has_content = isinstance(message, dict) and "content" in message and "role" not in message
    return has_content and isinstance(row.get("role"), str) and "type" not in row


def _fit(document: Document) -> Fit:
    return fit_items(document.first_rows, lambda row: _is_row(row) or row.get("type") == "turn_ended", _is_row)


def _read(document: Document) -> Reading:
    collector = Collector()
    open_calls: list[dict[str, Any]] = []
    for number, row in document.rows():
        if row.get("type") == "turn_ended":
            collector.omit("ends of turns")
        elif _is_row(row):
            content = row["message"]["content"]
            blocks = text(content) if isinstance(content, str) else list(content or [])
            role = "user" if row["role"] in ("user", "human") else "assistant" if row["role"] != "system" else "system"
            named = _named(blocks, number, open_calls)
            collector.add_blocks(number, role, named)
        else:
            collector.note(number, "a row that is not a message", row)
    return collector.reading(BLOCKS)


def _named(blocks: Sequence[Any], number: int, open_calls: list[dict[str, Any]]) -> list[Any]:
    """Give calls without ids their results' ids, in order; a call without a result keeps one from its position."""
    made: list[Any] = []
    results = [block for block in blocks if isinstance(block, dict) and block.get("type") in _RESULTS]
    for block in blocks:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind in _CALLS:
            call = {**block, "type": "tool_use", "id": block.get("id") or f"line_{number}_{len(made)}"}
            if "id" not in block:
                open_calls.append(call)
            made.append(call)
        elif kind in _RESULTS:
            made.append({**block, "type": "tool_result"})
        else:
            made.append(block)
    if results:
        answers = [block for block in made if isinstance(block, dict) and block.get("type") == "tool_result"]
        for call, answer in zip(open_calls, answers, strict=False):
            if isinstance(answer.get("tool_use_id"), str):
                call["id"] = answer["tool_use_id"]
            else:
                answer["tool_use_id"] = call["id"]
        open_calls.clear()
    return made


CURSOR: Final = Format(
    name="cursor",
    rank=70,
    title="Cursor agent transcripts",
    files="~/.cursor/projects/*/agent-transcripts/**/*.jsonl",
    omits="ends of turns; Cursor writes no ids of calls, and mostly no results",
    unwritten="Cursor goes on from its own database; this is a copy, without ids of calls and mostly without results",
    source="files of 2026, and jazzyalex/agent-sessions: CursorSessionParser.swift (no public source)",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
