"""The digests of a raw list's beginnings, by which its conversation is found again."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, final

from message_history.following.digests import EntryDigest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def beginnings_of(group: str, known: Sequence[EntryDigest]) -> list[bytes]:
    """Return the digest of each beginning of a raw list, the shortest first; other groups have others."""
    return known.keys if isinstance(known, Digests) and known.group == group else _keys_behind(group, [], known)


def _keys_behind(group: str, keys: list[bytes], new: Iterable[EntryDigest]) -> list[bytes]:
    found = list(keys)
    last = found[-1] if found else group.encode()
    for entry in new:
        last = hashlib.blake2b(last + entry.whole, digest_size=16).digest()
        found.append(last)
    return found


@final
class Digests(list[EntryDigest]):
    """The digests of a raw list's entries, and of its beginnings; made from those of an earlier list."""

    __slots__ = ("group", "keys")

    def __init__(self, group: str, before: Digests | None, count: int, new: Iterable[EntryDigest]) -> None:
        super().__init__(before[:count] if before is not None else ())
        self += new
        self.group = group
        self.keys: list[bytes] = _keys_behind(group, before.keys[:count] if before is not None else [], self[count:])
