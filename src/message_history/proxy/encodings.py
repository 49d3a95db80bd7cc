"""Compressed bodies: read to be healed, and never further than the limit."""

from __future__ import annotations

import zlib
from typing import Final


class CannotReadError(ValueError):
    """A body that cannot be decompressed here; it is passed on as it came."""


_WINDOWS: Final = {"gzip": 31, "x-gzip": 31, "deflate": 15}


def decompressed(body: bytes, encoding: str, limit: int) -> bytes:
    """Decompress a body.

    The content may become as long as `limit`. Returns the content; the body itself when it is not compressed. Raises
    `CannotReadError` for an encoding that is not known, what is not in it, and content beyond the limit.
    """
    for name in reversed([part.strip().lower() for part in encoding.split(",") if part.strip()]):
        if name == "identity":
            continue
        if name in _WINDOWS:
            body = _inflated(body, _WINDOWS[name], limit)
        elif name == "br":
            body = _unbrotlied(body, limit)
        else:
            raise CannotReadError(f"content-encoding {name!r}")
    return body


def _inflated(body: bytes, window: int, limit: int) -> bytes:
    try:
        decoder = zlib.decompressobj(window)
        found = decoder.decompress(body, limit + 1)
    except zlib.error as error:
        raise CannotReadError(str(error)) from error
    if len(found) > limit or not decoder.eof:
        raise CannotReadError("it is too large, or cut off")
    return found


def _unbrotlied(body: bytes, limit: int) -> bytes:
    try:
        import brotli  # noqa: PLC0415 - whoever sends brotli may install it; without, the body is passed on
    except ImportError as error:
        raise CannotReadError("brotli is not installed") from error
    decoder = brotli.Decompressor()
    found = b""
    try:
        found = decoder.process(body, output_buffer_limit=limit + 1)
    except (brotli.error, TypeError) as error:
        raise CannotReadError(str(error)) from error
    if len(found) > limit or not decoder.is_finished():
        raise CannotReadError("it is too large, or cut off")
    return bytes(found)
