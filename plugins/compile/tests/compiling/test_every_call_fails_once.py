"""Whatever call to the system fails in a run: no row is lost, and the same run goes on and makes the same bytes."""

from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING

import pytest
from tests.faults import ENDED, REFUSED, Faults, apart, room_for

from compiling.conversations import agent, bytes_in, crashed, write_lines
from message_history_compile.counting import CountError
from message_history_compile.plan import Plan
from message_history_compile.running import compile_files

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="failures are those of POSIX, in a process of its own"),
]
TRL = Plan(target="trl")
ROWS = [{**(agent() if n % 2 else crashed()), "id": f"row-{n}"} for n in range(4)]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "in.jsonl", ROWS)


def run(source: Path, out: Path) -> bool:
    """Compile, and return whether all became rows; what did not is counted."""
    report = compile_files([source], TRL, out, unit_bytes=2_000)
    assert report.rows.get("train", 0) == len(ids_in(out))
    return not report.rejected


def ids_in(out: Path) -> list[str]:
    files = sorted((out / "train").glob("*.jsonl"))
    return [json.loads(line)["id"] for path in files for line in path.read_bytes().splitlines()]


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from there on"])
# What is closed when it is collected was open when a call failed.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_each_call_to_the_system_fails(source: Path, tmp_path: Path, lasting: bool) -> None:
    for n in range(3_000):
        out, faults, ended = tmp_path / str(n), Faults(n, lasting=lasting), None
        with contextlib.suppress(OSError, CountError), faults.injected():
            ended = run(source, out)
        if ended is None:
            assert run(source, out), f"{faults.failed[0]}, call {n}"
        if ended is not False:
            assert ids_in(out) == [row["id"] for row in ROWS], f"{faults.failed}, call {n}"
        if not faults.failed:
            assert ended
            assert n > 30
            return
    pytest.fail("there is no end of calls")


def test_the_disk_is_full_at_any_byte(source: Path, tmp_path: Path) -> None:
    run(source, tmp_path / "whole")
    wanted = bytes_in(tmp_path / "whole")
    ended = set()
    for size in range(0, max(map(len, wanted.values())) + 500, 211):
        out = tmp_path / str(size)
        how = apart(lambda out=out: run(source, out), OSError, room_for(size))  # type: ignore[misc]
        assert how in (ENDED, REFUSED), f"with room for {size} bytes: {how}"
        ended.add(how)
        assert run(source, out)
        assert bytes_in(out) == wanted
    assert ended == {ENDED, REFUSED}
