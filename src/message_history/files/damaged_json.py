"""Read JSON that is damaged: find the parts that are sound, and say which are not."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final, final

from attrs import define, field, frozen

from message_history.plain_json import MAX_DIGITS, read_plain

MAX_DEPTH: Final = 200
"""Containers nested deeper than this are kept as JSON text; Python's parser gives up at about a thousand."""

TRUNCATED: Final = "cut off"
MERGED: Final = "several objects on one line; each is taken for a line"

UNESCAPED: Final = "a backslash that begins no escape is kept as it is"

NOT_UTF8: Final = re.compile("[\udc80-\udcff]")
"""Bytes that are not UTF-8, as `decode_bytes` keeps them."""

# A string, up to its end, the end of its line or the end of the text, so that a quote too many costs one line only.
_TOKENS: Final = re.compile(r'"(?:[^"\\\n]|\\.)*+(?:"|(?=\n)|\\?\Z)|[][{},]', re.DOTALL)
_NO_ESCAPE: Final = ("Invalid \\escape", "Invalid \\uXXXX escape")
"""How Python calls a backslash that begins no escape."""
_BACKSLASH: Final = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})?')


@final
@frozen(kw_only=True)
class LineNote:
    """Something in a file that could not be read as it is."""

    line: int  # the line that it begins in, counted from 1
    detail: str  # what is wrong
    # The text that was skipped; None when it was kept in another form.
    skipped: str | None = field(default=None, repr=False)


def decode_bytes(data: bytes) -> str:
    """Decode UTF-8, with or without a byte order mark. Bytes that are not UTF-8 are kept as what `NOT_UTF8` finds."""
    return data.decode("utf-8-sig", errors="surrogateescape")


def bare_line(written: bytes) -> bytes:
    """Return a line without blanks and zeros, which a file system that lost power leaves, around it."""
    return written.strip(b"\0 \t\r\n")


def decode_line(written: bytes) -> str:
    return decode_bytes(bare_line(written))


def parted(text: str) -> list[str]:
    """Split a line that is not a JSON value into the objects that lost the line ends between them, if it is several."""
    parts: list[str] = []
    begin = 0
    if NOT_UTF8.search(text):
        return []
    try:
        while begin < len(text):
            if text[begin] != "{":
                return []
            _, end = _OBJECT.raw_decode(text, begin)
            parts.append(text[begin:end])
            begin = found.end() if (found := _SPACE.match(text, end)) else end
    except (ValueError, RecursionError):
        return []
    return parts if len(parts) > 1 else []


_OBJECT: Final = json.JSONDecoder(parse_int=str, strict=False)
_SPACE: Final = re.compile(r"\s*")


@final
class Decoder:
    """Reads one JSON value and remembers what was the matter."""

    def __init__(self) -> None:
        self.failure: str | None = None
        self.kept: list[str] = []

    def value(self, written: str | bytes) -> Any:
        """Read a value; None, with `failure` set, when it cannot. What took another form is in `kept`."""
        try:
            return read_plain(written)
        except (ValueError, RecursionError) as error:  # It is read again, to say what is wrong with it.
            is_text = isinstance(error, (json.JSONDecodeError, RecursionError))
        text = decode_bytes(written) if isinstance(written, bytes) else written
        if not is_text and NOT_UTF8.search(text):
            self.failure = "not UTF-8"
            return None
        try:
            return self._loaded_somehow(text)
        except json.JSONDecodeError as error:
            if error.msg.startswith(_NO_ESCAPE):
                return self._value_without_escape(text, error)
            self.failure = _explained(error)
            return None

    def _value_without_escape(self, text: str, error: json.JSONDecodeError) -> Any:
        """Read a text in which a backslash begins no escape, as where someone masked words: it is kept as text."""
        try:
            value = self._loaded_somehow(_BACKSLASH.sub(_escaped, text))
        except json.JSONDecodeError:
            self.failure = _explained(error)
            return None
        self.kept.append(UNESCAPED)
        return value

    def _loaded_somehow(self, text: str) -> Any:
        """Read a text, with what is nested too deep kept as text."""
        try:
            return self._loaded(text)
        except RecursionError:
            self.kept = [f"nested deeper than {MAX_DEPTH}; the inner part is kept as JSON text"]
            return self._loaded(_folded(text))

    def _loaded(self, text: str) -> Any:
        # Line breaks and tabs inside strings are read as they are: nothing is gained by refusing them.
        return json.loads(
            text, parse_int=self._integer, parse_float=self._float, parse_constant=self._not_finite, strict=False
        )

    def _integer(self, digits: str) -> int | str:
        if len(digits) <= MAX_DIGITS:
            return int(digits)
        self.kept.append(f"an integer of {len(digits)} digits is kept as text")
        return digits

    def _float(self, digits: str) -> float | str:
        number = float(digits)
        if math.isfinite(number):
            return number
        self._not_finite(digits)
        return "Infinity" if number > 0 else "-Infinity"

    def _not_finite(self, written: str) -> str:
        self.kept.append(f"{written:.20} is kept as text")
        return written


