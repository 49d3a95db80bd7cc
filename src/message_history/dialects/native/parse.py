"""Read our own saved form: typed blocks, with what travels with them under keys of our own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast, final, get_args

from message_history.core.messages.arrived import Arrival
from message_history.core.messages.blocks import ProviderBlock, SystemBlock
from message_history.core.messages.message import (
    Message,
    arrived_whole,
    make_message,
    plain_content,
    with_arrivals,
    with_replies,
)
from message_history.core.messages.parsed import Parsed
from message_history.core.messages.plain import input_of, is_object_text, pack, pack_decided, pack_other
from message_history.core.messages.repairs import RepairCode
from message_history.core.values.json_values import FrozenDict, freeze, freeze_mapping
from message_history.core.values.keys import lineage_from_json
from message_history.core.values.meta import Decision, Mark, MarkKind, Meta
from message_history.dialects._shared.plain_reader import MODELLED, Keeper, read_each
from message_history.dialects._shared.reader import read_entries
from message_history.dialects._shared.reply_info import saved_replies, with_unknown
from message_history.dialects._shared.sdk_objects import as_mapping
from message_history.dialects._shared.typed_blocks import carry, read_blocks, rest_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.replies import ReplyInfo
    from message_history.dialects.base import Foreign

NATIVE: Final = "native"
VERSION: Final = 1
OPEN: Final = "open"
"""The key, in the mark of a stub, that says that the stub was not recorded yet: its turn was open."""
LINEAGE: Final = "keys"
"""The key, in the system entry at the start, of what the keys of the calls are made of."""
ARRIVALS: Final = "arrivals"
"""The key of what a message came as."""
REPLIES: Final = "replies"
"""The key of what providers said of the replies in a message."""
_SIZES: Final = (3, 4, 5)
"""How many keys a message has, with and without what may be next to its value."""
PIECE: Final = 64
"""How many entries are well read ahead at once: with fewer each costs more, and of more the collector sees more."""


class _Blocks:
    """What native blocks have besides the modelled keys."""

    issuer: str | None = None

    def meta(self, kind: str, others: dict[str, Any]) -> Meta | None:
        """Read our own keys; anything else is of a later version and kept as extra."""
        if not others:
            return None
        own = {key: found for key, read in _OWN.items() if (found := read(others.get(key))) is not None}
        unknown = {key: value for key, value in others.items() if key not in own and value is not None}
        if "mark" in own:
            unknown |= _beside_mark(others["mark"])
        extra, converted = freeze_mapping(with_unknown(own.get("extra", {}), NATIVE, unknown))
        carried, more = freeze_mapping(own.get("carried", {}))
        meta = Meta(**{**own, "extra": extra, "carried": carried, "converted": (*converted, *more)})
        return meta if meta.key or meta != Meta() else None

    def other(self, data: Mapping[Any, Any]) -> Block:
        text, dialect, block = data.get("text"), data.get("dialect"), as_mapping(data.get("data"))
        if data.get("type") == "system" and isinstance(text, str):
            return SystemBlock(text, meta=self.meta("", rest_of(data, "type", "text")))
        if data.get("type") == "provider" and isinstance(dialect, str) and block is not None:
            return ProviderBlock(dialect, block, meta=self.meta("", rest_of(data, "type", "dialect", "data")))
        return ProviderBlock(NATIVE, data)


@final
class _Keeper(Keeper):
    """Packs what the saved form has under `extra` and of decisions, and takes the provider's own text of an input."""

    def __call__(self, kind: str, item: dict[str, Any]) -> bytes | None:
        """Pack decisions at once: hardly any two are the same."""
        if kind != "tool_result" or "mark" not in item:
            return super().__call__(kind, item)
        return packed_keys({key: value for key, value in item.items() if key not in MODELLED[kind]})

    def packed(self, others: dict[str, Any]) -> bytes | None:
        return packed_keys(others)

    def input(self, item: dict[str, Any], packed: bytes) -> bytes | str | None:
        if "arguments" not in item:
            return packed
        text = item["arguments"]
        if type(text) is str and is_object_text(text) and pack(input_of(text)) == packed:
            return text
        return None

    def other(self, kind: str, item: dict[str, Any]) -> bytes | None:
        return pack_other(item)


def packed_keys(others: dict[str, Any]) -> bytes | None:
    """Pack what a plain content keeps of what travels with a block, empty for nothing; None for anything else."""
    extra, mark = others.get("extra", {}), others.get("mark")
    if not others.keys() <= {"extra", "mark"} or type(extra) is not dict:
        return None
    if "mark" not in others:
        return pack({"extra": extra}) if extra else b""
    decided = pack_decided(mark)
    return pack({"extra": extra, "mark": mark}) if extra and decided is not None else decided


