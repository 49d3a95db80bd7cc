"""Time is linear: every shape of a list, doubled twice, runs twice as many more lines of Python the second time."""

from __future__ import annotations

import pytest

from tests.campaigns.growth import SHAPES, lines_of, work

SIZE = 16
WORST = 2.3
"""How much more the second doubling may add than the first: n adds 2 times, n log n about 2.2, squares 4."""


def too_much(shape: str, size: int) -> dict[str, tuple[int, ...]]:
    """Return what costs more than n log n, with the lines that it runs for each size."""
    found: dict[str, tuple[int, ...]] = {}
    for many in zip(*(work(SHAPES[shape](n)) for n in (size, 2 * size, 4 * size)), strict=True):
        many[0][1]()  # What is read once, as a table of rules, is not counted.
        small, middle, large = (lines_of(do) for _, do in many)
        if large - middle > WORST * (middle - small):
            found[many[0][0]] = (small, middle, large)
    return found


@pytest.mark.heavy
@pytest.mark.parametrize("shape", SHAPES)
def test_twice_as_much_costs_little_more_than_twice_as_much(shape: str) -> None:
    assert too_much(shape, SIZE) == {}


def test_a_square_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SHAPES, "square", lambda n: [{"role": "user", "content": "q"}] * (n * n // SIZE))
    assert "read" in too_much("square", SIZE)


def test_each_turn_of_a_loop_is_counted() -> None:
    hundred = range(100)
    assert lines_of(lambda: [i + 1 for i in hundred]) > 100
    assert lines_of(lambda: sum(i + 1 for i in hundred)) > 100
