"""What was sent of many conversations, found again by the digest of a raw list's beginning.

A raw list is known by the digests of its beginnings. The longest one that was sent before says which conversation it
goes on with. Two conversations with the same beginning are two from where they differ.
"""

from __future__ import annotations

from collections import OrderedDict
from itertools import chain, islice
from threading import Lock
from typing import TYPE_CHECKING, Final, Protocol, final

from attrs import define, field, frozen

from message_history.following.followed import Followed, has_grown
from message_history_healing.beginnings import beginnings_of
from message_history_healing.request import Untouched

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from message_history.following.digests import EntryDigest
    from message_history_healing.beginnings import Keys
    from message_history_healing.request import Sent


@final
@frozen
class Found:
    """A conversation that a raw list goes on with."""

    sent: Sent | None = None
    place: Hashable = None  # where the store keeps it; None for a new one
    keys: Keys = field(default=(), eq=False, repr=False)  # the digests of the list's beginnings, if at hand


class Conversations(Protocol):
    """Where what was sent is kept."""

    def find(self, group: str, known: Sequence[EntryDigest]) -> Found:
        """Find the conversation that a raw list continues."""
        ...

    def keep(self, group: str, sent: Sent, found: Found, size: int) -> None:
        """Keep what was sent now."""
        ...


@define(eq=False)
class _Conversation:
    """A conversation in memory."""

    sent: Sent
    whole: bytes  # the digest of all of its raw list
    size: int  # about how many bytes it holds
    keys: list[bytes] = field(factory=list)  # the beginnings of its raw list that were sent


@final
class MemoryConversations:
    """Conversations in memory, those that were used last; safe for threads.

    Args:
        max_conversations: how many are kept.
        max_bytes: about how much memory they may hold.
    """

    def __init__(self, max_conversations: int = 10_000, max_bytes: int = 512 * 1024 * 1024) -> None:
        self._max, self._max_bytes = max_conversations, max_bytes
        self._kept: OrderedDict[int, _Conversation] = OrderedDict()
        self._places: dict[bytes, list[int]] = {}
        self._bytes = 0
        self._next = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def held_bytes(self) -> int:
        """Return about how many bytes are held."""
        return self._bytes

    def find(self, group: str, known: Sequence[EntryDigest]) -> Found:
        """Find the conversation that a raw list continues.

        Args:
            group: what keeps conversations apart that must not be mixed.
            known: what the list's entries are known by.

        Returns:
            The conversation, with nothing in it for a new one.

        Complexity: linear in the entries.
        """
        keys = beginnings_of(group, known)
        with self._lock:
            # Those that share most come first, and of these the newest.
            places = (place for key in reversed(keys) for place in reversed(self._places.get(key, ())))
            first = next(places, None)
            if first is not None and _begins(self._kept[first].sent, self._kept[first].whole, known, keys):
                return Found(self._kept[first].sent, first, keys)  # As nearly always: no other key is looked up.
            tried = chain(() if first is None else (first,), places)
            some = list(islice(dict.fromkeys(islice(tried, LOOKED_AT)), CANDIDATES))
            candidates = [(place, self._kept[place].sent, self._kept[place].whole) for place in some]
        fitting = next((one for one in candidates if _begins(one[1], one[2], known, keys)), None)
        place, sent, _ = fitting or (candidates[0] if candidates else (None, None, b""))
        return Found(sent, place, keys)

    def keep(self, group: str, sent: Sent, found: Found, size: int) -> None:
        """Keep what was sent now.

        Args:
            group: as for `find`.
            sent: what was sent.
            found: what `find` gave for it.
            size: about how many bytes it holds.

        Complexity: linear in the entries.
        """
        known = sent.entries
        if not known:
            return
        keys = found.keys or beginnings_of(group, [*known])
        weight = _BASE + _PER_ENTRY * len(known) + (size if isinstance(sent, Followed) else 0)
        with self._lock:
            old = self._kept.get(found.place) if isinstance(found.place, int) else None
            if (
                old is not None
                and isinstance(found.place, int)
                and old.sent is found.sent
                and _begins(old.sent, old.whole, known, keys)
            ):
                place = found.place
                self._bytes += weight - old.size
                old.sent, old.whole, old.size = sent, keys[-1], weight
                self._kept.move_to_end(place)
            else:
                place, self._next = self._next, self._next + 1
                ours = set(keys)
                shared = [key for key in (old.keys if old is not None else ()) if key in ours]
                self._kept[place] = _Conversation(sent, keys[-1], weight)
                self._bytes += weight
                for key in shared:
                    self._index(place, key)
            if isinstance(sent, Followed):
                # A result may yet be put anywhere into the raw list, so all of its beginnings lead here.
                there = set(self._kept[place].keys)
                for key in keys:
                    if key not in there:
                        self._index(place, key)
            else:
                self._index(place, keys[-1])
            while len(self._kept) > self._max or (self._bytes > self._max_bytes and len(self._kept) > 1):
                self._forget()

    def _index(self, place: int, key: bytes) -> None:
        places = self._places.setdefault(key, [])
        if place in places:
            places.remove(place)
        else:
            self._kept[place].keys.append(key)
        places.append(place)

    def _forget(self) -> None:
        place, gone = self._kept.popitem(last=False)
        self._bytes -= gone.size
        for key in gone.keys:
            places = self._places[key]
            places.remove(place)
            if not places:
                del self._places[key]


@final
class NoConversations:
    """Keeps nothing: each request is healed by itself."""

    def find(self, group: str, known: Sequence[EntryDigest]) -> Found:
        del group, known
        return Found()

    def keep(self, group: str, sent: Sent, found: Found, size: int) -> None:
        """Keep nothing."""


def _begins(sent: Sent, whole: bytes, known: Iterable[EntryDigest], keys: Keys) -> bool:
    """Return the same as `goes_on`, by the digest of all that was sent."""
    if isinstance(sent, Untouched):
        count = len(sent.entries)
        return 0 < count <= len(keys) and keys[count - 1] == whole
    return has_grown(sent, known)


def goes_on(sent: Sent, known: Sequence[EntryDigest]) -> bool:
    if isinstance(sent, Untouched):
        entries = sent.entries
        return len(entries) <= len(known) and all(
            old.whole == new.whole for old, new in zip(entries, known, strict=False)
        )
    return has_grown(sent, known)


CANDIDATES: Final = 8
"""How many conversations with the same beginning are tried."""
LOOKED_AT: Final = 4_000
_BASE: Final = 1_000
_PER_ENTRY: Final = 800
"""What an entry's digests take in memory, about."""
