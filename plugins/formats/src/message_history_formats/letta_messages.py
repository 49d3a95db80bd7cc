"""Messages of Letta's API: one for each thing that was said, thought, called or returned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    PRINTED,
    Collector,
    Fit,
    Format,
    blocks_of,
    call,
    fit_items,
    json_text,
    objects_in,
    result,
    thinking,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document, Reading

_TEXTS: Final = {"user_message": "user", "assistant_message": "assistant", "system_message": "system"}
_CALLS: Final = ("tool_call_message", "approval_request_message")
_RESULT: Final = "tool_return_message"
_SHOWN: Final = ("hidden_reasoning_message", "approval_response_message", "event_message", "summary_message")
_KINDS: Final = {*_TEXTS, *_CALLS, _RESULT, "reasoning_message", *_SHOWN}


def _is_message(item: Mapping[str, Any]) -> bool:
    return item.get("message_type") in _KINDS


def _messages(document: Document) -> list[tuple[int, Any]]:
    listed = document.object.get("messages")
    return list(enumerate(listed)) if isinstance(listed, list) else document.numbered_items


def _fit(document: Document) -> Fit:
    return fit_items(objects_in([item for _, item in _messages(document)[:60]]), _is_message)


def _read(document: Document) -> Reading:
    collector = Collector()
    for n, message in _in_order(_messages(document)):
        if isinstance(message, dict) and _is_message(message):
            _add(collector, n, message)
        else:
            collector.note(n, "an entry that is not a message", message)
    return collector.reading(BLOCKS)


def _in_order(messages: list[tuple[int, Any]]) -> list[tuple[int, Any]]:
    """Return the oldest message first: the API gives the newest first, unless it is asked not to."""
    dates = [message.get("date") for _, message in messages if isinstance(message, dict)]
    known = [date for date in dates if isinstance(date, str)]
    return messages[::-1] if known and known[0] > known[-1] else messages


def _add(collector: Collector, n: int, message: Mapping[str, Any]) -> None:
    kind = message["message_type"]
    if kind in _TEXTS:
        collector.add_blocks(n, _TEXTS[kind], blocks_of(message.get("content")))
    elif kind == "reasoning_message":
        collector.add_blocks(n, "assistant", thinking(message.get("reasoning"), message.get("signature")))
    elif kind in _CALLS:
        called = message.get("tool_calls") or message.get("tool_call")
        asked = objects_in(called if isinstance(called, list) else [called])
        made = [call(each.get("tool_call_id"), each.get("name"), each.get("arguments")) for each in asked]
        collector.add_blocks(n, "assistant", made)
    elif kind == _RESULT:
        returned = objects_in(message.get("tool_returns")) or [dict(message)]
        collector.add_blocks(n, "user", [_result(each) for each in returned])
    else:
        collector.omit(f"{kind}s")


def _result(returned: Mapping[str, Any]) -> dict[str, Any]:
    found = returned.get("tool_return")
    content = found if isinstance(found, str) else json_text(found)
    return result(returned.get("tool_call_id"), content, is_error=returned.get("status") == "error")


LETTA_MESSAGES: Final = Format(
    name="letta-messages",
    rank=611,
    title="Messages of Letta's API",
    files="what `GET /v1/agents/*/messages` gives, and what a request does",
    omits="hidden reasoning, answers to requests for approval, events, summaries",
    unwritten=PRINTED,
    source="letta-ai/letta: letta/schemas/letta_message.py",
    checked="2026-11-27",
    fit=_fit,
    read=_read,
)
