"""A session in a database for programs that run on asyncio: the same rows and rules, through SQLAlchemy's asyncio."""

from __future__ import annotations

import inspect
from contextlib import asynccontextmanager, suppress
from functools import partial
from secrets import token_hex
from typing import TYPE_CHECKING, Final, TypeVar, final

from message_history.extras import not_installed
from message_history.files.errors import SessionConflictError, SessionError
from message_history.storage.databases.session import SqlSession

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
    from datetime import datetime
    from os import PathLike

    from sqlalchemy.ext.asyncio import AsyncEngine

    from message_history.core.messages.blocks import ToolUseBlock
    from message_history.core.messages.policy import Policy
    from message_history.core.turns.calls import CallRecord
    from message_history.core.turns.rules import CallState
    from message_history.history import MessageHistory
    from message_history.storage.about import Found, SessionInfo
    from message_history.storage.working import End, Turn, WaitingCall

T = TypeVar("T")


@final
class AsyncSqlSession:
    """A session in a database, awaited: a SQLite file through aiosqlite, or PostgreSQL through psycopg.

    It is `SqlSession` in all else: the two read and write the same rows and may share a database.

    Args:
        database: a URL (`sqlite:///chats.db`, `postgresql://user@host/name`), the path of a SQLite file, or an
            `AsyncEngine` of SQLAlchemy. With a URL each operation opens a connection of its own, so that none outlives
            its event loop; pass an engine to pool them.
        session_id: the session's name, of at most 255 characters.
        policy: decides where there is a choice.
        lock_timeout: how many seconds to wait for another writer.

    Raises:
        ValueError: for a name that cannot be one, and for another kind of database.
    """

    def __init__(
        self,
        database: str | PathLike[str] | AsyncEngine,
        session_id: str,
        *,
        policy: Policy | None = None,
        lock_timeout: float = 10.0,
    ) -> None:
        from asyncio import Lock  # noqa: PLC0415 - it takes long to import, and few sessions need it

        self._where = database
        self._id = session_id
        self._policy = policy
        self._timeout = lock_timeout
        self._lock = Lock()
        self._session: SqlSession | None = None

    def __repr__(self) -> str:
        return f"AsyncSqlSession({self._id!r}, revision {self.revision})"

    @property
    def session_id(self) -> str:
        """Return the session's name."""
        return self._id

    @property
    def revision(self) -> int:
        """Return the revision that was read or written last; 0 before the first."""
        return self._session.revision if self._session is not None else 0

    @property
    def omitted(self) -> int:
        """Return how many older messages were not loaded; they stay as they are, whatever is written."""
        return self._session.omitted if self._session is not None else 0

    async def load(self, *, turns: int | None = None) -> MessageHistory:
        """Load the history, or its newest whole turns; see `SqlSession.load`."""
        return await self._run(lambda session: session.load(turns=turns))

    async def save(self, history: MessageHistory) -> None:
        """Replace what is saved; see `SqlSession.save`."""
        await self._run(lambda session: session.save(history))

    async def append(self, history: MessageHistory) -> None:
        """Save what is new in a history; see `SqlSession.append`."""
        await self._run(lambda session: session.append(history))

    async def update(
        self,
        change: Callable[[MessageHistory], MessageHistory] | Callable[[MessageHistory], Awaitable[MessageHistory]],
        *,
        attempts: int = 5,
    ) -> MessageHistory:
        """Load, change and append, again when somebody else has written meanwhile; see `JsonlSession.update`.

        `change` may be asynchronous.
        """
        for left in reversed(range(attempts)):
            loaded = await self.load()
            changed = change(loaded)
            history: MessageHistory = await changed if inspect.isawaitable(changed) else changed
            try:
                await self._run(partial(SqlSession._append, history=history, since=loaded))
            except SessionConflictError:
                if not left:
                    raise
            else:
                return history
        raise ValueError(f"attempts must be 1 or more, not {attempts!r:.80}")

    async def claim(
        self,
        call: ToolUseBlock | str | None = None,
        *,
        key: str | None = None,
        worker: str,
        until: End,
        asked: CallRecord | None = None,
    ) -> CallRecord:
        """Start a call as the only worker; see `SqlSession.claim`."""
        return await self._run(lambda session: session.claim(call, key=key, worker=worker, until=until, asked=asked))

    @asynccontextmanager
    async def turn(self, worker: str, *, until: End) -> AsyncIterator[Turn]:
        """Have the conversation for one worker: `async with session.turn(...) as turn:`; see `SqlSession.turn`."""
        token = token_hex(16)
        try:
            # Who is cancelled here may have it already.
            yield await self._run(lambda session: session._begin(worker, token, until))
        finally:
            await self._run(lambda session: session._end(token))

    @staticmethod
    async def waiting(
        database: str | PathLike[str] | AsyncEngine, *states: CallState | str, limit: int | None = None
    ) -> list[WaitingCall]:
        """List the calls of all sessions that wait for somebody; see `SqlSession.waiting`."""
        engine = _engine_of(database).sync_engine
        return await _to_the_end(lambda: SqlSession.waiting(engine, *states, limit=limit))

    async def fork(self, session_id: str) -> AsyncSqlSession:
        """Copy what is saved to a new session; see `SqlSession.fork`."""
        copied = await self._run(lambda session: session.fork(session_id))
        new = AsyncSqlSession(self._where, session_id, policy=self._policy, lock_timeout=self._timeout)
        new._session = copied
        return new

    @staticmethod
    async def ids(
        database: str | PathLike[str] | AsyncEngine, *, after: str = "", limit: int | None = None
    ) -> list[str]:
        """List the sessions of a database; see `SqlSession.ids`."""
        engine = _engine_of(database).sync_engine
        return await _to_the_end(partial(SqlSession.ids, engine, after=after, limit=limit))

    async def describe(
        self,
        *,
        owner: str | None = None,
        title: str | None = None,
        labels: Iterable[str] | None = None,
        created: float | datetime | None = None,
        updated: float | datetime | None = None,
    ) -> SessionInfo:
        """Say whose the session is, and what else it is listed by; see `SqlSession.describe`."""
        return await self._run(
            lambda session: session.describe(owner=owner, title=title, labels=labels, created=created, updated=updated)
        )

    async def info(self) -> SessionInfo:
        """Return what is said of the session; see `SqlSession.info`."""
        return await self._run(SqlSession.info)

    @staticmethod
    async def sessions(
        database: str | PathLike[str] | AsyncEngine,
        *,
        owner: str | None = None,
        label: str | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> list[SessionInfo]:
        """List the sessions of a database; see `SqlSession.sessions`."""
        engine = _engine_of(database).sync_engine
        return await _to_the_end(
            lambda: SqlSession.sessions(engine, owner=owner, label=label, after=after, limit=limit)
        )

    @staticmethod
    async def search(
        database: str | PathLike[str] | AsyncEngine,
        text: str,
        *,
        owner: str | None = None,
        after: str | None = None,
        limit: int | None = 100,
    ) -> list[Found]:
        """Find the messages that have all the words of a text; see `SqlSession.search`."""
        engine = _engine_of(database).sync_engine
        return await _to_the_end(lambda: SqlSession.search(engine, text, owner=owner, after=after, limit=limit))

    @staticmethod
    async def prune(database: str | PathLike[str] | AsyncEngine, *, older_than: End, scrub: bool = True) -> int:
        """Delete the sessions that were not written to for some time; see `SqlSession.prune`."""
        engine = _engine_of(database).sync_engine
        return await _to_the_end(lambda: SqlSession.prune(engine, older_than=older_than, scrub=scrub))

    @staticmethod
    async def export_owner(database: str | PathLike[str] | AsyncEngine, owner: str, path: str | PathLike[str]) -> int:
        """Write all of an owner's sessions into one file; see `SqlSession.export_owner`."""
        engine = _engine_of(database).sync_engine
        return await _to_the_end(lambda: SqlSession.export_owner(engine, owner, path))

    @staticmethod
    async def delete_owner(database: str | PathLike[str] | AsyncEngine, owner: str, *, scrub: bool = True) -> int:
        """Delete all of an owner's sessions; see `SqlSession.delete_owner`."""
        engine = _engine_of(database).sync_engine
        return await _to_the_end(lambda: SqlSession.delete_owner(engine, owner, scrub=scrub))

    @staticmethod
    async def scrub(database: str | PathLike[str] | AsyncEngine) -> None:
        """Rewrite the files of the database; see `SqlSession.scrub`."""
        engine = _engine_of(database).sync_engine
        await _to_the_end(lambda: SqlSession.scrub(engine))

    async def drop_old_rows(self) -> int:
        """Delete the rows that do not count any more; see `SqlSession.drop_old_rows`."""
        return await self._run(SqlSession.drop_old_rows)

    async def delete(self, *, scrub: bool = True) -> bool:
        """Delete the session with all its rows; see `SqlSession.delete`."""
        return await self._run(lambda session: session.delete(scrub=scrub))

    async def _run(self, work: Callable[[SqlSession], T]) -> T:
        """Run an operation of the other session; one at a time, since it does not know of tasks."""
        async with self._lock:
            if self._session is None:
                engine = _engine_of(self._where)
                self._session = SqlSession(
                    engine.sync_engine, self._id, policy=self._policy, lock_timeout=self._timeout
                )
            return await _to_the_end(partial(work, self._session))


async def _to_the_end(work: Callable[[], T]) -> T:
    """Run what uses a connection; who cancels it waits until it is done, or a half-closed one would hold its lock."""
    from asyncio import CancelledError, create_task, shield, wait  # noqa: PLC0415 - as above

    from sqlalchemy.util import greenlet_spawn  # noqa: PLC0415 - the extra may not be installed

    task = create_task(greenlet_spawn(work))
    try:
        return await shield(task)
    except CancelledError:
        while not task.done():
            with suppress(CancelledError):
                await wait([task])
        if not task.cancelled():
            task.exception()  # It is known: who cancels does not ask for it.
        raise


_DRIVERS: Final = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+psycopg"}


def _engine_of(where: str | PathLike[str] | AsyncEngine) -> AsyncEngine:
    """Return the engine itself, or one for a URL that keeps no connection open."""
    try:
        from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine  # noqa: PLC0415 - as above
        from sqlalchemy.pool import NullPool  # noqa: PLC0415 - as above

        from message_history.storage.databases.database import url_of  # noqa: PLC0415 - as above

        if isinstance(where, AsyncEngine):
            return where
        url = url_of(where)
        return create_async_engine(url.set(drivername=_DRIVERS[url.get_backend_name()]), poolclass=NullPool)
    except ModuleNotFoundError as error:
        raise SessionError(not_installed(error.name, "async")) from None
