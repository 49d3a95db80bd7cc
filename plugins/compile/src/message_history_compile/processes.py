"""Units compiled in several processes, which end when the run does."""

from __future__ import annotations

import multiprocessing
import signal
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from message_history_compile.shards import compile_unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from message_history_compile.plan import Plan
    from message_history_compile.shards import Runner, Unit, UnitReport

TRIES: Final = 5
"""How often the processes are started again after one of them was killed."""
_LOOK_AGAIN: Final = 0.2
_counters: list[Any] = []


def run_in_processes(workers: int, on_progress: Callable[[int], None] | None = None) -> Runner:
    """Compile units in several processes. A unit whose process was killed is compiled again.

    When the run is stopped, as by Ctrl-C, the processes are ended at once.

    Args:
        workers: how many.
        on_progress: is called with the number of bytes that were read since the last call.

    Returns:
        What `compile_files` takes as `run`.
    """
    return partial(_run, workers, on_progress)


def _run(
    workers: int, on_progress: Callable[[int], None] | None, units: Sequence[Unit], plan: Plan, work: str
) -> Iterator[UnitReport]:
    waiting = {unit.index: unit for unit in units}
    for attempt in count(1):
        try:
            for report in _attempt(workers, on_progress, list(waiting.values()), plan, work):
                del waiting[report.index]
                yield report
        except BrokenProcessPool:
            if attempt == TRIES:
                raise
        if not waiting:
            return


def _attempt(
    workers: int, on_progress: Callable[[int], None] | None, units: Sequence[Unit], plan: Plan, work: str
) -> Iterator[UnitReport]:
    context = multiprocessing.get_context("spawn")
    counter = context.Value("q", 0)
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(counter,))
    seen = 0
    try:
        open_units = {pool.submit(_compile, unit, plan, work) for unit in units}
        while open_units:
            done, open_units = wait(open_units, _LOOK_AGAIN, FIRST_COMPLETED)
            read = counter.value
            if on_progress is not None and read > seen:
                on_progress(read - seen)
            seen = read
            for future in done:
                yield future.result()
        pool.shutdown()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - others:
            child.terminate()
        raise


def _begin(counter: Any) -> None:
    """Leave Ctrl-C to the process that started this one, and count there."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _counters[:] = [counter]


def _compile(unit: Unit, plan: Plan, work: str) -> UnitReport:
    return compile_unit(unit, plan, work, _count)


def _count(read: int) -> None:
    for counter in _counters:
        with counter.get_lock():
            counter.value += read
