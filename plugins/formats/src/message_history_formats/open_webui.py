"""The chats that Open WebUI exports: each is a tree of messages with the newest one named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    EXPORTED,
    NOTHING_JUDGED,
    Conversations,
    Fit,
    Format,
    add_chat_message,
    fit_items,
    image,
    text,
)
from message_history_formats.chatgpt_export import branch_to
from message_history_formats.provider_messages import add_provider_message

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Collector, Document, Reading

_BESIDE: Final = {"error": "errors of replies", "sources": "sources", "statusHistory": "states of replies"}


def _chat(item: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = item.get("chat")
    return inner if isinstance(inner, dict) else item


def _nodes(item: Mapping[str, Any]) -> dict[str, Any] | None:
    history = _chat(item).get("history")
    nodes = history.get("messages") if isinstance(history, dict) else None
    if isinstance(nodes, dict) and nodes:
        return nodes
    flat = item["chat"].get("messages") if isinstance(item.get("chat"), dict) else None
    if not isinstance(flat, list):
        return nodes if isinstance(nodes, dict) else None
    # Older chats have a list only; each message follows the one before.
    return {str(n): {**each, "parentId": str(n - 1)} for n, each in enumerate(flat)}


def _fit(document: Document) -> Fit:
    return fit_items(document.first_items, lambda item: _nodes(item) is not None)


def _read(document: Document) -> Reading:
    found = Conversations()
    for n, item in document.numbered_items:
        collector = found.collector()
        nodes = _nodes(item) if isinstance(item, dict) else None
        if nodes is None:
            collector.note(n, "an item that is not a chat", item)
        else:
            chat = _chat(item)
            path = branch_to(nodes, (chat.get("history") or {}).get("currentId"), "parentId")
            if len(path) < len(nodes):
                collector.omit("messages on another branch", len(nodes) - len(path))
            collector.add_blocks(n, "system", text(chat.get("system")))
            for message in path:
                _add(collector, n, message)
            title, id = item.get("title") or chat.get("title"), item.get("id") or chat.get("id")
            found.add(collector.conversation(BLOCKS, label=f"chat {n + 1}" if n else "", id=id, title=title))
    return found.reading()


def _add(collector: Collector, n: int, message: Mapping[str, Any]) -> None:
    """Add a message: its text, or the model's output item by item, which newer versions keep as well as the text."""
    output = message.get("output")
    if isinstance(output, list) and output and message.get("role") == "assistant":
        for item in output:
            if not add_provider_message(collector, n, item):
                collector.note(n, "an item of an unknown type", item)
    elif not add_chat_message(collector, n, message):
        collector.note(n, "a message of an unknown role", message)
    for file in message.get("files") or ():
        collector.add_blocks(n, str(message.get("role")), _file(file))
    for key, kind in _BESIDE.items():
        if message.get(key):
            collector.omit(kind)


def _file(file: Any) -> list[Any]:
    """Return an image, and of any other file its name and what it holds."""
    if not isinstance(file, dict):
        return []
    if file.get("type") == "image" or str(file.get("content_type")).startswith("image/"):
        return [image(file.get("url"))]
    inner: dict[str, Any] = file["file"] if isinstance(file.get("file"), dict) else {}
    written = (inner.get("data") or {}).get("content") or ""
    return text(f"[attached: {file.get('name') or inner.get('filename')}]\n{written}".rstrip())


OPEN_WEBUI: Final = Format(
    name="open-webui",
    rank=570,
    title="Open WebUI chat exports",
    files="chat-export-*.json",
    omits="messages on other branches, sources, usage (older chats have reasoning and calls in the text)",
    unwritten=EXPORTED,
    source="open-webui/open-webui: backend/open_webui/models/chats.py, src/lib/utils/index.ts",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
