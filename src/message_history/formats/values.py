"""Conversations in parsed JSON: what a file of any format that is known would hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from message_history.core.values.json_values import freeze, thaw
from message_history.dialects.elsewhere import Found, plain_value
from message_history.files.files import NotRecognisedError, UnreadableFileError, json_bytes
from message_history.formats.kit.document import Document
from message_history.formats.kit.splicing import Line
from message_history.formats.message_lists import MESSAGE_LISTS
from message_history.formats.reading import format_named
from message_history.formats.registry import read_as, recognise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from message_history.files.conversations import Conversation
    from message_history.formats.kit.base import Format, Reading


def from_data(value: object, *, format: str | None = None) -> tuple[Conversation, ...]:
    """Read the conversations in parsed JSON, as `from_file` reads those in a file.

    Args:
        value: what a file of any known format holds: an object or a list; of JSON lines, the list of them.
        format: the name of its format, as `message-history formats` lists them; None to recognise it.

    Returns:
        The conversations, the main one first, each with its origin, and `history()`.

    Raises:
        NotRecognisedError: when no format recognises it with certainty.
        UnreadableFileError: when it holds no conversation.
        TypeError: when it is neither an object nor a list.
        KeyError: when there is no such format.

    Complexity: linear in the value.
    """
    plain = thaw(freeze(plain_value(value))[0])
    if not isinstance(plain, dict | list):
        raise TypeError(f"value must be an object or a list, not {type(value).__name__}; from_file reads a file")
    chosen = format_named(format) if format is not None else None
    return _reading(plain, chosen)[2].conversations


def found_in(value: Any) -> Found | None:
    """Find the main conversation in a value, for `from_list`; None for a list of messages, and what none knows."""
    try:
        document, own, reading = _reading(value)
    except UnreadableFileError:
        return None
    if not reading.conversations or (own is MESSAGE_LISTS and reading.conversations[0].file.container is None):
        return None
    main = reading.conversations[0]
    before = main.file.system_entries()
    first = 0 if document.value is not None else 1
    unread = [(note.line - first, note.detail, note.skipped) for note in reading.unread]
    return Found(
        entries=[*before, *main.file.entries],
        places=[place - first for place in main.places or main.file.lines],
        dialect=main.file.known,
        replies=main.file.read_replies(),
        unread=unread,
        touched=[(place - first, len(before) + entry) for place, entry in main.touched],
    )


def _reading(value: Any, chosen: Format | None = None) -> tuple[Document, Format, Reading]:
    """Read a value in the first of its forms that a format of one program knows, else that any format knows."""
    found: tuple[Document, Format] | None = None
    problem: UnreadableFileError | None = None
    for document in _forms(value):
        try:
            own = chosen if chosen is not None else recognise(document)
            if chosen is not None:
                return document, own, read_as(document, own)
        except UnreadableFileError as error:
            problem = problem or error
            continue
        if found is None or (found[1].general and not own.general):
            found = document, own
    if found is None:
        raise problem if problem is not None else NotRecognisedError()
    return *found, read_as(*found)


def _forms(value: Any) -> Iterator[Document]:
    """Yield a value as a file of it would be: as one JSON value, and a list of objects as a line for each."""
    if isinstance(value, Mapping):
        yield Document(data=b"", text="", value=value, lines=(Line(1, json_bytes(value), dict(value)),))
        return
    yield Document(data=b"", text="", value=value)
    if value and all(isinstance(each, dict) for each in value):
        lines = tuple(Line(n, json_bytes(each) + b"\n", each) for n, each in enumerate(value, 1))
        yield Document(data=b"", text="", lines=lines)
