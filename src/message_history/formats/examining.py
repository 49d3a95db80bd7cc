"""Session files in folders: found, checked, and repaired in a new file next to them or in place, with a backup."""

from __future__ import annotations

import os
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from attrs import evolve, field, frozen

from message_history.files.containers import SQLITE, is_container
from message_history.files.damaged_json import MERGED, UNESCAPED, LineNote
from message_history.files.disk import Stamp, back_up, replace, stamp_of
from message_history.files.errors import SessionConflictError, SessionError
from message_history.files.files import FileForm, NotRecognisedError, UnreadableFileError, json_bytes
from message_history.files.folders import is_session_folder
from message_history.files.opening import content, is_large
from message_history.formats.large_files import parts_of, streamed_format
from message_history.formats.own_sessions import OWN_SESSIONS
from message_history.formats.reading import SessionFile, read_session
from message_history.storage.sessions.jsonl import JsonlSession

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike

    from message_history.files.conversations import Conversation
    from message_history.formats.kit.base import Format
    from message_history.formats.reading import RepairedSession
    from message_history.violations import Violation

SUFFIXES: Final = frozenset({".json", ".jsonl", ".ndjson", ".traj", ".eval"})
DATABASES: Final = frozenset({".db", ".sqlite", ".sqlite3", ".vscdb"})
"""The endings of databases; other programs use them too, so that a look at the first bytes decides."""
NAMES: Final = frozenset({".aider.chat.history.md"})
NOT_ENTERED: Final = frozenset({".git", "node_modules", "__pycache__"})
KEPT: Final = 100
"""How many violations of a large file are kept."""
SHOWN: Final = 200
"""How many characters of a message a diff shows."""


@final
@frozen(kw_only=True)
class Examined:
    """What a look at one file has found."""

    path: Path
    # What it holds; None when it is not a session, or cannot be read.
    session: SessionFile | None = field(default=None, repr=False)
    problem: str | None = None  # why it cannot be read; None when it can, or is sound JSON of something else
    # The formats that a file is like which none recognises with certainty; None for any other file.
    nearest: tuple[str, ...] | None = None
    violations: tuple[tuple[Conversation, Violation], ...] = ()
    stamp: Stamp | None = None  # what tells whether the file was written to since
    more: int = 0  # how many violations a large file has that are not held

    @property
    def wrong(self) -> int:
        """Return how many things are wrong with what it holds: violations, and lines that could not be read."""
        return len(self.violations) + self.more + _spoilt(self.session) if self.session is not None else 0


@final
@frozen(kw_only=True)
class RepairedFile:
    """What was written in the place of a broken file, or next to it."""

    target: Path
    backup: Path | None  # what was overwritten, byte for byte; None when nothing was
    before: SessionFile
    after: SessionFile
    names: int = 1  # how many names the file had; each of them but this one (a hard link) still leads to what was in it
    stamp: Stamp | None = None  # the stamp of what was written
    kept: Stamp | None = None  # the stamp of the backup
    late: str = ""  # what became of lines that reached the backup after it was made; empty when there were none

    @property
    def is_whole(self) -> bool:
        """Return whether nothing is wrong any more."""
        return not self.after.violations() and not _spoilt(self.after)


def _spoilt(session: SessionFile) -> int:
    """Count the lines that are not as they should be; in a file of our own, those that were kept too."""
    if session.format is OWN_SESSIONS:
        return len(session.notes)
    return session.skipped + sum(note.detail in (MERGED, UNESCAPED) for note in session.notes)


def find_files(places: Iterable[str | PathLike[str]]) -> tuple[list[Path], list[tuple[Path, str]]]:
    """Find the files that may be sessions.

    Folders are searched to the bottom, and files are taken as they are. Links to folders are not followed. Returns the
    files with a JSON ending and databases, sorted, and folders whose files make up sessions, as opencode's storage; and
    what could not be searched, with why not. What has such a name and cannot be opened, as a pipe, is among the files.
    """
    found: dict[Path, None] = {}
    problems: list[tuple[Path, str]] = []

    def refused(error: OSError) -> None:
        problems.append((Path(error.filename), f"cannot be searched: {error.strerror or error}"))

    for place in map(Path, places):
        if not place.is_dir():
            found[place] = None
            continue
        for folder, inner, names in os.walk(place, onerror=refused):
            if is_session_folder(Path(folder)):
                found[Path(folder)] = None
                inner.clear()
                continue
            inner[:] = sorted(set(inner) - NOT_ENTERED)
            found.update((path, None) for path in map(Path(folder).joinpath, sorted(names)) if _may_be_session(path))
    return list(found), problems


