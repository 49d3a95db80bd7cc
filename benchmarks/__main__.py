"""Measure all contenders, and write what was found.

python -m benchmarks            measures, writes results/*.json, docs/performance*.md, charts and the README's table
python -m benchmarks --again    measures once more, and adds its rounds to those of the last time: where figures spread
python -m benchmarks --quick    measures small transcripts in about a quiet minute, and prints; writes nothing
python -m benchmarks --beside   measures this library alone, for another Python than the page's: results/python-*.json
python -m benchmarks --threads  measures what two threads take beside one, with this Python: results/threads-*.json
python -m benchmarks --pages    only writes the page, the charts and the table again, from results/*.json
python -m benchmarks --check    only tells whether they are current: exit code 1 if not
"""

from __future__ import annotations

import sys

from benchmarks.measure import measured
from benchmarks.report import pages, printed
from benchmarks.results import Speed, read, with_rounds_of, write, write_beside
from benchmarks.threads import shared


def main(arguments: list[str]) -> int:
    """Measure, write or check.

    Args:
        arguments: of the command line.

    Returns:
        The exit code.
    """
    if set(arguments) - {"--again", "--quick", "--beside", "--threads", "--pages", "--check"}:
        print(__doc__)
        return 2
    if "--quick" in arguments:
        speed, validity = measured(quick=True)
        print(printed(Speed(speed["made"], speed["cells"]), validity))
        return 0
    if "--beside" in arguments:
        write_beside(measured(quick=False, peers=False)[0])
    if "--threads" in arguments:
        write_beside(shared(), kind="threads")
    if not arguments:
        write(*measured(quick=False))
    if "--again" in arguments:
        before = read()[0]
        speed, validity = measured(quick=False)
        write(with_rounds_of(before, speed), validity)
    stale = 0
    for path, text in pages(*read()).items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if "--check" in arguments:
            print(f"{path}: STALE; run: python -m benchmarks --pages")
            stale = 1
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"written: {path}")
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
