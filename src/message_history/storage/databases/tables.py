"""The tables of sessions in a database, and how older ones become newer ones.

Rows of messages and repairs are only ever added: each has the revision of the session that wrote it, and of several
with one position the newest counts. So a growing last message is a new row, and a session that is cut has a smaller
number of messages in its own row, which is the only one that changes.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Double,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    and_,
    delete,
    exists,
    insert,
    inspect,
    literal_column,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.schema import CreateColumn

from message_history.core.messages.policy import DEFAULT_POLICY
from message_history.files.errors import SessionError
from message_history.storage.databases.rows import Head, body_starts_turn, body_text, calls_since, held_by

SCHEMA_VERSION: Final = 4

STARTS: Final = "starts_turn"
_ALL: Final = MetaData()
_Number: Final = BigInteger().with_variant(Integer, "sqlite")

SCHEMA: Final = Table("message_history_schema", _ALL, Column("version", Integer, nullable=False))
"""One row: the version of these tables."""

SESSIONS: Final = Table(
    "message_history_sessions",
    _ALL,
    # Numbers are not used again, so that a session that was deleted and made anew is another one.
    Column("number", _Number, primary_key=True, autoincrement=True),
    Column("id", Text, nullable=False, unique=True),
    Column("revision", _Number, nullable=False),
    Column("messages", Integer, nullable=False),
    Column("repairs", Integer, nullable=False),
    Column("system", Text),
    Column("owner", Text, nullable=False, server_default=""),
    Column("title", Text, nullable=False, server_default=""),
    Column("labels", Text, nullable=False, server_default="[]"),
    Column("created", Double, nullable=False, server_default="0"),
    Column("updated", Double, nullable=False, server_default="0"),
    Index("message_history_sessions_by_time", "updated", "number"),
    Index("message_history_sessions_of_owners", "owner", "updated", "number"),
    sqlite_autoincrement=True,
)
"""One row for each session: its revision, which is 0 while it is only described, how many messages and repairs it has,
its system prompt, and what the application says of it."""

LABELS: Final = Table(
    "message_history_labels",
    _ALL,
    Column("session", _Number, primary_key=True, autoincrement=False),
    Column("label", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("updated", Double, nullable=False),
    Index("message_history_labels_by_time", "label", "updated", "session"),
    Index("message_history_labels_of_owners", "owner", "label", "updated", "session"),
)
"""The labels of sessions, with what is in the session's own row to list them by."""

TEXTS: Final = Table(
    "message_history_texts",
    _ALL,
    Column("number", _Number, primary_key=True),
    Column("session", _Number, nullable=False),
    Column("position", Integer, nullable=False),
    Column("owner", Text, nullable=False),
    Column("text", Text, nullable=False),
    Index("message_history_texts_of_sessions", "session", "position"),
)
"""What is searched: the texts of the messages that count, and titles at the position -1. `WORDS` is their index."""

WORDS: Final = "message_history_words"
"""SQLite's table, PostgreSQL's index of the words of texts."""

_ADD: Final = f"INSERT INTO {WORDS}(rowid, text, owner) VALUES (new.number, new.text, 'o' || hex(new.owner));"  # noqa: S608
_GONE: Final = "'delete', old.number, old.text, 'o' || hex(old.owner)"
_REMOVE: Final = f"INSERT INTO {WORDS}({WORDS}, rowid, text, owner) VALUES ({_GONE});"  # noqa: S608
_INDEXES: Final = {
    "sqlite": (
        # It keeps no text: the triggers give it what comes and what goes.
        f"CREATE VIRTUAL TABLE {WORDS} USING fts5(text, owner, content='', columnsize=0)",
        f"CREATE TRIGGER {WORDS}_in AFTER INSERT ON {TEXTS.name} BEGIN {_ADD} END",
        f"CREATE TRIGGER {WORDS}_out AFTER DELETE ON {TEXTS.name} BEGIN {_REMOVE} END",
        f"CREATE TRIGGER {WORDS}_anew AFTER UPDATE ON {TEXTS.name} BEGIN {_REMOVE} {_ADD} END",
    ),
    "postgresql": (
        f"ALTER TABLE {TEXTS.name} ADD COLUMN words tsvector GENERATED ALWAYS AS"
        " (array_to_tsvector(ARRAY['@' || owner]) || to_tsvector('simple'::regconfig, text)) STORED",
        f"CREATE INDEX {WORDS} ON {TEXTS.name} USING gin (words)",
    ),
}

