"""Whatever of the store fails, and whenever: the request is sent valid, what was kept is there, the next one works."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import httpx
import pytest

pytest.importorskip("sqlalchemy")

from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite as Driver
from tests.faults import ENDED, apart, room_for
from tests.following.prefixes import begins_with

from healed.test_conversations import call, result, send, user
from message_history import check
from message_history.dialects import OpenAIChat
from message_history_healing import Healer
from message_history_proxy.store import DatabaseConversations
from proxying.servers import proxy_before
from proxying.test_proxy import OK, body_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FIRST = [user("go"), call(1), user("well?")]
LATE = [user("go"), call(1), result(1), user("well?"), {"role": "assistant", "content": "no"}, user("and?")]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


class Failing:
    """Lets one of the calls to SQLite fail: the connection, each statement, each commit.

    Attributes:
        left: how many calls still succeed before it.
    """

    def __init__(self) -> None:
        self.left = -1

    @contextmanager
    def injected(self) -> Iterator[None]:
        with ExitStack() as stack:
            for name in ("connect", "do_execute", "do_executemany", "do_commit", "do_rollback"):
                stack.enter_context(patch.object(Driver, name, self._failing(getattr(Driver, name))))
            yield

    def _failing(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def failing(*arguments: Any, **options: Any) -> Any:
            self.left -= 1
            if self.left == -1:
                raise sqlite3.OperationalError("disk I/O error")
            return real(*arguments, **options)

        return failing


@contextmanager
def healer_on(path: Path, errors: list[Exception]) -> Iterator[Healer]:
    store = DatabaseConversations(f"sqlite:///{path}", lambda: 0.0, errors.append)
    try:
        yield Healer(store)
    finally:
        store.close()


def goes_on(path: Path, *sent: list[Any]) -> None:
    """See that the next proxy goes on with one of the lists that were sent, and reports no error."""
    errors: list[Exception] = []
    with healer_on(path, errors) as healer:
        again = send(healer, [*LATE, {"role": "assistant", "content": "yes"}, user("more")])
    assert any(begins_with(again, each) for each in sent)
    assert check(again, OpenAIChat()) == []
    assert errors == []
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize("begun", [False, True], ids=["a new store", "a store that is there"])
def test_each_call_to_the_database_fails(tmp_path: Path, begun: bool) -> None:
    reported = 0
    for n in range(200):
        path, errors, failing = tmp_path / f"{n}.db", list[Exception](), Failing()
        sent: list[list[Any]] = []
        if begun:
            with healer_on(path, []) as healer:
                sent.append(send(healer, FIRST))
        with healer_on(path, errors) as healer, failing.injected():
            failing.left = n
            sent.append(send(healer, LATE))
        assert check(sent[-1], OpenAIChat()) == []
        if failing.left >= 0:
            assert errors == []
            assert reported > 5
            return
        # To end what failed already is not worth a report.
        assert len(errors) <= 1
        reported += len(errors)
        goes_on(path, *sent)
    pytest.fail("there is no end of calls")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="it needs a process of its own")
def test_the_disk_is_full_at_any_byte(tmp_path: Path) -> None:
    for size in (0, 1, 511, *range(4_000, 90_000, 4_096)):
        path = tmp_path / f"{size}.db"
        with healer_on(path, []) as healer:
            first = send(healer, FIRST)

        def tried(path: Path = path) -> None:
            with healer_on(path, []) as healer:
                assert check(send(healer, LATE), OpenAIChat()) == []

        assert apart(tried, NotImplementedError, room_for(size)) == ENDED
        goes_on(path, first)


def test_a_proxy_whose_store_fails_at_any_call_answers(tmp_path: Path) -> None:
    failing = Failing()
    with (
        proxy_before(lambda connection, _: connection.sendall(OK), store=f"sqlite:///{tmp_path}/kept.db") as (
            url,
            seen,
        ),
        failing.injected(),
    ):
        for n in range(200):
            failing.left = n
            messages = [user(f"go {n}"), *FIRST[1:]]
            answer = httpx.post(f"{url}/v1/chat/completions", json={"model": "gpt-4o", "messages": messages})
            assert answer.status_code == 200
            assert check(json.loads(body_of(seen[-1]))["messages"], OpenAIChat()) == []
            if failing.left >= 0:
                break
        metrics = httpx.get(f"{url}/message-history/metrics").text
    assert n > 5
    assert "message_history_proxy_store_errors_total" in metrics
    assert "not_healed" not in metrics
