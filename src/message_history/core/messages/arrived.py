"""What a message came as, one arrival for each that was joined in it; no part of its value, and never sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, final

from attrs import field, frozen

from message_history.core.values.json_values import EMPTY, FrozenDict, freeze_mapping, short_repr, thaw
from message_history.core.values.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history.core.messages.block_base import Block


@final
@frozen(repr=False, eq=False)
class Arrival(Value):
    """A message as it arrived, before it was joined to another."""

    end: int  # how many blocks of the content it and those before it have brought
    frozen_metadata: FrozenDict = field(default=EMPTY, alias="metadata")  # what the caller said of it

    @property
    def metadata(self) -> dict[str, Any]:
        """Return what the caller said of the message, as its id and its time: a fresh plain dict."""
        found = thaw(self.frozen_metadata)
        return found if isinstance(found, dict) else {}


def arrival(end: int, metadata: Mapping[str, Any]) -> tuple[Arrival, ...]:
    if not isinstance(metadata, Mapping):
        raise TypeError(f"metadata must be a mapping, not {type(metadata).__name__}: {short_repr(metadata)}")
    frozen_metadata = freeze_mapping(metadata)[0]
    return (Arrival(end, frozen_metadata),) if frozen_metadata else ()


def joined_arrivals(first: Sequence[Arrival], size: int, more: Iterable[Arrival]) -> tuple[Arrival, ...]:
    """Return the arrivals of a message of a size with those of another that was joined to it."""
    more = tuple(more)
    last = max((each.end for each in first), default=0)
    nameless = (Arrival(size),) if more and size > last and (first or size) else ()
    return (*first, *nameless, *more)


def arrivals_ending_in(
    blocks: Sequence[Block], content: Sequence[Block], arrivals: Iterable[Arrival]
) -> tuple[Arrival, ...]:
    """Return the arrivals that end with one of some blocks of a content: each of its parts has its own."""
    places = {id(block): n for n, block in enumerate(blocks, 1)}
    ends = ((places.get(id(content[max(each.end, 1) - 1])), each) for each in arrivals)
    return tuple(Arrival(end, each.frozen_metadata) for end, each in ends if end is not None)


def arrivals_in(content: Sequence[Block], before: Sequence[Block], arrivals: Iterable[Arrival]) -> tuple[Arrival, ...]:
    """Return the arrivals of a content that has some of the blocks of another, or as many."""
    same = len(content) == len(before)
    places = {id(block): n for n, block in enumerate(before if same else content, 1)}
    found: list[Arrival] = []
    start = 0
    for each in arrivals:
        ends = [places[id(block)] for block in before[min(start, each.end - 1) : each.end] if id(block) in places]
        start = each.end
        if ends:
            found.append(Arrival(max(ends), each.frozen_metadata))
    return tuple(found)
