"""Sessions are read piece by piece, and mean what they mean when they are read whole."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from message_history import Message, MessageHistory, ThinkingBlock, ToolUseBlock
from message_history.core.messages.policy import Policy
from message_history.dialects.native.parse import read_ahead
from message_history.files.own_lines import Journal, whole_lines
from message_history.history import restored
from message_history.storage import JsonlSession
from message_history.storage.databases.rows import Head, held_by
from tests.sessions.growing import same

if TYPE_CHECKING:
    from pathlib import Path

REPLY = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": "Done."}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 3, "output_tokens": 4},
}
HISTORY = (
    MessageHistory()
    .with_system("Be brief.")
    .add_user("one")
    .add_assistant(
        [ThinkingBlock("hm", "c2lnbg=="), ToolUseBlock("a", "run", {}), ToolUseBlock("b", "run", {"n": 1.5})]
    )
    .add_tool_result("a", "four")
    .add_tool_result("b", "five", is_error=True)
    .add_response(REPLY)
    .add_user("six")
    .add_assistant([ToolUseBlock("c", "run", {})])
    .add_user("seven")
    .add_tool_result("c", "late")
    .add_assistant("eight")
    .add_user("nine")
    .add_response(REPLY)
    .add_user("ten")
    .add_assistant([ToolUseBlock("d", "run", {})])
)
DAMAGED: tuple[Any, ...] = (
    None,
    "no entry",
    {"role": "user", "content": "of a person"},
    {"role": "assistant", "content": [], "native": 1},
    {"role": "user", "content": [{"type": "text", "text": "later"}], "native": 2},
    {"role": "user", "content": [{"type": "text", "text": "more"}], "native": 1, "other": 1},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "z", "content": []}], "native": 1},
)


def read_in_pieces(saved: list[Any], size: int) -> list[Any]:
    """Read all but the last entry ahead."""
    pieces = (saved[start : min(start + size, len(saved) - 1)] for start in range(0, len(saved) - 1, size))
    return [entry for piece in pieces for entry in read_ahead(piece)] + saved[-1:]


@pytest.mark.parametrize("size", [1, 2, 3, 64])
@pytest.mark.parametrize("damaged", DAMAGED, ids=repr)
def test_a_list_that_is_read_ahead_means_the_same(size: int, damaged: Any) -> None:
    saved = HISTORY.to_list()
    for place in range(len(saved) + 1):
        entries = [*saved[:place], damaged, *saved[place:]] if damaged is not None else saved
        before = json.dumps(entries)
        whole, pieces = (restored(each, None, HISTORY.repairs) for each in (entries, read_in_pieces(entries, size)))
        assert same(whole, pieces)
        assert [message.replies for message in whole] == [message.replies for message in pieces]
        assert whole.to_list() == pieces.to_list()
        assert json.dumps(entries) == before


def test_most_entries_are_messages_when_they_were_read_ahead() -> None:
    found = read_ahead(HISTORY.to_list())
    assert type(found[0]) is dict
    assert sum(type(entry) is Message for entry in found) > len(found) / 2


@pytest.mark.parametrize("size", [*(pytest.param(size, marks=pytest.mark.heavy) for size in (1, 2)), 3])
def test_a_session_that_is_read_ahead_means_the_same(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = list(whole_lines(HISTORY))
    for number, line in enumerate(lines):
        for others in ([], [line, line], [b'["seven"]\n'], [line[:-9] + b"\n"], [lines[0], *lines[:number]]):
            path = tmp_path / f"{number}.jsonl"
            monkeypatch.setattr("message_history.storage.sessions.reading.PIECE", 1_000_000)
            data = b"".join((*lines[:number], *others, *lines[number + 1 :]))
            path.write_bytes(data)
            session = JsonlSession(path)
            whole, report = session.load(), session.report
            path.write_bytes(data)
            monkeypatch.setattr("message_history.storage.sessions.reading.PIECE", size)
            found = session.load()
            assert same(found, whole)
            assert (session.report.notes, session.report.lost) == (report.notes, report.lost)
            assert session.report.repairs == report.repairs


def test_a_position_far_away_is_read_ahead_at_once() -> None:
    journal = Journal()
    for number, line in enumerate(whole_lines(HISTORY)):
        journal.take(number, line.replace(b'"at": 3', b'"at": 3000000000000'))
        journal.read_ahead()
    assert len(journal.messages) == len(HISTORY)


@pytest.mark.parametrize("size", [1, 2, 64])
def test_rows_that_are_read_ahead_mean_the_same(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("message_history.storage.databases.rows.PIECE", size)
    system, *bodies = map(json.dumps, HISTORY.to_list())
    for damaged in ("", "no JSON", "[1]"):
        for place in range(len(bodies) + 1):
            rows = [*bodies[:place], damaged, *bodies[place:]] if damaged else bodies
            held = held_by(Head(messages=len(rows), system=system), rows, (), Policy())
            values = [json.loads(row) if row != "no JSON" else row for row in rows]
            assert same(held.history, restored([json.loads(system), *values], Policy(), ()))
    assert len(held_by(Head(), [], [], Policy()).history) == 0


@pytest.mark.parametrize("size", [2, 3])
def test_a_file_is_read_ahead_after_each_piece_of_its_lines(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("message_history.storage.sessions.reading.PIECE", size)
    path = tmp_path / "chat.jsonl"
    path.write_bytes(b"".join(whole_lines(MessageHistory().add_user("one").add_assistant("two").add_user("three"))))
    known: list[int] = []
    monkeypatch.setattr(Journal, "read_ahead", lambda journal: known.append(len(journal.messages)))
    JsonlSession(path).load()
    # The first line is the header.
    assert known == list(range(size - 1, 4, size))
