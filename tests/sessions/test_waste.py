"""When a file is rewritten, to the byte: after how much of it does not count any more."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from message_history import MessageHistory, ToolUseBlock
from message_history.files.own_lines import whole_lines
from message_history.storage import JsonlSession
from message_history.storage.sessions import jsonl

if TYPE_CHECKING:
    from pathlib import Path


def waste_of(path: Path) -> int:
    """Return how many bytes of lines another line with the same position replaces."""
    last: dict[int, bytes] = {}
    waste = 0
    for line in path.read_bytes().splitlines(keepends=True):
        at = json.loads(line).get("at")
        waste += len(last.get(at, b"")) if at is not None else 0
        last[at] = line
    return waste


def grown(path: Path, monkeypatch: pytest.MonkeyPatch, *, loaded: bool) -> tuple[JsonlSession, MessageHistory]:
    """Write to a session in all the ways that replace a line, or none, and that add one, or several."""
    monkeypatch.setattr(jsonl, "WASTE", 10_000_000)
    session = JsonlSession(path, fsync="never")
    history = MessageHistory().add_user("a" * 30)
    session.append(history)
    for number in range(3):
        history = history.add_assistant([ToolUseBlock(f"{number}{each}", "run", {}) for each in "abcdefgh"])
        session.append(history)
        for each in "abcdefgh":
            history = history.add_tool_result(f"{number}{each}", "x" * 100)
            session.append(history)
        history = history.add_assistant("y" * number)
        session.append(history.add_user("Go on.").add_assistant("z" * 77))
        history = history.add_user("Go on.").add_assistant("z" * 77).add_user("u" * 9)
        session.append(history)
        history = history.add_user("v")
        session.append(history)
    if loaded:
        session = JsonlSession(path, fsync="never")
        assert session.load() == history
    return session, history


@pytest.mark.parametrize("loaded", [False, True])
@pytest.mark.parametrize("more", [0, 1])
def test_a_file_with_more_waste_than_the_limit_is_rewritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loaded: bool, more: int
) -> None:
    session, history = grown(tmp_path / "chat.jsonl", monkeypatch, loaded=loaded)
    waste, file = waste_of(session.path), session.path.stat().st_ino
    assert waste > session.path.stat().st_size // 2
    monkeypatch.setattr(jsonl, "WASTE", waste - more)
    session.append(history.add_assistant("new"))
    assert (session.path.stat().st_ino != file) is bool(more)
    assert waste_of(session.path) == (0 if more else waste)


def versions(length: int) -> list[MessageHistory]:
    """Return what one message of a file grows through: two lines that do not count in the end, and one that does."""
    first = MessageHistory().add_user("x" * length)
    return [first, first.add_user("y"), first.add_user("y").add_user("z")]


def above_half(length: int) -> int:
    """Return by how many bytes more than half of that file is waste."""
    head, *sizes = (len(line) for each in versions(length) for line in whole_lines(each))
    first, second, third = sizes[0], sizes[2], sizes[4]
    return first + second - (head + first + second + third) // 2


@pytest.mark.parametrize("loaded", [False, True])
@pytest.mark.parametrize("more", [0, 1])
def test_a_file_of_which_more_than_half_is_waste_is_rewritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loaded: bool, more: int
) -> None:
    monkeypatch.setattr(jsonl, "WASTE", 0)
    length = next(length for length in range(1, 1_000) if above_half(length) == more)
    session = JsonlSession(tmp_path / "chat.jsonl", fsync="never")
    for history in versions(length):
        session.append(history)
    if loaded:
        session = JsonlSession(session.path, fsync="never")
        session.load()
    assert waste_of(session.path) - session.path.stat().st_size // 2 == more
    file = session.path.stat().st_ino
    session.append(history.add_assistant("new"))
    assert (session.path.stat().st_ino != file) is bool(more)
