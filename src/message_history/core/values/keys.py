"""The key of a call: its one name for life, made of where it arrived and what was proposed, and only when asked for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, NamedTuple

from message_history.core.values.json_values import FrozenDict, thaw

if TYPE_CHECKING:
    from collections.abc import Mapping


class Branch(NamedTuple):
    """From which place on calls have keys of their own."""

    turn: int  # the turn, counted from the conversation's first
    number: int  # the number of calls that the turn had
    name: str  # the conversation's name
    again: int  # how often such places were given out again, as after `rewind`


class Lineage(NamedTuple):
    """What keys are made of besides the calls."""

    dropped: int = 0  # how many turns of the conversation come before the first of the history
    branches: tuple[Branch, ...] = ()  # where keys have changed, in order

    def branched(self, turn: int, number: int, name: str | None = None) -> Lineage:
        """Return the lineage of calls that are added from a place of the history on, where others may have been."""
        start = turn + self.dropped, number
        kept = tuple(each for each in self.branches if each[:2] < start)
        again = 1 + max((each.again for each in self.branches), default=0)
        old = self.branches[-1].name if self.branches else ""
        return self._replace(branches=(*kept, Branch(*start, old if name is None else name, again)))


WHOLE: Final = Lineage()
"""The lineage of a history without a name that was never cut."""


def named(name: str) -> Lineage:
    """Return the lineage of a new conversation."""
    return Lineage(0, (Branch(0, 0, name, 0),)) if name else WHOLE


OPEN: Final = -1
"""In place of a turn's number: the turn that is open when a call is looked for."""
_ENCODE: Final = json.JSONEncoder(sort_keys=True).encode


class Origin(NamedTuple):
    """Where a call is."""

    lineage: Lineage  # the history's
    turn: int  # the number of the turn, counted from the history's first
    number: int  # the number of the call in the turn
    key: str = ""  # the key, where something says it


def salt_at(lineage: Lineage, turn: int, number: int) -> tuple[str, int] | None:
    """Return what makes the keys of the calls at a place differ from other conversations' keys."""
    start = turn + lineage.dropped, number
    return next((each[2:] for each in reversed(lineage.branches) if each[:2] <= start), None)


def key_at(origin: Origin, id: str, name: str, input: FrozenDict) -> str:
    """Return the key of a call."""
    from hashlib import sha256  # noqa: PLC0415 - OpenSSL takes long to load, and few ask for keys

    salt, turn = salt_at(*origin[:3]), origin.turn + origin.lineage.dropped
    text = _ENCODE([salt, turn, origin.number, id, name, thaw(input)])
    return sha256(text.encode()).hexdigest()[:32]


def lineage_to_json(lineage: Lineage) -> dict[str, object]:
    """Write a lineage."""
    return {"dropped": lineage.dropped, "branches": [list(each) for each in lineage.branches]}


def lineage_from_json(value: Mapping[str, object]) -> Lineage | None:
    """Read a lineage; None when the value is not one."""
    dropped, branches = value.get("dropped"), value.get("branches")
    if value.keys() != {"dropped", "branches"} or type(dropped) is not int or not isinstance(branches, list):
        return None
    if not all(isinstance(each, list) and list(map(type, each)) == [int, int, str, int] for each in branches):
        return None
    return Lineage(dropped, tuple(Branch(*each) for each in branches))
