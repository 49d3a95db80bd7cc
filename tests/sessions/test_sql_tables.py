"""The tables of sessions: made once, brought up to date, and left alone when a later version made them. Bad databases.

What does not say otherwise is tested in SQLite and in PostgreSQL.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from message_history import MessageHistory, RepairCode, SystemBlock, TextBlock, ToolUseBlock, from_file
from message_history.storage import SessionConflictError, SessionError, SqlSession
from tests.sessions.growing import of_length, turn_starts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SCHEMA_1 = Path(__file__).with_name("schema_1.sql")
WEATHER = (
    MessageHistory()
    .with_system("Be brief.")
    .add_user("Weather in Oslo and Rome?")
    .add_assistant(
        [
            TextBlock("I look."),
            ToolUseBlock("a", "weather", {"city": "Oslo"}),
            ToolUseBlock("b", "weather", {"city": "Rome"}),
        ]
    )
    .add_tool_result("a", "rain")
    .add_tool_result("b", "sun")
    .add_assistant("Rain and sun.")
    .add_user(["Thanks! ", " "])
    .add_assistant("You are welcome.")
    .add_user([TextBlock("And it's 5 o'clock, ü?"), SystemBlock("Be kind.")])
)
LEFT_OPEN = MessageHistory().add_user("go").add_assistant([ToolUseBlock("1", "run", {})]).as_sent()


def index_tables(database: str) -> set[str]:
    """Return the tables of FTS5's own."""
    names = ("", "_config", "_data", "_idx") if database.startswith("sqlite") else ()
    return {f"message_history_words{name}" for name in names}


@contextmanager
def raw(database: str) -> Iterator[Any]:
    from sqlalchemy import create_engine  # noqa: PLC0415 - may not be installed

    engine = create_engine(database)
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def count_of(connection: Any, table: str) -> int:
    return int(connection.exec_driver_sql(f"SELECT count(*) FROM message_history_{table}").scalar())


def tables_of(database: str) -> set[str]:
    from sqlalchemy import inspect  # noqa: PLC0415 - may not be installed

    with raw(database) as connection:
        return set(inspect(connection).get_table_names())


def engine_of_its_own(database: str) -> Any:
    """Give an engine that has not looked at the tables yet, as another process would have."""
    from sqlalchemy import create_engine, pool  # noqa: PLC0415 - may not be installed

    return create_engine(database, poolclass=pool.NullPool)


@pytest.fixture
def version_1(empty: str) -> str:
    """Give a database that version 1 has written."""
    text = SCHEMA_1.read_text(encoding="utf-8").partition("\n")[2]
    if empty.startswith("postgresql"):
        text = text.replace("INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT", "BIGSERIAL NOT NULL PRIMARY KEY")
        text += "SELECT setval('message_history_sessions_number_seq', 2);\n"
    with raw(empty) as connection:
        for statement in text.split(";\n"):
            if statement.strip():
                connection.exec_driver_sql(statement)
    return empty


def test_tables_of_version_1_become_those_of_now(version_1: str) -> None:
    from message_history.storage.databases import tables  # noqa: PLC0415 - needs sqlalchemy

    with raw(version_1) as connection:
        before = {table: count_of(connection, table) for table in ("sessions", "messages", "repairs")}
    session = SqlSession(version_1, "trip")
    assert session.load() == WEATHER
    assert session.load().repairs == WEATHER.repairs
    assert [repair.code for repair in session.load().repairs] == [RepairCode.BLANK_TEXT_DROPPED]
    assert session.revision == 8
    with raw(version_1) as connection:
        assert connection.exec_driver_sql("SELECT version FROM message_history_schema").scalar() == 4
        assert {table: count_of(connection, table) for table in before} == before
        wanted = "SELECT position FROM message_history_messages WHERE session = 1 AND starts_turn ORDER BY position"
        assert list(connection.exec_driver_sql(wanted).scalars()) == [0, 4, 6]
    assert tables_of(version_1) == set(tables.names()) | index_tables(version_1)
    made = session.info()
    assert made.created == made.updated
    assert (made.created or 0) > 1_700_000_000
    assert {each.session for each in SqlSession.sessions(version_1)} == {"trip", "left open"}
    assert [(each.session, each.position) for each in SqlSession.search(version_1, "rome")] == [("trip", 0)]
    for turns in (1, 2, 3):
        assert session.load(turns=turns) == WEATHER.drop_before(turn_starts(WEATHER)[-turns])
    session.append(session.load(turns=1).add_assistant("It is."))
    assert SqlSession(version_1, "trip").load() == WEATHER.add_assistant("It is.")
    other = SqlSession(version_1, "left open")
    assert other.load() == LEFT_OPEN
    assert other.load().repairs == LEFT_OPEN.repairs
    assert [call.id for call in other.load().awaiting] == ["1"]
    assert other.drop_old_rows() == 0
    assert session.drop_old_rows() == 1
    SqlSession(version_1, "new").append(of_length(3))
    assert SqlSession.ids(version_1) == ["left open", "new", "trip"]


