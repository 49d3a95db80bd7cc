"""The transcripts that Windsurf writes for hooks: a step in each line, with what it was asked and what it gave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    NOTHING_JUDGED,
    Collector,
    Fit,
    Format,
    Reading,
    call,
    first_of,
    fit_items,
    result,
    text,
    thinking,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document

_MARKS: Final = ("user_input", "planner_response")
_OUTPUTS: Final = ("output", "content", "result", "results", "response", "exit_code", "total_results", "user_rejected")
"""The keys of a step that hold what it gave; the others hold what it was asked."""
_WORDS: Final = frozenset({"output", "content", "user_rejected", "exit_code"})
"""When the outputs of a step are only in these keys, its result is the `output`, as text."""
_BESIDE: Final = ("original_content", "acknowledgement_type")
"""What a change of a file was made to, and whether the user took it."""


def _is_step(row: Mapping[str, Any]) -> bool:
    kind = row.get("type")
    return isinstance(kind, str) and isinstance(row.get(kind), dict) and row.keys() <= {"type", "status", kind}


def _fit(document: Document) -> Fit:
    return fit_items(document.first_rows, _is_step, lambda row: _is_step(row) and row["type"] in _MARKS)


def _read(document: Document) -> Reading:
    collector = Collector()
    for number, row in document.rows():
        if not _is_step(row):
            collector.note(number, "a row that is not a step", row)
            continue
        kind, about = row["type"], row[row["type"]]
        if kind == "user_input":
            collector.add_blocks(number, "user", text(first_of(about, "user_response", "content", "text")))
        elif kind == "planner_response":
            thought = thinking(about.get("thinking"))
            collector.add_blocks(number, "assistant", [*thought, *text(about.get("response"))])
        else:
            _add_tool(collector, number, row, about)
    return collector.reading(BLOCKS)


def _add_tool(collector: Collector, number: int, row: Mapping[str, Any], about: Mapping[str, Any]) -> None:
    id = f"line_{number}"
    asked = {key: value for key, value in about.items() if key not in (*_OUTPUTS, *_BESIDE)}
    gave = {key: about[key] for key in _OUTPUTS if key in about}
    collector.add_blocks(number, "assistant", [call(id, row["type"], asked)])
    code = about.get("exit_code")
    failed = row.get("status") == "error" or about.get("user_rejected") is True or code not in (None, 0)
    only = first_of(gave, "output", "content") if gave.keys() <= _WORDS else None
    shown = f"{only}\n(exit code {code})" if code not in (None, 0) else only
    output = shown if isinstance(only, str) else gave or str(row.get("status"))
    collector.add_blocks(number, "user", [result(id, output, is_error=failed)])
    collector.omit("contents of files before a change", int("original_content" in about))


WINDSURF: Final = Format(
    name="windsurf",
    rank=240,
    title="Windsurf transcripts",
    files="~/.windsurf/transcripts/*.jsonl; its own store, ~/.codeium/windsurf/cascade/*.pb, is encrypted",
    omits="contents of files before a change; Windsurf writes no ids of calls",
    unwritten="Windsurf goes on from its own encrypted store; this is a copy, without ids of calls",
    source="files of 2026 (git-ai-project/git-ai: tests/fixtures/windsurf-session-simple.jsonl); no public source",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
