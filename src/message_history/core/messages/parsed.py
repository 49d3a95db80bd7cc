"""What a parser read from a raw list: messages, where they came from, and what could not be taken as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, final

from attrs import define, evolve, field

from message_history.core.messages.repairs import RepairCode
from message_history.core.values.json_values import freeze, short_repr
from message_history.core.values.value import Value

if TYPE_CHECKING:
    from message_history.core.messages.message import Message
    from message_history.core.messages.repairs import Removed
    from message_history.core.values.keys import Lineage

_SHOWN: Final = (type(None), bool, int, float, str, list, dict)
"""Of what types a short text shows all, if it has no dots in it."""


class Note(NamedTuple):
    """Something that a parser could not read as it was."""

    code: RepairCode
    source: int  # the entry of the raw list
    removed: tuple[Removed, ...] = ()  # what was removed or replaced
    detail: str = ""

    def at(self, source: int) -> Note:
        return self._replace(source=source)


@final
@define(eq=False, repr=False)
class Parsed(Value):
    """What a parser read.

    Args:
        messages: the messages, in order; `rules.py` decides what becomes of them.
        sources: for each, the entry of the raw list that it came from.
        interrupted: the positions of the truncated replies.
        notes: what could not be taken as it was.
        left: entries that are not messages, such as a program's records; without them, nothing that was said changes.
        places: for each entry, the positions of what it was made of; empty where that is its own.
        dialect: the dialect that the list was read in; empty when the parser was asked directly.
        is_unfinished: whether it is a look at a reply that still comes: its repairs are not final.
        own: True for our own saved form, in which marks say all, and texts nothing.
        lineage: what the keys of the calls are made of, where the list says so.
    """

    messages: list[Message] = field(factory=list)
    sources: list[int] = field(factory=list)
    interrupted: set[int] = field(factory=set)
    notes: list[Note] = field(factory=list)
    left: list[Note] = field(factory=list)
    places: list[list[int]] = field(factory=list)
    dialect: str = ""
    is_unfinished: bool = False
    own: bool = False
    lineage: Lineage | None = None

    def add(self, message: Message, source: int, *, interrupted: bool = False) -> None:
        """Add a message.

        Args:
            message: the message.
            source: the entry of the raw list that it came from.
            interrupted: True for a truncated reply.
        """
        if interrupted:
            self.interrupted.add(len(self.messages))
        self.messages.append(message)
        self.sources.append(source)

    def note(self, code: RepairCode, source: int, removed: tuple[Removed, ...] = (), detail: str = "") -> None:
        """Add a note.

        Args:
            code: what was done.
            source: the entry of the raw list.
            removed: what was removed or replaced.
            detail: the same in words.
        """
        self.notes.append(Note(code=code, source=source, removed=removed, detail=detail))

    def role_assumed(self, source: int, value: object, words: str) -> None:
        """Note a role that is not known, and keep one that the words do not show whole.

        Args:
            source: the entry of the raw list.
            value: the value of the role.
            words: what it is taken as, with `{}` for the value.
        """
        shown = short_repr(value)
        whole = type(value) in _SHOWN and "..." not in shown
        removed = () if whole else (freeze(value)[0],)
        self.note(RepairCode.ROLE_ASSUMED, source, removed, words.replace("{}", shown, 1))

    def empty(self, entry: object, source: int) -> None:
        """Note a message without content.

        Args:
            entry: the raw entry, kept in the note.
            source: its position in the raw list.
        """
        frozen, _ = freeze(entry)
        self.note(RepairCode.EMPTY_MESSAGE_DROPPED, source, (frozen,), "a message without content")

    def dropped(self, entry: object, source: int, why: str) -> None:
        """Note an entry that is not a message.

        Args:
            entry: the raw entry, kept in the note.
            source: its position in the raw list.
            why: what is wrong with it.
        """
        frozen, _ = freeze(entry)
        self.note(RepairCode.ENTRY_DROPPED, source, (frozen,), why)

    def at(self, source: int) -> Parsed:
        """Return what was read of one entry as that of another place in the raw list."""
        sources = [source] * len(self.messages)
        return evolve(self, sources=sources, notes=[note.at(source) for note in self.notes])

    def extend(self, other: Parsed) -> None:
        """Add what another parser read."""
        shift = len(self.messages)
        self.messages += other.messages
        self.sources += other.sources
        self.interrupted |= {shift + position for position in other.interrupted}
        self.notes += other.notes
