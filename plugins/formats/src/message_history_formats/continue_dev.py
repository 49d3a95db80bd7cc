"""The sessions of Continue: history items, each with a message and the context that went with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    NOTHING_JUDGED,
    Collector,
    Fit,
    Format,
    Reading,
    add_chat_message,
    blocks_of,
    objects_in,
    result,
    thinking,
)
from message_history.formats.kit.raw_blocks import state_result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document

_PREVIOUS: Final = "Previous conversation summary:\n\n "


def _fit(document: Document) -> Fit:
    history = document.object.get("history")
    if not isinstance(history, list):
        return Fit.NONE
    items = [isinstance(item, dict) and isinstance(item.get("message"), dict) for item in history]
    return Fit.CERTAIN if all(items) and "sessionId" in document.object else Fit.NEAR


def _read(document: Document) -> Reading:
    collector = Collector()
    items = document.object["history"]
    answered = {
        state.get("toolCallId")
        for item in items
        if isinstance(item, dict)
        for state in item.get("toolCallStates") or []
        if isinstance(state, dict)
    }
    first = 1 + max((n for n, item in enumerate(items) if _summary(item)), default=-1)
    if first:
        collector.omit("items that a summary takes the place of", first)
        collector.add(first - 1, {"role": "system", "content": f"{_PREVIOUS}{_summary(items[first - 1])}"})
    for n, item in enumerate(items[first:], first):
        message: Any = item.get("message") if isinstance(item, dict) else None
        role = message.get("role") if isinstance(message, dict) else None
        if role == "thinking":
            collector.add_blocks(n, "assistant", _thoughts(message))
        elif role == "user":
            collector.add_blocks(n, "user", [*_context(item), *blocks_of(message.get("content"))])
        elif role == "tool" and message.get("toolCallId") in answered:
            collector.omit("results that are in the state of their call, too")
        elif not add_chat_message(collector, n, message):
            collector.note(n, "an item without a message", item)
        if role == "assistant":
            collector.add_blocks(n, "user", _results(item))
    return collector.reading(BLOCKS, id=document.object.get("sessionId"), title=document.object.get("title"))


def _summary(item: Any) -> str:
    found = item.get("conversationSummary") if isinstance(item, dict) else None
    return found if isinstance(found, str) else ""


def _thoughts(message: Mapping[str, Any]) -> list[Any]:
    written = "".join(str(block.get("text", "")) for block in blocks_of(message.get("content")))
    redacted = message.get("redactedThinking")
    hidden = [{"type": "redacted_thinking", "data": redacted}] if isinstance(redacted, str) and redacted else []
    return [*thinking(written, message.get("signature")), *hidden]


def _results(item: Mapping[str, Any]) -> list[Any]:
    """Return the results that are sent: those in the states of the calls."""
    made = []
    for state in item.get("toolCallStates") or []:
        if not isinstance(state, dict):
            continue
        output = state.get("output")
        if state.get("status") == "canceled":
            made.append(state_result(state.get("toolCallId"), "denied"))
        elif isinstance(output, list):
            written = "\n\n".join(str(each.get("content")) for each in output if isinstance(each, dict))
            made.append(result(state.get("toolCallId"), written, is_error=state.get("status") == "errored"))
    return made


def _context(item: Mapping[str, Any]) -> list[Any]:
    """Return the context that was sent before the user's text."""
    items = objects_in(item.get("contextItems"))
    return [block for each in items for block in blocks_of(each.get("content"))]


CONTINUE: Final = Format(
    name="continue",
    rank=410,
    title="Continue sessions",
    files="~/.continue/sessions/*.json",
    omits="logs of prompts, items that a summary takes the place of, the editor's state",
    unwritten="Continue sends the results in the states of calls, and answers the other calls itself",
    source="continuedev/continue: core/index.d.ts (Session, ChatHistoryItem), gui/src/redux/util/constructMessages.ts",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
