"""Session files of every format that people have, read, checked, repaired and written again in their own form."""

from __future__ import annotations

from difflib import get_close_matches
from os import fspath
from typing import TYPE_CHECKING, final

from attrs import evolve, field, frozen

from message_history.core.messages.policy import DEFAULT_POLICY, Policy
from message_history.core.values.json_values import short_repr
from message_history.files.budgets import OverBudgetError, budget
from message_history.files.containers import is_container
from message_history.files.files import FileForm, TooLargeError, UnreadableFileError, content_of
from message_history.formats.kit.document import parse_document
from message_history.formats.registry import FORMATS, read_as, recognise, repair_as

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    from message_history.files.conversations import Conversation
    from message_history.files.damaged_json import LineNote
    from message_history.formats.kit.base import Format, Repairs
    from message_history.violations import Violation


@final
@frozen(kw_only=True)
class RepairedSession:
    """A repaired session file."""

    data: bytes = field(repr=False)
    form: FileForm | None  # how it holds messages, for a file that held a mere list; else None
    repairs: Repairs  # what was changed in each conversation, by its label; `source` is the position among its entries
    after: SessionFile  # the file as it is read again


@final
@frozen(kw_only=True)
class SessionFile:
    """What a session file holds.

    Args:
        format: its format.
        conversations: what is in it, the main one first.
        notes: what could not be read as it is, with line numbers.
        unread: entries of kinds that the format's reader does not know.
        data: the file's content.
        counted: how many messages a file has that is too large for its conversations to be held; None for others.
    """

    format: Format
    conversations: tuple[Conversation, ...]
    notes: tuple[LineNote, ...] = ()
    unread: tuple[LineNote, ...] = ()
    data: bytes = field(repr=False, eq=False)
    counted: int | None = None

    @property
    def skipped(self) -> int:
        """Return how many lines were skipped."""
        return sum(note.skipped is not None for note in self.notes)

    @property
    def messages(self) -> int:
        """Return how many messages there are in all conversations."""
        return sum(len(each.file.entries) for each in self.conversations) if self.counted is None else self.counted

    @property
    def refusal(self) -> str | None:
        """Return why the file is not written back, however broken it is; None when it can be."""
        name = self.conversations[0].dialect().name if self.conversations else "DIALECT"
        convert = f"`message-history convert FILE --to {name} -o OUT`"
        if self.counted is not None:
            return "a file of this size is read, not written: part it, as `split -C 200M` does"
        if is_container(self.data):
            return f"a database or an archive is read, not written; {convert} writes a conversation of it as a list"
        if self.format.repair is None:
            return (
                f"files of the format {self.format.name} are read, not written; {convert} writes the conversation as a "
                "repaired list"
            )
        if self.unread:
            note = self.unread[0]
            return f"it is not written, for an entry would be lost: {note.detail} (place {note.line})"
        return None

    def violations(self) -> list[tuple[Conversation, Violation]]:
        """Find what a provider would refuse, in all conversations."""
        return [(each, found) for each in self.conversations for found in each.violations()]

    def repair_file(self, *, policy: Policy | None = None) -> RepairedSession:
        """Repair the file, in its own form.

        A sound file is not changed. Lines of other programs that are sound stay byte for byte as they are; lines that
        could not be read are omitted.

        Args:
            policy: decides where there is a choice.

        Returns:
            What to write, and what was changed.

        Raises:
            InvariantError: see `MessageHistory.from_list`.
            UnreadableFileError: when nothing is left that could be written, or an entry would be lost, or files of
                this format are read only.

        Complexity: linear in the file.
        """
        if is_container(self.data):
            raise UnreadableFileError(str(self.refusal))
        if not self.notes and not self.violations():
            main = self.conversations[0].file.form if self.conversations else None
            form = main if self.format.name == "messages" else None
            repairs = tuple((each.label, ()) for each in self.conversations)
            return RepairedSession(data=self.data, form=form, repairs=repairs, after=self)
        if self.refusal is not None:
            raise UnreadableFileError(self.refusal)
        written = repair_as(self.data, self.format, policy if policy is not None else DEFAULT_POLICY)
        try:
            after = session_in(written.data, chosen=self.format)
        except UnreadableFileError:
            raise UnreadableFileError("once repaired, it would hold no messages") from None
        if self.messages and not after.messages:
            raise UnreadableFileError("once repaired, it would hold no messages")
        if not self.notes and not any(repairs for _, repairs in written.repairs):
            # What has no repair, such as that a list is empty, does not make the file be written anew.
            if len(after.violations()) == len(self.violations()):
                return RepairedSession(data=self.data, form=written.form, repairs=written.repairs, after=self)
        return RepairedSession(data=written.data, form=written.form, repairs=written.repairs, after=after)


