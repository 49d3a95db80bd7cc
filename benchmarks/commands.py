"""What starts anew each time: the import, and the command; each in a process of its own, whose bytecode is cached."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from benchmarks.operations import OURS
from benchmarks.transcripts import claude_code_lines, transcript

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["DOCTOR", "started"]

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
DOCTOR: Final = {"doctor": ("--jobs", "1"), "doctor_jobs": ("--jobs", "2")}
"""How `doctor` is measured: in one process, and in two."""
STARTS: Final = 5
"""How many processes a round starts for one figure. The least is taken: what else the machine does only adds to it, by
half as much again where two processes share a core, and a start is too short for that to even out."""
MESSAGES: Final = 200
_IMPORT: Final = (
    "import sys, time; start = time.process_time(); import message_history; took = time.process_time() - start; "
    f"print(took, *[name for name in {OPTIONAL!r} if name in sys.modules])"
)
_COMMAND: Final = "from message_history.cli import main; main()"


def started(rounds: int, files: int) -> Iterator[dict[str, Any]]:
    """Measure what starts anew each time.

    Args:
        rounds: how often.
        files: how many session files `doctor` reads.

    Yields:
        The cells. The import and `--help` in seconds of the processor, of several starts the least; `doctor` in
        seconds, as two processes share one clock, with the number of its files and their bytes.
    """
    cell: dict[str, Any] = {"size": 0, "contender": OURS}
    with _cached_bytecode() as environment:
        printed = [_run(environment, _IMPORT).split() for _ in range(rounds * STARTS + 1)][1:]
        yield {**cell, "operation": "import", "rounds": _least([float(took) for took, *_ in printed])}
        others = [sum(len(names) for _, *names in printed)]
        yield {**cell, "operation": "optional packages imported", "rounds": others}
        if find_spec("click") is None or find_spec("rich") is None:
            return
        figures = [_processor_time(environment, "--help") for _ in range(rounds * STARTS + 1)][1:]
        yield {**cell, "operation": "help", "rounds": _least(figures)}
        with TemporaryDirectory() as folder:
            written = _write_sessions(Path(folder), files)
            for operation, options in DOCTOR.items():
                figures = []
                for _ in range(rounds):
                    start = perf_counter()
                    _run(environment, _COMMAND, "doctor", folder, *options)
                    figures.append(_rounded(perf_counter() - start))
                yield {**cell, "operation": operation, "rounds": figures, "files": files, "bytes": written}


@contextmanager
def _cached_bytecode() -> Iterator[dict[str, str]]:
    """Give an environment in which modules are compiled once, as they are where a package is installed."""
    with TemporaryDirectory() as folder:
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        yield {**kept, "PYTHONPYCACHEPREFIX": folder}


def _run(environment: dict[str, str], code: str, *arguments: str) -> str:
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    if done.returncode not in (0, 1):  # `doctor` says with 1 that it found something.
        raise RuntimeError(done.stderr)
    return done.stdout


def _processor_time(environment: dict[str, str], *arguments: str) -> float:
    before = os.times()
    _run(environment, _COMMAND, *arguments)
    after = os.times()
    both = after.children_user + after.children_system - before.children_user - before.children_system
    return _rounded(both)


def _least(figures: list[float]) -> list[float]:
    """Return the least figure of each round."""
    return [_rounded(min(figures[start : start + STARTS])) for start in range(0, len(figures), STARTS)]


def _write_sessions(folder: Path, files: int) -> int:
    """Write sessions of Claude Code, one in ten of them damaged, and return how many bytes that are."""
    for number in range(files):
        lines = claude_code_lines(transcript(MESSAGES, damaged=number % 10 == 0))
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        (folder / f"{number:08x}-0000-4000-8000-000000000000.jsonl").write_text(text, encoding="utf-8")
    return sum(path.stat().st_size for path in folder.iterdir())


def _rounded(seconds: float) -> float:
    return float(f"{seconds:.4g}")
