"""Sessions of Claude Code that are too large to be held.

Of all lines their links are held, and whole messages of the lines that are in a conversation.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve

from message_history.files.budgets import OverBudgetError, budget
from message_history.files.files import TooLargeError, UnreadableFileError, json_bytes
from message_history.files.opening import MAX_BYTES, MAX_LINE, opened
from message_history.formats.claude_code_rows import threads
from message_history.formats.kit.document import Document, rows_in
from message_history.formats.kit.splicing import Line
from message_history.formats.reading import SessionFile
from message_history.formats.registry import read_as

if TYPE_CHECKING:
    from collections.abc import Sequence
    from io import BufferedReader
    from os import PathLike

    from message_history.files.damaged_json import LineNote
    from message_history.formats.kit import Format

CUT: Final = 256
"""How long a text may be that links lines: an id or a name."""
LINKS: Final = ("type", "subtype", "isSidechain", "isMeta", "isApiErrorMessage", "agentId", "compactMetadata")
"""What is used of a line besides its ids and its message."""
DIGEST: Final = "\0digest"
"""The key of what tells a copy of a line from another line with its id."""


def read_large(path: str | PathLike[str], own: Format) -> SessionFile:
    """Read a session of Claude Code.

    Args:
        path: its file.
        own: the format of Claude Code.

    Returns:
        Its conversations, without the content of the file: nothing of it can be repaired.

    Raises:
        TooLargeError: when a line is too long to be held, or the file would take many times its size.
        UnreadableFileError: when its conversations are, or it has none.

    Complexity: linear in the file, which is read twice.
    """
    try:
        with opened(path) as held, budget(os.fstat(held.fileno()).st_size):
            return _read(held, own)
    except OverBudgetError as error:
        raise TooLargeError(str(error)) from error


def _read(held: BufferedReader, own: Format) -> SessionFile:
    lines: list[Line] = []
    notes: list[LineNote] = []
    places: list[int] = []
    size = 0
    while written := held.readline(MAX_LINE):
        if len(written) == MAX_LINE and not written.endswith(b"\n"):
            raise TooLargeError(f"line {len(places) + 1:,} is longer than {MAX_LINE:,} bytes")
        places.append(held.tell() - len(written))
        rows, found = rows_in(written)
        lines += [Line(len(places), b"", _links(row.value)) for row in rows]
        notes += [evolve(note, line=len(places)) for note in found]
        size = _within(size, lines[-len(rows) :])
    used = {piece.line for thread in threads(lines) for piece in thread.pieces}
    whole: dict[str, dict[str, Any]] = {}
    for number in sorted({lines[n].number for n in used}):
        held.seek(places[number - 1])
        for row in rows_in(held.readline())[0]:
            linked = _links(row.value)
            if row.value is not None and linked is not None and linked[DIGEST] not in whole:
                whole[linked[DIGEST]] = {**linked, "message": row.value.get("message")}
                size = _within(size, [evolve(row, value=whole[linked[DIGEST]])])
    if not all(_digest(lines[n]) in whole for n in used):
        raise UnreadableFileError("another program wrote to it while it was read")
    # A copy of a line stays one.
    lines = [evolve(line, value=whole.get(_digest(line), line.value)) for line in lines]
    return _session(Document(data=b"", text="", lines=tuple(lines), notes=tuple(notes)), own)


def _session(document: Document, own: Format) -> SessionFile:
    reading = read_as(document, own)
    main, *others = reading.conversations
    main = evolve(main, file=evolve(main.file, notes=document.notes))
    return SessionFile(format=own, conversations=(main, *others), notes=document.notes, unread=reading.unread, data=b"")


def _links(value: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return what links a line to others."""
    if value is None:
        return None
    kept = {key: _cut(value[key]) for key in LINKS if value.get(key)}
    kept |= {key: _cut(value[key]) for key in ("uuid", "parentUuid") if key in value}
    message = value.get("message")
    if isinstance(message, dict):
        content = message.get("content")
        items = [_ids(item) for item in content] if isinstance(content, list) else content and _ids(content)
        kept["message"] = {"id": _cut(message.get("id")), "content": items}
    ordered = json_bytes(dict(sorted(value.items())))
    return {**kept, DIGEST: hashlib.blake2b(ordered, digest_size=8).hexdigest()}


def _ids(item: Any) -> Any:
    found = {key: _cut(item[key]) for key in ("id", "tool_use_id") if key in item} if isinstance(item, dict) else {}
    return {"type": item.get("type"), **found} if found else ""


def _digest(line: Line) -> str:
    return str(line.value[DIGEST]) if line.value is not None else ""


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
