"""An append-only log whose versions share their storage.

A log is a view of a chain of chunks: sealed chunks of `SIZE` items, and a last one that may still grow. Appending
puts the item into the shared last chunk if nothing follows this view, and *then* looks whether it landed there:
another thread may have been faster. Whoever comes second copies the chunk up to the view, at most `SIZE` items, and the
item goes into the copy. No lock is needed, and no view ever shows an item that is not its own.

An old version keeps alive what other versions appended to its last chunk: at most `SIZE` items.
"""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, final, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

T = TypeVar("T")
S = TypeVar("S")

SIZE: Final = 512


@final
class Chunk(Generic[T]):
    """Items, the chunks before them, and what has been worked out about runs of items.

    A thread that came second may have left items after the views of this chunk; no view reaches them.
    """

    __slots__ = ("before", "cache", "items", "summaries")

    def __init__(self, items: list[T], before: tuple[Chunk[T], ...] = ()) -> None:
        self.items = items
        self.before = before
        self.summaries: dict[tuple[Any, int, int], Any] = {}  # of runs that end here; see `Log.summaries`
        # What others keep of the first items, and of how many items that is true at most, in a copy of another chunk
        # (None for all); one value, so that another thread sees both or neither. See `json_cache`.
        self.cache: tuple[list[Any], int | None] = [], None


def put(chunk: Chunk[T], length: int, item: T) -> Chunk[T]:
    """Put one more item after the first `length` items of a log; `Log` is made of this.

    `chunk` is the last chunk of the log. Returns the last chunk of the longer log: the same one, a new one, or a copy
    when another version was there before. The cost is constant; a second successor of the same log copies at most
    `SIZE` items, once.
    """
    at = length % SIZE
    if at == 0 and length:
        return Chunk([item], (*chunk.before, chunk))
    items = chunk.items
    if len(items) == at:
        items.append(item)
    # Another thread may have come in between, so the slot decides, not the length.
    return chunk if items[at] is item else _copied(chunk, at, [item])


def _put_some(chunk: Chunk[T], length: int, some: list[T]) -> Chunk[T]:
    """Put several items into a chunk that has room for them, as `put` does."""
    at = length % SIZE
    items = chunk.items
    if len(items) == at:
        items += some
    there = items[at : at + len(some)]
    return chunk if len(there) == len(some) and all(map(is_, there, some)) else _copied(chunk, at, some)


def _copied(chunk: Chunk[T], at: int, some: list[T]) -> Chunk[T]:
    """Copy the first items of a chunk and what is known of them, and add some more."""
    copy = Chunk([*chunk.items[:at], *some], chunk.before)
    end = len(chunk.before) * SIZE + at
    copy.summaries = {key: known for key, known in [*chunk.summaries.items()] if key[1] + key[2] <= end}
    cached, limit = chunk.cache
    copy.cache = cached, at if limit is None else min(at, limit)
    return copy


