"""Read what callers give without a list around it: one raw message, or what a tool gave."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from message_history.core.json_values import short_repr
from message_history.dialects.registry import read

if TYPE_CHECKING:
    from message_history.dialects.base import Parsed

__all__ = ["content_of", "parsed_entry"]


def parsed_entry(entry: object) -> Parsed:
    """Read one raw message.

    Args:
        entry: a mapping or an object of an SDK.

    Returns:
        What is in it.

    Raises:
        TypeError: for anything else.

    Complexity: linear in the entry.
    """
    if isinstance(entry, str | bytes) or (not isinstance(entry, Mapping) and not _has_fields(entry)):
        raise TypeError(f"add takes a Message or a mapping, not {type(entry).__name__}: {short_repr(entry)}")
    return read([entry])


def _has_fields(entry: object) -> bool:
    forms = (("model_dump",), ("role", "content"), ("kind", "parts"))
    return any(all(hasattr(entry, name) for name in names) for names in forms)


def content_of(content: object) -> object:
    """Read what a tool gave.

    Args:
        content: anything.

    Returns:
        The blocks, if it is a list of raw content blocks; else the same.

    Complexity: linear in a list.
    """
    if not isinstance(content, list) or not content:
        return content
    if not all(isinstance(part, Mapping) and isinstance(part.get(_held_by(part)), str | Mapping) for part in content):
        return content
    parsed = read([{"role": "user", "content": content}])
    return parsed.messages[0].content if len(parsed.messages) == 1 and not parsed.notes else content


def _held_by(part: Mapping[str, Any]) -> str:
    """Name the key under which a raw content block holds what it is about."""
    kind = part.get("type")
    return _HELD.get(kind, "") if isinstance(kind, str) else ""


_HELD: Final = {"text": "text", "image": "source", "document": "source", "image_url": "image_url"}
