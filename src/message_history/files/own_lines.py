"""The lines of a session file, and what they say together.

A file is a header and then one JSON object per line:

    {"format": "message-history session", "version": 1}
    {"role": "system", "content": [...], "native": 1}
    {"at": 0, "role": "user", "content": [...], "native": 1}
    {"at": 1, "role": "assistant", "content": [...], "native": 1}
    {"at": 2, "role": "user", "content": [...], "native": 1, "repairs": [...], "first_repair": 0}

Every message says its position, so lines may be lost, the header too, and the others still mean what they meant. A line
with the position of the last one replaces it: that is how the open turn grows in a file that is only ever appended to,
and if such a line is cut off, the one before it still holds. Repairs are in the line of the message that they were made
for, so that both are there or neither. `standing` are repairs that a result may still undo; those of the last message
count.

Nothing here opens a file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, final

from attrs import define, field

from message_history.core.messages.message import Message
from message_history.core.turns.conversation import context_of
from message_history.core.turns.stubs import unrecorded_stubs
from message_history.core.values.json_values import freeze_mapping
from message_history.core.values.keys import WHOLE, Lineage, Origin, key_at, lineage_from_json, lineage_to_json
from message_history.dialects.native.parse import ARRIVALS, LINEAGE, NATIVE, REPLIES, VERSION, read_ahead
from message_history.dialects.native.render import first_entry, mark_open_stubs, message_to_json
from message_history.dialects.state import repair_from_json, repair_to_json
from message_history.files.damaged_json import MERGED, Decoder, LineNote, bare_line, decode_line, parted
from message_history.files.files import json_bytes
from message_history.files.saved import Growth, standing
from message_history.history import conversation_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from message_history.core.messages.repairs import Repair
    from message_history.history import MessageHistory

FORMAT: Final = "message-history session"
FORMAT_VERSION: Final = 1
ABOUT: Final = "about"
"""The key of the header under which is what an application says of the session."""
ZEROS: Final = "zero bytes"


def header(lineage: Lineage = WHOLE, about: Mapping[str, Any] | None = None) -> bytes:
    keys = {LINEAGE: lineage_to_json(lineage)} if lineage != WHOLE else {}
    known = {ABOUT: dict(about)} if about else {}
    return json_bytes({"format": FORMAT, "version": FORMAT_VERSION, **keys, **known}) + b"\n"


def is_cut_header(data: bytes) -> bool:
    """Return whether a file is nothing but a header that was cut off, or that is not ended."""
    start = header().rstrip(b"}\n")
    return start.startswith(data.strip()) or (data.startswith(start) and b"\n" not in data.rstrip())


def whole_lines(history: MessageHistory, about: Mapping[str, Any] | None = None) -> Iterator[bytes]:
    context = context_of(conversation_of(history))
    yield header(context.lineage, about)
    yield from (json_bytes(entry) + b"\n" for entry in first_entry(context.system))
    yield from new_lines(history, Growth(0, 0))


def new_lines(history: MessageHistory, growth: Growth) -> Iterator[bytes]:
    recorded = context_of(conversation_of(history)).repairs[growth.repair :]
    open_ones = [repair_to_json(repair) for repair in standing(history)]
    # Only what the last line says of standing repairs counts.
    still = {"standing": open_ones} if open_ones else {}
    # What was recorded after the repair of a later message may be of an earlier one; the two go together.
    earliest = list(accumulate((repair.index for repair in reversed(recorded)), min))[::-1]
    done, end = 0, len(history)
    for position in range(growth.message, end):
        first = done
        while done < len(recorded) and (earliest[done] <= position or position == end - 1):
            done += 1
        line = {"at": position, **message_to_json(history[position])}
        if position == end - 1:
            mark_open_stubs((line,), unrecorded_stubs(conversation_of(history)))
        line |= _beside(growth.repair + first, recorded[first:done])
        line |= still if position == end - 1 else {}
        yield json_bytes(line) + b"\n"
    if done < len(recorded):
        yield json_bytes({NATIVE: VERSION, **_beside(growth.repair + done, recorded[done:]), **still}) + b"\n"


def _beside(first: int, recorded: Sequence[Repair]) -> dict[str, Any]:
    return {"repairs": list(map(repair_to_json, recorded)), "first_repair": first} if recorded else {}


def about_in(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a header says of its session."""
    about = header.get(ABOUT)
    return about if isinstance(about, dict) else {}


def is_own(entry: object) -> bool:
    if not isinstance(entry, Mapping):
        return False
    return entry.get("format") == FORMAT or (NATIVE in entry and ("at" in entry or "repairs" in entry))


