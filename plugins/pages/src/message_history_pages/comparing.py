"""Which parts of two lists are alike: by what occurs once in both, so that long lists take no longer than they must."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Change(NamedTuple):
    """A part of both lists: the entries from `before[0]` to `before[1]` became those from `after[0]` to `after[1]`."""

    same: bool
    before: tuple[int, int]
    after: tuple[int, int]


def compare(old: Sequence[str], new: Sequence[str]) -> Iterator[Change]:
    """Compare two lists.

    The parts come in order, alike and not alike by turns. The cost is O(n log n) in the entries.
    """
    i = j = 0
    for one, other in (*_anchors(old, new), (len(old), len(new))):
        if one < i or other < j:
            continue  # The part that was alike before it holds it.
        start_i, start_j = one, other
        while start_i > i and start_j > j and old[start_i - 1] == new[start_j - 1]:
            start_i, start_j = start_i - 1, start_j - 1
        same = 0
        while i + same < start_i and j + same < start_j and old[i + same] == new[j + same]:
            same += 1
        if same:
            yield Change(True, (i, i + same), (j, j + same))
            i, j = i + same, j + same
        if i < start_i or j < start_j:
            yield Change(False, (i, start_i), (j, start_j))
        end_i, end_j = one, other
        while end_i < len(old) and end_j < len(new) and old[end_i] == new[end_j]:
            end_i, end_j = end_i + 1, end_j + 1
        if start_i < end_i:
            yield Change(True, (start_i, end_i), (start_j, end_j))
        i, j = end_i, end_j


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Find the longest rising sequence of entries that occur once in both lists."""
    counts, others = Counter(old), Counter(new)
    place = {entry: n for n, entry in enumerate(new) if others[entry] == 1}
    pairs = [(n, place[entry]) for n, entry in enumerate(old) if counts[entry] == 1 and entry in place]
    ends: list[int] = []
    chosen: list[int] = []
    before: list[int] = []
    for n, (_, other) in enumerate(pairs):
        length = bisect_left(ends, other)
        before.append(chosen[length - 1] if length else -1)
        ends[length : length + 1] = [other]
        chosen[length : length + 1] = [n]
    found: list[tuple[int, int]] = []
    n = chosen[-1] if chosen else -1
    while n >= 0:
        found.append(pairs[n])
        n = before[n]
    return found[::-1]
