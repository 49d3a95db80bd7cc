"""A lock between processes; only here is filelock imported."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from message_history.extras import not_installed
from message_history.files.disk import file_of
from message_history.files.errors import SessionError, SessionLockedError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def locked(path: Path, timeout: float, made: dict[Path, Any] | None = None) -> Iterator[None]:
    """Hold the lock of a file, or of the one that a link leads to: another file in its folder.

    `made` keeps the lock for the next time: to make one takes longer than to hold it. Who shares it shares the lock.
    """
    try:
        import filelock  # noqa: PLC0415 - the extra may not be installed
    except ModuleNotFoundError as error:
        raise SessionError(not_installed(error.name, "sessions")) from None
    try:
        file = file_of(path)
        if not file.parent.is_dir():
            raise SessionError(f"{path}: there is no such folder")
        lock = made.get(file) if made is not None else None
        if lock is None:
            lock = filelock.FileLock(lock_file(file))
        if made is not None:
            made.clear()
            made[file] = lock
        lock.acquire(timeout=timeout)
        while not _is_there(lock):
            lock.release()
            lock.acquire(timeout=timeout)
    except filelock.Timeout:
        raise SessionLockedError(f"{path}: another process has held its lock for {timeout:g} seconds") from None
    except OSError as error:
        if made is not None:
            made.clear()
        raise SessionError(f"{path}: its lock file cannot be made: {error.strerror or error}") from error
    try:
        yield
    finally:
        try:
            lock.release()
        except OSError:
            # What was written is written. The lock ends with its descriptor, and another one is made next time.
            with suppress(OSError):
                lock.release(force=True)
            if made is not None:
                made.clear()


def lock_file(file: Path) -> Path:
    return file.with_name(f"{file.name}.lock")


def remove_lock(file: Path) -> None:
    """Delete the lock of a file that is deleted; whoever waits for it takes a new one. Some systems keep it."""
    with suppress(OSError):
        lock_file(file).unlink()


def _is_there(lock: Any) -> bool:
    """Return whether a lock that is held is that of the file of its name: another may have been deleted with it."""
    held = getattr(getattr(lock, "_context", None), "lock_file_fd", None)
    try:
        return held is None or os.path.samestat(os.fstat(held), os.stat(lock.lock_file))  # noqa: PTH116
    except FileNotFoundError:
        return False
