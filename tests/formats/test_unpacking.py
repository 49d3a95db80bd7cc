"""What is packed with Zstandard is unpacked where Python or a package can, and noted elsewhere."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from message_history.files.containers import UnopenedError
from message_history.files.unpacking import unpacked
from message_history.formats.reading import session_in
from tests.formats.story import told
from tests.formats.test_databases import FILES, STORY, database

HEAD = bytes.fromhex("28b52ffd0058")
"""The magic number of Zstandard, and the header of a frame with a window and no size."""


def framed(data: bytes) -> bytes:
    """Frame data as Zstandard, in one block that is not compressed."""
    return HEAD + (1 | len(data) << 3).to_bytes(3, "little") + data


class Decompressor:
    """Unpacks what `framed` packs, as the standard library from Python 3.14 on does all."""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        if not data.startswith(HEAD):
            raise ValueError("no frame")
        return data[len(HEAD) + 3 :][:max_length]


@pytest.fixture
def zstandard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "compression", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "compression.zstd", SimpleNamespace(ZstdDecompressor=Decompressor))


@pytest.mark.usefixtures("zstandard")
def test_packed_entries_of_openclaw_are_read() -> None:
    columns, rows = FILES["openclaw-database"]["transcript_events"]
    packed = [(session, n, None, framed(entry.encode())) for session, n, entry, _ in rows]
    session = session_in(database({"transcript_events": (columns, packed)}))
    assert session.unread == ()
    assert told(session.conversations[0].history()) == STORY


def test_a_frame_that_unpacks_to_too_much_is_refused(
    zstandard: None,  # noqa: ARG001 - it replaces the module
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("message_history.files.containers.MAX_UNPACKED", 3)
    with pytest.raises(UnopenedError, match="more than 3 bytes"):
        unpacked(framed(b"four"))


def test_a_package_that_reads_streams_unpacks_too(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stream:
        def stream_reader(self, data: bytes) -> Any:
            return SimpleNamespace(read=lambda size: data[9:][:size])

    for name in ("compression.zstd", "backports.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "zstandard", SimpleNamespace(ZstdDecompressor=Stream))
    assert unpacked(framed(b"words")) == b"words"
