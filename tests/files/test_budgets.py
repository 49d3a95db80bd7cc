"""What is read takes memory and time in proportion to the file, or is refused: whatever it unpacks to, or names."""

from __future__ import annotations

import io
import json
import sqlite3
import struct
import subprocess
import sys
import zipfile
import zlib
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from tests.needs import needs_processes

from message_history.files.budgets import OverBudgetError, budget, left, spend
from message_history.files.files import TooLargeError
from message_history.formats.reading import session_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MB = 1_000_000


def database(*statements: str, rows: tuple[Any, ...] = ()) -> bytes:
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in statements:
            connection.execute(statement)
        if rows:
            connection.executemany(*rows)
        connection.commit()
        return connection.serialize()


CHAT = ("INSERT INTO cursorDiskKV(key, value) VALUES(?, ?)", [("composerData:1", "{}"), ("bubbleId:1:2", "{}")])


def generated() -> bytes:
    column = "g GENERATED ALWAYS AS (hex(zeroblob(200000000))) VIRTUAL"
    return database(f"CREATE TABLE cursorDiskKV(key TEXT, value BLOB, {column})", rows=CHAT)


def as_view() -> bytes:
    """Write down a view where a table is expected, which makes rows without end."""
    rows = "WITH RECURSIVE r(n) AS (VALUES(1) UNION ALL SELECT n+1 FROM r) SELECT n, zeroblob(1000) FROM r"
    view = f"CREATE VIEW cursorDiskKV(key, value) AS {rows}"
    return database(
        "CREATE TABLE cursorDiskKV(key TEXT, value BLOB)",
        "PRAGMA writable_schema = ON",
        f"UPDATE sqlite_master SET sql = '{view}', rootpage = 0 WHERE name = 'cursorDiskKV'",
    )


def by_default() -> bytes:
    """Give each of many short rows a long value that stands in the file once."""
    return database(
        "CREATE TABLE cursorDiskKV(key TEXT)",
        "WITH RECURSIVE r(n) AS (VALUES(1) UNION ALL SELECT n+1 FROM r WHERE n < 100000) "
        "INSERT INTO cursorDiskKV SELECT n FROM r",
        f"ALTER TABLE cursorDiskKV ADD COLUMN value TEXT DEFAULT '{'x' * 100_000}'",
    )


