"""A run: files in, a folder of shards out. A run that was killed goes on where it was, with the same bytes."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from contextlib import ExitStack, contextmanager
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from attrs import field, frozen

from message_history.files.disk import replace
from message_history.files.errors import SessionError, SessionLockedError
from message_history.files.files import json_bytes
from message_history.storage.sessions.locking import locked
from message_history_compile.counting import check_files
from message_history_compile.finishing import finish, write_learned
from message_history_compile.inputs import find_inputs, hash_of, repaired_copies, spooled
from message_history_compile.places import STDIN, is_url
from message_history_compile.plan import checked_plan
from message_history_compile.publishing import publish
from message_history_compile.shards import REJECTED, Unit, UnitReport, compile_unit, plan_units, report_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from message_history_compile.plan import Plan
    from message_history_compile.shards import Runner

UNIT_BYTES: Final = 64 * 1024 * 1024
WORK: Final = ".work"
RUN: Final = "run.json"
MANIFEST: Final = "manifest.json"


@final
@frozen(kw_only=True)
class CompileReport:
    """What a run made.

    Args:
        rows: how many rows each split has.
        repaired: how many of them needed repairs.
        repairs: how many repairs there were, by code.
        rejected: how many conversations were rejected, by reason.
        bytes: how many bytes were read.
        shards: how many units of work there were.
    """

    rows: dict[str, int] = field(factory=dict)
    repaired: int = 0
    repairs: dict[str, int] = field(factory=dict)
    rejected: dict[str, int] = field(factory=dict)
    bytes: int = 0
    shards: int = 0


def compile_files(
    inputs: Iterable[str | PathLike[str]],
    plan: Plan,
    out: str | PathLike[str],
    *,
    unit_bytes: int = UNIT_BYTES,
    run: Runner | None = None,
    on_start: Callable[[int], None] | None = None,
    on_report: Callable[[UnitReport], None] | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> CompileReport:
    """Compile the conversations in files to what a trainer or an evaluator takes.

    The folder gets a subfolder with shards for each split, `rejected.jsonl` with what was not compiled and why,
    `manifest.json`, and what the target's taker needs besides. A run that was killed goes on where it was when it is
    called again with the same arguments, and makes the same bytes. While one is at work, a second is refused; that
    needs filelock, of the extra `sessions`.

    Args:
        inputs: files, and folders that are searched for files of JSON and Parquet, packed with gzip or Zstandard or
            not; on this machine, or URLs of a filesystem that fsspec has; `-` is the standard input.
        plan: what to compile them to.
        out: the folder to write; it may hold nothing but an earlier run with the same arguments. For a URL, all is
            made in a folder of the user's cache and put there at the end.
        unit_bytes: how much input makes one shard of the output.
        run: who does the work; None for this process. See `run_in_processes` and `message_history_compile.engines.ray`.
        on_start: is called with the number of bytes to read.
        on_report: is called with the report of each shard, also of those from an earlier run.
        on_progress: is called with the number of bytes that were read since the last call; `run`, where it is given,
            must do that itself for what it compiles.

    Returns:
        What was made.

    Raises:
        CountError: when a conversation is neither a row nor rejected.
        FileExistsError: when the folder holds something else, or another run is at work in it.
        FileNotFoundError: when an input is not there.
        ModuleNotFoundError: when a URL needs a package that is not installed.
        OSError: when it cannot be written.
        TypeError: for one path that is not in a list, or what is not a plan.

    Complexity: linear in the input; memory is that of one conversation, or of one group of rows for Parquet, for each
        worker. With `dedupe`, finishing holds a hash of 16 bytes for each row.
    """
    checked_plan(plan)
    if is_url(str(out)):

        def make(folder: Path) -> CompileReport:
            return compile_files(
                inputs,
                plan,
                folder,
                unit_bytes=unit_bytes,
                run=run,
                on_start=on_start,
                on_report=on_report,
                on_progress=on_progress,
            )

        return publish(make, str(out), MANIFEST)
    folder = Path(out)
    paths = _files(inputs, folder / WORK)
    units = plan_units(paths, unit_bytes, plan.format, repaired_copies(paths))
    fingerprint = {
        "plan": plan.fingerprint(),
        "units": [[list(part) for part in unit.parts] for unit in units],
        "inputs": [hash_of(path) for path in paths],
    }
    if on_start is not None:
        on_start(sum(unit.size for unit in units))
    try:
        made = _made_before(folder, fingerprint)
    finally:
        # Where a run has ended, only the standard input was put there.
        if (folder / MANIFEST).exists():
            shutil.rmtree(folder / WORK, ignore_errors=True)
    if made is not None:
        return made
    work = _work_folder(folder)
    with _only_run(folder, work):
        # Another run may have ended between that look and the lock.
        made = _made_before(folder, fingerprint)
        if made is not None:
            return made
        _begin(folder, work, fingerprint)
        reports: list[UnitReport] = []
        for report in _compiled(units, plan, work, run or partial(run_here, on_progress=on_progress), on_progress):
            reports.append(report)
            if on_report is not None:
                on_report(report)
        reports.sort(key=lambda each: each.index)
        shards, duplicates = finish(folder, work, reports, plan)
        total = _total(reports, duplicates)
        check_files(folder, shards, folder / REJECTED, sum(total.rejected.values()))
        write_learned(folder, work, reports, {"target": plan.target, **_values(total)})
        values = {"run": fingerprint, "report": _values(total), "shards": shards}
        replace(folder / MANIFEST, [json_bytes(values, indent=1) + b"\n"], sync=True, private=False)
    shutil.rmtree(work)
    return total


def _compiled(
    units: Sequence[Unit], plan: Plan, work: Path, run: Runner, on_progress: Callable[[int], None] | None
) -> Iterator[UnitReport]:
    """Yield the reports of the units that are done, then those of the others, each as it is done."""
    done = {unit.index: report_of(work, unit.index) for unit in units}
    for report in filter(None, done.values()):
        if on_progress is not None:
            on_progress(report.bytes)
        yield report
    waiting = [unit for unit in units if done[unit.index] is None]
    if waiting:
        yield from run(waiting, plan, str(work))


def run_here(
    units: Sequence[Unit], plan: Plan, work: str, on_progress: Callable[[int], None] | None = None
) -> Iterator[UnitReport]:
    """Compile units one after the other, in this process."""
    for unit in units:
        yield compile_unit(unit, plan, work, on_progress)


def _files(inputs: Iterable[str | PathLike[str]], work: Path) -> list[str]:
    if isinstance(inputs, str | PathLike):
        raise TypeError(f"inputs must be a list of paths, not {type(inputs).__name__}; write [path]")
    return find_inputs(spooled(work) if each == STDIN else each for each in inputs)


def _made_before(folder: Path, fingerprint: dict[str, Any]) -> CompileReport | None:
    """Return what an earlier run with the same arguments made; None when none has ended, and another is refused."""
    try:
        saved = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    if saved.get("run") != fingerprint:
        raise FileExistsError(f"{folder}: it holds the output of another run; choose another folder")
    return CompileReport(**saved["report"])


def _work_folder(folder: Path) -> Path:
    """Return the folder of unfinished work, in a folder that holds nothing else or a run that was begun."""
    work = folder / WORK
    if not (work / RUN).exists() and folder.exists() and any(path.name != WORK for path in folder.iterdir()):
        raise FileExistsError(f"{folder}: it is not empty; choose a new folder")
    work.mkdir(parents=True, exist_ok=True)
    return work


@contextmanager
def _only_run(folder: Path, work: Path) -> Iterator[None]:
    """Hold the lock of a run: two would take each other's files away."""
    with ExitStack() as held:
        try:
            held.enter_context(locked(work / RUN, timeout=0))
        except SessionLockedError:
            now = "another run writes to it now; wait until it has ended, or choose another folder"
            raise FileExistsError(f"{folder}: {now}") from None
        except SessionError:
            # There are no locks without filelock, nor in every file system. Then the caller starts one run only.
            pass
        yield


