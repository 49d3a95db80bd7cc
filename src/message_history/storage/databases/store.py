"""What is asked of all the sessions of a database: they are listed, searched, exported and deleted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from message_history.extras import not_installed
from message_history.files.disk import replace
from message_history.files.errors import SessionError
from message_history.storage.working import start_of, states_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from sqlalchemy import Engine

    from message_history.core.turns.rules import CallState
    from message_history.storage.about import Found, SessionInfo
    from message_history.storage.databases.database import Database, Rows
    from message_history.storage.working import End, WaitingCall


class DatabaseOfSessions:
    """What is asked of all the sessions of a database."""

    @staticmethod
    def ids(database: str | PathLike[str] | Engine, *, after: str = "", limit: int | None = None) -> list[str]:
        """List the sessions of a database.

        Args:
            database: see the class.
            after: list the names that follow this one.
            limit: how many at most.

        Returns:
            Their names, in the database's order.

        Raises:
            SessionError: when the database cannot be read.
        """
        with database_of(database, 10.0).reading() as rows:
            return rows.ids(after, limit)

    @staticmethod
    def waiting(
        database: str | PathLike[str] | Engine, *states: CallState | str, limit: int | None = None
    ) -> list[WaitingCall]:
        """List the calls of all sessions that wait for somebody, in one query: no session is loaded.

        A call waits when it was recorded as `waiting`, `approved` or `started` and has no result.

        Args:
            database: see the class.
            states: the states that are asked for, `unknown` for calls that were started until a time that has passed
                by the database's clock; none for all.
            limit: how many at most.

        Returns:
            The calls, those first whose time is over first.

        Raises:
            SessionError: when the database cannot be read.
        """
        with database_of(database, 10.0).reading() as rows:
            return rows.waiting(states_of(states), limit)

    @staticmethod
    def sessions(
        database: str | PathLike[str] | Engine,
        *,
        owner: str | None = None,
        label: str | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> list[SessionInfo]:
        """List the sessions of a database, those that were written to last first; no session is loaded.

        Args:
            database: see the class.
            owner: list this owner's sessions; an empty text for those that are nobody's.
            label: list those with this label.
            after: the `cursor` of the last session of the page before.
            limit: how many at most.

        Returns:
            What is said of them.

        Raises:
            SessionError: when the database cannot be read.

        Complexity: linear in the page, for there are indexes.
        """
        with database_of(database, 10.0).reading() as rows:
            found: list[SessionInfo] = listing().sessions(rows, owner, label, after, limit)
        return found

    @staticmethod
    def search(
        database: str | PathLike[str] | Engine,
        text: str,
        *,
        owner: str | None = None,
        after: str | None = None,
        limit: int | None = 100,
    ) -> list[Found]:
        """Find the messages, and titles of sessions, that have all the words of a text, the newest first.

        The database's own index says what a word is: FTS5 in SQLite, a tsvector of the configuration `simple` in
        PostgreSQL. Texts of the user and the assistant are searched, up to 100,000 characters of a message; calls,
        results, thinking and system prompts are not.

        Args:
            database: see the class.
            text: the words; upper and lower case are the same.
            owner: search this owner's sessions.
            after: the `cursor` of what was found last on the page before.
            limit: how many at most.

        Returns:
            What was found.

        Raises:
            ValueError: for a text without a word.
            SessionError: when the database cannot be read, or is a SQLite without FTS5.
        """
        with database_of(database, 10.0).reading() as rows:
            found: list[Found] = listing().search(rows, text, owner, after, limit)
        return found

    @staticmethod
    def prune(database: str | PathLike[str] | Engine, *, older_than: End, scrub: bool = True) -> int:
        """Delete the sessions that were not written to for some time, with all that is kept of them.

        Args:
            database: see the class.
            older_than: for how long, up to now by the database's clock, or since which time.
            scrub: see `delete`.

        Returns:
            How many there were.

        Raises:
            SessionError: see `delete`.

        Complexity: linear in what is deleted; with `scrub` in the file.
        """

        def old(rows: Rows) -> list[int]:
            numbers: list[int] = listing().older(rows, start_of(older_than, rows.now()))
            return numbers

        return delete_all(database_of(database, 10.0), old, scrub=scrub)

    @staticmethod
    def export_owner(database: str | PathLike[str] | Engine, owner: str, path: str | PathLike[str]) -> int:
        """Write all of an owner's sessions into one file, a session on each line, as for a request under the GDPR.

        A line has all that is kept: what is said of the session, its messages in the saved form, and its repairs with
        what they removed. `from_file` reads it. The file is its owner's alone, and takes the place of an older one.

        Args:
            database: see the class.
            owner: the owner.
            path: the file.

        Returns:
            How many sessions there are.

        Raises:
            SessionError: when the database cannot be read, or the file cannot be written.

        Complexity: linear in the sessions; one of them is held at a time.
        """
        count = 0

        def lines(rows: Rows) -> Iterator[bytes]:
            nonlocal count
            for count, line in enumerate(listing().exported(rows, owner), 1):  # noqa: B007 - the last one counts
                yield line

        with database_of(database, 10.0).reading() as rows:
            try:
                replace(Path(path), lines(rows), sync=True)
            except OSError as error:
                raise SessionError(f"{path}: {error.strerror or error}") from error
        return count

    @staticmethod
    def delete_owner(database: str | PathLike[str] | Engine, owner: str, *, scrub: bool = True) -> int:
        """Delete all of an owner's sessions, in one transaction, with all that is kept of them.

        Args:
            database: see the class.
            owner: the owner.
            scrub: see `delete`.

        Returns:
            How many there were.

        Raises:
            SessionError: see `delete`.

        Complexity: linear in what is deleted; with `scrub` in the file.
        """
        return delete_all(database_of(database, 10.0), lambda rows: listing().owned(rows, owner), scrub=scrub)

    @staticmethod
    def scrub(database: str | PathLike[str] | Engine) -> None:
        """Rewrite the files of the database, so that nothing that was deleted is left in them.

        In SQLite that is its file, its full-text index, and its write-ahead log, and others may read meanwhile. In
        PostgreSQL it is `VACUUM FULL` of these tables, for which everybody waits, and which their owner may do; the
        server's own write-ahead log and backups lie outside.

        Args:
            database: see the class.

        Raises:
            SessionLockedError: when somebody reads or writes for so long that it cannot be done.
            SessionError: when it cannot be done, as when the disk is full.

        Complexity: linear in the database.
        """
        database_of(database, 10.0).scrub()


def database_of(database: str | PathLike[str] | Engine, lock_timeout: float) -> Database:
    try:
        from message_history.storage.databases.database import Database  # noqa: PLC0415 - the extra may not be installed
    except ModuleNotFoundError as error:
        if error.name != "sqlalchemy":
            raise
        raise SessionError(not_installed(error.name, "sql")) from None
    return Database(database, lock_timeout)


def delete_all(database: Database, which: Callable[[Rows], list[int]], *, scrub: bool) -> int:
    with database.writing() as rows:
        numbers = which(rows)
        rows.delete(numbers)
    if numbers and scrub and database.is_file:
        database.scrub()
    return len(numbers)


def listing() -> Any:
    from message_history.storage.databases import listing  # noqa: PLC0415 - the extra may not be installed

    return listing
