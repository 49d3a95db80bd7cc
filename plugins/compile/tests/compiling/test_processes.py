"""How units are done by several processes, with something that stands for the pool: no process starts."""

from __future__ import annotations

import multiprocessing
import signal
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any, cast

import pytest
from tests.needs import needs_processes

from compiling.test_shards import ROW, SIZE, TRL
from message_history_compile import processes
from message_history_compile.processes import run_in_processes
from message_history_compile.shards import Unit, UnitReport, plan_units

if TYPE_CHECKING:
    from pathlib import Path

    from message_history_compile.plan import Plan


class Numbered(Future[UnitReport]):
    """A future that knows of which unit it is."""

    number = 0


class Pool:
    """Stands for a pool of processes: what is submitted is done at once, here."""

    made: list[Pool] = []  # noqa: RUF012 - emptied by each test
    breaks = 0

    def __init__(self, workers: int, *, mp_context: Any, initializer: Any, initargs: Any) -> None:
        self.about = (workers, mp_context.get_start_method(), initializer)
        self.ended: list[dict[str, Any]] = []
        self.taken: list[int] = []
        processes._counters[:] = initargs
        Pool.made.append(self)

    def submit(self, function: Any, unit: Unit, plan: Plan, work: str) -> Future[UnitReport]:
        future = Numbered()
        future.number = unit.index
        self.taken.append(unit.index)
        if Pool.breaks and unit.index:
            Pool.breaks -= 1
            future.set_exception(BrokenProcessPool("killed"))
        else:
            future.set_result(function(unit, plan, work))
        return future

    def shutdown(self, **options: Any) -> None:
        self.ended.append(options)


@pytest.fixture
def pools(monkeypatch: pytest.MonkeyPatch) -> list[Pool]:
    monkeypatch.setattr(processes, "ProcessPoolExecutor", Pool)

    # One after the other, whatever the addresses of the futures are.
    def first(waiting: set[Numbered], *_: object) -> tuple[set[Numbered], set[Numbered]]:
        done = min(waiting, key=lambda each: each.number)
        return {done}, waiting - {done}

    monkeypatch.setattr(processes, "wait", first)
    monkeypatch.setattr(processes, "_counters", [])
    monkeypatch.setattr(Pool, "made", [])
    monkeypatch.setattr(Pool, "breaks", 0)
    return Pool.made


def two_units(folder: Path) -> list[Unit]:
    path = folder / "in.jsonl"
    path.write_bytes(ROW * 4)
    return plan_units([str(path)], SIZE)


@needs_processes
def test_units_are_done_by_so_many_processes_and_their_progress_is_told(pools: list[Pool], tmp_path: Path) -> None:
    read: list[int] = []
    units = two_units(tmp_path)
    made = list(run_in_processes(2, read.append)(units, TRL, str(tmp_path / "work")))
    assert sorted(each.index for each in made) == [0, 1]
    assert read == [4 * SIZE]
    (pool,) = pools
    assert (pool.about, pool.ended) == ((2, "spawn", processes._begin), [{}])
    assert list(run_in_processes(3)(units, TRL, str(tmp_path / "work"))) != []
    assert pools[1].about[0] == 3


@needs_processes
@pytest.mark.parametrize(("breaks", "attempts"), [(0, 1), (1, 2), (4, 5), (5, 5)])
def test_a_unit_whose_process_was_killed_is_done_again_so_often(
    breaks: int, attempts: int, pools: list[Pool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Pool, "breaks", breaks)
    run = run_in_processes(2)(two_units(tmp_path), TRL, str(tmp_path / "work"))
    made: list[int] = []
    if breaks < processes.TRIES:
        made.extend(each.index for each in run)
        assert sorted(made) == [0, 1]
        assert pools[-1].ended == [{}]
    else:
        with pytest.raises(BrokenProcessPool):
            made.extend(each.index for each in run)
    assert len(pools) == attempts
    assert all(pool.ended == [{"wait": False, "cancel_futures": True}] for pool in pools[:breaks])
    assert all(pool.taken in ([0, 1], [1]) for pool in pools)


@needs_processes
def test_what_fails_in_a_process_ends_the_run(
    pools: list[Pool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failed(*_: object) -> Numbered:
        future = Numbered()
        future.set_exception(OSError("no place"))
        return future

    monkeypatch.setattr(Pool, "submit", failed)
    with pytest.raises(OSError, match="no place"):
        list(run_in_processes(1)(two_units(tmp_path)[:1], TRL, str(tmp_path / "work")))
    assert [pool.ended for pool in pools] == [[{"wait": False, "cancel_futures": True}]]


@needs_processes
@pytest.mark.usefixtures("pools")
def test_only_processes_of_the_run_are_ended_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[str] = []

    class Child:
        def __init__(self, name: str) -> None:
            self.name = name

        def terminate(self) -> None:
            ended.append(self.name)

    children = [Child("other")]
    monkeypatch.setattr(multiprocessing, "active_children", lambda: list(children))
    run = run_in_processes(2)(two_units(tmp_path), TRL, str(tmp_path / "work"))
    next(iter(run))
    children.append(Child("own"))
    cast("Any", run).close()
    assert ended == ["own"]


@needs_processes
def test_a_process_leaves_ctrl_c_to_the_one_that_started_it_and_counts_there(monkeypatch: pytest.MonkeyPatch) -> None:
    heeded: list[Any] = []
    monkeypatch.setattr(signal, "signal", lambda *given: heeded.append(given))
    monkeypatch.setattr(processes, "_counters", ["old"])
    counter = multiprocessing.get_context("spawn").Value("q", 3)
    processes._begin(counter)
    processes._count(4)
    processes._count(5)
    assert (heeded, counter.value) == ([(signal.SIGINT, signal.SIG_IGN)], 12)
    assert processes._counters == [counter]
