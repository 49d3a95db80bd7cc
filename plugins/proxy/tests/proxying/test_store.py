"""Conversations in a database: a proxy that restarts, several that share them, and a database that is gone."""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from contextlib import closing
from itertools import count
from typing import TYPE_CHECKING, Any

import httpx
import pytest

pytest.importorskip("sqlalchemy")

from sqlalchemy.exc import OperationalError
from tests.following.prefixes import begins_with
from tests.sessions.databases import REQUIRED, NoServerError, postgresql_server

from healed.test_conversations import CHAT, call, result, send, user
from message_history.core.values.log import Log
from message_history.following.digests import digest_of
from message_history_healing import Healer
from message_history_healing.conversations import Found
from message_history_healing.request import Untouched
from message_history_proxy import store
from message_history_proxy.store import DatabaseConversations
from proxying.servers import proxy_before
from proxying.test_proxy import OK, body_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


stores: list[DatabaseConversations] = []


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    while stores:
        stores.pop().close()


def failed(error: Exception) -> None:
    raise AssertionError from error


def healer_on(url: str, **more: Any) -> Healer:
    clock = count()
    stores.append(DatabaseConversations(url, lambda: float(next(clock)), failed, **more))
    return Healer(stores[-1])


@pytest.fixture(scope="module")
def postgresql() -> Iterator[str]:
    pytest.importorskip("psycopg")
    try:
        with postgresql_server() as url:
            yield url
    except NoServerError as error:
        if os.environ.get(REQUIRED):
            raise
        pytest.skip(str(error))


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/kept.db"


BROKEN = [user("go"), call(1), user("well?")]
LATE = [user("go"), call(1), result(1), user("well?"), {"role": "assistant", "content": "no"}, user("and?")]


def test_a_restart_keeps_what_was_sent(url: str) -> None:
    first = send(healer_on(url), BROKEN)
    second = send(healer_on(url), LATE)
    assert begins_with(second, first)
    third = send(healer_on(url), [*LATE, {"role": "assistant", "content": "yes"}])
    assert begins_with(third, second)


def test_two_proxies_go_on_with_each_other_s_conversations(url: str) -> None:
    one, other = healer_on(url), healer_on(url)
    raw, sent = list(BROKEN), send(one, BROKEN)
    for n in range(6):
        raw += [{"role": "assistant", "content": f"no {n}"}, user(str(n))]
        now = send(other if n % 2 else one, raw)
        assert begins_with(now, sent)
        sent = now


def test_postgresql_keeps_what_was_sent_too(postgresql: str) -> None:
    first = send(healer_on(postgresql), BROKEN)
    second = send(healer_on(postgresql), LATE)
    assert begins_with(second, first)


def test_two_that_go_on_with_one_version_at_once_are_two(url: str) -> None:
    one, other = healer_on(url), healer_on(url)
    send(one, BROKEN)
    replies = [[*BROKEN, {"role": "assistant", "content": text}, user(text)] for text in "ab"]
    healers = zip((one, other), replies, strict=True)
    healings = [healer.heal({"model": "gpt-4o", "messages": raw}, CHAT) for healer, raw in healers]
    one.sent(healings[0])
    other.sent(healings[1])
    for raw, healing in zip(replies, healings, strict=True):
        late = [*raw[:2], result(1), *raw[2:], {"role": "assistant", "content": "ok"}]
        assert begins_with(send(one, late), list(healing.request.body["messages"]))


def test_of_sound_conversations_only_digests_are_kept(url: str, tmp_path: Path) -> None:
    healer = healer_on(url)
    for length in (1, 4, 6):
        send(healer, LATE[:length])
    with closing(sqlite3.connect(tmp_path / "kept.db", isolation_level=None)) as database:
        assert database.execute("select entries, sent from message_history_proxy_sent").fetchall() == [(6, None)]
        lengths = database.execute("select length from message_history_proxy_starts order by number").fetchall()
    assert lengths == [(1,), (4,), (6,)]


def test_a_sound_beginning_stays_as_it_came_after_a_restart(url: str) -> None:
    marked = [{"type": "text", "text": "go", "cache_control": {"type": "ephemeral"}}]
    sound = [{"role": "user", "content": marked}, user("and so"), {"role": "assistant", "content": "yes"}]
    assert send(healer_on(url), sound) == sound
    healed = send(healer_on(url), [*sound, user("go on"), call(1), user("well?")])
    assert healed[:3] == sound
    assert len(healed) == 7