_KEEP: Final = _Keeper(
    NATIVE,
    dict.fromkeys(MODELLED, ("extra",)),
    {**MODELLED, "tool_use": (*MODELLED["tool_use"], "arguments")},
)


def parse(raw: Sequence[Any], foreign: Foreign | None = None) -> Parsed:
    found = _read_usual(raw)
    if all(found):
        return Parsed(cast("list[Message]", found), list(range(len(found))), own=True)
    return read_entries(raw, foreign, _Reader(), "no message of the saved form", known=found)


def read_ahead(entries: Sequence[Any]) -> list[Any]:
    """Read a piece of a list in our own saved form, so that its dicts need not stay until the whole list is there.

    The garbage collector looks at all dicts that are held, again and again: with a long session, that takes as long as
    everything else. The end of the list, whose marks are looked at again, is in no piece. Returns the entries, with
    messages for those that need no second look. The first is not read: it shows the dialect.
    """
    first = next((n for n, entry in enumerate(entries) if _is_usual(entry)), len(entries)) + 1
    rest = entries[first:]
    found = zip(rest, _read_usual(rest), strict=True)
    return [*entries[:first], *[message or entry for entry, message in found]]


def _read_usual(raw: Sequence[Any]) -> list[Message | None]:
    """Read the messages that have the shapes that nearly all have."""
    kinds = set(map(type, raw))
    if kinds == {Message}:
        return list(raw)  # As of a pickle.
    if Message not in kinds:
        return _read_some([entry if _is_usual(entry) else None for entry in raw])
    # Few entries are left of a list that was read ahead.
    read = iter(_read_some([entry for entry in raw if _is_usual(entry)]))
    return [entry if type(entry) is Message else next(read) if _is_usual(entry) else None for entry in raw]


def _read_some(entries: Sequence[Any]) -> list[Message | None]:
    """Read messages of such shapes, with what is next to their values."""
    found = read_each(entries, _SIZES, _KEEP)
    for n, message in enumerate(found):
        if message is not None and len(entries[n]) > _SIZES[0]:
            found[n] = with_beside(message, entries[n])
    return found


def with_beside(message: Message, entry: Mapping[str, Any]) -> Message | None:
    """Give a message that nobody else has yet what is saved next to its value; None if that needs a second look."""
    size = _SIZES[0]
    if ARRIVALS in entry:
        size += 1
        packed = _of_whole(entry[ARRIVALS], message)
        if packed is not None:
            arrived_whole(message, packed)
        else:
            arrivals = _arrivals(entry[ARRIVALS], message)
            if not arrivals:
                return None
            message = with_arrivals(message, _frozen(arrivals))
    if REPLIES not in entry:
        return message if len(entry) <= size else None
    if len(entry) > size + 1:
        return None
    replies, wrong = saved_replies(entry[REPLIES], NATIVE)
    return with_replies(message, replies) if message.role == "assistant" and not wrong else None


def _of_whole(value: object, message: Message) -> bytes | None:
    """Pack the metadata of a message that came at once; None for anything else."""
    item = value[0] if type(value) is list and len(value) == 1 else None
    if type(item) is not dict or len(item) != len(_OF_ARRIVAL) or type(item.get("end")) is not int:
        return None
    metadata = item.get("metadata")
    if type(metadata) is not dict or not metadata or item["end"] != len(plain_content(message)):
        return None
    return pack(metadata)


def _arrivals(value: object, message: Message) -> list[tuple[int, Mapping[str, Any]]]:
    """Read what a message came as, ends and metadata; nothing if it is not just that."""
    size = len(plain_content(message) or message.content)
    found: list[tuple[int, Mapping[str, Any]]] = []
    for item in value if isinstance(value, list) else ():
        if not isinstance(item, dict | Mapping) or item.keys() != _OF_ARRIVAL:
            return []
        end, metadata = item["end"], item["metadata"]
        if type(end) is not int or not 0 <= end <= size or not isinstance(metadata, dict | Mapping):
            return []
        found.append((end, metadata))
    return found


_OF_ARRIVAL: Final = frozenset({"end", "metadata"})


def _frozen(arrivals: list[tuple[int, Mapping[str, Any]]]) -> tuple[Arrival, ...]:
    return tuple(Arrival(end, freeze_mapping(metadata)[0]) for end, metadata in arrivals)


def _is_usual(entry: Any) -> bool:
    """Return whether an entry is of this version of the form."""
    return type(entry) is dict and type(version := entry.get(NATIVE)) is int and version == VERSION


