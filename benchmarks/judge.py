"""A judge of what is sent, written from the providers' rules alone: it uses nothing of the library and its check.

A list of the Messages API is judged twice: as the API takes it today (neighbours of one role are combined, the
assistant may speak first), and strictly, as older models and other hosts of the same API take it. A chat list and a
list of Responses items have one judgement: their API. An empty list is not a fault: there was nothing to send.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["JUDGES", "STRICT", "lost"]

Wire = list[Any]


def strictly_accepted(wire: Wire) -> bool:
    """Tell whether a list of the Messages API is right everywhere: the user leads, and the roles alternate."""
    roles = [message["role"] for message in wire]
    return roles == [("user", "assistant")[place % 2] for place in range(len(roles))] and accepted(wire)


def accepted(wire: Wire) -> bool:
    """Tell whether the Messages API takes a list: each call is answered at the start of the next message, once."""
    turns: list[tuple[str, list[Any]]] = []
    for message in wire:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if not blocks or any(block["type"] == "text" and not block["text"].strip() for block in blocks):
            return False
        if turns and turns[-1][0] == message["role"]:
            turns[-1] = message["role"], [*turns[-1][1], *blocks]
        else:
            turns.append((message["role"], list(blocks)))
    calls: list[str] = []
    for role, blocks in turns:
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        first = blocks[: len(results)]
        if sorted(results) != sorted(calls) or any(block["type"] != "tool_result" for block in first):
            return False
        calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
        if len(set(calls)) < len(calls) or (calls and role == "user"):
            return False
    return not calls


def chat_accepted(wire: Wire) -> bool:
    """Tell whether Chat Completions takes a list: each call is answered right behind it, and nothing is empty."""
    waiting: set[str] = set()
    for message in wire:
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                return False
            waiting.remove(message["tool_call_id"])
            continue
        calls = [call["id"] for call in message.get("tool_calls") or ()]
        if waiting or not (message["content"] or calls) or len(set(calls)) < len(calls):
            return False
        waiting = set(calls)
    return not waiting


def items_accepted(wire: Wire) -> bool:
    """Tell whether the Responses API takes a list: each call has one output, somewhere behind it."""
    waiting: list[str] = []
    for item in wire:
        kind = item.get("type", "message")
        if kind == "function_call":
            if item["call_id"] in waiting:
                return False
            waiting.append(item["call_id"])
        elif kind == "function_call_output":
            if item["call_id"] not in waiting:
                return False
            waiting.remove(item["call_id"])
    return not waiting


JUDGES: Final[dict[str, Callable[[Wire], bool]]] = {
    "messages": accepted,
    "chat": chat_accepted,
    "items": items_accepted,
}
STRICT: Final = {**JUDGES, "messages": strictly_accepted}


def lost(texts: Iterable[str], wire: Wire) -> int:
    """Count the texts that a list does not hold anywhere.

    Args:
        texts: the texts.
        wire: the list.

    Returns:
        How many are missing.
    """
    written = json.dumps(wire, default=str)
    return sum(json.dumps(text)[1:-1] not in written for text in texts)
