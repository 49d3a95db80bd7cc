"""The texts, calls and results in a list, whichever program or provider wrote it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Facts", "facts_of"]

Facts = list[tuple[Any, ...]]


def facts_of(entries: Iterable[Any]) -> Facts:
    """Give the texts, calls and results of a list, in order."""
    return [fact for entry in entries for fact in _of_entry(entry)]


def _of_entry(entry: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    kind, role = entry.get("type", "message"), entry.get("role", "")
    if kind == "function_call":
        yield "call", entry["call_id"], entry["name"], json.loads(entry["arguments"])
    elif kind == "function_call_output":
        yield "result", entry["call_id"], entry["output"]
    elif role == "tool":
        yield "result", entry["tool_call_id"], _text_of(entry["content"])
    elif role == "toolResult":
        yield "result", entry["toolCallId"], _text_of(entry["content"])
    else:
        content = entry["parts"] if "parts" in entry else entry.get("content") or []
        for item in [{"text": content}] if isinstance(content, str) else content:
            yield from _of_item("assistant" if role == "model" else role, item)
        for call in entry.get("tool_calls") or ():
            yield "call", call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])


def _of_item(role: str, item: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    if item.get("type") == "tool_use":
        yield "call", item["id"], item["name"], item["input"]
    elif item.get("type") == "toolCall":
        yield "call", item["id"], item["name"], item["arguments"]
    elif item.get("type") == "tool_result":
        yield "result", item["tool_use_id"], _text_of(item["content"])
    elif "functionCall" in item:
        yield "call", item["functionCall"]["id"], item["functionCall"]["name"], item["functionCall"]["args"]
    elif "functionResponse" in item:
        yield "result", item["functionResponse"]["id"], _text_of(item["functionResponse"]["response"])
    elif text := item.get("text", ""):
        yield role, text


def _text_of(value: Any) -> str:
    if isinstance(value, list):
        return "".join(item.get("text", "") for item in value)
    return value if isinstance(value, str) else str(value.get("output", value.get("error")))
