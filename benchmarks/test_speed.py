"""A quick comparison during development, of this library alone: `pytest benchmarks/test_speed.py`.

It needs pytest-benchmark, of the group `benchmarks`; `--benchmark-compare` tells what a change did. The figures that
are published come from `python -m benchmarks`.
"""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.contenders.ours import Ours

pytest.importorskip("pytest_benchmark")

OPERATIONS = (
    "append",
    "append_dict",
    "pieces",
    "ingest_dicts",
    "repair",
    "export",
    "export_json_again",
    "fork",
    "pickle",
)


@pytest.mark.parametrize("size", [10, 1_000])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_speed(benchmark: Any, operation: str, size: int) -> None:
    case = getattr(Ours(size), operation)()
    benchmark.extra_info["operations"] = case.times
    if case.before is None:
        benchmark(case.run)
    else:
        benchmark.pedantic(case.run, setup=case.before, rounds=20)
