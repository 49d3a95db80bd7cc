"""All formats by name, of modules of this package and of entry points, and which of them a file is in."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING, Final, final

from attrs import evolve

from message_history.core.messages.repairs import InvariantError
from message_history.files.damaged_json import LineNote
from message_history.files.files import FileForm, NotRecognisedError, UnreadableFileError
from message_history.files.naming import kind_of
from message_history.files.written_like import written_like
from message_history.formats.kit.base import Fit, Format, Reading
from message_history.formats.message_lists import MESSAGE_LISTS, strange_entry
from message_history.plugins import FORMATS as GROUP
from message_history.plugins import attempt, entry_points_of, leave_out, plugin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, ValuesView

    from message_history.core.messages.policy import Policy
    from message_history.files.conversations import Conversation
    from message_history.formats.kit.base import Rewritten, Writer
    from message_history.formats.kit.document import Document


@final
class _Formats(Mapping[str, Format]):
    """The formats by name, in the order of their ranks; others' are looked for when none of ours is asked for."""

    def __getitem__(self, name: str) -> Format:
        return _own_formats().get(name) or _all_formats()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_all_formats())

    def __len__(self) -> int:
        return len(_all_formats())

    def values(self) -> ValuesView[Format]:
        return _all_formats().values()  # A `Mapping` would ask for each by its name.


FORMATS: Final = _Formats()
_NOTHING: Final = "an item in which no message was found"
_ODD: Final = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""What readers run into when a value is of another type than its program ever writes: such a file is another's."""


def recognise(document: Document) -> Format:
    """Find the format of a file.

    It is the one format that the file is certainly in; one that many programs write when it is in none of one program.
    Raises `NotRecognisedError` when no format fits with certainty, or several of one program do. Raises
    `UnreadableFileError` when it is damaged so that nothing can be read. The cost is constant for most formats, which
    look at the first objects; linear for plain lists.
    """
    fitting = [each for each in FORMATS.values() if not each.general and _is_certain(each, document)]
    if len(fitting) > 1:
        raise _not_recognised(each.name for each in fitting)
    # Of those that many programs write, the first decides: the last of them look at all of a file.
    fitting = fitting or list(
        islice((each for each in FORMATS.values() if each.general and _is_certain(each, document)), 1)
    )
    if fitting:
        return fitting[0]
    nearest = nearest_formats(document)
    if nearest:
        raise _not_recognised(nearest, strange_entry(document) if MESSAGE_LISTS.name in nearest else "")
    try:
        document.saved  # noqa: B018 - it raises, and says why
    except UnreadableFileError as error:
        if not error.sound:
            raise
        raise _not_recognised(why=str(error)) from error
    first = next((item for _, item in document.numbered_items), None)
    raise _not_recognised(why="no entry in it is a message" + (f"; the first is {kind_of(first)}" if first else ""))


def _not_recognised(nearest: Iterable[str] = (), why: str = "") -> NotRecognisedError:
    more = "" if find_spec("message_history_formats") else "pip install 'message-history[formats]' brings more formats"
    return NotRecognisedError(nearest, why, more)


def nearest_formats(document: Document) -> list[str]:
    """Name the formats that a file is like. Those that have marks in it are named, in the order of their ranks."""
    return [each.name for each in FORMATS.values() if _fit(each, document) is not Fit.NONE]


def read_as(document: Document, chosen: Format) -> Reading:
    """Read a file in a format. Raises `UnreadableFileError` when it holds no conversation of this format."""
    try:
        reading = chosen.read(document)
    except UnreadableFileError:
        raise
    except _ODD as error:
        raise UnreadableFileError(f"its entries do not fit the format {chosen.name}: {error}") from error
    found = tuple(_finished(each, document, chosen) for each in reading.conversations)
    has_word = reading.unread or reading.notes or any(each.file.entries or each.omitted for each in found)
    if has_word or chosen.general:
        return evolve(reading, conversations=found)
    # What gave no message is named, so that nothing of a program is empty without a word; a plain list may be empty.
    unread = [LineNote(line=n, detail=_NOTHING, skipped=str(item)) for n, item in document.numbered_items if item]
    return evolve(reading, conversations=found, unread=tuple(unread))


def repair_as(data: bytes, chosen: Format, policy: Policy) -> Rewritten:
    """Repair a file in a format.

    Raises `UnreadableFileError` when files of the format are read only, or its entries are built in another way.
    """
    if chosen.repair is None:
        raise UnreadableFileError(f"files of the format {chosen.name} are read, not written")
    try:
        written = chosen.repair(data, policy)
    except (UnreadableFileError, InvariantError):
        raise
    except _ODD as error:
        raise UnreadableFileError(f"its entries do not fit the format {chosen.name}: {error}") from error
    return written._replace(data=written_like(written.data, data))


@cache
def _own_formats() -> dict[str, Format]:
    return {each.name: each for each in _formats_in(import_module("message_history.formats"), import_module)}


@cache
def _all_formats() -> dict[str, Format]:
    """Find all formats; of two of one name, ours is taken, or the first, but the same with a writer adds this."""
    found = dict(_own_formats())
    for name in entry_points_of(GROUP):
        for each in _formats_of(name):
            known = found.setdefault(each.name, each)
            if known == each and known.write is None:
                found[each.name] = each
            elif known is not each:
                leave_out(GROUP, name, f"there is another format {each.name}")
    return {each.name: each for each in sorted(found.values(), key=lambda each: (each.rank, each.name))}


def writers() -> dict[str, Writer]:
    """Return what writes sessions that a program goes on with, by the names of the formats."""
    return {each.name: each.write for each in FORMATS.values() if each.write is not None}


def _formats_of(name: str) -> Iterable[Format]:
    """Find the formats in what an entry point names."""
    found = plugin(GROUP, name)
    if isinstance(found, Format):
        return (found,)
    if found is not None and not isinstance(found, ModuleType):
        leave_out(GROUP, name, f"it must be a Format or a module, not {type(found).__name__}")
    return _formats_in(found, lambda module: attempt(GROUP, name, partial(import_module, module), module))


def _formats_in(place: object, load: Callable[[str], object]) -> Iterator[Format]:
    """Find each public `Format` of a module; of a package, those of its modules."""
    if not isinstance(place, ModuleType):
        return
    yield from [each for name, each in vars(place).items() if isinstance(each, Format) and not name.startswith("_")]
    for module in iter_modules(getattr(place, "__path__", ())):
        if not module.ispkg:
            yield from _formats_in(load(f"{place.__name__}.{module.name}"), load)


def _is_certain(one: Format, document: Document) -> bool:
    return _fit(one, document) is Fit.CERTAIN


def _fit(one: Format, document: Document) -> Fit:
    try:
        found = one.fit(document)
    except _ODD:
        return Fit.NONE
    # What text quotes is an example: as a session, it would lose the text.
    return min(found, Fit.NEAR) if document.is_prose and not one.of_text else found


def _finished(conversation: Conversation, document: Document, chosen: Format) -> Conversation:
    file = conversation.file
    if document.value is not None and not document.lines and file.container is None:
        # The places in a JSON value are not lines.
        file = evolve(file, form=FileForm.LIST if file.form is FileForm.LINES else file.form, lines=())
    judged = conversation.judged if conversation.judged is not None else chosen.judged
    return evolve(conversation, file=file, judged=judged, origin=evolve(conversation.origin, format=chosen.name))
