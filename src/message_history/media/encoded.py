"""Base64 text, read in pieces: only what is asked for is decoded."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final, final

_ALPHABET: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_SPACE: Final = b" \t\r\n\f\v"
_FROM_URL: Final = bytes.maketrans(b"-_", b"+/")
_WINDOW: Final = 48 * 1024
"""How many bytes are decoded at once; a multiple of three."""


@final
class Encoded:
    """Bytes in the form of base64 text."""

    def __init__(self, text: str) -> None:
        self.text = text  # the text, in the standard alphabet and with its padding
        self._end = len(text) // 4 * 3 - text[-2:].count("=")
        self._start = 0
        self._held = b""

    def __len__(self) -> int:
        return self._end

    def at(self, offset: int, count: int) -> bytes:
        """Read as many bytes from an offset on; fewer at the end."""
        inside = offset - self._start
        if inside < 0 or inside + count > len(self._held):
            first = offset // 3
            wanted = max(_WINDOW, count + 2)
            self._held = base64.b64decode(self.text[first * 4 : (first + wanted // 3 + 1) * 4])
            self._start = first * 3
            inside = offset - self._start
        return self._held[inside : inside + count]

    def last_index(self, wanted: bytes, start: int) -> int:
        """Find the last place of two bytes, from the end backwards to `start`; -1 if not found."""
        end = self._end
        while end > start:
            begin = max(start, end - _WINDOW + 1)
            found = self.at(begin, end - begin).rfind(wanted)
            if found >= 0:
                return begin + found
            if begin == start:
                break
            end = begin + len(wanted) - 1
        return -1

    def decoded(self) -> bytes:
        return base64.b64decode(self.text)


def encoded(text: str) -> Encoded | None:
    """Read base64 text, repairing white space, URLs' alphabet and lost padding; None if it is not base64, or empty."""
    if not text.isascii():
        return None
    if text and len(text) % 4 == 0 and _ends_well(text) and not text[:-4].encode().translate(None, _ALPHABET):
        return Encoded(text)
    plain = text.encode().translate(_FROM_URL, _SPACE).rstrip(b"=")
    if not plain or len(plain) % 4 == 1 or plain.translate(None, _ALPHABET):
        return None
    return Encoded((plain + b"=" * (-len(plain) % 4)).decode())


def _ends_well(text: str) -> bool:
    """Return whether the last four characters are good, where padding may be."""
    try:
        binascii.a2b_base64(text[-4:], strict_mode=True)
    except ValueError:
        return False
    return True


def is_masked(data: bytes) -> bool:
    """Return whether bytes are what a recording left of base64 text, with a mark for the rest: nothing went wrong."""
    return _MASKED.fullmatch(data) is not None


_MASKED: Final = re.compile(rb"[A-Za-z0-9+/_=-]*(?:<(?![!?/]|(?i:html|xml|svg))[^<>]*>|\[[A-Z_ ]+\])[A-Za-z0-9+/_=-]*")


def inline_data(url: str) -> tuple[str, str] | None:
    """Split a data URL into its media type, perhaps empty, and its base64 text; None for another URL."""
    if url[:5].lower() != "data:":
        return None
    head, comma, data = url.partition(",")
    kind, *parameters = head[5:].split(";")
    if not comma or "base64" not in [parameter.strip().lower() for parameter in parameters]:
        return None
    return kind.strip().lower(), data
