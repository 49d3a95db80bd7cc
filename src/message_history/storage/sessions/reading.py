"""What a session file holds, read as far as it can be read; nothing is written here."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, final

from attrs import evolve, field, frozen

from message_history.dialects.native.parse import PIECE
from message_history.files.disk import Stamp, lines_of
from message_history.files.errors import SessionError
from message_history.files.opening import MAX_LINE, content
from message_history.files.own_lines import FORMAT_VERSION, ZEROS, Journal, is_cut_header
from message_history.history import MessageHistory, restored

if TYPE_CHECKING:
    from pathlib import Path

    from message_history.core.messages.policy import Policy
    from message_history.core.messages.repairs import Repair
    from message_history.files.damaged_json import LineNote

SHORT: Final = 4096
"""A file of more bytes is more than a header."""


@final
@frozen(kw_only=True)
class LoadReport:
    """What loading a session has found.

    Args:
        messages: how many messages were loaded.
        missing: True when there is no file yet.
        notes: what could not be read as it is, with line numbers; damaged lines are skipped.
        lost: the positions of messages that were in the file and are not any more.
        repairs: what had to be changed now, so that the messages make a valid history.
        backup: the file as it was, byte for byte; None when it was not rewritten.
        problem: why the file could not be rewritten without what is damaged; None when it could, or need not.
    """

    messages: int = 0
    missing: bool = False
    notes: tuple[LineNote, ...] = ()
    lost: tuple[int, ...] = ()
    repairs: tuple[Repair, ...] = ()
    backup: Path | None = None
    problem: str | None = None

    @property
    def skipped(self) -> int:
        """Return how many lines were skipped."""
        return sum(note.skipped is not None for note in self.notes)

    @property
    def clean(self) -> bool:
        """Return whether the file was sound: nothing was skipped, lost or changed."""
        return not (self.notes or self.lost or self.repairs)

    def __str__(self) -> str:
        if self.missing:
            return "there is no file yet"
        parts = [_counted(self.messages, "message")]
        parts += [f"{_counted(self.skipped, 'damaged line')} skipped"] if self.skipped else []
        parts += [f"{_counted(len(self.lost), 'message')} lost"] if self.lost else []
        parts += [_counted(len(self.repairs), "repair")] if self.repairs else []
        parts += [f"line {note.line}: {note.detail}" for note in self.notes[:3]]
        parts += [f"the old file is kept as {self.backup}"] if self.backup is not None else []
        parts += [f"the file was not changed: {self.problem}"] if self.problem is not None else []
        return "; ".join(parts)


@final
@frozen
class Held:
    """What a session file holds."""

    history: MessageHistory
    stamp: Stamp | None  # the file's stamp; None without a file
    own: bool = True  # whether it is a session file at all
    later: bool = False  # whether a later version of this library wrote it
    sound: bool = True  # whether nothing in it is damaged; what is written after damage may be lost with it
    last_size: int = 0  # how many bytes the line of the last message has
    live: int = 0  # how many bytes count
    about: dict[str, Any] = field(factory=dict)  # what an application says of the session
    final: int = 0  # how many repairs it records as final; in a history that was loaded, the earlier ones are final too


def read_session_file(path: Path, policy: Policy) -> tuple[Held, LoadReport]:
    """Read a session file as far as it can be read; nothing is written."""
    journal = Journal()
    try:
        stamp, lines = lines_of(path, MAX_LINE)
        number, ended = 0, True
        for number, written in lines:
            if written is None:
                journal.note(number, f"longer than {MAX_LINE:,} bytes", "")
            else:
                journal.take(number, written)
                ended = written.endswith(b"\n")
            if number % PIECE == 0:
                journal.read_ahead()
        is_beginning = not journal.recognised and _is_beginning(path, stamp, journal)
    except FileNotFoundError:
        # Each file is a conversation of its own, and says so once it is written.
        name = sha256(str(path).encode()).hexdigest()[:16]
        return Held(MessageHistory(policy=policy, name=name), None), LoadReport(missing=True)
    except OSError as error:
        raise as_session_error(path, error) from error
    own = journal.recognised or is_beginning
    if own and journal.version is None:
        journal.note(1, "the header is missing" if stamp.size else "the file is empty", None if stamp.size else "")
    if not (own or journal.notes):
        journal.note(1, "no line of a session", "")
    if own and not ended and not (journal.notes and journal.notes[-1].line == number):
        journal.note(number, "the line has no end")
    recorded = [*journal.repairs, *journal.standing]
    history = restored(journal.entries(), policy, recorded)
    later = journal.version is not None and journal.version > FORMAT_VERSION
    report = LoadReport(
        messages=len(history),
        notes=tuple(journal.notes),
        lost=tuple(journal.lost),
        repairs=history.repairs[len(recorded) :],
    )
    held = Held(history, stamp, own, later, report.clean, journal.last_size, journal.live, journal.about)
    return evolve(held, final=len(journal.repairs)), report


def _is_beginning(path: Path, stamp: Stamp, journal: Journal) -> bool:
    """Return whether a file without any sound line is one that was cut off in its header, or never written to."""
    if journal.messages or journal.system is not None:
        return False
    if stamp.size <= SHORT and is_cut_header(content(path, SHORT)):
        return True
    return all(note.detail == ZEROS for note in journal.notes)


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def as_session_error(path: Path, error: OSError) -> SessionError:
    if isinstance(error, IsADirectoryError):
        return SessionError(f"{path}: this is a folder, not a file")
    if isinstance(error, PermissionError):
        return SessionError(f"{path}: there is no permission to read or write it")
    return SessionError(f"{path}: {error.strerror or error}")
