"""Docker Agent (cagent): the sessions in its database, and those that it writes as JSON for evaluations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    DATABASE,
    Conversations,
    Fit,
    Format,
    add_chat_message,
    fit_items,
    json_of,
)
from message_history.formats.kit.document import INSPECTED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document, Reading

_SESSION: Final = ("id", "messages", "created_at", "tools_approved")
"""The columns of a session: those of the first version that kept them in a database."""
_ITEM: Final = ("session_id", "position", "item_type", "message_json", "subsession_id", "summary_text")
_OTHERS: Final = frozenset({"sub_session", "summary"})
"""The keys of entries that hold no message."""
_SUMMARY: Final = "Session Summary: "
"""How the program begins a message that is a summary."""


def _is_item(item: Any) -> bool:
    """Return whether an entry holds a message with the agent that wrote it."""
    outer = item.get("message") if isinstance(item, dict) else None
    inner = outer.get("message") if isinstance(outer, dict) else None
    return isinstance(outer, dict) and "agentName" in outer and isinstance(inner, dict) and "role" in inner


def _items(session: Any) -> list[Any]:
    found = session.get("messages") if isinstance(session, dict) else None
    return found if isinstance(found, list) else []


def _sessions(document: Document) -> list[tuple[int, Any]]:
    """Return the sessions of a file or of a database, the newest of a database first."""
    database = document.database
    if database is None:
        return document.numbered_items
    rows = database.rows("sessions", "created_at DESC, id") if database.has("sessions", *_SESSION) else []
    has_items = database.has("session_items", *_ITEM)
    stored: dict[object, list[Any]] = {}
    for row in database.rows("session_items", "session_id, position") if has_items else ():
        stored.setdefault(row["session_id"], []).append(_item(row))
    # Versions before 2026 have the messages in the session's row; later ones leave them there.
    return [(n, {**row, "messages": stored.get(row["id"], json_of(row["messages"]))}) for n, row in enumerate(rows)]


def _item(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row as what a session written as JSON has in its place."""
    kind = row["item_type"]
    if kind == "message":
        return {"message": {"agentName": row.get("agent_name"), "message": json_of(row["message_json"])}}
    return {"summary": row["summary_text"]} if kind == "summary" else {"sub_session": {}}


def _fit(document: Document) -> Fit:
    if document.database is not None:
        return Fit.CERTAIN if document.database.has("sessions", *_SESSION) else Fit.NONE
    items = [item for _, session in _sessions(document)[:INSPECTED] for item in _items(session)[:INSPECTED]]
    objects = [item for item in items if isinstance(item, dict)]
    return fit_items(objects, lambda item: _is_item(item) or not _OTHERS.isdisjoint(item), _is_item)


def _read(document: Document) -> Reading:
    found = Conversations()
    for n, session in _sessions(document):
        if _items(session):
            _add_session(found, session)
        elif document.database is None:
            found.collector().note(n, "an item that is not a session", session)
    return found.reading()


def _add_session(found: Conversations, session: Mapping[str, Any]) -> None:
    """Add a session, and after it those that other agents had for it."""
    collector = found.collector()
    items = _items(session)
    summed_up = [n for n, item in enumerate(items) if isinstance(item, dict) and item.get("summary")]
    first = summed_up[-1] if summed_up else 0
    collector.omit("messages that a summary takes the place of", first)
    others = [item["sub_session"] for item in items if isinstance(item, dict) and item.get("sub_session") is not None]
    collector.omit("places of sessions of other agents", len(others))
    for n, item in enumerate(items[first:], first):
        if summed_up and n == first:
            collector.add_blocks(n, "user", [{"type": "text", "text": f"{_SUMMARY}{item['summary']}"}])
        elif not isinstance(item, dict) or item.get("sub_session") is None:
            inner = item["message"]["message"] if _is_item(item) else None
            if not add_chat_message(collector, n, _message(inner) if isinstance(inner, dict) else None):
                collector.note(n, "an entry that is not a message", item)
    id = session.get("id")
    label = f"session {id}" if found else ""
    found.add(collector.conversation(BLOCKS, label=label, id=id, title=session.get("title")))
    for other in others:
        if _items(other):
            _add_session(found, other)


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message with its thinking, and the signature of that, as the first part of its content."""
    parts = message.get("multi_content") or message.get("content")
    thought, signature = message.get("reasoning_content"), message.get("thinking_signature")
    if not thought and not signature:
        return {**message, "content": parts}
    rest = parts if isinstance(parts, list) else [parts] if parts else []
    whole = [{"type": "thinking", "thinking": thought, "signature": signature}, *rest]
    return {**message, "reasoning_content": None, "content": whole}


DOCKER_AGENT: Final = Format(
    name="docker-agent",
    rank=320,
    title="Docker Agent (cagent): its database of sessions (SQLite), and sessions as JSON for evaluations",
    files="~/.cagent/session.db, evals/*.json",
    omits="messages that a summary takes the place of; definitions of tools, costs, counts of tokens",
    unwritten=DATABASE,
    source="docker/docker-agent: pkg/session/session.go, store.go, migrations.go, pkg/chat/chat.go; e2e/testdata/db",
    checked="2026-11-23",
    fit=_fit,
    read=_read,
)
