"""What a store knows of its sessions: whose they are, when they were written to, and what is in them; and deleting.

What does not say otherwise is tested in SQLite and in PostgreSQL.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from message_history import MessageHistory, ToolUseBlock, from_file
from message_history.storage import AsyncSqlSession, JsonlSession, SessionConflictError, SessionError, SqlSession
from message_history.storage.forgetting import forget
from tests.sessions.growing import of_length

if TYPE_CHECKING:
    from pathlib import Path

    from message_history.storage import SessionInfo

SECRET = "sesame4711"


def said(text: str) -> MessageHistory:
    return MessageHistory().add_user(text)


def ids(found: list[SessionInfo]) -> list[str]:
    return [each.session for each in found]


def in_all_tables(database: str, text: str) -> list[str]:
    """Return the tables that have a text in any row."""
    from sqlalchemy import MetaData, create_engine, select  # noqa: PLC0415 - may not be installed

    engine, tables = create_engine(database), MetaData()
    with engine.connect() as connection:
        tables.reflect(connection)
        # FTS5 shows what it has in tables of its own.
        named = {name: table for name, table in tables.tables.items() if name != "message_history_words"}
        found = [name for name, table in named.items() if text in str(connection.execute(select(table)).all())]
    engine.dispose()
    return found


def in_files(folder: Path, text: str) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


@pytest.mark.parametrize("saved", [False, True])
def test_a_session_that_only_something_is_said_of_holds_nothing(empty: str, saved: bool) -> None:
    SqlSession(empty, "chat").describe(title="Greeting")
    session = SqlSession(empty, "chat")
    history = MessageHistory().add_user("hi") if saved else MessageHistory()
    if saved:
        session.append(history)
    loaded = SqlSession(empty, "chat").load()
    assert (loaded, loaded.repairs, session.load()) == (history, (), history)
    assert session.revision == saved


def test_a_session_is_described_before_it_is_saved_and_after(empty: str) -> None:
    session = SqlSession(empty, "chat")
    assert session.info() == session.info()
    assert (session.info().session, session.info().created) == ("chat", None)
    made = session.describe(owner="user 7", title="Oslo", labels=["work", "a", "work"])
    assert (made.owner, made.title, made.labels) == ("user 7", "Oslo", ("a", "work"))
    assert not SqlSession(empty, "chat").load()
    other = SqlSession(empty, "chat")
    assert not other.load()
    session.append(said("hello"))
    with pytest.raises(SessionConflictError):
        other.append(said("hi"))
    found = session.info()
    assert (found.owner, found.title, found.labels, found.created) == ("user 7", "Oslo", ("a", "work"), made.created)
    assert found.updated is not None
    assert found.updated >= (made.updated or 0)
    assert abs(found.updated - time.time()) < 60


def test_who_describes_a_session_is_in_the_way_of_nobody(empty: str) -> None:
    session = SqlSession(empty, "chat")
    session.append(said("hello"))
    before = session.info()
    SqlSession(empty, "chat").describe(title="Greeting")
    after = session.info()
    assert (after.title, after.updated, session.revision) == ("Greeting", before.updated, 1)
    session.append(session.load().add_assistant("hi"))
    assert session.describe(title="").title == ""
    given = session.describe(created=1.5, updated=datetime(2026, 1, 1, tzinfo=UTC))
    assert (given.created, given.updated) == (1.5, datetime(2026, 1, 1, tzinfo=UTC).timestamp())
    assert session.load() == said("hello").add_assistant("hi")


def test_what_cannot_be_said_of_a_session_is_refused(empty: str, tmp_path: Path) -> None:
    for session in (SqlSession(empty, "chat"), JsonlSession(tmp_path / "chat.jsonl")):
        wrong: Any
        for wrong in ({"owner": "x" * 256}, {"title": "\0"}, {"labels": [""]}, {"owner": "\ud800"}):
            with pytest.raises(ValueError, match=r"owner|title|label"):
                session.describe(**wrong)
        for wrong in ({"owner": 7}, {"labels": "work"}, {"created": "now"}, {"labels": [None]}):
            with pytest.raises(TypeError, match=r"owner|label|created"):
                session.describe(**wrong)
        assert session.info().created is None


def test_sessions_are_listed_newest_first_in_pages(empty: str) -> None:
    chance = random.Random(1)
    expected: list[tuple[float, int, str, str, list[str]]] = []
    for number in range(40):
        session = SqlSession(empty, f"s{number}")
        owner, labels = chance.choice(["a", "b", ""]), chance.sample(["x", "y", "z"], chance.randrange(3))
        session.append(said("hi"))
        updated = float(chance.randrange(10))
        session.describe(owner=owner, labels=labels, updated=updated)
        expected.append((updated, number, session.session_id, owner, labels))
    expected.sort(reverse=True)
    for asked in (None, "a", "b", "", "c"):
        for label in (None, "x", "none"):
            wanted = [each[2] for each in expected if asked in (None, each[3]) and (label is None or label in each[4])]
            assert ids(SqlSession.sessions(empty, owner=asked, label=label)) == wanted
            pages: list[str] = []
            after: str | None = None
            while page := SqlSession.sessions(empty, owner=asked, label=label, after=after, limit=3):
                pages += ids(page)
                after = page[-1].cursor
            assert pages == wanted
    SqlSession(empty, expected[-1][2]).update(lambda found: found.add_user("more"))
    assert ids(SqlSession.sessions(empty, limit=1)) == [expected[-1][2]]
    if expected[-1][4]:
        assert ids(SqlSession.sessions(empty, label=expected[-1][4][0], limit=1)) == [expected[-1][2]]
    with pytest.raises(ValueError, match="after must be the `cursor`"):
        SqlSession.sessions(empty, after="s3")


def test_an_append_is_newest_in_the_list_of_its_labels(empty: str) -> None:
    for name in "abc":
        session = SqlSession(empty, name)
        session.describe(labels=["x"])
        session.append(said("hi"))
    assert ids(SqlSession.sessions(empty, label="x")) == ["c", "b", "a"]
    SqlSession(empty, "a").update(lambda found: found.add_assistant("on"))
    assert ids(SqlSession.sessions(empty, label="x")) == ["a", "c", "b"]
    assert ids(SqlSession.sessions(empty)) == ["a", "c", "b"]


def test_every_way_of_listing_uses_an_index(tmp_path: Path) -> None:
    """In SQLite: PostgreSQL reads a small table whole."""
    sqlalchemy = pytest.importorskip("sqlalchemy")
    engine = sqlalchemy.create_engine(f"sqlite:///{tmp_path}/sessions.db")
    SqlSession(engine, "a").append(said("hi"))
    asked: list[tuple[str, Any]] = []
    sqlalchemy.event.listen(engine, "before_cursor_execute", lambda *each: asked.append(each[2:4]))
    for owner in (None, "a"):
        for label in (None, "x"):
            for after in (None, "1.0 1"):
                SqlSession.sessions(engine, owner=owner, label=label, after=after, limit=5)
    lists = [each for each in asked if each[0].startswith("SELECT message_history_sessions.number")]
    assert len(lists) == 8
    with engine.connect() as connection:
        for statement, values in lists:
            plan = str(connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values).all())
            assert "USING INDEX" in plan or "USING COVERING INDEX" in plan
            assert "TEMP B-TREE" not in plan
    engine.dispose()


def test_texts_are_found(empty: str) -> None:
    first, second = SqlSession(empty, "1"), SqlSession(empty, "2")
    first.describe(owner="a", title="Travels")
    first.append(said("How is Oslo in spring?").add_assistant("It's rainy in Oslo."))
    second.append(said("oslo " * 3 + "\0 \x1f end").add_assistant([ToolUseBlock("1", "weather", {"city": "hidden"})]))
    second.append(second.load().add_tool_result("1", "a hidden result").add_user('and NO "quotes" AND more'))

    def places(text: str, **more: Any) -> list[tuple[str, int | None]]:
        return [(each.session, each.position) for each in SqlSession.search(empty, text, **more)]

    assert places("oslo") == [("2", 0), ("1", 1), ("1", 0)]
    assert places("SPRING oslo") == [("1", 0)]
    assert places("it's") == [("1", 1)]
    assert places("travels") == [("1", None)]
    assert places("hidden") == []
    assert places('NO "quotes" AND (more)') == [("2", 2)]
    assert places("oslo", owner="a") == [("1", 1), ("1", 0)]
    assert places("oslo", owner="") == [("2", 0)]
    assert places("oslo", owner="o'") == []
    page = SqlSession.search(empty, "oslo", limit=1)
    assert page[0].text.startswith("oslo oslo oslo")
    assert places("oslo", after=page[0].cursor) == [("1", 1), ("1", 0)]
    first.describe(owner="b", title="Trips")
    assert places("oslo", owner="a") == places("travels") == []
    assert places("trips", owner="b") == [("1", None)]
    for wrong in ("", " \n"):
        with pytest.raises(ValueError, match="text must contain a word"):
            SqlSession.search(empty, wrong)


def test_what_is_found_is_what_counts(empty: str) -> None:
    session = SqlSession(empty, "1")
    session.append(said("alpha"))
    session.append(session.load().add_user("beta"))
    session.append(session.load().add_assistant("gamma").add_user("delta"))
    SqlSession(empty, "1").update(lambda found: found.add_user("epsilon"))

    def found(text: str) -> list[int | None]:
        return [each.position for each in SqlSession.search(empty, text)]

    assert [found(each) for each in ("alpha", "beta", "gamma", "delta", "epsilon")] == [[0], [0], [1], [2], [2]]
    session.load(turns=1)
    session.save(session.load(turns=1).rewind(1).add_user("zeta"))
    assert [found(each) for each in ("delta", "epsilon", "zeta")] == [[], [], [2]]
    session.load()
    session.save(MessageHistory())
    assert [found(each) for each in ("alpha", "gamma", "zeta")] == [[], [], []]
    session.save(said("eta"))
    session.fork("2")
    assert [each.session for each in SqlSession.search(empty, "eta")] == ["2", "1"]


def test_a_text_of_a_megabyte_is_saved_and_its_beginning_found(empty: str) -> None:
    words = " ".join(f"w{number}" for number in range(200_000))
    SqlSession(empty, "1").append(said(words))
    assert SqlSession(empty, "1").load() == said(words)
    assert len(SqlSession.search(empty, "w77")) == 1
    assert SqlSession.search(empty, "w199999") == []


def test_a_fork_is_its_owners_too(empty: str) -> None:
    session = SqlSession(empty, "1")
    session.describe(owner="a", title="T", labels=["x"])
    session.append(said("hi"))
    fork = session.fork("2").info()
    assert (fork.owner, fork.title, fork.labels) == ("a", "T", ("x",))
    assert ids(SqlSession.sessions(empty, owner="a", label="x")) == ["2", "1"]
    assert [each.session for each in SqlSession.search(empty, "hi", owner="a")] == ["2", "1"]


def test_sessions_that_are_old_are_deleted(empty: str) -> None:
    for number in range(6):
        SqlSession(empty, f"s{number}").append(said(f"{SECRET} {number}"))
    day = datetime(2020, 1, 1, tzinfo=UTC)
    for number in range(3):
        SqlSession(empty, f"s{number}").describe(updated=day + timedelta(days=number))
    assert SqlSession.prune(empty, older_than=day) == 0
    assert SqlSession.prune(empty, older_than=day + timedelta(days=1)) == 1
    assert SqlSession.prune(empty, older_than=timedelta(days=365)) == 2
    assert SqlSession.ids(empty) == ["s3", "s4", "s5"]
    for wrong in (timedelta(days=-1), time.time() + 1_000):
        with pytest.raises(ValueError, match="older_than must be"):
            SqlSession.prune(empty, older_than=wrong)
    assert len(SqlSession.search(empty, SECRET)) == 3


def test_all_that_is_an_owners_is_exported_and_deleted(empty: str, tmp_path: Path) -> None:
    histories = [of_length(length) for length in (3, 8)]
    for number, history in enumerate(histories):
        session = SqlSession(empty, f"s{number}")
        session.describe(owner="a", title=f"T{number}", labels=["x"])
        session.append(history)
    SqlSession(empty, "empty").describe(owner="a")
    SqlSession(empty, "other").append(said("hi"))
    target = tmp_path / "a.jsonl"
    assert SqlSession.export_owner(empty, "a", target) == 3
    rows = [json.loads(line) for line in target.read_text().splitlines()]
    assert [(row["session"], row["title"], row["labels"]) for row in rows] == [
        ("s0", "T0", ["x"]), ("s1", "T1", ["x"]), ("empty", "", [])
    ]  # fmt: skip
    assert [each.history() for each in from_file(target)][:2] == histories
    assert os.name == "nt" or target.stat().st_mode & 0o077 == 0
    assert SqlSession.export_owner(empty, "nobody", tmp_path / "b.jsonl") == 0
    with pytest.raises(SessionError, match="No such file"):
        SqlSession.export_owner(empty, "a", tmp_path / "missing" / "a.jsonl")
    assert SqlSession.delete_owner(empty, "a") == 3
    assert SqlSession.ids(empty) == ["other"]
    assert SqlSession.delete_owner(empty, "a") == 0
    with pytest.raises(ValueError, match="owner must be"):
        SqlSession.delete_owner(empty, "")
    with pytest.raises(ValueError, match="owner must be"):
        SqlSession.export_owner(empty, "", target)


def full_of(name: str, database: str, secret: str) -> SqlSession:
    """Make a session that has a text in every place there is."""
    session = SqlSession(database, f"{name} {secret}")
    session.describe(owner=secret, title=f"about {secret}", labels=[secret])
    history = MessageHistory().with_system(secret).add_user([f"say {secret}", " "])
    session.append(history)
    call = ToolUseBlock("1", secret, {"a": secret})
    session.append(history.add_assistant([f"I say {secret}", call]))
    session.claim("1", worker=secret, until=timedelta(hours=1))
    session.append(session.load().add_tool_result("1", secret * 200).add_assistant(secret * 50))
    with session.turn(secret, until=timedelta(hours=1)):
        session.append(session.load().add_user(secret))
    session._hold(secret, "lapsed", timedelta(hours=1))
    session.save(session.load().add_assistant(ToolUseBlock("2", secret, {})).record_call("2", "waiting", by=secret))
    return session


def test_of_a_deleted_session_nothing_is_left(empty: str) -> None:
    for how in ("delete", "owner", "prune"):
        for number in range(3):
            SqlSession(empty, f"{how} {number}").append(of_length(20))
        session = full_of(how, empty, SECRET)
        assert len(in_all_tables(empty, SECRET)) >= 5
        if how == "delete":
            session.delete()
        elif how == "owner":
            SqlSession.delete_owner(empty, SECRET)
        else:
            session.describe(updated=1.0)
            SqlSession.prune(empty, older_than=2.0)
        assert in_all_tables(empty, SECRET) == []
        assert len(SqlSession.ids(empty)) == 3 * (("delete", "owner", "prune").index(how) + 1)


@pytest.mark.parametrize("seed", range(6))
def test_no_byte_of_a_deleted_session_is_left_in_a_sqlite_file(seed: int, tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    from sqlalchemy import create_engine, event  # noqa: PLC0415 - may not be installed

    chance = random.Random(seed)
    database: Any = create_engine(f"sqlite:///{tmp_path}/chats.db")
    # As SQLite does where nobody has built it otherwise.
    event.listen(database, "connect", lambda made, _: made.execute("PRAGMA secure_delete = OFF"))
    for step in range(60):
        name = f"s{chance.randrange(8)}"
        session = SqlSession(database, name)
        text = f"{SECRET if name < 's3' else 'other'} w{step} " * chance.choice([1, 20, 400])
        session.append(session.load().add_user(text).add_assistant(f"ok {text}"))
    full_of("full", database, SECRET)
    with SqlSession(database, "held").turn("reader", until=timedelta(hours=1)):
        assert in_files(tmp_path, SECRET)
    for name in ("s0", "s1"):
        SqlSession(database, name).delete(scrub=False)
    SqlSession(database, "s2").delete(scrub=False)
    SqlSession.delete_owner(database, SECRET)
    assert in_files(tmp_path, SECRET) == []
    assert len(SqlSession.search(database, "other", limit=None)) > 5
    assert SqlSession.search(database, SECRET) == []
    database.dispose()


def test_rewriting_all_that_a_session_keeps_leaves_nothing_else(empty: str, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    for session in (SqlSession(empty, "1"), JsonlSession(path)):
        session.describe(owner="a")
        session.append(said(SECRET))
        session.append(session.load().add_user(f"more {SECRET}").add_assistant("ok"))
        session.save(said(f"other {SECRET}"))
        forget(session, lambda _: said("[redacted]"))
        assert session.load() == said("[redacted]")
        session.append(session.load().add_assistant("on"))
        assert session.load() == said("[redacted]").add_assistant("on")
        assert session.info().owner == "a"
    assert in_all_tables(empty, SECRET) == []
    assert in_files(tmp_path, SECRET) == []
    assert [each.position for each in SqlSession.search(empty, "redacted")] == [0]
    if empty.startswith("sqlite"):
        late = SqlSession(empty, "1")
        late.load()
        SqlSession(empty, "1").update(lambda found: found.add_user("new"))
        with pytest.raises(SessionConflictError):
            forget(late, lambda _: said("x"))


def test_an_awaited_store_lists_and_deletes_too(empty: str, tmp_path: Path) -> None:
    pytest.importorskip("aiosqlite")

    async def use() -> None:
        session = AsyncSqlSession(empty, "1")
        await session.describe(owner="a", title="T", labels=["x"])
        await session.append(said(SECRET))
        assert (await session.info()).title == "T"
        assert ids(await AsyncSqlSession.sessions(empty, owner="a", label="x")) == ["1"]
        assert [each.text for each in await AsyncSqlSession.search(empty, SECRET)] == [SECRET]
        assert await AsyncSqlSession.export_owner(empty, "a", tmp_path / "a.jsonl") == 1
        assert await session.drop_old_rows() == 0
        assert await AsyncSqlSession.delete_owner(empty, "a") == 1
        await session.load()
        await session.append(said(SECRET))
        assert await session.delete(scrub=False)
        await AsyncSqlSession.scrub(empty)
        assert await AsyncSqlSession.prune(empty, older_than=timedelta(days=1)) == 0

    asyncio.run(use())
    assert in_all_tables(empty, SECRET) == []


def test_a_folder_lists_its_sessions_by_their_headers(tmp_path: Path) -> None:
    for number, (owner, labels) in enumerate([("a", ["x"]), ("b", []), ("a", [])]):
        session = JsonlSession(tmp_path / f"s{number}.jsonl", clock=lambda: 7.0)
        session.describe(owner=owner, labels=labels, title=f"T{number}")
        session.append(session.load().add_user("hi"))
        os.utime(session.path, (number, number))
    JsonlSession(tmp_path / "plain.jsonl").append(said("hi"))
    os.utime(tmp_path / "plain.jsonl", (9, 9))
    (tmp_path / "foreign.jsonl").write_text('{"role": "user"}\n{"a": 1}\n')
    (tmp_path / "broken.jsonl").write_bytes(b"\xff\0")
    found = JsonlSession.sessions(tmp_path)
    assert [(each.session, each.owner, each.title, each.labels, each.created, each.updated) for each in found] == [
        (str(tmp_path / "plain.jsonl"), "", "", (), None, 9.0),
        (str(tmp_path / "s2.jsonl"), "a", "T2", (), 7.0, 2.0),
        (str(tmp_path / "s1.jsonl"), "b", "T1", (), 7.0, 1.0),
        (str(tmp_path / "s0.jsonl"), "a", "T0", ("x",), 7.0, 0.0),
    ]
    assert JsonlSession.sessions(tmp_path, after=found[0].cursor, limit=2) == found[1:3]
    assert JsonlSession.sessions(tmp_path, owner="a", limit=1) == found[1:2]
    assert JsonlSession.sessions(tmp_path, label="x") == found[3:]
    assert JsonlSession.sessions(tmp_path, limit=0) == []
    with pytest.raises(ValueError, match="after must be the `cursor`"):
        JsonlSession.sessions(tmp_path, after="x")


def test_what_a_header_says_survives_all_that_is_done_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    session = JsonlSession(path)
    session.describe(owner="a", title="T")
    session.append(session.load().add_user("hi").add_assistant("yes"))
    session.append(session.load().with_system("Be brief.").add_user("more"))
    session.save(said("anew"))
    path.write_bytes(path.read_bytes() + b'{"at": 1, "ro')
    assert session.load() == said("anew")
    found = from_file(path)[0]
    assert found.history() == said("anew")
    assert (session.info().owner, session.info().title) == ("a", "T")
    other = JsonlSession(path)
    other.load()
    session.describe(title="U")
    with pytest.raises(SessionConflictError):
        other.append(said("anew").add_assistant("late"))
    other.update(lambda loaded: loaded.add_assistant("late"))
    assert JsonlSession(path).info().title == "U"


def test_a_deleted_file_leaves_nothing_in_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    session = JsonlSession(path)
    assert not session.delete()
    session.describe(owner=SECRET)
    session.append(said(SECRET).add_assistant(ToolUseBlock("1", "pay", {})))
    session.claim("1", worker=SECRET, until=timedelta(hours=1))
    for text in ("one", "two", "three"):
        session.save(said(f"{SECRET} {text}"))
    session._hold(SECRET, "lapsed", timedelta(hours=1))
    (tmp_path / ".chat.jsonl.new").write_text(SECRET)
    (tmp_path / "chat.jsonl.bakery").write_text("another's")
    (tmp_path / "link.jsonl").symlink_to(path)
    assert len(in_files(tmp_path, SECRET)) > 4
    assert JsonlSession(tmp_path / "link.jsonl").delete()
    assert [each.name for each in tmp_path.iterdir()] == ["chat.jsonl.bakery"]
    with pytest.raises(SessionConflictError):
        session.append(said("late"))
    session.load()
    session.append(said("new"))
    assert JsonlSession(path).load() == said("new")


def test_a_file_that_is_no_session_is_not_deleted(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text('{"name": "a"}\n')
    with pytest.raises(SessionError, match="it holds no session of this library"):
        JsonlSession(path).delete()
    assert path.exists()


def test_a_lock_that_was_deleted_is_not_held(tmp_path: Path) -> None:
    from message_history.storage.sessions.locking import lock_file, locked, remove_lock  # noqa: PLC0415 - filelock

    pytest.importorskip("filelock")
    import filelock  # noqa: PLC0415 - as above

    path = tmp_path / "chat.jsonl"
    times = 0
    acquire = filelock.FileLock.acquire

    def late(self: Any, *args: Any, **more: Any) -> Any:
        """Get a lock that somebody deletes before it is looked at."""
        nonlocal times
        times += 1
        got = acquire(self, *args, **more)
        if times == 1:
            lock_file(path).unlink()
        return got

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(filelock.FileLock, "acquire", late)
        with locked(path, 1.0):
            assert lock_file(path).exists()
    assert times == 2
    remove_lock(path)
    assert list(tmp_path.iterdir()) == []
