"""Sessions of Claude Code that are too large to be held.

All lines are held without their long texts, and whole messages of the lines that are in a conversation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from attrs import evolve

from message_history.files.files import TooLargeError, UnreadableFileError, json_bytes
from message_history.files.opening import MAX_BYTES, MAX_LINE
from message_history.formats.claude_code_rows import threads
from message_history.formats.kit.document import Document, rows_in
from message_history.formats.kit.splicing import Line
from message_history.formats.reading import SessionFile
from message_history.formats.registry import read_as

if TYPE_CHECKING:
    from collections.abc import Sequence
    from io import BufferedReader

    from message_history.files.damaged_json import LineNote
    from message_history.formats.kit import Format

CUT: Final = 256
"""How long a text may be that links lines: an id or a name."""


def read_large(held: BufferedReader, own: Format) -> SessionFile:
    """Read a session of Claude Code.

    Args:
        held: its file.
        own: the format of Claude Code.

    Returns:
        Its conversations, without the content of the file: nothing of it can be repaired.

    Raises:
        TooLargeError: when a line is too long to be held.
        UnreadableFileError: when its conversations are, or it has none.

    Complexity: linear in the file, which is read twice.
    """
    lines: list[Line] = []
    notes: list[LineNote] = []
    places: list[int] = []
    size = 0
    held.seek(0)
    while written := held.readline(MAX_LINE):
        if len(written) == MAX_LINE and not written.endswith(b"\n"):
            raise TooLargeError(f"line {len(places) + 1:,} is longer than {MAX_LINE:,} bytes")
        places.append(held.tell() - len(written))
        rows, found = rows_in(written)
        lines += [Line(len(places), b"", _cut(row.value) if len(rows) == 1 else row.value) for row in rows]
        notes += [evolve(note, line=len(places)) for note in found]
        size = _within(size, lines[-len(rows) :])
    for n in {piece.line for thread in threads(lines) for piece in thread.pieces}:
        held.seek(places[lines[n].number - 1])
        rows, _ = rows_in(held.readline())
        if len(rows) == 1 and (value := rows[0].value) is not None:
            lines[n] = evolve(lines[n], value=_cut(value) | {"message": value.get("message")})
            size = _within(size, lines[n : n + 1])
    return _session(Document(data=b"", text="", lines=tuple(lines), notes=tuple(notes)), own)


def _session(document: Document, own: Format) -> SessionFile:
    reading = read_as(document, own)
    main, *others = reading.conversations
    main = evolve(main, file=evolve(main.file, notes=document.notes))
    return SessionFile(format=own, conversations=(main, *others), notes=document.notes, unread=reading.unread, data=b"")


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return value[:CUT]
    if isinstance(value, list):
        return [_cut(each) for each in value]
    return {key: _cut(each) for key, each in value.items()} if isinstance(value, dict) else value


def _within(size: int, lines: Sequence[Line]) -> int:
    """Add lines to the size of what is held. Raises `UnreadableFileError` where that is too much."""
    size += sum(len(json_bytes(line.value)) for line in lines)
    if size > MAX_BYTES:
        raise UnreadableFileError(
            f"its conversation and the links of its lines have more than {MAX_BYTES:,} bytes, which no provider takes: "
            "rewind or compact it in its own program, or begin a new session"
        )
    return size
