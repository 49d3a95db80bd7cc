"""What is written is open to nobody who could not read its source, and a line that comes meanwhile is found."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.needs import needs_pages, needs_processes
from tests.sessions.foreign import claude_lines, rows
from tests.sessions.growing import of_length

from message_history import MessageHistory
from message_history.cli.app import app
from message_history.files import disk
from message_history.formats import examining
from message_history.formats.examining import brought_in, examine, repair_in_place
from message_history.formats.reading import read_session
from message_history.storage import JsonlSession

pytestmark = pytest.mark.skipif(not hasattr(os, "link"), reason="links and modes are those of POSIX")
CALL = {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}]}
BROKEN = [{"role": "user", "content": "q"}, CALL]
as_root = pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="gives files away")


def run(*arguments: object, input: str | None = None) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=input)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def broken(folder: Path, mode: int) -> Path:
    path = folder / "a.json"
    path.write_text(json.dumps(BROKEN))
    path.chmod(mode)
    return path


def written(folder: Path, path: Path, command: str) -> Path:
    """Run a command that writes what a file holds, and return what it wrote."""
    out = folder / "out.json"
    if command.startswith("doctor"):
        run("doctor", path, *command.split()[1:])
        return path if "--in-place" in command else folder / "a.repaired.json"
    option = "--html" if command == "show" else "-o"
    run(command, path, option, out, "--force", *(["--to", "openai_chat"] if command == "convert" else []))
    return out


SHOW = pytest.param("show", marks=needs_pages)
WRITERS = ["doctor --fix", "doctor --fix --in-place", "repair", "convert", SHOW]


@pytest.mark.parametrize("command", WRITERS)
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_what_is_written_has_the_mode_of_its_source(tmp_path: Path, command: str, mode: int) -> None:
    path = broken(tmp_path, mode)
    assert mode_of(written(tmp_path, path, command)) == mode
    assert all(mode_of(each) == mode for each in tmp_path.iterdir())


@pytest.mark.parametrize("command", ["doctor --fix --force", "repair", "convert", SHOW])
def test_what_is_overwritten_stays_as_closed_as_it_was(tmp_path: Path, command: str) -> None:
    path = broken(tmp_path, 0o644)
    for name in ("out.json", "a.repaired.json"):
        (tmp_path / name).write_text("old")
        (tmp_path / name).chmod(0o640)
    assert mode_of(written(tmp_path, path, command)) == 0o640
    path.chmod(0o600)
    assert mode_of(written(tmp_path, path, command)) == 0o600


@pytest.mark.parametrize("command", ["repair", "convert --to openai_chat", SHOW])
def test_what_has_no_source_is_its_owners_alone(tmp_path: Path, command: str) -> None:
    name, *options = command.split()
    out = tmp_path / "out"
    run(name, "-", "--html" if name == "show" else "-o", out, *options, input=json.dumps(BROKEN))
    assert mode_of(out) == 0o600


def test_a_new_session_is_its_owners_alone_and_keeps_the_mode_that_somebody_gives_it(tmp_path: Path) -> None:
    session = JsonlSession(tmp_path / "s.jsonl", fsync="never")
    history = MessageHistory().add_user("q")
    session.save(history)
    assert mode_of(session.path) == 0o600
    session.path.chmod(0o664)
    session.append(history.with_system("Be brief.").add_assistant("a"))
    assert mode_of(session.path) == 0o664


@as_root
@pytest.mark.parametrize("command", WRITERS)
def test_root_leaves_files_to_their_owner(tmp_path: Path, command: str) -> None:
    path = broken(tmp_path, 0o640)
    os.chown(path, 12345, 23456)
    written(tmp_path, path, command)
    assert {(each.stat().st_uid, each.stat().st_gid) for each in tmp_path.iterdir()} == {(12345, 23456)}


@as_root
def test_root_shows_nothing_to_the_owner_of_what_it_overwrites(tmp_path: Path) -> None:
    path = broken(tmp_path, 0o660)
    (tmp_path / "out.json").write_text("old")
    (tmp_path / "out.json").chmod(0o666)
    os.chown(tmp_path / "out.json", 12345, 23456)
    out = written(tmp_path, path, "repair")
    assert (out.stat().st_uid, mode_of(out)) == (os.getuid(), 0o600)


def test_a_group_that_cannot_be_kept_leaves_no_rights_to_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = broken(tmp_path, 0o664)
    looked = os.fstat

    def of_another_group(descriptor: int) -> os.stat_result:
        found = looked(descriptor)
        return os.stat_result((*found[:5], found.st_gid + 1, *found[6:]))

    monkeypatch.setattr(os, "fstat", of_another_group)
    disk.replace(path, [b"[]"], sync=False)
    assert mode_of(path) == 0o604


def test_extended_attributes_are_kept(tmp_path: Path) -> None:
    path = broken(tmp_path, 0o600)
    try:
        os.setxattr(path, "user.kept", b"1")
    except (AttributeError, OSError):
        pytest.skip("this file system has no extended attributes")
    run("doctor", path, "--fix", "--in-place")
    assert {os.getxattr(each, "user.kept") for each in tmp_path.iterdir()} == {b"1"}
    assert len(list(tmp_path.iterdir())) == 2


def test_other_names_of_a_file_keep_what_was_in_it_and_are_told(tmp_path: Path) -> None:
    path = broken(tmp_path, 0o600)
    os.link(path, tmp_path / "snapshot")
    before = path.read_bytes()
    result = run("doctor", path, "--fix", "--in-place")
    assert (tmp_path / "snapshot").read_bytes() == before != path.read_bytes()
    assert "1 other name of it (hard links) still lead to what it was" in result.output


def test_a_backup_is_the_old_file_itself(tmp_path: Path) -> None:
    path = broken(tmp_path, 0o600)
    number, before = path.stat().st_ino, path.read_bytes()
    run("doctor", path, "--fix", "--in-place")
    backup = tmp_path / "a.json.bak"
    assert (backup.stat().st_ino, backup.read_bytes()) == (number, before)
    assert path.stat().st_ino != number


def test_a_backup_that_is_there_is_taken_and_becomes_the_old_file(tmp_path: Path) -> None:
    path = broken(tmp_path, 0o600)
    backup = tmp_path / "a.json.bak"
    backup.write_bytes(path.read_bytes())
    disk.back_up(path)
    assert backup.samefile(path)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.json", "a.json.bak"]


WRITER = """
import sys
with open(sys.argv[1], "ab", buffering=0) as opened:
    print("open", flush=True)
    for line in sys.stdin:
        opened.write(line.encode())
        print("written", flush=True)
