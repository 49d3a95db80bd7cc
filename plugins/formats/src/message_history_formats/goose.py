"""Goose: the JSONL sessions of its older versions, and what `goose session export` writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    NOTHING_JUDGED,
    PRINTED,
    Collector,
    Fit,
    Format,
    Reading,
    call,
    fit_items,
    image,
    result,
    row_fit,
    text,
    thinking,
)
from message_history.formats.kit.message_rows import RowForm, dialect_items

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history import Message
    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Role
    from message_history.formats.kit import Document
    from message_history.formats.kit.message_rows import Items

_REQUESTS: Final = ("toolRequest", "frontendToolRequest")
_NOT_SENT: Final = (
    *("toolConfirmationRequest", "contextLengthExceeded", "summarizationRequested", "systemNotification"),
    "actionRequired",
)
_OWN: Final = ("toolRequest", "toolResponse", "frontendToolRequest")
_KINDS: Final = frozenset(
    {"text", "image", "thinking", "redactedThinking", "reasoning", "toolResponse", *_REQUESTS, *_NOT_SENT}
)


def _is_message(row: Mapping[str, Any]) -> bool:
    content = row.get("content")
    kinds = [item.get("type") for item in content if isinstance(item, dict)] if isinstance(content, list) else []
    is_marked = "created" in row or any(kind in _OWN for kind in kinds)
    return row.get("role") in ("user", "assistant") and is_marked and bool(kinds) and _KINDS.issuperset(kinds)


def _is_plain(row: Mapping[str, Any]) -> bool:
    return row.get("role") in ("user", "assistant") and isinstance(row.get("content"), list)


def _is_header(row: Mapping[str, Any]) -> bool:
    return "working_dir" in row and "role" not in row


def _fit(document: Document) -> Fit:
    conversation = document.object.get("conversation")
    if isinstance(conversation, list):
        marked = _is_header(document.object) and all(isinstance(row, dict) and _is_message(row) for row in conversation)
        return Fit.CERTAIN if marked else Fit.NEAR
    items = document.first_items
    return fit_items(items, lambda row: _is_plain(row) or _is_message(row) or _is_header(row), _is_message)


def _read(document: Document) -> Reading:
    collector = Collector()
    conversation = document.object.get("conversation")
    rows = list(enumerate(conversation)) if isinstance(conversation, list) else document.numbered_items
    about = document.object
    for number, row in rows:
        if isinstance(row, dict) and _is_header(row):
            about = row
        else:
            add_message(collector, number, row)
    return collector.reading(BLOCKS, id=about.get("id"), title=about.get("name") or about.get("description"))


def add_message(collector: Collector, place: int, row: Any) -> None:
    if not isinstance(row, dict) or not isinstance(row.get("content"), list):
        collector.note(place, "a row that is not a message", row)
    elif (row.get("metadata") or {}).get("agentVisible") is False:
        collector.omit("messages that the model does not get any more")
    else:
        blocks = [block for item in row["content"] for block in _block(item, collector)]
        collector.add_blocks(place, str(row.get("role")), blocks)


def _block(item: Any, collector: Collector) -> list[Any]:
    kind = item.get("type") if isinstance(item, dict) else None
    if kind == "text":
        return text(item.get("text"))
    if kind == "thinking":
        return thinking(item.get("thinking"), item.get("signature"))
    if kind == "reasoning":
        return thinking(item.get("text"))
    if kind == "redactedThinking":
        return [{"type": "redacted_thinking", "data": item.get("data")}]
    if kind == "image":
        return [image(f"data:{item.get('mimeType')};base64,{item.get('data')}")]
    if kind in _REQUESTS:
        asked = item.get("toolCall") or {}
        value = asked.get("value") or {}
        return [
            call(item.get("id"), value.get("name") or "unreadable_call", value.get("arguments") or asked.get("error"))
        ]
    if kind == "toolResponse":
        return [_result(item)]
    if kind in _NOT_SENT:
        collector.omit(f"{kind} items")
        return []
    return [item]


def _result(item: Mapping[str, Any]) -> dict[str, Any]:
    found = item.get("toolResult") or {}
    value = found.get("value")
    content = value.get("content") if isinstance(value, dict) else value
    failed = found.get("status") == "error" or (isinstance(value, dict) and value.get("isError") is True)
    if not isinstance(content, list):
        return result(item.get("id"), content if content is not None else found.get("error"), is_error=failed)
    blocks = [
        image(f"data:{each.get('mimeType')};base64,{each.get('data')}")
        if isinstance(each, dict) and each.get("type") == "image"
        else {"type": "text", "text": each.get("text")}
        if isinstance(each, dict) and each.get("type") == "text"
        else each
        for each in content
    ]
    return result(item.get("id"), blocks, is_error=failed)


def _items(row: Mapping[str, Any]) -> Items:
    content = row.get("content")
    hidden = (
        _is_header(row) or not isinstance(content, list) or (row.get("metadata") or {}).get("agentVisible") is False
    )
    return "assistant" if row.get("role") == "assistant" else "user", [] if hidden else list(content or [])


def _parse(item: Any) -> list[Any]:
    return _block(item, Collector())


def _write(role: Role, block: Block, before: Message | None) -> list[Any]:
    return [_item(made) for made in dialect_items(BLOCKS, "content", role, block, before)]


def _item(made: Mapping[str, Any]) -> dict[str, Any]:
    if made["type"] == "tool_result":
        return {"type": "toolResponse", "id": made["tool_use_id"], "toolResult": _tool_result(made)}
    if made["type"] == "tool_use":
        asked = {"name": made["name"], "arguments": made["input"]}
        return {"type": "toolRequest", "id": made["id"], "toolCall": {"status": "success", "value": asked}}
    if made["type"] == "image" and made["source"].get("type") == "base64":
        return {"type": "image", "mimeType": made["source"]["media_type"], "data": made["source"]["data"]}
    return dict(made)


def _tool_result(made: Mapping[str, Any]) -> dict[str, Any]:
    content = made["content"]
    if made.get("is_error") is True and isinstance(content, str):
        return {"status": "error", "error": content}
    items = [{"type": "text", "text": content}] if isinstance(content, str) else list(map(_item, content))
    return {"status": "success", "value": items}


def _make(role: Role, items: list[Any], like: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{**{key: like[key] for key in ("created", "metadata") if key in like}, "role": role, "content": items}]


_FORM: Final = RowForm(
    list_key="conversation",
    items=_items,
    parse=_parse,
    write=_write,
    make=_make,
)


GOOSE: Final = Format(
    name="goose",
    rank=300,
    title="Goose sessions and exports",
    files="~/.local/share/goose/sessions/*.jsonl, `goose session export --format json`",
    omits="confirmations, notifications, messages that compaction hid from the model",
    source="block/goose: crates/goose/src/conversation/message.rs, session/legacy.rs",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    repair=_FORM.repair,
)


_SHOWN: Final = ("notification", "error", "complete")


def _is_printed(row: Mapping[str, Any]) -> bool:
    message = row.get("message")
    return row.get("type") == "message" and isinstance(message, dict) and _is_message(message)


def _read_stream(document: Document) -> Reading:
    collector = Collector()
    before: object = None
    for number, row in document.rows():
        kind, message = row.get("type"), row.get("message")
        if kind == "message" and isinstance(message, dict):
            id, content = message.get("id"), message.get("content")
            piece = content[0] if isinstance(content, list) and len(content) == 1 else None
            if id and id == before and isinstance(piece, dict) and piece.get("type") == "text":
                # A reply comes in pieces, all with its id.
                collector.add_piece(number, str(message.get("role")), piece.get("text"))
            else:
                add_message(collector, number, message)
            before = id
        elif kind in _SHOWN:
            collector.omit(f"{kind} events")
        else:
            collector.note(number, f"an event of the unknown type {kind!r}", row)
    return collector.reading(BLOCKS)


GOOSE_STREAM: Final = Format(
    name="goose-stream",
    rank=160,
    title="Goose: printed events (stream-json)",
    files="the output of `goose run --output-format stream-json`",
    omits="notifications, errors, the end",
    unwritten=PRINTED,
    source="block/goose: crates/goose-cli/src/session/mod.rs, crates/goose/src/conversation/mod.rs",
    checked="2026-11-22",
    fit=row_fit(lambda row: _is_printed(row) or row.get("type") in _SHOWN, _is_printed),
    read=_read_stream,
    judged=NOTHING_JUDGED,
)
