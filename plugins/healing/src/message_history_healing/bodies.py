"""Bodies of requests that were read, so that of a conversation's next one only what follows is read and checked.

An agent sends its whole list each time. What a body has in common with an earlier one, byte for byte, is not read
again, and what the provider takes of it is not checked again: see `ReadBody.is_sound_for`.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import deque
from operator import itemgetter
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, final

from attrs import define, evolve, field

from message_history.core.values.log import Log
from message_history.dialects import Anthropic, OpenAIChat, OpenAIResponses
from message_history.following.digests import digest_of
from message_history.plain_json import compact_json
from message_history.violations import check
from message_history_healing.beginnings import Digests
from message_history_healing.verbatim import is_assistants

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.dialects import Dialect

MAX_BODIES: Final = 64
MAX_BYTES: Final = 64 * 1024 * 1024
"""How many bodies are kept, and how large they may be together."""
_DECODER: Final = json.JSONDecoder()
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_AGAIN: Final = 2
"""How many units before the first new entry are looked at again: what was last is in the middle now."""


@final
@define(eq=False)
class ReadBody:
    """A body whose list was found.

    A unit is what the assistant says and what is said to it until it speaks again.
    """

    text: bytes
    head: dict[str, Any]  # what comes before the list
    data: dict[str, Any]  # what comes before and after it
    start: int  # where the list begins, after its bracket
    ends: Log[int]  # where each entry ends
    stop: int  # where the list ends, at its bracket
    digests: Digests
    units: list[int]  # the first entry of each
    special: list[int]  # the units that hold more than words, calls and their results
    settled: int  # how many units are as they were in an earlier body
    sound: Dialect[Any] | None  # who takes this list; None where nobody has checked it, or it is refused
    was_sound: Dialect[Any] | None  # who took the list of that earlier body
    called: dict[str, int]  # the ids of calls that are not blocks, with the first entry of each
    before: ReadBody | None  # that earlier body, where this one goes on with all of its entries
    _read: dict[int, Any] = field(factory=dict)
    repeats: bool = False  # whether an entry that is not settled calls with the id of an earlier one

    def entry(self, n: int) -> Any:
        if n not in self._read:
            self._read[n] = json.loads(self._text_of(n))
        return self._read[n]

    def entries(self) -> list[Any]:
        return [self.entry(n) for n in range(len(self.ends))]

    def is_sound_for(self, dialect: Dialect[Any]) -> bool:
        """Return whether it is certain that a provider accepts the list; where it is not, all of it is to be checked.

        A list stays sound without units from its middle that hold words, calls and results alone, and with them: no
        rule of these dialects counts them. So the rest is checked.
        """
        if self.was_sound != dialect or self.settled < _AGAIN or _counts(dialect):
            return False
        if self.repeats and _has_unique_ids(dialect):
            return False
        middle = [n for unit in self.special if 0 < unit < self.settled for n in self._unit(unit)]
        places = [*range(self.units[1]), *middle, *range(self.units[self.settled], len(self.ends))]
        if check([self.entry(n) for n in places], dialect):
            return False
        self.sound = dialect
        return True

    def with_entries(self, entries: Sequence[Any]) -> bytes:
        """Write the body with another list; its own entries and all that is around the list keep their bytes."""
        own = {id(entry): n for n, entry in self._read.items()}
        texts = [self._text_of(own[id(entry)]) if id(entry) in own else compact_json(entry) for entry in entries]
        return b"".join((self.text[: self.start], b",".join(texts), self.text[self.stop :]))

    def _unit(self, unit: int) -> range:
        return range(self.units[unit], self.units[unit + 1] if unit + 1 < len(self.units) else len(self.ends))

    def _text_of(self, n: int) -> bytes:
        return self.text[self.ends[n - 1] if n else self.start : self.ends[n]].lstrip(b", \t\n\r")

    def same(self, text: bytes) -> int:
        """Count the entries that a body begins with like this one, byte for byte."""
        mine, low, high, at, middle = memoryview(self.text), 0, len(self.ends), 0, len(self.ends)
        while low < high:
            end = self.ends[middle - 1]
            if text.startswith(mine[at:end], at):
                low, at = middle, end
            else:
                high = middle - 1
            middle = (low + high + 1) // 2
        return low


@final
class Bodies:
    """The newest bodies; safe for threads."""

    def __init__(self) -> None:
        self._kept: deque[ReadBody] = deque()
        self._lock = Lock()

    def read(self, text: bytes, key: str, group: str) -> ReadBody | None:
        """Find the list in a body, and read what no earlier body has; None where the list's place is not certain."""
        with self._lock:
            some = [body for body in self._kept if body.digests.group == group]
        same, last = max(((body.same(text), body) for body in some), key=itemgetter(0), default=(0, None))
        try:
            return _read_body(text, key, group, last, same)
        except (ValueError, RecursionError):
            return None

    def keep(self, body: ReadBody) -> None:
        with self._lock:
            others = (each for each in self._kept if each is not body.before)
            longer = [each for each in others if each.same(body.text) < len(each.ends)]
            self._kept = deque([*longer, evolve(body, data={}, before=None, read={})])
            while len(self._kept) > MAX_BODIES or sum(len(each.text) for each in self._kept) > MAX_BYTES:
                self._kept.popleft()


