"""Files that are whole after a crash: appended to, replaced at one stroke, and kept as they were before.

Nothing here knows what a session is.
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CHUNK: Final = 1024 * 1024
_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
_BINARY: Final = getattr(os, "O_BINARY", 0)
logger = logging.getLogger("message_history")


class Stamp(NamedTuple):
    """What changes when somebody writes to a file."""

    file: int
    size: int
    changed: int


def file_of(path: Path) -> Path:
    """Follow a link to the file that it leads to, which need not exist."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def stamp_of(path: Path) -> Stamp | None:
    """Take the stamp of a file; None when there is none."""
    try:
        return _stamp(path.stat())
    except FileNotFoundError:
        return None


def lines_of(path: Path, limit: int) -> tuple[Stamp, Iterator[tuple[int, bytes | None]]]:
    """Read a file line by line, up to where it ended when it was opened.

    Returns the file's stamp, and each line with its number and its end; None in the place of one that has more than
    `limit` bytes. No more than one line is held.
    """
    opened = path.open("rb")
    stamp = _stamp(os.fstat(opened.fileno()))
    return stamp, _lines(opened, stamp.size, limit)


def append(path: Path, data: bytes, *, sync: bool) -> Stamp:
    """Write lines behind those of a file.

    The file exists. `sync` says whether to wait until it is on the disk. Returns the file's new stamp. Raises `OSError`
    when it cannot be written, is no regular file, or its last line has no end; then the file ends where it ended.
    """
    _check_regular(path)
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | _BINARY)
    try:
        size = os.lseek(descriptor, 0, os.SEEK_END)
        if size:
            os.lseek(descriptor, -1, os.SEEK_END)
            if os.read(descriptor, 1) != b"\n":
                raise OSError("the last line has no end")
        try:
            _write(descriptor, data)
            if sync:
                os.fsync(descriptor)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, size)
            raise
        return _stamp(os.fstat(descriptor))
    finally:
        os.close(descriptor)


def replace(path: Path, parts: Iterable[bytes], *, sync: bool, follow: bool = True, like: Path | None = None) -> Stamp:
    """Replace a file at one stroke: after a crash there is the old one or the new one.

    The file need not exist. `sync` says whether to wait until it is on the disk, and its name too. `follow` says
    whether a link is followed to the file that it leads to; else the link itself is replaced. `like` is the file whose
    mode the new one gets; that of the replaced file by default. Returns the new file's stamp. Raises `OSError` when it
    cannot be written, or is no regular file; then the old file is as it was.
    """
    _check_regular(path)
    target = file_of(path) if follow else path
    new = target.with_name(f".{target.name}.new")
    # What a crash left behind goes first, and so does a link that somebody has put there: it is never written through.
    with contextlib.suppress(FileNotFoundError):
        new.unlink()
    mode = _mode_of(like if like is not None else target)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW | _BINARY
    descriptor = os.open(new, flags, 0o666 if mode is None else 0o600)
    try:
        try:
            if mode is not None:
                _set_mode(descriptor, mode)
            for part in parts:
                _write(descriptor, part)
            if sync:
                os.fsync(descriptor)
            stamp = _stamp(os.fstat(descriptor))
        finally:
            os.close(descriptor)
        new.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            new.unlink()
        raise
    if sync:
        _sync_folder(target.parent)
    return stamp


def back_up(path: Path, *, sync: bool = True) -> Path:
    """Keep a file as it is, byte for byte, beside itself, also when a link to it is given.

    Returns the copy: `NAME.bak`, or `NAME.bak-2` and so on when another is there. One that is the same is not made
    again. Raises `OSError` when it cannot be written.
    """
    path, number = file_of(path), 1
    while True:
        copy = path.with_name(f"{path.name}.bak" + (f"-{number}" if number > 1 else ""))
        if not os.path.lexists(copy):
            break
        if copy.is_file() and _same(path, copy):
            return copy
        number += 1
    with path.open("rb") as held:
        replace(copy, iter(lambda: held.read(CHUNK), b""), sync=sync, follow=False, like=path)
    return copy


def _stamp(found: os.stat_result) -> Stamp:
    return Stamp(found.st_ino, found.st_size, found.st_mtime_ns)


def _lines(opened: BinaryIO, size: int, limit: int) -> Iterator[tuple[int, bytes | None]]:
    with opened:
        left, number = size, 0
        while left > 0:
            number += 1
            line = opened.readline(min(left, limit + 1))
            if not line:
                return
            left -= len(line)
            if len(line) <= limit or line.endswith(b"\n"):
                yield number, line
                continue
            while left > 0 and not line.endswith(b"\n"):
                line = opened.readline(min(left, CHUNK))
                if not line:
                    break
                left -= len(line)
            yield number, None


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _check_regular(path: Path) -> None:
    """Refuse a device, a pipe or a folder: replacing one would destroy it."""
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISREG(path.stat().st_mode):
            raise OSError(f"{path} is no regular file")


def _mode_of(path: Path) -> int | None:
    """Return the mode of a regular file, None where there is none."""
    try:
        found = path.lstat().st_mode
    except FileNotFoundError:
        return None
    return stat.S_IMODE(found) if stat.S_ISREG(found) else None


def _set_mode(descriptor: int, mode: int) -> None:
    """Set the mode of a file before it has any content; some file systems have no modes, and that is no failure."""
    if hasattr(os, "fchmod"):
        with contextlib.suppress(OSError):
            os.fchmod(descriptor, mode)


def _sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, where the system can do that.

    The file has its new content by now, so a failure is logged and not raised: the caller would take it for unwritten.
    """
    if os.name == "nt":
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        logger.warning("a folder could not be synced, so its newest names may not survive a power cut: %s", error)


def _same(left: Path, right: Path) -> bool:
    if left.stat().st_size != right.stat().st_size:
        return False
    with left.open("rb") as one, right.open("rb") as other:
        while chunk := one.read(CHUNK):
            if chunk != other.read(CHUNK):
                return False
    return True
