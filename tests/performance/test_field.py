"""The generated sessions have the shapes of the field, and nearly all of their messages go the short ways."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from benchmarks import field
from benchmarks.field import damaged, generated, measured, recorded, rows, share_of_plain
from benchmarks.field_shapes import SHAPES

from message_history import MessageHistory
from message_history.dialects import Anthropic, OpenAIChat

if TYPE_CHECKING:
    from pathlib import Path

ENOUGH = 0.95


@pytest.mark.parametrize("name", SHAPES)
def test_nearly_all_messages_of_recorded_shapes_go_the_short_ways(name: str) -> None:
    raw = SHAPES[name](300)
    assert len(raw) == 300
    dialect = OpenAIChat() if name == "Chat Completions" else Anthropic()
    history = MessageHistory.from_list(raw)
    assert history.repairs == ()
    assert history == MessageHistory.from_list(raw, dialect=dialect)
    assert min(share_of_plain(raw)) >= ENOUGH
    assert min(share_of_plain(history.to_list())) >= ENOUGH


def test_what_is_sent_is_what_was_read() -> None:
    for name, raw, dialect in generated():
        history = MessageHistory.from_list(raw, dialect=dialect)
        if "100" in name.split() and isinstance(dialect, OpenAIChat):
            assert history.for_send(dialect) == raw


def test_one_in_a_hundred_is_damaged() -> None:
    raw = SHAPES["Claude Code"](1_000)
    assert 8 <= len(MessageHistory.from_list(damaged(raw)).repairs) <= 40


@pytest.mark.heavy
def test_recordings_in_a_folder_are_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = SHAPES["Chat Completions"](30)
    (tmp_path / "one.json").write_text(json.dumps({"messages": raw}), encoding="utf-8")
    (tmp_path / "two.jsonl").write_text(f"{json.dumps(raw)}\n\n{json.dumps({'x': 1})}\n", encoding="utf-8")
    assert [(name, found) for name, found in recorded(tmp_path)] == [("one.json 1", raw), ("two.jsonl 1", raw)]
    monkeypatch.setattr(field, "SHORTEST", 0.0)
    found = measured(raw, OpenAIChat(), rounds=1)
    assert {"read", "send", "pickle", "memory"} <= found.keys()
    assert "written 100%" in rows("one", raw, found, OpenAIChat())
