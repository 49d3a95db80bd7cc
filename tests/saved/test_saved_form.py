"""The saved form of version 0.2 does not change: its files are read, give equal histories, and are written the same."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from message_history import MessageHistory
from message_history.integrations.state import SAVED, load, save
from message_history.storage import JsonlSession, SqlSession
from tests.saved.conversations import (
    BUILT,
    FOLDER,
    as_text,
    own_tables,
    saved_lines,
    saved_list,
    saved_rows,
    state,
    stored,
)

if TYPE_CHECKING:
    from pathlib import Path


def frozen(name: str) -> str:
    return (FOLDER / name).read_bytes().decode()


def check_same(loaded: MessageHistory, built: MessageHistory) -> None:
    assert loaded == built
    assert loaded.calls == built.calls
    assert loaded.awaiting == built.awaiting
    assert [call.key for call in loaded.awaiting] == [call.key for call in built.awaiting]
    assert loaded.usage() == built.usage()
    for message, other in zip(loaded, built, strict=True):
        assert (message.arrivals, message.replies) == (other.arrivals, other.replies)


def test_each_file_is_of_a_conversation() -> None:
    others = {"state.json", "session.jsonl", "session.sql"}
    assert {path.name for path in FOLDER.iterdir()} == {f"{name}.json" for name in BUILT} | others


@pytest.mark.parametrize("name", BUILT)
def test_a_saved_list_is_read_and_written_as_version_0_2_wrote_it(name: str) -> None:
    saved = json.loads(frozen(f"{name}.json"))
    loaded = MessageHistory.from_list(saved["messages"])
    assert loaded.repairs == ()
    check_same(loaded, BUILT[name]())
    assert [each.key for each in loaded.calls] == saved["keys"]
    assert as_text({"messages": loaded.to_list(), "keys": saved["keys"]}) == frozen(f"{name}.json")
    assert saved_list(name) == frozen(f"{name}.json")


def test_a_saved_state_is_read_and_written_as_version_0_2_wrote_it() -> None:
    loaded = load({SAVED: frozen("state.json")})
    check_same(loaded, state())
    assert (loaded.repairs, loaded.policy) == (state().repairs, state().policy)
    for history in (loaded, state()):
        assert as_text(json.loads(save(history)[SAVED])) == frozen("state.json")


def test_a_session_in_a_file_is_read_and_written_as_version_0_2_wrote_it(tmp_path: Path) -> None:
    assert saved_lines(tmp_path) == frozen("session.jsonl")
    path = tmp_path / "b.jsonl"
    path.write_bytes((FOLDER / "session.jsonl").read_bytes())
    session = JsonlSession(path)
    loaded, built = session.load(), stored()[-1]
    assert session.report.clean
    check_same(loaded, built)
    assert loaded.repairs == built.repairs
    session.append(loaded)
    assert path.read_bytes() == (FOLDER / "session.jsonl").read_bytes()


def test_a_session_in_a_database_is_read_and_written_as_version_0_2_wrote_it(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    with closing(sqlite3.connect(tmp_path / "b.db")) as database:
        database.executescript(frozen("session.sql"))
    loaded, built = SqlSession(tmp_path / "b.db", "alice").load(), stored()[-1]
    check_same(loaded, built)
    assert loaded.repairs == built.repairs
    newest = SqlSession(tmp_path / "b.db", "alice").load(turns=1)
    assert [each.key for each in newest.calls] == [each.key for each in built.calls][-len(newest.calls) :]
    with closing(sqlite3.connect(":memory:")) as written, closing(sqlite3.connect(tmp_path / "b.db")) as there:
        written.executescript(saved_rows(tmp_path))
        for table in own_tables(there):
            rows = f'SELECT * FROM "{table}"'
            assert written.execute(rows).fetchall() == there.execute(rows).fetchall()
