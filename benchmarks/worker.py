"""A contender's own process: it makes operations ready, and measures them when told to."""

from __future__ import annotations

import gc
import tracemalloc
from contextlib import suppress
from time import process_time
from typing import TYPE_CHECKING, Any

from benchmarks.contenders import load, version_of
from benchmarks.operations import BYTES
from benchmarks.validity import judged

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from benchmarks.contenders.base import Case, Contender

__all__ = ["serve"]

SHORTEST_RUN = 0.005
LONGEST_FIRST_CALL = 0.5
MOST_CALLS = 100_000
TRIES = 3
"""How often a figure is taken, of which the least counts: what else the machine does only adds to it."""
ENOUGH = 0.05
"""The seconds after which no further try is made."""


class Worker:
    """What a process does for its contender.

    Args:
        name: the contender's name.

    Raises:
        ImportError: when what the contender needs is not installed.
    """

    def __init__(self, name: str) -> None:
        self._make = load(name)
        self._contender: Contender | None = None
        self._cases: dict[str, tuple[Case, int]] = {}
        self.version = version_of(name)
        # What an import left behind is not part of a conversation: no contender pays for it in a collection.
        gc.collect()
        gc.freeze()

    def open(self, size: int) -> None:
        """Take a transcript of a size."""
        self._contender = self._make(size)

    def prepare(self, operation: str) -> int | None:
        """Make an operation ready, run it at least once, and choose how often it is called for one figure.

        Args:
            operation: its name.

        Returns:
            How often one call does it, or None when the contender does not have the operation.
        """
        case: Case | None = getattr(self._contender, operation, lambda: None)()
        if case is None:
            return None
        if operation in BYTES:
            self._cases[operation] = case, 1
            return case.times
        calls = 1
        seconds = _timed(case, calls)
        if case.before is None and seconds < LONGEST_FIRST_CALL:
            # The first call imports and compiles what the others find: by it, a short operation would seem long enough.
            seconds = _timed(case, calls)
        while case.before is None and seconds < SHORTEST_RUN and calls < MOST_CALLS:
            calls = min(MOST_CALLS, 1 + int(calls * max(1.5, min(20.0, SHORTEST_RUN / seconds))))
            seconds = _timed(case, calls)
        self._cases[operation] = case, calls
        return case.times

    def measure(self, operation: str) -> float:
        """Measure an operation.

        Args:
            operation: its name.

        Returns:
            The seconds that it takes, the least of a few tries; or the bytes that it holds.
        """
        case, calls = self._cases[operation]
        if operation in BYTES:
            return _held(case) / case.times
        tries: list[float] = []
        while len(tries) < TRIES and sum(tries) < ENOUGH:
            tries.append(_timed(case, calls, collect=True))
        return min(tries) / calls / case.times

    def close(self) -> None:
        """Let go of the operations that are ready."""
        self._cases.clear()

    def judge(self, *, quick: bool) -> dict[str, Any]:
        """Judge what the contender sends."""
        return judged(self._make, quick=quick)


def _timed(case: Case, calls: int, *, collect: bool = False) -> float:
    run = case.run
    if case.before is not None:
        case.before()
    if collect:
        gc.collect()
    start = process_time()
    for _ in range(calls):
        run()
    return process_time() - start


def _held(case: Case) -> int:
    gc.collect()
    tracemalloc.start()
    held = case.run()
    gc.collect()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del held
    return size


def serve(connection: Connection, name: str) -> None:
    """Do what comes over a connection, until it closes.

    Args:
        connection: gives the name of a method and its arguments, and takes what it returns.
        name: the contender's name.
    """
    try:
        worker = Worker(name)
    except ImportError as error:
        connection.send(error)
        return
    # Whoever asks may go away.
    with suppress(EOFError, BrokenPipeError):
        connection.send(worker.version)
        while (request := connection.recv()) is not None:
            method, arguments, options = request
            connection.send(getattr(worker, method)(*arguments, **options))
