"""Files that are whole after a crash: appended to, replaced at one stroke, and kept as they were before."""

from __future__ import annotations

import contextlib
import functools
import logging
import operator
import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

from message_history.files.opening import check_regular, opened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

CHUNK: Final = 1024 * 1024
_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
_FLAGS: Final = getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_LIST: Final = "system.posix_acl_access"
logger = logging.getLogger("message_history")


class Stamp(NamedTuple):
    """What changes when somebody writes to a file."""

    file: int
    size: int
    changed: int

    @property
    def seconds(self) -> float:
        """Return when somebody wrote to it last, in seconds since 1970."""
        return self.changed / 1e9


def file_of(path: Path) -> Path:
    """Follow a link to the file that it leads to, which need not exist."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def stamp_of(path: Path) -> Stamp | None:
    try:
        return _stamp(path.stat())
    except FileNotFoundError:
        return None


def lines_of(path: Path, limit: int) -> tuple[Stamp, Iterator[tuple[int, bytes | None]]]:
    """Read a file line by line, up to where it ended when it was opened.

    Returns the file's stamp, and each line with its number and its end; None in the place of one that has more than
    `limit` bytes. No more than one line is held.
    """
    held = opened(path)
    try:
        stamp = _stamp(os.fstat(held.fileno()))
    except OSError:
        held.close()
        raise
    return stamp, _lines(held, stamp.size, limit)


def append(path: Path, data: bytes, *, sync: bool) -> Stamp:
    """Write lines after those of a file.

    The file exists. `sync` says whether to wait until it is on the disk. Returns the file's new stamp. Raises `OSError`
    when it cannot be written, is not a regular file, or its last line has no end; then the file ends where it ended.
    """
    check_regular(path, path.stat())
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | _FLAGS)
    try:
        check_regular(path, os.fstat(descriptor))
        size = os.lseek(descriptor, 0, os.SEEK_END)
        if size:
            os.lseek(descriptor, -1, os.SEEK_END)
            if os.read(descriptor, 1) != b"\n":
                raise OSError("the last line does not end with a line break")
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


def replace(
    path: Path,
    parts: Iterable[bytes],
    *,
    sync: bool,
    follow: bool = True,
    like: Path | None = None,
    private: bool = True,
) -> Stamp:
    """Replace a file at one stroke: after a crash there is the old one or the new one.

    The file need not exist. It is never open to more people than the one that it replaces, and the one in `like`, which
    its content comes from; their owner and extended attributes are kept where the system allows it, and another name of
    the old file (a hard link) keeps what was in it. Without either it is its owner's alone, unless it is not `private`.
    `sync` says whether to wait until it is on the disk, and its name too. `follow` says whether a link is followed to
    the file that it leads to; else the link itself is replaced. Returns the new file's stamp. Raises `OSError` when it
    cannot be written, or is not a regular file; then the old file is as it was.
    """
    with contextlib.suppress(FileNotFoundError):
        check_regular(path, path.stat())
    target = file_of(path) if follow else path
    new = target.with_name(f".{target.name}.new")
    # What a crash left is removed first, and so is a link that somebody put there: it is never written through.
    with contextlib.suppress(FileNotFoundError):
        new.unlink()
    models = [each for each in (target, file_of(like) if like is not None else None) if each and _is_regular(each)]
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW | _FLAGS
    descriptor = os.open(new, flags, 0o600 if private or models else 0o666)
    try:
        try:
            if models:
                _make_like(descriptor, models)
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
    """Keep a byte-for-byte copy of a file in its folder, also when a link to it is given.

    It is to be replaced then, and the backup is the old file itself where the file system can do that: what somebody
    who has it open still writes is in the backup. Returns it: `NAME.bak`, or `NAME.bak-2` and so on when another is
    there; one that is the same is taken. Raises `OSError` when it cannot be written.
    """
    path, number = file_of(path), 1
    check_regular(path, path.stat())
    while True:
        copy = path.with_name(f"{path.name}.bak" + (f"-{number}" if number > 1 else ""))
        is_there = os.path.lexists(copy)
        if not is_there or (_is_regular(copy) and _same(path, copy)):
            break
        number += 1
    if is_there and copy.samefile(path):
        return copy
    linked = path.with_name(f".{copy.name}.new")
    try:
        with contextlib.suppress(FileNotFoundError):
            linked.unlink()
        os.link(path, linked, follow_symlinks=False)
        linked.replace(copy)
        if sync:
            with opened(path) as held:
                os.fsync(held.fileno())
            _sync_folder(path.parent)
    except (OSError, NotImplementedError, AttributeError):  # A browser's Python has no `os.link`.
        if not is_there:
            with opened(path) as held:
                replace(copy, iter(lambda: held.read(CHUNK), b""), sync=sync, follow=False, like=path)
    return copy


def backups_of(path: Path) -> list[Path]:
    """Return the files that `back_up` has made of a file, and what a crash has left of making them or the file."""
    path = file_of(path)
    made = re.compile(rf"(?:\.?{re.escape(path.name)}\.bak(?:-[0-9]+)?(?:\.new)?|\.{re.escape(path.name)}\.new)")
    return sorted(each for each in path.parent.iterdir() if made.fullmatch(each.name))


def remove(paths: Sequence[Path], *, sync: bool) -> None:
    """Remove files, in this order; those that are not there are passed over. Raises `OSError` when one cannot be."""
    for path in paths:
        path.unlink(missing_ok=True)
    if sync:
        for folder in dict.fromkeys(path.parent for path in paths):
            _sync_folder(folder)


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


def _is_regular(path: Path) -> bool:
    """Return whether a name is a file's own; a link to one says nothing of who may read it."""
    with contextlib.suppress(OSError):
        return stat.S_ISREG(path.lstat().st_mode)
    return False


def _make_like(descriptor: int, models: list[Path]) -> None:
    """Give a file without content the owner and the attributes of the last of others, and no wider mode than any has.

    Some file systems have none of them, and few users may give a file away: that is not a failure.
    """
    if not hasattr(os, "fchmod"):
        return
    found = [each.stat() for each in models]
    for owner, group in ((found[-1].st_uid, -1), (-1, found[-1].st_gid)):
        with contextlib.suppress(OSError):
            os.fchown(descriptor, owner, group)
    # What a group may do is for that group: another gets nothing, neither by the mode nor by a list of names.
    is_same_group = {each.st_gid for each in found} == {os.fstat(descriptor).st_gid}
    if hasattr(os, "listxattr"):
        _copy_attributes(descriptor, models[-1], with_lists=is_same_group)
    mode = functools.reduce(operator.and_, (each.st_mode for each in found), 0o777 if is_same_group else 0o707)
    with contextlib.suppress(OSError):
        os.fchmod(descriptor, mode)


def _copy_attributes(descriptor: int, model: Path, *, with_lists: bool) -> None:
    """Copy the extended attributes of a file, where it may be done; the list of who else may read it is one of them."""
    with contextlib.suppress(OSError):
        os.removexattr(descriptor, _LIST)
    with contextlib.suppress(OSError):
        for name in os.listxattr(model):
            with contextlib.suppress(OSError):
                if with_lists or name != _LIST:
                    os.setxattr(descriptor, name, os.getxattr(model, name))


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
    with opened(left) as one, opened(right) as other:
        while chunk := one.read(CHUNK):
            if chunk != other.read(CHUNK):
                return False
    return True
