"""What the bytes of a PDF tell without a PDF library: whether it is one, whether it is locked, how many pages."""

from __future__ import annotations

import re
import zlib
from typing import Final, final

from attrs import frozen

__all__ = ["Paper", "paper_in"]


@final
@frozen(kw_only=True)
class Paper:
    """What a PDF's bytes say.

    Args:
        pages: how many pages it has; None when the bytes do not tell.
        encrypted: whether it asks for a password, or forbids something.
    """

    pages: int | None = None
    encrypted: bool = False


def paper_in(data: bytes) -> Paper | None:
    """Read what a PDF's bytes say.

    Args:
        data: the bytes.

    Returns:
        What they say, or None when they are no PDF.

    Complexity: linear in the bytes; what is compressed is looked into as far as `_MOST_INFLATED`.
    """
    if _MAGIC not in data[:1024]:
        return None
    encrypted = _ENCRYPTED.search(data) is not None
    if encrypted:
        return Paper(encrypted=True)
    pages = _pages(data)
    budget = _MOST_INFLATED
    for found in _PACKED.finditer(data):
        inflated = _inflated(data, found.end(), min(budget, _MOST_AT_ONCE))
        budget -= len(inflated)
        pages += _pages(inflated)
        if budget <= 0:
            break
    return Paper(pages=pages or None)


def _pages(data: bytes) -> int:
    """Count the pages among some objects."""
    return len(_LEAF.findall(data))


def _inflated(data: bytes, start: int, limit: int) -> bytes:
    unpacking = zlib.decompressobj()
    try:
        return unpacking.decompress(data[start : start + limit], limit)
    except zlib.error:
        return b""


_MAGIC: Final = b"%PDF-"
_ENCRYPTED: Final = re.compile(rb"/Encrypt\s*(?:\d+\s+\d+\s+R|<<)")
_LEAF: Final = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
_PACKED: Final = re.compile(rb"/Type\s*/ObjStm\b[^>]{0,200}>>\s*stream\r?\n")
_MOST_AT_ONCE: Final = 4_000_000
_MOST_INFLATED: Final = 32_000_000
