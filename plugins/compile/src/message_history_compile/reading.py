"""Conversations in files of any format, one after the other; a file of lines is never read whole."""

from __future__ import annotations

import json
import re
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

from attrs import evolve

from message_history.files.damaged_json import Decoder, decode_line
from message_history.files.files import NotRecognisedError, TooLargeError, content_of
from message_history.formats.kit import Document, UnreadableFileError
from message_history.formats.kit.document import parse_document
from message_history.formats.reading import session_in
from message_history.formats.registry import FORMATS, read_as, recognise
from message_history_compile.errors import CannotCompileError
from message_history_compile.masks import masks_in
from message_history_compile.rows import Rejected, Source, digest_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from message_history.files.conversations import Conversation
    from message_history.formats.kit import Format

MAX_LINE: Final = 64 * 1024 * 1024
"""A longer line is rejected: it would take several times as much memory."""
HEAD_LINES: Final = 60
HEAD_BYTES: Final = 16 * 1024 * 1024
NOT_LEARNED_FROM: Final = (", rejected", ", non_preferred_output", ", rejected_messages")
"""The ends of preferences that a model must not learn, as their labels name them."""
PREFERENCES: Final = frozenset({"preferences", "instructions", "sharegpt", "llama-factory"})
"""The formats that hold preferences."""

_MASK: Final = re.compile(rb'"(?:weight|train|loss|trainable|loss_weight)"\s*:\s*(?:false|0|"[fn0])', re.IGNORECASE)
"""What a file with a mask holds; others are not looked through."""


@final
class Part(NamedTuple):
    """A stretch of a file.

    Args:
        path: the file.
        start: where it begins.
        stop: where it ends; a line that begins before belongs to it.
        format: the name of the format of its lines; empty for a whole file that is not read by lines.
    """

    path: str
    start: int
    stop: int
    format: str = ""


@final
class Found(NamedTuple):
    """A conversation and where it was read."""

    conversation: Conversation
    source: Source


def line_format(path: str, chosen: Format | None = None) -> Format | None:
    """Find the format of a file that has a conversation in each line.

    Returns None for a file that must be read whole. Raises `OSError` when it cannot be read.
    """
    if chosen is not None and not chosen.by_line:
        return None
    with Path(path).open("rb") as opened:
        lines = list(islice(_limited(opened.readline, HEAD_BYTES), HEAD_LINES))
    # A file with one object in it is read whole, as far as it can be.
    if sum(isinstance(_value(line)[0], dict) for line in lines) < 2:
        return None
    if chosen is not None:
        return chosen
    try:
        found = recognise(parse_document(b"".join(line for line in lines if line.endswith(b"\n"))))
    except UnreadableFileError:
        return None
    return found if found.by_line else None


def read_part(part: Part, chosen: Format | None = None) -> Iterator[Found | Rejected]:
    """Read a stretch of a file. Of a file of lines, one line is held at a time."""
    try:
        if part.format:
            yield from _read_lines(part, FORMATS[part.format])
        else:
            yield from _read_whole(part.path, chosen)
    except OSError as error:
        yield Rejected(source=Source(path=part.path), code="unreadable", why=error.strerror or "it cannot be read")


def conversations_of(item: Any, source: Source, chosen: Format) -> Iterator[Found | Rejected]:
    """Yield the conversations that one JSON value holds.

    `item` is as a line of a file of the format has it; what holds no conversation says why.
    """
    document = Document(data=b"", text="", value=item)
    try:
        reading = read_as(document, chosen)
        _check_masks(item, reading.conversations)
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
    for each in reading.conversations:
        place = source if len(reading.conversations) == 1 else evolve(source, label=each.label)
        if _is_not_preferred(each, chosen):
            yield Rejected(source=place, code="preference", why="the end that was not preferred")
        else:
            yield Found(each, place)


def _check_masks(item: Any, conversations: Iterable[Conversation]) -> None:
    """Reject what has masks that the reader of its format does not know."""
    there = masks_in(item)
    if there and there > sum(masks_in(list(each.file.entries)) for each in conversations):
        raise CannotCompileError("mask_lost", f"it has {there} masks, and its format has no place for one of them")


def _is_not_preferred(conversation: Conversation, chosen: Format) -> bool:
    """Return whether a conversation is the end that was not preferred, or is rated bad where it stands."""
    around = conversation.file.container
    is_bad = around is not None and around.get("label") is False
    return is_bad or (chosen.name in PREFERENCES and conversation.label.endswith(NOT_LEARNED_FROM))


def _read_lines(part: Part, chosen: Format) -> Iterator[Found | Rejected]:
    with Path(part.path).open("rb") as opened:
        opened.seek(part.start)
        place = part.start
        while place < part.stop:
            line = opened.readline(MAX_LINE)
            if not line:
                return
            source = Source(path=part.path, byte=place, hash=digest_of(line.rstrip(b"\r\n")))
            if len(line) == MAX_LINE and not line.endswith(b"\n"):
                _skip_line(opened.readline)
                why = f"the line is longer than {MAX_LINE:,} bytes"
                yield Rejected(source=Source(path=part.path, byte=place), code="too_long", why=why)
            elif line.strip(b"\0 \t\r\n"):
                value, problem = _value(line)
                if problem is not None:
                    yield Rejected(source=source, code="not_json", why=problem)
                else:
                    yield from conversations_of(value, source, chosen)
            place = opened.tell()


def _read_whole(path: str, chosen: Format | None) -> Iterator[Found | Rejected]:
    source = Source(path=path)
    try:
        data = content_of(path)
        source = Source(path=path, hash=digest_of(data))
        session = session_in(data, chosen=chosen)
    except NotRecognisedError as error:
        yield Rejected(source=source, code="not_recognised", why=str(error))
        return
    except TooLargeError as error:
        why = f"{error}: write one conversation in each line, as `jq -c '.[]'` does for a list"
        yield Rejected(source=source, code="unreadable", why=why)
        return
    except UnreadableFileError as error:
        yield Rejected(source=source, code="unreadable", why=str(error))
        return
    for note in session.unread:
        why = f"place {note.line}: {note.detail}: not read"
        yield Rejected(source=source, code="entry_not_read", why=why)
    if _MASK.search(data):
        try:
            _check_masks(parse_document(data).numbered_items, session.conversations)
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
            yield Found(each, place)
        else:
            yield Rejected(source=place, code="no_conversation", why="it holds no messages")


def _value(line: bytes) -> tuple[Any, str | None]:
    """Read a line: at full speed when it is sound, and as far as it can be when it is not."""
    try:
        return json.loads(line, strict=False), None
    except (ValueError, RecursionError):
        decoder = Decoder()
        value = decoder.value(decode_line(line))
        return value, decoder.failure


def _limited(readline: Any, limit: int) -> Iterable[bytes]:
    read = 0
    while read < limit and (line := readline(MAX_LINE)):
        read += len(line)
        yield line


def _skip_line(readline: Any) -> None:
    while (rest := readline(MAX_LINE)) and not rest.endswith(b"\n"):
        pass
