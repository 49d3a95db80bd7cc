"""What sessions do with connections: which stay open, how long is waited for others, and what becomes of errors."""

from __future__ import annotations

import time
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from unittest.mock import MagicMock

import pytest

from message_history import MessageHistory, ToolUseBlock
from message_history.storage import SessionConflictError, SessionError, SessionLockedError, SqlSession
from tests.sessions.growing import of_length

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

sqlalchemy = pytest.importorskip("sqlalchemy")
databases = pytest.importorskip("message_history.storage.databases.database")
in_sessions = pytest.importorskip("message_history.storage.databases.forgetting").in_sessions
HOUR = timedelta(hours=1)


@contextmanager
def in_transaction(database: str, *statements: str) -> Iterator[None]:
    """Be somebody else who is in the middle of something."""
    engine = sqlalchemy.create_engine(database, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if database.startswith("sqlite") else "BEGIN")
        for statement in statements:
            connection.exec_driver_sql(statement)
        yield
        connection.exec_driver_sql("ROLLBACK")
    engine.dispose()


def opened_and_closed(engine: Any) -> list[str]:
    """Return a list that grows with each connection that is opened or closed."""
    found: list[str] = []
    for name in ("connect", "close"):
        sqlalchemy.event.listen(engine, name, lambda *_, name=name: found.append(name))
    return found


@pytest.mark.parametrize("name", ["", "/", "/:memory:"])
def test_an_engine_of_a_database_in_memory_keeps_it(name: str) -> None:
    engine = sqlalchemy.create_engine(f"sqlite://{name}", poolclass=sqlalchemy.pool.StaticPool)
    SqlSession(engine, "a").append(of_length(2))
    assert SqlSession(engine, "a").load() == of_length(2)
    engine.dispose()


def test_a_file_that_is_named_by_its_uri_is_found(tmp_path: Path) -> None:
    url = f"sqlite:///file:{tmp_path}/chats.db?uri=true"
    SqlSession(url, "a").append(of_length(2))
    assert [each.session for each in in_sessions(url, (), lambda history: history)] == ["a"]


def test_a_file_that_is_not_there_is_not_made_to_forget_in_it(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="it holds no session"):
        in_sessions(str(tmp_path / "none.db"), (), lambda history: history)
    assert list(tmp_path.iterdir()) == []


def test_an_engine_of_another_kind_of_database_is_refused() -> None:
    engine = sqlalchemy.create_engine("mysql://host/name", module=MagicMock(paramstyle="format"))
    with pytest.raises(ValueError, match="in SQLite or PostgreSQL, not in mysql"):
        SqlSession(engine, "a")


def test_another_password_has_connections_of_its_own() -> None:
    pytest.importorskip("psycopg")
    engines = [SqlSession(f"postgresql://me:{each}@nowhere/x", "a")._database._engine for each in ("one", "two", "one")]
    assert [each.url.password for each in engines] == ["one", "two", "one"]
    assert engines[0] is engines[2]


def test_the_files_that_were_used_longest_ago_are_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "MOST_OPEN_FILES", 2)
    monkeypatch.setattr(databases, "_open_files", type(databases._open_files)())
    engines = {each: sqlalchemy.create_engine(f"sqlite:///{tmp_path}/{each}.db") for each in "abc"}
    for used, still_open in (("a", "a"), ("b", "ab"), ("a", "ab"), ("c", "ac"), ("b", "bc")):
        SqlSession(engines[used], "chat").load()
        assert "".join(each for each, engine in engines.items() if engine.pool.checkedin()) == still_open
    for engine in engines.values():
        engine.dispose()


