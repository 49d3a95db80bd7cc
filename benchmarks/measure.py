"""The measuring: every contender in a process of its own, all of them in turn, round by round.

What is compared was measured in the same round, so that what slows the machine slows all. Seconds are those of the
processor in the process, and a short figure is the least of three, as other programs only add to it. The garbage
collector is on, as Python has it, and collects once before each, outside the measurement.
"""

from __future__ import annotations

import os
import platform
import sys
import sysconfig
from contextlib import contextmanager
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any, Final

from benchmarks.commands import started
from benchmarks.contenders import CONTENDERS
from benchmarks.operations import BLOCKS, BYTES, COPY, JSON, LISTS, OURS, QUICK_SIZES, SIZES
from benchmarks.worker import serve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from multiprocessing.connection import Connection

    from benchmarks.operations import Operation

__all__ = ["Run", "made", "measured", "put_between", "seconds"]

ROUNDS: Final = 5
QUICK_ROUNDS: Final = 2
LARGE: Final = 100_000
# When this many seconds are over, no further size of a group of operations is begun: the largest come last.
LONGEST: Final = 900
QUICK_LONGEST: Final = 60
# A contender is not measured at a size at which one call would take longer than this, by how it has grown until then.
SLOWEST_CALL: Final = 1.5
FILES: Final = 100
QUICK_FILES: Final = 4


class Run:
    """A running process of a contender.

    Args:
        connection: the way to it.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.version: str | ImportError = connection.recv()

    def __getattr__(self, method: str) -> Any:
        def call(*arguments: object, **options: object) -> Any:
            self._connection.send((method, arguments, options))
            return self._connection.recv()

        return call


@contextmanager
def running(names: Iterable[str]) -> Iterator[dict[str, Run]]:
    """Run the contenders' processes for a while.

    Args:
        names: the contenders.

    Yields:
        The ways to them, by the contenders' names.
    """
    context = get_context("spawn")
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # It would wait for a network otherwise.
    started = {}
    for name in names:
        here, there = context.Pipe()
        process = context.Process(target=serve, args=(there, name), daemon=True)
        process.start()
        there.close()
        started[name] = here, process
    runs = {name: Run(here) for name, (here, _) in started.items()}
    yield dict(runs)
    for name, (here, process) in started.items():
        if isinstance(runs[name].version, str):
            here.send(None)
        process.join()


def measured(*, quick: bool, peers: bool = True) -> tuple[dict[str, Any], dict[str, Any]]:
    """Measure everything.

    Args:
        quick: whether to leave out what takes long.
        peers: whether to measure and judge other libraries, and more than 10,000 messages.

    Returns:
        What was measured, and what the judge found, as plain JSON.
    """
    run_made = made(quick=quick)
    sizes = QUICK_SIZES if quick else SIZES if peers else SIZES[:4]
    names = [name for name in CONTENDERS if peers or name.startswith(OURS) or name in (LISTS, COPY, JSON)]
    with running(names) as runs:
        run_made["skipped"] = {name: str(run.version) for name, run in runs.items() if not isinstance(run.version, str)}
        for name in run_made["skipped"]:
            del runs[name]
        run_made["versions"] = {name: run.version for name, run in runs.items() if run.version}
        cells = [
            *_started(run_made["rounds"], quick=quick),
            *_cells(runs, sizes, run_made["rounds"], QUICK_LONGEST if quick else LONGEST),
        ]
        found = {}
        for name, run in runs.items():
            if peers and not name.startswith(f"{OURS} to "):
                _say(f"judging {name}")
                found[name] = run.judge(quick=quick)
    return {"made": run_made, "cells": cells}, {"made": run_made, "contenders": found}


def made(*, quick: bool = False) -> dict[str, Any]:
    """Say when, where and how a run is made.

    Args:
        quick: whether it leaves out what takes long.

    Returns:
        The facts, as plain JSON.
    """
    free = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    return {
        "command": "python -m benchmarks" + (" --quick" if quick else ""),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "python": f"{platform.python_implementation()} {platform.python_version()}{free}",
        "machine": f"{_processor()}, {os.cpu_count()} cores, {platform.system()}",
        "rounds": QUICK_ROUNDS if quick else ROUNDS,
        "collector": "on, with a collection before each figure, outside the measurement",
    }


def seconds(run: Callable[[], object]) -> float:
    """Say how long a call takes, by the clock: with databases and their servers, most of it is waiting.

    Args:
        run: what is called.

    Returns:
        The seconds.
    """
    start = perf_counter()
    run()
    return perf_counter() - start


def put_between(marks: tuple[str, str], figures: str, page: Path) -> None:
    """Write figures into a page, in place of those that are there.

    Args:
        marks: the lines before and after them.
        figures: the figures, as Markdown.
        page: the page.
    """
    before, _, rest = page.read_text(encoding="utf-8").partition(marks[0])
    after = rest.partition(marks[1])[2]
    page.write_text(f"{before}{marks[0]}\n\n{figures}\n\n{marks[1]}{after}", encoding="utf-8")


def _processor() -> str:
    cpus = Path("/proc/cpuinfo")
    lines = cpus.read_text(encoding="utf-8").splitlines() if cpus.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _cells(runs: dict[str, Run], sizes: tuple[int, ...], rounds: int, longest: int) -> Iterator[dict[str, Any]]:
    took: dict[tuple[str, str], list[float]] = {}
    start = monotonic()
    for size in sizes:
        for run in runs.values():
            run.open(size)
        for block, operations in BLOCKS.items():
            if monotonic() - start > longest:
                _say(f"{size:>9,} messages: {block}: no time left")
                continue
            _say(f"{size:>9,} messages: {block}")
            ready = []
            for operation in operations:
                for name, run in runs.items():
                    cell: dict[str, Any] = {"operation": operation.name, "size": size, "contender": name}
                    if not operation.smallest <= size <= _largest(operation, name):
                        continue
                    before = took.setdefault((name, operation.name), [])
                    if _expected(before) > SLOWEST_CALL:
                        yield {**cell, "rounds": [], "why": "too slow"}
                    elif (times := run.prepare(operation.name)) is not None:
                        ready.append((cell, run, times, list[float]()))
            for _ in range(rounds):
                for cell, run, _, figures in ready:
                    figures.append(float(f"{run.measure(cell['operation']):.4g}"))
            for run in runs.values():
                run.close()
            for cell, _, times, figures in ready:
                if cell["operation"] not in BYTES:
                    took[cell["contender"], cell["operation"]].append(median(figures) * times)
                yield {**cell, "rounds": figures}


def _largest(operation: Operation, name: str) -> int:
    """Say the largest size that a contender is measured at."""
    if name.startswith(f"{OURS} to "):
        return min(operation.largest, 10_000)
    return operation.largest if name in (OURS, LISTS) else min(operation.largest, LARGE)


def _expected(before: list[float]) -> float:
    """Say how long a call will take at the next size, ten times the last, by how it grew."""
    if not before:
        return 0.0
    growth = before[-1] / before[-2] if len(before) > 1 and before[-2] else 10.0
    return before[-1] * max(10.0, growth)


def _started(rounds: int, *, quick: bool) -> Iterator[dict[str, Any]]:
    _say("import and command")
    return started(rounds, QUICK_FILES if quick else FILES)


def _say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)
