"""Conversations in SQLite or PostgreSQL, for a proxy that restarts and for several that share them.

Only healed conversations are kept: of one that was sent as it came, the next request says all. They are found by the
digests of their raw lists' beginnings. When the database does not answer, a conversation counts as not known.
"""

from __future__ import annotations

import json
import secrets
import zlib
from typing import TYPE_CHECKING, Any, Final, final
from urllib.parse import urlsplit

from sqlalchemy import (
    Column,
    Connection,
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
from message_history.dialects import Native
from message_history.dialects.registry import DIALECTS
from message_history.following.digests import EntryDigest
from message_history.following.followed import Followed, has_grown
from message_history.healing.conversations import Found, beginnings_of
from message_history.history import MessageHistory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from message_history.healing.request import Sent

_ALL: Final = MetaData()
CONVERSATIONS: Final = Table(
    "message_history_proxy_conversations",
    _ALL,
    Column("id", String(32), primary_key=True),
    Column("used", Float, nullable=False, index=True),
    Column("entries", Integer, nullable=False),
    Column("sent", LargeBinary, nullable=False),
)
"""One row for each conversation: when it was used, how long its raw list was, and what was sent of it."""
BEGINNINGS: Final = Table(
    "message_history_proxy_beginnings",
    _ALL,
    Column("beginning", String(32), primary_key=True),
    Column("conversation", String(32), primary_key=True, index=True),
)
"""The digests of the raw lists that were sent of each conversation."""
MAX_CONVERSATIONS: Final = 100_000
_BATCH: Final = 400
"""How many digests one query asks for."""
_CANDIDATES: Final = 8
_LOOKED_AT: Final = 4_000
_PRUNE_EVERY: Final = 256


@final
class DatabaseConversations:
    """Healed conversations in a database; safe for threads and for several proxies.

    Args:
        url: the database: `sqlite:///FILE`, or `postgresql://...` with the extra `postgres`.
        now: gives the time: the conversations that nobody used for longest are dropped first.
    """

    def __init__(
        self,
        url: str,
        now: Callable[[], float],
        on_error: Callable[[Exception], None] = lambda _: None,
        max_conversations: int = MAX_CONVERSATIONS,
    ) -> None:
        if urlsplit(url).scheme in ("postgres", "postgresql"):
            url = f"postgresql+psycopg://{url.partition('://')[2]}"
        self._engine = create_engine(url, pool_pre_ping=True, pool_timeout=5)
        self._now, self._on_error, self._max = now, on_error, max_conversations
        self._has_tables = False
        self._kept = 0

    def find(self, group: str, known: Sequence[EntryDigest]) -> Found:
        """Find the conversation that a raw list goes on with.

        `group` keeps conversations apart that must not be mixed. There is nothing in one that is not known, nor when
        the database does not answer.
        """
        try:
            with self._connected() as connection:
                ids = self._candidates(connection, group, known)
                rows = connection.execute(select(CONVERSATIONS).where(CONVERSATIONS.c.id.in_(ids)))
                kept = {row.id: _loaded(row.sent) for row in rows}
                found = [Found(sent, id) for id in ids if (sent := kept.get(id)) is not None]
        except SQLAlchemyError as error:
            self._on_error(error)
            return Found()
        fitting = (one for one in found if isinstance(one.sent, Followed) and has_grown(one.sent, known))
        return next(fitting, found[0] if found else Found())

    def keep(self, group: str, sent: Sent, found: Found, size: int) -> None:
        """Keep what was sent now, if it was healed.

        `found` is what `find` gave for it, `size` about how many bytes it holds.
        """
        del size
        if not isinstance(sent, Followed):
            return
        known = list(sent.entries)
        keys = [key.hex() for key in beginnings_of(group, known)]
        try:
            with self._connected() as connection, connection.begin():
                id = self._written(connection, sent, found, known)
                # A result may yet be put anywhere into the raw list, so all of its beginnings lead here.
                mine = select(BEGINNINGS.c.beginning).where(BEGINNINGS.c.conversation == id)
                there = set(connection.execute(mine).scalars())
                new = [{"beginning": key, "conversation": id} for key in keys if key not in there]
                if new:
                    connection.execute(insert(BEGINNINGS), new)
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
        return self._engine.connect()

    def _candidates(self, connection: Connection, group: str, known: Sequence[EntryDigest]) -> list[str]:
        """Name the conversations whose raw lists begin alike: those that share most first, of these the newest."""
        found: dict[str, None] = {}
        for some in _batches([key.hex() for key in beginnings_of(group, known)]):
            rows = select(BEGINNINGS).join(CONVERSATIONS, CONVERSATIONS.c.id == BEGINNINGS.c.conversation)
            newest = rows.where(BEGINNINGS.c.beginning.in_(some)).order_by(CONVERSATIONS.c.used.desc())
            by_key: dict[str, list[str]] = {}
            for row in connection.execute(newest.limit(_LOOKED_AT)):
                by_key.setdefault(row.beginning, []).append(row.conversation)
            found |= dict.fromkeys(id for key in reversed(some) for id in by_key.get(key, ()))
            if len(found) >= _CANDIDATES:
                break
        return list(found)[:_CANDIDATES]

    def _written(
        self, connection: Connection, sent: Followed[MessageHistory], found: Found, known: Sequence[EntryDigest]
    ) -> str:
        values = {"used": self._now(), "entries": len(known), "sent": _saved(sent)}
        before = found.sent
        if isinstance(found.place, str) and isinstance(before, Followed) and has_grown(before, known):
            # Another proxy may have gone on with it meanwhile: then this is a conversation of its own.
            unchanged = (CONVERSATIONS.c.id == found.place) & (CONVERSATIONS.c.entries == len(before.entries))
            if connection.execute(update(CONVERSATIONS).where(unchanged).values(**values)).rowcount:
                return found.place
        id = secrets.token_hex(16)
        connection.execute(insert(CONVERSATIONS).values(id=id, **values))
        return id

    def _prune(self, connection: Connection) -> None:
        count = connection.execute(select(func.count()).select_from(CONVERSATIONS)).scalar_one()
        if count <= self._max:
            return
        oldest = select(CONVERSATIONS.c.id).order_by(CONVERSATIONS.c.used).limit(count - self._max)
        ids = list(connection.execute(oldest).scalars())
        connection.execute(delete(BEGINNINGS).where(BEGINNINGS.c.conversation.in_(ids)))
        connection.execute(delete(CONVERSATIONS).where(CONVERSATIONS.c.id.in_(ids)))


def _batches(keys: list[str]) -> Iterator[list[str]]:
    for end in range(len(keys), 0, -_BATCH):
        yield keys[max(end - _BATCH, 0) : end]


def _saved(sent: Followed[MessageHistory]) -> bytes:
    entries = [[entry.whole.hex(), entry.head.hex(), [block.hex() for block in entry.blocks]] for entry in sent.entries]
    data = {"dialect": sent.dialect.name, "entries": entries, "history": sent.history.to_list()}
    return zlib.compress(json.dumps(data).encode())


def _loaded(saved: bytes) -> Followed[MessageHistory] | None:
    """Read a row; None for one that another version wrote."""
    try:
        data: Any = json.loads(zlib.decompress(saved))
        entries = [
            EntryDigest(bytes.fromhex(whole), parts=(bytes.fromhex(head), tuple(map(bytes.fromhex, blocks))))
            for whole, head, blocks in data["entries"]
        ]
        dialect = DIALECTS[data["dialect"]]
        history = MessageHistory.from_list(data["history"], dialect=Native(), open_tail="keep").as_sent()
    except (ValueError, KeyError, TypeError, zlib.error):
        return None
    return Followed(history, dialect, Log(entries))
