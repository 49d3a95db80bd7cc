"""What metadata and decisions cost is measured on histories that go the short ways. No time is asserted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from benchmarks import carried

from message_history.core.messages.message import is_plain
from message_history.core.messages.sendable import reach

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", ["plain", "metadata", "decided"])
def test_all_messages_are_plain_and_are_sent_at_one_look(name: str) -> None:
    history = carried.histories(20)[name]
    assert len(history) == 20
    assert all(map(is_plain, history))
    assert all(0 <= reach(message) < 100 for message in history)
    assert bool(history[0].arrivals) is (name == "metadata")
    assert {call.by for call in history.calls if call.result} == {"ann@example.com" if name == "decided" else ""}


def test_the_table_has_a_row_for_each_operation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carried, "SHORTEST", 1e-9)
    found = carried.measured(10, rounds=1)
    found["metadata"]["save"], found["decided"]["save"] = [1.0], [3.0]
    found["metadata"]["load"], found["decided"]["load"] = [1.0], [0.5]
    path = tmp_path / "carried.json"
    assert carried.table(path) == ""
    path.write_text(json.dumps({"10": found}), encoding="utf-8")
    rows = carried.table(path).splitlines()
    assert f"| save | 1.00 | 3.00 | {carried.BOUNDS['save']} |" in rows
    assert "| load | 1.00 | 0.50 |  |" in rows
    assert any(row.startswith("| add, one dict | ") and row.count("|") == 5 for row in rows)
    assert all(any(row.startswith(f"| {key} |") for row in rows) for key in found["metadata"])
