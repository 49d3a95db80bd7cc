"""What it means that an export begins with the one before."""

from __future__ import annotations

from typing import Any

KEYS = ("content", "parts")


def pieces(message: Any) -> tuple[Any, list[Any]]:
    """Give what a message is without its content, and the pieces of its content."""
    head = {key: value for key, value in message.items() if key not in (*KEYS, "tool_calls", "reasoning_content")}
    if "parts" in message and head.get("role") is None:
        head["role"] = "user"  # so the API takes it
    found: list[Any] = []
    for key in KEYS:
        content = message.get(key)
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        found += [unmarked(piece) for piece in content or ()]
    found += message.get("tool_calls") or ()
    return head, found


def unmarked(piece: Any) -> Any:
    """Give a piece without its cache mark, which moves."""
    if not isinstance(piece, dict):
        return piece
    return {key: value for key, value in piece.items() if key != "cache_control"}


def begins_with(longer: list[Any], shorter: list[Any]) -> bool:
    """Every message but the last is the same, and the last one at most grew."""
    if not shorter or len(longer) < len(shorter):
        return not shorter
    if [pieces(message) for message in longer[: len(shorter) - 1]] != [pieces(message) for message in shorter[:-1]]:
        return False
    (head, now), (head_before, before) = pieces(longer[len(shorter) - 1]), pieces(shorter[-1])
    return head == head_before and (now[: len(before)] == before or grew(now, before))


def grew(now: list[Any], before: list[Any]) -> bool:
    """Tell whether only the last text is longer: some providers take a message's text in one piece."""
    last = len(before) - 1
    if len(now) <= last or now[:last] != before[:-1]:
        return False
    text, text_before = (piece.get("text") if isinstance(piece, dict) else None for piece in (now[last], before[-1]))
    return isinstance(text, str) and isinstance(text_before, str) and text.startswith(text_before)