@final
class _Reader:
    """One list on its way in."""

    def __init__(self) -> None:
        self.parsed = Parsed(own=True)

    def own_entry(self, entry: object, source: int) -> bool:
        data = as_mapping(entry)
        if data is None or NATIVE not in data:
            return False
        lineage = lineage_from_json(as_mapping(data.get(LINEAGE)) or {}) if LINEAGE in data else None
        if lineage is not None:
            self.parsed.lineage = lineage
            data = {key: value for key, value in data.items() if key != LINEAGE}
            if not data.get("content") and data.keys() <= {"role", "content", NATIVE} and _is_usual(data):
                return True
        message = self._message(data, source)
        if message is not None:
            self.parsed.add(message, source)
        return True

    def _message(self, data: Mapping[Any, Any], source: int) -> Message | None:
        role = data.get("role")
        blocks = read_blocks(data.get("content"), source, self.parsed, _BLOCKS)
        known = ["role", "content"]
        known += [NATIVE] if type(data[NATIVE]) is int and data[NATIVE] == VERSION else []
        others = rest_of(data, *known)
        replies: tuple[ReplyInfo, ...] = ()
        if role == "assistant" and blocks and REPLIES in others:
            replies, wrong = saved_replies(others.pop(REPLIES), NATIVE)
            if wrong:
                removed = tuple(freeze(value)[0] for value in wrong)
                self.parsed.note(RepairCode.ENTRY_DROPPED, source, removed, "what is not a reply in the saved form")
        if others and not blocks:
            self.parsed.empty(data, source)
            return None
        arrivals = _arrivals(others.get(ARRIVALS), make_message("user", tuple(blocks)))
        if arrivals:
            del others[ARRIVALS]
        carry(blocks, NATIVE, others)
        is_system = role == "system" and all(isinstance(block, SystemBlock) for block in blocks)
        if role not in ("user", "assistant") and not is_system:
            self.parsed.role_assumed(source, role, "role {} taken as the user's")
        message = make_message("assistant" if role == "assistant" else "user", tuple(blocks))
        return with_arrivals(with_replies(message, replies), _frozen(arrivals))

    def other_entry(self, entry: object, source: int) -> bool:
        return False


def _mapping(value: object) -> Mapping[str, Any] | None:
    return value if isinstance(value, Mapping) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _mark(value: object) -> Mark | None:
    """Read a mark; None for one that a later version made, or that was tampered with."""
    if not isinstance(value, Mapping) or not isinstance(value.get("kind"), str) or value["kind"] not in _MARK_KINDS:
        return None
    fields: dict[str, Any] = {key: value[key] for key in _MARK_FIELDS if _is_of_mark(key, value.get(key))}
    if DECISIONS in value and _is_of_mark(DECISIONS, value[DECISIONS]):
        fields[DECISIONS] = tuple(map(_decision, value[DECISIONS]))
    return Mark(kind=value["kind"], **fields)


def _decision(value: object) -> Decision | None:
    """Read a decision; what is more than one stays next to the mark."""
    if not isinstance(value, Mapping) or not value.keys() <= _DECISION.keys() or "state" not in value:
        return None
    if not all(isinstance(value[key], _DECISION[key]) and not isinstance(value[key], bool) for key in value):
        return None
    input = value.get("input")
    return Decision(**{**value, "input": freeze_mapping(input)[0] if input is not None else None})


DECISIONS: Final = "decisions"
_DECISION: Final[dict[Any, tuple[type, ...]]] = {
    **dict.fromkeys(("state", "by", "reason"), (str,)),
    **dict.fromkeys(("at", "until"), (int, float)),
    "input": (dict, FrozenDict),
}


def _beside_mark(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a mark says that this version does not know, or knows in another type."""
    others = {key: item for key, item in rest_of(value, "kind").items() if not _is_of_mark(key, item)}
    return {"mark": others} if others else {}


def _is_of_mark(key: object, value: object) -> bool:
    """Return whether a mark may have this key and this value, in addition to its kind."""
    if key == DECISIONS:
        return isinstance(value, list) and all(_decision(item) is not None for item in value)
    if key == "blocks":
        return type(value) is int and value >= 0
    return isinstance(value, bool) if key in ("is_error", OPEN) else key in _MARK_TEXTS and isinstance(value, str)


_MARK_KINDS: Final = frozenset(get_args(MarkKind))
_MARK_TEXTS: Final = ("reason", "tool_use_id", "name", "detail", "key")
_MARK_FIELDS: Final = ("is_error", "blocks", *_MARK_TEXTS)
_OWN: Final[Mapping[str, Callable[[object], Any]]] = {
    "extra": _mapping,
    "carried": _mapping,
    "mark": _mark,
    "issuer": _text,
    "signature": _text,
    "arguments": _text,
    "key": _text,
}
_BLOCKS: Final = _Blocks()