def forget_version_4(connection: Any) -> None:
    """Make tables that version 3 could have made."""
    connection.exec_driver_sql("DROP TABLE message_history_texts")
    connection.exec_driver_sql("DROP TABLE message_history_labels")
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("DROP TABLE message_history_words")
    for index in ("sessions_by_time", "sessions_of_owners"):
        connection.exec_driver_sql(f"DROP INDEX message_history_{index}")
    for column in ("owner", "title", "labels", "created", "updated"):
        connection.exec_driver_sql(f"ALTER TABLE message_history_sessions DROP COLUMN {column}")


def test_tables_of_version_2_learn_which_calls_wait(empty: str) -> None:
    call = ToolUseBlock("1", "pay", {})
    asked = partial(MessageHistory.record_call, call=call, state="waiting", by="bot")
    for name in ("waits", "waits too", "does not"):
        SqlSession(empty, name).update(lambda new: new.add_user("go").add_assistant(call))
    SqlSession(empty, "waits").update(asked)
    SqlSession(empty, "waits too").update(lambda found: asked(found).as_sent().add_assistant("It waits.").add_user("?"))
    SqlSession(empty, "does not").update(lambda found: asked(found).add_tool_result(call, "done"))
    waiting = SqlSession.waiting(empty)
    assert [each.session for each in waiting] == ["waits", "waits too"]
    with raw(empty) as connection:
        connection.exec_driver_sql("DROP TABLE message_history_calls")
        connection.exec_driver_sql("DROP TABLE message_history_turns")
        forget_version_4(connection)
        connection.exec_driver_sql("UPDATE message_history_schema SET version = 2")
    assert SqlSession.waiting(engine_of_its_own(empty)) == waiting
    assert SqlSession.waiting(engine_of_its_own(empty), "approved") == []


def test_a_fork_and_a_deleted_session_keep_the_list_of_what_waits(empty: str) -> None:
    session = SqlSession(empty, "a")
    session.update(
        lambda new: new.add_user("go").add_assistant(ToolUseBlock("1", "pay", {})).record_call("1", "waiting")
    )
    fork = session.fork("b")
    assert [(each.session, each.key) for each in SqlSession.waiting(empty)] == [
        (name, session.load().calls[0].key) for name in "ab"
    ]
    assert len(SqlSession.waiting(empty, limit=1)) == 1
    fork.update(lambda found: found.record_call("1", "denied"))
    assert [each.session for each in SqlSession.waiting(empty)] == ["a"]
    session.delete()
    assert SqlSession.waiting(empty) == []


