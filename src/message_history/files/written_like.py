"""The layout of a repaired file: its line ends, its indentation and its marks are those that it had before."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from typing import Final

_LAID_OUT: Final = (b"{\n", b"[\n")
"""How a rewritten JSON value begins; files of lines never begin so."""
_OPENED: Final = re.compile(rb"\s*[\[{]\r?\n([ \t]*)")
_COLON: Final = re.compile(rb'"\s*:( ?)')
_OUR_INDENT: Final = b"  "


def written_like(data: bytes, before: bytes) -> bytes:
    """Lay a repaired file out as it was: a program may be strict about it, and people compare the two.

    `data` is JSON that was written anew with an indent of two, or lines. The byte order mark, the line ends, the
    indentation, the escapes and the end of the file become as before. A file of lines ends with a line end in any case,
    for programs append to it.
    """
    has_mark = before.startswith(BOM_UTF8)
    body = before.removeprefix(BOM_UTF8)
    if data.startswith(_LAID_OUT):
        data = _laid_out(data, body)
        if not body.endswith(b"\n"):
            data = data.rstrip(b"\n")
    ends = body.count(b"\n")
    if ends and body.count(b"\r\n") == ends:
        data = re.sub(rb"(?<!\r)\n", b"\r\n", data)
    if has_mark:
        # A line that was put before the first leaves the mark in the middle.
        data = BOM_UTF8 + data.removeprefix(BOM_UTF8).replace(b"\n" + BOM_UTF8, b"\n")
    return data


def _laid_out(data: bytes, before: bytes) -> bytes:
    opened = _OPENED.match(before)
    escaped = before.isascii() and b"\\u" in before and not data.isascii()
    in_one_line = b"\n" not in before.strip()
    if opened is None and not in_one_line:
        # By hand: no rule of ours lays it out again.
        return data
    if opened is not None and opened[1] == _OUR_INDENT and not escaped:
        return data
    indent = opened[1].decode() if opened is not None else None
    colon = _COLON.search(before)
    is_tight = in_one_line and colon is not None and not colon[1]
    separators = (",", ":") if is_tight else (", " if in_one_line else ",", ": ")
    try:
        value = json.loads(data)
    except RecursionError:
        # It nests deeper than can be read in one go.
        return data
    try:
        written = json.dumps(value, ensure_ascii=escaped, indent=indent, separators=separators).encode()
    except UnicodeEncodeError:
        written = json.dumps(value, indent=indent, separators=separators).encode()
    return written + b"\n"
