"""Which tests ran, joined over all environments: a test that every one of them skips or leaves out tests nothing.

Each run of pytest writes what became of its tests into the folder that `MESSAGE_HISTORY_OUTCOMES` names;
`python -m tests.outcomes FOLDER` fails for each test that none of them ran, but for what `EXCUSED` gives a reason for.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pytest

FOLDER = "MESSAGE_HISTORY_OUTCOMES"
"""Set in the environment, it names the folder that outcomes are written to."""
ROOT = Path(__file__).parents[1]
RAN = "ran"
EXCUSED = {
    r"tests/performance/test_benchmarks\.py::test_a_contender_does_what_its_operations_say\[": (
        "what we are compared with is of many packages that no test needs; `python -m benchmarks` runs it"
    ),
    r"tests/formats/test_repair_in_place\.py::test_new_rows_are_linked_into_the_conversation\[": (
        "a program that keeps a call and its result in one row, or adds results itself, has no such row"
    ),
    r"tests/sessions/test_sql_tables\.py::test_(who_may_not|a_server_that_was)\w+\[sqlite\]": (
        "SQLite has neither users nor a server"
    ),
    r"plugins/compile/tests/trainers/test_(axolotl|collator|llama_factory)\.py": (
        "they need torch, which takes several gigabytes where there is no build for processors alone"
    ),
    r"tests/files/test_writing\.py::.*": "only root gives files away, and not every file system has attributes",
}
"""Expressions that name tests, from their beginning, which may be skipped in every environment, with the reason."""


class Recorder:
    """Writes what became of each test when a run ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._outcomes: dict[str, str] = {}

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        for item in items:
            self._outcomes.setdefault(item.nodeid, "left out")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self._outcomes[report.nodeid] = _reason(report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed or (report.when == "call" and (report.passed or hasattr(report, "wasxfail"))):
            self._outcomes[report.nodeid] = RAN
        elif report.skipped:
            self._outcomes.setdefault(report.nodeid, _reason(report))

    def pytest_sessionfinish(self) -> None:
        handle, _ = tempfile.mkstemp(".json", dir=self._folder)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(self._outcomes, file)


def _reason(report: pytest.CollectReport | pytest.TestReport) -> str:
    said = report.longrepr
    return said[2] if isinstance(said, tuple) else str(said)


def record(config: pytest.Config) -> None:
    """Let a run of pytest write its outcomes, if the environment names a folder."""
    folder = os.environ.get(FOLDER)
    if folder and not config.pluginmanager.has_plugin(FOLDER):
        config.pluginmanager.register(Recorder(Path(folder)), FOLDER)


def never_run(outcomes: Iterable[dict[str, str]], files: Iterable[str] = ()) -> dict[str, str]:
    """Return why each test that ran nowhere did not; a file of tests that was collected nowhere is named too.

    A file that is skipped as a whole is fine where another environment collected its tests, and so is a test whose
    parameters could not be listed.
    """
    joined: dict[str, set[str]] = {}
    for each in outcomes:
        for name, outcome in each.items():
            joined.setdefault(name, set()).add(outcome)
    collected = {name.partition("::")[0] for name in joined if "::" in name}
    with_parameters = {name.partition("[")[0] for name, all_of in joined.items() if RAN in all_of}
    missing = {
        name: "; ".join(sorted(all_of))
        for name, all_of in joined.items()
        if RAN not in all_of
        and name not in collected
        and not (name.endswith("[NOTSET]") and name.partition("[")[0] in with_parameters)
    }
    missing |= {file: "not collected" for file in files if file not in collected and file not in joined}
    return {name: why for name, why in sorted(missing.items()) if not any(re.match(each, name) for each in EXCUSED)}


def files_of_tests() -> list[str]:
    """Return the files that hold tests of the project, by their paths."""
    found = (path for part in ("tests", "plugins") for path in (ROOT / part).rglob("test_*.py"))
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def main(folder: Path) -> int:
    """Print each test that no run in a folder ran, with the reasons."""
    outcomes = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]
    missing = never_run(outcomes, files_of_tests())
    for name, why in missing.items():
        sys.stdout.write(f"{name}: {why}\n")
    sys.stdout.write(f"{len(missing)} tests ran in none of {len(outcomes)} runs\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
