"""The one way in which files are opened to be read: regular ones only, and nothing waits for who writes to a pipe."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, Final, final

if TYPE_CHECKING:
    from io import BufferedReader
    from os import PathLike

MAX_BYTES: Final = 256 * 1024 * 1024
"""Files larger than this are not read whole: a conversation takes several times its file's size in memory."""
MAX_LINE: Final = 64 * 1024 * 1024
"""Lines longer than this are neither written nor read."""
_FLAGS: Final = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NOCTTY", "O_NONBLOCK"))
_KINDS: Final = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@final
class NotAFileError(OSError):
    """A pipe, a device or a socket, where a file is expected."""

    def __init__(self, path: str | PathLike[str], kind: str) -> None:
        what = f"this is {kind}, not a regular file: save what it holds in a file, or pipe it to a command with `-`"
        super().__init__(errno.EINVAL, what, str(path))


def opened(path: str | PathLike[str]) -> BufferedReader:
    """Open a regular file, no pipe or device; what was opened is looked at, so that nobody changes it in between."""
    # A device may do something when it is opened.
    check_regular(path, os.stat(path))  # noqa: PTH116 - takes any path
    descriptor = os.open(path, _FLAGS)
    try:
        check_regular(path, os.fstat(descriptor))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def content(path: str | PathLike[str], limit: int) -> bytes:
    """Read a regular file, up to so many bytes. Raises `OSError` when it cannot be read."""
    with opened(path) as held:
        return held.read(limit)


def is_large(path: str | PathLike[str], size: int | None = None) -> bool:
    """Return whether a file has more bytes than `size`, or is too large to be read whole; False where none may look."""
    try:
        found = os.stat(path)  # noqa: PTH116 - takes any path
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size > (MAX_BYTES if size is None else size)


def check_regular(path: str | PathLike[str], found: os.stat_result) -> None:
    """Refuse anything but a regular file. Raises `NotAFileError`, and `IsADirectoryError` for a folder."""
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    kind = next((name for is_one, name in _KINDS if is_one(found.st_mode)), None)
    if kind is not None:
        raise NotAFileError(path, kind)
