"""A session that is awaited is the same session: the same rows, conflicts and refusals, from many tasks."""

from __future__ import annotations

import asyncio
import gc
from contextlib import suppress
from datetime import timedelta
from functools import partial
from inspect import signature
from operator import methodcaller
from typing import TYPE_CHECKING, Any

import pytest

from message_history import CallStateError, MessageHistory, ToolUseBlock
from message_history.storage import (
    AsyncSqlSession,
    JsonlSession,
    NotAContinuationError,
    SessionConflictError,
    SqlSession,
)
from tests.sessions.growing import of_length

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

HOUR = timedelta(hours=1)

pytest.importorskip("greenlet")
pytest.importorskip("aiosqlite")


def test_what_is_awaited_and_what_is_not_share_their_rows(empty: str) -> None:
    async def steps() -> None:
        session = AsyncSqlSession(empty, "a")
        assert await session.load() == MessageHistory()
        await session.append(of_length(4))
        await session.append(of_length(7))
        assert session.revision == 2
        assert "revision 2" in repr(session)
        assert await AsyncSqlSession(empty, "a").load() == of_length(7)
        with pytest.raises(NotAContinuationError):
            await session.append(of_length(3))
        await session.save(of_length(3))

    asyncio.run(steps())
    assert SqlSession(empty, "a").load() == of_length(3)


def test_before_anything_is_read_nothing_is_known(tmp_path: Path) -> None:
    session = AsyncSqlSession(tmp_path / "chats.db", "a")
    assert (session.revision, session.omitted) == (0, 0)
    assert repr(session) == "AsyncSqlSession('a', revision 0)"
    asyncio.run(session.append(with_turn(with_turn(MessageHistory(), "a"), "b")))
    newest = AsyncSqlSession(tmp_path / "chats.db", "a")
    assert asyncio.run(newest.load(turns=1))[0].text == "b"
    assert (newest.revision, newest.omitted) == (1, 2)


def test_what_is_awaited_has_the_defaults_of_what_is_not() -> None:
    for name, method in vars(AsyncSqlSession).items():
        if not name.startswith("_") and callable(getattr(AsyncSqlSession, name)):
            mine, theirs = (signature(getattr(each, name)).parameters for each in (AsyncSqlSession, SqlSession))
            assert {key: mine[key].default for key in mine} == {key: theirs[key].default for key in theirs}, method


def test_what_all_sessions_of_a_database_are_asked_is_awaited_too(empty: str) -> None:
    async def steps() -> None:
        for name in "ab":
            session = AsyncSqlSession(empty, name)
            call = ToolUseBlock("1", "pay", {})
            await session.append((await session.load()).add_user("go").add_assistant(call).record_call("1", "waiting"))
        assert [each.session for each in await AsyncSqlSession.waiting(empty)] == ["a", "b"]
        assert await AsyncSqlSession.waiting(empty, "approved") == []
        assert len(await AsyncSqlSession.waiting(empty, limit=1)) == 1
        assert await AsyncSqlSession.ids(empty) == ["a", "b"]
        assert await AsyncSqlSession.ids(empty, after="a") == ["b"]
        assert await AsyncSqlSession.ids(empty, limit=1) == ["a"]

    asyncio.run(steps())


def test_each_event_loop_has_its_own_connections(tmp_path: Path) -> None:
    session = AsyncSqlSession(tmp_path / "chats.db", "a")
    asyncio.run(session.append(of_length(2)))
    assert asyncio.run(AsyncSqlSession(tmp_path / "chats.db", "a").load()) == of_length(2)


def with_turn(history: MessageHistory, text: str) -> MessageHistory:
    return history.add_user(text).add_assistant("ok")


def test_of_two_tasks_one_gets_the_conflict(empty: str) -> None:
    async def steps() -> None:
        one, other = AsyncSqlSession(empty, "a"), AsyncSqlSession(empty, "a")
        await one.append(of_length(2))
        history = await other.load()
        await one.append(of_length(2).add_user("one"))
        with pytest.raises(SessionConflictError):
            await other.append(history.add_user("other"))

    asyncio.run(steps())


