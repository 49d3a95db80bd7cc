"""Factory's droid: its session files, and the lines that `droid exec --output-format stream-json` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import BLOCKS, PRINTED, Collector, Fit, Format, Reading, call, fit_items, result, text
from message_history.formats.kit.message_rows import RowForm

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.core.messages.message import Role
    from message_history.formats.kit import Document
    from message_history.formats.kit.message_rows import Items

_STATE: Final = frozenset({"todo_state", "session_end", "compaction_state", "session_settings"})


def _fit(document: Document) -> Fit:
    return fit_items(
        document.first_rows,
        lambda row: row.get("type") in ("session_start", *_STATE) or isinstance(row.get("message"), dict),
        lambda row: row.get("type") == "session_start",
    )


def _read(document: Document) -> Reading:
    collector = Collector()
    about: Mapping[str, Any] = {}
    for number, row in document.rows():
        message = row.get("message")
        if row.get("type") == "session_start":
            about = row
        elif row.get("type") == "message" and isinstance(message, dict):
            content = message.get("content")
            blocks = text(content) if isinstance(content, str) else content
            if isinstance(blocks, list):
                collector.add_blocks(number, str(message.get("role")), blocks)
            else:
                collector.note(number, "a message without content", row)
        elif row.get("type") in _STATE:
            collector.omit(str(row["type"]))
        else:
            collector.note(number, f"a row of the unknown type {row.get('type')!r}", row)
    return collector.reading(BLOCKS, id=about.get("id"), title=about.get("sessionTitle") or about.get("title"))


def _items(row: Mapping[str, Any]) -> Items:
    message = row.get("message")
    if row.get("type") != "message" or not isinstance(message, dict):
        return "user", []
    content = message.get("content")
    items = [{"type": "text", "text": content}] if isinstance(content, str) else list(content or [])
    return "assistant" if message.get("role") == "assistant" else "user", items


def _make(role: Role, items: list[Any], like: Mapping[str, Any]) -> list[dict[str, Any]]:
    envelope = {key: like[key] for key in ("id", "parentId", "timestamp") if key in like}
    return [{"type": "message", **envelope, "message": {"role": role, "content": items}}]


_FORM: Final = RowForm(
    inside="message",
    items=_items,
    make=_make,
    id_key="id",
    parent_key="parentId",
)


DROID: Final = Format(
    name="droid",
    rank=90,
    title="Factory droid sessions",
    files="~/.factory/sessions/*/*.jsonl",
    omits="the header and state of to-do lists",
    source="files of version 0.81, and jazzyalex/agent-sessions: DroidSessionParser.swift (no public source)",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    repair=_FORM.repair,
)

_EVENTS: Final = ("system", "message", "tool_call", "tool_result", "completion", "error")


def _is_event(row: Mapping[str, Any]) -> bool:
    return row.get("type") in _EVENTS and bool(row.keys() & {"session_id", "sessionId"})


def _fit_stream(document: Document) -> Fit:
    return fit_items(
        document.first_rows, _is_event, lambda row: _is_event(row) and ("toolCallId" in row or "finalText" in row)
    )


def _read_stream(document: Document) -> Reading:
    collector = Collector()
    id: object = None
    for number, row in document.rows():
        kind, id = row.get("type"), row.get("session_id") or row.get("sessionId") or id
        if kind == "message":
            collector.add_blocks(number, str(row.get("role")), text(row.get("text")))
        elif kind == "tool_call":
            made = call(row.get("toolCallId") or row.get("id"), row.get("toolName"), row.get("parameters"))
            collector.add_blocks(number, "assistant", [made])
        elif kind == "tool_result":
            error = row.get("isError") is True
            made = result(row.get("toolCallId") or row.get("id"), row.get("value"), is_error=error)
            collector.add_blocks(number, "user", [made])
        elif kind == "completion":
            _add_final(collector, number, row)
        elif kind in ("system", "error"):
            collector.omit(f"{kind} events")
        else:
            collector.note(number, f"an event of the unknown type {kind!r}", row)
    return collector.reading(BLOCKS, id=id)


def _add_final(collector: Collector, number: int, row: Mapping[str, Any]) -> None:
    """Add the final text, unless it repeats the last message."""
    blocks = text(row.get("finalText"))
    last = collector.entries[-1] if collector.entries else {"content": [], "role": ""}
    if last["role"] == "assistant" and last["content"][-1:] == blocks:
        collector.omit("a completion that repeats the last message")
    else:
        collector.add_blocks(number, "assistant", blocks)


DROID_STREAM: Final = Format(
    name="droid-stream",
    rank=100,
    title="Factory droid: printed events (stream-json)",
    files="the output of `droid exec --output-format stream-json`",
    omits="system and error events",
    unwritten=PRINTED,
    source="jazzyalex/agent-sessions: DroidSessionParser.swift (no public source)",
    checked="2026-11-22",
    fit=_fit_stream,
    read=_read_stream,
)
