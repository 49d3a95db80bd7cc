"""The sessions of Continue: history items, each with a message and the context that went with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.storage.formats.base import Collector, Fit, Format, Reading
from message_history.storage.formats.chat_messages import add_chat_message, blocks_of
from message_history.storage.formats.chat_rows import ChatRows, chat_call
from message_history.storage.formats.raw_blocks import BLOCKS, thinking

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.storage.formats.document import Document

__all__ = ["CONTINUE"]


def _fit(document: Document) -> Fit:
    history = document.object.get("history")
    if not isinstance(history, list):
        return Fit.NONE
    items = [isinstance(item, dict) and isinstance(item.get("message"), dict) for item in history]
    return Fit.CERTAIN if all(items) and "sessionId" in document.object else Fit.NEAR


def _read(document: Document) -> Reading:
    collector = Collector()
    for n, item in enumerate(document.object["history"]):
        message = item.get("message") if isinstance(item, dict) else None
        role = message.get("role") if isinstance(message, dict) else None
        if isinstance(message, dict) and role == "thinking":
            written = "".join(str(block.get("text", "")) for block in blocks_of(message.get("content")))
            collector.add_blocks(n, "assistant", thinking(written, message.get("signature")))
        elif isinstance(message, dict) and role == "user":
            collector.add_blocks(n, "user", [*_context(item), *blocks_of(message.get("content"))])
        elif not add_chat_message(collector, n, message):
            collector.note(n, "an item without a message", item)
        if isinstance(item, dict) and item.get("conversationSummary"):
            collector.omit("summaries")
    return collector.reading(BLOCKS, id=document.object.get("sessionId"), title=document.object.get("title"))


def _context(item: Mapping[str, Any]) -> list[Any]:
    """Return the context that was sent before the user's text."""
    items = [each for each in item.get("contextItems") or [] if isinstance(each, dict)]
    return [block for each in items for block in blocks_of(each.get("content"))]


_FORM: Final = ChatRows(
    list_key="history",
    inside="message",
    beside={"contextItems": []},
    id_key="toolCallId",
    calls_key="toolCalls",
    call=chat_call,
).form()


CONTINUE: Final = Format(
    name="continue",
    title="Continue sessions",
    files="~/.continue/sessions/*.json",
    omits="states of calls, logs of prompts, summaries, the editor's state",
    source="continuedev/continue: core/index.d.ts (Session, ChatHistoryItem)",
    checked="2026-06-18",
    fit=_fit,
    read=_read,
    repair=_FORM.repair,
)
