"""What `codex exec --json` prints: events of a thread, with its items as they start, change and are completed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    NOTHING_JUDGED,
    PRINTED,
    Collector,
    Format,
    Reading,
    call,
    image,
    json_text,
    result,
    row_fit,
    text,
    thinking,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document

_STARTS: Final = ("thread.started", "session.created")
_ITEMS: Final = ("item.started", "item.updated", "item.completed")
_SHOWN: Final = ("turn.started", "turn.completed", "turn.failed", "item.plan.delta", "error", *_STARTS)
_TEXTS: Final = ("agent_message", "assistant_message", "plan")
_ABOUT: Final = frozenset({"id", "type", "item_type", "status"})
_OUTCOMES: Final = frozenset({"aggregated_output", "exit_code", "agents_states", "result", "error", "server", "tool"})
_FAILED: Final = ("failed", "declined")
_ONGOING: Final = "in_progress"


def _item(row: Mapping[str, Any]) -> Mapping[str, Any]:
    item = row.get("item")
    return item if isinstance(item, dict) else {}


def _kind(item: Mapping[str, Any]) -> str:
    return str(item.get("type") or item.get("item_type"))


def _is_event(row: Mapping[str, Any]) -> bool:
    return row.get("type") in _SHOWN or row.get("type") == "request_user_input" or _is_item(row)


def _is_item(row: Mapping[str, Any]) -> bool:
    return row.get("type") in _ITEMS and not {"type", "item_type"}.isdisjoint(_item(row))


def _is_marked(row: Mapping[str, Any]) -> bool:
    return _is_item(row) or (row.get("type") == "thread.started" and "thread_id" in row)


def _read(document: Document) -> Reading:
    collector = Collector()
    ongoing: dict[str, tuple[int, Mapping[str, Any]]] = {}
    id: object = None
    for number, row in document.rows():
        kind, item = row.get("type"), _item(row)
        if kind in _STARTS:
            # Another thread counts its items anew.
            _close(collector, ongoing)
            id = id or row.get("thread_id") or row.get("session_id")
        if _is_item(row):
            if kind == "item.completed":
                ongoing.pop(str(item.get("id")), None)
                _add_item(collector, number, item)
            else:
                ongoing[str(item.get("id"))] = number, item
        elif kind == "request_user_input":
            asked = call(row.get("call_id"), "request_user_input", {"questions": row.get("questions")})
            collector.add_blocks(number, "assistant", [asked])
        elif kind in _SHOWN:
            collector.omit(f"{kind} events")
        else:
            collector.note(number, f"an event of the unknown type {kind!r}", row)
    _close(collector, ongoing)
    return collector.reading(BLOCKS, id=id)


def _close(collector: Collector, ongoing: dict[str, tuple[int, Mapping[str, Any]]]) -> None:
    """Add what there is of the items that were not completed."""
    for number, item in ongoing.values():
        _add_item(collector, number, item)
    ongoing.clear()


def _add_item(collector: Collector, number: int, item: Mapping[str, Any]) -> None:
    kind, id = _kind(item), f"line_{number}"
    if kind in _TEXTS:
        collector.add_blocks(number, "assistant", text(item.get("text")))
    elif kind == "reasoning":
        collector.add_blocks(number, "assistant", thinking(item.get("text")))
    elif kind == "todo_list":
        collector.omit("to-do lists")
    elif kind == "error":
        collector.omit("errors that were shown")
    elif kind in ("command_execution", "file_change", "mcp_tool_call", "collab_tool_call", "web_search"):
        name = item.get("tool") if kind == "collab_tool_call" else kind
        asked: object = {key: value for key, value in item.items() if key not in _ABOUT | _OUTCOMES}
        if kind == "mcp_tool_call":
            name, asked = f"mcp__{item.get('server')}__{item.get('tool')}", item.get("arguments")
        collector.add_blocks(number, "assistant", [call(id, name, asked)])
        if kind != "web_search" and item.get("status") != _ONGOING:
            failed = item.get("status") in _FAILED
            collector.add_blocks(number, "user", [result(id, _outcome(kind, item), is_error=failed)])
    else:
        collector.note(number, f"an item of the unknown type {kind!r}", item)


def _outcome(kind: str, item: Mapping[str, Any]) -> object:
    """Return what is known of the end of an item: what it gave, or else its status."""
    output: object = item.get("aggregated_output")
    if kind == "collab_tool_call":
        output = item.get("agents_states")
    elif kind == "mcp_tool_call":
        error, found = item.get("error"), item.get("result")
        output = error.get("message") if isinstance(error, dict) else _content(found)
    return output or item.get("status")


def _content(found: object) -> object:
    """Return the content of a result of MCP: its parts, or else what is structured."""
    if not isinstance(found, dict):
        return found
    parts = found.get("content")
    if not isinstance(parts, list) or not parts:
        return found.get("structured_content")
    return [block for part in parts for block in _part(part)]


def _part(part: Any) -> list[dict[str, Any]]:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "image":
        return [image(f"data:{part.get('mimeType')};base64,{part.get('data')}")]
    return text(part.get("text") if kind == "text" else json_text(part))


CODEX_STREAM: Final = Format(
    name="codex-stream",
    rank=120,
    title="Codex: printed events (exec --json)",
    files="the output of `codex exec --json`, which does not hold what the user asked",
    omits="turns, usage, errors, to-do lists, deltas; ids are made for calls, for those of items are counted anew",
    unwritten=PRINTED,
    source="openai/codex: codex-rs/exec/src/exec_events.rs",
    checked="2026-11-22",
    fit=row_fit(_is_event, _is_marked),
    read=_read,
    judged=NOTHING_JUDGED,
)
