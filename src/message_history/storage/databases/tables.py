"""The tables of sessions in a database, and how older ones become newer ones.

Rows of messages and repairs are only ever added: each has the revision of the session that wrote it, and of several
with one position the newest counts. So a growing last message is a new row, and a session that is cut has a smaller
number of messages in its own row, which is the only one that changes.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Integer,
    MetaData,
    Table,
    Text,
    delete,
    insert,
    inspect,
    select,
    tuple_,
)

from message_history.files.errors import SessionError
from message_history.storage.databases.rows import body_starts_turn

SCHEMA_VERSION: Final = 2

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
    sqlite_autoincrement=True,
)
"""One row for each session: its revision, how many messages and repairs it has, and its system prompt."""

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


def version_of(connection: Connection) -> int:
    """Find the version of a database's tables; 0 when there are none."""
    if not inspect(connection).has_table(SCHEMA.name):
        return 0
    return int(connection.execute(select(SCHEMA.c.version)).scalar_one())


def migrate(connection: Connection) -> None:
    """Make the tables, or bring older ones up to date; the caller holds a lock and commits.

    Raises `SessionError` when a later version of this library made the tables.
    """
    version = version_of(connection)
    if version > SCHEMA_VERSION:
        raise SessionError(
            f"a later version made the tables ({version}, this one knows {SCHEMA_VERSION}); they are not changed"
        )
    if version == SCHEMA_VERSION:
        return
    if version == 0:
        _ALL.create_all(connection)
    elif version == 1:
        _from_version_1(connection)
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
