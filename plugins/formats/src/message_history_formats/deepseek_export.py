"""The conversations of a DeepSeek export: trees like ChatGPT's, whose messages are made of typed fragments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    EXPORTED,
    NOTHING_JUDGED,
    Conversations,
    Format,
    item_fit,
    text,
    thinking,
)
from message_history_formats.chatgpt_export import messages_on_branch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Collector, Document, Reading

_WITHOUT_WORDS: Final = ("SEARCH", "READ_LINK", "TOOL_SEARCH", "TOOL_OPEN")


def _messages(item: Mapping[str, Any]) -> list[Any] | None:
    """Return the messages of a conversation; None for an item that is not one."""
    mapping = item.get("mapping")
    nodes = list(mapping.values()) if isinstance(mapping, dict) else []
    messages = [node.get("message") for node in nodes if isinstance(node, dict) and "parent" in node]
    found = [each for each in messages if isinstance(each, dict)]
    is_one = bool(nodes) and len(messages) == len(nodes)
    return found if is_one and all("fragments" in each and "author" not in each for each in found) else None


def _read(document: Document) -> Reading:
    found = Conversations()
    for n, item in document.numbered_items:
        collector = found.collector()
        if not isinstance(item, dict) or _messages(item) is None:
            collector.note(n, "an item that is not a conversation", item)
            continue
        for message in messages_on_branch(item, collector):
            for fragment in message["fragments"]:
                _add(collector, n, fragment)
            for file in message.get("files") or ():
                name = file.get("file_name") if isinstance(file, dict) else None
                collector.add_blocks(n, "user", text(f"[attached: {name}]"))
        label = f"conversation {n + 1}" if n else ""
        found.add(collector.conversation(BLOCKS, label=label, id=item.get("id"), title=item.get("title")))
    return found.reading()


def _add(collector: Collector, n: int, fragment: Any) -> None:
    kind = fragment.get("type") if isinstance(fragment, dict) else None
    if kind == "REQUEST":
        collector.add_blocks(n, "user", text(fragment.get("content")))
    elif kind == "RESPONSE":
        collector.add_blocks(n, "assistant", text(fragment.get("content")))
    elif kind == "THINK":
        collector.add_blocks(n, "assistant", thinking(fragment.get("content")))
    elif kind in _WITHOUT_WORDS and not fragment.get("content"):
        collector.omit("searches and pages")
    else:
        collector.note(n, f"a fragment of the unknown type {kind!r}", fragment)


DEEPSEEK_EXPORT: Final = Format(
    name="deepseek-export",
    rank=540,
    title="DeepSeek data exports",
    files="conversations.json of the export",
    omits="messages on other branches, searches and pages, the content of files (their names are kept)",
    unwritten=EXPORTED,
    source="exports of 2025 and 2026, as their readers describe them; no public source",
    checked="2026-11-23",
    fit=item_fit(lambda item: _messages(item) is not None, lambda item: bool(_messages(item))),
    read=_read,
    judged=NOTHING_JUDGED,
)
