"""Know a raw entry again without reading it: digests of its JSON, in which cache marks do not count."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final, final

from message_history.dialects._shared.sdk_objects import as_mapping


@final
class EntryDigest:
    """What a raw entry is known by; cache marks do not count."""

    __slots__ = ("_entry", "_parts", "whole")

    def __init__(
        self, whole: bytes, entry: object = None, parts: tuple[bytes, tuple[bytes, ...]] | None = None
    ) -> None:
        self.whole = whole  # the same
        self._entry = entry  # the entry, from which its parts are worked out when somebody asks; None where nobody will
        self._parts = parts  # the digest of all but its blocks, and of each of its blocks, where they are known

    @property
    def head(self) -> bytes:
        return self._known_parts()[0]

    @property
    def blocks(self) -> tuple[bytes, ...]:
        return self._known_parts()[1]

    def alone(self) -> EntryDigest:
        """Return the digest without the entry; only the whole is known then."""
        return EntryDigest(self.whole)

    def settled(self) -> EntryDigest:
        """Work the parts out now and release the entry, which its owner may change later; returns this digest."""
        self._known_parts()
        return self

    def _known_parts(self) -> tuple[bytes, tuple[bytes, ...]]:
        if self._parts is None:
            head, blocks = _normal(self._entry)
            self._parts = _digest(_canonical(head)), tuple(_digest(_canonical(block)) for block in blocks)
            self._entry = None
        return self._parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EntryDigest) and self.whole == other.whole

    def __hash__(self) -> int:
        return hash(self.whole)

    def __repr__(self) -> str:
        return f"EntryDigest({self.whole.hex()})"


def digest_of(entry: object) -> EntryDigest:
    """Return what a raw entry is known by: its JSON without cache marks. To keep it long, see `settled`."""
    return EntryDigest(_digest(_canonical(_normal(entry))), entry)


HOLDS_BLOCKS: Final = ("content", "parts")
_CACHE_MARKS: Final = ("cache_control", "cachePoint")
_DIGEST_SIZE: Final = 16


def _normal(entry: object) -> tuple[object, list[Any]]:
    """Return an entry without its blocks, and its blocks; text is one block."""
    data = as_mapping(entry)
    if data is None:
        return entry, []
    for key in HOLDS_BLOCKS:
        content = data.get(key)
        if isinstance(content, str):
            return [key, {**data, key: None}], [{"type": "text", "text": content}]
        if isinstance(content, list):
            return [key, {**data, key: None}], [block for block in content if not is_cache_mark(block)]
    return dict(data), []


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST_SIZE).digest()


def _canonical(value: object) -> bytes:
    text = _CANONICAL(value)
    if '"cache_control"' in text:
        text = _CANONICAL(_unmarked(json.loads(text)))
    return text.encode("utf-8", "surrogatepass")


def _unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _unmarked(inner) for key, inner in value.items() if key != "cache_control"}
    return [_unmarked(inner) for inner in value] if isinstance(value, list) else value


def is_cache_mark(block: object) -> bool:
    return isinstance(block, Mapping) and len(block) == 1 and next(iter(block)) in _CACHE_MARKS


def _as_json(value: object) -> object:
    found = as_mapping(value)
    return dict(found) if found is not None else repr(value)


_CANONICAL: Final = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=_as_json).encode
