"""What is sent of a raw list that was repaired: its own entries wherever they need no repair.

An export writes every message anew. Here each side of the conversation that came out of repair just as it came in is
sent with its raw entries, so that a repair changes nothing beside it: no key that only the provider knows, no form of
content, no neighbours of one role that the provider takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from attrs import evolve

from message_history.core.blocks import with_meta
from message_history.core.json_values import FrozenDict
from message_history.core.message import Message, make_message
from message_history.dialects.registry import read
from message_history.violations import check

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history.core.blocks import Block
    from message_history.core.repairs import Repair
    from message_history.dialects import Dialect
    from message_history.history import MessageHistory
    from message_history.violations import Violation

__all__ = ["Wire", "wire_of"]

CACHE_MARK: Final = "cache_control"
SYSTEM: Final = ("system", "developer")


class Wire(NamedTuple):
    """What is sent.

    Args:
        messages: the list.
        repairs: what was changed to write it.
        violations: what the provider would still refuse.
    """

    messages: list[Any]
    repairs: tuple[Repair, ...]
    violations: list[Violation]


class _Side(NamedTuple):
    """What one role says until the other speaks, in a raw list.

    Args:
        message: all that it says.
        start: its first entry.
        end: the entry behind its last.
    """

    message: Message
    start: int
    end: int


def wire_of(history: MessageHistory, raw: Sequence[Any], dialect: Dialect[Any]) -> Wire:
    """Write a history in the form of the raw list that it was read from.

    Args:
        history: the history as it is to be sent.
        raw: the raw list; its entries are taken as they are.
        dialect: the dialect of both.

    Returns:
        The list to send. A side of the conversation whose raw entries the provider refuses is written anew.

    Complexity: linear in the list.
    """
    export = history.export(dialect)
    marks = sum(1 for _ in _marked(list(raw)))
    segments = _segments(history, export.messages, raw, dialect)
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
    verbatim = {segment.position for segment in segments if segment.raw is not None}
    repairs = tuple(repair for repair in export.repairs if repair.index not in verbatim)
    return Wire(messages, repairs, violations)


class _Segment(NamedTuple):
    """One message of a history on the wire.

    Args:
        position: which message; None for the system prompt, or for all of them.
        written: what an export says of it.
        raw: the raw entries that say the same; None when there are none.
    """

    position: int | None
    written: list[Any]
    raw: list[Any] | None = None

    @property
    def sent(self) -> list[Any]:
        """Return what is sent of it."""
        return self.written if self.raw is None else self.raw


def _segments(history: MessageHistory, export: list[Any], raw: Sequence[Any], dialect: Dialect[Any]) -> list[_Segment]:
    """Find the raw entries that say the same as the messages of a history."""
    written_system, raw_system = _count_of_system(export), _count_of_system(raw)
    written = [list(side) for _, side in groupby(export[written_system:], key=_is_assistants)]
    if len(written) != len(history):
        return [_Segment(None, export)]
    sides = _sides(raw, raw_system, dialect)
    places: dict[Message, list[int]] = {}
    for number in reversed(range(len(sides))):
        places.setdefault(sides[number].message, []).append(number)
    as_it_came = list(raw[:raw_system]) if written_system and raw_system else None
    segments = [_Segment(None, export[:written_system], as_it_came)]
    next_side = 0
    for position, (message, side) in enumerate(zip(history, written, strict=True)):
        numbers = places.get(_unmarked(message), [])
        while numbers and numbers[-1] < next_side:
            numbers.pop()
        found: list[Any] | None = None
        if numbers:
            same = sides[numbers[-1]]
            found, next_side = list(raw[same.start : same.end]), numbers.pop() + 1
        segments.append(_Segment(position, side, found))
    return segments


def _sides(raw: Sequence[Any], start: int, dialect: Dialect[Any]) -> list[_Side]:
    """Give the sides of a raw list that were read whole, each from entries of its own."""
    parsed = read(raw[start:], dialect)
    noted = {note.source + start for note in parsed.notes}
    sides: list[_Side] = []
    last = -1
    torn: set[int] = set()
    for role, group in groupby(zip(parsed.messages, parsed.sources, strict=True), key=lambda one: one[0].role):
        messages = list(group)
        first = messages[0][1] + start
        if first == last:
            torn |= {len(sides) - 1, len(sides)}  # one entry holds the end of a side and the beginning of the next
        last = messages[-1][1] + start
        if sides:
            sides[-1] = sides[-1]._replace(end=first)
        blocks = tuple(block for message, _ in messages for block in message.content)
        sides.append(_Side(_unmarked(make_message(role, blocks)), first, len(raw)))
    return [
        side
        for number, side in enumerate(sides)
        if number not in torn
        and side.message.content
        and not any(entry in noted for entry in range(side.start, side.end))
    ]


def _count_of_system(wire: Sequence[Any]) -> int:
    count = 0
    while count < len(wire) and _role(wire[count]) in SYSTEM:
        count += 1
    return count


def _is_assistants(message: Any) -> bool:
    role = _role(message)
    if role is not None:
        return role in ("assistant", "model", "ai")
    return not str(message.get("type")).endswith("_output")


def _role(message: Any) -> Any:
    """Return who speaks: an item of the Responses API may not say, an object of LangChain says it as its type."""
    return message.get("role") if isinstance(message, Mapping) else getattr(message, "type", "user")


def _unmarked(message: Message) -> Message:
    """Give a message without cache marks, which move from request to request."""
    if not any(_has_mark(block) for block in message.content):
        return message
    return make_message(message.role, tuple(map(_without_mark, message.content)))


def _has_mark(block: Block) -> bool:
    inner = getattr(block, "content", ())
    return (block.meta is not None and any(CACHE_MARK in keys for keys in _key_sets(block))) or (
        isinstance(inner, tuple) and any(map(_has_mark, inner))
    )


def _key_sets(block: Block) -> list[Mapping[str, Any]]:
    found = block.meta.extra.values() if block.meta is not None else ()
    return [keys for keys in found if isinstance(keys, Mapping)]


def _without_mark(block: Block) -> Block:
    inner = getattr(block, "content", ())
    if isinstance(inner, tuple) and any(map(_has_mark, inner)):
        block = evolve(block, content=tuple(map(_without_mark, inner)))  # type: ignore[call-arg]  # it has content
    if block.meta is None or not any(CACHE_MARK in keys for keys in _key_sets(block)):
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
    """Take the oldest marks out of what is written anew: no more may be sent than came."""
    there = sum(1 for segment in segments if segment.raw is not None for _ in _marked(segment.raw))
    written = [block for segment in segments if segment.raw is None for block in _marked(segment.written)]
    for block in written[: max(len(written) - max(allowed - there, 0), 0)]:
        del block[CACHE_MARK]
