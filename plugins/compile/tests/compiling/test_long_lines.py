"""What is too long to be held: lines, and sessions of which only the conversation is."""

from __future__ import annotations

import json
import tracemalloc
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from message_history.formats import large_files
from message_history_compile.plan import Plan
from message_history_compile.running import compile_files
from message_history_compile.shards import plan_units

if TYPE_CHECKING:
    from pathlib import Path


reads_large_sessions = pytest.mark.skipif(
    find_spec("message_history_formats") is None, reason="message-history-formats, which reads them, is not installed"
)
ROW = b'{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}\n'


def test_a_long_line_is_not_held_where_a_file_is_divided(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(ROW * 2 + b"x" * 96_000_000 + b"\n" + ROW)
    tracemalloc.start()
    try:
        units = plan_units([str(path)], 1_000_000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [part.stop for unit in units for part in unit.parts][-1] == path.stat().st_size
    assert peak < 80_000_000


def session(folder: Path, rewound: int) -> Path:
    """Write a session of Claude Code whose first answers were rewound."""
    links = {"sessionId": "s", "isSidechain": False}
    rows: list[dict[str, object]] = [
        {**links, "type": "user", "uuid": "u0", "parentUuid": None, "message": {"role": "user", "content": "q"}}
    ]
    for n in range(rewound + 1):
        said = {"role": "assistant", "content": [{"type": "text", "text": f"answer {n} " + "x" * 1_000}]}
        rows.append({**links, "type": "assistant", "uuid": f"a{n}", "parentUuid": "u0", "message": said})
    path = folder / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@reads_large_sessions
def test_the_conversation_of_a_large_session_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = session(tmp_path, rewound=40)
    compile_files([path], Plan(target="trl"), tmp_path / "whole")
    monkeypatch.setattr("message_history.files.opening.MAX_BYTES", 20_000)
    monkeypatch.setattr("message_history.formats.large_files.STREAMED", 20_000)
    monkeypatch.setattr("message_history_formats.large_sessions.MAX_BYTES", 30_000)
    report = compile_files([path], Plan(target="trl"), tmp_path / "parted")
    assert (report.rows, report.rejected) == ({"train": 1}, {})
    shards = [(tmp_path / out / "train" / "00000.jsonl").read_text(encoding="utf-8") for out in ("whole", "parted")]
    assert shards[0] == shards[1]
    assert "answer 40" in shards[1]


@reads_large_sessions
def test_a_mask_in_a_large_session_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = session(tmp_path, rewound=40)
    path.write_text(
        path.read_text(encoding="utf-8").replace('{"role": "assistant"', '{"weight": 0, "role": "assistant"')
    )
    monkeypatch.setattr("message_history.files.opening.MAX_BYTES", 20_000)
    monkeypatch.setattr("message_history.formats.large_files.STREAMED", 20_000)
    monkeypatch.setattr("message_history_formats.large_sessions.MAX_BYTES", 30_000)
    assert compile_files([path], Plan(target="trl"), tmp_path / "out").rejected == {"mask_lost": 1}


@reads_large_sessions
def test_a_conversation_that_is_too_long_has_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = session(tmp_path, rewound=40)
    for limit in (
        "message_history.formats.large_files.STREAMED",
        "message_history.files.opening.MAX_BYTES",
        "message_history_formats.large_sessions.MAX_BYTES",
    ):
        monkeypatch.setattr(limit, 5_000)
    assert compile_files([path], Plan(target="trl"), tmp_path / "out").rejected == {"unreadable": 1}
    assert "rewind or compact it" in (tmp_path / "out" / "rejected.jsonl").read_text(encoding="utf-8")


def test_the_masks_of_each_part_of_a_large_file_are_compared_with_its_own_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The masks of the whole file were compared with those of each part, and no part has them all."""
    said = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
    row = json.dumps({"messages": [*said, said[0], {**said[1], "weight": 0}, *said]}) + "\n"
    path = tmp_path / "a.jsonl"
    # After so many lines without an object, its format is not looked for by lines.
    path.write_text('"no row"\n' * 700 + row * 400, encoding="utf-8")
    monkeypatch.setattr("message_history.files.opening.MAX_BYTES", 20_000)
    monkeypatch.setattr("message_history.formats.large_files.STREAMED", 20_000)
    monkeypatch.setattr(large_files, "PART", 30_000)
    report = compile_files([path], Plan(target="openai_chat", format="log"), tmp_path / "out")
    assert (report.rows, report.rejected) == ({"train": 400}, {"no_conversation": 700})
