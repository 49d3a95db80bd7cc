"""The messages of pi and OpenClaw as their agents hold them: those of a session's entries, without the entries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import BLOCKS, STATE, Collector, Fit, Format, fit_items, objects_in
from message_history.formats.pi import add_message

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document, Reading


def _messages(document: Document) -> list[tuple[int, Any]]:
    listed = document.object.get("messages")
    return list(enumerate(listed)) if isinstance(listed, list) else document.numbered_items


def _is_message(item: Mapping[str, Any]) -> bool:
    return isinstance(item.get("role"), str) and ("content" in item or "command" in item or "summary" in item)


def _is_pis(item: Mapping[str, Any]) -> bool:
    """Return whether a message is a result of pi's, or asks for one."""
    parts = objects_in(item.get("content"))
    if item.get("role") == "toolResult":
        return isinstance(item.get("toolCallId"), str)
    return item.get("role") == "assistant" and any(part.get("type") == "toolCall" for part in parts)


def _fit(document: Document) -> Fit:
    items = objects_in([item for _, item in _messages(document)[:60]])
    return fit_items(items, _is_message, lambda item: _is_message(item) and _is_pis(item), is_common=True)


def _read(document: Document) -> Reading:
    collector = Collector()
    for n, message in _messages(document):
        if isinstance(message, dict) and _is_message(message):
            add_message(collector, n, message)
        else:
            collector.note(n, "an entry that is not a message", message)
    return collector.reading(BLOCKS)


PI_MESSAGES: Final = Format(
    name="pi-messages",
    rank=421,
    title="Messages of pi and OpenClaw, without the entries of a session",
    files="the `messages` of an agent, and lists of them",
    omits="aborted replies, commands with !!",
    unwritten=STATE,
    source="badlogic/pi-mono: packages/ai/src/types.ts (`Message`), packages/agent/src/types.ts",
    checked="2026-11-27",
    fit=_fit,
    read=_read,
)