def test_a_connection_is_dropped_when_it_was_interrupted_and_kept_after_an_error(
    empty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = sqlalchemy.create_engine(empty)
    session = SqlSession(engine, "a")
    session.append(of_length(2))
    seen = opened_and_closed(engine)
    for error, expected in ((SessionError, []), (KeyboardInterrupt, ["close", "connect"])):
        with monkeypatch.context() as patched:
            patched.setattr(databases.Rows, "add", MagicMock(side_effect=error))
            with pytest.raises(error):
                session.append(of_length(3))
        assert session.load() == of_length(2)
        assert seen == expected
    engine.dispose()


def test_a_child_process_leaves_the_connections_of_its_parent_open(empty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    session = SqlSession(empty, "a")
    kept: list[Any] = []
    sqlalchemy.event.listen(session._database._engine, "connect", lambda made, _: kept.append(made))
    session.append(of_length(2))
    seen = opened_and_closed(session._database._engine)
    # Other tests have connections, too.
    monkeypatch.setattr(databases, "_engines", {"": session._database._engine})
    databases._forget_connections()
    monkeypatch.undo()
    assert session.load() == of_length(2)
    assert seen == ["connect"]
    kept[0].close()


def test_without_a_free_connection_it_is_an_error_in_one_line(empty: str) -> None:
    pool: Any = {"pool_size": 1, "max_overflow": 0, "pool_timeout": 0.01, "poolclass": sqlalchemy.pool.QueuePool}
    engine = sqlalchemy.create_engine(empty, **pool)
    session = SqlSession(engine, "a")
    session.append(of_length(2))
    with engine.connect(), pytest.raises(SessionError, match="limit of size 1 overflow 0 reached") as caught:
        session.load()
    assert "\n" not in str(caught.value)
    assert session.load() == of_length(2)
    engine.dispose()


LOCKING = "UPDATE message_history_sessions SET revision = revision"
CHANGES: dict[str, Any] = {
    "append": lambda session: session.append(of_length(4)),
    "fork": lambda session: session.fork("b"),
    "drop old rows": SqlSession.drop_old_rows,
    "describe": lambda session: session.describe(title="T"),
    "delete": SqlSession.delete,
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_of_a_session_waits_for_its_writer(empty: str, change: str) -> None:
    SqlSession(empty, "a").append(of_length(2))
    SqlSession(empty, "a").append(of_length(3))
    session = SqlSession(empty, "a", lock_timeout=0)
    with in_transaction(empty, LOCKING), pytest.raises(SessionLockedError, match=r"has held it for 0\.001 seconds"):
        CHANGES[change](session)
    CHANGES[change](session)


def test_who_looks_at_the_tables_for_the_first_time_waits_for_no_writer(empty: str) -> None:
    SqlSession(empty, "a").append(of_length(2))
    engine = sqlalchemy.create_engine(empty)
    with in_transaction(empty, LOCKING):
        assert SqlSession(engine, "a", lock_timeout=0).load() == of_length(2)
    engine.dispose()


def test_for_another_writer_ten_seconds_are_waited(empty: str) -> None:
    asked: list[str] = []
    engine = sqlalchemy.create_engine(empty)
    sqlalchemy.event.listen(engine, "before_cursor_execute", lambda *each: asked.append(each[2]))
    SqlSession(engine, "a").append(of_length(2))
    engine.dispose()
    said = "PRAGMA busy_timeout = 10000" if empty.startswith("sqlite") else "SET LOCAL lock_timeout = 10000"
    assert {each for each in asked if "timeout" in each} == {said}


@pytest.mark.parametrize("what", ["make tables", "rewrite"])
def test_a_file_that_somebody_writes_is_not_waited_for_longer_than_was_said(tmp_path: Path, what: str) -> None:
    url = f"sqlite:///{tmp_path}/chats.db"
    if what == "rewrite":
        SqlSession(url, "a").append(of_length(2))
    database = databases.Database(sqlalchemy.create_engine(url), 0.01)
    with in_transaction(url):
        start = time.monotonic()
        with pytest.raises(SessionLockedError, match=r"0\.01 seconds"):
            SqlSession(database._engine, "a", lock_timeout=0.01).load() if what == "make tables" else database.scrub()
        assert time.monotonic() - start < 3
    database._engine.dispose()


def test_while_somebody_reads_a_file_it_is_said_that_its_log_is_left(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/chats.db"
    SqlSession(url, "a").append(of_length(2))
    engine = sqlalchemy.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as reader:
        reader.exec_driver_sql("BEGIN")
        reader.exec_driver_sql("SELECT * FROM message_history_sessions").all()
        with pytest.raises(SessionLockedError, match="its write-ahead log still has what was deleted"):
            databases.Database(url, 0.01).scrub()
    engine.dispose()
    SqlSession.scrub(url)


def test_while_another_version_makes_the_tables_nobody_else_does(new_schema: str) -> None:
    held = in_transaction(new_schema, "SELECT pg_advisory_xact_lock(120282496065895)")
    with held, pytest.raises(SessionLockedError):
        SqlSession(new_schema, "a", lock_timeout=0).load()
    assert not SqlSession(new_schema, "a").load()


def test_many_sessions_are_deleted_whole(empty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "IN_ONE", 2)
    for number in range(6):
        session = SqlSession(empty, f"{number}")
        session.describe(owner="a" if number else "b")
        session.append(of_length(2))
    assert SqlSession.delete_owner(empty, "a", scrub=False) == 5
    assert SqlSession.ids(empty) == ["0"]
    assert {each.session for each in SqlSession.search(empty, "q0")} == {"0"}


def test_of_what_lasts_until_a_time_that_has_come_nothing_lasts(empty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000.0
    monkeypatch.setattr(databases.Rows, "now", lambda _: now)
    session = SqlSession(empty, "a")
    session.append(MessageHistory().add_user("go").add_assistant(ToolUseBlock("1", "pay", {})))
    session.claim("1", worker="one", until=2_000.0)
    session._hold("one", "first", 2_000.0)
    now = 1_999.0
    assert [str(each.state) for each in SqlSession.waiting(empty)] == ["started"]
    with pytest.raises(SessionLockedError):
        session._hold("two", "second", 3_000.0)
    now = 2_000.0
    assert [str(each.state) for each in SqlSession.waiting(empty)] == ["unknown"]
    session._hold("two", "second", 3_000.0)


def test_a_write_of_which_nobody_knows_whether_it_was_done_is_looked_up(
    empty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = SqlSession(empty, "a")
    session.append(of_length(2))
    writing = databases.Database.writing

    @contextmanager
    def broken(self: Any) -> Iterator[Any]:
        with writing(self) as rows:
            yield rows
        raise SessionError("the connection broke")

    with monkeypatch.context() as patched:
        patched.setattr(databases.Database, "writing", broken)
        with pytest.raises(SessionError, match="the connection broke"):
            session.append(of_length(3))
    session.append(of_length(4))
    assert SqlSession(empty, "a").load() == of_length(4)


def test_what_a_conflict_says_is_exact(empty: str) -> None:
    one, late, unread = (SqlSession(empty, "a") for _ in range(3))
    late.load()
    one.append(of_length(2))
    assert one._held is not None
    assert one._held.head.number == 1
    for _ in range(2):
        with pytest.raises(SessionConflictError, match=r"to it \(revision 1 is there, not 0\); load it again"):
            late.append(of_length(3))
        with pytest.raises(SessionConflictError, match="it holds another history, of 2 messages") as caught:
            unread.append(MessageHistory().add_user("else"))
        assert (caught.value.expected, caught.value.found) == (0, 1)
    other = one.fork("b")
    with pytest.raises(SessionConflictError, match="'b': a session with this name exists") as caught:
        one.fork("b")
    assert caught.value.expected == 0
    with pytest.raises(SessionError, match="'b'"):
        other.append(MessageHistory().add_user("else"))
    SqlSession(empty, "a").delete(scrub=False)
    SqlSession(empty, "a").append(of_length(4))
    with pytest.raises(SessionConflictError, match=r"\(it was made anew and revision 1 is there, not 1\)"):
        one.append(of_length(3))


def test_a_repair_whose_row_is_lost_costs_no_other_one(empty: str) -> None:
    history = MessageHistory().add_user(["a", " "]).add_assistant("b").add_user(["c", "\n"]).add_assistant("d")
    SqlSession(empty, "a").append(history)
    engine = sqlalchemy.create_engine(empty)
    with engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM message_history_repairs WHERE position = 0")
    engine.dispose()
    session = SqlSession(empty, "a")
    loaded = session.load()
    assert loaded.repairs == history.repairs[1:]
    session.save(loaded.with_system("Be brief.").trim_results(older_than=0, text="").rewind(0))
    assert SqlSession(empty, "a").load().repairs == history.repairs[1:]
