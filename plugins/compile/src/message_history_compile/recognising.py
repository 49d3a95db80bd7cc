"""Which format the lines of a file are in, found by many of them: one odd line decides nothing."""

from __future__ import annotations

import json
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from message_history.files.damaged_json import Decoder, decode_line
from message_history.formats.kit import UnreadableFileError
from message_history.formats.kit.document import parse_document
from message_history.formats.registry import FORMATS, recognise
from message_history_compile.columns import with_lists
from message_history_compile.places import open_input, skip_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from message_history.formats.kit import Format

HEAD_LINES: Final = 60
HEAD_BYTES: Final = 16 * 1024 * 1024
FURTHER: Final = 600
"""How many lines are looked at where the first of them say nothing."""


def line_format(path: str, chosen: Format | None = None) -> Format | None:
    """Find the format of a file that has a conversation in each line.

    Returns None for a file that must be read whole. Raises `OSError` when it cannot be read.
    """
    if chosen is not None and not chosen.by_line:
        return None
    with open_input(path) as held:
        lines = list(islice(_limited(held.readline), FURTHER))
    looked_at = [line for line in lines if line is not None]
    return format_of(looked_at, chosen, has_more=len(looked_at) < len(lines))


def format_of(lines: list[bytes], chosen: Format | None = None, *, has_more: bool = False) -> Format | None:
    """Find the format of the first lines of a file; None when they are not separate conversations.

    `has_more` says that there is a line more, which cannot be looked at, or that one alone would be a row as well.
    """
    lines = [_with_lists(line) for line in lines]
    objects = [line for line in lines if isinstance(_value(line), dict)]
    # A file with one object in it is read whole, as far as it can be.
    if len(objects) + has_more < 2:
        return None
    if chosen is not None:
        return chosen
    whole = _recognised(b"".join(line for line in lines[:HEAD_LINES] if _is_whole(line)))
    if whole is not None and len(objects) > 1:
        return whole if whole.by_line else None
    found = Counter(each.name for each in _alone(objects) if each.by_line)
    name, count = found.most_common(1)[0] if found else ("", 0)
    return FORMATS[name] if count * 2 > len(objects) else None


def _with_lists(line: bytes) -> bytes:
    value = _value(line) if b'"[{' in line or b'"[ {' in line else None
    changed = with_lists(value)
    return json.dumps(changed).encode() + b"\n" if changed is not value else line


def format_of_rows(rows: list[Any], chosen: Format | None = None) -> Format | None:
    """Find the format of the first rows of a data set that is not a file of lines."""
    return format_of([json.dumps(row, default=str).encode() + b"\n" for row in rows], chosen, has_more=len(rows) == 1)


def _alone(lines: list[bytes]) -> Iterator[Format]:
    """Yield the format of each line that would be recognised if it were alone in its file."""
    for line in lines:
        # Twice, for a single object is a request.
        bare = line.rstrip(b"\r\n") + b"\n"
        found = _recognised(bare * 2)
        if found is not None:
            yield found


def _recognised(data: bytes) -> Format | None:
    try:
        return recognise(parse_document(data))
    except UnreadableFileError:
        return None


def _is_whole(line: bytes) -> bool:
    """Return whether a line is not cut off; the last of a file may have no end, and be sound."""
    if line.endswith(b"\n"):
        return True
    decoder = Decoder()
    decoder.value(decode_line(line))
    return decoder.failure is None


def _value(line: bytes) -> Any:
    return Decoder().value(decode_line(line))


def _limited(readline: Any) -> Iterable[bytes | None]:
    """Yield lines; None in the place of one that is too long to be looked at."""
    read = 0
    while read < HEAD_BYTES and (line := readline(HEAD_BYTES)):
        if len(line) == HEAD_BYTES and not line.endswith(b"\n"):
            skip_line(readline)
            yield None
        else:
            read += len(line)
            yield line
