"""Sessions of Claude Code that are too large to be held: the conversation is, and nothing is written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from message_history.cli.app import app
from message_history.files.files import TooLargeError, UnreadableFileError
from message_history.formats import large_files
from message_history.formats.large_files import parts_of
from message_history.formats.reading import session_in
from message_history_formats import large_sessions

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("message_history.files.opening.MAX_BYTES", 10_000)
    monkeypatch.setattr("message_history.formats.large_files.STREAMED", 10_000)
    monkeypatch.setattr(large_sessions, "MAX_BYTES", 30_000)
    monkeypatch.setattr(large_sessions, "MAX_LINE", 8_000)
    monkeypatch.setattr(large_files, "PART", 4_000)


def ran(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, arguments)
    return done.exit_code, done.output


def tree(folder: Path, *, length: int, rewound: int) -> Path:
    """Write a session of Claude Code: messages that were rewound, and those that the newest one descends from."""
    rows: list[dict[str, Any]] = []

    def add(role: str, content: Any, parent: str | None, **keys: Any) -> str:
        own = f"{len(rows):08}-0000-4000-8000-000000000000"
        message = {"role": role, "content": content}
        links = {"type": role, "uuid": own, "parentUuid": parent, "sessionId": "s", "isSidechain": False}
        rows.append({**links, "message": message, "toolUseResult": {"stdout": "y" * 1_500}, **keys})
        return own

    first = add("user", "begin", None)
    for _ in range(rewound):
        add("user", "z" * 700, first)
    last = add("assistant", [{"type": "text", "text": "I look."}, CALL], first)
    for n in range(length):
        last = add("user", [{"type": "tool_result", "tool_use_id": "toolu_1", "content": f"{n} " + "w" * 600}], last)
        last = add("assistant", [{"type": "text", "text": f"{n} " + "v" * 600}, CALL], last)
    path = folder / "session.jsonl"
    written = "".join(json.dumps(row) + "\n" for row in rows) + '{"type": "user", "uu\n'
    path.write_text(written, encoding="utf-8")
    return path


CALL = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": "u" * 400}}


def test_of_a_large_tree_only_its_conversation_is_held(tmp_path: Path) -> None:
    path = tree(tmp_path, length=2, rewound=12)
    whole, (part,) = session_in(path.read_bytes()), parts_of(path)
    assert path.stat().st_size > 30_000
    assert [each.file for each in part.conversations] == [each.file for each in whole.conversations]
    assert part.conversations[0].omitted == whole.conversations[0].omitted
    assert (part.notes, part.unread) == (whole.notes, whole.unread)
    assert part.violations() == whole.violations()
    assert ran("check", str(path))[0] == 1
    assert ran("doctor", str(path))[1].startswith("state")


def test_a_conversation_that_is_too_large_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tree(tmp_path, length=30, rewound=0)
    with pytest.raises(UnreadableFileError, match=r"its conversation and the links .* rewind or compact it"):
        list(parts_of(path))
    code, said = ran("check", str(path))
    assert (code, "rewind or compact it" in said) == (2, True)


def test_a_large_tree_is_not_written(tmp_path: Path) -> None:
    path = tree(tmp_path, length=2, rewound=12)
    before = path.read_bytes()
    assert ran("doctor", "--fix", "--in-place", str(path))[0] != 0
    assert ran("repair", str(path))[0] == 2
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes() == before


def test_objects_in_one_line_are_held_whole(tmp_path: Path) -> None:
    path = tree(tmp_path, length=2, rewound=12)
    *before, last, cut = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*before[:-1], before[-1] + last, cut]) + "\n", encoding="utf-8")
    whole, (part,) = session_in(path.read_bytes()), parts_of(path)
    assert [each.file for each in part.conversations] == [each.file for each in whole.conversations]


def test_a_line_that_is_too_long_is_named(tmp_path: Path) -> None:
    path = tree(tmp_path, length=2, rewound=12)
    before = path.read_bytes()
    path.write_bytes(before + b'{"type": "user", "x": "' + b"x" * 9_000 + b'"}\n')
    with pytest.raises(TooLargeError, match=f"line {before.count(chr(10).encode()) + 1} is longer than 8,000 bytes"):
        list(parts_of(path))


def test_copies_of_a_line_are_not_taken_for_another_message(tmp_path: Path) -> None:
    """The first of two copies was read whole, which made the other one another message, of which the end was cut."""
    path = tree(tmp_path, length=2, rewound=12)
    *before, cut = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*before, before[-1] + before[-2], before[-3], cut]) + "\n", encoding="utf-8")
    whole, (part,) = session_in(path.read_bytes()), parts_of(path)
    assert [each.file for each in part.conversations] == [each.file for each in whole.conversations]
    assert len(json.dumps(part.conversations[0].file.entries)) > 4 * 600


def test_a_tree_that_can_be_read_whole_is_repaired(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("message_history.files.opening.MAX_BYTES", 100_000)
    path = tree(tmp_path, length=2, rewound=12)
    assert ran("doctor", "--fix", "--in-place", str(path))[0] == 0
    assert session_in(path.read_bytes()).violations() == []
