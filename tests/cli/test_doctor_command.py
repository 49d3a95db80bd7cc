"""`doctor`: every session in a folder is checked, and repaired beside itself or in place."""

from __future__ import annotations

import gc
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from message_history.cli.app import app
from message_history.cli.report import JsonReport
from message_history.formats.reading import SessionFile, read_session
from message_history.storage import JsonlSession
from tests.needs import needs_named_pipes, needs_processes
from tests.sessions.foreign import claude_lines, codex_lines, rows
from tests.sessions.growing import of_length

CALL = {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}]}
BROKEN = [{"role": "user", "content": "q"}, CALL]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def doctor(*arguments: object) -> Result:
    return run("doctor", *arguments)


def held(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder with a broken session of each form, two sound ones, and files that are not a session."""
    folder = tmp_path / "sessions"
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "node_modules").mkdir()
    history = of_length(10)
    (folder / "claude.jsonl").write_bytes(rows(claude_lines(history)[:-2]))
    (folder / "codex.jsonl").write_bytes(rows([line for line in codex_lines(history) if "b0" not in str(line)]))
    (folder / "deep" / "list.json").write_text(json.dumps(BROKEN))
    (folder / "deep" / "er" / "log.jsonl").write_bytes(rows([{"messages": BROKEN}, {"messages": BROKEN[:1]}]))
    own = JsonlSession(folder / "own.jsonl", fsync="never")
    own.save(history)
    own.path.write_bytes(own.path.read_bytes()[:-10])
    Path(f"{own.path}.lock").unlink()
    (folder / "sound.json").write_text(json.dumps(BROKEN[:1]))
    (folder / "sound.jsonl").write_bytes(rows(claude_lines(history)))
    (folder / "package.json").write_text('{"name": "x", "contents": ["a"]}')
    (folder / "numbers.json").write_text("[1, 2]")
    (folder / "node_modules" / "x.json").write_text(json.dumps(BROKEN))
    (folder / "notes.txt").write_text("no session")
    return folder


BAD = {"claude.jsonl", "codex.jsonl", "deep/list.json", "deep/er/log.jsonl", "own.jsonl"}


def test_what_is_broken_is_listed_and_nothing_is_written(folder: Path) -> None:
    before = held(folder)
    result = doctor(folder)
    assert (result.exit_code, result.stderr) == (1, "")
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["state", "format", "messages", "wrong", "session"]
    listed = [line.split() for line in lines[1:-1] if line.startswith("broken")]
    assert {str(Path(row[-1]).relative_to(folder)) for row in listed} == BAD
    assert {row[1] for row in listed} == {"claude-code", "codex", "messages", "log", "message-history"}
    assert lines[-1] == "7 sessions: 2 sound, 5 broken, 2 other files"
    assert any("entry 1: AN-C1: no result right after: toolu_1" in line for line in lines)
    assert held(folder) == before


def test_the_first_place_where_something_is_wrong_is_named(tmp_path: Path) -> None:
    blank = {"role": "assistant", "content": [{"type": "text", "text": " "}]}
    (tmp_path / "a.json").write_text(json.dumps([*BROKEN, {"role": "user", "content": "r"}, blank, BROKEN[0]]))
    assert "entry 1: AN-C1: no result right after: toolu_1" in doctor(tmp_path).stdout


@pytest.mark.heavy
@needs_processes
def test_several_processes_find_what_one_does(folder: Path) -> None:
    one, several = doctor(folder, "--json"), doctor(folder, "--json", "--jobs", "2")
    assert (several.exit_code, several.stdout, several.stderr) == (one.exit_code, one.stdout, one.stderr)
    assert doctor(folder, "--jobs", "0").exit_code == 2
    assert "5 repaired" in doctor(folder, "--fix", "--jobs", "2").stdout


def test_sound_sessions_are_listed_when_asked(folder: Path) -> None:
    for name in BAD:
        (folder / name).unlink()
    result = doctor(folder)
    assert (result.exit_code, result.stdout) == (0, "2 sessions: 2 sound, 2 other files\n")
    assert [line.split()[0] for line in doctor(folder, "--all").stdout.splitlines()] == ["state", "sound", "sound", "2"]
    assert doctor(folder / "sound.json").stdout == "1 session: 1 sound\n"


def test_keys_that_a_program_keeps_beside_its_messages_are_not_broken(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "t1", "name": "f", "input": {}, "call_id": "c"}
    entries = [
        {"role": "user", "content": [{"type": "text", "text": "q"}], "ts": 1},
        {"role": "assistant", "content": [call], "ts": 2, "modelInfo": {"modelId": "m"}},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}], "ts": 3},
    ]
    (tmp_path / "api_conversation_history.json").write_text(json.dumps(entries))
    assert "1 session: 1 sound" in doctor(tmp_path).output
    (tmp_path / "api_conversation_history.json").write_text(json.dumps(entries[:2]))
    assert "1 session: 1 broken" in doctor(tmp_path).output


def test_fix_writes_siblings_that_check_accepts(folder: Path) -> None:
    before = held(folder)
    result = doctor(folder, "--fix")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "7 sessions: 2 sound, 5 repaired" in result.stdout
    after = held(folder)
    new = {name: after[name] for name in after.keys() - before.keys()}
    assert set(new) == {str(Path(name).with_suffix("")) + ".repaired" + Path(name).suffix for name in BAD}
    assert {name: after[name] for name in before} == before
    for name in new:
        checked = run("check", folder / name)
        assert checked.exit_code == 0, checked.stdout
    again = doctor(folder, "--fix")
    assert again.exit_code == 0
    assert held(folder) == after


def test_fix_overwrites_nothing_that_it_did_not_write(folder: Path) -> None:
    other = folder / "claude.repaired.jsonl"
    other.write_text("mine")
    result = doctor(folder / "claude.jsonl", "--fix")
    assert result.exit_code == 2
    assert result.stderr == f"{other}: error: the output exists; --force overwrites it\n"
    assert other.read_text() == "mine"
    assert doctor(folder / "claude.jsonl", "--fix", "--force").exit_code == 0
    assert not read_session(other).violations()


def test_what_force_overwrites_is_kept_in_a_backup(folder: Path) -> None:
    doctor(folder / "claude.jsonl", "--fix")
    other = folder / "claude.repaired.jsonl"
    gone_on = other.read_bytes() + rows(claude_lines(of_length(3)))
    other.write_bytes(gone_on)
    result = doctor(folder / "claude.jsonl", "--fix", "--force")
    assert result.exit_code == 0
    assert f"as it was: {other}.bak" in result.stdout
    assert Path(f"{other}.bak").read_bytes() == gone_on
    assert doctor(folder / "claude.jsonl", "--fix", "--force").exit_code == 0
    assert not Path(f"{other}.bak-2").exists()


def test_a_line_of_a_log_that_holds_something_else_is_nothing_wrong(folder: Path) -> None:
    path = folder / "log.jsonl"
    path.write_bytes(rows([{"messages": BROKEN}, {"meta": 1}, {"messages": BROKEN[:1]}]))
    assert doctor(path, "--fix", "--in-place").exit_code == 0
    assert rows([{"meta": 1}]) in path.read_bytes()
    assert doctor(path).stdout == "1 session: 1 sound\n"


@needs_named_pipes
def test_what_is_no_file_is_named_and_the_others_are_checked(folder: Path) -> None:
    os.mkfifo(folder / "pipe.jsonl")
    result = doctor(folder)
    assert "7 sessions" in result.stdout
    assert f"{folder / 'pipe.jsonl'}: error: this is a pipe" in result.stderr


def test_fix_in_place_keeps_the_file_as_it_was_in_a_backup(folder: Path) -> None:
    before = held(folder)
    (folder / "claude.jsonl").chmod(0o640)
    result = doctor(folder, "--fix", "--in-place")
    assert (result.exit_code, result.stderr) == (0, "")
    after = held(folder)
    assert {name for name in before if after[name] != before[name]} == BAD
    for name in BAD:
        assert after[f"{name}.bak"] == before[name]
    assert set(after) - set(before) - {"own.jsonl.lock"} == {f"{name}.bak" for name in BAD}
    assert stat.S_IMODE((folder / "claude.jsonl").stat().st_mode) == 0o640
    result = doctor(folder, "--fix", "--in-place")
    assert (result.exit_code, result.stdout) == (0, "7 sessions: 7 sound, 2 other files\n")
    assert held(folder) == after


def test_the_diff_shows_each_message_that_changes(folder: Path) -> None:
    result = doctor(folder / "deep" / "list.json", "--fix")
    lines = [line.strip() for line in result.stdout.splitlines()]
    added = [line for line in lines if line.startswith('+{"role": "user", "content": [{"type": "tool_result"')]
    assert len(added) == 1
    assert "No result is recorded" in added[0]
    assert "@@" not in doctor(folder / "deep" / "list.json", "--fix", "--no-diff").stdout


def test_a_long_diff_is_cut(folder: Path) -> None:
    path = folder / "long.json"
    path.write_text(json.dumps([message for n in range(100) for message in (BROKEN[0], {**CALL, "x": n})]))
    assert "more lines" in doctor(path, "--fix").stdout


def test_a_file_that_is_written_to_meanwhile_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "claude.jsonl"
    back_up = __import__("message_history.files.disk", fromlist=["back_up"]).back_up

    def slow(file: Path) -> Path:
        copy: Path = back_up(file)
        with file.open("ab") as written:
            written.write(b'{"type": "summary", "summary": "x", "leafUuid": "y"}\n')
        return copy

    monkeypatch.setattr("message_history.formats.examining.back_up", slow)
    before = path.read_bytes()
    result = doctor(path, "--fix", "--in-place")
    assert result.exit_code == 2
    assert result.stderr == f"{path}: error: somebody has written to it just now; nothing was changed\n"
    assert path.read_bytes().startswith(before)


def test_options_that_need_fix_say_so(folder: Path) -> None:
    assert doctor(folder, "--in-place").exit_code == 2
    assert "are for --fix" in doctor(folder, "--force").stderr


def test_a_session_of_a_later_version_is_not_mended(folder: Path) -> None:
    path = folder / "own.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"version": 1', b'"version": 2'))
    before = path.read_bytes()
    result = doctor(path, "--fix", "--in-place")
    assert (result.exit_code, result.stderr) == (2, f"{path}: error: a later version wrote it\n")
    assert path.read_bytes() == before


# Bad input


def spoilt(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, str]:
    """Make what is not a session, and say what is told of it."""
    path = tmp_path / "bad" / "a.jsonl"
    path.parent.mkdir()
    data: dict[str, tuple[bytes, str]] = {
        "an empty file": (b"", "the file is empty"),
        "a binary file": (bytes(range(256)), "it is a binary file"),
        "a long line": (b'{"role": "user", "content": "' + b"x" * 100_000 + b'"}', "it is larger than 10,000 bytes"),
        "UTF-16": (json.dumps(BROKEN).encode("utf-16"), "it is UTF-16, not UTF-8"),
        "Latin-1": ('[{"role": "user", "content": "café"}]'.encode("latin-1"), "it is not UTF-8 (byte 33)"),
        "no permission": (json.dumps(BROKEN).encode(), "there is no permission to read it"),
        "cut off": (b'[{"role": "us', "it is neither JSON nor JSONL (line 1: cut off)"),
    }
    if kind == "a folder":
        path.mkdir()
        return path, "this is a folder, not a file; `message-history doctor` checks folders"
    content, recorded = data[kind]
    path.write_bytes(content)
    monkeypatch.setattr("message_history.files.files.MAX_BYTES", 10_000)
    if kind == "no permission":
        path.chmod(0)
        if os.access(path, os.R_OK):
            # Nothing is forbidden to root, so the system is stood in for.
            opened = os.open
            monkeypatch.setattr(
                os, "open", lambda file, *how: _refuse() if str(file) == str(path) else opened(file, *how)
            )
    return path, recorded


def _refuse() -> Any:
    raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize("command", ["check", "repair", "show", "doctor", "doctor --fix", "doctor --fix --in-place"])
@pytest.mark.parametrize(
    "kind",
    ["a folder", "an empty file", "a binary file", "a long line", "UTF-16", "Latin-1", "no permission", "cut off"],
)
def test_bad_input_is_one_clear_line_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, command: str
) -> None:
    path, recorded = spoilt(tmp_path, kind, monkeypatch)
    before = sorted(tmp_path.rglob("*"))
    stamps = [found.stat().st_mtime_ns for found in before]
    name, *options = command.split()
    result = run(name, path.parent if name == "doctor" else path, *options)
    if name == "doctor" and kind == "a folder":
        assert (result.exit_code, result.stderr) == (0, "")  # It is searched like any folder.
    else:
        assert (result.exit_code, result.stderr) == (2, f"{path}: error: {recorded}\n")
    assert sorted(tmp_path.rglob("*")) == before
    assert [found.stat().st_mtime_ns for found in before] == stamps


def test_unreadable_files_do_not_end_the_run(folder: Path) -> None:
    (folder / "a.json").write_bytes(b"\0")
    (folder / "z.json").write_bytes(b"")
    result = doctor(folder, "--fix", "--in-place", "--no-diff")
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        f"{folder}/a.json: error: it is a binary file",
        f"{folder}/z.json: error: the file is empty",
    ]
    assert "7 sessions: 2 sound, 5 repaired, 2 files unreadable, 2 other files" in result.stdout


def test_what_is_not_there_is_one_line(tmp_path: Path) -> None:
    result = doctor(tmp_path / "nowhere")
    assert (result.exit_code, result.stderr) == (2, f"{tmp_path}/nowhere: error: there is no such file\n")


def test_a_folder_that_cannot_be_searched_is_one_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = folder / "deep"
    listed = os.scandir

    def refused(path: Any) -> Any:
        if Path(path) == deep:
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", refused)
    result = doctor(folder)
    assert result.exit_code == 2
    assert result.stderr == f"{deep}: error: cannot be searched: Permission denied\n"
    assert "5 sessions" in result.stdout


# Real sessions


def cut_in_mid_pair(messages: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Cut a transcript behind calls, before their results; in the middle, so that others follow, and at the end."""
    places = [n for n, message in enumerate(messages) if message.get("tool_calls")]
    if not places:
        return []
    middle, last = places[len(places) // 2], places[-1]
    results = {call["id"] for call in messages[middle]["tool_calls"]}
    holed = [message for message in messages if message.get("tool_call_id") not in results]
    return [messages[: last + 1], holed]


def before_entries(data: bytes) -> list[Any]:
    whole = data.lstrip().startswith(b"[")
    return list(json.loads(data)) if whole else [json.loads(line) for line in data.splitlines()]


@pytest.mark.heavy
def test_a_report_holds_no_session_longer_than_it_looks_at_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = json.loads(doctor(folder, "--json").stdout)
    alive: list[int] = []

    def counting(self: JsonReport, path: str, *about: Any) -> None:
        alive.append(sum(isinstance(each, SessionFile) for each in gc.get_objects()))
        assert not self._files
        examined(self, path, *about)

    examined = JsonReport.examined
    monkeypatch.setattr(JsonReport, "examined", counting)
    monkeypatch.setattr("message_history.cli.report.MOST_IN_MEMORY", 1)
    gc.collect()
    before = sum(isinstance(each, SessionFile) for each in gc.get_objects())
    assert json.loads(doctor(folder, "--json").stdout) == whole
    assert len(alive) == len(whole["files"]) == len(BAD) + 2
    # The one that is looked at, and the one before until the next is read.
    assert max(alive) - before <= 2
    empty = folder / "empty"
    empty.mkdir()
    assert json.loads(doctor(empty, "--json").stdout)["files"] == []
