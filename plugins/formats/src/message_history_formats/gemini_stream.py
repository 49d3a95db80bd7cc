"""What `gemini --output-format stream-json` prints: messages in pieces, calls and results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    NOTHING_JUDGED,
    PRINTED,
    Collector,
    Format,
    Reading,
    call,
    json_text,
    result,
    row_fit,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document

_SHOWN: Final = ("init", "error", "result")


def _is_event(row: Mapping[str, Any]) -> bool:
    is_message = row.get("type") == "message" and "role" in row and isinstance(row.get("content"), str)
    return row.get("type") in _SHOWN or is_message or _is_tool(row)


def _is_tool(row: Mapping[str, Any]) -> bool:
    return row.get("type") in ("tool_use", "tool_result") and "tool_id" in row


def _is_marked(row: Mapping[str, Any]) -> bool:
    return _is_tool(row) or (row.get("type") == "init" and {"session_id", "model"} <= row.keys())


def _read(document: Document) -> Reading:
    collector = Collector()
    id: object = None
    for number, row in document.rows():
        kind, id = row.get("type"), row.get("session_id") or id
        if kind == "message" and row.get("delta") is True:
            collector.add_piece(number, str(row.get("role")), row.get("content"))
        elif kind == "message":
            collector.add_blocks(number, str(row.get("role")), text(row.get("content")))
        elif kind == "tool_use":
            made = call(row.get("tool_id"), row.get("tool_name"), row.get("parameters"))
            collector.add_blocks(number, "assistant", [made])
        elif kind == "tool_result":
            made = result(row.get("tool_id"), _output(row), is_error=row.get("status") == "error")
            collector.add_blocks(number, "user", [made])
        elif kind in _SHOWN:
            collector.omit(f"{kind} events")
        else:
            collector.note(number, f"an event of the unknown type {kind!r}", row)
    return collector.reading(BLOCKS, id=id)


def _output(row: Mapping[str, Any]) -> str:
    """Return what a tool gave, and the error where that is not a part of it."""
    output, error = row.get("output"), row.get("error")
    words = output if isinstance(output, str) else json_text(output) if output else ""
    problem = error.get("message") if isinstance(error, dict) else error
    return "\n".join(
        [*filter(None, [words]), *([problem] if isinstance(problem, str) and problem not in words else [])]
    )


GEMINI_STREAM: Final = Format(
    name="gemini-stream",
    rank=140,
    title="Gemini CLI: printed events (stream-json)",
    files="the output of `gemini --output-format stream-json`",
    omits="the start, errors, the end with its figures",
    unwritten=PRINTED,
    source="google-gemini/gemini-cli: packages/core/src/output/types.ts, packages/cli/src/nonInteractiveCli.ts",
    checked="2026-11-22",
    fit=row_fit(_is_event, _is_marked),
    read=_read,
    judged=NOTHING_JUDGED,
)