@final
class Log(Generic[T]):
    """An append-only sequence; `append` and `extend` return a new one and leave the old unchanged."""

    __slots__ = ("_last", "_length")

    def __init__(self, items: Iterable[T] = ()) -> None:
        some = list(items)
        self._last: Chunk[T] = Chunk(some[:SIZE])
        self._length = len(self._last.items)
        if len(some) > SIZE:
            filled = self.extend(some[SIZE:])
            self._last, self._length = filled._last, filled._length

    @staticmethod
    def view(last: Chunk[T], length: int) -> Log[T]:
        """Return the log of the first `length` items of a chain of chunks."""
        log: Log[T] = _new(Log)
        log._last = last
        log._length = length
        return log

    @property
    def last(self) -> Chunk[T]:
        """Return the last chunk, for `put`."""
        return self._last

    def append(self, item: T) -> Log[T]:
        """Return a log with one more item."""
        return Log.view(put(self._last, self._length, item), self._length + 1)

    def extend(self, items: Iterable[T]) -> Log[T]:
        """Return a log with some more items. Returns this one when there are none."""
        more = list(items)
        last, length = self._last, self._length
        room = -length % SIZE
        if room and more:
            last = _put_some(last, length, more[:room])
            length += len(more[:room])
        for start in range(room, len(more), SIZE):
            last = Chunk(more[start : start + SIZE], (*last.before, last) if length else ())
            length += len(last.items)
        return Log.view(last, length) if more else self

    def first(self, length: int) -> Log[T]:
        """Return the log of the first items; they are shared."""
        return Log.view(self._chunk(max(length - 1, 0)), length)

    def starts_with(self, other: Log[T]) -> bool:
        """Return whether this log begins with another.

        It takes one comparison for each chunk that the two share, one for each item of those that they do not.
        """
        if len(other) > len(self):
            return False
        for start in range(0, len(other), SIZE):
            mine, its, end = self._chunk(start), other._chunk(start), min(SIZE, len(other) - start)
            if mine is not its and mine.items[:end] != its.items[:end]:
                return False
        return True

    def summaries(self, summarise: Callable[[int, list[T]], S], first: int = 0) -> Iterator[S]:
        """Yield summaries of runs of items that together cover the log, oldest first.

        The runs are as long as they can be (powers of two), so that few cover it all, and a summary is worked out once
        for all versions that share the run. `summarise` gets the position of a run's first item and the run. `first` is
        the first item to be covered; a few before it may be, too. The cost is logarithmic in the log when the runs are
        known; each item enters a logarithmic number of runs.
        """
        start = first - first % SIZE
        while start < self._length:
            size = 1 << (self._length - start).bit_length() - 1
            # The same runs, wherever the first one begins.
            size = min(size, start & -start) if start else size
            # A chunk has one past and many futures: what is known of a run is kept where the run ends.
            chunk = self._chunk(start + size - 1)
            key = (summarise, start, size)
            found = chunk.summaries.get(key)
            if found is None:
                at = start % SIZE
                run = chunk.items[at : at + size] if size <= SIZE else self[start : start + size]
                found = chunk.summaries[key] = summarise(start, run)
            yield found
            start += size

    def chunks(self) -> Iterator[tuple[Chunk[T], int]]:
        """Yield the chunks, oldest first, each with how many of its items are this log's."""
        yield from ((chunk, SIZE) for chunk in self._last.before)
        rest = self._length - len(self._last.before) * SIZE
        if rest:
            yield self._last, rest

    def _run(self, at: int, start: int, stop: int) -> list[T]:
        """Return the items from one position to another that are in the chunk that begins at a third."""
        return self._chunk(at).items[max(start - at, 0) : min(stop - at, SIZE)]

    def _chunk(self, position: int) -> Chunk[T]:
        number = position // SIZE
        before = self._last.before
        return before[number] if number < len(before) else self._last

    def __len__(self) -> int:
        return self._length

    def __bool__(self) -> bool:
        return self._length != 0

    def __iter__(self) -> Iterator[T]:
        before = self._last.before
        for chunk in before:
            yield from chunk.items[:SIZE]
        yield from self._last.items[: self._length - len(before) * SIZE]

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> list[T]: ...

    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            start, stop, step = index.indices(self._length)
            if step == 1 and start // SIZE == (stop - 1) // SIZE:
                return self._chunk(start).items[start % SIZE : (stop - 1) % SIZE + 1] if start < stop else []
            if step == 1:
                return [item for at in range(start - start % SIZE, stop, SIZE) for item in self._run(at, start, stop)]
            return [self[position] for position in range(start, stop, step)]
        position = index + self._length if index < 0 else index
        if not 0 <= position < self._length:
            raise IndexError(f"position {index} of a log of {self._length}")
        return self._chunk(position).items[position % SIZE]

    def __repr__(self) -> str:
        return f"Log({list(self)!r})"


_new = object.__new__
