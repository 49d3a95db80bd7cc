"""Chats in rows of a database: LangChain's and n8n's, Open WebUI's, the OpenAI Agents SDK's, and Agno's sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.dialects import OpenAIResponses
from message_history.formats.kit import (
    BLOCKS,
    DATABASE,
    STATE,
    Conversations,
    Document,
    Fit,
    Format,
    add_chat_message,
    fit_items,
    json_of,
)
from message_history.formats.kit.document import INSPECTED
from message_history.formats.langchain_dumps import add_message, fields_of
from message_history_formats.open_webui import OPEN_WEBUI

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from message_history.formats.kit import Collector, Reading

    Row = dict[str, Any]


def _by_session(rows: Iterable[tuple[int, Row]]) -> dict[object, list[tuple[int, Row]]]:
    found: dict[object, list[tuple[int, Row]]] = {}
    for n, row in rows:
        found.setdefault(row.get("session_id"), []).append((n, row))
    return found


def _is_langchain_row(row: Mapping[str, Any]) -> bool:
    return "message" in row and fields_of(json_of(row["message"])) is not None


def _langchain_rows(document: Document) -> list[tuple[int, Any]]:
    """Return the rows of a file, or of all tables of a database that may hold messages."""
    database = document.database
    if database is None:
        return document.numbered_items
    tables = [name for name in sorted(database.columns) if database.has(name, "id", "session_id", "message")]
    return list(enumerate(row for name in tables for row in database.rows(name, "id")))


def _fit_langchain(document: Document) -> Fit:
    rows = [row for _, row in _langchain_rows(document)[:INSPECTED] if isinstance(row, dict)]
    return _fit_rows(document, rows, _is_langchain_row)


def _fit_rows(document: Document, rows: list[Row], is_one: Callable[[Row], bool]) -> Fit:
    """Judge rows: in tables of the right columns one is enough, in a file most must be of the kind."""
    if document.database is not None:
        return Fit.CERTAIN if any(map(is_one, rows)) else Fit.NONE
    return fit_items(rows, is_one) if rows else Fit.NONE


def _read_langchain(document: Document) -> Reading:
    found = Conversations()
    rows = _langchain_rows(document)
    for id, each in _by_session((n, row) for n, row in rows if isinstance(row, dict)).items():
        collector = found.collector()
        for n, row in each:
            message = fields_of(json_of(row.get("message")))
            if message is None:
                collector.note(n, "a row without a message", row)
            else:
                add_message(collector, n, *message)
        found.add(collector.conversation(BLOCKS, label=f"session {id}" if found else "", id=id))
    for n, row in rows:
        if not isinstance(row, dict):
            found.collector().note(n, "a row without a message", row)
    return found.reading()


def _fit_table(document: Document, table: str, *columns: str) -> Fit:
    is_it = document.database is not None and document.database.has(table, *columns)
    return Fit.CERTAIN if is_it else Fit.NONE


def _read_agents(document: Document) -> Reading:
    found = Conversations()
    rows = document.database.rows("agent_messages", "id") if document.database is not None else []
    for id, each in _by_session(enumerate(rows)).items():
        collector = found.collector()
        for n, row in each:
            item = json_of(row["message_data"])
            if isinstance(item, dict):
                collector.add(n, item)
            else:
                collector.note(n, "a row that is not an item", row)
        label = f"session {id}" if found else ""
        found.add(collector.conversation(OpenAIResponses(continues=False), label=label, id=id))
    return found.reading()


def _read_webui(document: Document) -> Reading:
    rows = document.database.rows("chat", "updated_at DESC, id") if document.database is not None else []
    chats = [{"id": row["id"], "title": row["title"], "chat": json_of(row["chat"])} for row in rows]
    return OPEN_WEBUI.read(Document(data=b"", text="", value=chats))


def _sessions(document: Document) -> list[tuple[int, Any]]:
    """Return the sessions of Agno in a file, or in the tables of a database that hold them."""
    if document.database is None:
        return [(n, _around_run(item)) for n, item in document.numbered_items]
    columns = ("session_id", "session_type", "runs", "created_at")
    tables = [name for name in sorted(document.database.columns) if document.database.has(name, *columns)]
    rows = [row for name in tables for row in document.database.rows(name, "created_at DESC, session_id")]
    return [(n, {**row, "runs": json_of(row["runs"])}) for n, row in enumerate(rows)]


def _around_run(item: Any) -> Any:
    """Return a run that is alone in a file as a session with it; any other item as it is."""
    is_run = isinstance(item, dict) and "run_id" in item and bool(item.keys() & {"agent_id", "team_id"})
    return {"session_id": item.get("session_id"), "runs": [item]} if is_run and "messages" in item else item


def _is_session(item: Any) -> bool:
    return isinstance(item, dict) and "session_id" in item and any(True for _ in _runs(item))


def _runs(session: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    runs = session.get("runs")
    for run in runs if isinstance(runs, list) else ():
        if isinstance(run, dict) and "run_id" in run and isinstance(run.get("messages"), list):
            yield run


def _fit_agno(document: Document) -> Fit:
    sessions = [item for _, item in _sessions(document)[:INSPECTED] if isinstance(item, dict)]
    return _fit_rows(document, sessions, _is_session)


def _read_agno(document: Document) -> Reading:
    found = Conversations()
    others = found.collector()
    for n, session in _sessions(document):
        collector = found.collector()
        if isinstance(session, dict) and "session_id" in session and session.get("runs") in (None, []):
            others.omit("sessions without messages")
            continue
        if not _is_session(session):
            collector.note(n, "a session without runs that have messages", session)
            continue
        for run in _runs(session):
            for message in run["messages"]:
                _add_agno(collector, n, message)
        id = session["session_id"]
        found.add(collector.conversation(BLOCKS, label=f"session {id}" if found else "", id=id))
    return found.reading(others)


def _add_agno(collector: Collector, n: int, message: Any) -> None:
    """Add a message of a run: what is of the history was in the run before, and each run has the prompt anew."""
    is_message = isinstance(message, dict)
    if is_message and message.get("from_history") is True:
        collector.omit("messages that a later run repeats")
    elif is_message and message.get("role") == "system" and collector.entries:
        collector.omit("prompts of later runs")
    elif not add_chat_message(collector, n, message):
        collector.note(n, "a message of an unknown role", message)


LANGCHAIN_ROWS: Final = Format(
    name="langchain-rows",
    rank=650,
    title="Rows of LangChain's and n8n's chat histories: of a database (SQLite), or exported as JSON",
    files="what `SQLChatMessageHistory`, `PostgresChatMessageHistory` and n8n's chat memories write",
    omits="as of `langchain`",
    unwritten=STATE,
    source="langchain-community: chat_message_histories/sql.py, postgres.py; n8n: nodes-langchain memory nodes",
    checked="2026-11-22",
    fit=_fit_langchain,
    read=_read_langchain,
)
AGNO: Final = Format(
    name="agno",
    rank=640,
    title="Agno: sessions in its database (SQLite), sessions and runs exported as JSON",
    files="what `SqliteDb` and `JsonDb` write",
    omits="messages that a later run repeats, metrics, states of sessions",
    unwritten=STATE,
    source="agno-agi/agno: libs/agno/agno/db/sqlite/schemas.py, models/message.py, run/agent.py",
    checked="2026-11-22",
    fit=_fit_agno,
    read=_read_agno,
)
OPENAI_AGENTS_DATABASE: Final = Format(
    name="openai-agents-database",
    rank=820,
    title="OpenAI Agents SDK: the database of its sessions (SQLiteSession)",
    files="what `SQLiteSession(session_id, path)` names",
    omits="nothing",
    unwritten=DATABASE,
    source="openai/openai-agents-python: src/agents/memory/sqlite_session.py",
    checked="2026-11-22",
    fit=lambda document: _fit_table(document, "agent_messages", "id", "session_id", "message_data"),
    read=_read_agents,
)
OPEN_WEBUI_DATABASE: Final = Format(
    name="open-webui-database",
    rank=830,
    title="Open WebUI: its database of chats",
    files="webui.db in its folder of data",
    omits="as of `open-webui`",
    unwritten=DATABASE,
    source="open-webui/open-webui: backend/open_webui/models/chats.py",
    checked="2026-11-22",
    fit=lambda document: _fit_table(document, "chat", "id", "user_id", "title", "chat", "updated_at"),
    read=_read_webui,
    judged=OPEN_WEBUI.judged,
)
