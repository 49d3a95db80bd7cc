"""Forgetting in databases: a session's rows are rewritten in one transaction, and then the database's own files."""

from __future__ import annotations

from secrets import token_hex
from typing import TYPE_CHECKING, Final

from attrs import evolve

from message_history.files.errors import SessionError
from message_history.storage.databases.rows import Held, rewritten
from message_history.storage.databases.session import SqlSession
from message_history.storage.databases.store import database_of
from message_history.storage.databases.unfinished import NOTE, rewrite_files
from message_history.storage.receipts import OF_FILES, Receipt, receipt_of
from message_history.storage.working import lost_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from message_history.history import MessageHistory
    from message_history.storage.databases.database import Database

OF_SERVERS: Final = ("the server's write-ahead log and its archives, its replicas, and its backups",)
LISTED: Final = ("the session's name, owner, title and labels",)


def in_database(session: SqlSession, change: Callable[[MessageHistory], MessageHistory]) -> Receipt:
    """Change what a session of a database holds; see `forget`."""
    receipt = _in_rows(session, change)
    _rewrite_files(session._database)
    return receipt


def in_sessions(where: str, names: Sequence[str], change: Callable[[MessageHistory], MessageHistory]) -> list[Receipt]:
    """Change what sessions of a database hold, all of them by default, and rewrite its files once; see `forget`."""
    database = database_of(where, 10.0)
    if not database.has_sessions():
        raise SessionError(
            f"{database}: it holds no session of this library, and nothing was changed; read it with "
            "message_history.from_file, forget in what that returns, and delete the file with the program that wrote it"
        )
    known = SqlSession.ids(where)
    missing = [name for name in names if name not in known]
    if missing:
        raise SessionError(f"{database}: there is no session {missing[0]!r}")
    receipts = [_in_rows(SqlSession(where, name), change) for name in names or known]
    _rewrite_files(database)
    return receipts


def _rewrite_files(database: Database) -> None:
    with database.reading() as rows:
        token = rows.token(NOTE)
    if token is not None:
        rewrite_files(database, token)


def _in_rows(session: SqlSession, change: Callable[[MessageHistory], MessageHistory]) -> Receipt:
    with session._mutex:
        known, whole = session._held, session._read()
        if known is not None and known.head[:2] != whole.head[:2]:
            raise session._conflict_with(whole.head)
        left, database = change(whole.history), session._database
        gone = _rewrite(session, evolve(whole, sound=False), left) if whole.head.revision else 0
        receipt = receipt_of(session.session_id, whole.history, left)
    return evolve(
        receipt,
        looked_through=("all rows of the session", "the files of the database"),
        deleted=(f"older rows: {gone:,}",),
        outside=(*receipt.outside, *LISTED, *(OF_FILES if database.is_file else OF_SERVERS)),
    )


def _rewrite(session: SqlSession, whole: Held, left: MessageHistory) -> int:
    """Rewrite all rows, delete the old ones, and return how many of these did not count any more."""
    change, database, token = rewritten(whole, left, whole), session._database, token_hex(16)
    session._held = None
    with database.writing() as rows:
        if session._turn is not None and not rows.has_turn(session.session_id, session._turn):
            raise lost_turn(repr(session.session_id))
        if not rows.advance(change.head):
            raise session._conflict_with(rows.head(session.session_id))
        gone = rows.drop_old_rows(whole.head)
        rows.clear(change.head.number)
        rows.add(change.head, change.messages, change.repairs, change.changed)
        rows.note(change.head.number, change.calls)
        rows.hold(NOTE, "", token, 0.0)
    session._held = Held(left, change.head)
    return gone
