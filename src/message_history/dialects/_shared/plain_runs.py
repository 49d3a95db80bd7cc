"""Read entries of the shapes that nearly all have at one look each, where several entries are one message.

A dialect says what an entry is; here neighbours of one side become one message, as a plain content. What needs a second
look stops the reading, and so does a run that it may be part of: the dialect's reader takes both, entry by entry.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeGuard, final

from message_history.core.messages.message import (
    NEEDS_REPAIR,
    SHAPES,
    STUB_BEGINS,
    STUB_OPENINGS,
    Message,
    plain_message_of_shape,
)
from message_history.core.messages.plain import is_object_text, pack

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from message_history.core.messages.message import Role
    from message_history.core.messages.parsed import Parsed


@final
class Piece:
    """An entry that is a part of a message, with its neighbours of the same side."""

    __slots__ = ("ids", "items", "kept", "side")

    def __init__(self, side: Role) -> None:
        self.side = side
        self.items: list[Any] = []
        self.ids: list[str] = []
        self.kept: list[bytes | None] = []

    def add(self, item: Any, keys: bytes | None = None) -> bool:
        self.items.append(item)
        self.kept.append(keys or None)
        return True

    def call(self, id: Any, name: Any, input: Any, keys: bytes | None = None) -> bool:
        """Add a call, see `call_of`; False when it needs a second look."""
        call = call_of(id, name, input)
        if call is None:
            return False
        self.ids.append(call[0])
        return self.add(call, keys)

    def result(self, id: Any, content: str | tuple[str, ...], keys: bytes | None = None) -> bool:
        """Add a result; False when it needs a second look."""
        if not is_word(id):
            return False
        self.ids.append(id)
        return self.add((id, content), keys)


same: Final[Callable[[str], str]] = lru_cache(maxsize=1_000)(str)  # returns the first of equal texts


def call_of(id: Any, name: Any, input: Any) -> tuple[str, str, bytes | str] | None:
    """Return a call whose input came as text or as a dict, as a plain content holds it; None as above."""
    if type(input) is dict:
        input = pack(input)
    elif not (type(input) is str and is_object_text(input)):
        return None
    return (id, same(name), input) if input is not None and is_word(id) and is_word(name) else None


def is_word(value: Any) -> TypeGuard[str]:
    """Return whether a value is an id or a name as nearly all are."""
    return type(value) is str and value.isascii() and value.strip() != ""


def says_something(value: Any) -> TypeGuard[str]:
    """Return whether a value is a text that is not blank."""
    return type(value) is str and bool(value) and not value.isspace()


def message_of_piece(piece: Piece, ids: tuple[str, ...] | None = None) -> Message | None:
    """Make a message, with `ids` in place of its equal ones; None without items, or when it needs a second look."""
    items, own, shape = piece.items, piece.ids, SHAPES[piece.side]
    if not items or (len(own) > 1 and len(set(own)) != len(own)):
        return None
    for position in range(len(own)) if piece.side == "user" else ():
        if type(items[position]) is str:
            return None
        content = items[position][1]
        if ids:
            items[position] = ids[position], content
        # Most texts fail the cheap test for the text of a stub.
        if type(content) is str and content[:1] in STUB_BEGINS and content.startswith(STUB_OPENINGS):
            shape = NEEDS_REPAIR
    kept = tuple(piece.kept) if any(piece.kept) else ()
    return plain_message_of_shape(piece.side, tuple(items), ids or tuple(own), shape, kept)


def message_of_parts(
    side: Role, parts: Any, read_part: Callable[[dict[str, Any], Piece], bool], *, texts: bool = True
) -> Message | None:
    """Read an entry of its own, of parts that `read_part` adds and `texts` that are under `text`; None as above."""
    piece = Piece(side)
    for part in parts if type(parts) is list else ():
        if type(part) is not dict:
            return None
        text = part.get("text") if texts and len(part) == 1 else None
        if says_something(text):
            piece.add(text)
        elif not read_part(part, piece):
            return None
    return message_of_piece(piece)


def read_runs(
    raw: Sequence[Any], start: int, parsed: Parsed, read: Callable[[dict[str, Any]], Piece | Message | None]
) -> int:
    """Read entries from a place on, and return the first that was not read."""
    run, first = None, start
    for position in range(start, len(raw)):
        entry = raw[position]
        piece = read(entry) if type(entry) is dict else None
        if piece is None:
            return first if run is not None else position
        if run is not None and type(piece) is Piece and piece.side == run.side:
            if piece.ids and run.side == "user" and len(run.ids) != len(run.items):
                return first  # A result after a text.
            run.ids += piece.ids
            run.items += piece.items
            run.kept += piece.kept
            continue
        if run is not None and not _add(run, first, parsed):
            return first
        if type(piece) is Piece:
            run, first = piece, position
        else:
            run = None
            parsed.messages.append(piece)
            parsed.sources.append(position)
    return first if run is not None and not _add(run, first, parsed) else len(raw)


def _add(run: Piece, source: int, parsed: Parsed) -> bool:
    """Add a message; False when its results are not in the order of the calls before it, or an id comes twice."""
    ids = None
    if run.side == "user" and run.ids:
        before = parsed.messages[-1] if parsed.messages else None
        if before is None or before.role != "assistant" or before.ids != tuple(run.ids):
            return False
        ids = before.ids  # Equal texts share one copy, and so do equal names of tools.
    message = message_of_piece(run, ids)
    if message is not None:
        parsed.add(message, source)
    return message is not None
