"""Databases in which a program keeps all its sessions: a table of sessions, and one of their messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import evolve

from message_history.formats.kit.base import Fit
from message_history.formats.kit.many_conversations import Conversations
from message_history.formats.kit.raw_blocks import BLOCKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from message_history.formats.kit.base import Collector, Reading
    from message_history.formats.kit.document import Document

    Row = dict[str, Any]


def fit_tables(document: Document, tables: Mapping[str, tuple[str, ...]]) -> Fit:
    """Say that a file is in a format when it is a database with these tables and their columns."""
    found = document.database
    is_it = found is not None and all(found.has(table, *columns) for table, columns in tables.items())
    return Fit.CERTAIN if is_it else Fit.NONE


def by_session(rows: list[Row], key: str = "session_id") -> dict[object, list[Row]]:
    """Give the rows of each session, in their order."""
    found: dict[object, list[Row]] = {}
    for row in rows:
        found.setdefault(row[key], []).append(row)
    return found


class Sessions:
    """Reads the sessions of a database, each a conversation."""

    def __init__(self, document: Document) -> None:
        if document.database is None:
            raise ValueError("it is not a database")
        self.database = document.database
        self._found = Conversations()

    def each(
        self, sessions: str, newest_first: str, messages: str, order: str, titles: tuple[str, ...] = ("title",)
    ) -> Iterator[tuple[Row, list[Row], Collector]]:
        """Go through the sessions with the rows of their messages, and with what their entries are added to.

        `newest_first` is the order of the sessions, `order` that of the messages. The first of `titles` that is filled
        is a session's title.
        """
        rows = by_session(self.database.rows(messages, order))
        for session in self.database.rows(sessions, newest_first):
            collector = self.collector()
            yield session, rows.get(session["id"], []), collector
            self.add(collector, session["id"], next((session[key] for key in titles if session.get(key)), None))

    def collector(self) -> Collector:
        return self._found.collector()

    def add(self, collector: Collector, id: object, title: object = None) -> None:
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
        return self._found.reading()


def read_sessions(document: Document, add: Callable[[Sessions], None]) -> Reading:
    """Read a database with the function that adds the sessions of its program."""
    sessions = Sessions(document)
    add(sessions)
    return sessions.reading()
