"""JSON that every reader reads alike: by msgspec, the extra `fast`, where it is installed, else by Python's own.

Both return the same values. What they might read differently is refused, for `damaged_json` to read with its notes.
Both write the same bytes: msgspec, which spells floats in another way, writes what holds none.
"""

from __future__ import annotations

import json
import json.encoder
import math
from binascii import b2a_base64
from typing import TYPE_CHECKING, Any, Final, Never

if TYPE_CHECKING:
    from collections.abc import Callable

try:
    import msgspec
except ImportError:
    _fast = _write = None
else:
    _fast = msgspec.json.Decoder()
    _write = msgspec.json.Encoder().encode

MAX_DIGITS: Final = 4_000
"""Integers with more digits than this are kept as text: Python refuses to read much longer ones."""
_ALIKE: Final = frozenset({bool, int, type(None)})


def read_plain(written: str | bytes) -> Any:
    """Read sound JSON in UTF-8 with finite numbers; else a `ValueError`, or a `RecursionError` for deep nesting."""
    if len(written) > MAX_DIGITS and _may_hold_long_integer(written):
        raise ValueError("an integer with too many digits")
    if _fast is not None:
        try:
            return _fast.decode(written if isinstance(written, bytes) else written.encode())
        except msgspec.MsgspecError:
            pass  # Python's reader takes line breaks in strings, and halves of surrogates.
    if isinstance(written, bytes):
        written = written.decode()
    elif not written.isascii():
        written.encode()  # A surrogate, in place of bytes that are not UTF-8, is refused.
    try:
        value, end = _scan(written, 0)
    except StopIteration:
        end = -1
    # Most have nothing around them: to look for what may be there takes a third of the time.
    return value if end == len(written) else _PLAIN.decode(written)


def write_plain(value: Any) -> bytes:
    """Write JSON values in UTF-8 without spaces. Raises `UnicodeEncodeError` when a lone surrogate is in them.

    Bytes, which only some dialects send, become base64.
    """
    if _write is not None and _is_written_alike(value):
        written: bytes = _write(value)
        return written
    return (_ENCODER.encode(value) if _WRITE is None else "".join(_WRITE(value, 0))).encode()


def compact_json(value: Any) -> bytes:
    """Write JSON values as `write_plain` does; all in ASCII when a lone surrogate leaves no other way."""
    try:
        return write_plain(value)
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"), default=base64_of).encode()


def compact_items(values: list[Any]) -> bytes:
    """Write what `compact_json` writes of each value, joined by commas."""
    try:
        return write_plain(values)[1:-1]
    except UnicodeEncodeError:
        return b",".join(map(compact_json, values))


def base64_of(value: object) -> str:
    """Return bytes as base64 text for JSON; a `TypeError` for anything else."""
    if not isinstance(value, bytes):
        raise TypeError(f"an export cannot hold a {type(value).__name__}")
    return b2a_base64(value, newline=False).decode()


def _is_written_alike(value: Any) -> bool:
    containers: list[Any] = [[value]]
    for container in containers:  # It grows meanwhile.
        items = container
        if type(container) is dict:
            for key in container:
                if type(key) is not str:
                    return False
            items = container.values()
        for item in items:
            kind = type(item)
            if kind is str:
                continue
            if kind is dict or kind is list:
                containers.append(item)
            elif kind not in _ALIKE:
                return False
    return True


def _may_hold_long_integer(written: str | bytes) -> bool:
    """Return whether there may be more digits in a row: one of them is then at a multiple of as many characters."""
    half = MAX_DIGITS // 2
    for place in range(MAX_DIGITS, len(written), MAX_DIGITS):
        if not written[place : place + 1].isdigit():
            continue
        if written[place : place + half].isdigit() or written[place - half : place].isdigit():
            return True
    return False


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("a number that is not finite")
    return number


def _refuse(written: str) -> Never:
    raise ValueError(f"{written} is not a JSON number")


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=base64_of)
# `encode` makes this anew for each value; other interpreters than CPython have none.
_MAKE: Final[Any] = getattr(json.encoder, "c_make_encoder", None)
_WRITE: Final[Any] = _MAKE and _MAKE(
    None, base64_of, json.encoder.encode_basestring, None, ":", ",", False, False, True
)
_PLAIN: Final = json.JSONDecoder(parse_float=_finite, parse_constant=_refuse, strict=False)
_scan: Final[Callable[[str, int], tuple[Any, int]]] = _PLAIN.scan_once  # type: ignore[attr-defined]
"""Reads the value that begins at a place, and says where it ends."""
