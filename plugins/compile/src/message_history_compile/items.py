"""The rows of a data set that is one JSON list or a file of Parquet, one after the other: neither is read whole."""

from __future__ import annotations

import codecs
import json
import re
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from message_history_compile.places import CHUNK, is_parquet, is_url, open_input, open_to_seek, size_of

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGE: Final = 8 * 1024 * 1024
"""A list in a file of so many bytes is not read whole."""
LONGEST: Final = 16 * 1024 * 1024
"""How many characters a row may have."""
HEAD: Final = 60
"""How many rows say which format they are in."""
_BLANK: Final = re.compile(r"[ \t\r\n]*")


def rows_of(path: str) -> tuple[list[Any], Iterator[Any]] | None:
    """Return the first rows of a large list or of a file of Parquet, and all of them; None for any other file."""
    if not is_url(path) and Path(path).is_dir():
        return None
    if is_parquet(path):
        read = _parquet_rows
    elif (is_url(path) or size_of(path) > LARGE) and _is_list(path):
        read = _list_rows
    else:
        return None
    head: list[Any] = []
    with suppress(ValueError):
        head.extend(islice(read(path), HEAD))
    return head, read(path)


def _is_list(path: str) -> bool:
    with open_input(path) as opened:
        return opened.read(1024).removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"["


def _list_rows(path: str) -> Iterator[Any]:
    with open_input(path) as opened:
        yield from list_items(opened)


def _parquet_rows(path: str) -> Iterator[Any]:
    from message_history_compile.arrow_rows import items_of  # noqa: PLC0415 - pyarrow is an extra

    with open_to_seek(path) as opened:
        yield from items_of(opened)


def list_items(opened: BinaryIO) -> Iterator[Any]:
    """Yield the items of a JSON list.

    Raises `ValueError` where the list is damaged, or an item is too long; what came before was yielded.
    """
    decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
    raw_decode = json.JSONDecoder(strict=False).raw_decode
    text, at, count, before = "", 0, 0, "["
    while True:
        at = _end_of_blank(text, at)
        if before and text[at : at + 1] == before:
            at, before = _end_of_blank(text, at + 1), ""
        if (not before and text[at : at + 1] == "]") or (before == "," and text[at : at + 1] == "]"):
            return
        if not before and at < len(text):
            try:
                item, end = raw_decode(text, at)
            except ValueError:
                pass
            else:
                yield item
                at, before, count = end, ",", count + 1
                continue
        elif at < len(text):
            raise ValueError(f"the list is damaged after its item {count}")
        if len(text) - at > LONGEST:
            raise ValueError(f"item {count} of the list is longer than {LONGEST:,} characters, or damaged")
        # As much again: an item is tried few times.
        chunk = opened.read(max(CHUNK, len(text) - at))
        if not chunk:
            raise ValueError(f"the list is cut off or damaged at its item {count}")
        text, at = text[at:] + decode(chunk), 0


def _end_of_blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found is not None else at