MESSAGES: Final = Table(
    "message_history_messages",
    _ALL,
    Column("session", _Number, primary_key=True, autoincrement=False),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("revision", _Number, primary_key=True, autoincrement=False),
    # Before the body: to look for it does not read that.
    Column(STARTS, Boolean(create_constraint=False), nullable=False),
    Column("body", Text, nullable=False),
)
"""Messages in the saved form; those that begin a whole turn are known without reading them."""

REPAIRS: Final = Table(
    "message_history_repairs",
    _ALL,
    Column("session", _Number, primary_key=True, autoincrement=False),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("revision", _Number, primary_key=True, autoincrement=False),
    Column("message", Integer, nullable=False),
    Column("body", Text, nullable=False),
)
"""Repairs, in the order in which they happened, each with the position of its message."""

CALLS: Final = Table(
    "message_history_calls",
    _ALL,
    Column("session", _Number, primary_key=True, autoincrement=False),
    Column("key", Text, primary_key=True),
    Column("state", Text, nullable=False),
    Column("until", Double),
    Column("body", Text, nullable=False),
    Index("message_history_calls_that_wait", "state", "until"),
)
"""The calls that wait for somebody, until when, and in the body their ids, their tools and who decided last."""

TURNS: Final = Table(
    "message_history_turns",
    _ALL,
    Column("id", Text, primary_key=True),
    Column("worker", Text, nullable=False),
    Column("token", Text, nullable=False),
    Column("until", Double, nullable=False),
)
"""Which worker has the turn of a session, which need not be saved yet, and until when."""


def names() -> list[str]:
    return [table.name for table in _ALL.sorted_tables]


def version_of(connection: Connection) -> int:
    if not inspect(connection).has_table(SCHEMA.name):
        return 0
    return int(connection.execute(select(SCHEMA.c.version)).scalar_one())


def migrate(connection: Connection) -> None:
    """Make the tables, or bring older ones up to date; the caller holds a lock and commits."""
    version = version_of(connection)
    if version > SCHEMA_VERSION:
        raise SessionError(
            f"a later version made the tables ({version}, this one knows {SCHEMA_VERSION}); they are not changed"
        )
    if version == SCHEMA_VERSION:
        return
    if version == 1:
        _from_version_1(connection)
    if version:
        _describe_sessions(connection)
    _ALL.create_all(connection)
    for statement in _INDEXES[connection.dialect.name] if can_search(connection) else ():
        connection.exec_driver_sql(statement)
    if 0 < version < 3:
        _add_calls(connection)
    if version:
        _add_texts(connection)
    connection.execute(delete(SCHEMA))
    connection.execute(insert(SCHEMA).values(version=SCHEMA_VERSION))


BATCH: Final = 500
"""How many rows are held at once when a table is copied."""


def _from_version_1(connection: Connection) -> None:
    """Version 1 did not know which messages begin a turn."""
    if connection.dialect.name == "postgresql":
        # Writers are let finish, in the order in which they lock.
        connection.exec_driver_sql(f"LOCK TABLE {SESSIONS.name}, {MESSAGES.name} IN ACCESS EXCLUSIVE MODE")
    older = Table(f"{MESSAGES.name}_1", MetaData(), *(column._copy() for column in MESSAGES.c if column.name != STARTS))
    connection.exec_driver_sql(f"ALTER TABLE {MESSAGES.name} RENAME TO {older.name}")
    MESSAGES.create(connection)
    key = (older.c.session, older.c.position, older.c.revision)
    wanted = select(older).order_by(*key).limit(BATCH)
    rows = connection.execute(wanted).mappings().all()
    while rows:
        connection.execute(insert(MESSAGES), [{**row, STARTS: body_starts_turn(row["body"])} for row in rows])
        last = tuple_(*(rows[-1][column.name] for column in key))
        rows = connection.execute(wanted.where(tuple_(*key) > last)).mappings().all()
    older.drop(connection)


