"""The steps of Antigravity's command line: plans of the model, and actions with what came of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    NOTHING_JUDGED,
    Collector,
    Format,
    Reading,
    call,
    result,
    row_fit,
    text,
    thinking,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document


def _is_step(row: Mapping[str, Any]) -> bool:
    return "step_index" in row and isinstance(row.get("source"), str) and isinstance(row.get("type"), str)


def _read(document: Document) -> Reading:
    collector = Collector()
    open_calls: list[dict[str, Any]] = []
    for number, row in document.rows():
        if not _is_step(row):
            collector.note(number, "a row that is not a step", row)
            continue
        if row.get("truncated_fields"):
            collector.omit("steps that the program has truncated")
        kind, content = row["type"], row.get("content")
        if kind == "USER_INPUT":
            collector.add_blocks(number, "user", text(content))
        elif kind == "PLANNER_RESPONSE":
            open_calls = [_call(number, n, each) for n, each in enumerate(row.get("tool_calls") or [])]
            collector.add_blocks(number, "assistant", [*thinking(row.get("thinking")), *text(content), *open_calls])
        elif row["source"] == "SYSTEM" and content:
            collector.add(number, {"role": "system", "content": str(content)})
        elif row["source"] == "SYSTEM":
            collector.omit(f"steps of type {kind}")
        else:
            _add_action(collector, number, row, open_calls)
    return collector.reading(BLOCKS)


def _call(number: int, n: int, made: Any) -> dict[str, Any]:
    made = made if isinstance(made, dict) else {}
    return call(made.get("id") or f"line_{number}_{n}", made.get("name"), made.get("args"))


def _add_action(collector: Collector, number: int, row: Mapping[str, Any], open_calls: list[dict[str, Any]]) -> None:
    """Add an action: it answers the oldest open call, or else is a separate call, named by its type."""
    if open_calls:
        made = open_calls.pop(0)
    else:
        made = call(f"line_{number}", row["type"].lower(), {})
        collector.add_blocks(number, "assistant", [made])
    failed = row.get("status") in ("ERROR", "FAILED")
    collector.add_blocks(number, "user", [result(made["id"], row.get("content"), is_error=failed)])


ANTIGRAVITY: Final = Format(
    name="antigravity",
    rank=230,
    title="Antigravity CLI steps",
    files="~/.gemini/antigravity-cli/**/*.jsonl",
    omits="marks of the program; it truncates long contents itself and records no ids of calls",
    unwritten="Antigravity goes on from its own database; this is a copy, truncated and without ids of calls",
    source="files of 2026, and jazzyalex/agent-sessions: AntigravityTranscriptParser.swift (no public source)",
    checked="2026-11-22",
    fit=row_fit(_is_step),
    read=_read,
    judged=NOTHING_JUDGED,
)
