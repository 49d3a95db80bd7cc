"""What is sent of a raw list that was repaired: its own entries wherever they need no repair.

An export writes every message anew. Here each side of the conversation that came out of repair unchanged is sent with
its raw entries, and so is each part of a side that a repair parted, joined or made longer, so that it changes nothing
else: no key that only the provider knows, no form of content, no neighbours of one role that the provider accepts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from itertools import combinations, groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from attrs import evolve

from message_history.core.messages.blocks import with_meta
from message_history.core.messages.message import Message, make_message
from message_history.core.values.json_values import FrozenDict
from message_history.dialects.registry import read
from message_history.violations import check

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.repairs import Repair
    from message_history.dialects import Dialect
    from message_history.following.followed import AsItCame
    from message_history.history import MessageHistory
    from message_history.violations import Violation

CACHE_MARK: Final = "cache_control"
SYSTEM: Final = ("system", "developer")


class Wire(NamedTuple):
    """What is sent."""

    messages: list[Any]
    repairs: tuple[Repair, ...]  # what was changed to write it
    violations: list[Violation]  # what the provider would still refuse


class _Side(NamedTuple):
    """What one role says until the other speaks, in a raw list; or a part of it, as a stub may part it."""

    message: Message
    start: int
    end: int  # the entry after its last


def wire_of(
    history: MessageHistory, raw: Sequence[Any], dialect: Dialect[Any], as_it_came: AsItCame | None = None
) -> Wire:
    """Write a history as its raw list, but for sides that the provider refuses; `as_it_came` was sent as it was."""
    export = history.export(dialect)
    marks = sum(1 for _ in _marked(list(raw)))
    written = _written(export.messages, history)
    if len(written) != len(history):
        return _checked([_Segment(None, export.messages)], export.repairs, dialect, marks)
    if as_it_came is not None and as_it_came.entries:
        segments = _behind(history, export.messages, raw, dialect, as_it_came)
        wire = _checked(segments, export.repairs, dialect, marks)
        if not wire.violations and wire.messages[: len(as_it_came.entries)] == raw[: len(as_it_came.entries)]:
            return wire
        export = history.export(dialect)
        written = _written(export.messages, history)
    system = _count_of_system(export.messages)
    as_written = list(raw[: _count_of_system(raw)]) if system else []
    head = _Segment(None, export.messages[:system], as_written or None)
    finder = _Finder(history, _sides(raw, _count_of_system(raw), dialect), raw)
    return _checked([head, *_segments(history, written, 0, finder, dialect)], export.repairs, dialect, marks)


def _written(export: list[Any], history: MessageHistory) -> list[list[Any]]:
    """Return what an export says of each message of its history; of a placeholder that leads it may say nothing."""
    sides = [list(side) for _, side in groupby(export[_count_of_system(export) :], is_assistants)]
    return [[], *sides] if len(sides) < len(history) and sides and is_assistants(sides[0][0]) else sides


def _alone(history: MessageHistory, message: Message, dialect: Dialect[Any]) -> list[Any]:
    empty = type(history)()
    if message.role == "user":
        return empty.add(message).export(dialect).messages
    written = empty.add_user("?").add(message).export(dialect).messages
    return [entry for entry in written if is_assistants(entry)]


def _checked(segments: list[_Segment], repairs: tuple[Repair, ...], dialect: Dialect[Any], marks: int) -> Wire:
    """Put segments together; where the provider refuses the raw entries, they are rewritten."""
    while True:
        _limit_marks(segments, marks)
        messages = [message for segment in segments for message in segment.sent]
        violations = check(messages, dialect) if messages else []
        refused = {violation.index for violation in violations}
        place = 0
        narrower: list[_Segment] = []
        for segment in segments:
            end = place + len(segment.sent)
            here = any(place <= index < end for index in refused if index is not None)
            narrower.append(segment._replace(raw=None) if here or None in refused else segment)
            place = end
        if all(new.raw is old.raw for new, old in zip(narrower, segments, strict=True)):
            break
        segments = narrower
    verbatim = {position for segment in segments if segment.raw is not None for position in segment.positions}
    return Wire(messages, tuple(repair for repair in repairs if repair.index not in verbatim), violations)


def _behind(
    history: MessageHistory,
    export: list[Any],
    raw: Sequence[Any],
    dialect: Dialect[Any],
    as_it_came: AsItCame,
) -> list[_Segment]:
    """Add what came after a beginning that was sent unchanged."""
    count = as_it_came.messages
    written = _written(export, history)
    begun = [message for side in written[:count] for message in side]
    system = export[: _count_of_system(export)]
    first = _Segment(None, [*system, *begun], list(raw[: len(as_it_came.entries)]), tuple(range(count)))
    sides = _sides(raw, len(as_it_came.entries), dialect)
    finder = _Finder(history[count:], sides, raw)
    more = history[count - 1].content[as_it_came.blocks :] if count else ()
    if not more:
        return [first, *_segments(history, written, count, finder, dialect)]
    # The last message went on: what is new in it is a message of its own on the wire.
    grown = make_message(history[count - 1].role, more)
    alone = _alone(history, grown, dialect)
    plain = _unmarked(grown)
    same = next((side for side in sides if side.start == len(as_it_came.entries) and side.message == plain), None)
    found = list(raw[same.start : same.end]) if same is not None else None
    return [first, _Segment(None, alone, found), *_segments(history, written, count, finder, dialect)]


class _Segment(NamedTuple):
    """A part of what is sent."""

    position: int | None  # which message of the history it is; None when it is not one, or several
    written: list[Any]  # what an export says of it
    raw: list[Any] | None = None  # the raw entries that say the same; None when there are none
    several: tuple[int, ...] = ()  # the messages that it is, if they are several

    @property
    def sent(self) -> list[Any]:
        return self.written if self.raw is None else self.raw

    @property
    def positions(self) -> tuple[int, ...]:
        return self.several if self.position is None else (self.position,)


def _segments(
    history: MessageHistory, written: list[list[Any]], start: int, finder: _Finder, dialect: Dialect[Any]
) -> list[_Segment]:
    """Find the raw entries that say the same as the messages of a history, from one on; what is new follows them."""
    segments: list[_Segment] = []
    for position in range(start, len(history)):
        message = history[position]
        found, place = finder.entries_of(_unmarked(message))
        entries: list[Any] | None = found
        if place < len(message.content):
            rest = make_message(message.role, message.content[place:])
            goes_alone = found and rest.role == "user" and not rest.ids
            entries = [*found, *_alone(history, rest, dialect)] if goes_alone else None
        segments.append(_Segment(position, written[position], entries))
    return segments


class _Finder:
    """Finds the sides of a raw list that say what messages say, one message after the other."""

    def __init__(self, messages: Iterable[Message], sides: Sequence[_Side], raw: Sequence[Any]) -> None:
        self._sides, self._raw = sides, raw
        self._starts = [side.start for side in sides]
        self._places: dict[Message, list[int]] = {}
        for n, side in enumerate(sides):
            self._places.setdefault(side.message, []).append(n)
        self._still = Counter(map(_unmarked, messages))
        self._reached = sides[0].start if sides else 0  # the entry after the last that was found

    def entries_of(self, message: Message) -> tuple[list[Any], int]:
        """Return the entries that say what a message says, of one side or of several, and as far as which block."""
        self._still[message] -= 1
        before, place, follows = self._reached, 0, True
        found: list[Any] = []
        while place < len(message.content):
            side = self._next(message, place)
            if side is None:
                break
            follows = follows and side.start == self._reached
            found += self._raw[side.start : side.end]
            self._reached, place = side.end, place + len(side.message.content)
        if place < len(message.content) and not follows:
            # What was passed over may say the rest, and would be sent after what follows it.
            self._reached = before
            return [], 0
        return found, place

    def _next(self, message: Message, place: int) -> _Side | None:
        """Return the side that says what a message says from a block on, as far as one does; None when none does."""
        count, reached = len(message.content), bisect_left(self._starts, self._reached)
        # Of a message of more blocks, only the whole is looked for.
        for end in range(count, place if count <= _LONG else count - 1, -1):
            part = message if end - place == count else make_message(message.role, message.content[place:end])
            places = self._places.get(part, [])
            first = bisect_left(places, reached)
            if first < len(places) and not self._passes_over(reached, places[first]):
                return self._sides[places[first]]
        return None

    def _passes_over(self, reached: int, n: int) -> bool:
        """Return whether what comes later in the history, and nowhere later in the list, is before a side."""
        after = bisect_left(self._starts, self._sides[n].end)
        for each in range(reached, bisect_left(self._starts, self._sides[n].start)):
            places = self._places[self._sides[each].message]
            if len(places) - bisect_left(places, after) < self._still[self._sides[each].message]:
                return True
        return False


def _sides(raw: Sequence[Any], start: int, dialect: Dialect[Any]) -> list[_Side]:
    """Return the sides of a raw list that were read whole, and their parts: a late result, as one, may move."""
    parsed = read(raw[start:], dialect)
    noted = {note.source + start for note in parsed.notes}
    read_from = zip(parsed.messages, (source + start for source in parsed.sources), strict=True)
    runs = [(role, list(run)) for role, run in groupby(read_from, key=lambda one: one[0].role)]
    sides: list[_Side] = []
    for number, (role, run) in enumerate(runs):
        next_run = runs[number + 1][1][0][1] if number + 1 < len(runs) else len(raw)
        if (number and runs[number - 1][1][-1][1] == run[0][1]) or run[-1][1] == next_run:
            continue  # one entry holds the end of a side and the beginning of the next
        if len(run) < next_run - run[0][1] <= _LONG:
            run = _by_entry(run, raw[:next_run], dialect)  # noqa: PLW2901 - the same, in smaller pieces
        cuts = [*(source for _, source in run), next_run]
        for first, last in combinations(range(len(cuts)), 2) if len(run) <= _LONG else [(0, len(run))]:
            begin, end = cuts[first], cuts[last]
            if begin == cuts[first - 1] or end == cuts[last - 1]:
                continue  # one entry holds more than this
            blocks = tuple(block for message, _ in run[first:last] for block in message.content)
            if blocks and not any(entry in noted for entry in range(begin, end)):
                sides.append(_Side(_unmarked(make_message(role, blocks)), begin, end))
    return sides


_LONG: Final = 16
"""Of a side of more messages, only the whole is known."""


def _by_entry(run: list[tuple[Message, int]], raw: Sequence[Any], dialect: Dialect[Any]) -> list[tuple[Message, int]]:
    """Return what each entry of a side says, where all say alone what they say together."""
    start = run[0][1]
    alone = [read([entry], dialect) for entry in raw[start:]]
    if any(len(parsed.messages) != 1 or parsed.notes for parsed in alone):
        return run
    apart = [(parsed.messages[0], start + n) for n, parsed in enumerate(alone)]
    whole, parts = ([block for message, _ in each for block in message.content] for each in (run, apart))
    return apart if whole == parts else run


def _count_of_system(wire: Sequence[Any]) -> int:
    count = 0
    while count < len(wire) and _role(wire[count]) in SYSTEM:
        count += 1
    return count


def is_assistants(message: Any) -> bool:
    role = _role(message)
    if role is not None:
        return role in ("assistant", "model", "ai")
    return not str(message.get("type")).endswith("_output")


def _role(message: Any) -> Any:
    return message.get("role") if isinstance(message, Mapping) else getattr(message, "type", "user")


def _unmarked(message: Message) -> Message:
    if not any(_has_mark(block) for block in message.content):
        return message
    return make_message(message.role, tuple(map(_without_mark, message.content)))


def _has_mark(block: Block) -> bool:
    inner = getattr(block, "content", ())
    extra = block.meta.extra.values() if block.meta is not None else ()
    return any(isinstance(keys, Mapping) and CACHE_MARK in keys for keys in extra) or (
        isinstance(inner, tuple) and any(map(_has_mark, inner))
    )


def _without_mark(block: Block) -> Block:
    inner = getattr(block, "content", ())
    if isinstance(inner, tuple) and any(map(_has_mark, inner)):
        block = evolve(block, content=tuple(map(_without_mark, inner)))  # type: ignore[call-arg]  # it has content
    if block.meta is None:
        return block
    extra = {
        dialect: {key: value for key, value in keys.items() if key != CACHE_MARK}
        for dialect, keys in block.meta.extra.items()
        if isinstance(keys, Mapping)
    }
    return with_meta(block, extra=FrozenDict({dialect: keys for dialect, keys in extra.items() if keys}))


def _marked(value: Any) -> Iterable[dict[str, Any]]:
    """Find the blocks that bear a cache mark, in order."""
    if isinstance(value, dict):
        if value.get(CACHE_MARK) is not None:
            yield value
        for key in ("content", "parts"):
            yield from _marked(value.get(key))
    elif isinstance(value, list):
        for item in value:
            yield from _marked(item)


def _limit_marks(segments: Iterable[_Segment], allowed: int) -> None:
    """Remove the oldest marks from what is rewritten: no more may be sent than came."""
    there = sum(1 for segment in segments if segment.raw is not None for _ in _marked(segment.raw))
    written = [block for segment in segments if segment.raw is None for block in _marked(segment.written)]
    for block in written[: max(len(written) - max(allowed - there, 0), 0)]:
        del block[CACHE_MARK]
