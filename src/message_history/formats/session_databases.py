"""The databases in which programs keep all their sessions: opencode, goose, Hermes, Crush, ADK and OpenClaw."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve

from message_history.files.containers import UnopenedError
from message_history.files.unpacking import unpacked
from message_history.formats.adk import ADK
from message_history.formats.goose import add_message as add_goose_message
from message_history.formats.hermes import add_message as add_hermes_message
from message_history.formats.kit.base import DATABASE, Fit, Format
from message_history.formats.kit.document import Document
from message_history.formats.kit.many_conversations import Conversations
from message_history.formats.kit.raw_blocks import BLOCKS, call, image, json_of, result, text, thinking
from message_history.formats.kit.splicing import Line
from message_history.formats.opencode import add_message as add_opencode_message
from message_history.formats.opencode_rows import add_rows, count_messages
from message_history.formats.pi import read_entries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from message_history.formats.kit.base import Collector, Reading

    Row = dict[str, Any]

_SECOND: Final = "session_message"
_OF_SECOND: Final = ("id", "session_id", "type", "data")
"""The table of the messages of opencode's version 2, and its columns."""
_SESSIONS_OF_SECOND: Final = "session_v2"
"""Where version 2 keeps its sessions since it has a table of its own: it copies those of the first into it."""
_ENCODED: Final = ("\x00json:", "\x01json:")
"""How content begins that Hermes writes as JSON."""


def _fit(document: Document, tables: Mapping[str, tuple[str, ...]]) -> Fit:
    found = document.database
    is_it = found is not None and all(found.has(table, *columns) for table, columns in tables.items())
    return Fit.CERTAIN if is_it else Fit.NONE


def _by_session(rows: list[Row], key: str = "session_id") -> dict[object, list[Row]]:
    found: dict[object, list[Row]] = {}
    for row in rows:
        found.setdefault(row[key], []).append(row)
    return found


class _Sessions:
    """Reads the sessions of a database, each a conversation."""

    def __init__(self, document: Document) -> None:
        if document.database is None:
            raise ValueError("it is no database")
        self.database = document.database
        self._found = Conversations()

    def each(
        self, sessions: str, newest_first: str, messages: str, order: str, titles: tuple[str, ...] = ("title",)
    ) -> Iterator[tuple[Row, list[Row], Collector]]:
        """Go through the sessions with the rows of their messages, and with what their entries are added to.

        `newest_first` is the order of the sessions, `order` that of the messages. The first of `titles` that is filled
        is a session's title.
        """
        rows = _by_session(self.database.rows(messages, order))
        for session in self.database.rows(sessions, newest_first):
            collector = self.collector()
            yield session, rows.get(session["id"], []), collector
            self.add(collector, session["id"], next((session[key] for key in titles if session.get(key)), None))

    def collector(self) -> Collector:
        """Begin a session."""
        return self._found.collector()

    def add(self, collector: Collector, id: object, title: object = None) -> None:
        """Add a session; one without any message is none."""
        if collector.entries:
            label = f"session {id}" if self._found else ""
            self._found.add(collector.conversation(BLOCKS, label=label, id=id, title=title))

    def take(self, reading: Reading, id: object) -> None:
        """Add a session that the reader of another format has read."""
        main = reading.conversations[0]
        if main.file.entries:
            label = f"session {id}" if self._found else ""
            self._found.add(evolve(main, origin=evolve(main.origin, label=label)))
        self.collector().unread += reading.unread

    def reading(self) -> Reading:
        """Return what was found."""
        return self._found.reading()


def _read(document: Document, add: Callable[[_Sessions], None]) -> Reading:
    """Read a database with the function that adds the sessions of its program."""
    sessions = _Sessions(document)
    add(sessions)
    return sessions.reading()


def _fit_opencode(document: Document) -> Fit:
    first = {"session": ("id", "title"), "message": ("session_id", "data"), "part": ("message_id", "data")}
    mixed = {"session": ("id", "title"), _SECOND: _OF_SECOND}
    second = {_SESSIONS_OF_SECOND: ("id", "title"), _SECOND: _OF_SECOND}
    return max(_fit(document, first), _fit(document, mixed), _fit(document, second))


