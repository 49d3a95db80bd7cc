"""Files that are not text: SQLite databases, and archives. They are read from a copy in memory, and never written."""

from __future__ import annotations

import io
import json
import os
import tempfile
import zipfile
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from attrs import field, frozen

from message_history.files.budgets import OverBudgetError, left, spend, spend_on_json
from message_history.files.opening import MAX_BYTES, content

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping

SQLITE: Final = b"SQLite format 3\0"
_ZIP: Final = b"PK\x03\x04"
_COMPRESSED: Final = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "Zstandard", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz"}
_MODES: Final = slice(18, 20)
"""The bytes that say whether a database has a journal in a file of its own; a copy in memory has none."""
_UNSAFE: Final = "unsafe use of"
"""What SQLite says of an index, or a column, that a function makes which may not run."""
_CELL: Final = 64
_ROW: Final = 250
_STEPS: Final = 10_000_000
"""How many steps SQLite may take with any database; more with a large one."""
MAX_UNPACKED: Final = 512 * 1024 * 1024
"""Archives that hold more than this are not read."""


@final
class UnopenedError(ValueError):
    """A database or an archive that cannot be opened; the text says why."""


@final
@frozen
class Database:
    """A database of SQLite."""

    data: bytes = field(repr=False)
    columns: Mapping[str, frozenset[str]]

    def has(self, table: str, *columns: str) -> bool:
        return self.columns.get(table, frozenset()).issuperset(columns) and table in self.columns

    def rows(self, table: str, order: str) -> list[dict[str, Any]]:
        """Read the columns that are stored in a table as dicts, sorted by those in `order`.

        Raises `UnopenedError` when it is damaged, `OverBudgetError` when it holds more than its size lets expect.
        """
        names = sorted(self.columns[table])
        listed = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
        wanted = f'SELECT {listed} FROM "{table}"'  # noqa: S608 - quoted
        with _connected(self.data) as connection:
            # A page may be used many times: what pages hold is counted before it is sorted and kept.
            for row in connection.execute(wanted):
                spend(_ROW + sum(_CELL + (len(cell) if isinstance(cell, str | bytes) else 0) for cell in row))
            return [dict(zip(names, row, strict=True)) for row in connection.execute(f"{wanted} ORDER BY {order}")]


@final
@frozen
class Archive:
    """A zip archive."""

    data: bytes = field(repr=False)
    names: tuple[str, ...]

    def values(self, names: list[str]) -> list[Any]:
        """Read files that hold JSON, unless they are damaged or too large together."""
        with _archive(self.data, "it is an archive that cannot be unpacked here") as opened:
            return [_json_in(opened, name) for name in names]


def _json_in(archive: zipfile.ZipFile, name: str) -> Any:
    """Read a file of an archive; what it says of the file's size is not believed."""
    with archive.open(name) as packed:
        written = packed.read(most_unpacked() + 1)
    spend(2 * len(written))
    spend_on_json(written)
    try:
        return json.loads(written)
    except (ValueError, RecursionError) as error:
        raise UnopenedError(f"it is an archive, and a file in it is not JSON: {error}") from error


@contextmanager
def _archive(data: bytes, fault: str) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as opened:
            yield opened
    except (UnopenedError, OverBudgetError):
        raise
    # Each way of packing has errors of its own, also for a place before the beginning and for memory.
    except Exception as error:
        raise UnopenedError(f"{fault}: {str(error) or type(error).__name__}") from error


def most_unpacked() -> int:
    """Return how many bytes may be unpacked of what is read now."""
    there = left()
    return MAX_UNPACKED if there is None else min(MAX_UNPACKED, there // 2)


def is_container(data: bytes) -> bool:
    return data.startswith((SQLITE, _ZIP, *_COMPRESSED))


def open_container(data: bytes) -> Database | Archive:
    """Open a database or an archive. Raises `UnopenedError` when it is damaged, or compressed as a whole."""
    kind = next((name for mark, name in _COMPRESSED.items() if data.startswith(mark)), None)
    if kind is not None:
        raise UnopenedError(f"it is compressed with {kind}: unpack it, and read what was in it")
    if data.startswith(_ZIP):
        with _archive(data, "it is a damaged archive") as opened:
            return Archive(data, tuple(opened.namelist()))
    with _connected(data) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = {name: frozenset(row[1] for row in _columns_of(connection, name)) for name in tables}
    return Database(data, columns)


def _module() -> Any:
    try:
        import sqlite3  # noqa: PLC0415 - only who reads a database needs it
    except ImportError as error:
        raise UnopenedError("it is a SQLite database, and this Python cannot read one") from error
    return sqlite3


@contextmanager
def _asked() -> Iterator[None]:
    """What SQLite says of a damaged file becomes our own error; also that it has not the memory that the file names."""
    try:
        yield
    except UnicodeError as error:
        raise UnopenedError("it is a damaged SQLite database: its schema is not text") from error
    except (_module().Error, MemoryError) as error:
        why = str(error) or "it asks for more memory than there is"
        raise UnopenedError(f"it is a damaged SQLite database: {why}") from error


def _columns_of(connection: sqlite3.Connection, table: str) -> list[Any]:
    return connection.execute("SELECT 0, name FROM pragma_table_info(?)", (table,)).fetchall()


@contextmanager
def _connected(data: bytes) -> Iterator[sqlite3.Connection]:
    found = _module()
    # That a table of its own is looked up counts as an update.
    allowed = (found.SQLITE_SELECT, found.SQLITE_READ, found.SQLITE_PRAGMA, found.SQLITE_UPDATE)
    with _asked(), closing(found.connect(":memory:")) as connection:
        connection.text_factory = lambda written: written.decode("utf-8", errors="surrogateescape")
        # Nothing in a file that comes from somewhere may run here.
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.setlimit(found.SQLITE_LIMIT_LENGTH, max(len(data), 1_000_000))
        steps = iter(range((_STEPS + 20 * len(data)) // 10_000))
        connection.set_progress_handler(lambda: next(steps, None) is None, 10_000)
        connection.deserialize(data[: _MODES.start] + b"\x01\x01" + data[_MODES.stop :])
        try:
            connection.execute("SELECT name FROM sqlite_master")
        except found.Error as error:
            if _UNSAFE not in str(error):
                raise
            # An index over a function that may not run is left out: its rows are in the table.
            connection.execute("PRAGMA writable_schema = ON")
        # A table may be written down as a view, which computes what it likes.
        connection.set_authorizer(lambda action, *_: 0 if action in allowed else 1)
        yield connection


def with_journal(path: Path, data: bytes) -> bytes:
    """Add to a database, in memory, what its journal file holds: what a program wrote and did not put into it yet."""
    journal = path.with_name(f"{path.name}-wal")
    if not data.startswith(SQLITE) or not os.path.lexists(journal) or not (written := content(journal, MAX_BYTES)):
        return data
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.db"
        copy.write_bytes(data)
        copy.with_name("copy.db-wal").write_bytes(written)
        with _asked(), closing(_module().connect(copy)) as connection:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            if pages * connection.execute("PRAGMA page_size").fetchone()[0] > len(data) + len(written):
                raise UnopenedError("it is a damaged SQLite database: it names pages that it does not have")
            whole: bytes = connection.serialize()
            return whole
