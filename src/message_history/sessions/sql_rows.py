"""What the rows of a session in a database say, and which rows a history needs that are not there yet.

Messages and repairs are rows of their own, each with its position. Nothing here knows a database.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

from attrs import frozen

from message_history.dialects.native.render import message_to_json, render
from message_history.files import json_bytes
from message_history.history import MessageHistory, restored
from message_history.scanning import Decoder
from message_history.sessions.saved import Growth, repair_from_json, repair_to_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.message import Message
    from message_history.policy import Policy
    from message_history.repairs import Repair

__all__ = ["NEW", "Change", "Head", "Held", "Row", "grown", "held_by", "rewritten"]


class Head(NamedTuple):
    """A session's own row.

    Args:
        number: its number in the database.
        revision: how often it was written to.
        messages: how many messages it has.
        repairs: how many repairs.
        system: its system prompt as JSON.
    """

    number: int = 0
    revision: int = 0
    messages: int = 0
    repairs: int = 0
    system: str | None = None


NEW: Final = Head()
"""What stands for the row of a session that is not saved yet."""


class Row(NamedTuple):
    """A message or a repair.

    Args:
        position: where it stands among its like.
        body: what it says, as JSON.
        more: its other columns.
    """

    position: int
    body: str
    more: dict[str, Any]


@final
@frozen
class Held:
    """What a session knows of its rows.

    Args:
        history: the history that they give.
        head: the session's own row; revision 0 when there is none.
        sound: whether the rows give the history without any repair.
    """

    history: MessageHistory
    head: Head = NEW
    sound: bool = True

    @property
    def repairs_before(self) -> int:
        """Return how many repairs are saved that the history does not have: those of a later version."""
        return self.head.repairs - len(self.history.repairs)


class Change(NamedTuple):
    """What is to be written.

    Args:
        head: the session's own row as it is to be, at the next revision.
        messages: rows of messages.
        repairs: rows of repairs.
    """

    head: Head
    messages: list[Row]
    repairs: list[Row]


def held_by(head: Head, messages: Sequence[str], repairs: Sequence[str], policy: Policy) -> Held:
    """Read the rows of a session.

    Args:
        head: its own row.
        messages: the bodies of its messages.
        repairs: those of its repairs.
        policy: decides where there is a choice.

    Returns:
        The history, and whether the rows were sound: a message that is no JSON is in the repairs.

    Complexity: linear in the rows.
    """
    told = [repair for body in repairs if (repair := repair_from_json(_value(body))) is not None]
    system = [_value(head.system)] if head.system is not None else []
    history = restored([*system, *map(_value, messages)], policy, told)
    return Held(history, head, sound=len(history) == head.messages and len(history.repairs) == len(told))


def grown(held: Held, history: MessageHistory, found: Growth) -> Change:
    """Find the rows for what has settled since the last time, and for the open tail.

    Args:
        held: what is saved.
        history: what is to be saved.
        found: what of it is new.

    Returns:
        What to write.

    Complexity: linear in what is new.
    """
    saved = held.history
    same = found.message < len(saved) and history[found.message] == saved[found.message]
    old, new = saved.repairs[found.repair :], history.repairs[found.repair :]
    told = () if old == new else new
    first = held.repairs_before + found.repair
    return Change(
        _next(held, history, held.repairs_before + len(history.repairs)),
        [_message_row(n, history[n]) for n in range(found.message + same, len(history))],
        [_repair_row(n, repair) for n, repair in enumerate(told, first)],
    )


def rewritten(held: Held, history: MessageHistory) -> Change:
    """Find the rows from the first on that is another.

    Args:
        held: what is saved.
        history: what is to be saved.

    Returns:
        What to write.

    Complexity: linear in the history.
    """
    saved = held.history if held.sound else MessageHistory()
    start = _first_difference(saved, history)
    first = 0 if held.repairs_before else _first_difference(saved.repairs, history.repairs)
    return Change(
        _next(held, history, len(history.repairs)),
        [_message_row(n, history[n]) for n in range(start, len(history))],
        [_repair_row(n, repair) for n, repair in enumerate(history.repairs[first:], first)],
    )


def _next(held: Held, history: MessageHistory, repairs: int) -> Head:
    entries = render((), history._state[2].system.blocks)
    system = _text(entries[0]) if entries else None
    return Head(held.head.number, held.head.revision + 1, len(history), repairs, system)


def _first_difference(old: Sequence[Any], new: Sequence[Any]) -> int:
    pairs = zip(old, new, strict=False)
    return next((n for n, (was, now) in enumerate(pairs) if was != now), min(len(old), len(new)))


def _message_row(position: int, message: Message) -> Row:
    return Row(position, _text(message_to_json(message)), {})


def _repair_row(position: int, repair: Repair) -> Row:
    return Row(position, _text(repair_to_json(repair)), {"message": repair.index})


def _text(value: Any) -> str:
    return json_bytes(value).decode()


def _value(body: str) -> Any:
    """Read a body; one that is no JSON is given as it is, for a repair to hold."""
    decoder = Decoder()
    value = decoder.value(body)
    return value if decoder.failure is None else body