def _add_opencode_sessions(sessions: _Sessions) -> None:
    database = sessions.database
    is_first, is_second = database.has("part", "message_id", "data"), database.has(_SECOND, *_OF_SECOND)
    parts = _by_session(database.rows("part", "message_id, id") if is_first else [], "message_id")
    messages = _by_session(database.rows("message", "time_created, id") if is_first else [])
    order = "seq, id" if database.has(_SECOND, "seq") else "time_created, id"
    of_second = _by_session(database.rows(_SECOND, order) if is_second else [])
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


def _add_goose_sessions(sessions: _Sessions) -> None:
    each = sessions.each("sessions", "updated_at DESC, id", "messages", "id", titles=("name", "description"))
    for _, rows, collector in each:
        for n, row in enumerate(rows):
            content, about = json_of(row["content_json"]), json_of(row.get("metadata_json"))
            add_goose_message(collector, n, {"role": row["role"], "content": content, "metadata": about})


def _add_hermes_sessions(sessions: _Sessions) -> None:
    database = sessions.database
    has_prompts = database.has("system_prompts", "hash", "prompt")
    prompts = {row["hash"]: row["prompt"] for row in database.rows("system_prompts", "hash")} if has_prompts else {}
    for session, rows, collector in sessions.each("sessions", "started_at DESC, id", "messages", "id"):
        prompt = session.get("system_prompt") or prompts.get(session.get("system_prompt_hash"))
        if isinstance(prompt, str) and prompt.strip():
            collector.add(0, {"role": "system", "content": prompt})
        for n, row in enumerate(rows):
            content = row["content"]
            if isinstance(content, str) and content.startswith(_ENCODED):
                content = json_of(content[len(_ENCODED[0]) :])
            message = {**row, "id": None, "content": content, "tool_calls": json_of(row.get("tool_calls"))}
            if row.get("active") == 0:
                collector.omit("messages that were rewound or compacted")
            elif row["role"] == "session_meta":
                collector.omit("records about the session")
            elif not add_hermes_message(collector, n, message):
                collector.note(n, "a message of an unknown role", row)


def _add_crush_sessions(sessions: _Sessions) -> None:
    for session, rows, collector in sessions.each("sessions", "updated_at DESC, id", "messages", "created_at, rowid"):
        # Crush sends the newest summary, as the user's, and what came after it.
        summary = session.get("summary_message_id")
        first = next((n for n, row in enumerate(rows) if summary and row["id"] == summary), 0)
        collector.omit("messages that a summary takes the place of", first)
        for n, row in enumerate(rows[first:], first):
            role = "user" if summary and row["id"] == summary else row["role"]
            _add_crush(collector, n, role, json_of(row["parts"]))


def _add_crush(collector: Collector, n: int, role: str, parts: object) -> None:
    if not isinstance(parts, list):
        collector.note(n, "a message whose parts are no list", parts)
        return
    speaker = "user" if role == "tool" else role
    for part in parts:
        kind = part.get("type") if isinstance(part, dict) else None
        data = part.get("data") if isinstance(part, dict) else None
        if not isinstance(data, dict):
            collector.note(n, "a part without data", part)
        elif kind == "finish":
            collector.omit("ends of replies")
        else:
            blocks = _crush_blocks(str(kind), data)
            if blocks is None:
                collector.note(n, f"a part of the unknown type {kind!r}", part)
            elif speaker == "system":
                collector.add(n, {"role": "system", "content": blocks})
            else:
                collector.add_blocks(n, speaker, blocks)


def _crush_blocks(kind: str, data: Mapping[str, Any]) -> list[Any] | None:
    if kind == "text":
        return text(data.get("text"))
    if kind == "reasoning":
        return thinking(data.get("thinking"), data.get("signature"))
    if kind == "image_url":
        return [image(data.get("url"))]
    if kind == "binary":
        media = str(data.get("MIMEType"))
        is_image = media.startswith("image/") and isinstance(data.get("Data"), str)
        return [image(f"data:{media};base64,{data['Data']}")] if is_image else text(f"[attached: {data.get('Path')}]")
    if kind == "tool_call":
        return [call(data.get("id"), data.get("name"), data.get("input"))]
    if kind == "tool_result":
        media = str(data.get("mime_type"))
        shown = (
            [image(f"data:{media};base64,{data['data']}")] if data.get("data") and media.startswith("image/") else []
        )
        content = [*text(data.get("content")), *shown] if shown else data.get("content")
        return [result(data.get("tool_call_id"), content, is_error=data.get("is_error"))]
    if kind == "shell_command":
        return text(f"$ {data.get('command')}\n{data.get('output')}\n(exit code {data.get('exit_code')})")
    return None


