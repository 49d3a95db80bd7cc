"""A session in a database: loaded, appended to as it grows, and shared by many processes and machines."""

from __future__ import annotations

import logging
from threading import RLock
from typing import TYPE_CHECKING, Final, final

from attrs import evolve

from message_history.core.messages.policy import DEFAULT_POLICY, Policy
from message_history.core.values.json_values import is_unicode
from message_history.files.errors import SessionConflictError, SessionError
from message_history.files.saved import growth
from message_history.history import MessageHistory
from message_history.storage.about import described
from message_history.storage.databases.rows import NEW, Held, forked, grown, held_by, needs_all, rewritten
from message_history.storage.databases.store import DatabaseOfSessions, database_of, delete_all, listing
from message_history.storage.databases.unfinished import NOTE, finish
from message_history.storage.working import SharedSession, end_of, lost_turn, refused_turn

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from os import PathLike

    from sqlalchemy import Engine

    from message_history.files.saved import Growth
    from message_history.storage.about import SessionInfo
    from message_history.storage.databases.database import Rows
    from message_history.storage.databases.rows import Head
    from message_history.storage.working import End

logger = logging.getLogger("message_history")

MAX_ID: Final = 255


@final
class SqlSession(DatabaseOfSessions, SharedSession):
    """A session in a database: a SQLite file, or PostgreSQL.

    Any number of processes and machines may use one database. Nobody overwrites what somebody else has written to the
    same session since: that is a `SessionConflictError`, and nothing is written.

    An engine is made once for each URL and kept while the process lives. Give an engine of your own to decide about
    its pool and its end.

    Args:
        database: a URL (`sqlite:///chats.db`, `postgresql://user@host/name`), the path of a SQLite file, or an engine
            of SQLAlchemy. Tables are made when they are needed; their names begin with `message_history_`.
        session_id: the session's name, of at most 255 characters.
        policy: decides where there is a choice.
        lock_timeout: how many seconds to wait for another writer.

    Raises:
        ValueError: for a name that cannot be one, and for another kind of database.
        SessionError: when SQLAlchemy or the driver is not installed.
    """

    def __init__(
        self,
        database: str | PathLike[str] | Engine,
        session_id: str,
        *,
        policy: Policy | None = None,
        lock_timeout: float = 10.0,
    ) -> None:
        self._database = database_of(database, lock_timeout)
        self._id = _checked(session_id)
        self._named = repr(self._id)
        self._policy = policy if policy is not None else DEFAULT_POLICY
        self._mutex = RLock()
        self._held: Held | None = None

    def __repr__(self) -> str:
        return f"SqlSession({self._id!r} in {self._database}, revision {self.revision})"

    @property
    def session_id(self) -> str:
        """Return the session's name."""
        return self._id

    @property
    def revision(self) -> int:
        """Return the revision that was read or written last; 0 before the first."""
        return self._held.head.revision if self._held is not None else 0

    @property
    def omitted(self) -> int:
        """Return how many older messages were not loaded; they stay as they are, whatever is written."""
        return self._held.first if self._held is not None else 0

    def load(self, *, turns: int | None = None) -> MessageHistory:
        """Load the history, or its newest whole turns, which begin with a user message that answers no call.

        Newest turns are what `drop_before` gives for the whole history: no call is parted from its result, and thinking
        is invalidated. The older rows are not read, unless the turns hold a late result of an older call, or rows
        are damaged; then all turns are given. A history that goes on from the newest turns is written after them.

        Args:
            turns: how many whole turns; all of them by default.

        Returns:
            The history; an empty one when there is no such session. Calls in its `awaiting` may have run already: ask
            before running one again. What is damaged, by other hands than ours, is in its repairs and on the logger.

        Raises:
            SessionError: when the database cannot be read.

        Complexity: linear in what is loaded.
        """
        if turns is not None and (type(turns) is not int or turns < 1):
            raise ValueError(f"turns must be 1 or more, not {turns!r:.80}")
        with self._mutex:
            self._finish_forgetting()
            self._held = self._read(turns)
            return self._held.history

    def _finish_forgetting(self) -> None:
        """Finish what a crash has left undone."""
        with self._database.reading() as rows:
            token = rows.token(NOTE)
        if token is not None:
            finish(self._database, token)

    def _replace(self, held: Held, history: MessageHistory) -> None:
        self._put(held, history, growth(held.history, history))

    def fork(self, session_id: str) -> SqlSession:
        """Copy what is saved to a new session, within the database; the two know nothing of each other.

        Args:
            session_id: the new session's name.

        Returns:
            The new session; it goes on from what this one has read or written last.

        Raises:
            SessionConflictError: when a session with this name exists, or when somebody else has written to this one
                since it was read.
            SessionError: when there is nothing to copy, or the database cannot be written to.

        Complexity: linear in the session, within the database.
        """
        with self._mutex:
            new = object.__new__(SqlSession)
            new._database, new._policy, new._mutex = self._database, self._policy, RLock()
            new._id = _checked(session_id)
            new._named = repr(new._id)
            held = self._current()
            with self._database.writing() as rows:
                head = rows.head(self._id, hold=True)
                if head is None:
                    raise SessionError(f"{self._id!r}: there is no such session; nothing can be copied")
                if held.head[:2] != head[:2]:
                    raise self._conflict_with(head)
                fork = forked(held, new._id)
                number = rows.create(new._id, fork.head)
                if number is not None:
                    rows.copy(head, number)
            if number is None:
                raise SessionConflictError(f"{new._id!r}: a session with this name exists", session=new._id, expected=0)
            new._held = evolve(fork, head=fork.head._replace(number=number))
            return new

    def describe(
        self,
        *,
        owner: str | None = None,
        title: str | None = None,
        labels: Iterable[str] | None = None,
        created: float | datetime | None = None,
        updated: float | datetime | None = None,
    ) -> SessionInfo:
        """Say whose the session is, and what else it is listed by; what is not passed stays as it is.

        The session need not be saved yet. Nothing of the history changes, so this conflicts with no other writer.

        Args:
            owner: whose it is; an empty text for nobody's.
            title: its title.
            labels: its labels, all of them anew.
            created: when it was begun; otherwise the database's clock says it.
            updated: when it was written to last; otherwise the database's clock says it, at each write.

        Returns:
            What is said of it now.

        Raises:
            SessionError: when the database cannot be written to.

        Complexity: constant; linear in the session with another owner, since its texts are indexed by owner.
        """
        changes = described(owner, title, labels, created, updated)
        with self._mutex, self._database.writing() as rows:
            found: SessionInfo = listing().describe(rows, self._id, changes)
        return found

    def info(self) -> SessionInfo:
        """Return what is said of the session: its owner, title, labels and times."""
        with self._database.reading() as rows:
            found: SessionInfo = listing().info(rows, self._id)
        return found

    def drop_old_rows(self) -> int:
        """Delete the rows that do not count any more: earlier forms of messages that have grown or were replaced.

        Returns:
            How many there were.

        Raises:
            SessionError: when the database cannot be written to.
        """
        with self._mutex, self._database.writing() as rows:
            head = rows.head(self._id, hold=True)
            return rows.drop_old_rows(head) if head is not None else 0

    def delete(self, *, scrub: bool = True) -> bool:
        """Delete the session with all its rows, whatever others have written to it.

        Args:
            scrub: whether to rewrite a SQLite file as well, so that no byte of the session is left in it: that takes
                as long as copying the file. Call `scrub` once after many; that of a server is never called for you.

        Returns:
            False when there was none.

        Raises:
            SessionLockedError: when another writer is not done in time, or when it is deleted, and somebody reads the
                file: `scrub` it later.
            SessionError: when the database cannot be written to.
        """
        with self._mutex:
            self._held = None
            return bool(delete_all(self._database, lambda rows: listing().numbered(rows, self._id), scrub=scrub))

    def _now(self) -> float:
        with self._database.reading() as rows:
            return rows.now()

    def _hold(self, worker: str, token: str, until: End) -> None:
        with self._database.writing() as rows:
            holder = rows.hold(self._id, worker, token, end_of(until, rows.now()))
        if holder is not None:
            raise refused_turn(repr(self._id), *holder)

    def _release(self, token: str) -> None:
        with self._database.writing() as rows:
            rows.release(self._id, token)

    def _current(self) -> Held:
        if self._held is None:
            self._held = self._read()
        return self._held

    def _read(self, turns: int | None = None) -> Held:
        with self._database.reading() as rows:
            head = rows.head(self._id)
            if head is None:
                return Held(MessageHistory(policy=self._policy, name=self._id))
            first = rows.newest_turns(head, turns) if turns is not None else 0
            held = self._read_from(rows, head, first)
            if not needs_all(held):
                return held
            held = self._read_from(rows, head, 0)
            return evolve(held, history=held.history.drop_before(first), first=first) if held.sound else held

    def _read_from(self, rows: Rows, head: Head, first: int) -> Held:
        messages, repairs = rows.messages(head, first), rows.repairs(head, first)
        held = held_by(head, messages, repairs, self._policy, first)
        if not held.sound:
            there = f"{len(messages)} of {head.messages - first} messages are there"
            logger.warning("session %r: its rows are damaged; %s", self._id, there)
        return held

    def _put(self, held: Held, history: MessageHistory, found: Growth | None) -> None:
        """Write what is new, or another than what is saved."""
        if held.sound and found is not None:
            change = grown(held, history, found)
        else:
            whole = self._read() if held.first else held
            if whole.head[:2] != held.head[:2]:
                raise self._conflict_with(whole.head)
            change = rewritten(held, history, whole)
        is_new = change.head._replace(revision=held.head.revision) != held.head
        if held.head.revision and not (is_new or change.messages or change.repairs):
            with self._database.reading() as rows:
                there = rows.head(self._id)
            if (there or NEW)[:2] != held.head[:2]:
                raise self._conflict_with(there)
            self._held = evolve(held, history=history)
            return
        # If this fails, nobody knows what is saved: it must be read again.
        self._held = None
        with self._database.writing() as rows:
            if self._turn is not None and not rows.has_turn(self._id, self._turn):
                raise lost_turn(repr(self._id))
            head = _advanced(rows, self._id, change.head)
            if head is not None:
                rows.add(head, change.messages, change.repairs, change.changed)
                rows.note(head.number, change.calls)
        if head is None:
            self._held = held
            with self._database.reading() as rows:
                raise self._conflict_with(rows.head(self._id))
        self._held = Held(history, head, held.first)

    def _other(self, held: Held) -> SessionConflictError:
        self._held = None
        return SessionConflictError(
            f"{self._id!r}: it holds another history, of {len(held.history)} messages; load it first",
            session=self._id,
            expected=0,
            found=held.head.revision,
        )

    def _conflict(self, held: Held) -> SessionConflictError:
        return self._conflict_with(held.head)

    def _conflict_with(self, found: Head | None) -> SessionConflictError:
        there = f"revision {found.revision} is there" if found is not None else "it is gone"
        if found is not None and self._held is not None and self._held.head.number not in (0, found.number):
            there = f"it was made anew and {there}"
        return SessionConflictError(
            f"{self._id!r}: somebody else has written to it ({there}, not {self.revision}); load it again",
            session=self._id,
            expected=self.revision,
            found=found.revision if found is not None else None,
        )


def _checked(id: str) -> str:
    if not isinstance(id, str):
        raise TypeError(f"a session's name must be a str, not {id!r:.80}")
    if not is_unicode(id):
        raise ValueError(f"a session's name must be valid Unicode: {id!r:.80}")
    if not 0 < len(id) <= MAX_ID or "\0" in id:
        raise ValueError(f"a session's name must have 1 to {MAX_ID} characters, without NUL: {id!r:.80}")
    return id


def _advanced(rows: Rows, id: str, head: Head) -> Head | None:
    if head.revision == 1:
        number = rows.create(id, head)
        return head._replace(number=number) if number is not None else None
    return head if rows.advance(head) else None
