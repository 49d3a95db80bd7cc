"""`forget`: sessions in files and databases, a receipt that does not say it, and refusals that say what to do."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from message_history.cli.app import app
from message_history.history import MessageHistory
from message_history.storage import JsonlSession, SqlSession
from tests.cli.test_json_reports import report_of

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "PLANTED7QX"


def run(*arguments: object, given: str | None = None) -> Result:
    return CliRunner().invoke(app, ["forget", *map(str, arguments)], input=given)


@pytest.fixture
def session(tmp_path: Path) -> JsonlSession:
    pytest.importorskip("filelock")
    session = JsonlSession(tmp_path / "a.jsonl")
    session.append(MessageHistory().add_user(f"one {SECRET}").add_assistant("yes"))
    session.save(MessageHistory().add_user(f"two {SECRET}").add_assistant("no"))
    return session


def bytes_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_nothing_in_a_folder_says_it(session: JsonlSession) -> None:
    folder = session.path.parent
    assert bytes_in(folder).count(SECRET.encode()) == 2
    result = run(session.path, "--find", SECRET, "--replace", "[gone]")
    assert result.exit_code == 0, result.output
    assert SECRET.encode() not in bytes_in(folder)
    assert "a.jsonl: forgotten in 1 place, in 1 message\n" in result.stdout
    assert f"  deleted: {session.path}.bak" in result.stdout
    assert "  outside: exports, logs," in result.stdout
    assert JsonlSession(session.path).load()[0].text == "two [gone]"


def test_what_is_read_from_the_standard_input_is_nowhere_in_the_output(session: JsonlSession) -> None:
    for arguments in ((), ("--json",)):
        result = run(session.path, "--find", "-", *arguments, given=f"{SECRET}\n")
        assert result.exit_code == 0
        assert SECRET not in result.output
    assert SECRET.encode() not in bytes_in(session.path.parent)


def test_the_report_is_of_the_schema(session: JsonlSession) -> None:
    report = report_of(run(session.path, session.path.with_name("none"), "--pattern", r"PLANTED\w+", "--json").stdout)
    assert report["exit_code"] == 2
    assert [(each["places"], each["changed"]) for each in report["forgotten"]] == [(1, [0])]
    assert report["forgotten"][0]["session"] == report["forgotten"][0]["path"] == str(session.path)
    assert "No such file" in report["files"][0]["errors"][0]


def test_names_that_hold_it_are_not_printed(tmp_path: Path) -> None:
    pytest.importorskip("filelock")
    path = tmp_path / f"{SECRET}.jsonl"
    JsonlSession(path).append(MessageHistory().add_user(SECRET))
    assert SECRET not in run(path, path.with_name(f"{SECRET}.none"), "--find", SECRET).output


def test_all_sessions_of_a_database_and_its_files(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    path = tmp_path / "chats.db"
    for name in ("a", "b", "c"):
        one = SqlSession(path, name)
        one.append(MessageHistory().add_user(f"{SECRET} of {name}"))
        one.save(MessageHistory().add_user(f"another of {name}" if name == "b" else f"{SECRET} again"))
    result = run(path, "--find", SECRET, "--session", "a")
    assert "a: forgotten in 1 place, in 1 message\n" in result.stdout
    assert SqlSession(path, "c").load()[0].text == f"{SECRET} again"
    assert run(path, "--find", SECRET, "--session", "none").exit_code == 2
    result = run(f"sqlite:///{path}", "--find", SECRET)
    assert result.exit_code == 0, result.output
    assert result.stdout.count("forgotten in") == 3
    assert result.stdout.count("  looked through: the files of the database") == 1
    assert SECRET.encode() not in bytes_in(tmp_path)
    assert SqlSession(path, "b").load()[0].text == "another of b"


def test_a_password_is_not_printed() -> None:
    result = run("mysql://ann:PLANTED7QX@host/chats", "postgresql://ann:PLANTED7QX@[/chats", "--find", "x")
    assert result.exit_code == 2
    assert SECRET not in result.output


def test_files_of_others_stay_as_they_are(tmp_path: Path) -> None:
    pytest.importorskip("filelock")
    pytest.importorskip("sqlalchemy")
    foreign = tmp_path / "chat.jsonl"
    foreign.write_text(json.dumps({"role": "user", "content": SECRET}) + "\n")
    with closing(sqlite3.connect(tmp_path / "other.db", isolation_level=None)) as database:
        database.execute("create table messages (body)")
        database.execute("insert into messages values (?)", (SECRET,))
    before = bytes_in(tmp_path)
    result = run(foreign, tmp_path / "other.db", tmp_path, f"sqlite:///{tmp_path}/none.db", "--find", SECRET)
    assert result.exit_code == 2
    assert result.stderr.count("no session of this library, and nothing was changed; read it with") == 3
    assert "Is a directory" in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["chat.jsonl", "other.db"]
    assert bytes_in(tmp_path) == before


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "say what is to be forgotten"),
        (("--find", ""), "an empty text"),
        (("--pattern", "x*"), "an empty text"),
        (("--pattern", "("), "--pattern: missing ), unterminated subpattern at position 0"),
        (("--find", SECRET, "--replace", f"not {SECRET}"), "what --replace puts in its place"),
        (("--find", "red"), "the word 'redacted'"),
    ],
)
def test_wrong_usage_says_what_to_do(session: JsonlSession, arguments: tuple[str, ...], problem: str) -> None:
    before = bytes_in(session.path.parent)
    result = run(session.path, *arguments)
    assert result.exit_code == 2
    assert problem in " ".join(result.stderr.replace("│", " ").split())
    assert SECRET not in result.output
    assert bytes_in(session.path.parent) == before
