"""Sessions' rows in SQLite or PostgreSQL: connections, transactions, and each statement that is sent."""

from __future__ import annotations

import contextlib
import json
import os
from collections import OrderedDict
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, final
from weakref import WeakSet

from sqlalchemy import (
    Connection,
    Engine,
    Table,
    and_,
    case,
    create_engine,
    delete,
    exists,
    insert,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from message_history.core.turns.rules import CallState
from message_history.extras import not_installed
from message_history.files.errors import SessionError, SessionLockedError
from message_history.storage.databases.rows import Head, waiting_call
from message_history.storage.databases.tables import (
    CALLS,
    LABELS,
    MESSAGES,
    REPAIRS,
    SCHEMA,
    SCHEMA_VERSION,
    SESSIONS,
    TEXTS,
    TURNS,
    WORDS,
    can_search,
    clock,
    counting,
    is_replaced,
    migrate,
    names,
    version_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from message_history.storage.databases.rows import Row, WaitingRows
    from message_history.storage.working import WaitingCall

SQLITE: Final = "sqlite"
POSTGRESQL: Final = "postgresql"
LOCK_KEY: Final = 0x6D65_7373_6167
"""Names the lock that is held in PostgreSQL while tables are made or changed."""
LOCK_NOT_AVAILABLE: Final = "55P03"
MOST_OPEN_FILES: Final = 32
"""How many SQLite files stay open between uses; each takes up to three descriptors for each thread."""


@final
class Database:
    """A database that holds sessions; its tables are made when they are needed.

    Args:
        where: a URL, the path of a SQLite file, or an engine.
        lock_timeout: how many seconds to wait for another writer.

    Raises:
        ValueError: for a URL of another kind of database.
        SessionError: when the driver is not installed.
    """

    def __init__(self, where: str | os.PathLike[str] | Engine, lock_timeout: float) -> None:
        self._engine = where if isinstance(where, Engine) else _engine_of(url_of(where))
        self._milliseconds = max(int(lock_timeout * 1_000), 1)
        self._kind = self._engine.dialect.name
        _check_kind(self._kind)

    def __str__(self) -> str:
        return str(self._engine.url.render_as_string(hide_password=True))

    @property
    def is_file(self) -> bool:
        return bool(self._kind == SQLITE)

    @contextmanager
    def reading(self) -> Iterator[Rows]:
        """Read: all that is read is of one moment. Raises `SessionError` when the database cannot be read."""
        with self._reporting():
            self._prepare()
            with self._transaction(write=False) as connection:
                yield Rows(connection)

    @contextmanager
    def writing(self) -> Iterator[Rows]:
        """Write all or nothing, or raise that the database is locked or cannot be written to."""
        with self._reporting():
            self._prepare()
            with self._transaction(write=True) as connection:
                yield Rows(connection)

    def has_sessions(self) -> bool:
        """Return whether there are tables of sessions; none are made."""
        if self._kind == SQLITE and not self._has_file():
            return False
        with self._reporting(), self._engine.connect() as connection:
            return version_of(connection) > 0

    def scrub(self) -> None:
        """Rewrite the files of the database, so that nothing that was deleted is left in them."""
        with self._reporting():
            self._prepare()
            with self._engine.connect() as made:
                connection = made.execution_options(isolation_level="AUTOCOMMIT")
                if self._kind == POSTGRESQL:
                    connection.exec_driver_sql(f"VACUUM (FULL, ANALYZE) {', '.join(names())}")
                    return
                connection.exec_driver_sql(f"PRAGMA busy_timeout = {self._milliseconds}")
                if can_search(connection):
                    connection.exec_driver_sql(f"INSERT INTO {WORDS}({WORDS}) VALUES ('optimize')")  # noqa: S608
                connection.exec_driver_sql("VACUUM")
                busy = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").scalar()
        if busy:
            raise SessionLockedError(f"{self}: somebody is reading it: its write-ahead log still has what was deleted")

    def _prepare(self) -> None:
        """Make the tables, once for each engine, and again for a file that was deleted."""
        if self._kind == SQLITE:
            _keep_few_open(self._engine)
            if not self._has_file():
                self._engine.dispose()
                _prepared.discard(self._engine)
        if self._engine in _prepared:
            return
        if self._kind == SQLITE:
            with self._engine.connect() as connection:
                connection.exec_driver_sql(f"PRAGMA busy_timeout = {self._milliseconds}")
                connection.exec_driver_sql("PRAGMA journal_mode = WAL")
        with self._transaction(write=False) as connection:
            version = version_of(connection)
        if version != SCHEMA_VERSION:
            with self._transaction(write=True) as connection:
                if self._kind == POSTGRESQL:
                    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK_KEY})")
                migrate(connection)
        _prepared.add(self._engine)

    def _has_file(self) -> bool:
        """Return whether the SQLite file is there; its open connections would go on writing to one that is deleted."""
        name = self._engine.url.database
        return not name or name == ":memory:" or name.startswith("file:") or os.path.exists(name)  # noqa: PTH110

    @contextmanager
    def _transaction(self, *, write: bool) -> Iterator[Connection]:
        with self._engine.connect() as made, _dropped_when_interrupted(made):
            if self._kind == SQLITE:
                connection = made.execution_options(isolation_level="AUTOCOMMIT")
                with self._of_sqlite(connection, "IMMEDIATE" if write else "DEFERRED"):
                    yield connection
                return
            level = "READ COMMITTED" if write else "REPEATABLE READ"
            connection = made.execution_options(isolation_level=level)
            with connection.begin():
                if write:
                    connection.exec_driver_sql(f"SET LOCAL lock_timeout = {self._milliseconds}")
                yield connection

    @contextmanager
    def _of_sqlite(self, connection: Connection, kind: str) -> Iterator[None]:
        """Begin and end a transaction by hand: the driver would begin it too late."""
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {self._milliseconds}")
        connection.exec_driver_sql(f"BEGIN {kind}")
        try:
            yield
            connection.exec_driver_sql("COMMIT")
        except BaseException:
            # SQLite has taken it back already when the disk is full.
            with contextlib.suppress(SQLAlchemyError):
                connection.exec_driver_sql("ROLLBACK")
            raise

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        """What the database says when it cannot becomes our own error."""
        try:
            yield
        except SessionError:
            raise
        except DBAPIError as error:
            answer = str(error.orig).strip().partition("\n")[0]
            if getattr(error.orig, "sqlstate", None) == LOCK_NOT_AVAILABLE or answer == "database is locked":
                seconds = self._milliseconds / 1_000
                raise SessionLockedError(f"{self}: another writer has held it for {seconds:g} seconds") from error
            raise SessionError(f"{self}: {answer}") from error
        except (MemoryError, UnicodeDecodeError) as error:
            # What SQLite says quotes a damaged name, and it asks for as much memory as a damaged page names.
            raise SessionError(
                f"{self}: the database is damaged: {str(error) or 'it needs too much memory'}"
            ) from error
        except SQLAlchemyError as error:
            raise SessionError(f"{self}: {str(error).partition(chr(10))[0]}") from error