def _read_body(text: bytes, key: str, group: str, last: ReadBody | None, same: int) -> ReadBody | None:
    scan = _Scan(text, last.ends[same - 1] if last is not None and same else 0)
    if last is not None and same:
        head, start, ends = last.head, last.start, last.ends.first(same)
    else:
        found = scan.members(key)
        if found is None or not scan.takes("["):
            return None
        head, start, ends = found, scan.place, Log[int]()
    new: dict[int, Any] = {}
    places: list[int] = []
    while not scan.takes("]"):
        if (same or new) and not scan.takes(","):
            return None
        new[same + len(new)] = scan.value()
        places.append(scan.place)
    ends = ends.extend(places)
    stop = scan.place - 1
    rest = scan.members(key, behind=True)
    if rest is None:
        return None
    digests_now = (digest_of(entry).settled() for entry in new.values())
    digests = Digests(group, last.digests if last is not None else None, same, digests_now)
    begun = bisect_left(last.units, same) if last is not None else 0
    settled = max(begun - _AGAIN, 0)
    units, special = (last.units[:settled], last.special) if last is not None else ([], [])
    special = special[: bisect_left(special, settled)]
    was_sound = last.sound if last is not None else None
    before = last if last is not None and same == len(last.ends) else None
    first = last.units[settled] if last is not None and settled else 0
    called = {id: n for id, n in last.called.items() if n < first} if last is not None and first else {}
    body = ReadBody(
        text,
        head,
        {**head, **rest},
        start,
        ends,
        stop,
        digests,
        units,
        special,
        settled,
        None,
        was_sound,
        called,
        before,
        new,
    )
    _find_units(body, first)
    return body


@final
class _Scan:
    """Reads the members of an object one after the other, and tells where they end."""

    def __init__(self, text: bytes, start: int) -> None:
        # A character for each byte: what is not ASCII is in texts, which are decoded again.
        self._text = text[start:].decode("latin-1")
        self._is_ascii = self._text.isascii()
        self._start, self._at = start, 0

    @property
    def place(self) -> int:
        return self._start + self._at

    def takes(self, character: str) -> bool:
        """Go past a character, if it is the next one."""
        self._skip()
        found = self._text.startswith(character, self._at)
        self._at += found
        return found

    def value(self) -> Any:
        self._skip()
        start = self._at
        value, self._at = _DECODER.raw_decode(self._text, start)
        return value if self._is_ascii else json.loads(self._text[start : self._at].encode("latin-1"))

    def members(self, list_key: str, *, behind: bool = False) -> dict[str, Any] | None:
        """Read the members until the list, or those after it (`behind`) until the end.

        None where that does not come, and where the list's key comes twice: then it is not certain which list counts.
        """
        found: dict[str, Any] = {}
        is_first = not behind
        while self.takes("{" if is_first else ","):
            is_first = False
            name = self.value()
            if not isinstance(name, str) or not self.takes(":"):
                return None
            if name == list_key:
                return None if behind else found
            found[name] = self.value()
        return found if behind and self.takes("}") and self._is_done() else None

    def _is_done(self) -> bool:
        self._skip()
        return self._at == len(self._text)

    def _skip(self) -> None:
        space = _SPACE.match(self._text, self._at)
        self._at = space.end() if space is not None else self._at


