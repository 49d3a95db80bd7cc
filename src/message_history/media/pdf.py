"""What the bytes of a PDF tell without a PDF library: whether it is one, whether it is locked, how many pages."""

from __future__ import annotations

import re
import zlib
from bisect import bisect_right
from itertools import islice
from typing import Final, TypeAlias, final

from attrs import frozen

PDF: Final = "application/pdf"
MAGIC: Final = b"%PDF-"
"""How a PDF begins."""


@final
@frozen(kw_only=True)
class Paper:
    """What a PDF's bytes say."""

    pages: int | None = None  # how many pages it has; None when the bytes do not tell
    encrypted: bool = False  # whether it asks for a password, or forbids something


def claims_pdf(declared: str) -> bool:
    return declared.partition(";")[0].strip().lower() in (PDF, "application/x-pdf")


def paper_in(data: bytes) -> Paper | None:
    """Read what a PDF's bytes say, inflated up to `_MOST_INFLATED`; None when they are not a PDF."""
    if MAGIC not in data[:1024]:
        return None
    encrypted = _ENCRYPTED.search(data) is not None
    if encrypted:
        return Paper(encrypted=True)
    pages = _pages(data)
    budget = _MOST_INFLATED
    for found in _PACKED.finditer(data):
        inflated, read = _inflated(data, found.end(), min(budget, _MOST_AT_ONCE))
        budget -= len(inflated) + read
        pages |= _packed_pages(inflated, data, found)
        if budget <= 0 or len(pages) >= _MOST_LEAVES:
            break
    return Paper(pages=len(pages) or None)


# A page by the number of its object, so that one that was saved again counts once; without a number, by its place.
_Page: TypeAlias = int | tuple[int, int]


def _pages(data: bytes) -> set[_Page]:
    pages: set[_Page] = set()
    end = 0
    for leaf in islice(_LEAF.finditer(data), _MOST_LEAVES):
        number = _number_before(data, end, leaf.start())
        pages.add((0, leaf.start()) if number is None else number)
        end = leaf.end()
    return pages


def _number_before(data: bytes, start: int, stop: int) -> int | None:
    """Return the number of the last object that begins between two places."""
    while (stop := data.rfind(b"obj", start, stop)) >= 0:
        head = _HEAD.search(data, max(start, stop - _LONGEST_HEAD), stop)
        if head is not None:
            return int(head[1])
    return None


def _packed_pages(inflated: bytes, data: bytes, found: re.Match[bytes]) -> set[_Page]:
    """Find the pages in a stream of objects, which begins with their numbers and places."""
    dictionary = data[data.rfind(b"<<", max(0, found.start() - _LONGEST_HEADER), found.start()) : found.end()]
    first = _FIRST.search(dictionary)
    head = min(int(first[1]), _LONGEST_LIST) if first is not None else 0
    try:
        values = [int(value) for value in inflated[:head].split()]
    except ValueError:
        values = []
    numbers, places = values[::2], values[1::2]
    pages: set[_Page] = set()
    for leaf in islice(_LEAF.finditer(inflated), _MOST_LEAVES):
        which = bisect_right(places, leaf.start() - head) - 1
        pages.add(numbers[which] if which >= 0 else (found.start(), leaf.start()))
    return pages


def _inflated(data: bytes, start: int, limit: int) -> tuple[bytes, int]:
    """Unpack a stream; return what is in it, and how many bytes were read for it.

    It is read in pieces that grow, so that little is read past its end, or of what is packed in an unknown way.
    """
    unpacking = zlib.decompressobj()
    parts: list[bytes] = []
    read, made, size = 0, 0, _FIRST_PIECE
    try:
        while made < limit and read < limit and not unpacking.eof and start + read < len(data):
            piece = data[start + read : start + read + size]
            read, size = read + len(piece), 2 * size
            parts.append(unpacking.decompress(piece, limit - made))
            made += len(parts[-1])
    except zlib.error:
        return b"", read
    return b"".join(parts), read


_ENCRYPTED: Final = re.compile(rb"/Encrypt\s*(?:\d+\s+\d+\s+R|<<)")
_LEAF: Final = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
_PACKED: Final = re.compile(rb"/Type\s*/ObjStm\b[^>]{0,200}>>\s*stream\r?\n")
_FIRST: Final = re.compile(rb"/First\s+(\d{1,9})")
_HEAD: Final = re.compile(rb"(\d{1,10})\s+\d{1,5}\s+\Z")
_LONGEST_HEAD: Final = 24
_LONGEST_HEADER: Final = 300
_LONGEST_LIST: Final = 256_000
_FIRST_PIECE: Final = 512
_MOST_AT_ONCE: Final = 4_000_000
_MOST_INFLATED: Final = 32_000_000
_MOST_LEAVES: Final = 100_000
"""How many pages are counted in one place: no request takes a hundredth of them."""