@final
class Rows:
    """The rows of sessions, within one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def head(self, id: str, *, hold: bool = False) -> Head | None:
        """Read a session's own row, if there is one; `hold` makes its other writers wait from here on."""
        columns = SESSIONS.c
        wanted = select(columns.number, columns.revision, columns.messages, columns.repairs, columns.system)
        wanted = wanted.where(columns.id == id, columns.revision > 0)
        found = self._connection.execute(wanted.with_for_update() if hold else wanted).first()
        return Head(*found) if found is not None else None

    def ids(self, after: str, limit: int | None) -> list[str]:
        wanted = select(SESSIONS.c.id).where(SESSIONS.c.id > after).order_by(SESSIONS.c.id).limit(limit)
        return list(self._connection.execute(wanted).scalars())

    def newest_turns(self, head: Head, turns: int) -> int:
        """Return the position of the first message of the newest turns, without reading what any message says."""
        columns = MESSAGES.c
        wanted = select(columns.position).where(counting(MESSAGES, head.number, head.messages), columns.starts_turn)
        wanted = wanted.order_by(columns.position.desc()).offset(turns - 1).limit(1)
        return int(self._connection.execute(wanted).scalar() or 0)

    def messages(self, head: Head, first: int = 0) -> list[str]:
        """Read the bodies of the messages that count, from the position `first` on."""
        columns = MESSAGES.c
        wanted = select(columns.body).where(counting(MESSAGES, head.number, head.messages), columns.position >= first)
        return list(self._connection.execute(wanted.order_by(columns.position)).scalars())

    def repairs(self, head: Head, first: int = 0) -> list[str]:
        """Read the bodies of the repairs that count, from those of the message at the position `first` on."""
        if not head.repairs:
            return []
        columns = REPAIRS.c
        wanted = select(columns.body).where(counting(REPAIRS, head.number, head.repairs), columns.message >= first)
        return list(self._connection.execute(wanted.order_by(columns.position)).scalars())

    def create(self, id: str, head: Head) -> int | None:
        """Make a session, which may be described already.

        The number in `head` is not looked at. Returns the session's number; None when there is one with this id.
        Raises `SessionError` when a later version of this library has changed the tables.
        """
        if version_of(self._connection) != SCHEMA_VERSION:
            raise SessionError(_CHANGED)
        values = {**head._asdict(), "updated": clock(self._connection)}
        del values["number"]
        made = self.insert(SESSIONS).values(id=id, created=clock(self._connection), **values)
        described = SESSIONS.c.revision == 0
        made = made.on_conflict_do_update(index_elements=[SESSIONS.c.id], set_=values, where=described)
        if not self._connection.execute(made, execution_options={"preserve_rowcount": True}).rowcount:
            return None
        number = int(self._connection.execute(select(SESSIONS.c.number).where(SESSIONS.c.id == id)).scalar_one())
        self._date_labels(number)
        return number

    def insert(self, table: Table) -> Any:
        """Insert, where what to do in a conflict can be said."""
        return _INSERTS[self._connection.dialect.name](table)

    def advance(self, head: Head) -> bool:
        """Go on to a session's next revision; from here on all other writers of this session wait.

        `head` is as it is to be, with the next revision. Returns False when the session has another revision than the
        one before that. Raises `SessionError` when a later version of this library has changed the tables.
        """
        ours = and_(SESSIONS.c.number == head.number, SESSIONS.c.revision == head.revision - 1)
        known = exists().where(SCHEMA.c.version == SCHEMA_VERSION)
        done = self._connection.execute(
            update(SESSIONS)
            .where(ours, known)
            .values(revision=head.revision, messages=head.messages, repairs=head.repairs, system=head.system)
            .values(updated=clock(self._connection))
        )
        if done.rowcount:
            self._date_labels(head.number)
        elif version_of(self._connection) != SCHEMA_VERSION:
            raise SessionError(_CHANGED)
        return bool(done.rowcount)

    def _date_labels(self, number: int) -> None:
        time = select(SESSIONS.c.updated).where(SESSIONS.c.number == number).scalar_subquery()
        self._connection.execute(update(LABELS).where(LABELS.c.session == number).values(updated=time))

    def add(self, head: Head, messages: Sequence[Row], repairs: Sequence[Row], changed: int | None) -> None:
        for table, rows in ((MESSAGES, messages), (REPAIRS, repairs)):
            same = {"session": head.number, "revision": head.revision}
            values = [{**same, "position": row.position, "body": row.body, **row.more} for row in rows]
            if values:
                self._connection.execute(insert(table), values)
        if changed is not None:
            old = and_(TEXTS.c.session == head.number, TEXTS.c.position >= changed)
            self._connection.execute(delete(TEXTS).where(old))
        self.add_texts(head.number, [(row.position, row.text) for row in messages if row.text])

    def add_texts(self, number: int, texts: Sequence[tuple[int, str]]) -> None:
        """Let texts be searched, by their positions."""
        owner = select(SESSIONS.c.owner).where(SESSIONS.c.number == number).scalar_subquery()
        values = [{"session": number, "position": position, "text": text} for position, text in texts]
        if values:
            self._connection.execute(insert(TEXTS).values(owner=owner), values)

    def note(self, number: int, calls: WaitingRows) -> None:
        """Keep in step which calls of a session wait; the caller holds it."""
        for keys in (calls.settled, [row["key"] for row in calls.waiting]):
            if keys:
                self._connection.execute(delete(CALLS).where(CALLS.c.session == number, CALLS.c.key.in_(keys)))
        if calls.waiting:
            self._connection.execute(insert(CALLS), [{"session": number, **row} for row in calls.waiting])

    def waiting(self, states: Sequence[CallState], limit: int | None) -> list[WaitingCall]:
        """List the calls of all sessions that wait, those whose time is over first."""
        now, columns = self.now(), CALLS.c
        lapsed = and_(columns.state == CallState.STARTED, columns.until <= now)
        state = case((lapsed, literal(str(CallState.UNKNOWN))), else_=columns.state)
        stored = {str(CallState.STARTED if each is CallState.UNKNOWN else each) for each in states}
        wanted = select(SESSIONS.c.id, columns.key, state, columns.until, columns.body)
        wanted = wanted.join_from(CALLS, SESSIONS, SESSIONS.c.number == columns.session)
        wanted = wanted.where(columns.state.in_(stored), state.in_(states))
        wanted = wanted.order_by(columns.until.is_(None), columns.until, SESSIONS.c.id, columns.key).limit(limit)
        return [waiting_call(*row) for row in self._connection.execute(wanted)]

    def now(self) -> float:
        return float(self._connection.execute(select(clock(self._connection))).scalar_one())

    def hold(self, id: str, worker: str, token: str, until: float) -> tuple[str, float] | None:
        """Take the turn of a session; None when it is taken, else who has it, and until when."""
        mine = {"worker": json.dumps(worker), "token": token, "until": until}
        take = self.insert(TURNS).values(id=id, **mine)
        over = TURNS.c.until <= self.now()
        self._connection.execute(take.on_conflict_do_update(index_elements=[TURNS.c.id], set_=mine, where=over))
        holder = self._connection.execute(select(TURNS).where(TURNS.c.id == id)).one()
        return None if holder.token == token else (json.loads(holder.worker), holder.until)

    def has_turn(self, id: str, token: str) -> bool:
        """Return whether nobody else has taken the turn since; nobody does until the end of the transaction."""
        wanted = select(TURNS.c.token).where(TURNS.c.id == id).with_for_update()
        return bool(self._connection.execute(wanted).scalar() == token)

    def release(self, id: str, token: str) -> None:
        self._connection.execute(delete(TURNS).where(TURNS.c.id == id, TURNS.c.token == token))

    def token(self, id: str) -> str | None:
        """Return the token of the turn of a session, if somebody has it."""
        found = self._connection.execute(select(TURNS.c.token).where(TURNS.c.id == id)).scalar()
        return str(found) if found is not None else None

    def copy(self, head: Head, number: int) -> None:
        """Copy the rows that count to the session of another number, at its first revision."""
        for table, count in ((MESSAGES, head.messages), (REPAIRS, head.repairs)):
            fixed = {"session": literal(number), "revision": literal(1)}
            values = [fixed.get(column.name, column) for column in table.c]
            wanted = select(*values).where(counting(table, head.number, count))
            self._connection.execute(insert(table).from_select(list(table.c.keys()), wanted))
        calls = select(literal(number), *(each for each in CALLS.c if each.name != "session"))
        self._connection.execute(
            insert(CALLS).from_select(list(CALLS.c.keys()), calls.where(CALLS.c.session == head.number))
        )
        self._describe_as(head.number, number)

    def _describe_as(self, old: int, number: int) -> None:
        """Say of a session what is said of another one, and let its texts be searched."""
        listed = ("owner", "title", "labels")
        same = select(*(SESSIONS.c[each] for each in listed)).where(SESSIONS.c.number == old)
        values = self._connection.execute(same).one()._asdict()
        self._connection.execute(update(SESSIONS).where(SESSIONS.c.number == number).values(values))
        for table, kept in ((LABELS, ["label", "owner", "updated"]), (TEXTS, ["position", "owner", "text"])):
            wanted = select(literal(number), *(table.c[each] for each in kept)).where(table.c.session == old)
            self._connection.execute(insert(table).from_select(["session", *kept], wanted))
        self._date_labels(number)

    def delete(self, numbers: Sequence[int]) -> None:
        """Delete sessions with all that is kept of them; the caller holds them."""
        for start in range(0, len(numbers), IN_ONE):
            some = numbers[start : start + IN_ONE]
            # Its own row first: whoever writes to it waits, and then finds that it is gone.
            own = SESSIONS.c.number.in_(some)
            self._connection.execute(delete(TURNS).where(TURNS.c.id.in_(select(SESSIONS.c.id).where(own))))
            self._connection.execute(delete(SESSIONS).where(own))
            for table in (MESSAGES, REPAIRS, CALLS, LABELS, TEXTS):
                self._connection.execute(delete(table).where(table.c.session.in_(some)))

    def clear(self, number: int) -> None:
        """Delete the rows of a session in all its revisions, before all are added anew; the caller holds it."""
        for table in (MESSAGES, REPAIRS, CALLS):
            self._connection.execute(delete(table).where(table.c.session == number))

    def drop_old_rows(self, head: Head) -> int:
        """Delete the rows of a session that do not count any more, and return how many; the caller holds it."""
        gone = 0
        for table, count in ((MESSAGES, head.messages), (REPAIRS, head.repairs)):
            old = or_(table.c.position >= count, is_replaced(table))
            gone += self._connection.execute(delete(table).where(table.c.session == head.number, old)).rowcount
        return gone


