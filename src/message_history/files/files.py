"""Conversations in files: a JSON list, a JSON object that holds one, or JSONL with one message per line.

A file that a crash has truncated, or that somebody has edited by hand, is read as far as it can be: an entry that is no
JSON is skipped and reported with its line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, final

from attrs import evolve, field, fields_dict, frozen

from message_history.core.messages.policy import DEFAULT_POLICY, Policy
from message_history.dialects import Export
from message_history.dialects._shared.reply_info import reply_info
from message_history.dialects.base import checked_dialect
from message_history.dialects.lists import from_list
from message_history.dialects.registry import dialect_of, shape_of
from message_history.files.containers import UnopenedError, with_journal
from message_history.files.damaged_json import (
    MERGED,
    NOT_UTF8,
    Decoder,
    LineNote,
    decode_bytes,
    items_of,
    member_of,
    parted,
)
from message_history.files.folders import folder_content
from message_history.files.naming import kind_of
from message_history.files.opening import MAX_BYTES, content, is_large
from message_history.files.request_bodies import KEYS, Place, entries_at, filled, find_place, held_at, system_key
from message_history.history import history_of
from message_history.plain_json import base64_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    from message_history.core.messages.replies import ReplyInfo
    from message_history.dialects import Dialect
    from message_history.history import MessageHistory

MESSAGES: Final = "messages"
SYSTEM: Final = "system"
ENDS_WITH_ASSISTANT: Final = frozenset({"prefill", "ends_with_response"})
"""The dialects' fields that say whether a list may end with the assistant."""


class UnreadableFileError(ValueError):
    """A file that holds no conversation, or cannot be read at all; the text says why, in one line.

    Args:
        sound: whether it is sound JSON, of something else.
    """

    def __init__(self, problem: str, *, sound: bool = False) -> None:
        super().__init__(problem)
        self.sound = sound


@final
class TooLargeError(UnreadableFileError):
    """A file that is too large to be held in memory."""


@final
class NotRecognisedError(UnreadableFileError):
    """A file whose form no format recognises with certainty; nothing is read from it, nor written over it.

    Args:
        why: what keeps it from being in one of them; what it holds, when it is like none.
        more: what to install for more formats.
    """

    def __init__(self, nearest: Iterable[str] = (), why: str = "", more: str = "") -> None:
        self.nearest = tuple(nearest)
        but = f", but {why}" if why else ""
        named = self.nearest[0] if len(self.nearest) == 1 else "NAME"
        how = f"`--format {named}`, in Python format={named!r}, reads it as that"
        like = f"it is like {', '.join(self.nearest)}{but}; {how}" if self.nearest else why
        super().__init__(
            "; ".join(filter(None, (f"not recognised: {like}" if like else "not recognised", more))), sound=True
        )


@final
class FileForm(StrEnum):
    """How a file holds its messages."""

    LIST = "list"
    """A JSON list."""
    OBJECT = "object"
    """A JSON object with the list under `messages`, `contents` or `input`, or with a request that has one."""
    LINES = "lines"
    """JSONL: one message per line."""


