"""Where inputs are: on this machine or on any filesystem that fsspec has, as they are or packed."""

from __future__ import annotations

import gzip
import io
import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, final
from urllib.parse import urlsplit

from message_history.extras import needs_extra
from message_history.files.files import TooLargeError, content_of
from message_history.files.opening import MAX_BYTES, opened

if TYPE_CHECKING:
    from collections.abc import Callable

STDIN: Final = "-"
SPOOLED: Final = "stdin-"
"""How the name of a file begins that holds what came by the standard input."""
CHUNK: Final = 1024 * 1024
BLANK: Final = b" \t\r\n"
"""A line of nothing else is not a row."""
_PACKED_CHUNK: Final = 16 * 1024
"""How much is unpacked at once: little may be much when it is unpacked."""
_GZIP, _ZSTD, _PARQUET = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1"
_URL: Final = re.compile(r"[a-z][a-z0-9+.-]*://|[a-z0-9+]+::", re.IGNORECASE)
_UNPACKERS: Final = ("compression.zstd", "backports.zstd", "zstandard")


@final
class DamagedError(OSError):
    """A packed file that cannot be unpacked to its end."""


def is_url(place: str) -> bool:
    """Return whether a place is one for fsspec, as `s3://bucket/a.jsonl` or `simplecache::s3://bucket/a.jsonl`."""
    return _URL.match(place) is not None


def named(place: str) -> str:
    """Name a place in receipts: without the keys and signatures that a URL may hold."""
    if Path(place).name.startswith(SPOOLED):
        return STDIN
    if not is_url(place):
        return place
    parts = urlsplit(place)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def open_input(place: str) -> BinaryIO:
    """Open a file to read what is in it, unpacked.

    Raises `OSError` when it cannot be opened; reading one that is damaged raises `DamagedError`.
    """
    held = open_as_it_is(place)
    head = held.peek()[:4]
    if head.startswith(_GZIP):
        return io.BufferedReader(_Raw(gzip.GzipFile(fileobj=held), held), CHUNK)
    if head == _ZSTD:
        try:
            return io.BufferedReader(_Raw(_unpacking(held), held), CHUNK)
        except DamagedError:
            held.close()
            raise
    return held


def open_as_it_is(place: str) -> io.BufferedReader:
    """Open a file to read its bytes; raises `OSError`."""
    if not is_url(place):
        return opened(place)
    filesystem, path = filesystem_of(place)
    # What a server says of ranges is not to be trusted; a stream needs none.
    options = {"block_size": 0} if is_http(place) else {}
    return io.BufferedReader(_Raw(filesystem.open(path, "rb", **options)), CHUNK)


def open_to_seek(place: str) -> Any:
    """Open a file whose parts are read in any order, such as Parquet."""
    if not is_url(place):
        return opened(place)
    filesystem, path = filesystem_of(place)
    return filesystem.open(path, "rb")


def is_stream(place: str) -> bool:
    """Return whether a file can be read from its begin only: it is packed, or on a server."""
    with open_as_it_is(place) as held:
        head = held.peek()[:4]
    return is_http(place) or head.startswith(_GZIP) or head == _ZSTD


def is_parquet(place: str) -> bool:
    """Return whether a file is one of Parquet."""
    with open_as_it_is(place) as held:
        return held.peek()[:4] == _PARQUET


def size_of(place: str) -> int:
    """Return how many bytes a file has, as it lies there; 0 where nobody says it."""
    if not is_url(place):
        return Path(place).stat().st_size
    filesystem, path = filesystem_of(place)
    return int(filesystem.info(path).get("size") or 0)


def content(place: str) -> bytes:
    """Read a whole file. Raises `UnreadableFileError`."""
    if not is_url(place) and (Path(place).is_dir() or not is_stream(place)):
        return content_of(place)
    with open_input(place) as held:
        data = held.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise TooLargeError(f"it is larger than {MAX_BYTES:,} bytes")
    return data


def skip_line(readline: Callable[[int], bytes]) -> bool:
    """Read to the end of a line, however long it is, without holding it; return whether it was not blank."""
    is_filled = False
    while rest := readline(CHUNK):
        is_filled = is_filled or bool(rest.strip(BLANK))
        if rest.endswith(b"\n"):
            break
    return is_filled


def filesystem_of(place: str) -> tuple[Any, str]:
    """Return the filesystem of a place, and the path there."""
    with needs_extra("remote", "message-history-compile"):
        core = import_module("fsspec.core")
    filesystem, path = core.url_to_fs(place)
    return filesystem, path


def is_http(place: str) -> bool:
    return place.startswith(("http://", "https://"))


def _unpacking(held: BinaryIO) -> Any:
    for name in _UNPACKERS:
        try:
            module = import_module(name)
        except ImportError:
            continue
        if hasattr(module, "ZstdFile"):
            return module.ZstdFile(held)
        return _Frames(module, held)
    raise DamagedError("it is packed with Zstandard, which Python unpacks from 3.14 on, or with the package zstandard")


@final
class _Raw(io.RawIOBase):
    """A stream of another library as one of Python, which knows its place."""

    def __init__(self, inner: Any, packed: BinaryIO | None = None) -> None:
        self._inner = inner
        self._place = 0
        self._packed = packed

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._packed is None

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._inner.read(len(buffer))
        except Exception as error:
            # Each packer has an error of its own.
            if self._packed is None or (isinstance(error, OSError) and error.errno is not None):
                raise
            raise DamagedError(f"it cannot be unpacked to its end: {error}") from error
        buffer[: len(data)] = data
        self._place += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if offset != self._place or whence != io.SEEK_SET:
            self._place = self._inner.seek(offset, whence)
        return self._place

    def tell(self) -> int:
        return self._place

    def close(self) -> None:
        self._inner.close()
        if self._packed is not None:
            self._packed.close()
        super().close()


@final
class _Frames:
    """Reads frames of Zstandard with the package zstandard, whose own reader takes a file that is cut off for whole."""

    def __init__(self, module: Any, held: BinaryIO) -> None:
        self._new = module.ZstdDecompressor().decompressobj
        self._frame: Any = None
        self._held = held
        self._waiting = b""
        self._read = b""

    def read(self, size: int) -> bytes:
        while not self._read:
            chunk = self._waiting or self._held.read(_PACKED_CHUNK)
            self._waiting = b""
            if not chunk and self._frame is not None:
                raise EOFError("the last frame is cut off")
            if not chunk:
                return b""
            self._frame = self._frame or self._new()
            self._read = self._frame.decompress(chunk)
            if self._frame.eof:
                self._waiting, self._frame = self._frame.unused_data, None
        found, self._read = self._read[:size], self._read[size:]
        return found

    def close(self) -> None:
        """Do nothing: who opened the file closes it."""
