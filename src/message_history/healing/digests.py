"""Know a raw entry again without reading it: digests of its JSON, in which cache marks do not count."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from message_history.dialects._shared.sdk_objects import as_mapping

__all__ = ["HOLDS_BLOCKS", "EntryDigest", "digest_of", "is_cache_mark"]


class EntryDigest(NamedTuple):
    """What a raw entry is known by; cache marks do not count.

    Args:
        whole: the digest of all of it.
        head: the digest of all but its blocks.
        blocks: the digest of each of its blocks.
    """

    whole: bytes
    head: bytes
    blocks: tuple[bytes, ...]


def digest_of(entry: object) -> EntryDigest:
    """Give what a raw entry is known by: its JSON without cache marks, whatever the order of its keys.

    Args:
        entry: a mapping, or an object of an SDK.

    Returns:
        The digests.

    Complexity: linear in the entry.
    """
    data = as_mapping(entry)
    if data is None:
        whole = _digest(_canonical(entry))
        return EntryDigest(whole, whole, ())
    key = next((key for key in HOLDS_BLOCKS if isinstance(data.get(key), list | str)), None)
    if key is None:
        whole = _digest(_canonical(data))
        return EntryDigest(whole, whole, ())
    content = data[key]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    blocks = tuple(_digest(_canonical(block)) for block in parts if not is_cache_mark(block))
    rest = {name: value for name, value in data.items() if name != key}
    head = _digest(_canonical({**rest, "": key}))
    return EntryDigest(_digest(b"".join((head, *blocks))), head, blocks)


HOLDS_BLOCKS: Final = ("content", "parts")
_CACHE_MARKS: Final = ("cache_control", "cachePoint")
_DIGEST_SIZE: Final = 16


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
    """Return whether a block is nothing but a cache mark."""
    return isinstance(block, Mapping) and len(block) == 1 and next(iter(block)) in _CACHE_MARKS


def _as_json(value: object) -> object:
    found = as_mapping(value)
    return dict(found) if found is not None else repr(value)


_CANONICAL: Final = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=_as_json).encode
