"""What takes bytes of strangers, and what may come of it: a value, or the one error that is documented."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
import zlib
from base64 import b64decode, b64encode
from contextlib import closing, suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from message_history.files.budgets import OverBudgetError, budget
from message_history.files.containers import Archive, UnopenedError, open_container
from message_history.files.files import UnreadableFileError, read_bytes
from message_history.formats.reading import session_in
from message_history.media.inspect import seen
from message_history.media.pdf import paper_in
from message_history.storage import JsonlSession, SessionError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["TARGETS"]

ROW = {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {"a": [1, None]}}]}
PNG = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


def database(table: str) -> bytes:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("PRAGMA page_size = 512")
        connection.execute(table)
        return connection.serialize()


def archive(packed: int = zipfile.ZIP_DEFLATED) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", packed) as written:
        written.writestr("header.json", "{}")
        written.writestr("samples/1.json", json.dumps({"messages": [ROW]}))
    return held.getvalue()


def read_whole(data: bytes) -> None:
    try:
        found = session_in(data)
        found.violations()
        for conversation in found.conversations:
            conversation.history()
    except UnreadableFileError:
        pass


def read_damaged(data: bytes) -> None:
    with suppress(UnreadableFileError):
        read_bytes(data).history()


def read_container(data: bytes) -> None:
    try:
        with budget(len(data)):
            found = open_container(data)
            if isinstance(found, Archive):
                found.values(list(found.names))
            else:
                for table in found.columns:
                    found.rows(table, "1")
    except (UnopenedError, OverBudgetError):
        pass


def read_packed(data: bytes) -> None:
    from message_history_formats._message_pack import unpack  # noqa: PLC0415 - the others do without

    try:
        with budget(len(data)):
            unpack(data, lambda _, inner: inner)
    except (ValueError, OverBudgetError):
        pass


def load(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "s.jsonl"
        path.write_bytes(data)
        try:
            first = JsonlSession(path, fsync="never").load()
        except SessionError:
            return
        assert JsonlSession(path, fsync="never").load() == first


def read_image(data: bytes) -> None:
    for kind in ("image/png", "image/jpeg", "image/gif", "image/webp"):
        seen(b64encode(data).decode(), kind, document=False)


HEADER = b'{"format": "message-history session", "version": 1}\n'
OWN = HEADER + b'{"at": 0, "role": "user", "content": [{"type": "text", "text": "q"}], "native": 1}\n'
CLAUDE = b'{"type":"user","uuid":"1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"q"}}\n'
CODEX = b'{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[]}}\n'
GEMINI = b'{"contents":[{"parts":[{"text":"a"}]}]}'
LAST = b'{"at": 1, "role": "assistant", "content": [], "native": 1}'
ALL = (
    *(json.dumps([ROW]).encode(), json.dumps({"messages": [ROW]}).encode() + b"\n" + GEMINI, CLAUDE, CODEX, OWN),
    *(database("CREATE TABLE cursorDiskKV(key TEXT, value BLOB)"), archive()),
)
CUT = (json.dumps([ROW, ROW], indent=1).encode()[:-9], b'{"messages": [{"role": "user", "conte', b"[[[[{}")
TABLE = database("CREATE TABLE t(a, b TEXT DEFAULT 'x', c AS (a + 1))")
JPEG = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x0b\x08\0\x01\0\x01\x01"
WEBP = b"RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0/\0\0\0\x10"
STREAM = zlib.compress(b"1 0 2 9 <</Type/Page>><</Type/Page>>")
PAPER = b"%PDF-1.7\n<</Type/ObjStm/First 8>>stream\n" + STREAM + b"\nendstream"
TARGETS: dict[str, tuple[Callable[[bytes], object], tuple[bytes, ...]]] = {
    "formats": (read_whole, ALL),
    "damaged JSON": (read_damaged, CUT),
    "containers": (read_container, (TABLE, archive(), archive(zipfile.ZIP_LZMA), archive(zipfile.ZIP_BZIP2))),
    "sessions": (load, (OWN, OWN[:-9], OWN + LAST)),
    "PDF": (paper_in, (PAPER, b"%PDF-1.4\n1 0 obj<</Type /Page>>")),
    "images": (read_image, (PNG, JPEG, b"GIF89a\x01\0\x01\0\0\0\0", WEBP)),
}
if find_spec("message_history_formats"):
    TARGETS["packed"] = read_packed, (b"\x81\xa1a\x92\x01\xc0\xd9\x01a", b"\xc7\x01\x05\xc0")
