"""Messages of Mastra: those of the AI SDK's interface, with parts in the content."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from message_history.formats.ai_sdk import add_ai_sdk_message, ai_sdk_messages
from message_history.formats.kit import BLOCKS, STATE, Collector, Format, Reading, fit_items, objects_in, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document, Fit

_ROLES: Final = ("user", "assistant", "system")


def _content(message: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what a message holds, which a table has as text; None when it is not one of Mastra's."""
    content = message.get("content")
    if isinstance(content, str) and content.startswith("{"):
        try:
            content = json.loads(content)
        except (ValueError, RecursionError):
            return None
    is_known = isinstance(content, dict) and "format" in content and isinstance(content.get("parts"), list)
    return content if is_known and message.get("role") in _ROLES else None


def _fit(document: Document) -> Fit:
    items = [message for _, message in ai_sdk_messages(document)[:60]]
    return fit_items(objects_in(items), lambda message: _content(message) is not None)


def _read(document: Document) -> Reading:
    collector = Collector()
    thread: object = None
    for n, message in ai_sdk_messages(document):
        content = _content(message) if isinstance(message, dict) else None
        if content is None:
            collector.note(n, "an entry that is not a message", message)
            continue
        thread = thread or message.get("threadId", message.get("thread_id"))
        parts = list(map(_part, content["parts"]))
        if message["role"] == "system":
            collector.add(n, {"role": "system", "content": text_of(parts)})
        else:
            add_ai_sdk_message(collector, n, {**content, "role": message["role"], "parts": parts})
    return collector.reading(BLOCKS, id=thread)


def _part(part: Any) -> Any:
    """Return a part with its reasoning where the AI SDK has it: what was streamed is in its details only."""
    if not isinstance(part, dict) or part.get("type") != "reasoning" or part.get("reasoning") or part.get("text"):
        return part
    return {**part, "reasoning": "".join(str(each.get("text") or "") for each in objects_in(part.get("details")))}


MASTRA: Final = Format(
    name="mastra",
    rank=421,
    title="Mastra: messages of a thread",
    files="what `memory.query` and `memory.recall` give, rows of `mastra_messages`",
    omits="starts of steps, sources, data parts",
    unwritten=STATE,
    source="mastra-ai/mastra: packages/core/src/agent/message-list",
    checked="2026-11-27",
    fit=_fit,
    read=_read,
)
