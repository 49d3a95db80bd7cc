"""What a format is: how it recognises a file, how it reads it, and how it writes it again.

A reader accounts for every entry: it is in a conversation, or it is of a kind that is known not to be, or it is noted
as unread. Nothing is lost without a word.
"""

from __future__ import annotations

from collections import Counter
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, final

from attrs import field, frozen

from message_history.files.conversations import Conversation, Origin
from message_history.files.damaged_json import LineNote
from message_history.files.files import FileForm, SavedFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from message_history.core.messages.policy import Policy
    from message_history.core.messages.repairs import Repair
    from message_history.dialects import Dialect, Export
    from message_history.dialects._shared.tools.values import OmittedPart
    from message_history.formats.kit.document import Document
    from message_history.history import MessageHistory

    _Judge: TypeAlias = Callable[[dict[str, Any]], bool]
    Writer: TypeAlias = Callable[["MessageHistory", str, datetime], "NewSession"]

Repairs: TypeAlias = "tuple[tuple[str, tuple[Repair, ...]], ...]"
"""The repairs of each conversation in a file, by its label."""

PAIRING: Final = frozenset(
    {"AN-C1", "AN-C4", "AN-C5", "OC-01", "OC-02", "OC-03", "OR-01", "OR-02", "OR-04", "OR-05", "GM-G07", "GM-G08"}
)
"""The dialects' rules on which results follow which calls: what transcripts of most programs are judged by."""
NOTHING_JUDGED: Final[frozenset[str]] = frozenset()
"""For programs that do not record the results of their calls, and for data that no program goes on with."""

STATE: Final = "an application writes it with its framework, whose own code sends it"
PRINTED: Final = "it is printed; no program reads it again"
OUTCOME: Final = "it records what was done; no program goes on with it"
EXPORTED: Final = "it is a copy for people; the service goes on from its own store"
DATABASE: Final = "a database is read from a copy in memory, and only its own program writes it"
DATA_SET: Final = "trainers read it in the form that `compile` writes"
"""Why files of a format are read only."""


@final
class Fit(IntEnum):
    """How well a file fits a format."""

    NONE = 0
    NEAR = 1
    """Some of it has the format's marks."""
    CERTAIN = 2


@final
@frozen(kw_only=True)
class Reading:
    """What a format's reader made of a file.

    Args:
        conversations: the conversations, the main one first.
        notes: what could not be read as it is, besides what the document notes.
        unread: the entries that the reader does not know, with their places.
    """

    conversations: tuple[Conversation, ...]
    notes: tuple[LineNote, ...] = ()
    unread: tuple[LineNote, ...] = ()


class Rewritten(NamedTuple):
    """A repaired file.

    Args:
        data: what to write.
        repairs: what was changed in each conversation, by its label.
        form: how it holds messages, for a file that held a mere list; else None.
    """

    data: bytes
    repairs: Repairs
    form: FileForm | None = None


@final
@frozen(kw_only=True)
class NewSession:
    """A session that a program goes on with.

    Args:
        rows: the lines of its file.
        dialect: what the program speaks with its provider.
        export: the conversation in this dialect, with the repairs that this took.
        path: where the program looks for the file.
        resume: the command that goes on with it.
        omitted: what the file has no place for, besides what the repairs say.
    """

    rows: tuple[Any, ...] = field(repr=False)
    dialect: Dialect[Any]
    export: Export = field(repr=False)
    path: str
    resume: str
    omitted: tuple[OmittedPart, ...] = ()


@final
@frozen(kw_only=True)
class Format:
    """A format of files.

    Args:
        name: names it on the command line.
        rank: its place in lists of all formats, and the place in which a general one is asked; those of the same rank
            are in the order of their names.
        title: says whose files these are.
        files: where the program keeps them.
        omits: what in them is not conversation.
        source: the code or page that the facts are from.
        checked: the date on which they were compared with it.
        fit: says how well a file fits.
        read: reads a file that fits.
        repair: writes a broken file again, in the same format; None for formats that are read only.
        write: writes a history as a session that the program goes on with, from the folder of its project and the
            time of messages that do not say theirs; None where nothing does.
        judged: the ids of the dialects' rules that a sound file of this format keeps; None for all of them.
        general: whether other programs write the same: it is asked when no format of one program fits.
        unwritten: why files of the format are read only, where they are.
        by_line: whether each line of a file of lines is a conversation of its own, so that it can be read alone.
        of_text: whether its files are text, and no JSON.
    """

    name: str
    title: str
    files: str
    omits: str
    source: str
    checked: str
    fit: Callable[[Document], Fit] = field(repr=False)
    read: Callable[[Document], Reading] = field(repr=False)
    repair: Callable[[bytes, Policy], Rewritten] | None = field(default=None, repr=False)
    write: Writer | None = field(default=None, repr=False, eq=False)
    judged: frozenset[str] | None = field(default=PAIRING, repr=False)
    unwritten: str = ""
    general: bool = False
    by_line: bool = False
    of_text: bool = False
    rank: int = 1000


def fit_of(found: int, marked: int, looked_at: int) -> Fit:
    """Judge a file by how many of its objects have a format's shape.

    Args:
        found: how many have the shape.
        marked: how many have a mark that no other format has.
        looked_at: how many there are.

    Returns:
        Certain when there is a mark and most have the shape.
    """
    if marked and found * 2 > looked_at:
        return Fit.CERTAIN
    return Fit.NEAR if marked or found * 2 > looked_at > 0 else Fit.NONE


