"""Our own sessions pass the tests that we ship for those of others, and so does a stranger's."""

from __future__ import annotations

import asyncio
import json
import zlib
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from message_history import CallStateError, MessageHistory, ToolUseBlock
from message_history.files.own_lines import FORMAT, FORMAT_VERSION
from message_history.storage import (
    AsyncSqlSession,
    BytesSession,
    JsonlSession,
    SessionConflictError,
    SessionError,
    SqlSession,
)
from message_history.testing.conformance import SessionConformance

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

    from message_history.storage import Session

T = TypeVar("T")


class TestFiles(SessionConformance):
    folder: Path

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    def open(self, name: str) -> Session:
        return JsonlSession(self.folder / f"{name.encode().hex()}.jsonl", fsync="never")


class TestDatabases(SessionConformance):
    database: str

    @pytest.fixture(autouse=True)
    def _database(self, database: str) -> None:
        self.database = database

    def open(self, name: str) -> Session:
        return SqlSession(self.database, name)


def awaited(work: Coroutine[Any, Any, T]) -> T:
    """Wait in a thread, for a loop may run in this one."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, work).result()


class Awaited:
    """A session that is awaited, for those who do not."""

    def __init__(self, session: AsyncSqlSession) -> None:
        self._session = session

    def load(self) -> MessageHistory:
        return awaited(self._session.load())

    def append(self, history: MessageHistory) -> None:
        awaited(self._session.append(history))

    def save(self, history: MessageHistory) -> None:
        awaited(self._session.save(history))

    def update(self, change: Callable[[MessageHistory], MessageHistory], *, attempts: int = 5) -> MessageHistory:
        return awaited(self._session.update(change, attempts=attempts))

    def delete(self) -> bool:
        return awaited(self._session.delete(scrub=False))


class TestAwaitedDatabases(SessionConformance):
    database: str

    @pytest.fixture(autouse=True)
    def _database(self, database: str) -> None:
        pytest.importorskip("aiosqlite")
        self.database = database

    def open(self, name: str) -> Session:
        return Awaited(AsyncSqlSession(self.database, name, lock_timeout=60))


class Store:
    """A store of somebody's own, such as a server of keys and values: a value changes only if it is what was read."""

    def __init__(self) -> None:
        self.values: dict[str, tuple[bytes, int]] = {}
        self._writes = 0
        self._lock = Lock()

    def put(self, key: str, value: bytes, version: object) -> int | None:
        with self._lock:
            if self.values.get(key, (b"", None))[1] != version:
                return None
            self._writes += 1
            self.values[key] = value, self._writes
            return self._writes


class PackedSession(BytesSession):
    """A session in such a store, whose bytes are packed, as one that encrypts them would."""

    def __init__(self, store: Store, name: str) -> None:
        super().__init__(name)
        self.store = store

    def read(self) -> tuple[bytes, object] | None:
        found = self.store.values.get(self.name)
        return (zlib.decompress(found[0]), found[1]) if found is not None else None

    def write(self, data: bytes, version: object) -> object:
        return self.store.put(self.name, zlib.compress(data), version)

    def remove(self) -> bool:
        return self.store.values.pop(self.name, None) is not None


class TestPacked(SessionConformance):
    store: Store

    @pytest.fixture(autouse=True)
    def _store(self) -> None:
        self.store = Store()

    def open(self, name: str) -> Session:
        return PackedSession(self.store, name)


def test_a_session_of_a_strangers_store_has_claims_and_says_what_it_has_not() -> None:
    session = PackedSession(Store(), "chat")
    session.append(session.load().add_user("go").add_assistant(ToolUseBlock("1", "pay", {})))
    assert session.claim("1", worker="a", until=timedelta(hours=1)).by == "a"
    with pytest.raises(CallStateError, match="started"):
        PackedSession(session.store, "chat").claim("1", worker="b", until=timedelta(hours=1))
    with pytest.raises(SessionError, match="keeps no turns"), session.turn("a", until=timedelta(hours=1)):
        pass
    session.save(MessageHistory().add_user("[redacted]"))
    assert b"pay" not in zlib.decompress(session.store.values["chat"][0])
    later = json.dumps({"format": FORMAT, "version": FORMAT_VERSION + 1}).encode()
    for unread in (b"no session\n", later + b"\n"):
        session.store.values["chat"] = zlib.compress(unread), 99
        with pytest.raises(SessionError, match="not a session that this version can read"):
            session.load()


