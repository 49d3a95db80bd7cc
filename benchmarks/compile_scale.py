"""Conversations compiled on a local Ray, with a worker and the driver killed: `python -m benchmarks.compile_scale`.

    python -m benchmarks.compile_scale FOLDER OUT --make 1000000 --kill --compare      # needs ./plugins/compile[ray]

It makes the input, kills a worker and then the driver in mid-run, starts again, compiles the same once more without
being disturbed, and compares the bytes. It prints the time that `json.loads` alone takes for the same lines, and what
time and memory the workers took.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.damaged_conversations import lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SAMPLE_BYTES: Final = 200_000_000
TASK: Final = "ray::MapBatches"
"""How the command of a worker begins while it runs a unit."""
FILES: Final = 4
"""How many files the input is made of."""


def drive(folder: Path, out: Path, workers: int, unit_bytes: int) -> None:
    """Compile all files of a folder on a local Ray; this is the process that is killed."""
    import ray  # noqa: PLC0415 - the measuring process does without

    from message_history_compile import Plan, compile_files  # noqa: PLC0415
    from message_history_compile.engines.ray import run_on_ray  # noqa: PLC0415

    ray.init(num_cpus=workers, object_store_memory=200_000_000, include_dashboard=False, log_to_driver=False)
    done = [0]

    def show(report: Any) -> None:
        done[0] += sum(report.rows.values())
        print(f"done {report.index} {done[0]}", flush=True)

    report = compile_files(
        sorted(folder.glob("*.jsonl")),
        Plan(target="trl"),
        out,
        unit_bytes=unit_bytes,
        run=run_on_ray,
        on_report=show,
    )
    print(json.dumps({"rows": report.rows, "repaired": report.repaired, "rejected": report.rejected}), flush=True)


def measure_loads(folder: Path) -> float:
    """Return how many bytes `json.loads` alone reads in a second of processor time."""
    read = 0
    start = time.process_time()
    for path in sorted(folder.glob("*.jsonl")):
        with path.open("rb") as opened:
            for line in opened:
                read += len(line)
                try:
                    json.loads(line)
                except ValueError:
                    continue
                if read > SAMPLE_BYTES:
                    return read / (time.process_time() - start)
    return read / (time.process_time() - start)


def _processes() -> dict[int, tuple[int, str, int, float]]:
    """Give all processes: the parent, the command, the memory in bytes and the seconds of the processor."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                memory = int((entry / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            except (OSError, IndexError):
                continue
            ticks = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            found[int(entry.name)] = (int(fields[1]), command, memory, ticks)
    return found


def workers_of(driver: int, command_start: str = "ray::") -> Iterator[tuple[int, int, float]]:
    """Give the processes below another whose commands begin so: their ids, memory and time."""
    processes = _processes()
    for pid, (parent, command, memory, seconds) in processes.items():
        above = parent
        while above not in (0, 1, driver) and above in processes:
            above = processes[above][0]
        if above == driver and command.startswith(command_start):
            yield pid, memory, seconds


class Watch(threading.Thread):
    """Samples the memory and the time of the workers."""

    def __init__(self, driver: int, command_start: str = "ray::") -> None:
        super().__init__(daemon=True)
        self.driver = driver
        self.command_start = command_start
        self.peaks: dict[int, int] = defaultdict(int)
        self.seconds: dict[int, float] = {}
        self.start_time = time.monotonic()
        self.stop = False

    def run(self) -> None:
        while not self.stop:
            minute = int(time.monotonic() - self.start_time) // 60
            for pid, memory, seconds in workers_of(self.driver, self.command_start):
                self.peaks[minute] = max(self.peaks[minute], memory)
                self.seconds[pid] = seconds
            time.sleep(0.5)


def run_once(chosen: argparse.Namespace, out: Path, kill: Sequence[str] = ()) -> bool:
    """Run the driver; kill a worker or the driver, one after the other, each after some units.

    Returns:
        Whether it came to its end.
    """
    left, after = list(kill), chosen.kill_after
    command = [sys.executable, "-m", "benchmarks.compile_scale", str(chosen.folder), str(out), "--drive"]
    command += ["--workers", str(chosen.workers), "--unit-mb", str(chosen.unit_mb)]
    started = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as driver:
        watch = Watch(driver.pid)
        watch.start()
        units = 0
        for line in driver.stdout or ():
            units += line.startswith("done")
            if not line.startswith("done"):
                print(line.strip())
            if left and units >= after:
                # Ray's own agents are named like its workers: without one of them, the whole node ends.
                tasks = [pid for pid, _, _ in workers_of(driver.pid, TASK)]
                if left[0] == "worker" and not tasks:
                    continue
                victim, after = left.pop(0), units + chosen.kill_after
                print(f"kill the {victim} after {units} units", flush=True)
                if victim == "driver":
                    os.killpg(driver.pid, signal.SIGKILL)
                else:
                    os.kill(tasks[0], signal.SIGKILL)
        watch.stop = True
    peaks = ", ".join(f"{memory / 1e6:.0f}" for _, memory in sorted(watch.peaks.items()))
    print(f"seconds {time.monotonic() - started:.0f}, of the workers' processors {sum(watch.seconds.values()):.0f}")
    print(f"peak memory of a worker in each minute, MB: {peaks}")
    return driver.returncode == 0


def hash_of(out: Path) -> str:
    """Hash all that was written."""
    hashed = hashlib.sha256()
    for path in sorted(out.rglob("*")):
        if path.is_file():
            hashed.update(str(path.relative_to(out)).encode())
            with path.open("rb") as opened:
                while chunk := opened.read(1 << 20):
                    hashed.update(chunk)
    return hashed.hexdigest()


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kill", action="store_true", help="kill a worker, then the driver, then start again")
    parser.add_argument("--kill-after", type=int, default=10, help="after how many units")
    parser.add_argument("--unit-mb", type=int, default=64, help="how much input makes one unit of work")
    parser.add_argument("--make", type=int, metavar="N", help="make N conversations in FOLDER first")
    parser.add_argument("--compare", action="store_true", help="compile once more, undisturbed, and compare the bytes")
    parser.add_argument("--drive", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.drive:
        drive(chosen.folder, chosen.out, chosen.workers, chosen.unit_mb * 1_000_000)
        return
    if chosen.make:
        chosen.folder.mkdir(parents=True, exist_ok=True)
        for n in range(FILES):
            count = chosen.make // FILES
            with (chosen.folder / f"in-{n}.jsonl").open("wb") as opened:
                opened.writelines(lines(count, n * count))
    size = sum(path.stat().st_size for path in chosen.folder.glob("*.jsonl"))
    print(f"input {size / 1e9:.2f} GB; json.loads alone: {measure_loads(chosen.folder) / 1e6:.0f} MB/s of a processor")
    if chosen.kill:
        run_once(chosen, chosen.out, ("worker", "driver"))
    if not run_once(chosen, chosen.out):
        sys.exit("the driver failed")
    print(f"sha256 of all files: {hash_of(chosen.out)}")
    if chosen.compare:
        other = chosen.out.with_name(f"{chosen.out.name}-undisturbed")
        if not run_once(chosen, other):
            sys.exit("the driver failed")
        print(f"sha256 without a kill: {hash_of(other)}")
        if hash_of(other) != hash_of(chosen.out):
            sys.exit("the bytes differ")


if __name__ == "__main__":
    main()
