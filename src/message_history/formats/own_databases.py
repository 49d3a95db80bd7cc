"""The SQLite databases that `SqlSession` of this library writes; nothing here needs SQLAlchemy."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from message_history.dialects import Native
from message_history.formats.kit.base import DATABASE, Format
from message_history.formats.kit.many_conversations import Conversations
from message_history.formats.kit.raw_blocks import json_of
from message_history.formats.kit.session_tables import by_session, fit_tables

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history.formats.kit.base import Collector, Reading
    from message_history.formats.kit.document import Document

_SESSIONS: Final = "message_history_sessions"
_MESSAGES: Final = "message_history_messages"
_TABLES: Final = {
    _SESSIONS: ("number", "id", "messages", "system"),
    _MESSAGES: ("session", "position", "revision", "body"),
}


def _read(document: Document) -> Reading:
    found = Conversations()
    database = document.database
    if database is not None:
        rows = by_session(database.rows(_MESSAGES, "session, position, revision"), "session")
        for session in database.rows(_SESSIONS, "number DESC"):
            collector = found.collector()
            if isinstance(session["system"], str):
                collector.add(0, json_of(session["system"]))
            _add(collector, rows.get(session["number"], []), session["messages"])
            if collector.entries:
                label = f"session {session['id']}" if found else ""
                found.add(collector.conversation(Native(), label=label, id=session["id"]))
    return found.reading()


def _add(collector: Collector, rows: Iterable[dict[str, Any]], count: int) -> None:
    """Add the messages that count: of several with one position the newest, and none after the end."""
    bodies = {row["position"]: row["body"] for row in rows}
    for position in range(count):
        entry = json_of(bodies.get(position))
        if isinstance(entry, dict):
            collector.add(position + 1, entry)
        else:
            why = "a message that is not JSON" if position in bodies else "a message that is gone"
            collector.note(position + 1, why, bodies.get(position))


OWN_DATABASES: Final = Format(
    name="message-history-database",
    rank=15,
    title="Sessions of this library in SQLite (SqlSession)",
    files="wherever an application keeps them",
    omits="what repairs were recorded",
    unwritten=DATABASE,
    source="docs/sessions.md",
    checked="2026-11-23",
    fit=partial(fit_tables, tables=_TABLES),
    read=_read,
    judged=None,
)
