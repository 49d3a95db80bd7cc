"""Law 13 in databases: a search through all bytes of their files and through every table finds nothing."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import Mock, patch

import pytest

from message_history import Message, MessageHistory
from message_history.forgetting import erase, redact
from message_history.storage import AsyncSqlSession, SessionConflictError, SessionError, SessionLockedError, SqlSession
from message_history.storage.forgetting import forget, forget_async
from tests.forgetting.searching import Secret
from tests.forgetting.test_law_13 import TOKENS, plantable, planted
from tests.needs import needs_processes
from tests.sessions.conftest import empty, new_database, server
from tests.sessions.test_sql_tables import version_1

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["empty", "new_database", "server", "version_1"]
sqlalchemy = pytest.importorskip("sqlalchemy")
in_sessions = pytest.importorskip("message_history.storage.databases.forgetting").in_sessions
scrubbed = pytest.importorskip("message_history.storage.databases.database").Database.scrub
writing = pytest.importorskip("message_history.storage.databases.database").Database.writing
SECRET: Final = "PLANTED7QX"


def everything(url: str) -> bytes:
    """Return all bytes of a SQLite database's files, or all that PostgreSQL's tables and their files hold."""
    found = sqlalchemy.make_url(url)
    if found.get_backend_name() == "sqlite":
        path = Path(found.database)
        return b"\n".join(each.read_bytes() for each in sorted(path.parent.glob(f"{path.name}*")))
    engine = sqlalchemy.create_engine(found)
    parts: list[bytes] = []
    with engine.connect() as connection:
        # What was unlinked is truncated with the checkpoint; until then its file is there.
        connection.execution_options(isolation_level="AUTOCOMMIT").exec_driver_sql("CHECKPOINT")
        data = Path(connection.exec_driver_sql("SHOW data_directory").scalar_one())
        for name in sqlalchemy.inspect(connection).get_table_names():
            table = sqlalchemy.Table(name, sqlalchemy.MetaData(), autoload_with=connection)
            parts += [repr(row).encode() for row in connection.execute(sqlalchemy.select(table))]
            there = connection.exec_driver_sql(
                f"SELECT pg_relation_filepath('{name}') UNION SELECT pg_relation_filepath(reltoastrelid)"
                f" FROM pg_class WHERE relname = '{name}' AND reltoastrelid <> 0"
            )
            parts += [(data / each).read_bytes() for each in there.scalars() if each and (data / each).exists()]
    engine.dispose()
    return b"\n".join(parts)


def grown(url: str, token: str = SECRET, name: str = "chat", by: str = "") -> SqlSession:
    """Make a session with older versions, repairs, late results and calls that wait, all of which say a token."""
    session = SqlSession(url, name)
    history = session.load().add_user(f"one {token}", metadata={"id": token})
    session.append(history)
    history = history.add_user(f"two {token}")
    session.append(history)
    call = {"type": "tool_use", "id": f"1 {token}", "name": "f", "input": {"to": token}}
    history = history.add({"role": "assistant", "content": [call, call]}).record_call(
        f"1 {token}", "waiting", by=by or token
    )
    session.append(history)
    session.append(history.add_user("So?").add_assistant("Hm.").add_user(f"And {token}?").add_assistant("Well."))
    session.save(session.load().rewind().add_user(f"other {token}"))
    session.append(session.load().add_assistant("fine"))
    return session


def test_nothing_in_the_database_says_it(empty: str) -> None:
    session = grown(empty)
    key = session.load().calls[0].key
    assert everything(empty).count(SECRET.encode()) > 5
    receipt = forget(session, lambda history: redact(history, SECRET))
    assert not Secret(SECRET, (key,)).is_in(everything(empty))
    assert receipt.places > 5
    assert receipt.deleted != ("older rows: 0",)
    assert SqlSession(empty, "chat").load() == session.load()
    assert [call.key for call in SqlSession.waiting(empty)] == [session.load().calls[0].key]
    session.append(session.load().add_user("go on"))
    assert SqlSession(empty, "chat").load()[-1].text == "go on"


@pytest.mark.parametrize("place", range(4))
def test_what_says_nothing_of_it_stays_wherever_it_is(empty: str, place: int) -> None:
    session = SqlSession(empty, "chat")
    texts = [SECRET if n == place else f"word{n}" for n in range(4)]
    for length in range(2, 5):
        session.save(
            MessageHistory.from_list([Message("assistant" if n % 2 else "user", texts[n]) for n in range(length)])
        )
    forget(session, lambda history: redact(history, SECRET))
    assert [message.text for message in SqlSession(empty, "chat").load() if message.text in texts] == [
        text for text in texts if text != SECRET
    ]
    for text in texts:
        assert bool(SqlSession.search(empty, text)) is (text != SECRET)


def test_of_newest_turns_all_is_looked_through(empty: str) -> None:
    grown(empty, by="worker")
    session = SqlSession(empty, "chat")
    session.load(turns=1)
    forget(session, lambda history: erase(erase(redact(history, f"1 {SECRET}"), turn=0), turn=-1))
    assert not Secret(SECRET).is_in(everything(empty))
    assert len(session.load()) == len(SqlSession(empty, "chat").load()) > 4


def test_other_sessions_stay(empty: str) -> None:
    session, other = grown(empty), grown(empty, "OTHER", "other")
    before = other.load()
    forget(session, lambda history: redact(history, "OTHER"))
    assert SqlSession(empty, "other").load() == before
    assert forget(SqlSession(empty, "none"), lambda history: redact(history, "x")).places == 0


def test_a_database_without_sessions_is_refused_and_stays_as_it_is(empty: str) -> None:
    engine = sqlalchemy.create_engine(empty)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE notes (text TEXT)")
    with pytest.raises(SessionError, match="it holds no session of this library, and nothing was changed"):
        in_sessions(empty, (), lambda history: redact(history, "x"))
    assert sqlalchemy.inspect(engine).get_table_names() == ["notes"]
    engine.dispose()


def test_somebody_else_s_words_are_not_overwritten(empty: str) -> None:
    session = grown(empty)
    other = SqlSession(empty, "chat")
    other.append(other.load().add_user("more"))
    with pytest.raises(SessionConflictError):
        forget(session, lambda history: redact(history, SECRET))


def test_what_a_crash_leaves_the_next_load_finishes(empty: str) -> None:
    session = grown(empty)
    before = session.load()
    broken = patch("message_history.storage.databases.database.Database.scrub", side_effect=KeyboardInterrupt)
    with broken, pytest.raises(KeyboardInterrupt):
        forget(session, lambda history: redact(history, SECRET))
    history = SqlSession(empty, "chat").load()
    assert history != before
    assert not Secret(SECRET).is_in(everything(empty))
    with patch("message_history.storage.databases.database.Database.scrub", side_effect=AssertionError):
        assert SqlSession(empty, "chat").load() == history


def test_of_several_sessions_the_files_are_rewritten_once_and_after_a_crash_by_the_next_load(empty: str) -> None:
    grown(empty)
    clean = redact(grown(empty, name="other").load(), SECRET)
    with pytest.raises(KeyboardInterrupt):
        in_sessions(empty, ["other", "chat"], Mock(side_effect=[clean, KeyboardInterrupt]))
    with patch("message_history.storage.databases.database.Database.scrub") as scrub:
        assert SqlSession(empty, "other").load() == clean
    assert scrub.call_count == 1
    with patch(
        "message_history.storage.databases.database.Database.scrub", autospec=True, side_effect=scrubbed
    ) as scrub:
        receipts = in_sessions(empty, (), lambda history: redact(history, SECRET))
    assert scrub.call_count == 1
    assert [(each.session, each.places > 0) for each in receipts] == [("chat", True), ("other", False)]
    assert not Secret(SECRET).is_in(everything(empty))
    with pytest.raises(SessionError, match="there is no session 'none'"):
        in_sessions(empty, ["none"], lambda history: history)


def test_a_session_goes_on_from_what_it_has_forgotten_and_from_nothing_else(empty: str) -> None:
    session = grown(empty)
    revision = session.revision
    forget(session, lambda history: redact(history, SECRET))
    assert session.revision == revision + 1
    SqlSession(empty, "chat").update(lambda found: found.add_user("theirs"))
    mine = SqlSession(empty, "chat").load().add_assistant("ours")
    with pytest.raises(SessionConflictError, match=rf"\(revision {revision + 2} is there, not {revision + 1}\)"):
        session.append(mine)


def test_what_may_have_been_forgotten_is_looked_up(empty: str) -> None:
    session = grown(empty)

    @contextmanager
    def broken(self: Any) -> Iterator[Any]:
        with writing(self) as rows:
            yield rows
        raise SessionError("the connection broke")

    with (
        patch("message_history.storage.databases.database.Database.writing", broken),
        pytest.raises(SessionError, match="broke"),
    ):
        forget(session, lambda history: redact(history, SECRET))
    session.append(SqlSession(empty, "chat").load().add_user("on"))
    assert SqlSession(empty, "chat").load()[-1].text == "on"
    assert not Secret(SECRET).is_in(everything(empty))


def test_who_has_the_turn_forgets_and_who_has_lost_it_does_not(empty: str) -> None:
    one, other = grown(empty), SqlSession(empty, "chat")
    now = 1_000.0
    with patch("message_history.storage.databases.database.Rows.now", lambda _: now):
        with one.turn("one", until=2_000.0):
            assert forget(one, lambda history: redact(history, "fine")).places
            now = 2_000.0
            with other.turn("other", until=3_000.0):
                before = other.load()
                with pytest.raises(SessionLockedError, match="'chat': the turn has ended, and another worker took it"):
                    forget(one, lambda history: redact(history, SECRET))
                assert other.load() == before
        forget(one, lambda history: redact(history, SECRET))
    assert not Secret(SECRET).is_in(everything(empty))


def test_a_receipt_says_what_lies_outside_of_this_kind_of_database(empty: str) -> None:
    outside = " ".join(forget(grown(empty), lambda history: redact(history, SECRET)).outside)
    assert ("the server's write-ahead log" in outside) is not empty.startswith("sqlite")
    assert ("copies of the file" in outside) is empty.startswith("sqlite")
    assert "the session's name, owner, title and labels" in outside


def test_files_that_cannot_be_rewritten_now_do_not_keep_anybody_from_loading(
    empty: str, caplog: pytest.LogCaptureFixture
) -> None:
    session = grown(empty)
    busy = partial(patch, "message_history.storage.databases.database.Database.scrub")
    with busy(side_effect=SessionError("somebody reads it")):
        with pytest.raises(SessionError):
            forget(session, lambda history: redact(history, SECRET))
        for _ in range(2):
            caplog.clear()
            assert SECRET not in str(list(SqlSession(empty, "chat").load()))
            said = "what a session has forgotten may still be in the files: somebody reads it"
            assert caplog.messages == [said]
    assert SqlSession(empty, "chat").load()
    assert caplog.messages == [said]
    assert not Secret(SECRET).is_in(everything(empty))


def test_in_tables_of_an_older_version_is_forgotten_too(version_1: str) -> None:
    receipts = in_sessions(version_1, (), lambda history: redact(history, "Oslo"))
    assert [(each.session, each.places > 0) for each in receipts] == [("left open", False), ("trip", True)]
    assert b"Oslo" not in everything(version_1)


def test_before_the_rows_are_written_nothing_has_changed(empty: str) -> None:
    session = grown(empty)
    before = session.load()
    broken = patch("message_history.storage.databases.database.Rows.note", side_effect=KeyboardInterrupt)
    with broken, pytest.raises(KeyboardInterrupt):
        forget(session, lambda history: redact(history, SECRET))
    assert SqlSession(empty, "chat").load() == before


def test_awaited_it_is_the_same(empty: str) -> None:
    pytest.importorskip("aiosqlite")
    grown(empty)

    async def run() -> MessageHistory:
        session = AsyncSqlSession(empty, "chat")
        receipt = await forget_async(session, lambda history: redact(history, SECRET))
        assert receipt.places > 5
        return await session.load()

    assert asyncio.run(run()) == SqlSession(empty, "chat").load()
    assert not Secret(SECRET).is_in(everything(empty))


@pytest.mark.heavy
@needs_processes
def test_killed_before_any_statement_it_is_finished_or_undone(tmp_path: Path) -> None:
    done = {"undone": 0, "finished": 0}
    for number in range(1, 200):
        url = f"sqlite:///{tmp_path}/{number}.db"
        before = grown(url).load()
        child = os.fork()
        if not child:
            killed_before(number, partial(forget, SqlSession(url, "chat"), lambda history: redact(history, SECRET)))
        killed = os.waitpid(child, 0)[1]
        if SqlSession(url, "chat").load() == before:
            done["undone"] += 1
        else:
            assert not Secret(SECRET).is_in(everything(url)), number
            done["finished"] += 1
        if not killed:
            break
    assert not killed
    assert min(done.values()) > 3, done


def killed_before(number: int, run: Callable[[], object]) -> None:
    """Run something in a process that is killed before the statement of a number, and end the process."""
    count = 0

    def killed(*_: object) -> None:
        nonlocal count
        count += 1
        if count == number:
            os.kill(os.getpid(), signal.SIGKILL)

    try:
        sqlalchemy.event.listen(sqlalchemy.Engine, "before_cursor_execute", killed)
        run()
    finally:
        os._exit(0)


def places() -> Iterator[tuple[str, tuple[Any, ...], str]]:
    """Yield places and tokens for them, more than a thousand."""
    for token in (*TOKENS, "0123 456789", "ann@example.com"):
        for name, place in plantable():
            yield name, place, token


@pytest.mark.heavy
def test_a_thousand_tokens_in_every_kind_of_place(empty: str) -> None:
    count = 0
    for number, (name, place, token) in enumerate(places()):
        session = SqlSession(empty, f"{number}")
        session.save(planted(name, place, token))
        session.append(session.load().add_user("again"))
        # The files are rewritten with the last one.
        with patch("message_history.storage.databases.database.Database.scrub"):
            forget(session, lambda history, token=token: redact(history, token))  # type: ignore[misc]
        count += 1
    assert count > 1_000
    forget(session, lambda history: history)
    data = everything(empty)
    assert not [token for token in (*TOKENS, "0123 456789", "ann@example.com") if Secret(token).is_in(data)]