def _add_adk_sessions(sessions: _Sessions) -> None:
    events = _by_session(sessions.database.rows("events", "timestamp, rowid"))
    for session in sessions.database.rows("sessions", "update_time DESC, id"):
        rows = [row for row in events.get(session["id"], []) if _owner(row) == _owner(session)]
        reading = ADK.read(Document(data=b"", text="", value={"id": session["id"], "events": list(map(_event, rows))}))
        sessions.take(reading, session["id"])


def _owner(row: Row) -> tuple[object, object]:
    return row.get("app_name"), row.get("user_id")


def _event(row: Row) -> Row:
    """Return an event: its columns have the content by itself in versions before 1.22."""
    found = json_of(row.get("event_data"))
    if isinstance(found, dict):
        return found
    about = {key: row.get(key) for key in ("author", "invocation_id", "partial")}
    return {**about, "partial": bool(about["partial"]), "content": json_of(row.get("content"))}


def _add_openclaw_sessions(sessions: _Sessions) -> None:
    events = _by_session(sessions.database.rows("transcript_events", "session_id, seq"))
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
    """Return an entry, and why there is none."""
    packed = row.get("event_zstd")
    if row["event_json"] is not None or not isinstance(packed, bytes):
        return json_of(row["event_json"]), "an entry that is no JSON"
    try:
        return json_of(unpacked(packed).decode(errors="replace")), "an entry that is no JSON"
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
    read=partial(_read, add=_add_opencode_sessions),
)
GOOSE_DATABASE: Final = Format(
    name="goose-database",
    rank=770,
    title="goose: its database of sessions",
    files="~/.local/share/goose/sessions/sessions.db",
    omits="as of `goose`",
    unwritten=DATABASE,
    source="block/goose: crates/goose/src/session/session_manager.rs",
    checked="2026-11-22",
    fit=partial(_fit, tables={"sessions": ("id", "working_dir"), "messages": ("session_id", "role", "content_json")}),
    read=partial(_read, add=_add_goose_sessions),
)
HERMES_DATABASE: Final = Format(
    name="hermes-database",
    rank=780,
    title="Hermes Agent: its database of sessions",
    files="~/.hermes/state.db",
    omits="messages that were rewound or compacted",
    unwritten=DATABASE,
    source="NousResearch/hermes-agent: hermes_state.py, hermes_state_common.py",
    checked="2026-11-22",
    fit=partial(
        _fit,
        tables={
            "sessions": ("id", "source", "started_at"),
            "messages": ("session_id", "content", "tool_calls", "tool_call_id"),
        },
    ),
    read=partial(_read, add=_add_hermes_sessions),
)
CRUSH_DATABASE: Final = Format(
    name="crush",
    rank=790,
    title="Crush: its database of sessions",
    files=".crush/crush.db",
    omits="messages that a summary takes the place of, ends of replies",
    unwritten=DATABASE,
    source="charmbracelet/crush: internal/db, internal/message, internal/agent/agent.go",
    checked="2026-11-22",
    fit=partial(
        _fit,
        tables={"sessions": ("id", "title", "prompt_tokens"), "messages": ("session_id", "role", "parts")},
    ),
    read=partial(_read, add=_add_crush_sessions),
)
ADK_DATABASE: Final = Format(
    name="adk-database",
    rank=800,
    title="Google ADK: its database of sessions",
    files="what `DatabaseSessionService` and `adk web --session_service_uri` write",
    omits="as of `adk`",
    unwritten=DATABASE,
    source="google/adk-python: sessions/schemas/v0.py, v1.py (2.13.0)",
    checked="2026-11-22",
    fit=partial(_fit, tables={"sessions": ("app_name", "user_id", "id"), "events": ("session_id", "invocation_id")}),
    read=partial(_read, add=_add_adk_sessions),
    judged=ADK.judged,
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
    fit=partial(_fit, tables={"transcript_events": ("session_id", "seq", "event_json")}),
    read=partial(_read, add=_add_openclaw_sessions),
)
