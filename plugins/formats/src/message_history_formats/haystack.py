"""The messages of Haystack 2, as `ChatMessage.to_dict` writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    STATE,
    Collector,
    Fit,
    Format,
    Reading,
    blocks_of,
    call,
    first_of,
    fit_items,
    image,
    result,
    text,
    thinking,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document

_PARTS: Final = frozenset({"text", "tool_call", "tool_call_result", "reasoning", "image", "file"})


def _is_message(item: Any) -> bool:
    if not isinstance(item, dict) or first_of(item, "role", "_role") is None:
        return False
    content = first_of(item, "content", "_content")
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    return bool(parts) and all("type" not in part and part.keys() & _PARTS for part in parts) and _has_meta(item)


def _has_meta(item: Mapping[str, Any]) -> bool:
    return "meta" in item or "_meta" in item


def _messages(document: Document) -> list[tuple[int, Any]]:
    found = document.object.get("messages")
    return list(enumerate(found)) if isinstance(found, list) else document.numbered_items


def _fit(document: Document) -> Fit:
    return fit_items([item for _, item in _messages(document)[:60] if isinstance(item, dict)], _is_message)


def _read(document: Document) -> Reading:
    collector = Collector()
    for n, message in _messages(document):
        if not _is_message(message):
            collector.note(n, "an entry that is not a message", message)
            continue
        role = first_of(message, "role", "_role")
        blocks = [block for part in first_of(message, "content", "_content") for block in _block(part)]
        if role == "system":
            collector.add(n, {"role": "system", "content": blocks})
        else:
            collector.add_blocks(n, "assistant" if role == "assistant" else "user", blocks)
    return collector.reading(BLOCKS)


def _block(part: Any) -> list[Any]:
    if not isinstance(part, dict):
        return blocks_of(part)
    if "tool_call" in part:
        made = part["tool_call"]
        return [call(made.get("id"), made.get("tool_name"), made.get("arguments"))]
    if "tool_call_result" in part:
        found = part["tool_call_result"]
        inner = found.get("result")
        content = [block for each in inner for block in _block(each)] if isinstance(inner, list) else inner
        return [result((found.get("origin") or {}).get("id"), content, is_error=found.get("error"))]
    if "reasoning" in part:
        inner = part["reasoning"]
        return thinking(inner.get("reasoning_text") if isinstance(inner, dict) else inner)
    if "image" in part:
        inner = part["image"]
        return [image(f"data:{inner.get('mime_type') or 'image/png'};base64,{inner.get('base64_image')}")]
    return text(part["text"]) if "text" in part else [{"type": "file", **part}]


HAYSTACK: Final = Format(
    name="haystack",
    rank=480,
    title="Haystack chat messages",
    files="what `ChatMessage.to_dict()` writes, in whatever place an application keeps it",
    omits="meta data",
    unwritten=STATE,
    source="deepset-ai/haystack: haystack/dataclasses/chat_message.py (3.4.0)",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
)
