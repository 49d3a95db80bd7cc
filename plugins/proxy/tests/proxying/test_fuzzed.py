"""Short inputs at random on the proxy's HTTP side; guided runs are `python -m tests.fuzzing proxy FOLDER`."""

from __future__ import annotations

from random import Random

import pytest
from tests.fuzzing.test_found import mutated

from proxying.targets import SEEDS, ask


@pytest.mark.parametrize("count", [60, pytest.param(5_000, marks=pytest.mark.heavy)])
def test_no_bytes_that_arrive_make_the_proxy_fail(count: int) -> None:
    chance = Random(count)
    for seed in SEEDS:
        ask(seed)
    for _ in range(count):
        ask(mutated(SEEDS, chance))