"""


class Writer:
    """Another process that has a file open, and writes a line when it is told to."""

    def __init__(self, path: Path) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([sys.executable, "-c", WRITER, path], stdin=pipe, stdout=pipe, text=True)
        self._waits_for("open")

    def write(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line.decode())
        self.process.stdin.flush()
        self._waits_for("written")

    def _waits_for(self, word: str) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == f"{word}\n"

    def end(self) -> None:
        self.process.communicate()


MESSAGE = {"role": "user", "content": "a late line"}
LATE = rows([{"type": "user", "uuid": "late", "parentUuid": None, "message": MESSAGE}])


@pytest.fixture
def claude(tmp_path: Path) -> Path:
    path = tmp_path / "claude.jsonl"
    path.write_bytes(rows(claude_lines(of_length(10))[:-2]))
    return path


@needs_processes
@pytest.mark.parametrize("moment", ["before the backup", "after the look", "before the name changes", "after it"])
def test_a_line_of_a_program_that_has_the_file_open_is_never_lost(
    claude: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    writer = Writer(claude)
    before = claude.read_bytes()
    looked, replaced = disk.stamp_of, Path.replace
    written: list[bytes] = []

    def write_once() -> None:
        if not written:
            written.append(LATE)
            writer.write(LATE)

    def stamp(path: Path) -> disk.Stamp | None:
        found = looked(path)
        if moment == "after the look" and path == claude and (claude.parent / "claude.jsonl.bak").exists():
            write_once()
        return found

    def rename(path: Path, target: Path) -> Path:
        if moment == ("before the backup" if target.suffix == ".bak" else "before the name changes"):
            write_once()
        result = replaced(path, target)
        if moment == "after it" and target == claude:
            write_once()
        return result

    monkeypatch.setattr(examining, "stamp_of", stamp)
    monkeypatch.setattr(Path, "replace", rename)
    result = run("doctor", claude, "--fix", "--in-place")
    writer.end()
    assert written
    if moment == "before the backup":
        assert "somebody has written to it just now; nothing was changed" in result.output
        assert (claude.read_bytes(), len(list(claude.parent.iterdir()))) == (before + LATE, 1)
        return
    assert "another program wrote to it while it was repaired" in result.output.replace("\n", " ")
    assert b"a late line" in claude.read_bytes()
    assert claude.with_name("claude.jsonl.bak").read_bytes() == before + LATE
    assert result.exit_code == 0
    assert not read_session(claude).violations()


@needs_processes
def test_a_line_that_can_not_be_brought_in_is_told(claude: Path) -> None:
    writer = Writer(claude)
    repaired = repair_in_place(examine(claude))
    writer.write(LATE)
    writer.end()
    claude.write_bytes(claude.read_bytes() + LATE)
    after = brought_in(repaired)
    assert after.late.endswith("and is not in it: stop that program and bring it in by hand")
    assert str(repaired.backup) in after.late
    assert brought_in(after) == after


def test_where_files_have_no_links_a_backup_is_a_copy(claude: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse, raising=False)
    before = claude.read_bytes()
    result = run("doctor", claude, "--fix", "--in-place")
    assert (result.exit_code, "another program" in result.output) == (0, False)
    assert claude.with_name("claude.jsonl.bak").read_bytes() == before
