"""Files that are too large to be held, some lines at a time, where each line is a conversation of its own."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from attrs import evolve

from message_history.files.containers import is_container
from message_history.files.files import TooLargeError, UnreadableFileError
from message_history.files.opening import MAX_BYTES, MAX_LINE, content, is_large, opened
from message_history.formats.reading import read_session, session_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from message_history.files.conversations import Conversation
    from message_history.files.damaged_json import LineNote
    from message_history.formats.kit.base import Format
    from message_history.formats.reading import SessionFile

STREAMED: Final = 32 * 1024 * 1024
"""Of a larger file no more is held than its format needs; held whole, it takes six times as much."""
PART: Final = 8 * 1024 * 1024
"""How much of a file is held at once."""
OWN: Final = "message-history"
CLAUDE_CODE: Final = "claude-code"
_NUMBERED: Final = re.compile(r"(line|exchange) (\d+)")


def streamed_format(path: str | PathLike[str], chosen: Format | None = None) -> Format | None:
    """Return the format of a file of which not all is held; None for one that is read whole.

    Raises `UnreadableFileError` for one that is too large for that.
    """
    if not is_large(path, STREAMED):
        return None
    try:
        own = chosen if chosen is not None else _format_of(path)
    except (OSError, UnreadableFileError) as error:
        if is_large(path) and isinstance(error, UnreadableFileError):
            raise
        return None
    if own.by_line or own.name == OWN or (own.name == CLAUDE_CODE and find_spec("message_history_formats")):
        return own
    if is_large(path):
        more = "; for sessions of Claude Code, install message-history[formats]" * (own.name == CLAUDE_CODE)
        raise TooLargeError(
            f"it is larger than {MAX_BYTES:,} bytes, and does not hold a conversation in each line{more}"
        )
    return None


def parts_of(path: str | PathLike[str], *, chosen: Format | None = None) -> Iterator[SessionFile]:
    """Yield what a file holds, some lines at a time where it is large; raises as what reads it whole does."""
    own = streamed_format(path, chosen)
    if own is None:
        yield read_session(path, chosen=chosen)
    elif own.by_line:
        yield from (_moved(session_in(data, chosen=own), before) for before, data in _stretches(path))
    elif own.name == CLAUDE_CODE:
        yield import_module("message_history_formats.large_sessions").read_large(path, own)
    else:
        # What was written can be checked: it is held as when it is loaded.
        yield session_in(content(path, -1), chosen=own)


def _format_of(path: str | PathLike[str]) -> Format:
    data = next((data for _, data in _stretches(path)), b"")
    if is_container(data) or (len(data) > STREAMED and not is_large(path)):
        raise TooLargeError(f"it is larger than {MAX_BYTES:,} bytes")
    return session_in(data).format


def _stretches(path: str | PathLike[str]) -> Iterator[tuple[int, bytes]]:
    """Yield some lines at a time that are not all blank, and how many there are before them."""
    before = 0
    with opened(path) as held:
        while data := held.read(PART):
            data += held.readline(MAX_LINE)
            if not data.endswith(b"\n") and held.read(1):
                number = before + data.count(b"\n") + 1
                raise TooLargeError(f"line {number:,} is longer than {MAX_LINE:,} bytes")
            if data.strip():
                yield before, data
            before += data.count(b"\n")


def _moved(part: SessionFile, before: int) -> SessionFile:
    """Count the lines of a part from the begin of its file."""
    if not before:
        return part
    conversations = tuple(_moved_conversation(each, before) for each in part.conversations)
    notes, unread = (tuple(_moved_note(each, before) for each in notes) for notes in (part.notes, part.unread))
    return evolve(part, conversations=conversations, notes=notes, unread=unread)


def _moved_conversation(conversation: Conversation, before: int) -> Conversation:
    file, found = conversation.file, _NUMBERED.fullmatch(conversation.label)
    label = f"{found[1]} {before + int(found[2])}" if found is not None else conversation.label or f"line {before + 1}"
    lines, notes = tuple(before + line for line in file.lines), tuple(_moved_note(note, before) for note in file.notes)
    return evolve(
        conversation, file=evolve(file, lines=lines, notes=notes), origin=evolve(conversation.origin, label=label)
    )


def _moved_note(note: LineNote, before: int) -> LineNote:
    return evolve(note, line=before + note.line)