@final
@frozen(kw_only=True)
class SavedFile:
    """What a file holds; its plain JSON values are yours."""

    entries: tuple[Any, ...]
    form: FileForm
    # For each entry, the line that it begins in; none when the file is one sound JSON value.
    lines: tuple[int, ...] = ()
    notes: tuple[LineNote, ...] = ()  # what could not be read as it is, with line numbers
    # The object around the messages, an empty list in their place; None for the other forms.
    container: Mapping[str, Any] | None = field(default=None, repr=False)
    place: Place = (MESSAGES,)  # the keys that lead to the messages in the container
    # Their dialect, where the format of the file says which it is.
    known: Dialect[Any] | None = field(default=None, repr=False)
    # What providers said of replies, where it is next to the messages: the position of an entry of the reply, what
    # holds it, and the provider. Only a history needs it read.
    replies: tuple[tuple[int, Mapping[str, Any], str], ...] = field(default=(), repr=False)

    @property
    def system(self) -> Any:
        """Return the system prompt outside the messages, as it is in the file; None without one."""
        if self.container is None:
            return None
        key = system_key(self.container, self.place)
        return held_at(self.container, (*self.place[:-1], key)) if key is not None else None

    @property
    def skipped(self) -> tuple[LineNote, ...]:
        return tuple(note for note in self.notes if note.skipped is not None)

    def dialect(self, *, as_request: bool = False) -> Dialect[Any]:
        """Find the dialect of the entries: the one that is known, or else by shape.

        `as_request` is False for a conversation that goes on, which may end with the assistant; True for one that is
        sent as it is. A list whose entries do not show it, but which holds system messages, is a Chat Completions one.
        """
        found = self.known if self.known is not None else dialect_of(self.entries)
        return found if as_request else allow_assistant_tail(found)

    def history(
        self,
        *,
        dialect: Dialect[Any] | None = None,
        policy: Policy | None = None,
        open_tail: Literal["stub", "keep"] = "stub",
    ) -> MessageHistory:
        """Read the conversation with its system prompt, which is the first `source` where it is outside the list."""
        chosen = checked_dialect(dialect) if dialect is not None else self.known
        replies, entries = self.read_replies(), [*self.system_entries(), *self.entries]
        policy, is_named = policy if policy is not None else DEFAULT_POLICY, dialect is not None
        return history_of(from_list(entries, chosen, policy, open_tail, replies, is_named=is_named))

    def read_replies(self) -> list[tuple[int, ReplyInfo]]:
        """Read what providers said of replies, with the positions of their entries after the system prompt."""
        before = len(self.system_entries())
        found = ((before + entry, reply_info(data, provider)) for entry, data, provider in self.replies)
        return [(entry, info) for entry, info in found if info is not None]

    def system_entries(self) -> list[dict[str, Any]]:
        """Return the system prompt outside the messages as an entry; no entry without one."""
        if self.system is None:
            return []
        # Gemini's system prompt is made of parts, like its messages.
        key = "parts" if isinstance(self.system, Mapping) and "parts" in self.system else "content"
        return [{"role": SYSTEM, key: self.system["parts"] if key == "parts" else self.system}]

    def place_of(self, entry: int) -> str:
        """Say where the entry at a position is: `line 3` of JSONL, counted from 1, else `entry 2`, counted from 0."""
        known = self.form is FileForm.LINES and 0 <= entry < len(self.lines)
        return f"line {self.lines[entry]}" if known else f"entry {entry}"


def read_file(path: str | PathLike[str]) -> SavedFile:
    """Read a conversation from a file.

    Raises `UnreadableFileError` when it cannot be read, or holds no conversation.
    """
    return read_bytes(content_of(path))


def content_of(path: str | PathLike[str]) -> bytes:
    """Read the bytes of a file, or the joined files of a folder that is one, as the storage of opencode."""
    try:
        if Path(path).is_dir():
            if (joined := folder_content(Path(path))) is None:
                raise UnreadableFileError("this is a folder, not a file; `message-history doctor` checks folders")
            return joined
        # Nothing is read of a file that is refused; one that grows meanwhile is read up to the limit.
        if is_large(path) or len(data := content(path, MAX_BYTES + 1)) > MAX_BYTES:
            raise TooLargeError(f"it is larger than {MAX_BYTES:,} bytes")
        return with_journal(Path(path), data)
    except FileNotFoundError:
        raise UnreadableFileError("there is no such file") from None
    except PermissionError:
        raise UnreadableFileError("there is no permission to read it") from None
    except OSError as error:
        # What is wrong may be in a file of a folder, or next to the file.
        place = f"{error.filename}: " if error.filename not in (None, str(path)) else ""
        raise UnreadableFileError(f"{place}{error.strerror or 'it cannot be read'}") from error
    except UnopenedError as error:
        raise UnreadableFileError(str(error)) from error


def read_bytes(data: bytes) -> SavedFile:
    text = decode_bytes(data)
    if not text.strip():
        raise UnreadableFileError("the file is empty")
    decoder = Decoder()
    whole = decoder.value(text)
    if decoder.failure is None:
        return saved_value(whole, tuple(LineNote(line=1, detail=detail) for detail in decoder.kept))
    saved = _damaged(text)
    if any(isinstance(entry, Mapping) for entry in saved.entries):
        return saved
    raise UnreadableFileError(_why_not(data, text, saved))


def allow_assistant_tail(dialect: Dialect[Any]) -> Dialect[Any]:
    """Return a dialect for a conversation that goes on: it may end with the assistant, where there is such a field."""
    fields: dict[str, Any] = {name: True for name in fields_dict(type(dialect)) if name in ENDS_WITH_ASSISTANT}
    return evolve(dialect, **fields) if fields else dialect


def refuse_assistant_tail(dialect: Dialect[Any]) -> Dialect[Any]:
    """Return a dialect for a request: unless the model is known to accept it, it does not end with the assistant."""
    fields: dict[str, Any] = {
        name: False
        for name in fields_dict(type(dialect))
        if name in ENDS_WITH_ASSISTANT and getattr(dialect, name) is None
    }
    return evolve(dialect, **fields) if fields else dialect


