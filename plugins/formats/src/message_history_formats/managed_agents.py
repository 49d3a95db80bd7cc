"""The events of a session of Claude Managed Agents, as the API lists them and its console exports them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    EXPORTED,
    NOTHING_JUDGED,
    Collector,
    Fit,
    Format,
    call,
    fit_items,
    result,
    text,
)
from message_history.formats.kit.document import INSPECTED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document, Reading

_MESSAGES: Final = {
    "user.message": "user",
    "agent.message": "assistant",
    "agent.thread_message_received": "user",
    "system.message": "system",
}
"""The events with words, and whose they are; what another agent sent was put to this one as the user's."""
_CALLS: Final = ("agent.tool_use", "agent.mcp_tool_use", "agent.custom_tool_use")
_RESULTS: Final = {
    "agent.tool_result": "tool_use_id",
    "agent.mcp_tool_result": "mcp_tool_use_id",
    "user.custom_tool_result": "custom_tool_use_id",
    "user.tool_result": "tool_use_id",
}
"""The results, and the key of the event of their call."""
_OUTCOME: Final = "user.define_outcome"
_REQUEST: Final = "span.model_request_end"
_DOMAINS: Final = ("user", "agent", "system", "session", "span", "event", "workflow_run", "event_start", "event_delta")
_REDACTED: Final = "redacted"


def _events(document: Document) -> list[Any]:
    """Return the events: a list, lines, or a page of what the API lists."""
    page = document.object.get("data")
    return page if isinstance(page, list) else [event for _, event in document.numbered_items]


def _has_shape(event: Mapping[str, Any]) -> bool:
    kind = event.get("type")
    return isinstance(kind, str) and kind.split(".")[0] in _DOMAINS and ("id" in event or "event_id" in event)


def _is_marked(event: Mapping[str, Any]) -> bool:
    kind = event.get("type")
    if not _has_shape(event) or kind not in (*_MESSAGES, *_CALLS, *_RESULTS, _OUTCOME):
        return False
    if kind in _CALLS:
        return isinstance(event.get("name"), str) and isinstance(event.get("input"), dict)
    if kind in _RESULTS:
        return isinstance(event.get(_RESULTS[kind]), str)
    return "outcome_id" in event if kind == _OUTCOME else isinstance(event.get("content"), list)


def _fit(document: Document) -> Fit:
    return fit_items([each for each in _events(document)[:INSPECTED] if isinstance(each, dict)], _has_shape, _is_marked)


def _read(document: Document) -> Reading:
    events = _events(document)
    dates = [each["processed_at"] for each in events if isinstance(each, dict) and each.get("processed_at")]
    numbered = list(enumerate(events))
    if len(dates) > 1 and str(dates[0]) > str(dates[-1]):
        # They are listed from the newest to the oldest.
        numbered.reverse()
    collector = Collector()
    # What waited for its turn is listed again where it was taken.
    last = {event["id"]: n for n, event in numbered if isinstance(event, dict) and "id" in event}
    for n, event in numbered:
        if not isinstance(event, dict) or not _has_shape(event):
            collector.note(n, "an item that is not an event", event)
        elif last.get(event.get("id"), n) != n:
            collector.omit("events that are listed again")
        else:
            _add(collector, n, event)
    _order_results(collector.entries)
    return collector.reading(BLOCKS)


def _order_results(entries: list[Any]) -> None:
    """Put results in the order of their calls, as the service sends them: they are listed in order of arrival."""
    calls: dict[object, int] = {}
    for entry in entries:
        if entry["role"] == "assistant":
            calls = {block.get("id"): n for n, block in enumerate(entry["content"]) if block.get("type") == "tool_use"}
        elif entry["role"] == "user":
            entry["content"].sort(key=lambda block, calls=calls: calls.get(block.get("tool_use_id"), len(calls)))


def _add(collector: Collector, n: int, event: Mapping[str, Any]) -> None:
    kind = event["type"]
    role = _MESSAGES.get(kind)
    if event.get("session_thread_id") and kind in (*_CALLS, *_RESULTS):
        collector.omit("calls of other agents, and their results")
    elif role == "system":
        collector.add(n, {"role": role, "content": _content(collector, event)})
    elif role is not None:
        collector.add_blocks(n, role, _content(collector, event))
    elif kind == _OUTCOME:
        collector.add_blocks(n, "user", text(event.get("description")))
    elif kind in _CALLS:
        collector.add_blocks(n, "assistant", [call(event.get("id"), event.get("name"), event.get("input"))])
    elif kind in _RESULTS:
        inner = _content(collector, event)
        collector.add_blocks(n, "user", [result(event[_RESULTS[kind]], inner or "", is_error=event.get("is_error"))])
    else:
        if kind == _REQUEST and isinstance(event.get("model_usage"), dict) and event.get("is_error") is not True:
            collector.reply({"usage": event["model_usage"]}, "anthropic")
        collector.omit(f"events of type {kind}")


def _content(collector: Collector, event: Mapping[str, Any]) -> list[Any]:
    """Return the blocks of an event, but for those that Anthropic withholds."""
    blocks = event.get("content") or []
    kept = [block for block in blocks if not isinstance(block, dict) or block.get("type") != _REDACTED]
    collector.omit("blocks that are withheld", len(blocks) - len(kept))
    return kept


MANAGED_AGENTS: Final = Format(
    name="managed-agents",
    rank=590,
    title="Claude Managed Agents: events of a session",
    files="what GET /v1/sessions/{id}/events gives, page by page or as a list, and the JSON that the console exports",
    omits="states, requests for leave, what other agents did, grades of outcomes; thinking is not in the events",
    unwritten=EXPORTED,
    source="anthropic-sdk-python: types/beta/sessions (2.12.0); logs of sessions in public repositories",
    checked="2026-11-23",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
