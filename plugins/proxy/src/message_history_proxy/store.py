"""Conversations in SQLite or PostgreSQL, for a proxy that restarts and for several that share them.

Of one that was sent as it came, only digests are kept: the next request says all. They are found by the digests of
their raw lists' beginnings. When the database does not answer, a conversation counts as not known.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, Final, final
from urllib.parse import urlsplit

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Engine,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    create_engine,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.exc import SQLAlchemyError

from message_history.core.values.log import Log
from message_history.following.followed import Followed
from message_history_healing.beginnings import beginnings_of
from message_history_healing.conversations import CANDIDATES, LOOKED_AT, Found, goes_on
from message_history_healing.request import Untouched
from message_history_proxy.versions import loaded, saved

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Row

    from message_history.following.digests import EntryDigest
    from message_history_healing.request import Sent

_ALL: Final = MetaData()
CONVERSATIONS: Final = Table(
    "message_history_proxy_sent",
    _ALL,
    Column("id", String(32), primary_key=True),
    Column("used", Float, nullable=False, index=True),
    Column("version", Integer, nullable=False),
    Column("entries", Integer, nullable=False),
    Column("whole", String(32), nullable=False),
    Column("sent", LargeBinary),
)
"""One row for each conversation: when it was used, how often it went on, how long its raw list was, the digest of that
list, and what was sent of it; nothing where all of it was sent unchanged."""
BEGINNINGS: Final = Table(
    "message_history_proxy_starts",
    _ALL,
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("beginning", String(32), nullable=False, index=True),
    Column("length", Integer, nullable=False),
    Column("conversation", String(32), nullable=False, index=True),
)
"""The digests of the raw lists that were sent of each conversation, and how long these are; the newest have the highest
numbers."""
MAX_CONVERSATIONS: Final = 100_000
_BATCH: Final = 400
"""How many digests one query asks for."""
_PRUNE_EVERY: Final = 256


NOTE: Final = ""
"""The id of no conversation: its row says that the files of the database are still to be rewritten."""


@final
class DatabaseConversations:
    """Conversations in a database; safe for threads and for several proxies. They are found as those in memory are.

    Args:
        url: the database: `sqlite:///FILE`, or `postgresql://...` with the extra `postgres`.
        now: returns the time: the conversations that were unused for longest are dropped first.
    """

    def __init__(
        self,
        url: str,
        now: Callable[[], float],
        on_error: Callable[[Exception], None] = lambda _: None,
        max_conversations: int = MAX_CONVERSATIONS,
    ) -> None:
        self._engine = engine_of(url)
        self._now, self._on_error, self._max = now, on_error, max_conversations
        self._has_tables = False
        self._kept = 0

    def find(self, group: str, known: Sequence[EntryDigest]) -> Found:
        """Find the conversation that a raw list continues.

        `group` keeps conversations apart that must not be mixed. There is nothing in one that is not known, nor when
        the database does not answer.
        """
        keys = _keys(group, known)
        try:
            with self._connected() as connection:
                ids = _candidates(connection, keys)
                rows = connection.execute(select(CONVERSATIONS).where(CONVERSATIONS.c.id.in_(ids)))
                kept = {row.id: Found(_sent(row, keys, known), (row.id, row.version)) for row in rows}
        except SQLAlchemyError as error:
            self._on_error(error)
            return Found()
        found = [kept[id] for id in ids if id in kept]
        fitting = (one for one in found if one.sent is not None and goes_on(one.sent, known))
        return next(fitting, found[0] if found else Found())

    def keep(self, group: str, sent: Sent, found: Found, size: int) -> None:
        """Keep what was sent now.

        `found` is what `find` gave for it, `size` about how many bytes it holds.
        """
        del size
        known = list(sent.entries)
        if not known:
            return
        keys = _keys(group, known)
        try:
            with self._connected() as connection, connection.begin():
                old, there = found.place[0] if isinstance(found.place, tuple) else None, set[str]()
                if old is not None:
                    mine = select(BEGINNINGS.c.beginning).where(BEGINNINGS.c.conversation == old)
                    there = set(connection.execute(mine).scalars())
                id = self._written(connection, sent, found, known, keys[-1])
                if isinstance(sent, Followed):
                    # A result may yet be put anywhere into the raw list, so all of its beginnings lead here.
                    led = {key for key in keys if id != old or key not in there}
                elif id == old:
                    led = {keys[-1]}
                    again = (BEGINNINGS.c.conversation == id) & (BEGINNINGS.c.beginning == keys[-1])
                    connection.execute(delete(BEGINNINGS).where(again))
                else:
                    led = {keys[-1], *there}
                rows = [
                    {"beginning": key, "length": length, "conversation": id}
                    for length, key in enumerate(keys, 1)
                    if key in led
                ]
                if rows:
                    connection.execute(insert(BEGINNINGS), rows)
                self._kept += 1
                if self._kept % _PRUNE_EVERY == 0:
                    self._prune(connection)
        except SQLAlchemyError as error:
            self._on_error(error)

    def close(self) -> None:
        self._engine.dispose()

    def _connected(self) -> Connection:
        if not self._has_tables:
            _ALL.create_all(self._engine)
            self._has_tables = True
            finish(self._engine)
        return self._engine.connect()

    def _written(
        self, connection: Connection, sent: Sent, found: Found, known: Sequence[EntryDigest], whole: str
    ) -> str:
        """Write what was sent, and return the id of its conversation."""
        state = saved(sent) if isinstance(sent, Followed) else None
        values = {"used": self._now(), "entries": len(known), "whole": whole, "sent": state}
        if isinstance(found.place, tuple) and found.sent is not None and goes_on(found.sent, known):
            # Another proxy may have gone on with it meanwhile: then this is a separate conversation.
            id, version = found.place
            unchanged = (CONVERSATIONS.c.id == id) & (CONVERSATIONS.c.version == version)
            if connection.execute(
                update(CONVERSATIONS).where(unchanged).values(version=version + 1, **values)
            ).rowcount:
                return str(id)
        new = secrets.token_hex(16)
        connection.execute(insert(CONVERSATIONS).values(id=new, version=0, **values))
        return new

    def _prune(self, connection: Connection) -> None:
        count = connection.execute(select(func.count()).select_from(CONVERSATIONS)).scalar_one()
        if count <= self._max:
            return
        oldest = select(CONVERSATIONS.c.id).order_by(CONVERSATIONS.c.used).limit(count - self._max)
        ids = list(connection.execute(oldest).scalars())
        connection.execute(delete(BEGINNINGS).where(BEGINNINGS.c.conversation.in_(ids)))
        connection.execute(delete(CONVERSATIONS).where(CONVERSATIONS.c.id.in_(ids)))


def engine_of(url: str) -> Engine:
    if urlsplit(url).scheme in ("postgres", "postgresql"):
        url = f"postgresql+psycopg://{url.partition('://')[2]}"
    return create_engine(url, pool_pre_ping=True, pool_timeout=5)


def finish(engine: Engine) -> None:
    """Rewrite the files of a database, when somebody who made it forget was killed before it was done."""
    with engine.connect() as connection:
        is_open = connection.execute(select(CONVERSATIONS.c.id).where(CONVERSATIONS.c.id == NOTE)).first() is not None
    if is_open:
        rewrite_files(engine)


def rewrite_files(engine: Engine) -> bool:
    """Rewrite the files of a database; return whether nothing that was deleted is left in them."""
    with engine.connect() as made:
        connection = made.execution_options(isolation_level="AUTOCOMMIT")
        if engine.dialect.name == "postgresql":
            # The statistics hold values of the columns.
            connection.exec_driver_sql(f"VACUUM (FULL, ANALYZE) {', '.join(_ALL.tables)}")
        else:
            connection.exec_driver_sql("VACUUM")
            if connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").scalar():
                return False
        connection.execute(delete(CONVERSATIONS).where(CONVERSATIONS.c.id == NOTE))
    return True


def _keys(group: str, known: Sequence[EntryDigest]) -> list[str]:
    return [key.hex() for key in beginnings_of(group, known)]


def _candidates(connection: Connection, keys: list[str]) -> list[str]:
    """Name the conversations whose raw lists begin alike: those that share most first, of these the newest."""
    found: dict[str, None] = {}
    for end in range(len(keys), 0, -_BATCH):
        alike = BEGINNINGS.c.beginning.in_(keys[max(end - _BATCH, 0) : end])
        newest = select(BEGINNINGS.c.conversation).where(alike)
        rows = newest.order_by(BEGINNINGS.c.length.desc(), BEGINNINGS.c.number.desc()).limit(LOOKED_AT)
        found |= dict.fromkeys(connection.execute(rows).scalars())
        if len(found) >= CANDIDATES:
            break
    return list(found)[:CANDIDATES]


def _sent(row: Row[Any], keys: list[str], known: Sequence[EntryDigest]) -> Sent | None:
    """Read what was sent of a conversation.

    None where all of it went as it came and the raw list does not begin with that, and for a row that another version
    of this library wrote.
    """
    if row.sent is not None:
        return loaded(row.sent)
    begins = row.entries <= len(keys) and keys[row.entries - 1] == row.whole
    return Untouched(Log(entry.alone() for entry in known[: row.entries])) if begins else None