def fit_items(
    items: Sequence[dict[str, Any]], has_shape: _Judge, is_marked: _Judge | None = None, *, is_common: bool = False
) -> Fit:
    """Judge a file by its objects; see `fit_of`.

    Args:
        items: the objects.
        has_shape: whether one has the format's shape.
        is_marked: whether one has a mark that no other format has; None when the shape is such a mark.
        is_common: whether many formats have the shape, so that it says nothing without a mark.

    Returns:
        How well the file fits.
    """
    shaped = sum(map(has_shape, items))
    marked = shaped if is_marked is None else sum(map(is_marked, items))
    if is_common and not marked:
        return Fit.NONE
    return fit_of(shaped, marked, len(items))


def row_fit(has_shape: _Judge, is_marked: _Judge | None = None) -> Callable[[Document], Fit]:
    """Return the `fit` of a format of lines, each an object; the arguments are those of `fit_items`."""
    return lambda document: fit_items(document.first_rows, has_shape, is_marked)


def item_fit(has_shape: _Judge, is_marked: _Judge | None = None) -> Callable[[Document], Fit]:
    """Return the `fit` of a format of objects, in a list or in lines; the arguments are those of `fit_items`."""
    return lambda document: fit_items(document.first_items, has_shape, is_marked)


@final
class Collector:
    """Collects the entries of one conversation, and accounts for what is not one of them."""

    def __init__(self) -> None:
        self.entries: list[Any] = []
        self.places: list[int] = []
        self.unread: list[LineNote] = []
        self._touched: dict[int, int] = {}
        self._replies: list[tuple[int, Mapping[str, Any], str]] = []
        self._omitted: Counter[str] = Counter()

    def add(self, place: int, entry: Any) -> None:
        """Add an entry."""
        self.entries.append(entry)
        self.places.append(place)
        self._touched.setdefault(place, len(self.entries) - 1)

    def add_blocks(self, place: int, role: str, blocks: Iterable[Any], key: str = "content") -> None:
        """Add the blocks of a message, under a key; they join the message before when that is of the same role."""
        new = list(blocks)
        last = self.entries[-1] if self.entries else None
        if last is not None and role != "system" and last["role"] == role:
            last[key] += new
            if new:
                self._touched.setdefault(place, len(self.entries) - 1)
        elif new:
            self.add(place, {"role": role, key: new})

    def add_piece(self, place: int, role: str, piece: object, key: str = "text") -> None:
        """Add a piece of text, or of thinking; it goes on from the piece before when that is of the same role."""
        last = self.entries[-1]["content"][-1] if self.entries and self.entries[-1]["role"] == role else {}
        if isinstance(piece, str) and last.get("type") == key:
            last[key] += piece
            self._touched.setdefault(place, len(self.entries) - 1)
        elif isinstance(piece, str) and piece.strip():
            self.add_blocks(place, role, [{"type": key, key: piece}])

    def clear(self) -> None:
        """Remove all entries: others replace them."""
        self.entries.clear()
        self.places.clear()
        self._touched.clear()
        self._replies.clear()

    def reply(self, data: Mapping[str, Any], provider: str) -> None:
        """Record what a provider said of the reply whose entry was added last; see `reply_info`.

        An empty reply has no entry: what was said of it is of no message.
        """
        if self.entries and self.entries[-1].get("role") != "user":
            self._replies.append((len(self.entries) - 1, data, provider))

    def omit(self, kind: str, times: int = 1) -> None:
        """Record what is known not to be part of the conversation."""
        if times:
            self._omitted[kind] += times

    def note(self, place: int, detail: str, value: object) -> None:
        """Record what could not be read."""
        self.unread.append(LineNote(line=place, detail=detail, skipped=str(value)))

    def conversation(
        self,
        dialect: Dialect[Any] | None,
        *,
        label: str = "",
        id: object = None,
        title: object = None,
        tools: object = None,
    ) -> Conversation:
        """Make the conversation of what was collected.

        Args:
            dialect: the dialect of the entries; None to find it by shape.
            label: distinguishes it from the others in the file.
            id: the program's id of it; anything but a text is ignored.
            title: its title; anything but a text is ignored.
            tools: the definitions of its tools; anything but a list is ignored.

        Returns:
            The conversation.
        """
        origin = Origin(
            label=label,
            id=id if isinstance(id, str) and id else None,
            title=title if isinstance(title, str) and title else None,
        )
        file = SavedFile(
            entries=tuple(self.entries),
            form=FileForm.LINES,
            lines=tuple(self.places),
            known=dialect,
            replies=tuple(self._replies),
        )
        omitted = tuple(sorted(self._omitted.items()))
        return Conversation(
            file=file,
            origin=origin,
            tools=tuple(tools) if isinstance(tools, list) else (),
            omitted=omitted,
            places=tuple(self.places),
            touched=tuple(self._touched.items()),
        )

    def reading(self, dialect: Dialect[Any] | None, **about: Any) -> Reading:
        """Make the reading of a file with this one conversation; see `conversation`."""
        return Reading(conversations=(self.conversation(dialect, **about),), unread=tuple(self.unread))