def from_file(path: str | PathLike[str], *, format: str | None = None) -> tuple[Conversation, ...]:
    """Read the conversations in a file of any format that is known.

    Args:
        path: the file.
        format: the name of its format, as `message-history formats` lists them; None to recognise it.

    Returns:
        The conversations, the main one first, each with its origin, and `history()`.

    Raises:
        NotRecognisedError: when no format recognises it with certainty.
        UnreadableFileError: when it cannot be read, or holds no conversation.
        KeyError: when there is no such format.

    Complexity: linear in the file.
    """
    try:
        fspath(path)
    except TypeError:
        raise TypeError(
            f"path must be a str or a PathLike, not {type(path).__name__}; from_list reads a list"
        ) from None
    chosen = format_named(format) if format is not None else None
    try:
        found = session_in(content_of(path), chosen=chosen)
    except UnreadableFileError as error:
        error.args = (f"{path}: {error}",)
        raise
    return tuple(each.located_in(str(path)) for each in found.conversations)


def format_named(name: str) -> Format:
    """Find a format by its name. Raises `KeyError`, with similar names, for an unknown name."""
    if str(name) in FORMATS:
        return FORMATS[name]
    near = get_close_matches(str(name), FORMATS, 3)
    hint = f"; near to it are {', '.join(near)}" if near else "; `message-history formats` lists them"
    raise KeyError(f"format must be the name of a format or None, not {short_repr(name)}{hint}")


def read_session(path: str | PathLike[str], *, chosen: Format | None = None) -> SessionFile:
    """Read a session file of any format.

    Args:
        path: the file.
        chosen: its format; None to recognise it.

    Returns:
        What it holds.

    Raises:
        NotRecognisedError: when no format recognises it with certainty.
        UnreadableFileError: when it cannot be read, or holds no conversation.

    Complexity: linear in the file.
    """
    try:
        return session_in(content_of(path), chosen=chosen)
    except UnreadableFileError as error:
        # Outside the text, which the command line prints after the name.
        error.add_note(f"file: {path}")
        raise


def session_in(data: bytes, *, chosen: Format | None = None) -> SessionFile:
    """Read the content of a session file of any format.

    `chosen` is None to recognise its format. Raises `NotRecognisedError` when no format recognises it with certainty.
    Raises `UnreadableFileError` when it holds no conversation.
    """
    try:
        with budget(len(data)):
            document = parse_document(data)
            own = chosen if chosen is not None else recognise(document)
            reading = read_as(document, own)
    except OverBudgetError as error:
        raise TooLargeError(str(error)) from error
    # What is text, a plain list or our own journal notes itself what it skips.
    has_rows = any(line.value is not None for line in document.lines)
    read_by_lines = has_rows and not own.of_text and own.name not in ("messages", "message-history")
    notes = _sorted((*document.notes, *reading.notes) if read_by_lines else reading.notes)
    conversations = reading.conversations
    if conversations and notes:
        conversations = (_noted(conversations[0], notes), *conversations[1:])
    return SessionFile(format=own, conversations=conversations, notes=notes, unread=reading.unread, data=data)


def _noted(main: Conversation, notes: tuple[LineNote, ...]) -> Conversation:
    return evolve(main, file=evolve(main.file, notes=notes))


def _sorted(notes: Iterable[LineNote]) -> tuple[LineNote, ...]:
    return tuple(sorted(notes, key=lambda note: note.line))
