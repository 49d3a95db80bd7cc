"""The sessions of Claude Code; `sessions.claude_code` knows their lines."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from message_history.formats import claude_code_rows as claude_code
from message_history.formats.claude_lookalikes import is_agents_item, is_printed
from message_history.formats.kit.base import Fit, Format
from message_history.formats.kit.spliced import read_threads, repair_threads

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit.document import Document

_MARKS: Final = frozenset({"uuid", "parentUuid", "leafUuid", "isSidechain", "message"})
_SPOKEN: Final = ("user", "assistant", "system")
_KINDS: Final = frozenset({"summary", "queue-operation", "file-history-snapshot", "custom-title", "ai-title"})


def _has_parts(row: Mapping[str, Any]) -> bool:
    message = row.get("message")
    return isinstance(message, dict) and "parts" in message


def _fit(document: Document) -> Fit:
    rows = document.first_rows
    # Qwen Code's lines are built like these, around contents of Gemini, and CodeBuddy's around items of its SDK.
    if any(map(_has_parts, rows)) or any(map(is_agents_item, rows)) or is_printed(document):
        return Fit.NONE
    lines = [row for row in rows if claude_code.is_line(row)]
    if any(row.keys() & _MARKS or row["type"] in _KINDS for row in lines):
        return Fit.CERTAIN
    return Fit.NEAR if any(row["type"] in _SPOKEN for row in lines) else Fit.NONE


CLAUDE_CODE: Final = Format(
    name="claude-code",
    rank=20,
    title="Claude Code sessions",
    files="~/.claude/projects/*/*.jsonl",
    omits="summaries, snapshots, errors of the API, rewound and compacted lines",
    source="files of versions 1.0 to 2.1",
    checked="2026-11-22",
    fit=_fit,
    read=partial(read_threads, threads=claude_code.threads, kind=claude_code.kind_of),
    repair=partial(repair_threads, threads=claude_code.parsed_threads, weave=claude_code.spliced),
    judged=None,
)
