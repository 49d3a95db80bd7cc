"""Logs of a program that write the body of a request as text: JSON within JSON (slog, zap, pino), or after a date."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from message_history.files.conversations import Conversation, Origin
from message_history.files.damaged_json import LineNote
from message_history.files.files import UnreadableFileError, contained
from message_history.files.request_bodies import KEYS, entries_at, find_place, held_at
from message_history.formats.kit import Fit, Format, Reading
from message_history.formats.message_lists import fit_of_messages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from message_history.formats.kit import Document

_DEEPEST: Final = 3
"""How deep in a record the text is looked for."""
_ROLE: Final = '"role"'
_NAMES: Final = tuple(f'"{key}"' for key in KEYS)


class _Request(NamedTuple):
    """The body of a request in a log."""

    line: int
    body: dict[str, Any]
    key: str

    @property
    def entries(self) -> list[Any]:
        """Return its messages."""
        return entries_at(self.body, (self.key,))


def _requests(document: Document) -> Iterator[_Request | LineNote]:
    """Yield the bodies in a file that is one record or a list of them, or in its lines, and those that are damaged."""
    if document.value is not None:
        for n, item in document.numbered_items:
            for text in _texts(item, _DEEPEST):
                yield from _in_text(n, text)
        return
    records = {line.number: line.value for line in document.lines if line.value is not None}
    for n, line in enumerate(document.text.split("\n"), 1):
        for text in _texts(records[n], _DEEPEST) if n in records and find_place(records[n]) is None else (line,):
            yield from _in_text(n, text)


def _texts(value: Any, depth: int) -> Iterator[str]:
    """Yield the texts in a record that may be a body."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping) and depth:
        for inner in value.values():
            yield from _texts(inner, depth - 1)


def _in_text(line: int, text: str) -> Iterator[_Request | LineNote]:
    """Yield the body that a text ends with, which may follow a date and a few words."""
    start = text.find("{")
    if start < 0 or not any(name in text for name in _NAMES):
        return
    try:
        body = json.loads(text[start:])
    except (ValueError, RecursionError):
        if _ROLE in text:
            yield LineNote(line=line, detail="the body of a request, which is cut off or damaged", skipped=text)
        return
    place = find_place(body)
    if place is not None and _is_request(held_at(body, place[:-1]), place[-1]):
        yield _Request(line, held_at(body, place[:-1]), place[-1])


def _is_request(body: Mapping[str, Any], key: str) -> bool:
    """Return whether a body has what a request has besides its messages, and messages under a key."""
    names_model = any(isinstance(body.get(name), str) for name in ("model", "modelId", "anthropic_version"))
    entries = entries_at(body, (key,))
    return (names_model or key == "contents") and bool(entries) and fit_of_messages(entries) is Fit.CERTAIN


def _fit(document: Document) -> Fit:
    if document.database is None and any(isinstance(each, _Request) for each in _requests(document)):
        return Fit.CERTAIN
    return Fit.NONE


def _read(document: Document) -> Reading:
    found: list[_Request] = []
    notes: list[LineNote] = []
    seen: set[int] = set()
    repeated = 0
    for request in _requests(document):
        seen.add(request.line)
        if isinstance(request, LineNote):
            notes.append(request)
            continue
        if found and _goes_on(request, found[-1]):
            found.pop()
            repeated += 1
        found.append(request)
    if not found:
        raise UnreadableFileError("it holds no request", sound=True)
    # What was refused is what was sent last.
    newest, *others = reversed(found)
    kinds = {
        "other lines of the log": _lines_in(document) - len(seen),
        "requests that a later one holds whole": repeated,
    }
    omitted = tuple((kind, count) for kind, count in kinds.items() if count)
    earlier = tuple(_conversation(each, f"line {each.line}") for each in others)
    return Reading(conversations=(_conversation(newest, "", omitted), *earlier), notes=tuple(notes))


def _lines_in(document: Document) -> int:
    if document.value is not None:
        return len(document.numbered_items)
    return sum(bool(line.strip()) for line in document.text.split("\n"))


def _goes_on(later: _Request, earlier: _Request) -> bool:
    """Return whether a request has all that an earlier one had, in the same way."""
    old = earlier.entries
    return later.key == earlier.key and later.entries[: len(old)] == old


def _conversation(request: _Request, label: str, omitted: tuple[tuple[str, int], ...] = ()) -> Conversation:
    tools = request.body.get("tools")
    return Conversation(
        file=contained(request.body, (request.key,)),
        origin=Origin(label=label),
        tools=tuple(tools) if isinstance(tools, list) else (),
        omitted=omitted,
        places=(request.line,) * len(request.entries),
    )


REQUEST_LOGS: Final = Format(
    name="request-logs",
    rank=2050,
    title="Logs with the bodies of requests as text (slog, zap, zerolog, pino; a dump of HTTP; a line after a date)",
    files="anywhere",
    omits="all other lines of the log, requests that a later one holds whole",
    unwritten="it is a log; what `convert` writes is the newest request in it",
    source="what log/slog, zap, zerolog, pino and httputil.DumpRequestOut write",
    checked="2026-11-23",
    fit=_fit,
    read=_read,
    judged=None,
    general=True,
    of_text=True,
)
