"""Forgetting in sessions: all that is kept of one is rewritten, so that no file and no row says what was forgotten.

`forget(session, lambda history: redact(history, "0123"))` does to a session what `message_history.forgetting` does to a
history. A crash in the middle of it leaves the session as it was, or the next `load` finishes it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from attrs import evolve

from message_history.files.disk import replace
from message_history.storage.receipts import OF_FILES, Receipt, receipt_of
from message_history.storage.sessions.jsonl import JsonlSession
from message_history.storage.sessions.leftovers import delete_older, forgetting_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from message_history.history import MessageHistory
    from message_history.storage.databases.async_session import AsyncSqlSession
    from message_history.storage.databases.session import SqlSession

__all__ = ["Receipt", "forget", "forget_async"]


def forget(session: JsonlSession | SqlSession, change: Callable[[MessageHistory], MessageHistory]) -> Receipt:
    """Change what a session holds, and leave nothing of what it was.

    Of a file, it is written anew, and its backups are deleted: what is damaged in them nobody can look through. Of a
    database, all of the session's rows are written anew in one transaction, and then the database's own files, so that
    no free page and no write-ahead log has them: see `SqlSession.scrub`.

    Args:
        session: the session; all of it is loaded.
        change: what `redact` or `erase` of `message_history.forgetting` does to the history.

    Returns:
        What was looked through, how many places were changed, and what lies outside.

    Raises:
        SessionConflictError: when somebody else has written to the session since this one read or wrote it.
        SessionLockedError: when another writer or reader is not done in time; when rows are written already, the next
            `load` goes on.
        SessionError: when the file or the database cannot be written to.

    Complexity: linear in the file, or in the database.
    """
    if isinstance(session, JsonlSession):
        return _in_file(session, change)
    from message_history.storage.databases.forgetting import in_database  # noqa: PLC0415 - the extra may not be there

    return in_database(session, change)


async def forget_async(session: AsyncSqlSession, change: Callable[[MessageHistory], MessageHistory]) -> Receipt:
    """Change what a session holds, and leave nothing of what it was; see `forget`."""
    return await session._run(lambda each: forget(each, change))


def _in_file(session: JsonlSession, change: Callable[[MessageHistory], MessageHistory]) -> Receipt:
    with session._mutex, session._writing():
        held = session._current()
        left = change(held.history)
        if held.stamp is not None:
            # From here on a crash is finished by who comes next; before the file is replaced, it is undone.
            note = json.dumps(held.stamp).encode()
            replace(forgetting_file(session.path), [note], sync=True)
            session._held = session._rewritten(left, held)
        deleted = delete_older(session.path)
        receipt = receipt_of(str(session.path), held.history, left)
        outside = (*receipt.outside, *OF_FILES)
        return evolve(receipt, looked_through=(str(session.path),), deleted=tuple(deleted), outside=outside)