def test_a_session_of_a_strangers_store_that_has_conflicted_goes_on_only_once_it_has_read() -> None:
    session = PackedSession(Store(), "chat")
    theirs, ours = MessageHistory().add_user("theirs"), MessageHistory().add_user("ours")
    session.append(theirs)
    unread, late = PackedSession(session.store, "chat"), PackedSession(session.store, "chat")
    late.load()
    session.append(theirs.add_assistant("on"))
    for _ in range(2):
        with pytest.raises(SessionConflictError, match="'chat': it holds another history, of 2 messages; load it"):
            unread.append(ours)
        for write in (late.append, late.save):
            with pytest.raises(SessionConflictError, match="'chat': somebody else has written to it; load it again"):
                write(theirs.add_assistant("on").add_user("more"))
    assert PackedSession(session.store, "chat").load() == theirs.add_assistant("on")
    assert late.delete()
    late.append(ours)
    assert PackedSession(session.store, "chat").load() == ours


class Breaking(PackedSession):
    """A store whose answer is lost on its way back."""

    breaks = False

    def write(self, data: bytes, version: object) -> object:
        written = super().write(data, version)
        if self.breaks:
            raise SessionError("the connection broke")
        return written


def test_a_write_of_which_nobody_knows_whether_it_was_done_is_looked_up() -> None:
    session = Breaking(Store(), "chat")
    history = session.load().add_user("one")
    session.breaks = True
    with pytest.raises(SessionError, match="the connection broke"):
        session.append(history)
    session.breaks = False
    session.append(history.add_assistant("two"))
    assert PackedSession(session.store, "chat").load() == history.add_assistant("two")


def test_lines_that_are_damaged_in_a_strangers_store_cost_no_other_line() -> None:
    session = PackedSession(Store(), "chat")
    history = MessageHistory().add_user(["one", " "]).add_assistant("two").add_user("three")
    session.append(history)
    assert session.load().repairs == history.repairs
    data = zlib.decompress(session.store.values["chat"][0]).replace(b'"two"', b'"two')
    session.store.values["chat"] = zlib.compress(data), 99
    loaded = session.load()
    assert "one" in loaded[0].text
    assert "three" in loaded[-1].text
    session.append(loaded.add_assistant("four"))
    assert PackedSession(session.store, "chat").load() == loaded.add_assistant("four")


class Forgetful(PackedSession):
    """A store that takes every write: it loses those of others."""

    def write(self, data: bytes, version: object) -> object:
        found = self.store.values.get(self.name)
        return super().write(data, found[1] if found is not None else None)


class Shortening(PackedSession):
    """A store that keeps no repairs."""

    def write(self, data: bytes, version: object) -> object:
        return super().write(data.replace(b'"repairs"', b'"repaired"'), version)


@pytest.mark.parametrize(
    ("kind", "test"),
    [
        (Forgetful, SessionConformance.test_of_two_writers_the_later_one_conflicts_and_nothing_is_mixed),
        (Forgetful, SessionConformance.test_of_two_who_begin_a_session_the_later_one_conflicts),
        (Forgetful, SessionConformance.test_a_deleted_session_is_gone_and_may_be_made_anew),
        (Forgetful, SessionConformance.test_an_update_is_tried_again),
        (Shortening, SessionConformance.test_what_is_appended_step_by_step_is_loaded_at_each_step),
    ],
)
def test_a_store_that_is_wrong_fails(kind: type[PackedSession], test: Callable[[Any], None]) -> None:
    store = Store()

    class Wrong(SessionConformance):
        def open(self, name: str) -> Session:
            return kind(store, name)

    with pytest.raises((AssertionError, pytest.fail.Exception, SessionError)):
        test(Wrong())