def test_many_that_begin_alike_do_not_hide_one_that_shares_more(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("message_history_proxy.store.LOOKED_AT", 5)
    first = send(healer_on(url), BROKEN)
    for n in range(10):
        send(healer_on(url), [BROKEN[0], call(n + 2), user("else?")])
    assert begins_with(send(healer_on(url), LATE), first)


def test_those_that_nobody_used_for_longest_are_dropped(url: str, tmp_path: Path) -> None:
    healer = healer_on(url, max_conversations=20)
    for n in range(256):
        send(healer, [user(f"go {n}"), call(1), user("well?")])
    with closing(sqlite3.connect(tmp_path / "kept.db", isolation_level=None)) as database:
        assert database.execute("select count(*) from message_history_proxy_sent").fetchone() == (20,)
        assert database.execute("select count(*) from message_history_proxy_starts").fetchone() == (60,)


@pytest.mark.parametrize("row", [b"", b"garbage", zlib.compress(b"{}"), zlib.compress(b'{"dialect": "x"}')])
def test_a_row_of_another_version_counts_as_not_known(url: str, tmp_path: Path, row: bytes) -> None:
    send(healer_on(url), BROKEN)
    with closing(sqlite3.connect(tmp_path / "kept.db", isolation_level=None)) as database:
        database.execute("update message_history_proxy_sent set sent = ?", (row,))
    assert send(healer_on(url), LATE) == LATE


def test_the_tables_are_made_once_and_again_after_a_failure(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    finished: list[object] = []
    create_all = store._ALL.create_all

    def create(engine: Any) -> None:
        made.append(engine)
        if len(made) == 1:
            raise OperationalError("x", None, Exception())
        create_all(engine)

    monkeypatch.setattr(store._ALL, "create_all", create)
    monkeypatch.setattr(store, "finish", finished.append)
    errors: list[Exception] = []
    stores.append(DatabaseConversations(url, float, errors.append))
    known = [digest_of(user("go"))]
    for _ in range(3):
        assert stores[-1].find("g", known) == Found()
    assert (len(made), len(finished), len(errors)) == (2, 1, 1)


def test_every_column_has_a_value_but_what_was_sent_and_what_is_looked_for_has_an_index() -> None:
    columns = [column for table in (store.CONVERSATIONS, store.BEGINNINGS) for column in table.columns]
    assert [column.name for column in columns if column.nullable] == ["sent"]
    assert [column.name for column in columns if column.index] == ["used", "beginning", "conversation"]
    assert [column.name for column in columns if column.primary_key] == ["id", "number"]


@pytest.mark.parametrize(
    ("url", "scheme"),
    [
        ("sqlite:///a.db", "sqlite"),
        ("postgres://h/d", "postgresql+psycopg"),
        ("postgresql://h/d", "postgresql+psycopg"),
        ("postgresql+psycopg://h/d", "postgresql+psycopg"),
    ],
)
def test_an_address_of_a_database_names_its_driver(url: str, scheme: str) -> None:
    if scheme != "sqlite":
        pytest.importorskip("psycopg")
    engine = store.engine_of(url)
    assert engine.url.drivername == scheme
    engine.dispose()


def test_an_empty_list_is_not_kept_and_its_conversation_is_not_known(url: str, tmp_path: Path) -> None:
    healer_on(url).conversations.keep("g", Untouched(Log()), Found(), 0)
    assert stores[-1].find("g", []) == Found()
    with closing(sqlite3.connect(tmp_path / "kept.db", isolation_level=None)) as database:
        assert database.execute("select count(*) from message_history_proxy_sent").fetchone() == (0,)


def test_groups_are_kept_apart(url: str) -> None:
    healer = healer_on(url)
    first = send(healer, BROKEN, group="a")
    assert send(healer, LATE, group="b") == LATE
    assert begins_with(send(healer, LATE, group="a"), first)


def test_many_entries_are_looked_for_in_several_queries(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for batch in (1, 2, 3):
        monkeypatch.setattr(store, "_BATCH", batch)
        first = send(healer_on(f"{url}{batch}"), BROKEN)
        longer = [*LATE, {"role": "assistant", "content": "yes"}, user("and so?")]
        assert begins_with(send(healer_on(f"{url}{batch}"), longer), first)


def test_a_database_that_is_gone_is_told_and_requests_go_on(tmp_path: Path) -> None:
    missing = f"sqlite:///{tmp_path}/no/such/folder/kept.db"
    with proxy_before(lambda connection, _: connection.sendall(OK), store=missing) as (url, seen):
        response = httpx.post(f"{url}/v1/chat/completions", json={"model": "gpt-4o", "messages": BROKEN})
        assert response.status_code == 200
        metrics = httpx.get(f"{url}/message-history/metrics").text
    assert len(json.loads(body_of(seen[0]))["messages"]) == 4
    assert "message_history_proxy_store_errors_total 2" in metrics
