"""Conversations in files of any format, one after the other; a file of lines is never read whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

from attrs import evolve

from message_history.files.damaged_json import Decoder, decode_line
from message_history.files.files import NotRecognisedError, TooLargeError
from message_history.files.opening import MAX_LINE
from message_history.formats.kit import Document, UnreadableFileError
from message_history.formats.kit.document import parse_document
from message_history.formats.large_files import parts_of, streamed_format
from message_history.formats.reading import session_in
from message_history.formats.registry import FORMATS, read_as, recognise
from message_history.plain_json import read_plain
from message_history_compile.columns import check_columns, images_of, with_lists
from message_history_compile.errors import CannotCompileError
from message_history_compile.inputs import hash_of
from message_history_compile.items import rows_of
from message_history_compile.masks import masks_in, may_hold_masks
from message_history_compile.places import (
    BLANK,
    DamagedError,
    content,
    is_stream,
    is_url,
    named,
    open_input,
    size_of,
    skip_line,
)
from message_history_compile.recognising import format_of_rows
from message_history_compile.rows import Rejected, Source, compile_conversation, digest_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from message_history.files.conversations import Conversation
    from message_history.formats.kit import Format
    from message_history.formats.reading import SessionFile
    from message_history_compile.plan import Plan
    from message_history_compile.rows import Row

COPY: Final = "*a repaired copy"
"""Stands for the format of a file that is not read, for its source is."""
NOT_LEARNED_FROM: Final = (", rejected", ", non_preferred_output", ", rejected_messages")
"""The ends of preferences that a model must not learn, as their labels name them."""
PREFERENCES: Final = frozenset({"preferences", "instructions", "sharegpt", "llama-factory"})
"""The formats that hold preferences."""


@final
class Part(NamedTuple):
    """A stretch of a file.

    Args:
        path: the file.
        start: where it begins.
        stop: where it ends; a line that begins before belongs to it.
        format: the name of the format of its lines; empty for a whole file that is not read by lines.
        to_end: whether it is all of a file that is packed, or on a server: then `stop` is what lies there.
    """

    path: str
    start: int
    stop: int
    format: str = ""
    to_end: bool = False


@final
class Found(NamedTuple):
    """A conversation and where it was read.

    Args:
        images: those in the separate column of its row.
        may_mask: whether any message may have a mask.
    """

    conversation: Conversation
    source: Source
    images: tuple[Any, ...] = ()
    may_mask: bool = True


def read_part(part: Part, chosen: Format | None = None) -> Iterator[Found | Rejected]:
    """Read a stretch of a file. Of a file of lines, one line is held at a time."""
    try:
        if part.format == COPY:
            why = "a repaired copy of a file that is read, and repaired, itself"
            yield Rejected(source=Source(path=named(part.path)), code="repaired_copy", why=why)
        elif part.format:
            yield from _read_lines(part, FORMATS[part.format])
        else:
            yield from _read_whole(part.path, chosen)
    except OSError as error:
        # What a server does not give now is there when the run is started again.
        if is_url(part.path) and not isinstance(error, DamagedError):
            raise
        why = error.strerror or str(error) or "it cannot be read"
        yield Rejected(source=Source(path=named(part.path)), code="unreadable", why=why)


def compile_found(found: Found | Rejected, plan: Plan) -> Row | Rejected:
    """Compile what was found, unless it was rejected already."""
    if isinstance(found, Rejected):
        return found
    return compile_conversation(found.conversation, plan, found.source, found.images, may_mask=found.may_mask)


def conversations_of(item: Any, source: Source, chosen: Format, *, may_mask: bool = True) -> Iterator[Found | Rejected]:
    """Yield the conversations that one JSON value holds.

    `item` is as a line of a file of the format has it; what holds no conversation says why. `may_mask` is False where
    it is known that no message has a mask.
    """
    document = Document(data=b"", text="", value=item)
    try:
        reading = read_as(document, chosen)
        if may_mask:
            _check_masks(masks_in(item), reading.conversations)
        check_columns(item, reading.conversations)
    except CannotCompileError as error:
        yield Rejected(source=source, code=error.code, why=error.why)
        return
    except UnreadableFileError as error:
        yield Rejected(source=source, code="no_conversation", why=str(error))
        return
    if not any(each.file.entries for each in reading.conversations):
        notes = (*reading.notes, *reading.unread)
        why = notes[0].detail if notes else "no conversation"
        yield Rejected(source=source, code="no_conversation", why=f"as {chosen.name}: {why}")
        return
    images = images_of(item)
    for each in reading.conversations:
        place = source if len(reading.conversations) == 1 else evolve(source, label=each.label)
        if _is_not_preferred(each, chosen):
            yield Rejected(source=place, code="preference", why="the end that was not preferred")
        else:
            yield Found(each, place, images, may_mask)


def _check_masks(there: int, conversations: Iterable[Conversation]) -> None:
    """Reject what has masks that the reader of its format does not know."""
    if there and there > sum(masks_in(list(each.file.entries)) for each in conversations):
        raise CannotCompileError("mask_lost", f"it has {there} masks, and its format has no place for one of them")


def _is_not_preferred(conversation: Conversation, chosen: Format) -> bool:
    """Return whether a conversation is the end that was not preferred, or is rated bad in its row."""
    around = conversation.file.container
    is_bad = around is not None and around.get("label") is False
    return is_bad or (chosen.name in PREFERENCES and conversation.label.endswith(NOT_LEARNED_FROM))


def _read_lines(part: Part, chosen: Format) -> Iterator[Found | Rejected]:
    path = named(part.path)
    with open_input(part.path) as opened:
        if part.start:
            opened.seek(part.start)
        place = part.start
        while part.to_end or place < part.stop:
            line = opened.readline(MAX_LINE)
            if not line:
                return
            if len(line) == MAX_LINE and not line.endswith(b"\n"):
                is_filled = bool(line.strip(BLANK))
                del line
                if skip_line(opened.readline) or is_filled:
                    why = f"the line is longer than {MAX_LINE:,} bytes"
                    yield Rejected(source=Source(path=path, byte=place), code="too_long", why=why)
            elif line.strip(BLANK):
                source = Source(path=path, byte=place, hash=digest_of(line.rstrip(b"\r\n")))
                value, problem = _value(line)
                if problem is not None:
                    yield Rejected(source=source, code="not_json", why=problem)
                else:
                    may_mask = may_hold_masks(line)
                    yield from conversations_of(with_lists(value), source, chosen, may_mask=may_mask)
            place = opened.tell()


def _read_whole(path: str, chosen: Format | None) -> Iterator[Found | Rejected]:
    source = Source(path=named(path))
    try:
        found = rows_of(path)
        own_rows = format_of_rows(found[0], chosen) if found is not None else None
        if found is not None and own_rows is not None:
            yield from _read_items(path, found[1], own_rows)
            return
        own = streamed_format(path, chosen) if Path(path).is_file() and not is_stream(path) else None
        if own is not None:
            yield from _read_large(path, own)
            return
        data = content(path)
        source = evolve(source, hash=digest_of(data))
        rows = _rows_in(data, chosen)
        if rows is not None:
            row_format, items = rows
            for n, item in enumerate(items):
                yield from conversations_of(item, evolve(source, label=f"item {n}"), row_format)
            return
        masks = masks_in(parse_document(data).numbered_items) if may_hold_masks(data) else None
        session = session_in(data, chosen=chosen)
        # A data set of one row looks like a session.
        row = parse_document(data).value if session.format.general else None
        yield from _read_session(session, source, masks, row)
    except NotRecognisedError as error:
        yield Rejected(source=source, code="not_recognised", why=str(error))
    except TooLargeError as error:
        why = f"{error}: write one conversation in each line, as `jq -c '.[]'` does for a list"
        yield Rejected(source=source, code="unreadable", why=why)
    except UnreadableFileError as error:
        yield Rejected(source=source, code="unreadable", why=str(error))


def _read_large(path: str, own: Format) -> Iterator[Found | Rejected]:
    """Read a file of which not all is held: its lines, or the one session that they are."""
    if own.by_line:
        yield from _read_lines(Part(path, 0, size_of(path), own.name), own)
        return
    (session,) = parts_of(path, chosen=own)
    yield from _read_session(session, Source(path=named(path), hash=hash_of(path)), _masks_in_lines(path))


def _masks_in_lines(path: str) -> int | None:
    """Count the masks in a large file; None where it has nothing that may be one."""
    with open_input(path) as opened:
        found = [masks_in([_value(line)]) for line in opened if may_hold_masks(line)]
    return sum(found) if found else None


def _read_session(
    session: SessionFile, source: Source, masks: int | None, row: Any = None
) -> Iterator[Found | Rejected]:
    """Yield the conversations of a file.

    `masks` counts its masks, and is None where none may be in it; `row` is the file where it may be a row with columns.
    """
    for note in session.unread:
        why = f"place {note.line}: {note.detail}: not read"
        yield Rejected(source=source, code="entry_not_read", why=why)
    try:
        _check_masks(masks or 0, session.conversations)
        check_columns(row, session.conversations)
    except CannotCompileError as error:
        yield Rejected(source=source, code=error.code, why=error.why)
        return
    if not session.messages:
        yield Rejected(source=source, code="no_conversation", why="it holds no messages")
        return
    for each in session.conversations:
        place = evolve(source, label=each.label)
        if _is_not_preferred(each, session.format):
            yield Rejected(source=place, code="preference", why="the end that was not preferred")
        elif each.file.entries:
            yield Found(each, place, images_of(row), masks is not None)
        else:
            yield Rejected(source=place, code="no_conversation", why="it holds no messages")


def _read_items(path: str, items: Iterator[Any], chosen: Format) -> Iterator[Found | Rejected]:
    """Read the rows of a data set that is not a file of lines; one is held at a time."""
    source, count = Source(path=named(path), hash=hash_of(path)), 0
    try:
        for item in items:
            yield from conversations_of(with_lists(item), evolve(source, label=f"item {count}"), chosen)
            count += 1
    except ValueError as error:
        yield Rejected(source=evolve(source, label=f"item {count}"), code="not_json", why=str(error))


def _rows_in(data: bytes, chosen: Format | None) -> tuple[Format, list[Any]] | None:
    """Return the rows of a data set that is one JSON list; None for any other file."""
    if data.lstrip()[:1] != b"[":
        return None
    document = parse_document(data)
    if not document.items or not all(map(_is_row, document.items)):
        return None
    own = chosen if chosen is not None else recognise(document)
    return (own, document.items) if own.by_line else None


def _is_row(item: Any) -> bool:
    return isinstance(item, list) or (isinstance(item, dict) and not item.keys() & {"role", "from"})


def _value(line: bytes) -> tuple[Any, str | None]:
    """Read a line: at full speed when it is sound, and as far as it can be when it is not."""
    if not line.strip(b"\0 \t\r\n"):
        return None, "a line of NUL bytes"
    try:
        return read_plain(line.rstrip(BLANK)), None
    except (ValueError, RecursionError):
        pass  # It may hold what readers take differently, as a NaN.
    try:
        return json.loads(line, strict=False), None
    except (ValueError, RecursionError):
        decoder = Decoder()
        value = decoder.value(decode_line(line))
        return value, decoder.failure
