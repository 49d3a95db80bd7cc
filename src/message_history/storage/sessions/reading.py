"""Session files of every kind that people have: our own, Claude Code's, Codex's, logs, and plain lists.

A file holds one conversation or several. What is read can be checked, mended, and written again in its own form.
"""

from __future__ import annotations

from collections import defaultdict
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

from attrs import evolve, field, frozen

from message_history.core.policy import Policy
from message_history.dialects import Native
from message_history.dialects.registry import shape_of
from message_history.history import restored
from message_history.storage.damaged_json import Decoder, decode_bytes, decode_line
from message_history.storage.files import (
    FileForm,
    LineNote,
    SavedFile,
    UnreadableFileError,
    allow_assistant_tail,
    contained,
    content_of,
    json_bytes,
    read_bytes,
    repair_file,
)
from message_history.storage.request_bodies import find_place
from message_history.storage.sessions import claude_code, codex
from message_history.storage.sessions.lines import Journal, is_own, whole_lines
from message_history.storage.sessions.splicing import Line, Splice, Thread, splice
from message_history.violations import Violation, check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from os import PathLike

    from message_history.core.repairs import Repair
    from message_history.dialects import Dialect

Repairs: TypeAlias = "tuple[tuple[str, tuple[Repair, ...]], ...]"

__all__ = ["Conversation", "RepairedSession", "SessionFile", "SessionKind", "read_session", "session_in"]

INSPECTED: Final = 40
"""How many sound lines are looked at to tell what a file is."""


@final
class SessionKind(StrEnum):
    """Who writes files of a form."""

    OWN = "message-history"
    """`JsonlSession` of this library."""
    CLAUDE_CODE = "claude-code"
    """Claude Code."""
    CODEX = "codex"
    """Codex: its rollouts."""
    LOG = "log"
    """Lines that each hold a whole conversation, as for fine-tuning, in batches, and in logs of requests."""
    MESSAGES = "messages"
    """A list of messages, an object around one, or JSONL with one message per line."""


@final
@frozen(kw_only=True)
class Conversation:
    """One conversation in a file.

    Args:
        label: tells it from the others in the file; empty for the main one.
        file: its messages, and where they stand.
        known: its dialect, where the form of the file tells it.
        judged: the ids of the dialect's rules that a saved conversation of this form can break; None for all of them.
        omitted: how many lines of messages are in the file and not in the conversation: rewound, or compacted.
    """

    label: str = ""
    file: SavedFile = field(repr=False)
    known: Dialect[Any] | None = None
    judged: frozenset[str] | None = field(default=None, repr=False)
    omitted: int = 0

    def named(self, path: str) -> str:
        """Name the conversation, by its file and what tells it from the others in it."""
        return f"{path} ({self.label})" if self.label else path

    def dialect(self, *, as_request: bool = False) -> Dialect[Any]:
        """Find the dialect; see `SavedFile.dialect`."""
        if self.known is None:
            return self.file.dialect(as_request=as_request)
        return self.known if as_request else allow_assistant_tail(self.known)

    def violations(self, dialect: Dialect[Any] | None = None, *, as_request: bool = False) -> list[Violation]:
        """Find what the provider would refuse.

        Args:
            dialect: its dialect; None to find it.
            as_request: False for a conversation that goes on, which may end with the assistant; True for one that is
                sent as it stands.

        Returns:
            What is wrong.

        Complexity: linear in the conversation.
        """
        rules = dialect if dialect is not None else self.dialect(as_request=as_request)
        found = check(self.file.entries, rules if as_request else allow_assistant_tail(rules))
        return [each for each in found if self.judged is None or dialect is not None or each.rule in self.judged]


@final
@frozen(kw_only=True)
class RepairedSession:
    """A session file made whole.

    Args:
        data: what to write.
        form: how it holds messages, for a file that held a mere list; else None.
        repairs: what was changed in each conversation, by its label; `source` is the position among its entries.
        after: the file as it is read again.
    """

    data: bytes = field(repr=False)
    form: FileForm | None
    repairs: tuple[tuple[str, tuple[Repair, ...]], ...]
    after: SessionFile