def _begin(folder: Path, work: Path, fingerprint: dict[str, Any]) -> None:
    """Write down which run this is, or go on with it; the unfinished work of another run is refused."""
    run = work / RUN
    if not run.exists():
        replace(run, [json_bytes(fingerprint)], sync=True, private=False)
    elif json.loads(run.read_text(encoding="utf-8")) != fingerprint:
        raise FileExistsError(f"{folder}: another run was begun there; choose another folder, or remove it")


def _total(reports: Iterable[UnitReport], duplicates: Counter[str]) -> CompileReport:
    rows: Counter[str] = Counter()
    repairs: Counter[str] = Counter()
    rejected: Counter[str] = Counter()
    repaired = size = count = 0
    for report in reports:
        rows.update(report.rows)
        repairs.update(report.repairs)
        rejected.update(report.rejected)
        repaired += report.repaired
        size += report.bytes
        count += 1
    rows.subtract(duplicates)
    rejected["duplicate"] += duplicates.total()
    return CompileReport(
        rows=dict(sorted((+rows).items())),
        repaired=repaired,
        repairs=dict(sorted(repairs.items())),
        rejected=dict(sorted((+rejected).items())),
        bytes=size,
        shards=count,
    )


def _values(total: CompileReport) -> dict[str, Any]:
    return {name: getattr(total, name) for name in ("rows", "repaired", "repairs", "rejected", "bytes", "shards")}
