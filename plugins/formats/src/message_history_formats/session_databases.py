"""The databases in which goose, Hermes, Crush and ADK keep all their sessions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import DATABASE, Document, Format, call, image, json_of, result, text, thinking
from message_history.formats.kit.session_tables import Sessions, by_session, fit_tables, read_sessions
from message_history_formats.adk import ADK
from message_history_formats.goose import add_message as add_goose_message
from message_history_formats.hermes import add_message as add_hermes_message

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Collector

    Row = dict[str, Any]

_ENCODED: Final = ("\x00json:", "\x01json:")
"""How content begins that Hermes writes as JSON."""


def _add_goose_sessions(sessions: Sessions) -> None:
    each = sessions.each("sessions", "updated_at DESC, id", "messages", "id", titles=("name", "description"))
    for _, rows, collector in each:
        for n, row in enumerate(rows):
            content, about = json_of(row["content_json"]), json_of(row.get("metadata_json"))
            add_goose_message(collector, n, {"role": row["role"], "content": content, "metadata": about})


def _add_hermes_sessions(sessions: Sessions) -> None:
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


def _add_crush_sessions(sessions: Sessions) -> None:
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
        collector.note(n, "a message whose parts are not a list", parts)
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


def _add_adk_sessions(sessions: Sessions) -> None:
    events = by_session(sessions.database.rows("events", "timestamp, rowid"))
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


GOOSE_DATABASE: Final = Format(
    name="goose-database",
    rank=770,
    title="goose: its database of sessions",
    files="~/.local/share/goose/sessions/sessions.db",
    omits="as of `goose`",
    unwritten=DATABASE,
    source="block/goose: crates/goose/src/session/session_manager.rs",
    checked="2026-11-22",
    fit=partial(
        fit_tables, tables={"sessions": ("id", "working_dir"), "messages": ("session_id", "role", "content_json")}
    ),
    read=partial(read_sessions, add=_add_goose_sessions),
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
        fit_tables,
        tables={
            "sessions": ("id", "source", "started_at"),
            "messages": ("session_id", "content", "tool_calls", "tool_call_id"),
        },
    ),
    read=partial(read_sessions, add=_add_hermes_sessions),
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
        fit_tables,
        tables={"sessions": ("id", "title", "prompt_tokens"), "messages": ("session_id", "role", "parts")},
    ),
    read=partial(read_sessions, add=_add_crush_sessions),
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
    fit=partial(
        fit_tables, tables={"sessions": ("app_name", "user_id", "id"), "events": ("session_id", "invocation_id")}
    ),
    read=partial(read_sessions, add=_add_adk_sessions),
    judged=ADK.judged,
)
