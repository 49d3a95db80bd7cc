"""Lets what can fail fail, once, at its n-th use: calls to the system, allocations, and the room on the disk.

SQLite is tested so. What is tried runs again and again, with a failure at the first call, at the second, and so on,
until it ends without one.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CALLS = (
    *("open", "close", "read", "write", "lseek", "fsync", "ftruncate", "stat", "lstat", "fstat", "scandir", "listdir"),
    *("replace", "rename", "link", "unlink", "mkdir", "rmdir", "chmod", "fchmod", "fchown"),
    *("listxattr", "getxattr", "setxattr", "removexattr"),
)
FAILS = {"write": errno.ENOSPC, "open": errno.EMFILE}
ENDED, REFUSED, NO_MEMORY, BROKEN = range(4)
"""How what was tried in a process of its own ended: as it should, with an error of ours, for memory, or otherwise."""


class Faults:
    """Counts calls to the system, and lets one of them fail, or all from there on.

    Args:
        at: the number of the first call that fails; none where it is negative.
        lasting: whether those after it fail too.
    """

    def __init__(self, at: int, *, lasting: bool = False) -> None:
        self.count = 0
        self.failed: list[str] = []
        self._at, self._lasting = at, lasting

    def due(self, name: str, what: object = None) -> None:
        """Count a call. Raises `OSError` where it is the one that fails."""
        self.count += 1
        if self._at >= 0 and (self.count > self._at if self._lasting else self.count == self._at + 1):
            self.failed.append(name)
            number = FAILS.get(name, errno.EIO)
            raise OSError(number, os.strerror(number), os.fspath(what) if isinstance(what, str | os.PathLike) else None)

    @contextmanager
    def injected(self) -> Iterator[None]:
        """Watch this process."""
        with ExitStack() as stack:
            for name in CALLS:
                if hasattr(os, name):
                    stack.enter_context(patch.object(os, name, self._watched(name, getattr(os, name))))
            stack.enter_context(patch.object(os, "fdopen", self._fdopen))
            stack.enter_context(patch.object(io, "open", self._watched("open", io.open)))
            if sys.platform != "win32":
                fcntl = import_module("fcntl")
                stack.enter_context(patch.object(fcntl, "flock", self._flock(fcntl.LOCK_UN, fcntl.flock)))
            yield

    def _flock(self, let_go: int, real: Callable[[int, int], None]) -> Callable[[int, int], None]:
        watched = self._watched("flock", real)
        # To let go of a lock fails on no system.
        return lambda descriptor, how: (real if how & let_go else watched)(descriptor, how)

    def _watched(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            if name == "close":
                # A descriptor is closed even where the system reports that something was not written.
                real(*arguments, **options)
                return self.due(name)
            self.due(name, *arguments[:1])
            return real(*arguments, **options)

        return call

    def _fdopen(self, descriptor: int, mode: str = "r", **options: Any) -> Any:
        if mode != "rb":
            return io.open(descriptor, mode, **options)  # noqa: UP020 - the one that is watched
        faults = self

        class Read(io.FileIO):
            def readinto(self, buffer: Any) -> int | None:
                faults.due("read")
                return super().readinto(buffer)

        return io.BufferedReader(Read(descriptor, "rb"))


def apart(tried: Callable[[], object], refusals: type[Exception], before: Callable[[], object] = lambda: None) -> int:
    """Try something in a copy of this process, and return how it ended; negative for a signal."""
    child = os.fork()
    if not child:
        ended = BROKEN
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            before()
            tried()
            ended = ENDED
        except refusals:
            ended = REFUSED
        except MemoryError:
            ended = NO_MEMORY
        finally:
            os._exit(ended)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def no_memory_at(n: int) -> Callable[[], None]:
    """Return what lets the n-th allocation of this process fail."""
    testing = import_module("_testcapi")
    return lambda: testing.set_nomemory(n, n + 1)


def room_for(size: int) -> Callable[[], None]:
    """Return what leaves each file of this process no more than so many bytes."""
    resource = import_module("resource")
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
