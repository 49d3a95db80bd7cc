"""The chats of Qwen Code: a tree of records with Gemini's contents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.dialects import Gemini
from message_history.formats.kit import Collector, Format, Reading, row_fit
from message_history.formats.kit.linked_rows import path_to_newest
from message_history.formats.kit.message_rows import RowForm

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.core.messages.message import Role
    from message_history.formats.kit import Document
    from message_history.formats.kit.message_rows import Items
    from message_history.formats.kit.splicing import Line

_SENT: Final = ("user", "assistant", "tool_result")


def _is_row(row: Mapping[str, Any]) -> bool:
    return "uuid" in row and "sessionId" in row and row.get("type") in (*_SENT, "system")


def _is_marked(row: Mapping[str, Any]) -> bool:
    message = row.get("message")
    return _is_row(row) and isinstance(message, dict) and "parts" in message


def _read(document: Document) -> Reading:
    rows = list(document.rows())
    collector = Collector()
    path = path_to_newest(rows, "uuid", "parentUuid")
    on_path = {number for number, _ in path}
    collector.omit(
        "records on another branch", sum(n not in on_path and row["type"] in _SENT for n, row in _typed(rows))
    )
    for number, row in path:
        content = row.get("message")
        if row.get("type") in _SENT and isinstance(content, dict) and isinstance(content.get("parts"), list):
            role = "model" if content.get("role") == "model" else "user"
            collector.add_blocks(number, role, content["parts"], "parts")
            if role == "model":
                collector.reply({key: row.get(key) for key in ("model", "usageMetadata")}, "gemini")
        elif row.get("type") == "system":
            _take_system(collector, number, row)
        elif row.get("type") in _SENT:
            collector.omit("records without a message")
        else:
            collector.note(number, f"a record of the unknown type {row.get('type')!r}", row)
    first = rows[0][1] if rows else {}
    title = next((_title(row) for _, row in reversed(rows) if row.get("subtype") == "custom_title"), None)
    return collector.reading(Gemini(), id=first.get("sessionId"), title=title)


def _typed(rows: list[tuple[int, dict[str, Any]]]) -> list[tuple[int, dict[str, Any]]]:
    return [(number, row) for number, row in rows if isinstance(row.get("type"), str)]


def _title(row: Mapping[str, Any]) -> object:
    payload = row.get("systemPayload")
    return payload.get("customTitle") if isinstance(payload, dict) else None


def _take_system(collector: Collector, number: int, row: Mapping[str, Any]) -> None:
    """Take what the program noted; after a compression the conversation is what that kept."""
    payload = row.get("systemPayload")
    kept = payload.get("compressedHistory") if isinstance(payload, dict) else None
    if row.get("subtype") != "chat_compression" or not isinstance(kept, list):
        collector.omit(f"system records: {row.get('subtype') or 'other'}")
        return
    collector.omit("compressed messages", len(collector.entries))
    collector.clear()
    for content in kept:
        if isinstance(content, dict):
            collector.add(number, {**content, "parts": list(content.get("parts") or [])})
        else:
            collector.note(number, "a compressed entry that is not content", content)


def _path(lines: Sequence[Line]) -> list[int]:
    """Return the positions of the rows that are sent, after the newest compression."""
    rows = [(n, line.value) for n, line in enumerate(lines) if line.value is not None]
    path: list[int] = []
    for n, row in path_to_newest(rows, "uuid", "parentUuid"):
        path = [] if row.get("subtype") == "chat_compression" else [*path, n]
    return path


def _items(row: Mapping[str, Any]) -> Items:
    content = row.get("message")
    parts = content.get("parts") if isinstance(content, dict) and row.get("type") in _SENT else None
    role: Role = "assistant" if isinstance(content, dict) and content.get("role") == "model" else "user"
    return role, parts if isinstance(parts, list) else []


def _make(role: Role, items: list[Any], like: Mapping[str, Any]) -> list[dict[str, Any]]:
    envelope = {key: like[key] for key in _ENVELOPE if key in like}
    kind = "tool_result" if any("functionResponse" in item for item in items) else role
    message = {"role": "model" if role == "assistant" else role, "parts": items}
    return [{**envelope, "type": kind, "message": message}]


_DIALECT: Final = Gemini()
_ENVELOPE: Final = ("uuid", "parentUuid", "sessionId", "timestamp", "cwd", "version", "gitBranch")
_FORM: Final = RowForm(
    dialect=_DIALECT,
    content="parts",
    path=_path,
    items=_items,
    inside="message",
    make=_make,
    id_key="uuid",
    parent_key="parentUuid",
)


QWEN_CODE: Final = Format(
    name="qwen-code",
    rank=60,
    title="Qwen Code chats",
    files="~/.qwen/projects/*/chats/*.jsonl",
    omits="telemetry, slash commands and other records of type system, other branches, compressed messages",
    source="QwenLM/qwen-code: packages/core/src/services/chatRecordingService.ts, sessionService.ts",
    checked="2026-11-22",
    fit=row_fit(_is_row, _is_marked),
    read=_read,
    repair=_FORM.repair,
    judged=frozenset({"GM-G07", "GM-G08"}),
)
