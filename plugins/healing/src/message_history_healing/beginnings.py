"""The digests of a raw list's beginnings, by which its conversation is found again."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, final

from message_history.core.values.log import Log
from message_history.following.digests import EntryDigest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


Keys: TypeAlias = "Sequence[bytes] | Log[bytes]"
"""The digests of a list's beginnings, the shortest first."""


def beginnings_of(group: str, known: Sequence[EntryDigest]) -> Keys:
    """Return the digest of each beginning of a raw list, the shortest first; other groups have others."""
    return known.keys if isinstance(known, Digests) and known.group == group else _keys_behind(group, [], known)


def _keys_behind(group: str, before: Keys, new: Iterable[EntryDigest]) -> list[bytes]:
    """Return the digests of the beginnings that end in new entries, after those before."""
    found = []
    last = before[-1] if before else group.encode()
    for entry in new:
        last = hashlib.blake2b(last + entry.whole, digest_size=16).digest()
        found.append(last)
    return found


@final
class Digests(Sequence[EntryDigest]):
    """The digests of a raw list's entries, and of its beginnings; what an earlier list has in common is shared."""

    __slots__ = ("entries", "group", "keys")

    def __init__(self, group: str, before: Digests | None, count: int, new: Iterable[EntryDigest]) -> None:
        old = before.entries.first(count) if before is not None else Log[EntryDigest]()
        keys = before.keys.first(count) if before is not None else Log[bytes]()
        more = list(new)
        self.group = group
        self.entries: Log[EntryDigest] = old.extend(more)
        self.keys: Log[bytes] = keys.extend(_keys_behind(group, keys, more))

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, index: Any) -> Any:
        return self.entries[index]

    def __iter__(self) -> Iterator[EntryDigest]:
        return iter(self.entries)