def _may_be_session(path: Path) -> bool:
    if path.suffix in DATABASES:
        try:
            return is_container(content(path, len(SQLITE)))
        except OSError:
            return True
    return path.suffix in SUFFIXES or path.name in NAMES


def examine(path: Path, *, chosen: Format | None = None, whole: bool = False) -> Examined:
    """Look at one file; nothing is written. `chosen` is None to recognise its format; `whole` lets it be repaired."""
    try:
        stamp = stamp_of(path)
        if not whole and streamed_format(path, chosen) is not None:
            return _examined_by_parts(path, chosen, stamp)
        session = read_session(path, chosen=chosen)
    except NotRecognisedError as error:
        return Examined(path=path, nearest=error.nearest)
    except UnreadableFileError as error:
        return Examined(path=path, problem=None if error.sound else str(error))
    except OSError as error:
        return Examined(path=path, problem=error.strerror or "it cannot be read")
    if not session.messages:
        note = next(iter(session.unread), None)
        return Examined(path=path, problem=f"it holds no messages: {note.detail}" if note is not None else None)
    return Examined(path=path, session=session, violations=tuple(session.violations()), stamp=stamp)


def held(found: Examined) -> Examined:
    """Return a file that was looked at in parts as it is read whole, unless it is too large for that."""
    if (session := found.session) is None or session.counted is None or is_large(found.path):
        return found
    return examine(found.path, chosen=session.format, whole=True)


def _examined_by_parts(path: Path, chosen: Format | None, stamp: Stamp | None) -> Examined:
    """Look at a file that is too large to be held; of what is wrong with it, the first is kept and all is counted."""
    messages = more = 0
    found: list[tuple[Conversation, Violation]] = []
    notes: list[LineNote] = []
    for part in parts_of(path, chosen=chosen):
        chosen, messages = part.format, messages + part.messages
        notes += part.notes
        violations = part.violations()
        first = violations[: max(0, KEPT - len(found))]
        found += first
        more += len(violations) - len(first)
    if chosen is None or not messages:
        return Examined(path=path)
    broken = {id(conversation): conversation for conversation, _ in found}
    kept = tuple(broken.values()) if chosen.by_line else part.conversations
    session = SessionFile(format=chosen, conversations=kept, notes=tuple(notes), data=b"", counted=messages)
    return Examined(path=path, session=session, violations=tuple(found), stamp=stamp, more=more)


def repair_beside(found: Examined, *, force: bool = False) -> RepairedFile:
    """Write a broken file's repaired form next to it.

    With `force`, a file that is there is overwritten; a backup is made of it. It is `NAME.repaired` with the file's
    ending. Raises `SessionError` when there is such a file that holds something else, or it cannot be written.
    """
    before, repaired = _repaired(found)
    target = found.path.with_name(f"{found.path.stem}.repaired{_suffix(found.path, repaired)}")
    backup = None
    try:
        if os.path.lexists(target) and not _holds(target, repaired.data):
            if not force:
                raise SessionError(f"{target}: the output exists; --force overwrites it")
            backup = back_up(target)
        replace(target, [repaired.data], sync=False, follow=False, like=found.path)
    except OSError as error:
        raise SessionError(f"{target}: cannot be written: {error.strerror or error}") from error
    return RepairedFile(target=target, backup=backup, before=before, after=repaired.after)


def _holds(path: Path, data: bytes) -> bool:
    return not path.is_symlink() and content(path, len(data) + 1) == data


