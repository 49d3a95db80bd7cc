"""Damaged conversations, compiled once for each target."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from benchmarks.damaged_conversations import lines

from compiling.conversations import agent, crashed, write_lines
from message_history_compile import Plan, compile_files

COUNT = 300


@cache
def inputs() -> Path:
    """Write damaged conversations in two files."""
    folder = Path(mkdtemp())
    write_lines(folder / "a.jsonl", [agent(), crashed(), {"messages": []}])
    (folder / "b.jsonl").write_bytes(b"".join(lines(COUNT)))
    return folder


@cache
def compiled(target: str, **choices: Any) -> Path:
    """Compile them to a target, in several shards and two splits."""
    out = Path(mkdtemp()) / "out"
    plan = Plan(target=target, split=(("test", 0.1),), **choices)
    report = compile_files([inputs()], plan, out, unit_bytes=500_000)
    assert report.rows["train"] > COUNT / 2
    return out


def texts() -> list[str]:
    """Give conversations as JSON texts; the third and the fourth cannot be compiled."""
    rows = [agent(), crashed(), {"messages": [{"role": "user", "content": "a"}]}, {"nothing": 1}]
    lines = (inputs() / "b.jsonl").read_bytes().split(b"\n")[:60]
    return [*map(json.dumps, rows), *(line.decode() for line in lines)]