@final
@frozen(kw_only=True)
class SessionFile:
    """What a session file holds.

    Args:
        kind: who writes such files.
        conversations: what is in it, the main one first.
        notes: what could not be taken as it stands, with line numbers.
        data: the file's content.
    """

    kind: SessionKind
    conversations: tuple[Conversation, ...]
    notes: tuple[LineNote, ...] = ()
    data: bytes = field(repr=False, eq=False)

    @property
    def skipped(self) -> int:
        """Return how many lines were skipped."""
        return sum(note.skipped is not None for note in self.notes)

    @property
    def messages(self) -> int:
        """Return how many messages there are in all conversations."""
        return sum(len(each.file.entries) for each in self.conversations)

    def violations(self) -> list[tuple[Conversation, Violation]]:
        """Find what a provider would refuse, in all conversations."""
        return [(each, found) for each in self.conversations for found in each.violations()]

    def repair_file(self, *, policy: Policy | None = None) -> RepairedSession:
        """Make the file whole, in its own form.

        Lines of other programs that are sound stay byte for byte as they are; lines that could not be read are left
        out.

        Args:
            policy: decides where there is a choice.

        Returns:
            What to write, and what was changed.

        Raises:
            InvariantError: see `MessageHistory.from_list`.
            UnreadableFileError: when nothing is left that could be written.

        Complexity: linear in the file.
        """
        chosen = policy if policy is not None else Policy()
        form: FileForm | None = None
        repairs: Repairs
        if self.kind is SessionKind.MESSAGES:
            repaired = repair_file(self.conversations[0].file, policy=policy)
            data, form = repaired.data, repaired.form
            repairs = (("", repaired.repairs),)
        elif self.kind is SessionKind.OWN:
            data, repairs = _own_repaired(self.data, chosen)
        elif self.kind is SessionKind.LOG:
            data, repairs = _log_repaired(self.data, policy)
        else:
            data, repairs = _spliced(self.data, self.kind, chosen)
        try:
            after = session_in(data)
        except UnreadableFileError:
            raise UnreadableFileError("mended, it would hold no message") from None
        return RepairedSession(data=data, form=form, repairs=repairs, after=after)


def read_session(path: str | PathLike[str]) -> SessionFile:
    """Read a session file of any kind.

    Args:
        path: the file.

    Returns:
        What it holds.

    Raises:
        UnreadableFileError: when it cannot be read, or holds no conversation.

    Complexity: linear in the file.
    """
    return session_in(content_of(path))


def session_in(data: bytes) -> SessionFile:
    """Read the content of a session file of any kind.

    Args:
        data: the content.

    Returns:
        What it holds.

    Raises:
        UnreadableFileError: when it holds no conversation.

    Complexity: linear in the content.
    """
    kind = _kind_of(data)
    if kind is SessionKind.MESSAGES:
        file = read_bytes(data)
        conversation = Conversation(file=file)
        return SessionFile(kind=kind, conversations=(conversation,), notes=file.notes, data=data)
    if kind is SessionKind.OWN:
        return _own(data)
    lines, notes = _lines(data)
    if kind is SessionKind.LOG:
        found = _logged(lines, notes)
        return SessionFile(kind=kind, conversations=_noted(found, notes), notes=_sorted(notes), data=data)
    conversations = tuple(map(_conversation, _READERS[kind](lines)))
    if not conversations:
        raise UnreadableFileError("nothing was said in it yet", sound=True)
    return SessionFile(kind=kind, conversations=_noted(conversations, notes), notes=_sorted(notes), data=data)


_READERS: Final[dict[SessionKind, Callable[[Sequence[Line]], tuple[Thread, ...]]]] = {
    SessionKind.CLAUDE_CODE: claude_code.threads,
    SessionKind.CODEX: codex.threads,
}
_WRITERS: Final = {SessionKind.CLAUDE_CODE: claude_code.spliced, SessionKind.CODEX: codex.spliced}


ROUNDS: Final = 8
"""How often a file is mended at most before what it still holds is left as it is."""


def _kind_of(data: bytes) -> SessionKind:
    """Tell the kind of a file by its first sound lines."""
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        return SessionKind.MESSAGES
    logged = rows = start = 0
    while rows < INSPECTED and start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        value = _object(data[start:end])
        start = end
        if value is None:
            continue
        rows += 1
        if is_own(value):
            return SessionKind.OWN
        if claude_code.is_line(value):
            return SessionKind.CLAUDE_CODE
        if codex.is_line(value):
            return SessionKind.CODEX
        logged += "role" not in value and shape_of(value) is None and find_place(value) is not None
    # A single object is no log.
    return SessionKind.LOG if logged and (rows > 1 or logged > 1) and logged * 2 > rows else SessionKind.MESSAGES


def _object(written: bytes) -> dict[str, Any] | None:
    text = decode_line(written)
    if not text.startswith("{"):
        return None
    value = Decoder().value(text)
    return value if isinstance(value, dict) else None


def _lines(data: bytes) -> tuple[list[Line], list[LineNote]]:
    """Read the lines of a file; blank ones count, but hold nothing."""
    lines: list[Line] = []
    notes: list[LineNote] = []
    for number, written in enumerate(_rows(data), 1):
        text = decode_line(written)
        decoder = Decoder()
        value = decoder.value(text) if text else None
        if text and not isinstance(value, dict):
            notes.append(LineNote(line=number, detail=decoder.failure or "no object", skipped=text))
        notes += [LineNote(line=number, detail=kept) for kept in decoder.kept]
        lines.append(Line(number, written, value if isinstance(value, dict) else None))
    return lines, notes