_CHANGED: Final = "a later version has changed the tables; nothing was written"
_INSERTS: Final[dict[str, Any]] = {SQLITE: sqlite.insert, POSTGRESQL: postgresql.insert}
_engines: Final[dict[str, Engine]] = {}
_engines_lock: Final = Lock()
_open_files: Final[OrderedDict[Engine, None]] = OrderedDict()
"""The SQLite engines that may have open connections, the one used last at the end."""
_prepared: Final[WeakSet[Engine]] = WeakSet()
IN_ONE: Final = 500
"""How many sessions are named in one statement: older versions of SQLite accept a thousand values."""


def url_of(where: str | os.PathLike[str]) -> URL:
    """Return the URL of a database by its URL or a SQLite file's path, but of none in memory or of another kind."""
    text = os.fspath(where)
    if not isinstance(text, str):
        raise TypeError(f"a database must be a URL, a path or an engine, not {where!r:.80}")
    if "://" not in text:
        return URL.create(SQLITE, database=text)
    try:
        url = make_url(text)
    except ArgumentError:
        # The text may hold a password.
        raise ValueError("the database's URL cannot be read") from None
    if url.drivername in ("postgres", POSTGRESQL):
        url = url.set(drivername=f"{POSTGRESQL}+psycopg")
    _check_kind(url.get_backend_name())
    if url.get_backend_name() == SQLITE and url.database in (None, "", ":memory:"):
        raise ValueError("a database in memory keeps nothing; give the path of a file")
    return url


