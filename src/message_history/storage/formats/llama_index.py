"""The messages of LlamaIndex, alone or in a chat store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.storage.formats.base import STATE, Fit, Format, fit_items
from message_history.storage.formats.chat_messages import ROLES, blocks_of, calls_of, first_of
from message_history.storage.formats.many_conversations import Conversations
from message_history.storage.formats.raw_blocks import BLOCKS, call, image, result, text, thinking

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.storage.formats.base import Collector, Reading
    from message_history.storage.formats.document import Document

__all__ = ["LLAMA_INDEX"]


def _is_message(item: Any) -> bool:
    return isinstance(item, dict) and "role" in item and isinstance(item.get("additional_kwargs"), dict)


def _is_marked(item: Mapping[str, Any]) -> bool:
    blocks = item.get("blocks")
    return _is_message(item) and (isinstance(blocks, list) or "content" in item)


def _lists(document: Document) -> list[tuple[str, list[tuple[int, Any]]]]:
    store = document.object.get("store", document.object.get("chat_store", {}).get("store"))
    if isinstance(store, dict):
        return [(str(key), list(enumerate(each))) for key, each in store.items() if isinstance(each, list)]
    return [("", document.numbered_items)]


def _fit(document: Document) -> Fit:
    items = [item for _, each in _lists(document) for _, item in each[:60] if isinstance(item, dict)]
    return fit_items(items, _is_message, _is_marked)


def _read(document: Document) -> Reading:
    found = Conversations()
    for n, (key, messages) in enumerate(_lists(document)):
        collector = found.collector()
        for place, message in messages:
            known = ROLES.get(str(message.get("role")).lower()) if _is_message(message) else None
            if known is None:
                collector.note(place, "an entry that is no message", message)
            else:
                _add(collector, place, known, message)
        found.add(collector.conversation(BLOCKS, label=key if n else "", id=key))
    return found.reading()


def _add(collector: Collector, n: int, role: str, message: Mapping[str, Any]) -> None:
    about = message["additional_kwargs"]
    blocks = message.get("blocks")
    parts = blocks if isinstance(blocks, list) else [message.get("content")]
    made = [block for part in parts for block in _block(part)]
    if role == "system":
        collector.add(n, {"role": "system", "content": made})
    elif role == "tool":
        collector.add_blocks(n, "user", [result(first_of(about, "tool_call_id", "name"), made)])
    else:
        has_calls = any(block.get("type") == "tool_use" for block in made)
        others = calls_of(about.get("tool_calls")) if role == "assistant" and not has_calls else []
        collector.add_blocks(n, role, [*made, *others])


def _block(part: Any) -> list[Any]:
    kind = part.get("block_type") if isinstance(part, dict) else None
    if kind == "text":
        return text(part.get("text"))
    if kind == "thinking":
        return thinking(part.get("content"), (part.get("additional_information") or {}).get("signature"))
    if kind == "tool_call":
        return [call(part.get("tool_call_id"), part.get("tool_name"), part.get("tool_kwargs"))]
    if kind == "image":
        data = part.get("image")
        return [image(part.get("url") or f"data:{part.get('image_mimetype') or 'image/png'};base64,{data}")]
    return [{"type": str(kind), **part}] if kind is not None else blocks_of(part)


LLAMA_INDEX: Final = Format(
    name="llama-index",
    title="LlamaIndex messages and chat stores",
    files="what `ChatMessage.model_dump()` and `SimpleChatStore.persist()` write",
    omits="nothing",
    unwritten=STATE,
    source="run-llama/llama_index: llama_index/core/base/llms/types.py (0.14.25)",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
)