def _rows(data: bytes) -> list[bytes]:
    """Part a file at its line feeds only."""
    rows = [row + b"\n" for row in data.split(b"\n")]
    rows[-1] = rows[-1][:-1]
    return rows if rows[-1] else rows[:-1]


def _noted(conversations: tuple[Conversation, ...], notes: Iterable[LineNote]) -> tuple[Conversation, ...]:
    """Tell the main conversation what could not be read."""
    main = conversations[0]
    return (evolve(main, file=evolve(main.file, notes=_sorted(notes))), *conversations[1:])


def _sorted(notes: Iterable[LineNote]) -> tuple[LineNote, ...]:
    return tuple(sorted(notes, key=lambda note: note.line))


def _conversation(thread: Thread) -> Conversation:
    saved = SavedFile(entries=thread.entries, form=FileForm.LINES, lines=thread.first_lines)
    return Conversation(
        label=thread.label, file=saved, known=thread.dialect, judged=thread.judged, omitted=thread.omitted
    )


def _logged(lines: Sequence[Line], notes: list[LineNote]) -> tuple[Conversation, ...]:
    """Take each line for a conversation."""
    found: list[Conversation] = []
    for line in lines:
        file = _inside(line)
        if file is not None:
            found.append(Conversation(label=f"line {line.number}", file=file))
        elif line.value is not None:
            notes.append(LineNote(line=line.number, detail="no conversation"))
    return tuple(found)


def _inside(line: Line) -> SavedFile | None:
    place = find_place(line.value) if line.value is not None else None
    return contained(line.value, place) if line.value is not None and place is not None else None


def _log_repaired(data: bytes, policy: Policy | None) -> tuple[bytes, Repairs]:
    """Mend each line; one that is sound, and one that holds something else, stays as it was written."""
    written: list[bytes] = []
    repairs: list[tuple[str, tuple[Repair, ...]]] = []
    for line in _lines(data)[0]:
        file = _inside(line)
        repaired = repair_file(file, policy=policy) if file is not None else None
        if file is None or repaired is None or not (repaired.repairs or Conversation(file=file).violations()):
            written.append(_written(line, None))
            continue
        repairs.append((f"line {line.number}", repaired.repairs))
        written.append(_written(line, Decoder().value(decode_bytes(repaired.data))))
    return b"".join(written), tuple(repairs)


def _own(data: bytes) -> SessionFile:
    journal = _journal(data)
    notes = _sorted(journal.notes)
    saved = SavedFile(entries=tuple(journal.entries()), form=FileForm.LINES, notes=notes)
    conversation = Conversation(file=saved, known=Native())
    return SessionFile(kind=SessionKind.OWN, conversations=(conversation,), notes=notes, data=data)


def _journal(data: bytes) -> Journal:
    journal = Journal()
    for number, written in enumerate(_rows(data), 1):
        journal.take(number, written)
    if journal.version is None:
        journal.note(1, "the header is missing", None)
    for position in journal.lost:
        journal.note(1, f"message {position} was in the file and is not any more", None)
    return journal


def _own_repaired(data: bytes, policy: Policy) -> tuple[bytes, Repairs]:
    journal = _journal(data)
    told = [*journal.repairs, *journal.standing]
    history = restored(journal.entries(), policy, told)
    return b"".join(whole_lines(history)), (("", history.repairs[len(told) :]),)


def _spliced(data: bytes, kind: SessionKind, policy: Policy) -> tuple[bytes, Repairs]:
    """Mend the conversations of a file until nothing changes any more: which lines they hold may change with it."""
    told: dict[str, list[Repair]] = defaultdict(list)
    for _ in range(ROUNDS):
        lines, _notes = _lines(data)
        splices = _splices(_READERS[kind](lines), policy)
        for found in splices:
            known = set(told[found.thread.label])
            told[found.thread.label] += [repair for repair in found.repairs if repair not in known]
        written = b"".join(_written(line, value) for line, value in _WRITERS[kind](lines, splices))
        if written == data:
            break
        data = written
    return data, tuple((label, tuple(repairs)) for label, repairs in told.items())


def _splices(threads: Sequence[Thread], policy: Policy) -> list[Splice]:
    found = [splice(thread, policy) for thread in threads]
    return [
        splice(each.thread, policy, as_sent=True)
        if not each.changed and _conversation(each.thread).violations()
        else each
        for each in found
    ]


def _written(line: Line | None, value: Mapping[str, Any] | None) -> bytes:
    if value is not None:
        return json_bytes(value) + b"\n"
    if line is None or (line.value is None and line.written.strip()):
        return b""  # It could not be read.
    return line.written if line.written.endswith(b"\n") else line.written + b"\n"
