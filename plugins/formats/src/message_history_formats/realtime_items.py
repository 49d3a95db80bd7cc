"""The items of a conversation of OpenAI's Realtime API, as a program keeps them for a new session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.dialects import OpenAIResponses
from message_history.formats.kit import (
    BLOCKS,
    Collector,
    Fit,
    Format,
    Reading,
    blocks_of,
    call,
    fit_items,
    json_text,
    objects_in,
    result,
)
from message_history.formats.kit.message_rows import RowForm, dialect_items
from message_history_formats.agent_framework_rows import result_text
from message_history_formats.realtime import SPOKEN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message, Role
    from message_history.formats.kit import Document

_KINDS: Final = ("message", "function_call", "function_call_output")
_LIST: Final = "items"


def _items(document: Document) -> list[tuple[int, Any]]:
    listed = document.object.get(_LIST)
    return list(enumerate(listed)) if isinstance(listed, list) else document.numbered_items


def _is_item(item: Mapping[str, Any]) -> bool:
    return item.get("type") in _KINDS or str(item.get("type")).startswith("mcp_")


def _is_realtimes(item: Mapping[str, Any]) -> bool:
    """Return whether an item says whose it is, or holds the transcript of what was spoken."""
    parts = objects_in(item.get("content")) if item.get("type") == "message" else []
    is_spoken = any(part.get("type") in SPOKEN and "transcript" in part for part in parts)
    return item.get("object") == "realtime.item" or is_spoken


def _fit(document: Document) -> Fit:
    items = objects_in([item for _, item in _items(document)[:60]])
    return fit_items(items, _is_item, lambda item: _is_item(item) and _is_realtimes(item), is_common=True)


def _read(document: Document) -> Reading:
    collector = Collector()
    for n, item in _items(document):
        if isinstance(item, dict) and _is_item(item):
            collector.add(n, dict(item))
        else:
            collector.note(n, "an entry that is not an item", item)
    return collector.reading(OpenAIResponses())


def _piece_of(item: Mapping[str, Any]) -> tuple[Role, list[dict[str, Any]]]:
    """Return an item as one piece; what a server's tool did is left alone."""
    if item.get("type") not in _KINDS:
        return "user", []
    is_assistant = item.get("role") == "assistant" or item["type"] == "function_call"
    return "assistant" if is_assistant else "user", [dict(item)]


def _parsed(item: Mapping[str, Any]) -> list[Any]:
    if item.get("type") == "function_call":
        return [call(item.get("call_id"), item.get("name"), item.get("arguments"))]
    if item.get("type") == "function_call_output":
        return [result(item.get("call_id"), item.get("output"))]
    texts = [part.get("text", part.get("transcript")) for part in objects_in(item.get("content"))]
    return [block for text in texts for block in blocks_of(text)]


def _written(role: Role, block: Block, before: Message | None) -> list[Any]:
    return [_item(role, made) for made in dialect_items(BLOCKS, "content", role, block, before)]


def _item(role: Role, made: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was made as an item that a session can be given."""
    if made.get("type") == "tool_use":
        about = {"call_id": made["id"], "name": made["name"], "arguments": json_text(made["input"])}
        return {"type": "function_call", **about}
    if made.get("type") == "tool_result":
        return {"type": "function_call_output", "call_id": made["tool_use_id"], "output": result_text(made)}
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": str(made.get("text", ""))}]}


REALTIME_ITEMS: Final = Format(
    name="realtime-items",
    rank=639,
    title="Items of conversations of OpenAI's Realtime API",
    files="lists of what `conversation.item.create` takes",
    omits="what was said without a transcript",
    source="openai/openai-python: src/openai/types/realtime/conversation_item.py",
    checked="2026-11-27",
    fit=_fit,
    read=_read,
    repair=RowForm(
        list_key=_LIST,
        items=_piece_of,
        parse=_parsed,
        with_items=lambda row, _: row,
        write=_written,
        make=lambda _, items, like: [
            {**({"object": like["object"]} if "object" in like else {}), **each} for each in items
        ],
    ).repair,
)
