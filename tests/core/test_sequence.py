"""A plain list and a log, side by side."""

from __future__ import annotations

import gc
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history.core.values.log import SIZE, Log

steps = st.lists(st.one_of(st.just("append"), st.just("fork"), st.integers(1, 300)), max_size=12)


@given(steps)
def test_a_log_is_a_list_at_every_step(taken: list[str | int]) -> None:
    versions: list[tuple[Log[int], list[int]]] = [(Log(), [])]
    count = 0
    for step in taken:
        log, plain = versions[-1] if step != "fork" else versions[len(versions) // 2]
        more = [count := count + 1 for _ in range(step if isinstance(step, int) else 1)]
        versions.append((log.extend(more), plain + more))
    for log, plain in versions:
        assert list(log) == plain
        assert len(log) == len(plain)
        assert bool(log) == bool(plain)
        assert log[:] == plain
        assert [log[position] for position in range(len(plain))] == plain


def test_a_log_of_several_chunks_is_a_list() -> None:
    plain = list(range(3 * SIZE + 7))
    grown: Log[int] = Log()
    for item in plain:
        grown = grown.append(item)
    for log in (grown, Log(plain)):
        assert list(log) == plain
        assert (log[0], log[SIZE], log[-1], log[SIZE - 1 : SIZE + 1]) == (0, SIZE, plain[-1], [SIZE - 1, SIZE])
    with pytest.raises(IndexError, match="position"):
        grown[len(plain)]
    with pytest.raises(IndexError, match="position"):
        grown[-len(plain) - 1]


def test_versions_that_grow_apart_at_the_end_of_a_chunk_do_not_see_each_other() -> None:
    for length in (0, 1, SIZE - 1, SIZE, SIZE + 1):
        base = Log(range(length))
        versions = [base.append(-n).append(-n) for n in range(1, 4)]
        assert [list(version)[length:] for version in versions] == [[-1, -1], [-2, -2], [-3, -3]]
        assert list(base) == list(range(length))


def test_an_older_version_keeps_no_more_than_one_chunk_of_newer_items_alive() -> None:
    old: Log[object] = Log([object()])
    new = old
    for _ in range(10 * SIZE):
        new = new.append(object())
    chunks = {id(chunk) for chunk in new.last.before}
    del new
    gc.collect()
    alive = sum(1 for found in gc.get_referents(old.last) if isinstance(found, list) and len(found) > SIZE)
    assert alive == 0
    assert len(chunks) == 10
    assert sys.getrefcount(old.last) < 4


def _total(start: int, run: list[int]) -> tuple[int, int]:
    return start, sum(run)


@given(st.integers(0, 3 * SIZE))
def test_summaries_cover_the_log_once(length: int) -> None:
    log = Log(range(length))
    found = list(log.summaries(_total))
    assert sum(total for _, total in found) == sum(range(length))
    assert [start for start, _ in found] == sorted(start for start, _ in found)
    assert len(found) <= max(length, 1).bit_length()


@given(st.integers(0, 6 * SIZE), st.integers(0, 6 * SIZE))
def test_summaries_of_the_end_of_a_log_are_of_the_same_runs_wherever_they_begin(a: int, b: int) -> None:
    first, length = sorted((a, b))
    log = Log(range(length))
    found = list(log.summaries(_total, first))
    begin = first - first % SIZE
    assert sum(total for _, total in found) == sum(range(begin, length))
    assert [start for start, _ in found][:1] == [begin][: len(found)]
    assert len(found) <= 2 * max(length, 1).bit_length()
    assert all(start % (1 << (end - start).bit_length() - 1) == 0 for start, end in _runs(log, first))


def _runs(log: Log[int], first: int) -> list[tuple[int, int]]:
    return list(log.summaries(lambda start, run: (start, start + len(run)), first))


def test_summaries_of_versions_that_grew_apart_differ() -> None:
    base = Log(range(SIZE))
    left = base.extend([1] * SIZE)
    right = base.extend([2] * SIZE)
    assert [total for _, total in left.summaries(_total)] != [total for _, total in right.summaries(_total)]
    assert sum(total for _, total in right.summaries(_total)) == sum(range(SIZE)) + 2 * SIZE


def test_a_summary_is_worked_out_once_for_all_versions() -> None:
    calls = []

    def count(start: int, run: list[int]) -> int:
        calls.append((start, len(run)))
        return len(run)

    log = Log(range(SIZE + 8))
    for _ in range(3):
        list(log.summaries(count))
        list(log.append(0).summaries(count))
    assert calls == [(0, SIZE), (SIZE, 8), (SIZE + 8, 1)]


def test_forks_leave_nothing_behind_in_what_they_share() -> None:
    base = Log([object()])
    first = base.append(object())
    for _ in range(3 * SIZE):
        base.append(object())
    assert len(base.last.items) == 2
    assert len(first) == 2


@pytest.mark.parametrize("step", [1, 2, 3, SIZE, -1, -2, -SIZE])
def test_a_slice_of_a_log_is_the_slice_of_a_list_for_every_step(step: int) -> None:
    plain = list(range(2 * SIZE + 5))
    log = Log(plain)
    ends = (None, 0, 3, SIZE - 1, SIZE, SIZE + 1, 2 * SIZE, len(plain), len(plain) + 9, -1, -SIZE)
    for start in ends:
        for stop in ends:
            assert log[start:stop:step] == plain[start:stop:step]