@final
@define
class Journal:
    """What the lines of a file say."""

    messages: dict[int, Any] = field(factory=dict)  # the messages in the saved form, by their positions
    system: dict[str, Any] | None = None  # the system prompt, as an entry
    lineage: Lineage = WHOLE  # what the keys of the calls are made of
    about: dict[str, Any] = field(factory=dict)  # what an application says of the session
    repairs: list[Repair] = field(factory=list)  # what had been changed
    standing: list[Repair] = field(factory=list)  # repairs that a result may still undo
    notes: list[LineNote] = field(factory=list)  # what could not be read as it is
    lost: list[int] = field(factory=list)  # the positions of messages that must have been there and are not
    version: int | None = None  # the version that the header names; None without a header
    recognised: bool = False  # whether any line is of a session file
    live: int = 0  # how many bytes of the file still count
    _last: int = -1
    _last_size: int = 0
    _before: int = 0
    _unread: list[int] = field(factory=list)

    @property
    def last_size(self) -> int:
        """Return how many bytes the line of the last message has."""
        return self._last_size

    def read_ahead(self) -> None:
        """Read the messages that others follow; it is worth it every `PIECE` lines."""
        waiting, self._unread = self._unread[:-1], self._unread[-1:]
        self.messages |= zip(waiting, read_ahead([self.messages[position] for position in waiting]), strict=True)

    def entries(self) -> list[Any]:
        """Return the messages as a list in the saved form, the system prompt first, but for those that were read."""
        # Lines say where their messages were: calls after a lost one have the keys that they had.
        start = min(self.lost, default=self._last + 1)
        entries = [_keyed(each, at, self.lineage) if at > start else each for at, each in self.messages.items()]
        entries = [*([self.system] if self.system is not None else []), *entries]
        if self.lineage == WHOLE:
            return entries
        keys = {LINEAGE: lineage_to_json(self.lineage)}
        if not entries or not isinstance(entries[0], dict):
            return [{"role": "system", "content": [], NATIVE: VERSION, **keys}, *entries]
        return [{**entries[0], **keys}, *entries[1:]]

    def note(self, line: int, detail: str, skipped: str | None = None) -> None:
        """Note what could not be read as it is. `skipped` is the text that was skipped; None when it was kept."""
        self.notes.append(LineNote(line=line, detail=detail, skipped=skipped))

    def take(self, line: int, written: bytes) -> None:
        decoder = Decoder()
        value = decoder.value(bare_line(written))
        if decoder.failure is not None:
            text = decode_line(written)
            if not text:
                if b"\0" in written:
                    self.note(line, ZEROS, "")
                return
            parts = parted(text)
            self.note(line, MERGED if parts else decoder.failure, None if parts else text[:MOST_SHOWN])
            for part in parts:
                self.take(line, part.encode())
            return
        if b"\0" in written:
            self.note(line, "zero bytes around it")
        for kept in decoder.kept:
            self.note(line, kept)
        self.live += len(written)
        self._take(line, value, len(written))

    def _take(self, line: int, value: Any, size: int) -> None:
        if not isinstance(value, dict):
            self._foreign(line, value)
        elif value.get("format") == FORMAT:
            self._header(line, value)
        elif value.get("role") == "system" and not self.messages:
            self.recognised = self.recognised or NATIVE in value
            self._system(line, value)
        elif "role" in value or "content" in value:
            self.recognised = self.recognised or is_own(value)
            removed = _removed(value) if "repairs" in value else ()
            self._repairs(line, value)
            self._message(line, value, size, removed)
        elif is_own(value) and value.keys() <= _OF_REPAIRS:
            self.recognised = True
            self._repairs(line, value)
        else:
            self.recognised = self.recognised or is_own(value)
            self._foreign(line, value)

    def _foreign(self, line: int, value: Any) -> None:
        """Treat a value that is not a line of a session as an entry, for a repair to hold."""
        self.note(line, "no line of a session", "")
        self._last += 1
        self._unread.append(self._last)
        self.messages[self._last] = value
        self._last_size = 0

    def _system(self, line: int, value: dict[str, Any]) -> None:
        if self.system is not None and self.system != value:
            self.note(line, "a second system prompt; it is joined to the first")
            content = [*_list(self.system.get("content")), *_list(value.get("content"))]
            value = {**value, **self.system, "content": content}
        self.system = value

    def _header(self, line: int, value: dict[str, Any]) -> None:
        self.recognised = True
        version = value.get("version")
        if self.version is not None or line > 1:
            self.note(line, "a header in the middle")
            self._before = self._last + 1
        else:
            self.about = about_in(value)
            if isinstance(keys := value.get(LINEAGE), dict):
                self.lineage = lineage_from_json(keys) or WHOLE
        self.version = version if isinstance(version, int) else FORMAT_VERSION
        if self.version > FORMAT_VERSION:
            self.note(line, f"written by a later version ({self.version}); what it added is not read")

    def _message(self, line: int, value: dict[str, Any], size: int, removed: Collection[str]) -> None:
        declared = value.pop("at", None)
        # Other sessions may have been written after the first.
        position = declared + self._before if type(declared) is int else -1
        if position < max(self._last, self._before):
            # Reports go to the log, which holds no content: what is there may be anything.
            place = f"position {declared}" if type(declared) is int and declared.bit_length() < 64 else "its position"
            problem = "its position is missing" if declared is None else f"{place} is out of place"
            self.note(line, f"{problem}; it is taken for the next")
            position = self._last + 1
        before = self.messages.get(position)
        if before is not None and not _holds(value, before, removed):
            if _holds(before, value, ()):
                self.note(line, f"an older version of message {position}")
                self.live -= size
                return
            self.note(line, f"another message {position}; it is taken for the next")
            self._before += self._last + 1 - position
            position = self._last + 1
        if position == self._last:
            self.live -= self._last_size
        else:
            self._unread.append(position)
        most = min(MAX_LOST, MAX_LOST_IN_ALL - len(self.lost))
        self.lost += range(self._last + 1, min(position, self._last + 1 + most))
        self.messages[position] = value
        self._last, self._last_size = position, size

    def _repairs(self, line: int, value: dict[str, Any]) -> None:
        if "repairs" not in value and "standing" not in value and "first_repair" not in value:
            self.standing = []  # Nearly all lines are of messages alone.
            return
        recorded, first = _list(value.pop("repairs", None)), value.pop("first_repair", None)
        self.standing = self._read(line, _list(value.pop("standing", None)))
        if recorded:
            if isinstance(first, int) and 0 <= first < len(self.repairs):
                del self.repairs[first:]
            self.repairs += self._read(line, recorded)

    def _read(self, line: int, recorded: Sequence[Any]) -> list[Repair]:
        found = [repair_from_json(each) for each in recorded]
        if None in found:
            self.note(line, "a repair that this version does not know is left out")
        return [repair for repair in found if repair is not None]


