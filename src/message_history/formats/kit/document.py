"""A file's content, parsed once: one JSON value, lines with a JSON object each, or text."""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, final

from attrs import field, frozen

from message_history.files.budgets import LINE, spend, spend_on_json
from message_history.files.containers import Archive, Database, UnopenedError, is_container, open_container
from message_history.files.damaged_json import MERGED, UNESCAPED, Decoder, LineNote, bare_line, decode_bytes, parted
from message_history.files.files import FileForm, SavedFile, UnreadableFileError, json_bytes, read_bytes, saved_value
from message_history.files.naming import few_of
from message_history.formats.kit.splicing import Line

if TYPE_CHECKING:
    from collections.abc import Iterator

INSPECTED: Final = 60
"""How many objects of a file decide its format."""


@final
@frozen(kw_only=True)
class Document:
    """The content of a file.

    Args:
        data: its bytes.
        text: the same, decoded.
        value: the JSON value that it is; None when it is not JSON, or null.
        lines: the lines of a file that holds an object in each; a single object on one line is such a file too.
        notes: the lines that hold no object, and what was kept in another form.
        database: the database that it is; None for any other file.
        problem: why a database or an archive cannot be read; None for one that can be, and for any other file.
    """

    data: bytes = field(repr=False)
    text: str = field(repr=False)
    value: Any = None
    lines: tuple[Line, ...] = ()
    notes: tuple[LineNote, ...] = ()
    database: Database | None = None
    problem: str | None = None

    @property
    def object(self) -> dict[str, Any]:
        """Return the object that the file is; an empty one when it is something else."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def items(self) -> list[Any]:
        """Return the list that the file is; an empty one when it is something else."""
        return self.value if isinstance(self.value, list) else []

    def rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Iterate over the objects of a file of lines, with their line numbers."""
        return ((line.number, line.value) for line in self.lines if line.value is not None)

    @cached_property
    def first_rows(self) -> list[dict[str, Any]]:
        """Return the first objects of a file of lines; not to be changed, as all formats look at one list."""
        return [row for _, row in islice(self.rows(), INSPECTED)]

    @cached_property
    def first_items(self) -> list[dict[str, Any]]:
        """Return those of the first of `numbered_items` that are objects; not to be changed."""
        return [item for _, item in self.numbered_items[:INSPECTED] if isinstance(item, dict)]

    @cached_property
    def numbered_items(self) -> list[tuple[int, Any]]:
        """Return all items of a list, of a file of lines, or the one object, with their places; not to be changed."""
        if self.value is None:
            return list(self.rows())
        return list(enumerate(self.items)) if isinstance(self.value, list) else [(0, self.value)]

    @cached_property
    def is_prose(self) -> bool:
        """Return whether this is text, such as a page of documentation, with a few objects quoted in it."""
        if self.value is not None or self.text.lstrip()[:1] in ("{", "["):
            return False
        foreign = sum(note.skipped is not None and note.skipped.lstrip()[:1] not in ("{", "[") for note in self.notes)
        return foreign > sum(line.value is not None for line in self.lines)

    @cached_property
    def saved(self) -> SavedFile:
        """Return the list of messages that the file is, as `read_bytes` reads it."""
        if self.problem is not None:
            raise UnreadableFileError(self.problem, sound=True)
        if self.value is not None:
            return saved_value(self.value, self.notes)
        written = [line for line in self.lines if line.written.strip()]
        if not written or any(line.value is None or _is_conversation(line.value) for line in written):
            return read_bytes(self.data)
        numbers = tuple(line.number for line in written)
        entries = tuple(line.value for line in written)
        return SavedFile(entries=entries, form=FileForm.LINES, lines=numbers, notes=self.notes)


def _is_conversation(row: dict[str, Any]) -> bool:
    return "role" not in row and "messages" in row


def parse_document(data: bytes) -> Document:
    """Parse the content of a file."""
    if is_container(data):
        return _container(data)
    spend_on_json(data)
    text = decode_bytes(data)
    decoder = Decoder()
    value = decoder.value(text) if text.strip() else None
    if decoder.failure is None:
        whole = (Line(1, data, value),) if isinstance(value, dict) else ()
        notes = tuple(LineNote(line=1, detail=detail) for detail in decoder.kept)
        return Document(data=data, text=text, value=value, lines=whole, notes=notes)
    lines, found = rows_in(data)
    return Document(data=data, text=text, lines=tuple(lines), notes=tuple(found))


def _container(data: bytes) -> Document:
    """Return what a database or an archive holds, where its form is known, and else say what it is."""
    try:
        found = open_container(data)
        if isinstance(found, Database):
            return Document(data=data, text="", database=found, problem=_of_tables(found))
        names = [name for name in found.names if name.startswith("samples/") and name.endswith(".json")]
        if "header.json" not in found.names or not names:
            return Document(data=data, text="", problem=_of_files(found))
        # A log of inspect_ai: each sample is a file.
        return Document(data=data, text="", value={"version": 2, "eval": {}, "samples": found.values(names)})
    except UnopenedError as error:
        return Document(data=data, text="", problem=str(error))


def _of_tables(database: Database) -> str:
    if database.has("cursorDiskKV", "key") or database.has("ItemTable", "key") or database.has("blobs", "id", "data"):
        return "it is a SQLite database of Cursor or another editor, and no chat is in it"
    if database.has("steps") and database.has("trajectory_meta"):
        return "it is a SQLite database of Antigravity, whose form is not public: read its transcripts instead"
    if database.has("checkpoints", "thread_id", "checkpoint_id"):
        return (
            "it is a SQLite database of LangGraph in a form that is not known: write what "
            "`graph.get_state(config).values` returns with `langchain_core.load.dumpd`, and read that"
        )
    if not database.columns:
        return (
            "it is a SQLite database without a table: what a program wrote last is in a file next to it, whose name "
            "ends with -wal, until it is put in"
        )
    return f"it is a SQLite database of no program that is known, with the tables {few_of(sorted(database.columns))}"


def _of_files(archive: Archive) -> str:
    return f"it is an archive: unpack it, and read what is in it ({few_of(sorted(archive.names))})"


def rows_in(data: bytes) -> tuple[list[Line], list[LineNote]]:
    """Parse the lines of a file; blank ones count but hold nothing, and those that hold no object are noted."""
    spend(LINE * data.count(b"\n"))
    lines: list[Line] = []
    notes: list[LineNote] = []
    for number, written in enumerate(raw_rows(data), 1):
        decoder = Decoder()
        bare = bare_line(written)
        value = decoder.value(bare) if bare else None
        text = decode_bytes(bare) if not isinstance(value, dict) else ""
        parts = parted(text) if decoder.failure is not None else []
        if parts:
            notes.append(LineNote(line=number, detail=MERGED))
        elif text and not isinstance(value, dict):
            notes.append(LineNote(line=number, detail=decoder.failure or "no object", skipped=text))
        for part in parts:
            value = decoder.value(part)
            lines.append(Line(number, part.encode() + b"\n", value))
        notes += [LineNote(line=number, detail=kept) for kept in decoder.kept]
        if not parts:
            # Other programs do not read what is not JSON: it is not written again as it was.
            own = json_bytes(value) + b"\n" if UNESCAPED in decoder.kept and isinstance(value, dict) else written
            lines.append(Line(number, own, value if isinstance(value, dict) else None))
    return lines, notes


def raw_rows(data: bytes) -> list[bytes]:
    """Part a file at its line feeds only."""
    rows = [row + b"\n" for row in data.split(b"\n")]
    rows[-1] = rows[-1][:-1]
    return rows if rows[-1] else rows[:-1]
