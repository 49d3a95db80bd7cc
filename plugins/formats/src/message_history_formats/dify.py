"""The messages of Dify: each is a question with its answer, and with what an agent did between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    EXPORTED,
    NOTHING_JUDGED,
    Conversations,
    Format,
    call,
    fit_items,
    objects_in,
    result,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Collector, Document, Fit, Reading


def _is_message(item: Any) -> bool:
    return isinstance(item, dict) and {"conversation_id", "query", "answer"} <= item.keys()


def _items(document: Document) -> list[tuple[int, Any]]:
    data = document.object.get("data")
    return list(enumerate(data)) if isinstance(data, list) else document.numbered_items


def _fit(document: Document) -> Fit:
    return fit_items([item for _, item in _items(document)[:60] if isinstance(item, dict)], _is_message)


def _read(document: Document) -> Reading:
    found = Conversations()
    chats: dict[object, list[tuple[int, Any]]] = {}
    for n, item in _items(document):
        if _is_message(item):
            chats.setdefault(item["conversation_id"], []).append((n, item))
        else:
            found.collector().note(n, "an item that is not a message", item)
    for id, messages in chats.items():
        collector = found.collector()
        if all(isinstance(item.get("created_at"), int | float) for _, item in messages):
            messages.sort(key=lambda each: each[1]["created_at"])
        for n, item in messages:
            _add(collector, n, item)
        found.add(collector.conversation(BLOCKS, label=f"conversation {id}" if found else "", id=id))
    return found.reading()


def _add(collector: Collector, n: int, item: Mapping[str, Any]) -> None:
    files = objects_in(item.get("message_files"))
    names = [block for each in files for block in text(f"[attached: {each.get('filename') or each.get('url')}]")]
    collector.add_blocks(n, "user", [*names, *text(item["query"])])
    for thought in item.get("agent_thoughts") or ():
        if thought.get("tool"):
            made = call(thought.get("id"), thought["tool"], thought.get("tool_input"))
            collector.add_blocks(n, "assistant", [*text(thought.get("thought")), made])
            collector.add_blocks(n, "user", [result(thought.get("id"), thought.get("observation"))])
        elif thought.get("thought") != item["answer"]:
            collector.add_blocks(n, "assistant", text(thought.get("thought")))
    collector.add_blocks(n, "assistant", text(item["answer"]))
    if item.get("retriever_resources"):
        collector.omit("sources")


DIFY: Final = Format(
    name="dify",
    rank=630,
    title="Dify: messages of conversations",
    files="what GET /v1/messages gives",
    omits="sources, feedback, inputs of the application",
    unwritten=EXPORTED,
    source="langgenius/dify: api/fields/message_fields.py, conversation_fields.py",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