def repair_in_place(found: Examined) -> RepairedFile:
    """Put a broken file's repaired form in its place, at one stroke, and keep the file as it was in a backup.

    What another program that has the file open writes meanwhile reaches the backup, and `brought_in` finds it. Raises
    `SessionConflictError` when somebody has written to the file since it was read. Raises `SessionError` when it cannot
    be written; then it is as it was.
    """
    before, repaired = _repaired(found)
    path = found.path
    if before.format is OWN_SESSIONS:
        # Who appends to it just now holds its lock.
        session = JsonlSession(path)
        session.load()
        report = session.report
        if report.problem is not None:
            raise SessionError(f"{path}: {report.problem}")
        return RepairedFile(target=path, backup=report.backup, before=before, after=read_session(path))
    if _suffix(path, repaired) != path.suffix:
        raise SessionError(f"{path}: once repaired, it is not JSONL any more; repair it into a new file next to it")
    try:
        names = path.stat().st_nlink
        backup = back_up(path)
        if stamp_of(path) != found.stamp:
            if backup.samefile(path):
                backup.unlink()
            raise SessionConflictError(f"{path}: somebody has written to it just now; nothing was changed")
        # A copy, where the file system has no links, has a stamp of its own; nothing more reaches that.
        kept = found.stamp if backup.samefile(path) else stamp_of(backup)
        written = replace(path, [repaired.data], sync=True)
    except OSError as error:
        raise SessionError(f"{path}: cannot be written: {error.strerror or error}") from error
    return RepairedFile(
        target=path, backup=backup, before=before, after=repaired.after, names=names, stamp=written, kept=kept
    )


def brought_in(repaired: RepairedFile) -> RepairedFile:
    """Repair a file again with what reached its backup, the old file, from a program that has it open."""
    path, backup = repaired.target, repaired.backup
    if backup is None or repaired.kept is None or (kept := stamp_of(backup)) == repaired.kept:
        return repaired
    late = f"another program wrote to it while it was repaired: what it wrote is in {backup}"
    again = examine(backup, whole=True)
    try:
        if again.session is not None and (kept, repaired.stamp) == (stamp_of(backup), stamp_of(path)):
            whole = again.session.repair_file()
            written = replace(path, [whole.data], sync=True)
            return evolve(repaired, after=whole.after, stamp=written, kept=kept, late=f"{late}, and was brought in")
    except (OSError, UnreadableFileError) as error:
        late = f"{late} ({error})"
    return evolve(repaired, kept=kept, late=f"{late}, and is not in it: stop that program and bring it in by hand")


def _repaired(found: Examined) -> tuple[SessionFile, RepairedSession]:
    if found.session is None:
        raise SessionError(f"{found.path}: it holds no session")
    try:
        return found.session, found.session.repair_file()
    except UnreadableFileError as error:
        raise SessionError(f"{found.path}: {error}") from error


def _suffix(path: Path, repaired: RepairedSession) -> str:
    """Return the ending of what is written: a system prompt may have no place in a mere list of lines."""
    is_value = repaired.form is not None and repaired.form is not FileForm.LINES
    return ".json" if is_value and path.suffix in (".jsonl", ".ndjson") else path.suffix


def changes(before: SessionFile, after: SessionFile) -> Iterator[str]:
    """Yield what changed as a unified diff, each message a shortened line; costs what `difflib` does."""
    now = {conversation.label: conversation for conversation in after.conversations}
    for was in before.conversations:
        new = now.get(was.label)
        old_lines = [_line(entry) for entry in was.file.entries]
        new_lines = [_line(entry) for entry in new.file.entries] if new is not None else []
        diff = unified_diff(old_lines, new_lines, was.label, was.label, n=1, lineterm="")
        yield from _shortened(line for line in diff if was.label or not line.startswith(("--- ", "+++ ")))


def _line(entry: Any) -> str:
    return json_bytes(entry).decode()


def _shortened(diff: Iterable[str]) -> Iterator[str]:
    """Shorten the lines of a diff; of a message that changed, show where it does."""
    gone: list[str] = []
    come: list[str] = []
    for line in (*diff, ""):
        if line.startswith("-") and not come:
            gone.append(line)
        elif line.startswith("+"):
            come.append(line)
        else:
            starts = [_first_difference(*pair) for pair in zip(gone, come, strict=False)]
            for lines in (gone, come):
                alone = [0] * (len(lines) - len(starts))
                yield from map(_around, lines, (*starts, *alone))
            gone, come = ([line], []) if line.startswith("-") else ([], [])
            if line and not gone:
                yield _around(line, 0)


def _first_difference(one: str, other: str) -> int:
    same = zip(one[1:], other[1:], strict=False)
    return next((n for n, (left, right) in enumerate(same) if left != right), min(len(one), len(other)))


def _around(line: str, start: int) -> str:
    """Show the part of a line of a diff that has a place in it."""
    sign, text = line[:1], line[1:]
    if len(text) <= SHOWN:
        return line
    first = max(0, min(start - SHOWN // 2, len(text) - SHOWN))
    last = first + SHOWN
    cut = f"{'...' if first else ''}{text[first:last]}{'...' if last < len(text) else ''}"
    return f"{sign}{cut} ({len(text):,} characters)"
