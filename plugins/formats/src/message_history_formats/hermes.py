"""The sessions of Hermes Agent: an object around messages, or lines that begin with one about the session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from message_history.formats.kit import BLOCKS, ChatRows, Collector, Fit, Format, Reading, add_chat_message, fit_items

if TYPE_CHECKING:
    from message_history.formats.kit import Document

_META: Final = "session_meta"


def _fit(document: Document) -> Fit:
    if isinstance(document.object.get("messages"), list):
        marks = document.object.keys() & {"session_id", "session_start", "platform", "message_count", "last_updated"}
        return Fit.CERTAIN if {"session_id", "session_start"} <= marks else Fit.NONE
    return fit_items(
        document.first_rows, lambda row: "role" in row, lambda row: row.get("role") == _META, is_common=True
    )


def _read(document: Document) -> Reading:
    collector = Collector()
    about = document.object
    if isinstance(about.get("system_prompt"), str) and about["system_prompt"]:
        collector.add(0, {"role": "system", "content": about["system_prompt"]})
    messages = about.get("messages")
    for number, row in enumerate(messages) if isinstance(messages, list) else document.rows():
        if isinstance(row, dict) and row.get("role") == _META:
            about = {**row, **about}
            collector.omit("records about the session")
        elif not add_message(collector, number, row):
            collector.note(number, "a message of an unknown role", row)
    return collector.reading(BLOCKS, id=about.get("session_id"), title=about.get("title"), tools=about.get("tools"))


def add_message(collector: Collector, place: int, row: object) -> bool:
    """Add a message. Returns whether its role is known."""
    if isinstance(row, dict) and row.get("codex_reasoning_items"):
        collector.omit("reasoning in the form of Codex, mostly encrypted")
    return add_chat_message(collector, place, row)


_FORM: Final = ChatRows(list_key="messages").form()


HERMES: Final = Format(
    name="hermes",
    rank=310,
    title="Hermes Agent sessions",
    files="~/.hermes/sessions/*.json and .jsonl",
    omits="records about the session",
    source="NousResearch/hermes-agent: gateway/session.py; files of 2026",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    repair=_FORM.repair,
)
