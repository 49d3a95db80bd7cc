"""Forgetting in the proxy's store, which is a cache: what may say it is deleted, and the next request says all anew.

`forget("sqlite:///conversations.db", "0123 456789")` looks through what was sent of all conversations. A crash in the
middle of it leaves the store as it was, or the next proxy that opens it finishes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, final

from attrs import define
from sqlalchemy import delete, insert, inspect, select
from sqlalchemy.exc import SQLAlchemyError

from message_history.files.errors import SessionError, SessionLockedError
from message_history.forgetting.finding import Finder
from message_history.storage.forgetting import Receipt
from message_history_proxy.store import BEGINNINGS, CONVERSATIONS, NOTE, engine_of, rewrite_files
from message_history_proxy.versions import contents_of, loaded

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from sqlalchemy import Column, Connection, Engine, Row

    from message_history.forgetting import Find

__all__ = ["forget"]

OUTSIDE: Final = (
    "what a proxy that runs holds in memory, and what a client sends again",
    "exports, logs, prompt caches and stored replies of providers",
    "sessions, and other stores of proxies",
)
OF_FILES: Final = (
    "copies of the file, and backups of its disk",
    "blocks of the disk that were freed and not yet written over",
)
OF_SERVERS: Final = ("the server's write-ahead log and its archives, its replicas, and its backups",)
_PAGE: Final = 100
"""How many conversations are read at once, and how many rows one statement deletes."""


def forget(store: str, find: Find) -> Receipt:
    """Delete each conversation of a proxy's store that holds what is found, and rewrite the files of the database.

    With them go the conversations of which only digests are kept, and those that another version wrote: nobody can look
    through these. Proxies may run: they wait, or count an error and heal the request by itself.

    Args:
        store: the URL of the database, as `proxy --store` has it.
        find: a text, a compiled pattern, several of them, or a function that returns each text without it.

    Returns:
        What was looked through, in how many conversations it was (`places`), what was deleted, and what lies outside.

    Raises:
        TypeError: for a `find` that is none of these.
        ValueError: for a `find` that matches an empty text.
        SessionLockedError: when somebody reads the write-ahead log; the rows are gone, and the next proxy that opens
            the store, or another call, rewrites its files.
        SessionError: when there is no such store, or it cannot be read or written to.

    Complexity: linear in the store.
    """
    finder = Finder(find, "")
    engine = engine_of(store)
    name = engine.url.render_as_string(hide_password=True)
    is_file = engine.dialect.name == "sqlite"
    try:
        _check_there(engine, name)
        looking = _delete(engine, finder)
        is_done = rewrite_files(engine)
    except SQLAlchemyError as error:
        # Its text may quote rows.
        kind = type(getattr(error, "orig", None) or error).__name__
        raise SessionError(f"{name}: it cannot be read or written to: {kind}") from None
    finally:
        engine.dispose()
    if not is_done:
        raise SessionLockedError(f"{name}: somebody reads it, so its write-ahead log still has what was deleted")
    return Receipt(
        session=name,
        places=looking.held,
        looked_through=("what was sent of all conversations, with its versions", "the files of the database"),
        deleted=(
            f"conversations that held it: {looking.held:,}",
            f"conversations that cannot be looked through: {looking.unread:,}",
        ),
        outside=(*OUTSIDE, *(OF_FILES if is_file else OF_SERVERS)),
    )


def _check_there(engine: Engine, name: str) -> None:
    is_missing = engine.dialect.name == "sqlite" and not Path(engine.url.database or "").is_file()
    if is_missing or not inspect(engine).has_table(CONVERSATIONS.name):
        raise SessionError(f"{name}: there is no store of a proxy; give the URL that `proxy --store` has")


def _delete(engine: Engine, finder: Finder) -> _Looking:
    looking = _Looking(finder)
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql(f"LOCK TABLE {CONVERSATIONS.name}, {BEGINNINGS.name} IN EXCLUSIVE MODE")
        # To write first keeps others from writing in between.
        _delete_where(connection, CONVERSATIONS.c.id, [NOTE])
        values = {"used": sys.float_info.max, "version": 0, "entries": 0, "whole": ""}
        connection.execute(insert(CONVERSATIONS).values(id=NOTE, **values))
        last = NOTE
        while rows := connection.execute(
            select(CONVERSATIONS).where(CONVERSATIONS.c.id > last).order_by(CONVERSATIONS.c.id).limit(_PAGE)
        ).all():
            last = rows[-1].id
            gone = [row.id for row in rows if not looking.stays(row)]
            _delete_where(connection, BEGINNINGS.c.conversation, gone)
            _delete_where(connection, CONVERSATIONS.c.id, gone)
        known = select(CONVERSATIONS.c.id)
        connection.execute(delete(BEGINNINGS).where(BEGINNINGS.c.conversation.not_in(known)))
    return looking


@final
@define
class _Looking:
    """A look through the conversations of a store, with what it counts."""

    finder: Finder
    held: int = 0  # conversations that held it
    unread: int = 0  # those that cannot be looked through

    def stays(self, row: Row[Any]) -> bool:
        """Return whether a conversation stays."""
        if row.sent is None or loaded(row.sent) is None:
            self.unread += 1
            return False
        before = self.finder.places
        self.finder.value(contents_of(row.sent))
        if self.finder.places > before:
            self.held += 1
            return False
        # The list of a conversation only grows: its digests are of what it still says.
        return True


def _delete_where(connection: Connection, column: Column[Any], values: Sequence[Any]) -> None:
    for start in range(0, len(values), _PAGE):
        connection.execute(delete(column.table).where(column.in_(values[start : start + _PAGE])))
