"""Compressed bodies: read to be healed, and never further than the limit."""

from __future__ import annotations

import sys
import zlib
from functools import partial
from typing import TYPE_CHECKING, Final

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from collections.abc import Callable


class CannotReadError(ValueError):
    """A body that cannot be decompressed here; it is passed on unchanged."""


class BodyTooLargeError(Exception):
    """A body that is larger than the proxy accepts, compressed or decompressed."""


def decompressed(body: bytes, encoding: str, limit: int) -> bytes:
    """Decompress a body by its `content-encoding` to at most so many bytes, or raise which is not known or too much."""
    for name in reversed([part.strip().lower() for part in encoding.split(",") if part.strip()]):
        if name == "identity":
            continue
        decode = _DECODERS.get(name)
        if decode is None:
            raise CannotReadError(f"content-encoding {name!r}")
        body, is_whole = decode(body, limit + 1)
        if len(body) > limit:
            raise BodyTooLargeError
        if not is_whole:
            raise CannotReadError("it is truncated")
    return body


def _inflated(window: int, body: bytes, most: int) -> tuple[bytes, bool]:
    decoder = zlib.decompressobj(window)
    try:
        return decoder.decompress(body, most), decoder.eof
    except zlib.error as error:
        raise CannotReadError(str(error)) from error


def _unbrotlied(body: bytes, most: int) -> tuple[bytes, bool]:
    try:
        import brotli  # noqa: PLC0415 - whoever sends brotli may install it; without, the body is passed on
    except ImportError as error:
        raise CannotReadError("brotli is not installed") from error
    decoder = brotli.Decompressor()
    try:
        return bytes(decoder.process(body, output_buffer_limit=most)), decoder.is_finished()
    except (brotli.error, TypeError) as error:
        raise CannotReadError(str(error)) from error


def _unzstd(body: bytes, most: int) -> tuple[bytes, bool]:
    decoder = zstd.ZstdDecompressor()
    try:
        return decoder.decompress(body, max_length=most), decoder.eof
    except zstd.ZstdError as error:
        raise CannotReadError(str(error)) from error


_DECODERS: Final[dict[str, Callable[[bytes, int], tuple[bytes, bool]]]] = {
    "gzip": partial(_inflated, 31),
    "x-gzip": partial(_inflated, 31),
    "deflate": partial(_inflated, 15),
    "br": _unbrotlied,
    "zstd": _unzstd,
}
"""What decompresses each encoding to at most so many bytes, and says whether that is all."""
