"""Law 13 in the proxy's store: a search through all bytes of its files finds nothing of what was forgotten."""

from __future__ import annotations

import os
import re
import sqlite3
import zlib
from contextlib import closing
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import pytest

pytest.importorskip("sqlalchemy")

import sqlalchemy
from tests.following.prefixes import begins_with
from tests.forgetting.searching import Secret
from tests.forgetting.test_in_databases import everything, killed_before
from tests.needs import needs_processes

from healed.test_conversations import call, send, user
from message_history.files.errors import SessionError
from message_history.following.digests import digest_of
from message_history.storage.forgetting import Receipt
from message_history_healing.beginnings import beginnings_of
from message_history_proxy.forgetting import forget
from message_history_proxy.store import BEGINNINGS, CONVERSATIONS, DatabaseConversations
from proxying.test_store import BROKEN, LATE, _close, failed, healer_on, postgresql, stores

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from message_history_healing import Healer

__all__ = ["_close", "postgresql"]
SECRET: Final = "PLANTED7QX"


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what is stored be as it is said, so that a search through bytes can find it."""
    plain = SimpleNamespace(compress=partial(zlib.compress, level=0), decompress=zlib.decompress, error=zlib.error)
    monkeypatch.setattr("message_history_proxy.versions.zlib", plain)


@pytest.fixture(params=["sqlite", "sqlite with a write-ahead log", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "postgresql":
        server = request.getfixturevalue("postgresql")
        yield server
        engine = sqlalchemy.create_engine(server.replace("postgresql:", "postgresql+psycopg:"))
        with engine.begin() as connection:
            connection.exec_driver_sql("DROP TABLE IF EXISTS message_history_proxy_sent, message_history_proxy_starts")
        engine.dispose()
        return
    if request.param != "sqlite":
        with closing(sqlite3.connect(tmp_path / "kept.db")) as database:
            database.execute("PRAGMA journal_mode = WAL")
    yield f"sqlite:///{tmp_path}/kept.db"


def bytes_of(url: str) -> bytes:
    return everything(url.replace("postgresql:", "postgresql+psycopg:"))


def broken(first: str, *more: Any) -> list[Any]:
    return [user(first), call(1), user("well?"), *more]


def said(token: str) -> list[list[Any]]:
    """Return lists that say a token, sound and broken ones, the last of which is not sent any more."""
    there = {"role": "assistant", "content": None, "tool_calls": [tool_call(f'{{"to": "{token}"}}')]}
    return [
        [user(f"sound {token}"), {"role": "assistant", "content": "yes"}],
        broken(f"a text {token}"),
        [user("an input"), there, user("well?")],
        broken("an orphan", {"role": "tool", "tool_call_id": "x", "content": f"orphan {token}"}, user("so?")),
        [user("a result"), call(1), {"role": "tool", "tool_call_id": "c1", "content": token}, call(2), user("So?")],
        broken("older", {"role": "assistant", "content": f"no {token}"}, user("and?")),
    ]


def tool_call(arguments: str) -> dict[str, Any]:
    return {"id": "1", "type": "function", "function": {"name": "f", "arguments": arguments}}


def planted(url: str, token: str = SECRET) -> Healer:
    """Keep conversations that say a token, and others."""
    healer = healer_on(url)
    # The client goes back to this, and says something else.
    send(healer, broken("older"))
    for raw in said(token):
        send(healer, raw)
    send(healer, broken("older", {"role": "assistant", "content": "yes"}, user("and?")))
    for n in range(3):
        send(healer, broken(f"other {n}"))
    return healer


def digests_of(token: str) -> set[bytes]:
    """Return the digests that are made of a token, as they are written."""
    found = set[bytes]()
    for raw in said(token):
        known = [digest_of(entry) for entry in raw]
        first = min(n for n, entry in enumerate(raw) if token in str(entry))
        found |= {known[first].whole, *beginnings_of("\nopenai_chat", known)[first:]}
    return found | {each.hex().encode() for each in found}


def test_nothing_in_the_store_says_it(url: str) -> None:
    planted(url)
    made_of_it = digests_of(SECRET)
    before = bytes_of(url)
    assert before.count(SECRET.encode()) > 5
    assert len([each for each in made_of_it if each in before]) > 10
    receipt = forget(url, SECRET)
    left = bytes_of(url)
    assert not Secret(SECRET).is_in(left)
    assert not [each for each in made_of_it if each in left]
    assert isinstance(receipt, Receipt)
    assert receipt.places >= 4
    assert receipt.deleted[1] == "conversations that cannot be looked through: 1"
    again = forget(url, SECRET)
    assert (again.places, {each[-3:] for each in again.deleted}) == (0, {": 0"})


def test_the_others_are_found_again(url: str) -> None:
    healer = planted(url)
    sent = send(healer, BROKEN)
    forget(url, [SECRET, re.compile("nowhere")])
    assert begins_with(send(healer_on(url), LATE), sent)
    # Of what was forgotten, the next request says all again, and a running proxy goes on.
    again = broken(f"a text {SECRET}", {"role": "assistant", "content": "no"})
    assert send(healer, again) == send(healer_on(url), again)


def test_what_another_version_wrote_goes(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/kept.db"
    send(healer_on(url), BROKEN)
    with closing(sqlite3.connect(tmp_path / "kept.db", isolation_level=None)) as database:
        database.execute("update message_history_proxy_sent set sent = ?", (SECRET.encode(),))
    assert forget(url, "nothing").deleted[1] == "conversations that cannot be looked through: 1"
    assert SECRET.encode() not in bytes_of(url)


def test_what_a_crash_leaves_the_next_proxy_finishes(url: str) -> None:
    planted(url)
    broken_off = patch("message_history_proxy.forgetting.rewrite_files", side_effect=KeyboardInterrupt)
    with broken_off, pytest.raises(KeyboardInterrupt):
        forget(url, SECRET)
    send(healer_on(url), BROKEN)
    assert not Secret(SECRET).is_in(bytes_of(url))
    with patch("message_history_proxy.store.rewrite_files", side_effect=AssertionError):
        send(healer_on(url), LATE)


def test_before_all_rows_are_deleted_nothing_has_changed(url: str) -> None:
    planted(url)
    kept = rows_of(url)
    # Of three statements that delete, one is sent.
    calls = [sqlalchemy.delete(CONVERSATIONS), sqlalchemy.delete(BEGINNINGS), KeyboardInterrupt]
    with patch("message_history_proxy.forgetting.delete", side_effect=calls), pytest.raises(KeyboardInterrupt):
        forget(url, SECRET)
    assert rows_of(url) == kept
    assert forget(url, SECRET).places >= 4


def rows_of(url: str) -> list[Any]:
    store = DatabaseConversations(url, float, failed)
    stores.append(store)
    with store._connected() as connection:
        return [list(connection.execute(sqlalchemy.select(table))) for table in (CONVERSATIONS, BEGINNINGS)]


@pytest.mark.heavy
@needs_processes
@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_killed_before_any_statement_it_is_finished_or_undone(tmp_path: Path, mode: str) -> None:
    done = {"undone": 0, "finished": 0}
    for number in range(1, 200):
        url = f"sqlite:///{tmp_path}/{number}.db"
        with closing(sqlite3.connect(tmp_path / f"{number}.db")) as database:
            database.execute(f"PRAGMA journal_mode = {mode}")
        planted(url)
        _close_all()
        before = rows_of(url)
        _close_all()
        child = os.fork()
        if not child:
            killed_before(number, partial(forget, url, SECRET))
        killed = os.waitpid(child, 0)[1]
        now = rows_of(url)
        _close_all()
        if now == before:
            done["undone"] += 1
        else:
            assert not Secret(SECRET).is_in(bytes_of(url)), number
            assert len(now[0]) == 4, number
            done["finished"] += 1
        if not killed:
            break
    assert not killed
    assert min(done.values()) > 1, done


def _close_all() -> None:
    while stores:
        stores.pop().close()


def test_one_who_reads_the_log_is_named(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/kept.db"
    with closing(sqlite3.connect(tmp_path / "kept.db")) as database:
        database.execute("PRAGMA journal_mode = WAL")
    planted(url)
    with closing(sqlite3.connect(tmp_path / "kept.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM message_history_proxy_sent").fetchone()
        with pytest.raises(SessionError):
            forget(url, SECRET)
    send(healer_on(url), BROKEN)
    assert not Secret(SECRET).is_in(bytes_of(url))


def test_errors_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="give the URL that `proxy --store` has"):
        forget(f"sqlite:///{tmp_path}/none.db", SECRET)
    assert not list(tmp_path.iterdir())
    (tmp_path / "other.db").touch()
    with pytest.raises(SessionError, match="there is no store of a proxy"):
        forget(f"sqlite:///{tmp_path}/other.db", SECRET)
    (tmp_path / "text.db").write_text(f"{SECRET} " * 1000)
    with pytest.raises(SessionError, match=r"text\.db: it cannot be read or written to: DatabaseError$"):
        forget(f"sqlite:///{tmp_path}/text.db", SECRET)
    with pytest.raises(ValueError, match="find must not match an empty text"):
        forget(f"sqlite:///{tmp_path}/none.db", re.compile("x*"))
