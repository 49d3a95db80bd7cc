"""What a disk may hold after a power cut: every call that writes is recorded, and each state that POSIX allows is made.

What was not synced may be there, in part, as zeros of its length, or not at all; names that were made, moved or removed
since their folder was synced may be so or not, in any combination.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Disk = dict[str, bytes]


class Event(NamedTuple):
    """One call: `write`, `cut` and `sync` of a file's number, `make`, `move` and `drop` of a name, `names` for all."""

    kind: str
    what: Any = None
    more: Any = None


class Recorder:
    """Records what is written to a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.events: list[Event] = []
        self.numbers: dict[int, int] = {}
        self.open: dict[int, int | None] = {}
        self.start: dict[str, int] = {}
        self.contents: dict[int, bytes] = {}
        for path in sorted(folder.iterdir()):
            if path.suffix != ".lock":
                self.start[path.name] = len(self.contents)
                self.numbers[path.stat().st_ino] = len(self.contents)
                self.contents[len(self.contents)] = path.read_bytes()

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Watch the calls of this process."""
        with ExitStack() as stack:
            for name in ("open", "write", "fsync", "ftruncate", "replace", "link", "unlink", "close"):
                if hasattr(os, name):
                    stack.enter_context(patch.object(os, name, self._watched(name, getattr(os, name))))
            yield

    def _watched(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            before = self._before(name, arguments)
            found = real(*arguments, **options)
            self._after(name, arguments, found, before)
            return found

        return call

    def _before(self, name: str, arguments: tuple[Any, ...]) -> Any:
        if name == "open" and self._is_here(arguments[0]):
            return Path(arguments[0]).exists()
        return os.lseek(arguments[0], 0, os.SEEK_END) if name == "write" and arguments[0] in self.open else None

    def _after(self, name: str, arguments: tuple[Any, ...], found: Any, before: Any) -> None:
        first = arguments[0]
        if name == "open":
            # What a file object has closed is not seen here.
            self.open.pop(found, None)
        if name == "open" and str(first) == str(self.folder):
            self.open[found] = None
        elif name == "open" and before is not None:
            number = os.fstat(found).st_ino
            if not before:
                # A number that was used before is another file's now.
                self.numbers[number] = len(self.contents)
                self.contents[len(self.contents)] = b""
                self._add("make", Path(first).name, self.numbers[number])
            self.open[found] = self.numbers[number]
        elif name == "close":
            self.open.pop(first, None)
        elif name in ("write", "ftruncate", "fsync") and first in self.open:
            file = self.open[first]
            if file is None:
                self._add("names")
            elif name == "write":
                self._add("write", file, (before, bytes(arguments[1][:found])))
            else:
                self._add("cut" if name == "ftruncate" else "sync", file, arguments[1:])
        elif name == "link" and self._is_here(arguments[1]):
            self._add("make", Path(arguments[1]).name, self.numbers[Path(first).stat().st_ino])
        elif name == "replace" and self._is_here(arguments[1]):
            self._add("move", Path(first).name, Path(arguments[1]).name)
        elif name == "unlink" and self._is_here(first):
            self._add("drop", Path(first).name)

    def _is_here(self, path: object) -> bool:
        if not isinstance(path, str | os.PathLike):
            return False
        return Path(path).parent == self.folder and Path(path).suffix != ".lock"

    def _add(self, kind: str, what: Any = None, more: Any = None) -> None:
        self.events.append(Event(kind, what, more))

    def disks(self) -> Iterator[tuple[int, Disk]]:
        """Yield each state of the disk that a cut may leave, with the number of events before it."""
        for cut in range(len(self.events) + 1):
            seen: set[tuple[tuple[str, bytes], ...]] = set()
            for disk in self._after_cut(self.events[:cut]):
                key = tuple(sorted(disk.items()))
                if key not in seen:
                    seen.add(key)
                    yield cut, disk

    def _after_cut(self, events: list[Event]) -> Iterator[Disk]:
        written = max((n for n, event in enumerate(events, 1) if event.kind == "names"), default=0)
        names = [(n < written, event) for n, event in enumerate(events) if event.kind in ("make", "move", "drop")]
        loose = [n for n, (is_synced, _) in enumerate(names) if not is_synced]
        files = [_contents(self.contents[number], number, events) for number in self.contents]
        for kept in product((True, False), repeat=len(loose)):
            gone = {n for n, keeps in zip(loose, kept, strict=True) if not keeps}
            there = self._names([event for n, (_, event) in enumerate(names) if n not in gone], events)
            used = sorted(set(there.values()))
            for chosen in product(*(files[number] for number in used)):
                content = dict(zip(used, chosen, strict=True))
                yield {name: content[number] for name, number in there.items()}

    def _names(self, changes: list[Event], events: list[Event]) -> dict[str, int]:
        """Return which file each name leads to; what is moved is the file that had the name when it was."""
        made = {event: event.more for event in events if event.kind == "make"}
        there, true = dict(self.start), dict(self.start)
        for event in (event for event in events if event.kind in ("make", "move", "drop")):
            if event.kind == "make":
                true[event.what] = made[event]
            number = true[event.what]
            if event.kind == "move":
                true[event.more] = true.pop(event.what)
            elif event.kind == "drop":
                del true[event.what]
            if event in changes:
                if event.kind != "make":
                    there.pop(event.what, None)
                if event.kind != "drop":
                    there[event.more if event.kind == "move" else event.what] = number
        return there


def _contents(before: bytes, number: int, events: list[Event]) -> list[bytes]:
    """Return what a file may hold: all that was synced, and of the rest all, half, zeros, or nothing."""
    mine = [event for event in events if event.kind in ("write", "cut", "sync") and event.what == number]
    synced = max((n for n, event in enumerate(mine, 1) if event.kind == "sync"), default=0)
    sure = _played(before, mine[:synced])
    found = [sure]
    for n in range(synced, len(mine)):
        done, event = _played(sure, mine[synced:n]), mine[n]
        if event.kind == "write":
            at, data = event.more
            found += [done[:at] + piece for piece in (data, data[: len(data) // 2], bytes(len(data)))]
        else:
            found.append(_played(done, [event]))
    return list(dict.fromkeys(found))


def _played(content: bytes, events: list[Event]) -> bytes:
    for event in events:
        if event.kind == "write":
            content = content[: event.more[0]] + event.more[1]
        elif event.kind == "cut":
            content = content[: event.more[0]]
    return content
