"""Hugging Face's simple format of session traces: a header that names a harness, then one message per line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from message_history.formats.kit import OUTCOME, Collector, Fit, Format, Reading, fit_of

if TYPE_CHECKING:
    from message_history.formats.kit import Document


def _fit(document: Document) -> Fit:
    rows = document.first_rows
    header = rows[0] if rows else {}
    marked = header.get("type") == "session" and isinstance(header.get("harness"), str)
    return fit_of(sum(row.get("type") in ("session", "message") for row in rows), marked, len(rows))


def _read(document: Document) -> Reading:
    collector = Collector()
    header = next((row for _, row in document.rows() if row.get("type") == "session"), {})
    for number, row in document.rows():
        if row.get("type") == "message" and isinstance(row.get("message"), dict):
            collector.add(number, row["message"])
        elif row.get("type") == "session":
            collector.omit("header")
        else:
            collector.note(number, f"a row of the unknown type {row.get('type')!r}", row)
    return collector.reading(None, id=header.get("id"), title=header.get("name"))


SESSION_TRACES: Final = Format(
    name="session-traces",
    rank=890,
    title="Hugging Face session traces (STS); traces of Claude Code, Codex and pi are files of these programs",
    files="data sets and buckets on the Hub",
    omits="the header",
    unwritten=OUTCOME,
    source="huggingface.co/docs/hub/session-traces-format",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
)
