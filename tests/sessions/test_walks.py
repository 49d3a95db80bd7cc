"""Random walks over all operations of a history and of every kind of session, beside a model in memory.

A session gives back what was written last: after a load, from another process, after a crash at any call to the system.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import contextmanager, suppress
from random import Random
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest

from message_history import MessageHistory
from message_history.files import disk
from message_history.storage import (
    AsyncSqlSession,
    JsonlSession,
    NotAContinuationError,
    SessionConflictError,
    SqlSession,
)
from tests.campaigns.sequences import NAMES, Run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from message_history import Policy

WALKS = int(os.environ.get("SESSION_WALKS", "3"))


class Killed(BaseException):
    """The process ends here."""


class Awaited:
    """A session that is awaited, each time in an event loop of its own."""

    def __init__(self, session: AsyncSqlSession) -> None:
        self._session = session

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: asyncio.run(getattr(self._session, name)(*arguments))


Opened = JsonlSession | SqlSession | Awaited


def check_same(loaded: MessageHistory, model: MessageHistory) -> None:
    assert loaded == model
    assert loaded.to_list() == model.to_list()
    assert loaded.repairs == model.repairs
    assert loaded.usage() == model.usage()
    assert [call.key for call in loaded.calls] == [call.key for call in model.calls]


class Walk:
    """A walk: what is done, where it is stored, and what must be there."""

    def __init__(self, seed: int, opened: Callable[[Policy], Opened], deaths: Callable[[int], Any]) -> None:
        self.chance = Random(seed)
        self.run = Run(self.chance)
        self.opened, self.deaths = opened, deaths
        self.session = self.open()
        self.model = MessageHistory()
        self.begin(self.session.load())

    def open(self) -> Opened:
        return self.opened(self.run.history.policy)

    def go(self, steps: int) -> None:
        for _ in range(steps):
            assert not list(self.run.go(self.chance.choice(NAMES)))
            if self.chance.random() < 0.7:
                self.store()
            kind = self.chance.choice(("nothing", "nothing", "reload", "other", "crash"))
            getattr(self, kind)()

    def nothing(self) -> None:
        """Go on."""

    def store(self) -> None:
        """Write what there is, and replace what is stored if it does not go on from that."""
        history, way = self.run.history, self.chance.choice(("append", "append", "save", "update"))
        try:
            self.session.update(lambda _: history) if way == "update" else getattr(self.session, way)(history)
        except NotAContinuationError:
            check_same(self.open().load(), self.model)
            self.session.save(history)
        self.model = history

    def reload(self) -> None:
        """End, and begin anew with what is stored."""
        self.session = self.open()
        loaded = self.session.load()
        if isinstance(self.session, JsonlSession):
            assert self.session.report.clean or self.session.report.missing, str(self.session.report)
        check_same(loaded, self.model)
        self.begin(loaded)

    def begin(self, loaded: MessageHistory) -> None:
        self.run.history = self.model = loaded
        self.run.texts.clear()

    def other(self) -> None:
        """Let somebody else write, of which this session learns when it writes."""
        self.model = self.open().update(lambda history: history.add_user("another's"))
        with pytest.raises(SessionConflictError):
            self.session.save(self.model.add_user("mine"))
        self.reload()

    def crash(self) -> None:
        """Die at some call to the system: what is stored is what was there, or what was on its way."""
        history = self.run.history
        with suppress(Killed, NotAContinuationError), self.deaths(self.chance.randint(1, 9)):
            getattr(self.session, self.chance.choice(("append", "save")))(history)
        self.session = self.open()
        loaded = self.session.load()
        is_half = loaded[:] == history[: len(loaded)] and loaded[: len(self.model)] == self.model[:]
        assert loaded in (self.model, history) or is_half
        self.begin(loaded)
        self.session.save(loaded)


@contextmanager
def dying_on_disk(calls: int) -> Iterator[None]:
    left = calls

    def watched(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal left
            left -= 1
            if left <= 0:
                raise Killed
            return real(*arguments, **options)

        return call

    with (
        patch.object(disk, "_write", watched(disk._write)),
        patch.object(os, "fsync", watched(os.fsync)),
        patch.object(os, "replace", watched(os.replace)),
    ):
        yield


@contextmanager
def dying_in_a_database(calls: int) -> Iterator[None]:
    from sqlalchemy import Engine, event  # noqa: PLC0415 - may not be installed

    left = calls

    def dies(*_: object) -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            raise Killed

    for name in ("before_cursor_execute", "commit"):
        event.listen(Engine, name, dies)
    try:
        yield
    finally:
        for name in ("before_cursor_execute", "commit"):
            event.remove(Engine, name, dies)


@pytest.mark.parametrize("seed", range(4 * WALKS))
def test_a_file_gives_back_what_was_written(tmp_path: Path, seed: int) -> None:
    def opened(policy: Policy) -> JsonlSession:
        return JsonlSession(tmp_path / "chat.jsonl", policy=policy, fsync="always")

    Walk(seed, opened, dying_on_disk).go(25)


@pytest.mark.parametrize("seed", range(WALKS))
def test_a_database_gives_back_what_was_written(database: str, seed: int) -> None:
    Walk(seed, lambda policy: SqlSession(database, f"walk {seed}", policy=policy), dying_in_a_database).go(25)


@pytest.mark.parametrize("seed", range(WALKS))
def test_an_awaited_database_gives_back_what_was_written(database: str, seed: int) -> None:
    pytest.importorskip("greenlet")
    pytest.importorskip("aiosqlite")

    def opened(policy: Policy) -> Awaited:
        return Awaited(AsyncSqlSession(database, f"awaited {seed}", policy=policy))

    Walk(1_000 + seed, opened, dying_in_a_database).go(12)
