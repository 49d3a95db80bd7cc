"""What the entries of a list say that is not in what was made of them: kept as metadata, or whole in a repair."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve, has

from message_history.core.messages.arrived import Arrival, arrival
from message_history.core.messages.block_base import Block
from message_history.core.messages.blocks import SystemBlock
from message_history.core.messages.message import items_of, made_blocks, with_arrivals
from message_history.core.turns.rules import is_nothing
from message_history.core.values.json_values import freeze
from message_history.dialects.elsewhere import plain_value

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from message_history.core.messages.parsed import Note, Parsed
    from message_history.core.messages.repairs import Repair

_NAMES: Final = frozenset({"type", "role", "kind", "part_kind"})
"""The keys that say what something is: it became that."""


def keep_left_over(parsed: Parsed, raw: Sequence[Any], entries: Sequence[Any]) -> None:
    """Keep what entries of a list say that was not read, as metadata of the messages that they were made into."""
    made: defaultdict[int, list[int]] = defaultdict(list)
    for n, places in enumerate(parsed.places):
        for place in places:
            made[place].append(n)
    leaves_of = cache(lambda n: frozenset(_leaves(entries[n])))
    gone = {note.source for note in filter(_is_dropped, parsed.notes)}.difference(parsed.sources)
    kept: defaultdict[int, list[Arrival]] = defaultdict(list)
    # A prompt is no message: what came with it came before the first one.
    are_prompts = (all(isinstance(block, SystemBlock) for block in message.content) for message in parsed.messages)
    lead = next((n for n, is_prompt in enumerate(are_prompts) if not is_prompt), 0)
    for place, numbers in made.items():
        # What was joined to a message while it was parsed has no source of its own.
        positions = (bisect_right(parsed.sources, n) - 1 for n in numbers if n not in gone)
        at = next((at for at in positions if at >= 0 and not all(map(is_nothing, parsed.messages[at].content))), -1)
        if at >= 0 and isinstance(entry := plain_value(raw[place]), Mapping):
            first, *more = map(leaves_of, numbers)
            end = len(parsed.messages[at].content) if at >= lead else 0
            kept[max(at, lead)] += arrival(end, _rest(entry, first.union(*more) if more else first))
    for at, arrivals in kept.items():
        message = parsed.messages[at]
        parsed.messages[at] = with_arrivals(message, (*arrivals, *message.arrivals))


def accounted_for(repairs: Iterable[Repair], parsed: Parsed, raw: Sequence[Any]) -> list[Repair]:
    """Place repairs in a list, and let each entry of which nothing is left be whole in one of them."""
    repairs = list(repairs)
    if not (parsed.places or any(each.removed or _is_dropped(each) for each in repairs)):
        return repairs  # As of stubs alone.
    placed = _placed_near(repairs, parsed, len(parsed.places) or len(raw))
    place_of = {id(block): place for block, place in placed}
    left = Counter(place for _, place in placed)
    for note in filter(_is_dropped, parsed.notes):
        # What a parser dropped is in no message.
        left[_places(parsed, note.source)[0]] += _count(note.removed)
    for n, each in enumerate(repairs):
        if each.source is not None:
            found = (place_of[id(block)] for block in each.removed if id(block) in place_of)
            repairs[n] = evolve(each, source=next(found, _places(parsed, each.source)[0]))
    dropped: defaultdict[int, list[int]] = defaultdict(list)
    for n, each in enumerate(repairs):
        if each.source is not None and _is_dropped(each):
            dropped[each.source].append(n)
    for source, (first, *more) in dropped.items():
        removed = [each for n in (first, *more) for each in repairs[n].removed]
        whole = plain_value(raw[source])
        if left[source] <= _count(removed) and _rest({"": whole}, frozenset(_leaves(removed))):
            repairs[first] = evolve(repairs[first], removed=(*repairs[first].removed, freeze(whole)[0]))
    return repairs


def _places(parsed: Parsed, entry: int) -> Sequence[int]:
    return parsed.places[entry] if parsed.places else (entry,)


def _placed_near(repairs: Sequence[Repair], parsed: Parsed, size: int) -> list[tuple[Any, int]]:
    """Place what is in the messages that were repaired; in all where others share their places, or something moved."""
    removed = {id(block) for each in repairs for block in each.removed if isinstance(block, Block)}
    asked = {each.source for each in repairs}.union(note.source for note in parsed.notes)
    near = list(_placed(parsed, size, asked))
    if not parsed.places and removed.issubset(id(block) for block, _ in near):
        return near
    return list(_placed(parsed, size, range(size)))


def _placed(parsed: Parsed, size: int, asked: Collection[int | None]) -> Iterator[tuple[Any, int]]:
    """Yield each block of the messages asked for, or what is kept for it, with the place that it came from."""
    noted = {note.source for note in filter(_is_dropped, parsed.notes)}
    sources, ends = parsed.sources, [*parsed.sources[1:], size]
    # An entry is in the messages that have it as their source, or was joined to the last one before it.
    spans = [(bisect_left(sources, n), bisect_right(sources, n)) for n in asked if n is not None]
    for at in sorted({at for first, end in spans for at in range(max(min(first, end - 1), 0), end)}):
        message, source, end = parsed.messages[at], sources[at], ends[at]
        # What nobody has asked for its blocks has none in a repair, and need not make them.
        content = made_blocks(message) or items_of(message) or message.content
        joined = [source, *(n for n in range(source + 1, end) if n not in noted)]
        each = [place for n in joined for place in _places(parsed, n)]
        # What was joined may be one block each.
        yield from zip(content, each if len(each) == len(content) else repeat(each[0]), strict=False)


def _count(removed: Iterable[Any]) -> int:
    return sum(isinstance(each, Block) for each in removed)


def _is_dropped(what: Note | Repair) -> bool:
    return what.code.endswith("_dropped")


def _rest(entry: Mapping[Any, Any], known: frozenset[str], depth: int = 2) -> dict[Any, Any]:
    """Return the keys of an entry that hold something which is not known, with their values."""
    rest: dict[Any, Any] = {}
    for key, value in entry.items():
        left = _rest(value, known, depth - 1) if depth and isinstance(value, Mapping) else value
        left = [each for each in left if not _is_known(each, known)] if isinstance(left, list) else left
        if key not in _NAMES and not _is_known(left, known):
            rest[key] = left
    return rest


def _is_known(value: object, known: frozenset[str]) -> bool:
    return all(leaf in known or _is_within(leaf, known) for leaf in _leaves(value))


def _is_within(leaf: str, known: frozenset[str]) -> bool:
    """Return whether the data of an URL, or the values of JSON text, are there without what is around them."""
    if leaf.startswith("data:"):
        return leaf.partition(";base64,")[2] in known
    try:
        return leaf.startswith(("{", "[")) and known.issuperset(_leaves(json.loads(leaf)))
    except (ValueError, RecursionError):
        return False


def _leaves(value: Any) -> Iterator[str]:
    """Yield the texts, without white space around them, and the other values that say something."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield from filter(None, (value.strip(),))
        elif isinstance(value, Mapping):
            waiting += (each for key, each in value.items() if key not in _NAMES)
        elif isinstance(value, list | tuple):
            waiting += value
        elif has(type(value)):
            waiting += (getattr(value, field.name, None) for field in type(value).__attrs_attrs__)
        elif value is not None and value is not False:
            yield hex(value) if type(value) is int else repr(value)  # A `repr` has at most 4,300 digits.
