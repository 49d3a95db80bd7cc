"""What is opened to be read is a regular file: nothing waits for a pipe, or reads a device to its end."""

from __future__ import annotations

import json
import os
import signal
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from tests.needs import needs_named_pipes, needs_plugins
from tests.sessions.foreign import claude_lines, rows
from tests.sessions.growing import of_length

from message_history import from_file
from message_history.cli.app import app
from message_history.files import disk
from message_history.files.files import UnreadableFileError, read_file
from message_history.files.opening import NotAFileError, content, opened
from message_history.formats.examining import examine
from message_history.formats.reading import read_session
from message_history.storage import JsonlSession, SessionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = needs_named_pipes
KINDS = {"pipe": "a pipe", "socket": "a socket", "device": "a device", "folder": "a folder"}


@pytest.fixture(autouse=True)
def _soon() -> Iterator[None]:
    """Fail a test that waits."""

    def late(*_: object) -> None:
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def no_file(folder: Path, kind: str, name: str) -> Path:
    """Make what is not a file; of a device there is a link, for few may make one."""
    path = folder / name
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        # The name of a socket may have some hundred characters.
        here = Path.cwd()
        os.chdir(folder)
        try:
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(name)
        finally:
            os.chdir(here)
    return path


READERS: dict[str, Callable[[Path], Any]] = {
    "read_file": read_file,
    "from_file": from_file,
    "read_session": read_session,
    "JsonlSession": lambda path: JsonlSession(path).load(),
    "lines_of": lambda path: disk.lines_of(path, 10),
    "back_up": disk.back_up,
    "append": lambda path: disk.append(path, b"x\n", sync=False),
    "replace": lambda path: disk.replace(path, [b"x\n"], sync=False),
    "content": lambda path: content(path, 1),
    "opened": opened,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reader", READERS)
def test_every_reader_refuses_what_is_no_file(tmp_path: Path, kind: str, reader: str) -> None:
    path = no_file(tmp_path, kind, "x.jsonl")
    with pytest.raises((OSError, UnreadableFileError, SessionError)) as raised:
        READERS[reader](path)
    assert kind == "folder" or f"this is {KINDS[kind]}, not a regular file: save what it holds" in str(raised.value)
    told = f"{raised.value} {getattr(raised.value, '__notes__', '')}"
    assert reader == "read_file" or str(path) in told or "/dev/zero" in told
    assert [each.name for each in tmp_path.iterdir() if each.suffix != ".lock"] == ["x.jsonl"]


@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
@pytest.mark.parametrize("command", ["check", "repair", "show", "doctor", "doctor --fix", "explain 400", "convert"])
def test_every_command_refuses_it_in_one_line_that_names_it(tmp_path: Path, kind: str, command: str) -> None:
    path = no_file(tmp_path, kind, "x.jsonl")
    name, *options = command.split()
    result = CliRunner().invoke(app, [name, *options, str(path), *(["--to", "anthropic"] if name == "convert" else [])])
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        f"{path}: error: this is {KINDS[kind]}, not a regular file: save what it holds in a file, or pipe it to a "
        "command with `-`"
    ]
    assert [each.name for each in tmp_path.iterdir()] == ["x.jsonl"]


@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
@pytest.mark.parametrize("name", ["x.db", "x.json", "x.jsonl", "x.eval", ".aider.chat.history.md"])
def test_a_folder_with_one_in_it_is_searched_and_it_is_named(tmp_path: Path, kind: str, name: str) -> None:
    path = no_file(tmp_path, kind, name)
    result = CliRunner().invoke(app, ["doctor", str(tmp_path)])
    assert result.stderr.startswith(f"{path}: error: this is {KINDS[kind]}, not a regular file")
    assert (result.exit_code, result.stdout) == (2, "0 sessions: 1 file unreadable\n")


@pytest.mark.parametrize("kind", KINDS)
def test_what_stands_next_to_a_database_is_opened_like_it(tmp_path: Path, kind: str) -> None:
    (tmp_path / "x.db").write_bytes(b"SQLite format 3\0" + bytes(100))
    no_file(tmp_path, kind, "x.db-wal")
    assert examine(tmp_path / "x.db").problem is not None


@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
def test_a_file_of_a_session_folder_is_opened_like_a_session(tmp_path: Path, kind: str) -> None:
    (tmp_path / "message" / "s").mkdir(parents=True)
    (tmp_path / "part").mkdir()
    path = no_file(tmp_path / "message" / "s", kind, "m.json")
    found = examine(tmp_path)
    assert found.problem is not None
    assert found.problem.startswith(f"{path}: this is {KINDS[kind]}")


@needs_plugins
@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
def test_compile_rejects_it_and_goes_on(tmp_path: Path, kind: str) -> None:
    path, out = no_file(tmp_path, kind, "x.jsonl"), tmp_path / "out"
    (tmp_path / "a.jsonl").write_bytes(rows(claude_lines(of_length(4))))
    arguments = ["compile", str(tmp_path / "a.jsonl"), str(path), "--to", "openai_chat", "--out", str(out)]
    result = CliRunner().invoke(app, arguments)
    rejected = json.loads((out / "rejected.jsonl").read_text())
    assert f"this is {KINDS[kind]}" in rejected["reason"], result.output


@needs_plugins
@pytest.mark.parametrize("name", ["x.jsonl", "x.db", "x.jsonl.gz"])
def test_compile_names_what_it_did_not_open_in_a_folder(tmp_path: Path, name: str) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(rows(claude_lines(of_length(4))))
    path = no_file(folder, "pipe", name)
    result = CliRunner().invoke(app, ["compile", str(folder), "--to", "openai_chat", "--out", str(out)])
    rejected = json.loads((out / "rejected.jsonl").read_text())
    assert (rejected["source"], rejected["reason"].startswith("this is a pipe")) == (str(path), True), result.output


def test_what_takes_the_place_of_a_file_before_it_is_opened_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x")
    looked = os.stat(path)  # noqa: PTH116
    path.unlink()
    os.mkfifo(path)
    monkeypatch.setattr(os, "stat", lambda *_: looked)
    with pytest.raises(NotAFileError, match="this is a pipe"):
        opened(path)


def test_the_standard_input_may_be_a_pipe() -> None:
    asked = json.dumps([{"role": "user", "content": "q"}])
    assert CliRunner().invoke(app, ["check", "-"], input=asked).exit_code == 0
