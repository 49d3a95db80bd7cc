"""Whatever fails, and whenever: what was acknowledged is there, the error is ours, and a second try works."""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from contextlib import ExitStack
from datetime import timedelta
from random import Random
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest

from message_history import MessageHistory, ToolUseBlock
from message_history.storage import JsonlSession, SessionError, SqlSession
from tests.faults import ENDED, NO_MEMORY, REFUSED, Faults, apart, no_memory_at, room_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="failures are those of POSIX, in a process of its own"),
]
BEFORE = MessageHistory().add_user("q").add_assistant([ToolUseBlock("1", "run", {"a": 1})])
AFTER = BEFORE.add_tool_result(BEFORE.awaiting[0], "done").add_assistant("It is done.").add_user("more " * 200)
OTHER = MessageHistory().add_user("another").add_assistant("one")
Opened = JsonlSession | SqlSession


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def append(session: Opened) -> None:
    session.load()
    session.append(AFTER)


def begin(session: Opened) -> None:
    session.append(AFTER)


def save(session: Opened) -> None:
    session.load()
    session.save(OTHER)


def change(session: Opened) -> None:
    session.update(lambda history: history.add_user("more") if history[-1].text != "more" else history)


TURN = timedelta(milliseconds=200)


def hold(session: Opened) -> None:
    with session.turn("w", until=TURN):
        session.append(AFTER)


def mend(session: Opened) -> None:
    session.load()
    session.append(AFTER)


TRIED: dict[str, tuple[Callable[[Opened], None], MessageHistory | None, MessageHistory]] = {
    "append": (append, BEFORE, AFTER),
    "begin": (begin, None, AFTER),
    "save": (save, BEFORE, OTHER),
    "update": (change, BEFORE, BEFORE.add_user("more")),
    "turn": (hold, BEFORE, AFTER),
    "mend": (mend, BEFORE, AFTER),
}


def jsonl(folder: Path, name: str) -> JsonlSession:
    """Make a session as it is before something is tried; a damaged one where that is to be mended."""
    path = folder / "s.jsonl"
    before = TRIED[name][1]
    if before is not None:
        JsonlSession(path, fsync="never").append(before)
        if name == "mend":
            path.write_bytes(path.read_bytes() + b'{"at": 7, "ro')
    return JsonlSession(path, lock_timeout=0.2)


def is_there(session: Opened, name: str, *, acknowledged: bool) -> None:
    """See that a session holds what it held or what it was to hold, and that the second try works."""
    tried, before, after = TRIED[name]
    found = session.load()
    assert found in ((after,) if acknowledged else (before or MessageHistory(), after))
    if found != after:
        if tried is hold:
            time.sleep(TURN.total_seconds())  # what failed may have left its turn
        tried(session)
    assert session.load() == after


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from there on"])
@pytest.mark.parametrize("name", TRIED)
def test_each_call_to_the_system_fails(tmp_path: Path, name: str, lasting: bool) -> None:
    tried = TRIED[name][0]
    for n in range(2_000):
        folder = tmp_path / str(n)
        folder.mkdir()
        session = jsonl(folder, name)
        faults, acknowledged = Faults(n, lasting=lasting), False
        with faults.injected():
            try:
                tried(session)
                acknowledged = True
            except SessionError:
                pass
        if not faults.failed:
            assert acknowledged
            assert n > 10
            return
        # The session that failed and another one are of one mind.
        is_there(session if n % 2 else JsonlSession(folder / "s.jsonl"), name, acknowledged=acknowledged)
    pytest.fail("there is no end of calls")


@pytest.mark.parametrize("name", TRIED)
def test_allocations_fail(tmp_path: Path, name: str) -> None:
    pytest.importorskip("_testcapi", reason="this Python has no allocations that fail")
    chance = Random(name)
    tried, ended = TRIED[name][0], set()
    for n in sorted({chance.randrange(6_000) for _ in range(150)}):
        folder = tmp_path / str(n)
        folder.mkdir()
        session = jsonl(folder, name)
        how = apart(lambda session=session: tried(session), SessionError, no_memory_at(n))  # type: ignore[misc]
        # CPython may report its own failure as another error, or not survive it, as in a kill: what counts is the file.
        ended.add(how)
        is_there(JsonlSession(folder / "s.jsonl"), name, acknowledged=how == ENDED)
    assert {ENDED, NO_MEMORY} <= ended


@pytest.mark.parametrize(
    ("kind", "name"), [*(("jsonl", name) for name in TRIED), *(("sqlite", name) for name in TRIED if name != "mend")]
)
def test_the_disk_is_full_at_any_byte(tmp_path: Path, kind: str, name: str) -> None:
    """A database is mended by SQLite."""
    if kind == "sqlite":
        pytest.importorskip("sqlalchemy")
    tried, before, _ = TRIED[name]
    ended = set()
    for size in (*range(0, 4_000, 97), *range(4_000, 400_000, 9_999 if kind == "sqlite" else 60_000)):
        folder = tmp_path / str(size)
        folder.mkdir()

        def opened(folder: Path = folder) -> Any:
            return SqlSession(folder / "s.db", "s") if kind == "sqlite" else JsonlSession(folder / "s.jsonl")

        if kind == "jsonl":
            jsonl(folder, name)
        elif before is not None:
            opened().append(before)
        how = apart(lambda opened=opened: tried(opened()), SessionError, room_for(size))  # type: ignore[misc]
        assert how in (ENDED, REFUSED), f"with room for {size} bytes: {how}"
        ended.add(how)
        is_there(opened(), name, acknowledged=how == ENDED)
    assert ended == {ENDED, REFUSED}


@pytest.mark.parametrize("name", [name for name in TRIED if name != "mend"])
def test_each_statement_fails(tmp_path: Path, name: str) -> None:
    pytest.importorskip("sqlalchemy")
    from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite as Driver  # noqa: PLC0415

    tried, before, _ = TRIED[name]
    for n in range(500):
        path = tmp_path / f"{n}.db"
        if before is not None:
            SqlSession(path, "s").append(before)
        session, left, acknowledged = SqlSession(path, "s"), [n], False

        def failing(real: Callable[..., Any], left: list[int] = left) -> Callable[..., Any]:
            def call(*arguments: Any) -> Any:
                left[0] -= 1
                if left[0] == -1:
                    raise sqlite3.OperationalError("disk I/O error")
                return real(*arguments)

            return call

        with ExitStack() as stack:
            for each in ("do_execute", "do_commit"):
                stack.enter_context(patch.object(Driver, each, failing(getattr(Driver, each))))
            try:
                tried(session)
                acknowledged = True
            except SessionError:
                pass
        if left[0] >= 0:
            assert acknowledged
            return
        is_there(session, name, acknowledged=acknowledged)
    pytest.fail("there is no end of statements")
