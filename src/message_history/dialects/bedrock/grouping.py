"""How the blocks of a Converse message may be combined: with results, in what number, with which cache points.

These functions know blocks on the wire, and nothing of histories.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from message_history.dialects.bedrock.model_fields import Fields

Wire = dict[str, Any]


def key_of(wire: Wire) -> str:
    return next(iter(wire))


def is_allowed(wire: Wire, kinds: Collection[str]) -> bool:
    key = key_of(wire)
    # What a guardrail is to look at is a text or an image.
    key = key_of(wire[key]) if key == "guardContent" else key
    return key in kinds or (key == "document" and wire[key].get("format") in kinds)


def calls_apart(content: list[Wire]) -> list[list[Wire]]:
    """Split a message into text and calls (BR-B15), unless it has reasoning, which must stay with its calls."""
    parts: dict[bool, list[Wire]] = {False: [], True: []}
    calling = False
    for wire in content:
        key = key_of(wire)
        if key == "reasoningContent":
            return [content]
        calling = calling if key == "cachePoint" else key == "toolUse"
        parts[calling].append(wire)
    return list(parts.values()) if parts[False] and parts[True] else [content]


def groups_of(results: Sequence[Wire], rest: Sequence[Wire], dialect: Fields) -> list[list[Wire]]:
    """Split the content of a user message into what one message may hold (BR-B15, BR-B21)."""
    groups: list[list[Wire]] = [list(results)] if results else [[]]
    others = [wire for wire in rest if key_of(wire) != "cachePoint"]
    if results and others and not all(is_allowed(wire, dialect.beside_results) for wire in others):
        groups.append([])
    limits = {"image": dialect.max_images, "document": dialect.max_documents}
    counts = _media_in(groups[-1])
    for wire in rest:
        key = key_of(wire)
        if key in limits and counts.get(key, 0) >= limits[key]:
            groups.append([])
            counts = {}
        groups[-1].append(wire)
        counts[key] = counts.get(key, 0) + 1
    return groups


def _media_in(content: Sequence[Wire]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for wire in content:
        for part in wire["toolResult"]["content"] if "toolResult" in wire else ():
            counts[key_of(part)] = counts.get(key_of(part), 0) + 1
    return counts


def with_text(content: list[Wire]) -> bool:
    """Put a text before the first document of a message that has none (BR-B19), and return whether one was added."""
    first = next((position for position, wire in enumerate(content) if "document" in wire), None)
    if first is None or any("text" in wire for wire in content):
        return False
    names = ", ".join(wire["document"]["name"] for wire in content if "document" in wire)
    content.insert(first, {"text": f"[Documents: {names}]"})
    return True


def place_cache_points(content: list[Wire]) -> tuple[int, int]:
    """Move cache points to where they are allowed (BR-B22); return how many were taken out and moved."""
    dropped = moved = 0
    placed: list[Wire] = []
    for wire in content:
        if "cachePoint" not in wire:
            placed.append(wire)
            continue
        where = len(placed)
        while where and is_uncached(placed[where - 1]):
            where -= 1
        if not where or is_document(placed[0]) or placed[where - 1].keys() & {"cachePoint", "reasoningContent"}:
            dropped += 1
            continue
        moved += where != len(placed)
        placed.insert(where, wire)
    content[:] = placed
    return dropped, moved


def is_document(wire: Wire) -> bool:
    return "document" in wire or "video" in wire


def is_uncached(wire: Wire) -> bool:
    """Return whether no cache point may follow a block: a PDF is the one document that it may."""
    return is_document(wire) and not ("document" in wire and wire["document"].get("format") == "pdf")