def test_updates_of_many_tasks_lose_nothing(empty: str) -> None:
    async def steps() -> None:
        async def write(number: int) -> None:
            session = AsyncSqlSession(empty, "a")
            for turn in range(5):
                await session.update(partial(with_turn, text=f"{number}.{turn} "), attempts=100)

        await asyncio.gather(*map(write, range(6)))

    asyncio.run(steps())
    texts = [message.text for message in SqlSession(empty, "a").load() if message.role == "user"]
    assert sorted(texts) == sorted(f"{number}.{turn} " for number in range(6) for turn in range(5))


def test_updates_of_tasks_that_share_a_session_lose_nothing(empty: str) -> None:
    async def steps() -> None:
        session = AsyncSqlSession(empty, "a")

        async def write(number: int) -> None:
            for turn in range(5):
                await session.update(methodcaller("add_user", f"{number}.{turn} "), attempts=100)

        await asyncio.gather(*map(write, range(4)))

    asyncio.run(steps())
    (message,) = SqlSession(empty, "a").load()
    assert all(f"{number}.{turn} " in message.text for number in range(4) for turn in range(5))


def test_an_update_tries_again_with_what_the_other_wrote(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    session, calls = JsonlSession(path), []

    def change(history: MessageHistory) -> MessageHistory:
        calls.append(len(history))
        if len(calls) == 1:
            JsonlSession(path).append(of_length(2))
        return history.add_user("mine")

    assert session.update(change) == of_length(2).add_user("mine") == JsonlSession(path).load()
    assert calls == [0, 2]


def test_an_update_gives_up_after_so_many_attempts(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"

    def change(history: MessageHistory) -> MessageHistory:
        JsonlSession(path).update(lambda other: other.add_user("faster").add_assistant("ok"))
        return history.add_user("mine")

    with pytest.raises(SessionConflictError):
        JsonlSession(path).update(change, attempts=3)
    assert len(JsonlSession(path).load()) == 6
    with pytest.raises(ValueError, match="attempts must be 1 or more"):
        JsonlSession(path).update(change, attempts=0)


def test_an_awaited_session_is_forked_and_listed(empty: str) -> None:
    async def steps() -> None:
        session = AsyncSqlSession(empty, "a")
        await session.append(of_length(4))
        other = await session.fork("b")
        assert other.session_id == "b"
        await other.append(of_length(6))
        assert await AsyncSqlSession.ids(empty) == ["a", "b"]
        assert await AsyncSqlSession.ids(empty, after="a", limit=1) == ["b"]
        assert len(await AsyncSqlSession(empty, "a").load()) == 4
        with pytest.raises(SessionConflictError):
            await session.fork("b")

    asyncio.run(steps())
    assert len(SqlSession(empty, "b").load()) == 6


def test_an_awaited_session_has_the_methods_of_the_other() -> None:
    public = {name for name in dir(SqlSession) if not name.startswith("_")}
    assert public == {name for name in dir(AsyncSqlSession) if not name.startswith("_")}


class CancellingLoop(asyncio.SelectorEventLoop):
    """An event loop that cancels a task after so many of its own rounds: before each await in turn."""

    victim: asyncio.Task[None] | None = None
    rounds = 0

    def _run_once(self) -> None:
        super()._run_once()  # type: ignore[misc]
        if self.victim is not None and not self.victim.done():
            self.rounds -= 1
            if self.rounds == 0:
                self.victim.cancel()


@pytest.mark.parametrize("way", ["append", *(pytest.param(way, marks=pytest.mark.heavy) for way in ("save", "update"))])
def test_a_cancelled_write_leaves_no_lock(empty: str, way: str) -> None:
    SqlSession(empty, "a").append(of_length(2))

    async def write(rounds: int, length: int) -> bool:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, CancellingLoop)
        session = AsyncSqlSession(empty, "a")
        await session.load()
        what = (lambda _: of_length(length)) if way == "update" else of_length(length)
        loop.rounds, loop.victim = rounds, loop.create_task(getattr(session, way)(what))
        with suppress(asyncio.CancelledError):
            await loop.victim
        return loop.victim.cancelled()

    gc.disable()
    try:
        for rounds in range(1, 200):
            before = len(SqlSession(empty, "a").load())
            with asyncio.Runner(loop_factory=CancellingLoop) as runner:
                cancelled = runner.run(write(rounds, before + 2))
            other = SqlSession(empty, "a", lock_timeout=0.05)
            length = len(other.load())
            assert length in ((before, before + 2) if cancelled else (before + 2,))
            other.append(of_length(length + 2))
            if not cancelled:
                break
        assert 5 < rounds < 199
    finally:
        gc.enable()


async def cancelled_at(rounds: int, work: Callable[[], Coroutine[Any, Any, Any]]) -> bool:
    """Run something that is cancelled after so many rounds of the loop; return whether it was."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, CancellingLoop)
    loop.rounds, loop.victim = rounds, loop.create_task(work())
    assert loop.victim is not None
    with suppress(asyncio.CancelledError):
        await loop.victim
    return loop.victim.cancelled()


@pytest.mark.heavy
def test_a_cancelled_turn_is_given_back(empty: str) -> None:
    SqlSession(empty, "a").append(of_length(2))

    async def take() -> None:
        session = AsyncSqlSession(empty, "a")
        async with session.turn("one", until=HOUR) as turn:
            await session.append(turn.history.add_user("Hi").add_assistant("Hello!"))

    for rounds in range(1, 2000):
        before = len(SqlSession(empty, "a").load())
        with asyncio.Runner(loop_factory=CancellingLoop) as runner:
            cancelled = runner.run(cancelled_at(rounds, take))
        other = SqlSession(empty, "a", lock_timeout=0.05)
        with other.turn("other", until=HOUR) as turn:
            assert len(turn.history) in ((before, before + 2) if cancelled else (before + 2,))
            other.append(turn.history)
        if not cancelled:
            break
    assert 5 < rounds < 1999


@pytest.mark.heavy
def test_a_cancelled_claim_was_made_or_was_not(empty: str) -> None:
    call = ToolUseBlock("c", "pay", {})

    for rounds in range(1, 2000):
        name = f"session {rounds}"
        SqlSession(empty, name).append(MessageHistory().add_user("Pay.").add_assistant(call))
        session = AsyncSqlSession(empty, name)
        with asyncio.Runner(loop_factory=CancellingLoop) as runner:
            claim = partial(session.claim, "c", worker="one", until=HOUR)
            cancelled = runner.run(cancelled_at(rounds, claim))
        other = SqlSession(empty, name, lock_timeout=0.05)
        state = other.load().calls[0].state
        assert state in (("proposed", "started") if cancelled else ("started",))
        if state == "started":
            with pytest.raises(CallStateError, match="'one' holds it until"):
                other.claim("c", worker="other", until=HOUR)
        else:
            assert other.claim("c", worker="other", until=HOUR).by == "other"
        assert [each.state for each in asyncio.run(AsyncSqlSession.waiting(empty)) if each.session == name] == [
            "started"
        ]
        if not cancelled:
            break
    assert 5 < rounds < 1999


def test_of_many_tasks_one_claims_and_one_has_the_turn(empty: str) -> None:
    SqlSession(empty, "a").append(MessageHistory().add_user("Pay.").add_assistant(ToolUseBlock("c", "pay", {})))

    async def steps() -> tuple[list[object], list[object]]:
        async def turn(number: int) -> object:
            session = AsyncSqlSession(empty, "a")
            async with session.turn(f"task {number}", until=HOUR):
                await asyncio.sleep(0.3)
            return number

        tasks = [AsyncSqlSession(empty, "a").claim("c", worker=f"task {n}", until=HOUR) for n in range(5)]
        claims = await asyncio.gather(*tasks, return_exceptions=True)
        return list(claims), list(await asyncio.gather(*map(turn, range(5)), return_exceptions=True))

    claims, turns = asyncio.run(steps())
    assert sorted(type(each).__name__ for each in claims) == ["CallRecord", *["CallStateError"] * 4]
    assert sorted(type(each).__name__ for each in turns) == [*["SessionLockedError"] * 4, "int"]
