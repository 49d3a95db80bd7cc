"""Run campaigns: `python -m tests.campaigns --lists 1000000 --sequences 100000 --runs 100000 --loops 20000`.

Each has a number, from which all chance comes: `--lists 1 --first 4711` repeats what was found with number 4711.
`--threads 1000` shows what a switch in a bad place does, and most on a Python without the global lock.
`--growth 500` measures shapes of 500 and of 2,000 entries; no test does, as it needs a quiet machine.
`--explain` prints how `explain` does on each known text when that is left out; it takes two minutes.
Prints each failure, and in the end one line for each campaign; the exit code is 1 if there was any failure.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
import warnings
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Final

from tests.campaigns import explaining, files, growth, lists, loops, runs, sequences, threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

CAMPAIGNS: Final[dict[str, Callable[[int], Iterable[str]]]] = {
    "lists": lists.failures,
    "sequences": sequences.failures,
    "runs": runs.failures,
    "loops": loops.failures,
    "files": files.failures,
    "threads": threads.failures,
}
SHOWN: Final = 5
"""How many failures of one kind are printed."""


def main(arguments: list[str]) -> int:
    """Run the campaigns that are asked for.

    Args:
        arguments: those of the command line.

    Returns:
        The exit code.
    """
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns", description=__doc__)
    for name in CAMPAIGNS:
        parser.add_argument(f"--{name}", type=int, default=0, metavar="N")
    parser.add_argument("--growth", type=int, default=0, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="NUMBER")
    parser.add_argument("--explain", action="store_true")
    options = parser.parse_args(arguments)
    failed = False
    for name, failures in CAMPAIGNS.items():
        count = getattr(options, name)
        if count:
            failed = run(name, failures, options.first, count) or failed
    if options.growth:
        failed = run("growth", growth.failures, options.growth, 1) or failed
    if options.explain:
        found = list(explaining.outcomes(explaining.cases(), Random(options.first)))
        print("\n".join(explaining.report(found)))
    return int(failed)


def run(name: str, failures: Callable[[int], Iterable[str]], first: int, count: int) -> bool:
    """Run one campaign; return whether anything failed."""
    kinds: Counter[str] = Counter()
    start = time.monotonic()
    for done, number in enumerate(range(first, first + count), 1):
        for failure in failures(number):
            kinds[kind := failure.split(" at (")[0]] += 1
            if kinds[kind] <= SHOWN:
                print(f"{name} {number}: {failure}", flush=True)
        if done % 100_000 == 0:
            print(f"{name}: {done:,} of {count:,}, {kinds.total():,} failures", flush=True)
    seconds = time.monotonic() - start
    print(f"{name}: {count:,} in {seconds:,.0f} s, {kinds.total():,} failures", flush=True)
    for kind, times in kinds.most_common():
        print(f"  {times:,} times: {kind}")
    return bool(kinds)


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    sys.exit(main(sys.argv[1:]))
