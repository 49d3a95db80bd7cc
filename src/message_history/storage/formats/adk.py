"""The sessions of Google's Agent Development Kit: events with Gemini's contents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.dialects import Gemini
from message_history.storage.formats.base import STATE, Collector, Fit, Format, Reading, fit_items

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.storage.formats.document import Document

__all__ = ["ADK"]


def _is_event(item: Any) -> bool:
    if not isinstance(item, dict) or "author" not in item:
        return False
    content = item.get("content")
    has_parts = isinstance(content, dict) and "parts" in content
    return has_parts or bool(item.keys() & {"invocationId", "invocation_id", "actions"})


def _events(document: Document) -> list[tuple[int, Any]]:
    found = document.object.get("events")
    return list(enumerate(found)) if isinstance(found, list) else document.numbered_items


def _fit(document: Document) -> Fit:
    return fit_items([item for _, item in _events(document)[:60] if isinstance(item, dict)], _is_event)


def _read(document: Document) -> Reading:
    collector = Collector()
    for n, event in _events(document):
        content = event.get("content") if isinstance(event, dict) else None
        if not _is_event(event):
            collector.note(n, "an entry that is no event", event)
        elif event.get("partial") is True:
            collector.omit("pieces of streams")
        elif not isinstance(content, dict) or not content.get("parts"):
            collector.omit("events without content")
        else:
            collector.add(n, _content(event, content))
    return collector.reading(Gemini(), id=document.object.get("id"))


def _content(event: Mapping[str, Any], content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a content with the names and the role of Gemini's API."""
    parts = [_camel(part) for part in content["parts"]]
    has_results = any(isinstance(part, dict) and "functionResponse" in part for part in parts)
    role = "user" if event["author"] == "user" or has_results else "model"
    return {**content, "role": role, "parts": parts}


def _camel(part: Any) -> Any:
    if not isinstance(part, dict):
        return part
    made = {}
    for name, value in part.items():
        first, *rest = name.split("_")
        inner = _camel(value) if name in ("inline_data", "file_data") else value
        made[first + "".join(word.title() for word in rest)] = inner
    return {name: value for name, value in made.items() if value is not None}


ADK: Final = Format(
    name="adk",
    title="Google ADK sessions",
    files="what GET /apps/*/users/*/sessions/* gives, and `adk run --save_session` writes",
    omits="pieces of streams, changes of state, events without content",
    unwritten=STATE,
    source="google/adk-python: sessions/session.py, events/event.py (2.13.0)",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    judged=frozenset({"GM-G07", "GM-G08"}),
)