def _find_units(body: ReadBody, first: int) -> None:
    """Find the units from an entry on, which begins one or the list."""
    behind_assistant = False
    for n in range(first, len(body.ends)):
        entry = body.entry(n)
        speaks = isinstance(entry, dict) and is_assistants(entry)
        if speaks and not behind_assistant:
            body.units.append(n)
        behind_assistant = speaks
        for id in _calls_of(entry):
            body.repeats |= body.called.setdefault(id, n) != n
        unit = len(body.units) - 1
        if not _is_plain(entry) and body.special[-1:] != [unit]:
            body.special.append(unit)


def _calls_of(entry: Any) -> list[str]:
    """Return the ids of the calls in an entry of Chat Completions or Responses."""
    if not isinstance(entry, dict):
        return []
    own = [] if str(entry.get("type")).endswith("_output") else [entry.get("call_id")]
    calls = entry.get("tool_calls")
    found = [*own, *(call.get("id") for call in calls if isinstance(call, dict))] if isinstance(calls, list) else own
    return [id for id in found if isinstance(id, str)]


_ITEMS: Final = {
    "function_call": frozenset({"type", "call_id", "name", "arguments", "status"}),
    "function_call_output": frozenset({"type", "call_id", "output", "status"}),
    "custom_tool_call": frozenset({"type", "call_id", "name", "input", "status"}),
    "custom_tool_call_output": frozenset({"type", "call_id", "output", "status"}),
    "reasoning": frozenset({"type", "summary", "encrypted_content", "content"}),
}
"""Items of the Responses API without an id, which no other item may have."""
_BLOCKS: Final = {
    "text": frozenset({"type", "text"}),
    "tool_use": frozenset({"type", "id", "name", "input", "caller"}),
    "tool_result": frozenset({"type", "tool_use_id", "content", "is_error"}),
    "thinking": frozenset({"type", "thinking", "signature"}),
    "redacted_thinking": frozenset({"type", "data"}),
    "tool_reference": frozenset({"type", "tool_name"}),
    "input_text": frozenset({"type", "text"}),
    "output_text": frozenset({"type", "text"}),
}

_DIRECT: Final = {"type": "direct"}


def _is_plain(entry: Any) -> bool:
    """Return whether an entry holds words, calls and results alone: no medium, mark, system prompt or server's tool."""
    kind = entry.get("type") if isinstance(entry, dict) else None
    if isinstance(kind, str) and kind in _ITEMS:
        return entry.keys() <= _ITEMS[kind] and _is_plain_content(entry.get("output"))
    # Of what else a message holds, no rule counts anything but its id, and reasoning where `_counts` says so.
    is_message = isinstance(entry, dict) and "id" not in entry and entry.get("type", "message") == "message"
    is_known = is_message and entry.get("role") in ("user", "assistant", "tool")
    return is_known and _is_plain_content(entry.get("content"))


def _is_plain_content(content: Any) -> bool:
    if not isinstance(content, list):
        return content is None or isinstance(content, str)
    return all(
        isinstance(block, dict)
        and isinstance(block.get("type"), str)
        and block.keys() <= _BLOCKS.get(block["type"], frozenset())
        and block.get("caller", _DIRECT) == _DIRECT  # Of a call from code, rules look for the caller.
        and _is_plain_content(block.get("content"))
        for block in content
    )


def _counts(dialect: Dialect[Any]) -> bool:
    """Return whether a rule looks at all messages of a list, or whether nobody has looked at the dialect's rules."""
    if isinstance(dialect, OpenAIChat):
        return dialect.max_messages is not None or dialect.reasoning_required in ("once shown", "always")
    return not isinstance(dialect, Anthropic | OpenAIResponses)


def _has_unique_ids(dialect: Dialect[Any]) -> bool:
    return isinstance(dialect, OpenAIChat | OpenAIResponses) and dialect.unique_ids
