"""What `pi --mode json` prints: the session's header, and each event of the agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import BLOCKS, NOTHING_JUDGED, PRINTED, Collector, Format, Reading, row_fit
from message_history.formats.pi import add_message

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document

_MESSAGES: Final = ("message_start", "message_update", "message_end")
_TURNS: Final = ("agent_start", "agent_end", "turn_start", "turn_end")
_RUN: Final = "tool_execution_end"
_SHOWN: Final = (
    *("tool_execution_start", "tool_execution_update", _RUN, "auto_compaction_start"),
    *("auto_compaction_end", "auto_retry_start", "auto_retry_end", "compaction_start", "compaction_end"),
    *("session", "session_info_changed", "thinking_level_changed", "queue_update", "agent_settled"),
)


def _is_message(row: Mapping[str, Any]) -> bool:
    return row.get("type") in _MESSAGES and isinstance(row.get("message"), dict)


def _is_event(row: Mapping[str, Any]) -> bool:
    return _is_message(row) or row.get("type") in (*_TURNS, *_SHOWN)


def _is_marked(row: Mapping[str, Any]) -> bool:
    return row.get("type") in _TURNS or (
        _is_message(row) and "role" in row["message"] and "timestamp" in row["message"]
    )


def _read(document: Document) -> Reading:
    collector = Collector()
    ongoing: tuple[int, Mapping[str, Any]] | None = None
    runs: dict[object, tuple[int, Mapping[str, Any]]] = {}
    id: object = None
    for number, row in document.rows():
        kind = row.get("type")
        if kind == "session":
            id = row.get("id")
        if kind == "message_end" and _is_message(row):
            ongoing = None
            if row["message"].get("role") == "assistant":
                _add_runs(collector, runs)
            elif runs.pop(row["message"].get("toolCallId"), None) is not None:
                collector.omit(f"{_RUN} events")
            add_message(collector, number, row["message"])
        elif kind == _RUN:
            runs[row.get("toolCallId")] = (number, row)
        elif _is_message(row):
            ongoing = number, row["message"]
            collector.omit("messages before they were complete")
        elif kind in _TURNS or kind in _SHOWN:
            collector.omit(f"{kind} events")
        else:
            collector.note(number, f"an event of the unknown type {kind!r}", row)
    _add_runs(collector, runs)
    if ongoing is not None:
        add_message(collector, *ongoing)
    return collector.reading(BLOCKS, id=id)


def _add_runs(collector: Collector, runs: dict[object, tuple[int, Mapping[str, Any]]]) -> None:
    """Add what runs of tools gave whose results were not printed as messages, where their calls wait for them."""
    last: list[Any] = next(
        (entry["content"] for entry in reversed(collector.entries) if entry["role"] == "assistant"), []
    )
    called = [block.get("id") for block in last if block.get("type") == "tool_use"]
    for id, (number, row) in runs.items():
        if id in called:
            gave = row["result"] if isinstance(row.get("result"), dict) else {}
            about = {"role": "toolResult", "toolCallId": id, "isError": row.get("isError")}
            add_message(collector, number, {**about, "content": gave.get("content")})
        else:
            collector.omit(f"{_RUN} events")
    runs.clear()


PI_STREAM: Final = Format(
    name="pi-stream",
    rank=130,
    title="pi: printed events (--mode json)",
    files="the output of `pi --mode json`",
    omits="turns, runs of tools, retries, compactions, messages before they were complete, replies that failed",
    unwritten=PRINTED,
    source="badlogic/pi-mono: packages/coding-agent/src/modes/print-mode.ts, packages/agent/src/types.ts",
    checked="2026-11-23",
    fit=row_fit(_is_event, _is_marked),
    read=_read,
    judged=NOTHING_JUDGED,
)
