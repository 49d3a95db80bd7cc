"""Values that no dialect knows: what else can read them is asked, and what it leaves out is recorded."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from message_history.core.messages.blocks import ProviderBlock
from message_history.core.messages.message import not_plain
from message_history.core.messages.parsed import Note
from message_history.core.messages.repairs import RepairCode
from message_history.core.values.json_values import freeze, thaw
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence
from message_history.dialects.lists import MARKS
from message_history.dialects.registry import CHAT, RESPONSES, read
from message_history.plugins import READERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.core.messages.message import Message
    from message_history.core.messages.parsed import Parsed
    from message_history.core.messages.replies import ReplyInfo
    from message_history.dialects.base import Dialect


Replies: TypeAlias = "Sequence[tuple[int, ReplyInfo]]"
Read: TypeAlias = "tuple[Parsed, Dialect[Any] | None, Replies]"


class Found(NamedTuple):
    """A conversation that was found in a value.

    Args:
        entries: its entries, in a dialect's form.
        places: for each, the position in the value of what it came from; empty when the value is not a list.
        dialect: the dialect of the entries; None to find it by shape.
        replies: what providers said of replies, each with the position of an entry.
        unread: what was not read: its place, why not, and itself.
        touched: the positions of all that is in an entry, each with that of the entry.
    """

    entries: Sequence[Any]
    places: Sequence[int]
    dialect: Dialect[Any] | None
    replies: Replies = ()
    unread: Sequence[tuple[int, str, Any]] = ()
    touched: Sequence[tuple[int, int]] = ()


_LOST: Final = frozenset(
    {RepairCode.ENTRY_DROPPED, RepairCode.EMPTY_MESSAGE_DROPPED, RepairCode.BLANK_TEXT_DROPPED, RepairCode.ROLE_ASSUMED}
)
_NO_WORDS: Final = frozenset({"role", "id", "index", "type", "name", "model", "created_at", "timestamp", "status"})
_LEFT: Final = "no message of this conversation; `message_history.formats.from_data` gives all that a value holds"
_NOTHING: Final = "no message"
API_ROLES: Final = frozenset({"user", "assistant", "model", "system", "developer", "tool", "function"})
"""The roles of all APIs."""
BEDROCK: Final = "bedrock"
_OF_RESPONSES: Final = frozenset({"input_audio", "input_text", "input_image", "input_file", "output_text", "refusal"})
_DEEPEST: Final = 100
_LOOKED_INTO: Final = 6


def found_in(value: object) -> Found | None:
    """Find the conversation in a value, as a file would hold it; None when no reader knows it."""
    plain = thaw(freeze(plain_value(value))[0])
    return next((found for reader in READERS if (found := reader(plain)) is not None), None)


def plain_value(value: Any) -> Any:
    """Return a value with the objects in it as mappings, each once, and everything else as it is."""
    seen: dict[int, tuple[Any, Any]] = {}

    def plain(value: Any, depth: int) -> Any:
        if depth > _DEEPEST or value is None or isinstance(value, str | int | float | bytes):
            return value
        if id(value) not in seen:
            # Both are kept: what holds itself ends here, and no other object gets this id.
            seen[id(value)] = None, value
            made = value
            if isinstance(value, list | tuple):
                made = [plain(each, depth + 1) for each in value]
            elif (about := as_mapping(value)) is not None:
                made = {key: plain(each, depth + 1) for key, each in about.items()}
            seen[id(value)] = made, value
        return seen[id(value)][0]

    return plain(value, 0)


def read_better(raw: Sequence[Any], parsed: Parsed) -> Read | None:
    """Read a list again if its parser lost entries with text and another loses fewer: what, by which, and replies."""
    keys = chain.from_iterable(entry if type(entry) is dict else _HINTS for entry in raw)
    strange = not _HINTS.isdisjoint(keys) and any(map(_is_marked, raw))
    strange = strange or any(map(_is_strange, not_plain(parsed.messages)))
    lost = {note.source for note in parsed.notes if _is_lost(note) and _has_words(raw[note.source])}
    found = found_in(raw) if strange or lost else None
    if found is None or not found.entries:
        return None
    found = _placed(found, len(raw))
    left = _left(found, len(raw))
    if len(left) > len(lost) and parsed.messages and not strange:
        return None
    again = read(found.entries, found.dialect)
    rows = [{place: n} for n, place in enumerate(found.places)]
    for place, n in found.touched:
        rows[n][place] = n
    again.places = list(map(list, rows))
    again.left = [_note_of(n, raw[n], why) for n, why in left.items()]
    if again.messages:
        import_module("message_history.dialects.left_over").keep_left_over(again, raw, found.entries)
    else:
        noted = {*left, *(found.places[note.source] for note in again.notes)}
        again.left += [_note_of(n, raw[n], _NOTHING) for n in range(len(raw)) if n not in noted]
        again.left.sort(key=lambda note: note.source)
    return again, found.dialect, found.replies


def _is_lost(note: Note) -> bool:
    """Return whether an entry was not read as what it is: content of an unknown form is there as JSON text only."""
    return note.code in _LOST or note.detail.endswith("as content, kept as JSON text")


def read_object(value: Mapping[Any, Any]) -> Read | None:
    """Read the conversation in an object, such as a request or a session; None when nothing knows it."""
    found = found_in(value)
    if found is None:
        return None
    parsed = read(found.entries, found.dialect)
    parsed.left = [_note_of(0, entry, why) for _, why, entry in found.unread]
    return parsed, found.dialect, found.replies


def _note_of(source: int, entry: object, why: str) -> Note:
    return Note(RepairCode.ENTRY_DROPPED, source, (freeze(plain_value(entry))[0],), why)


def _placed(found: Found, size: int) -> Found:
    """Return what was found with a position in a list for each entry; without them, all of the list made the first."""
    if len(found.places) == len(found.entries) and all(0 <= place < size for place in found.places):
        return found
    unread = [(0, why, entry) for _, why, entry in found.unread]
    return found._replace(places=[0] * len(found.entries), touched=[(n, 0) for n in range(size)], unread=unread)


def _left(found: Found, size: int) -> dict[int, str]:
    """Return the positions of what is in no entry, or not all of it, each with the reason."""
    taken, unread = {*found.places, *dict(found.touched)}, {place: why for place, why, _ in found.unread}
    return {n: unread.get(n, _LEFT) for n in range(size) if n in unread or n not in taken}


def _has_words(entry: object) -> bool:
    """Return whether an entry says something, under whatever key."""
    data = as_mapping(entry)
    if data is None:
        return isinstance(entry, list | tuple) and bool(entry)
    role = data.get("role")
    if isinstance(role, str) and role not in API_ROLES:
        return True
    return any(_says(value) for key, value in data.items() if key not in _NO_WORDS)


@cache
def _kinds(dialect: str) -> frozenset[str] | None:
    """Return what the blocks of a dialect are called that are kept as they are; None when that is not listed."""
    if dialect not in (CHAT, RESPONSES, BEDROCK):
        return None
    schema = import_module(f"message_history.dialects.{dialect}.schema")
    if dialect == CHAT:
        return frozenset({"function"}).union(*schema.PARTS.values())
    return frozenset(schema.BLOCKS) if dialect == BEDROCK else frozenset({*schema.KEYS, *_OF_RESPONSES})


def _is_strange(message: Message) -> bool:
    """Return whether a message has a block that is kept for a dialect which has none of its kind."""
    for block in message.content:
        kinds = _kinds(block.dialect) if isinstance(block, ProviderBlock) else None
        if kinds is not None and isinstance(block, ProviderBlock):
            named = block.data.keys() if block.dialect == BEDROCK else {block.type}
            if kinds.isdisjoint(named):
                return True
    return False


def _says(value: object, depth: int = 0) -> bool:
    if isinstance(value, str):
        return bool(value) and not value.isspace()
    if isinstance(value, list | tuple | Mapping) and depth < _LOOKED_INTO:
        inner = [each for key, each in value.items() if key != "type"] if isinstance(value, Mapping) else value
        return any(_says(each, depth + 1) for each in inner)
    return value is not None and not isinstance(value, bool | int | float)


_HINTS: Final = MARKS | {"parts"}
"""Keys without which no dict is marked."""


def _is_marked(entry: object) -> bool:
    """Return whether an entry has parts of a form that reads like another one."""
    data = as_mapping(entry) or {}
    if not MARKS.isdisjoint(data):
        return True
    parts = as_sequence(data.get("parts")) or ()
    return any(isinstance(part, Mapping) and isinstance(part.get("type"), str) for part in parts)


def hint(raw: object) -> str:
    """Say what to pass instead of what is not a list."""
    if isinstance(raw, str | bytes):
        return "parse the JSON first, or read a file with `message_history.from_file`"
    if isinstance(raw, Mapping):
        keys = [key for key in ("messages", "input", "contents") if key in raw]
        return f"pass raw[{keys[0]!r}]" if keys else "`add` takes one message"
    return "`add` takes one message"