def test_a_large_table_is_copied_in_batches(version_1: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from message_history.storage.databases import tables as sql_tables  # noqa: PLC0415 - needs sqlalchemy

    monkeypatch.setattr(sql_tables, "BATCH", 2)
    assert SqlSession(version_1, "trip").load() == WEATHER
    assert SqlSession(version_1, "left open").load() == LEFT_OPEN


def test_a_migration_that_fails_leaves_the_tables_as_they_were(version_1: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from message_history.storage.databases import tables as sql_tables  # noqa: PLC0415 - needs sqlalchemy

    def fail(_: str) -> bool:
        raise ZeroDivisionError

    before = tables_of(version_1)
    with monkeypatch.context() as patched:
        patched.setattr(sql_tables, "body_starts_turn", fail)
        with pytest.raises(ZeroDivisionError):
            SqlSession(version_1, "trip").load()
    assert tables_of(version_1) == before
    with raw(version_1) as connection:
        assert connection.exec_driver_sql("SELECT version FROM message_history_schema").scalar() == 1
        assert count_of(connection, "messages") == 11
    assert SqlSession(version_1, "trip").load() == WEATHER


@pytest.mark.parametrize("older", [False, True])
def test_many_may_make_the_tables_at_once(older: bool, empty: str, request: pytest.FixtureRequest) -> None:
    if older:
        request.getfixturevalue("version_1")
    engines = [engine_of_its_own(empty) for _ in range(8)]
    failures: list[BaseException] = []

    def begin(number: int) -> None:
        try:
            SqlSession(engines[number], f"session {number}").append(of_length(4))
        except BaseException as error:  # noqa: BLE001 - told of below
            failures.append(error)

    threads = [Thread(target=begin, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(SqlSession.ids(empty)) == 8 + 2 * older
    for number in range(8):
        assert SqlSession(empty, f"session {number}").load() == of_length(4)


def test_tables_of_a_later_version_are_left_alone(empty: str) -> None:
    running = SqlSession(empty, "chat")
    running.append(of_length(4))
    with raw(empty) as connection:
        connection.exec_driver_sql("UPDATE message_history_schema SET version = 5")
    # Whoever has looked at the tables before does not write to them either.
    with pytest.raises(SessionError, match="a later version has changed the tables; nothing was written"):
        running.append(of_length(5))
    with pytest.raises(SessionError, match="a later version has changed the tables; nothing was written"):
        SqlSession(empty, "new").append(of_length(1))
    with pytest.raises(SessionError, match=r"a later version made the tables \(5, this one knows 4\)"):
        SqlSession(engine_of_its_own(empty), "chat").load()
    with raw(empty) as connection:
        assert count_of(connection, "messages") == 4
        connection.exec_driver_sql("UPDATE message_history_schema SET version = 4")
    running.append(of_length(5))


def test_a_session_name_may_be_any_sound_text(database: str) -> None:
    for name in ("a b", "'; DROP TABLE x; --", "Ünïcode 🎉", "x" * 255, "%s %(a)s :b"):
        SqlSession(database, name).append(of_length(2))
        assert SqlSession(database, name).load() == of_length(2)
        assert name in SqlSession.ids(database)
    for wrong in ("", "x" * 256, "a\0b", "\ud800"):
        with pytest.raises(ValueError, match="a session's name"):
            SqlSession(database, wrong)
    with pytest.raises(TypeError, match="name must be a str, not 5"):
        SqlSession(database, 5)  # type: ignore[arg-type]
    for turns in (0, -1, True, 1.5):
        with pytest.raises(ValueError, match="turns must be 1 or more"):
            SqlSession(database, "a").load(turns=turns)  # type: ignore[arg-type]


@pytest.fixture
def sql() -> None:
    pytest.importorskip("sqlalchemy")


@pytest.mark.usefixtures("sql")
def test_a_path_is_a_sqlite_file_with_a_write_ahead_log(tmp_path: Path) -> None:
    path = tmp_path / "chats.db"
    SqlSession(path, "a").append(of_length(3))
    assert SqlSession(str(path), "a").load() == of_length(3)
    assert SqlSession(f"sqlite:///{path}", "a").load() == of_length(3)
    with raw(f"sqlite:///{path}") as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


def no_folder(folder: Path) -> str:
    return str(folder / "missing" / "chats.db")


def is_folder(folder: Path) -> str:
    return str(folder)


def no_database(folder: Path) -> str:
    path = folder / "chats.db"
    path.write_bytes(b"this is no database, and it is longer than a header" * 40)
    return str(path)


def with_damaged_names(folder: Path) -> str:
    path = folder / "chats.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE one(a)")
    path.write_bytes(path.read_bytes().replace(b"one", b"\xffne").replace(b"(a)", b")a("))
    return str(path)


@pytest.mark.usefixtures("sql")
@pytest.mark.parametrize(
    ("make", "words"),
    [
        *((make, "unable to open") for make in (no_folder, is_folder)),
        *((no_database, "file is not a database"), (with_damaged_names, "the database is damaged")),
    ],
)
def test_what_is_no_database_is_one_clear_line(make: Callable[[Path], str], words: str, tmp_path: Path) -> None:
    where = make(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for use in (lambda: SqlSession(where, "a").load(), lambda: SqlSession(where, "a").append(of_length(1))):
        with pytest.raises(SessionError, match=words) as caught:
            use()
        assert where in str(caught.value)
        assert "\n" not in str(caught.value)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.usefixtures("sql")
def test_a_url_that_cannot_be_used_is_refused_without_its_password() -> None:
    for url, words in (
        ("mysql://me:secret@host/name", "in SQLite or PostgreSQL, not in mysql"),
        ("mysql+nothing://me:secret@host/name", "in SQLite or PostgreSQL, not in mysql"),
        ("postgresql+nothing://me:secret@host/name", "no driver"),
        ("://me:secret@host:x", "URL cannot be read"),
        ("sqlite://", "a database in memory keeps nothing"),
        ("sqlite:///:memory:", "a database in memory keeps nothing"),
    ):
        with pytest.raises(ValueError, match=words) as caught:
            SqlSession(url, "a")
        assert "secret" not in str(caught.value)
    nothing_known: Any = b"chats.db"
    with pytest.raises(TypeError, match="must be a URL, a path or an engine"):
        SqlSession(nothing_known, "a")


@pytest.mark.usefixtures("sql")
def test_a_server_that_is_not_there_is_one_clear_line() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(SessionError, match=r"127\.0\.0\.1") as caught:
        SqlSession("postgresql://me:secret@127.0.0.1:1/name", "a").load()
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_who_may_not_make_tables_is_told_so(server: str, new_database: Callable[[], str]) -> None:
    url = new_database()
    if url.startswith("sqlite"):
        pytest.skip("SQLite has no users")
    with raw(url) as connection:
        connection.exec_driver_sql("CREATE ROLE guest LOGIN")
    with pytest.raises(SessionError, match=r"permission denied for schema|no schema has been selected"):
        SqlSession(url.replace("//tester@", "//guest@"), "a").load()
    assert server.rpartition("/")[0].partition("@")[2] in url


def test_a_server_that_was_restarted_is_no_error(server: str, new_database: Callable[[], str]) -> None:
    url = new_database()
    if url.startswith("sqlite"):
        pytest.skip("SQLite has no server")
    session = SqlSession(url, "a")
    session.append(of_length(2))
    with raw(server.replace("postgresql://", "postgresql+psycopg://")) as connection:
        wanted = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        connection.exec_driver_sql(wanted)
    session.append(of_length(3))
    assert session.load() == of_length(3)


def test_without_the_extra_it_is_clear_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("database", "tables"):
        monkeypatch.delitem(sys.modules, f"message_history.storage.databases.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(SessionError, match=r"pip install 'message-history\[sql\]'"):
        SqlSession("chats.db", "a")


@pytest.mark.usefixtures("sql")
def test_without_the_driver_it_is_clear_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(SessionError, match=r"psycopg is not installed; run: pip install 'message-history\[postgres\]'"):
        SqlSession("postgresql://nobody@nowhere/never", "a")


def test_a_connection_that_breaks_in_the_middle_leaves_the_session_as_it_was(
    empty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from message_history.storage.databases.database import Rows  # noqa: PLC0415 - needs sqlalchemy

    session = SqlSession(empty, "a")
    session.append(of_length(4))

    def fail(*_: object) -> None:
        raise SessionError("the connection broke")

    with monkeypatch.context() as patched:
        patched.setattr(Rows, "add", fail)
        with pytest.raises(SessionError, match="the connection broke"):
            session.append(of_length(6))
    assert SqlSession(empty, "a").load() == of_length(4)
    # It does not know what is saved now; it looks, and goes on from there.
    session.append(of_length(6))
    assert SqlSession(empty, "a").load() == of_length(6)
    with pytest.raises(SessionConflictError):
        SqlSession(empty, "a").append(MessageHistory().add_user("else"))


@pytest.mark.usefixtures("sql")
def test_the_examples_of_the_page_print_what_it_says() -> None:
    docs = Path(__file__).parents[2] / "docs"
    checked = subprocess.run(
        [sys.executable, docs / "run_examples.py", docs / "sessions.md"], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_a_deleted_file_is_made_anew_instead_of_written_to_in_vain(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    path = tmp_path / "chats.db"
    SqlSession(path, "a").append(of_length(2))
    for part in tmp_path.iterdir():
        part.unlink()
    SqlSession(path, "a").append(of_length(3))
    assert path.exists()
    assert SqlSession(path, "a").load() == of_length(3)


def test_many_files_are_not_all_open_at_once(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    open_files = Path("/proc/self/fd")
    if not open_files.is_dir():
        pytest.skip("what is open cannot be counted here")
    before = len(list(open_files.iterdir()))
    sessions = [SqlSession(tmp_path / f"{number}.db", "a") for number in range(100)]
    for session in sessions:
        session.append(of_length(1))
    assert len(list(open_files.iterdir())) - before < 150
    assert all(session.load() == of_length(1) for session in sessions)


@pytest.mark.usefixtures("sql")
def test_ctrl_c_in_the_middle_leaves_a_session_that_works(empty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from message_history.storage.databases import database  # noqa: PLC0415 - needs sqlalchemy

    session = SqlSession(empty, "a")
    session.append(of_length(2))

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(database.Rows, "add", interrupted)
        with pytest.raises(KeyboardInterrupt):
            session.append(of_length(3))
    session.append(of_length(3))
    assert SqlSession(empty, "a").load() == of_length(3)


def test_a_sqlite_database_is_read_as_a_file(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    for name in ("first", "second"):
        SqlSession(tmp_path / "chats.db", name).save(WEATHER)
    main, other = from_file(tmp_path / "chats.db")
    assert (main.origin.id, other.origin.id, other.label) == ("second", "first", "session first")
    for each in (main, other):
        assert each.history() == WEATHER