def json_bytes(value: Any, indent: int | None = None) -> bytes:
    """Write JSON in UTF-8, or all in ASCII where a lone surrogate demands it; bytes become base64."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent, default=base64_of).encode()
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent, default=base64_of).encode()


def saved_value(whole: Any, notes: tuple[LineNote, ...] = ()) -> SavedFile:
    """Read a file that is one JSON value; `notes` say which parts were kept in another form."""
    if isinstance(whole, list):
        return SavedFile(entries=tuple(whole), form=FileForm.LIST, notes=notes)
    if isinstance(whole, dict) and isinstance(whole.get(MESSAGES), list):
        return contained(whole, (MESSAGES,), notes)
    if isinstance(whole, dict) and "role" not in whole and (place := find_place(whole)) is not None:
        return contained(whole, place, notes)
    if isinstance(whole, dict) and ("role" in whole or shape_of(whole) is not None):
        return SavedFile(entries=(whole,), form=FileForm.LINES, lines=(1,), notes=notes)
    if isinstance(whole, dict) and MESSAGES in whole:
        raise UnreadableFileError(f"its `messages` are not a list, but {kind_of(whole[MESSAGES])}", sound=True)
    raise UnreadableFileError(f"it holds no list of messages, but {kind_of(whole)}", sound=True)


def contained(whole: Mapping[str, Any], place: Place, notes: tuple[LineNote, ...] = ()) -> SavedFile:
    around = filled(whole, place, Export([]), moved=False)
    entries = tuple(entries_at(whole, place))
    return SavedFile(entries=entries, form=FileForm.OBJECT, notes=notes, container=around, place=place)


def _damaged(text: str) -> SavedFile:
    """Read what can be read of a file that is not JSON as a whole."""
    opening = text.lstrip()[:1]
    if opening == "[":
        return _list_in(text, text.index("[") + 1)
    first_line = next(line for line in text.split("\n") if line.strip())
    if opening == "{" and Decoder().value(first_line) is None:
        for key in KEYS:
            member = member_of(text, key)
            if member is not None:
                return _object_in(text, key, *member)
    return _lines_in(text)


def _list_in(text: str, start: int) -> SavedFile:
    items = items_of(text, start)
    rest = text[items.end :].strip()
    if rest:
        items.notes.append(LineNote(line=items.end_line, detail="text after the list", skipped=rest))
    return SavedFile(
        entries=tuple(value for _, value in items.values),
        form=FileForm.LIST,
        lines=tuple(line for line, _ in items.values),
        notes=tuple(items.notes),
    )


def _object_in(text: str, name: str, key: int, start: int) -> SavedFile:
    """Take an object by its parts: what comes before its messages, the messages, what comes after."""
    items = items_of(text, start)
    notes = list(items.notes)
    head = f"{text[:key].rstrip().rstrip(',')}}}"
    tail = "{" + text[items.end :].lstrip().lstrip(",")
    around: dict[str, Any] = {}
    for part, line in ((head, 1), (tail, items.end_line)):
        decoder = Decoder()
        value = decoder.value(part)
        if isinstance(value, dict):
            around |= {**value, name: []}
        elif part is head or items.closed:
            notes.append(LineNote(line=line, detail=f"keys next to `{name}`: {decoder.failure}", skipped=part))
    return SavedFile(
        entries=tuple(value for _, value in items.values),
        form=FileForm.OBJECT,
        lines=tuple(line for line, _ in items.values),
        notes=tuple(sorted(notes, key=lambda note: note.line)),
        container=around or {name: []},
        place=(name,),
    )


def _lines_in(text: str) -> SavedFile:
    entries: list[Any] = []
    lines: list[int] = []
    notes: list[LineNote] = []
    for line, written in enumerate(text.split("\n"), 1):
        if not written.strip():
            continue
        parts = [written] if Decoder().value(written) is not None else parted(written.strip()) or [written]
        notes += [LineNote(line=line, detail=MERGED)] if len(parts) > 1 else []
        for part in parts:
            decoder = Decoder()
            value = decoder.value(part)
            failure = decoder.failure
            if failure is None and isinstance(value, dict) and "role" not in value and MESSAGES in value:
                failure = "a whole conversation, where one message is expected"
            if failure is not None:
                notes.append(LineNote(line=line, detail=failure, skipped=part))
                continue
            notes += [LineNote(line=line, detail=detail) for detail in decoder.kept]
            entries.append(value)
            lines.append(line)
    return SavedFile(entries=tuple(entries), form=FileForm.LINES, lines=tuple(lines), notes=tuple(notes))


def _why_not(data: bytes, text: str, saved: SavedFile) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "it is UTF-16, not UTF-8"
    if b"\0" in data:
        return "it is a binary file"
    bad = NOT_UTF8.search(text)
    if bad is not None:
        return f"it is not UTF-8 (byte {len(text[: bad.start()].encode())})"
    first = saved.notes[0] if saved.notes else None
    return (
        "it holds no messages" if first is None else f"it is neither JSON nor JSONL (line {first.line}: {first.detail})"
    )