@final
@define
class Items:
    """The items of an array."""

    values: list[tuple[int, Any]] = field(factory=list)  # the sound ones, each with the line that it begins in
    notes: list[LineNote] = field(factory=list)  # what is wrong with the others
    closed: bool = False  # whether the array ends
    end: int = 0  # where the text goes on after it
    end_line: int = 1  # the line of that place


def items_of(text: str, start: int) -> Items:
    """Read the items of a damaged array; after a spoiled one, go on where a line begins an item in the same column."""
    found = Items()
    lines = _Lines(text)
    depth, begin, end = 0, start, len(text)
    for token in _TOKENS.finditer(text, start):
        mark = token[0]
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
            if depth < 0:
                end, found.closed = token.start(), True
                break
        elif mark == "," and depth == 0:
            _take(text[begin : token.start()], begin, lines, found)
            begin = token.end()
    _take(text[begin:end], begin, lines, found)
    found.end = end + found.closed
    found.end_line = lines.at(end)
    if not found.closed and not (found.notes and found.notes[-1].detail == TRUNCATED):
        found.notes.append(LineNote(line=found.end_line, detail=TRUNCATED, skipped=""))
    return found


def member_of(text: str, key: str) -> tuple[int, int] | None:
    """Find where the key of an array in a damaged object begins, and where its first item is; else None."""
    quoted = json.dumps(key)
    opening = re.compile(r"\s*:\s*\[")
    depth = 0
    for token in _TOKENS.finditer(text):
        mark = token[0]
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
        elif depth == 1 and mark == quoted:
            found = opening.match(text, token.end())
            if found is not None:
                return token.start(), found.end()
    return None


def _take(written: str, begin: int, lines: _Lines, found: Items) -> None:
    """Take one item of an array, or what can be saved of it."""
    item = written.strip()
    if not item:
        return
    line = lines.at(begin + written.index(item[0]))
    decoder = Decoder()
    value = decoder.value(item)
    if decoder.failure is None:
        found.values.append((line, value))
        found.notes += [LineNote(line=line, detail=detail) for detail in decoder.kept]
        return
    column = lines.column
    spoilt: list[str] = []
    for number, row in enumerate(item.split("\n"), line):
        indented = len(row) - len(row.lstrip()) if number > line else column
        inner = Decoder()
        value = inner.value(row.strip().rstrip(",")) if number > line and indented == column else None
        if isinstance(value, dict):
            found.values.append((number, value))
        else:
            spoilt.append(row)
    found.notes.append(LineNote(line=line, detail=decoder.failure, skipped="\n".join(spoilt)))


@final
class _Lines:
    """Line numbers of growing positions in a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._line = 1
        self._begin = 0

    def at(self, position: int) -> int:
        """Return the line of a position that is not before the last one."""
        self._line += self._text.count("\n", self._position, position)
        self._begin = max(self._begin, self._text.rfind("\n", self._position, position) + 1)
        self._position = position
        return self._line

    @property
    def column(self) -> int:
        return self._position - self._begin


def _folded(text: str) -> str:
    """Put what is nested too deep into JSON strings."""
    parts: list[str] = []
    depth, done, begin = 0, 0, 0
    for token in _TOKENS.finditer(text):
        mark = token[0]
        if mark in "[{":
            depth += 1
            if depth == MAX_DEPTH + 1:
                begin = token.start()
        elif mark in "]}":
            if depth == MAX_DEPTH + 1:
                parts += [text[done:begin], json.dumps(text[begin : token.end()], ensure_ascii=False)]
                done = token.end()
            depth -= 1
    # What is nested too deep and never closed is left out: the text is cut off there anyway.
    return "".join((*parts, text[done : begin if depth > MAX_DEPTH else None]))


def _escaped(found: re.Match[str]) -> str:
    """Return an escape unchanged, and a backslash that begins no escape as the escape of a backslash."""
    return found[0] if len(found[0]) > 1 else r"\\"


def _explained(error: json.JSONDecodeError) -> str:
    truncated = error.msg.startswith("Unterminated string") or error.pos >= len(error.doc.rstrip())
    return TRUNCATED if truncated else f"{error.msg} at column {error.colno}"