def many_pages() -> bytes:
    """Let the pages of a table stand for the same page, again and again, three levels deep."""
    data = bytearray(
        database(
            "PRAGMA page_size = 4096",
            "CREATE TABLE cursorDiskKV(key TEXT, value BLOB)",
            rows=("INSERT INTO cursorDiskKV VALUES(?, ?)", [(f"k{n}", "x" * 3000) for n in range(8)]),
        )
    )
    size = 4096

    def inner(child: int) -> bytes:
        cells = [struct.pack(">IB", child, 1)] * 400
        places = [size - 5 * (n + 1) for n in range(len(cells))]
        head = struct.pack(">BHHHBI", 5, 0, len(cells), places[-1], 0, child)
        body = head + b"".join(struct.pack(">H", place) for place in places)
        return body + bytes(places[-1] - len(body)) + b"".join(reversed(cells))

    root = next(n for n in range(1, len(data) // size) if data[n * size] == 5)
    leaf = struct.unpack(">I", data[root * size + 8 : root * size + 12])[0]
    last = len(data) // size
    data += inner(leaf) + inner(last + 1)
    data[28:32] = struct.pack(">I", last + 2)
    data[root * size : (root + 1) * size] = inner(last + 2)
    return bytes(data)


def archive(inside: Callable[[], bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as written:
        written.writestr("header.json", "{}")
        written.writestr("samples/1.json", inside())
    return held.getvalue()


def lying_archive() -> bytes:
    """Say of a file of an archive that it is short."""
    data = archive(lambda: b'{"a": "' + b" " * (300 * MB) + b'"}')
    size = struct.pack("<I", 300 * MB + 9)
    assert size in data
    return data.replace(size, struct.pack("<I", 9))


def lists(count: int) -> bytes:
    return b"[" + b",".join([b"[]"] * count) + b"]"


def checkpoints() -> bytes:
    """Pack lists of one byte each, as LangGraph packs a state."""
    count = 10 * MB
    state = b"\x81\xaechannel_values\x81\xa8messages\xdd" + struct.pack(">I", count) + b"\x90" * count
    columns = "thread_id TEXT, checkpoint_ns TEXT, checkpoint_id TEXT"
    return database(
        f"CREATE TABLE checkpoints({columns}, parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB)",
        f"CREATE TABLE writes({columns}, task_id TEXT, idx INTEGER, channel TEXT, type TEXT, value BLOB)",
        rows=("INSERT INTO checkpoints VALUES('t', '', 'c', NULL, 'msgpack', ?, '{}')", [(state,)]),
    )


def gaps() -> bytes:
    header = b'{"format": "message-history session", "version": 1}\n'
    line = '{{"at": {}, "role": "{}", "content": [{{"type": "text", "text": "x"}}], "native": 1}}\n'
    return header + "".join(line.format(n * 10**6, ("user", "assistant")[n % 2]) for n in range(1_200)).encode()


def packed_streams() -> bytes:
    """Pack streams of nothing, each of which ends where the file ends."""
    empty = b"\0\0\0\xff\xff" * 12
    head = b"<</Type/ObjStm/First 9>>stream\n"
    return b"%PDF-1.7\n" + head + (b"\x78\x9c" + empty + head) * 40_000


def numbers() -> bytes:
    return b"%PDF-1.7\n<</Type/ObjStm/First 99999999>>stream\n" + zlib.compress(b"1 " * 2 * MB, 9)


def wide() -> bytes:
    message = {"role": "user", "content": "\U0001f600" + "a" * 20 * MB}
    return json.dumps([message], ensure_ascii=False).encode()


FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "lists": ("a.json", lambda: lists(20 * MB)),
    "some lists": ("a.json", lambda: lists(250_000)),
    "objects": ("a.json", lambda: b"[" + b",".join([b'{"":1}'] * 2 * MB) + b"]"),
    "short lines": ("a.jsonl", lambda: b'{"":1}\n' * 2 * MB),
    "short messages": ("a.jsonl", lambda: b'{"role":"user","content":"a"}\n' * MB),
    "short conversations": ("a.jsonl", lambda: b'{"messages":[]}\n' * MB),
    "many messages": ("a.json", lambda: b"[" + b",".join([b'{"role":"user","content":"ab cd"}'] * MB) + b"]"),
    "one wide character": ("a.json", wide),
    "damaged lists": ("a.json", lambda: lists(2 * MB)[:-1]),
    "open brackets": ("a.json", lambda: b"[" * 2 * MB),
    "open objects": ("a.json", lambda: b'{"a":' * 2 * MB),
    "quotes": ("a.jsonl", lambda: b'"' * 4 * MB),
    "text": ("a.jsonl", lambda: b"a\n" * 2 * MB),
    "gaps": ("a.jsonl", gaps),
    "a generated column": ("a.db", generated),
    "a view": ("a.db", as_view),
    "a default": ("a.db", by_default),
    "pages again and again": ("a.db", many_pages),
    "packed lists": ("a.db", checkpoints),
    "an archive of lists": ("a.eval", lambda: archive(lambda: lists(40 * MB))),
    "an archive that lies": ("a.eval", lying_archive),
    "a PDF of headers": ("a.pdf", lambda: b"%PDF-1.7\n" + b"/Type/ObjStm>>stream\n" * 190_000),
    "a PDF of empty streams": ("a.pdf", packed_streams),
    "a PDF of numbers": ("a.pdf", numbers),
}
READ = """
import resource, sys, time
from pathlib import Path
from message_history.files.files import UnreadableFileError
from message_history.formats.reading import read_session
from message_history.media.pdf import paper_in
from message_history.storage import JsonlSession

def peak():
    # What getrusage says begins with the peak of the process that started this one.
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

path = Path(sys.argv[1])
before = peak()
if path.suffix == ".pdf":
    paper_in(path.read_bytes())
elif sys.argv[2] == "gaps":
    JsonlSession(path, fsync="never").load()
else:
    try:
        read_session(path)
    except UnreadableFileError:
        pass
print(peak() - before, time.process_time())
"""


@needs_processes
@pytest.mark.heavy
@pytest.mark.parametrize("kind", FILES)
def test_a_file_takes_no_more_than_twenty_times_its_size_and_64_mb(tmp_path: Path, kind: str) -> None:
    name, make = FILES[kind]
    path = tmp_path / name
    path.write_bytes(make())
    size = path.stat().st_size
    command = [sys.executable, "-c", READ, str(path), kind]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert not done.returncode, done.stderr
    memory, seconds = map(float, done.stdout.split())
    assert memory > 0, "nothing was measured"
    assert memory * 1024 < 20 * size + 64 * MB, f"{memory / 1024:,.0f} MB of {size / MB:,.1f} MB"
    # Time of the processor: others may be at work.
    assert seconds < 20 + 5 * size / MB


def test_what_is_over_the_budget_is_refused_in_a_sentence() -> None:
    with pytest.raises(TooLargeError, match=r"^it would take many times its size in memory: split it, or unpack it"):
        session_in(lists(400_000))


def test_a_budget_ends_where_it_began() -> None:
    spend(10**12)
    with budget(0):
        before = left()
        with budget(10**9):
            spend(10**9)
        assert left() == before
        with pytest.raises(OverBudgetError):
            spend(10**9)
    assert left() is None
