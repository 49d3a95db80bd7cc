"""Data sets of preferences and of prompts with completions, as TRL takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import DATA_SET, NOTHING_JUDGED, Conversations, Format, item_fit, json_of
from message_history.formats.message_lists import is_message

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document, Reading

_ENDS: Final = ("completion", "chosen", "rejected", "preferred_output", "non_preferred_output")


def _messages(item: Mapping[str, Any], key: str) -> list[Any] | None:
    found = item.get(key)
    return found if isinstance(found, list) and found and all(map(is_message, found)) else None


def _prompt(item: Mapping[str, Any]) -> list[Any]:
    """Return the messages that all ends of a row go on from."""
    request = item.get("input")
    inner = _messages(request, "messages") if isinstance(request, dict) else None
    return _messages(item, "prompt") or _messages(item, "messages") or inner or []


def _before(item: Mapping[str, Any], end: list[Any]) -> list[Any]:
    """Return what comes before an end; an end may be the whole conversation, as in UltraFeedback."""
    asked = item.get("prompt")
    prompt = [{"role": "user", "content": asked}] if isinstance(asked, str) and asked.strip() else _prompt(item)
    return prompt if end[0].get("role") == "assistant" and end != prompt[: len(end)] else []


def _is_row(item: Mapping[str, Any]) -> bool:
    return any(_messages(item, key) for key in _ENDS)


def _read(document: Document) -> Reading:
    found = Conversations()
    for n, item in document.numbered_items:
        if not isinstance(item, dict) or not _is_row(item):
            found.collector().note(n, "an item without messages", item)
            continue
        for key in _ENDS:
            end = _messages(item, key)
            if end is None:
                continue
            collector = found.collector()
            for message in [*_before(item, end), *end]:
                collector.add(n, message)
            name = "rejected" if item.get("label") is False else key
            label = f"item {n}, {name}" if found or name == "rejected" else ""
            found.add(collector.conversation(None, label=label, tools=json_of(item.get("tools"))))
    return found.reading()


PREFERENCES: Final = Format(
    name="preferences",
    rank=940,
    title="Data sets with prompt and completion, or chosen and rejected (TRL, OpenAI)",
    files="data sets: a JSON list, or a row in each line",
    omits="scores and labels",
    unwritten=DATA_SET,
    source="huggingface/trl: docs/source/dataset_formats.md",
    checked="2026-11-22",
    fit=item_fit(_is_row),
    read=_read,
    judged=NOTHING_JUDGED,
    by_line=True,
)
