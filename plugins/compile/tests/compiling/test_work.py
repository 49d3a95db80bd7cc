"""How work is done by several, shown while it is done, and ended."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from io import StringIO
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from compiling.conversations import agent, bytes_in, crashed, write_lines
from message_history_compile import command, finishing, processes, running
from message_history_compile.plan import Plan
from message_history_compile.processes import TRIES, run_in_processes
from message_history_compile.running import CompileReport, compile_files
from message_history_compile.shards import UnitReport

if TYPE_CHECKING:
    from pathlib import Path

    from message_history_compile.shards import Unit

TRL = Plan(target="trl")


def test_what_says_how_far_a_run_is_is_on_the_disk_and_nothing_is_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: dict[str, tuple[bool, bool]] = {}
    for module in (running, finishing):
        replace: Any = module.replace

        def recorded(path: Path, parts: Any, *, replace: Any = replace, **more: Any) -> Any:
            written[path.name] = (more["sync"], more["private"])
            return replace(path, parts, **more)

        monkeypatch.setattr(module, "replace", recorded)
    compile_files([write_lines(tmp_path / "in.jsonl", [agent()])], Plan(target="sharegpt-axolotl"), tmp_path / "out")
    assert {name for name, (sync, _) in written.items() if sync} == {"run.json", "rejected.jsonl", "manifest.json"}
    assert {name for name, (sync, _) in written.items() if not sync} == {
        "learned.html", "learned.json", "README.md", "axolotl.yaml",
    }  # fmt: skip
    assert not any(private for _, private in written.values())


# Several processes, of which threads take the place


@pytest.fixture
def pools(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let threads do the work; the list has how many there are in each pool, and no one listens for Ctrl-C."""
    made: list[int] = []

    def pool(workers: int, mp_context: Any, initializer: Any, initargs: tuple[Any, ...]) -> ThreadPoolExecutor:
        assert mp_context.get_start_method() == "spawn"
        made.append(workers)
        initializer(*initargs)
        return ThreadPoolExecutor(workers)

    monkeypatch.setattr(processes, "ProcessPoolExecutor", pool)
    monkeypatch.setattr("message_history_compile.processes.signal.signal", lambda *_: None)
    return made


def test_several_workers_make_the_same_bytes_and_all_that_they_read_is_told(tmp_path: Path, pools: list[int]) -> None:
    path = write_lines(tmp_path / "in.jsonl", [agent(), crashed()] * 10)
    read: list[int] = []
    compile_files([path], TRL, tmp_path / "one", unit_bytes=3000)
    compile_files([path], TRL, tmp_path / "two", unit_bytes=3000, run=run_in_processes(3, read.append))
    assert bytes_in(tmp_path / "one") == bytes_in(tmp_path / "two")
    assert (sum(read), min(read) > 0) == (path.stat().st_size, True)
    compile_files([path], TRL, tmp_path / "three", unit_bytes=3000, run=run_in_processes(2))
    assert pools == [3, 2]


def test_a_unit_whose_worker_was_killed_is_compiled_again_and_no_other(
    tmp_path: Path, pools: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_lines(tmp_path / "in.jsonl", [agent(), crashed()] * 10)
    compiled, killed = [], [0]
    compile_unit = processes._compile

    def kill_once(unit: Unit, plan: Plan, work: str) -> UnitReport:
        compiled.append(unit.index)
        if unit.index == 2 and compiled.count(2) <= killed[0]:
            raise BrokenProcessPool
        return compile_unit(unit, plan, work)

    monkeypatch.setattr(processes, "_compile", kill_once)
    compile_files([path], TRL, tmp_path / "whole", unit_bytes=3000)
    for times in (1, TRIES - 1):
        compiled.clear()
        killed[0] = times
        compile_files([path], TRL, tmp_path / f"out{times}", unit_bytes=3000, run=run_in_processes(1))
        assert bytes_in(tmp_path / f"out{times}") == bytes_in(tmp_path / "whole")
        assert compiled.count(2) == times + 1
        assert compiled.count(0) == 1
    compiled.clear()
    killed[0] = TRIES
    with pytest.raises(BrokenProcessPool):
        compile_files([path], TRL, tmp_path / "no", unit_bytes=3000, run=run_in_processes(1))
    assert compiled.count(2) == TRIES
    assert len(pools) == 2 + TRIES + TRIES


def test_what_fails_in_a_worker_ends_the_run(tmp_path: Path, pools: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OSError("no place")

    monkeypatch.setattr(processes, "_compile", fail)
    path = write_lines(tmp_path / "in.jsonl", [agent()])
    with pytest.raises(OSError, match="no place"):
        compile_files([path], TRL, tmp_path / "out", run=run_in_processes(1))
    assert pools == [1]


# What is shown


@pytest.mark.parametrize(
    ("rows", "style"), [({}, "bold red"), ({"train": 0}, "bold red"), ({"train": 1}, "bold green")]
)
def test_a_run_without_a_row_is_red(rows: dict[str, int], style: str) -> None:
    lines: list[Any] = []
    printer: Any = SimpleNamespace(add=lambda *_: None, line=lines.append)
    report = CompileReport(rows=rows, repaired=1, repairs={"a": 2}, rejected={"b": 3}, bytes=9, shards=1)
    command._print(printer, report, "out")
    assert [str(span.style) for span in lines[0].spans] == ["bold", style]
    assert [(line.plain, str(line.style)) for line in lines[1 + len(rows) :]] == [
        ("  repaired: a: 2", "dim"),
        ("  rejected: b: 3", "yellow"),
    ]


@pytest.mark.parametrize("terminal", [True, False])
def test_the_bar_shows_what_was_read_and_made_and_goes_at_the_end(terminal: bool) -> None:
    shown = StringIO()
    screen = Console(file=shown, force_terminal=terminal, width=120, legacy_windows=False)
    printer: Any = SimpleNamespace(screen=screen)
    with command._Bar(printer) as bar:
        bar.start(1_000)
        bar.advance(200)
        bar.advance(50)
        for n in (1, 2):
            made: dict[str, Any] = {"rows": {"train": n, "test": 10}, "repaired": n, "rejected": {"a": 3, "b": n}}
            bar.add(UnitReport(index=n, bytes=1, **made))
        bar._bar.refresh()
        hidden = shown.getvalue()
    text = shown.getvalue()
    if not terminal:
        assert text.strip() == ""
        return
    for part in ("25%", "23 rows", "3 repaired", "9 rejected"):
        assert part in hidden
    assert "\x1b[?25l" in hidden, "the cursor is hidden"
    assert "\x1b[?25h" not in hidden
    assert text.endswith("\x1b[2K") or "\x1b[?25h" in text[len(hidden) :], "the cursor is back"
