"""The measuring: every contender in a process of its own, all of them in turn, round by round.

What is compared was measured in the same round, so that what slows the machine slows all. Seconds are those of the
processor in the process, so that other programs do not count. The garbage collector is on, as Python has it, and
collects once before each figure, outside the measurement.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from contextlib import contextmanager
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.contenders import CONTENDERS
from benchmarks.operations import BLOCKS, QUICK_SIZES, SIZES
from benchmarks.worker import serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection

__all__ = ["Run", "measured"]

ROUNDS: Final = 7
QUICK_ROUNDS: Final = 5
# A contender that takes longer than this for one call is not measured with a larger transcript.
SLOWEST_CALL: Final = 0.7
OPTIONAL: Final = (
    "anthropic",
    "click",
    "filelock",
    "google",
    "openai",
    "pydantic",
    "pydantic_ai",
    "rich",
    "sqlalchemy",
)


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
def running() -> Iterator[dict[str, Run]]:
    """Run the contenders' processes for a while.

    Yields:
        The ways to them, by the contenders' names.
    """
    context = get_context("spawn")
    started = {}
    for name in CONTENDERS:
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


def measured(*, quick: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """Measure everything.

    Args:
        quick: whether to leave out what takes long.

    Returns:
        What was measured, and what the judge found, as plain JSON.
    """
    made = _made(quick=quick)
    with running() as runs:
        made["skipped"] = {name: str(run.version) for name, run in runs.items() if not isinstance(run.version, str)}
        for name in made["skipped"]:
            del runs[name]
        made["versions"] = {name: run.version for name, run in runs.items() if run.version}
        cells = [
            *_imports(("message-history",) if quick else tuple(runs)),
            *_cells(runs, QUICK_SIZES if quick else SIZES, made["rounds"]),
        ]
        found = {}
        for name, run in runs.items():
            if not name.startswith("message-history to "):
                _say(f"judging {name}")
                found[name] = run.judge(quick=quick)
    return {"made": made, "cells": cells}, {"made": made, "contenders": found}


def _made(*, quick: bool) -> dict[str, Any]:
    return {
        "command": "python -m benchmarks" + (" --quick" if quick else ""),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "machine": f"{_processor()}, {os.cpu_count()} cores, {platform.system()}",
        "rounds": QUICK_ROUNDS if quick else ROUNDS,
        "collector": "on, with a collection before each figure, outside the measurement",
    }


def _processor() -> str:
    cpus = Path("/proc/cpuinfo")
    lines = cpus.read_text(encoding="utf-8").splitlines() if cpus.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _cells(runs: dict[str, Run], sizes: tuple[int, ...], rounds: int) -> Iterator[dict[str, Any]]:
    too_slow: set[tuple[str, str]] = set()
    for size in sizes:
        for run in runs.values():
            run.open(size)
        for block, operations in BLOCKS.items():
            _say(f"{size:>9,} messages: {block}")
            ready = []
            for operation in operations:
                for name, run in runs.items():
                    cell = {"operation": operation.name, "size": size, "contender": name}
                    if size > operation.largest or (name.startswith("message-history to ") and size > 10_000):
                        continue
                    if (name, operation.name) in too_slow:
                        yield {**cell, "rounds": [], "why": "too slow"}
                    elif (seconds := run.prepare(operation.name)) is not None:
                        ready.append((cell, run, list[float]()))
                        if seconds > SLOWEST_CALL:
                            too_slow.add((name, operation.name))
            for _ in range(rounds):
                for cell, run, figures in ready:
                    figures.append(float(f"{run.measure(cell['operation']):.4g}"))
            for run in runs.values():
                run.close()
            yield from ({**cell, "rounds": figures} for cell, _, figures in ready)


def _imports(names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Measure the imports, each in a fresh process."""
    _say("imports")
    measured = [(name, CONTENDERS[name].imports, list[float]()) for name in names if CONTENDERS[name].imports]
    optional: list[str] = []
    # litellm asks the network for prices when it is imported, unless told to use its own.
    environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    for _ in range(QUICK_ROUNDS):
        for name, module, rounds in measured:
            code = (
                f"import sys, time; start = time.process_time(); import {module}; took = time.process_time() - start; "
                f"print(took, *[name for name in {OPTIONAL!r} if name in sys.modules])"
            )
            took, *others = subprocess.run(
                [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment
            ).stdout.split()
            rounds.append(float(f"{float(took):.4g}"))
            optional += others if name == "message-history" else []
    for name, _, rounds in measured:
        yield {"operation": "import", "size": 0, "contender": name, "rounds": rounds}
    yield {
        "operation": "optional packages imported",
        "size": 0,
        "contender": "message-history",
        "rounds": [len(optional)],
    }


def _say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)
