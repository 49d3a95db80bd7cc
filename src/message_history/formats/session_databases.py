"""The databases in which opencode and OpenClaw keep all their sessions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from message_history.files.containers import UnopenedError
from message_history.files.unpacking import unpacked
from message_history.formats.kit.base import DATABASE, Fit, Format
from message_history.formats.kit.document import Document
from message_history.formats.kit.raw_blocks import json_of
from message_history.formats.kit.session_tables import Sessions, by_session, fit_tables, read_sessions
from message_history.formats.kit.splicing import Line
from message_history.formats.opencode import add_message as add_opencode_message
from message_history.formats.opencode_rows import add_rows, count_messages
from message_history.formats.pi import read_entries

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit.base import Collector

    Row = dict[str, Any]

_SECOND: Final = "session_message"
_OF_SECOND: Final = ("id", "session_id", "type", "data")
"""The table of the messages of opencode's version 2, and its columns."""
_SESSIONS_OF_SECOND: Final = "session_v2"
"""Where version 2 keeps its sessions since it has a table of its own: it copies those of the first into it."""


def _fit_opencode(document: Document) -> Fit:
    first = {"session": ("id", "title"), "message": ("session_id", "data"), "part": ("message_id", "data")}
    mixed = {"session": ("id", "title"), _SECOND: _OF_SECOND}
    second = {_SESSIONS_OF_SECOND: ("id", "title"), _SECOND: _OF_SECOND}
    return max(fit_tables(document, first), fit_tables(document, mixed), fit_tables(document, second))


def _add_opencode_sessions(sessions: Sessions) -> None:
    database = sessions.database
    is_first, is_second = database.has("part", "message_id", "data"), database.has(_SECOND, *_OF_SECOND)
    parts = by_session(database.rows("part", "message_id, id") if is_first else [], "message_id")
    messages = by_session(database.rows("message", "time_created, id") if is_first else [])
    order = "seq, id" if database.has(_SECOND, "seq") else "time_created, id"
    of_second = by_session(database.rows(_SECOND, order) if is_second else [])
    kept = {
        session["id"]: session
        for table in ("session", _SESSIONS_OF_SECOND)
        for session in (database.rows(table, "id") if database.has(table, "id", "title") else [])
    }
    for session in sorted(kept.values(), key=lambda session: (-session["time_created"], session["id"])):
        collector = sessions.collector()
        rows = messages.get(session["id"], [])
        later = [(str(row["type"]), json_of(row["data"])) for row in of_second.get(session["id"], [])]
        # A session of the first version goes on in the second, which copies what was there.
        if count_messages(later) > len(rows):
            add_rows(collector, later)
        else:
            _add_opencode(collector, rows, parts)
        sessions.add(collector, session["id"], session["title"])


def _add_opencode(collector: Collector, rows: list[Row], parts: Mapping[object, list[Row]]) -> None:
    for n, row in enumerate(rows):
        info = json_of(row["data"])
        found = [json_of(part["data"]) for part in parts.get(row["id"], [])]
        if not isinstance(info, dict) or "role" not in info:
            collector.note(n, "a message without a role", row)
        else:
            add_opencode_message(collector, n, {"info": info, "parts": found})


def _add_openclaw_sessions(sessions: Sessions) -> None:
    events = by_session(sessions.database.rows("transcript_events", "session_id, seq"))
    for id, rows in events.items():
        lines, problems = [], []
        for n, row in enumerate(rows, 1):
            entry, problem = _openclaw_entry(row)
            if isinstance(entry, dict):
                lines.append(Line(n, b"", entry))
            else:
                problems.append((n, problem))
        collector = sessions.collector()
        read_entries(Document(data=b"", text="", lines=tuple(lines)), collector)
        for n, problem in problems:
            collector.note(n, problem, n)
        sessions.add(collector, id)


def _openclaw_entry(row: Row) -> tuple[Any, str]:
    """Return an entry, and what is wrong with it if it is None."""
    packed = row.get("event_zstd")
    if row["event_json"] is not None or not isinstance(packed, bytes):
        return json_of(row["event_json"]), "an entry that is not JSON"
    try:
        return json_of(unpacked(packed).decode(errors="replace")), "an entry that is not JSON"
    except UnopenedError as error:
        return None, f"an entry that cannot be read: {error}"


OPENCODE_DATABASE: Final = Format(
    name="opencode-database",
    rank=760,
    title="opencode: its database of sessions, of versions 1 and 2",
    files="~/.local/share/opencode/opencode.db",
    omits="as of `opencode`",
    unwritten=DATABASE,
    source="anomalyco/opencode: session/message-v2.ts, packages/core/src/session (1.18.33); databases of 2.0",
    checked="2026-11-23",
    fit=_fit_opencode,
    read=partial(read_sessions, add=_add_opencode_sessions),
)
OPENCLAW_DATABASE: Final = Format(
    name="openclaw-database",
    rank=810,
    title="OpenClaw: the database of an agent's sessions",
    files="~/.openclaw/agents/**/*.sqlite",
    omits="as of `pi`; what is packed with Zstandard, Python 3.14 or the package zstandard unpacks",
    unwritten=DATABASE,
    source="the schema in the package openclaw 2026.9.6",
    checked="2026-11-22",
    fit=partial(fit_tables, tables={"transcript_events": ("session_id", "seq", "event_json")}),
    read=partial(read_sessions, add=_add_openclaw_sessions),
)
