"""Files that are too large to be held are checked some lines at a time, where each line is a conversation."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from message_history import MessageHistory
from message_history.cli.app import app
from message_history.files.files import TooLargeError
from message_history.formats import large_files
from message_history.formats.large_files import parts_of, streamed_format
from message_history.formats.reading import session_in
from message_history.storage import JsonlSession

if TYPE_CHECKING:
    from pathlib import Path

SOUND = {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}
BROKEN = {"messages": [{"role": "user", "content": "a"}, {"role": "tool", "tool_call_id": "gone", "content": "c"}]}
ROWS = 400
PLACES = (1, 123, 399)
"""The lines that are broken: in the first part, in one between, and in the last."""


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("message_history.files.opening.MAX_BYTES", 10_000)
    monkeypatch.setattr("message_history.formats.large_files.STREAMED", 10_000)
    monkeypatch.setattr(large_files, "PART", 4_000)
    monkeypatch.setattr(large_files, "MAX_LINE", 3_000)


def large(folder: Path, rows: list[Any]) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def broken(folder: Path) -> Path:
    return large(folder, [BROKEN if n in PLACES else SOUND for n in range(1, ROWS + 1)])


def ran(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, arguments)
    return done.exit_code, done.output


def test_parts_hold_what_the_file_holds(tmp_path: Path) -> None:
    path = broken(tmp_path)
    whole, parts = session_in(path.read_bytes()), list(parts_of(path))
    assert len(parts) > 5
    assert [each.label for part in parts for each in part.conversations] == [each.label for each in whole.conversations]
    assert [(each.label, found.rule) for part in parts for each, found in part.violations()] == [
        (each.label, found.rule) for each, found in whole.violations()
    ]


def test_check_names_the_lines_of_a_large_file_and_counts_once(tmp_path: Path) -> None:
    code, said = ran("check", str(broken(tmp_path)))
    assert code == 1
    assert [n for n in range(1, ROWS + 1) if f"(line {n})" in said] == list(PLACES)
    assert f"{ROWS} conversations, {len(PLACES)} with violations" in said
    assert said.count(" conversations, ") == 1
    assert ran("check", str(large(tmp_path, [SOUND] * ROWS)))[0] == 0


def test_doctor_counts_what_is_wrong_and_writes_no_large_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("message_history.formats.examining.KEPT", 2)
    path = broken(tmp_path)
    wrong = len(session_in(path.read_bytes()).violations())
    before = path.read_bytes()
    code, said = ran("doctor", str(path))
    (row,) = (line.split() for line in said.splitlines() if line.startswith("broken"))
    assert (code, row[2:4]) == (1, [f"{2 * ROWS:,}", str(wrong)])
    code, said = ran("doctor", "--fix", "--in-place", str(path))
    assert code == 1
    assert "is read, not written" in said
    assert path.read_bytes() == before
    assert ran("doctor", str(large(tmp_path, [SOUND] * ROWS)))[0] == 0


def test_a_session_of_ours_of_any_size_is_checked_as_it_is_loaded(tmp_path: Path) -> None:
    """It was written and loaded, and then refused by what looks for damage."""
    path, history = tmp_path / "long.jsonl", MessageHistory()
    session = JsonlSession(path)
    for n in range(ROWS):
        history = history.add_user(f"{n} {'x' * 40}").add_assistant("ok")
    session.save(history)
    assert path.stat().st_size > 20_000
    assert [part.messages for part in parts_of(path)] == [2 * ROWS]
    assert ran("check", str(path))[0] == ran("doctor", str(path))[0] == 0
    damaged = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*damaged[:-9], b"no JSON\n", *damaged[-9:]]))
    code, said = ran("doctor", str(path))
    assert (code, f"line {len(damaged) - 8}" in said) == (1, True)
    assert len(session.load()) == 2 * ROWS


def test_what_cannot_be_read_line_by_line_is_refused(tmp_path: Path) -> None:
    one = large(tmp_path, SOUND["messages"] * ROWS)
    with pytest.raises(TooLargeError, match="does not hold a conversation in each line"):
        list(parts_of(one))
    assert ran("check", str(one))[0] == 2
    long = {"messages": [*SOUND["messages"], {"role": "user", "content": "x" * 9_000}]}
    with pytest.raises(TooLargeError, match="line 101 is longer than"):
        list(parts_of(large(tmp_path, [SOUND] * 100 + [long] + [SOUND])))


def test_lines_that_are_no_conversation_are_named_where_they_stand(tmp_path: Path) -> None:
    path = large(tmp_path, [SOUND] * 200)
    path.write_text(path.read_text(encoding="utf-8") + "no JSON\n" + json.dumps(SOUND) + "\n", encoding="utf-8")
    assert [note.line for part in parts_of(path) for note in part.notes] == [201]
    code, said = ran("check", str(path))
    assert (code, "line 201" in said) == (1, True)


@pytest.mark.parametrize("lines", [True, False])
def test_what_can_be_held_is_repaired_and_read_in_every_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, lines: bool
) -> None:
    monkeypatch.setattr("message_history.files.opening.MAX_BYTES", 100_000)
    path = broken(tmp_path)
    if not lines:
        path = tmp_path / "one.json"
        path.write_text(json.dumps([*SOUND["messages"] * ROWS, *BROKEN["messages"]], indent=1), encoding="utf-8")
    assert (streamed_format(path) is not None) is lines
    assert ran("check", str(path))[0] == 1
    assert ran("doctor", "--fix", "--in-place", str(path))[0] == 0
    assert ran("check", str(path))[0] == 0