def _check_kind(kind: str) -> None:
    if kind not in (SQLITE, POSTGRESQL):
        raise ValueError(f"sessions are kept in SQLite or PostgreSQL, not in {kind}")


def _engine_of(url: URL) -> Engine:
    """Return the engine for a URL, the same for all who ask: it holds the connections."""
    name = url.render_as_string(hide_password=False)
    with _engines_lock:
        if name not in _engines:
            try:
                # A connection that the server has closed in the meantime is made anew.
                _engines[name] = create_engine(url, pool_pre_ping=url.get_backend_name() == POSTGRESQL)
            except NoSuchModuleError:
                raise ValueError(f"SQLAlchemy has no driver {url.drivername}") from None
            except ModuleNotFoundError as error:
                raise SessionError(not_installed(error.name, "postgres")) from None
        return _engines[name]


@contextmanager
def _dropped_when_interrupted(connection: Connection) -> Iterator[None]:
    """Drop a connection that Ctrl-C leaves in the middle of a statement: nobody knows what state it is in."""
    try:
        yield
    except Exception:
        raise
    except BaseException:
        connection.invalidate()
        raise


def _keep_few_open(engine: Engine) -> None:
    """Close the files that were used longest ago: one database for each user would run out of open files."""
    with _engines_lock:
        _open_files[engine] = None
        _open_files.move_to_end(engine)
        oldest = _open_files.popitem(last=False)[0] if len(_open_files) > MOST_OPEN_FILES else None
    if oldest is not None:
        oldest.dispose()


def _forget_connections() -> None:
    """Leave the parent's connections to the parent."""
    for engine in _engines.values():
        engine.dispose(close=False)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_connections)
