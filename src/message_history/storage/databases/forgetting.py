"""Forgetting in databases: a session's rows are rewritten in one transaction, and then the database's own files."""

from __future__ import annotations

from secrets import token_hex
from typing import TYPE_CHECKING, Final

from attrs import evolve

from message_history.storage.databases.rows import Held, rewritten
from message_history.storage.databases.unfinished import NOTE, rewrite_files
from message_history.storage.receipts import OF_FILES, Receipt, receipt_of
from message_history.storage.working import lost_turn

if TYPE_CHECKING:
    from collections.abc import Callable

    from message_history.history import MessageHistory
    from message_history.storage.databases.session import SqlSession

OF_SERVERS: Final = ("the server's write-ahead log and its archives, its replicas, and its backups",)
LISTED: Final = ("the session's name, owner, title and labels",)


def in_database(session: SqlSession, change: Callable[[MessageHistory], MessageHistory]) -> Receipt:
    """Change what a session of a database holds; see `forget`."""
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
    rewrite_files(database, token)
    return gone
