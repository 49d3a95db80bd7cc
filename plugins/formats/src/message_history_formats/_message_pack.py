"""MessagePack, in which LangGraph packs its checkpoints: only what decodes it, without a library for it."""

from __future__ import annotations

import base64
import struct
from typing import TYPE_CHECKING, Any, Final

from message_history.files.budgets import spend

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_DEPTH: Final = 200
_CONTAINER: Final = 240
"""About how many bytes a list or a map takes."""
_NUMBERS: Final = {
    0xCA: ">f",
    0xCB: ">d",
    0xCC: ">B",
    0xCD: ">H",
    0xCE: ">I",
    0xCF: ">Q",
    0xD0: ">b",
    0xD1: ">h",
    0xD2: ">i",
    0xD3: ">q",
}
_CONSTANTS: Final = {0xC0: None, 0xC2: False, 0xC3: True}
_LENGTHS: Final = {
    0xC4: (">B", "bytes"),
    0xC5: (">H", "bytes"),
    0xC6: (">I", "bytes"),
    0xC7: (">B", "extension"),
    0xC8: (">H", "extension"),
    0xC9: (">I", "extension"),
    0xD9: (">B", "text"),
    0xDA: (">H", "text"),
    0xDB: (">I", "text"),
    0xDC: (">H", "list"),
    0xDD: (">I", "list"),
    0xDE: (">H", "map"),
    0xDF: (">I", "map"),
}


def unpack(data: bytes, extension: Callable[[int, Any], Any]) -> Any:
    """Decode a value.

    `extension` makes a value of the code of an extension and of what is packed in it. Returns a value of types that
    JSON has: bytes become text in base 64, and keys text. Raises `ValueError` when it is not MessagePack, ends too
    soon, goes on after its end, or nests too deep.
    """
    value, end = _value(data, 0, extension, 0)
    if end != len(data):
        raise ValueError("something follows its end")
    return value


def _value(data: bytes, at: int, extension: Callable[[int, Any], Any], depth: int) -> tuple[Any, int]:
    """Decode the value at a position; return it and where it ends."""
    if depth > MAX_DEPTH:
        raise ValueError("it nests too deep")
    code, at = _cut(data, at, 1)[0], at + 1
    if code < 0x80 or code >= 0xE0:
        return (code if code < 0x80 else code - 0x100), at
    if code in _CONSTANTS:
        return _CONSTANTS[code], at
    if code in _NUMBERS:
        size = struct.calcsize(_NUMBERS[code])
        return struct.unpack(_NUMBERS[code], _cut(data, at, size))[0], at + size
    kind, length, at = _head(data, code, at)
    spend(_CONTAINER if kind in ("list", "map") else 0)
    if kind == "list":
        items: list[Any] = []
        for _ in range(length):
            item, at = _value(data, at, extension, depth + 1)
            items.append(item)
        return items, at
    if kind == "map":
        made: dict[str, Any] = {}
        for _ in range(length):
            key, at = _value(data, at, extension, depth + 1)
            if isinstance(key, dict | list):
                # Written as text, each container in another would double its quotes.
                raise ValueError("a key holds other values")  # noqa: TRY004 - what is read is damaged
            made[key if isinstance(key, str) else str(key)], at = _value(data, at, extension, depth + 1)
        return made, at
    if kind == "extension":
        number = _cut(data, at, 1)[0]
        inner, end = _value(_cut(data, at + 1, length), 0, extension, depth + 1)
        if end != length:
            raise ValueError("something follows the end of an extension")
        return extension(number, inner), at + 1 + length
    written = _cut(data, at, length)
    is_text = kind == "text"
    return (written.decode(errors="replace") if is_text else base64.b64encode(written).decode()), at + length


def _head(data: bytes, code: int, at: int) -> tuple[str, int, int]:
    """Return the kind of what has a length, the length, and where it begins."""
    if code < 0xC0:
        if code >= 0xA0:
            return "text", code & 0x1F, at
        return ("map" if code < 0x90 else "list"), code & 0x0F, at
    if code in _LENGTHS:
        form, kind = _LENGTHS[code]
        size = struct.calcsize(form)
        return kind, struct.unpack(form, _cut(data, at, size))[0], at + size
    if 0xD4 <= code <= 0xD8:
        return "extension", 1 << (code - 0xD4), at
    raise ValueError(f"the byte {code:#x} begins nothing")


def _cut(data: bytes, at: int, size: int) -> bytes:
    if len(data) - at < size:
        raise ValueError("it ends too soon")
    return data[at : at + size]