def _add_calls(connection: Connection) -> None:
    """Versions before 3 did not know which calls wait: the sessions that may have such calls are read."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"LOCK TABLE {SESSIONS.name} IN EXCLUSIVE MODE")
    marks = [MESSAGES.c.body.contains(f'"{word}"') for word in ("pending", "approved", "started", "approval")]
    numbers = select(MESSAGES.c.session).where(or_(*marks)).distinct()
    columns = (SESSIONS.c.number, SESSIONS.c.revision, SESSIONS.c.messages, SESSIONS.c.repairs, SESSIONS.c.system)
    for found in connection.execute(select(*columns).where(SESSIONS.c.number.in_(numbers))).all():
        head = Head(*found)
        wanted = select(MESSAGES.c.body).where(counting(MESSAGES, head.number, head.messages))
        bodies = connection.execute(wanted.order_by(MESSAGES.c.position)).scalars().all()
        history = held_by(head, bodies, [], DEFAULT_POLICY).history
        rows = [{"session": head.number, **row} for row in calls_since(history, 0, 0).waiting]
        if rows:
            connection.execute(insert(CALLS), rows)


def _describe_sessions(connection: Connection) -> None:
    """Versions before 4 did not know whose a session is: of old ones the time of the change is known."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"LOCK TABLE {SESSIONS.name} IN ACCESS EXCLUSIVE MODE")
    for name in ("owner", "title", "labels", "created", "updated"):
        made = CreateColumn(SESSIONS.c[name]).compile(dialect=connection.dialect)
        connection.exec_driver_sql(f"ALTER TABLE {SESSIONS.name} ADD COLUMN {made}")
    for index in SESSIONS.indexes:
        index.create(connection)
    connection.execute(update(SESSIONS).values(created=clock(connection), updated=clock(connection)))


def _add_texts(connection: Connection) -> None:
    """Versions before 4 did not search."""
    own = MESSAGES.join(SESSIONS, SESSIONS.c.number == MESSAGES.c.session)
    key = (MESSAGES.c.session, MESSAGES.c.position)
    counts = and_(MESSAGES.c.position < SESSIONS.c.messages, ~is_replaced(MESSAGES))
    wanted = select(*key, MESSAGES.c.body).select_from(own).where(counts).order_by(*key).limit(BATCH)
    rows = connection.execute(wanted).all()
    while rows:
        texts = [(each.session, each.position, text) for each in rows if (text := body_text(each.body))]
        if texts:
            values = [{"session": session, "position": at, "owner": "", "text": text} for session, at, text in texts]
            connection.execute(insert(TEXTS), values)
        rows = connection.execute(wanted.where(tuple_(*key) > tuple_(rows[-1].session, rows[-1].position))).all()


def can_search(connection: Connection) -> bool:
    """Return whether the database has a full-text index; a SQLite without FTS5 has none."""
    if connection.dialect.name != "sqlite":
        return True
    return bool(connection.exec_driver_sql("SELECT sqlite_compileoption_used('ENABLE_FTS5')").scalar())


def clock(connection: Connection) -> Any:
    """Return the database's own time, in seconds since 1970, for a statement."""
    return literal_column(_CLOCKS[connection.dialect.name])


_CLOCKS: Final = {
    "sqlite": "((julianday('now') - 2440587.5) * 86400.0)",
    "postgresql": "extract(epoch FROM statement_timestamp())",
}


def counting(table: Table, number: int, count: int) -> Any:
    """Say which rows of a session count: of those with one position the newest."""
    return and_(table.c.session == number, table.c.position < count, ~is_replaced(table))


def is_replaced(table: Table) -> Any:
    newer = table.alias("newer")
    same = and_(newer.c.session == table.c.session, newer.c.position == table.c.position)
    return exists().where(same, newer.c.revision > table.c.revision).correlate(table)
