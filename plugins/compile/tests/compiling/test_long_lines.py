"""A line that is too long is not held to find where the next one begins."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

from message_history_compile.shards import plan_units

if TYPE_CHECKING:
    from pathlib import Path

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