def _keyed(entry: Any, at: int, lineage: Lineage) -> Any:
    """Return a message, as an entry, whose calls have the keys of another place."""
    if isinstance(entry, Message):
        entry = message_to_json(entry)
    calls = [
        block for block in _list(entry.get("content")) if isinstance(block, dict) and block.get("type") == "tool_use"
    ]
    for number, call in enumerate(calls):
        id, name, input = call.get("id"), call.get("name"), call.get("input")
        if isinstance(id, str) and isinstance(name, str) and isinstance(input, dict):
            key = key_at(Origin(lineage, (at + 1) // 2, number), id, name, freeze_mapping(input)[0])
            call.setdefault("key", key)
    return entry


MOST_SHOWN: Final = 1_000
"""How much of a line that is skipped is kept to be shown; the backup has all of it."""
MAX_LOST: Final = 1_000
"""How many positions in a row are named as lost."""
MAX_LOST_IN_ALL: Final = 100_000
"""How many positions of a file are named as lost."""


def _holds(entry: Any, other: Any, removed: Collection[str]) -> bool:
    """Return whether an entry is another one that has grown; what this library made or removed may be gone."""
    if not isinstance(entry, dict) or not isinstance(other, dict) or entry.get("role") != other.get("role"):
        return False
    if not isinstance(other.get("content"), list) or not other.keys() <= _KEYS:
        return bool(entry == other)
    there = set(map(_key, _list(entry.get("content"))))
    return all(
        (key := _key(block)) in there
        or key in removed
        or (isinstance(block, dict) and ("mark" in block or _has_grown(block, _list(entry.get("content")))))
        for block in _list(other.get("content"))
    )


def _has_grown(block: Mapping[str, Any], content: Sequence[Any]) -> bool:
    """Return whether a text is the beginning of one in an entry: a reply was saved while it was streamed."""
    kind = block.get("type")
    text = block.get(kind) if kind in ("text", "thinking") else None
    longer = (each.get(kind) for each in content if isinstance(each, dict) and each.get("type") == kind)
    return isinstance(text, str) and any(isinstance(each, str) and each.startswith(text) for each in longer)


_KEYS: Final = frozenset({"role", "content", NATIVE, REPLIES, ARRIVALS})
"""The keys of a message in a line; one with others may say more than its content."""
_OF_REPAIRS: Final = frozenset({NATIVE, "repairs", "first_repair", "standing"})
"""The keys of a line of nothing but repairs; one with others was a message whose keys are damaged."""


def _removed(value: Mapping[str, Any]) -> frozenset[str]:
    repairs = (repair for repair in _list(value.get("repairs")) if isinstance(repair, dict))
    items = (item for repair in repairs for item in _list(repair.get("removed")) if isinstance(item, dict))
    return frozenset(_key(item["block"]) for item in items if "block" in item)


def _key(block: Any) -> str:
    """Write a block to be compared, without what may change on it."""
    if isinstance(block, dict):
        block = {key: value for key, value in block.items() if key not in ("bound", "mark", "key", "carried", "extra")}
    return json.dumps(block, sort_keys=True)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
