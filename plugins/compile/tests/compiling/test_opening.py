"""How one place is opened, told from others, and unpacked: each rule by its smallest example, without a network."""

from __future__ import annotations

import errno
import gzip
import io
import os
import sys
from contextlib import nullcontext
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from message_history.files.files import TooLargeError
from message_history_compile import places
from message_history_compile.places import (
    DamagedError,
    content,
    is_http,
    is_parquet,
    is_stream,
    is_url,
    named,
    open_as_it_is,
    open_input,
    open_to_seek,
    size_of,
    skip_line,
)

if TYPE_CHECKING:
    from pathlib import Path

ZSTD = b"\x28\xb5\x2f\xfd"


class Filesystem:
    """Stands for one of fsspec, with one file in it."""

    def __init__(self, data: bytes, **about: Any) -> None:
        self.data, self.about = data, about
        self.asked: list[tuple[Any, ...]] = []

    def open(self, path: str, mode: str, **options: Any) -> io.BytesIO:
        self.asked.append((path, mode, options))
        return io.BytesIO(self.data)

    def info(self, _: str) -> dict[str, Any]:
        return self.about


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> Filesystem:
    filesystem = Filesystem(b"one\ntwo\n", size=8)
    monkeypatch.setattr(places, "filesystem_of", lambda place: (filesystem, f"path of {place}"))
    return filesystem


@pytest.mark.parametrize(
    ("place", "is_one", "is_served", "name"),
    [
        ("a.jsonl", False, False, "a.jsonl"),
        ("data/a.jsonl?x=1", False, False, "data/a.jsonl?x=1"),
        ("C:/a.jsonl", False, False, "C:/a.jsonl"),
        ("stdin-0123", False, False, "-"),
        ("out/.work/stdin-0123", False, False, "-"),
        ("stdin/a", False, False, "stdin/a"),
        ("s3://bucket/a.jsonl", True, False, "s3://bucket/a.jsonl"),
        ("S3://bucket/a.jsonl", True, False, "s3://bucket/a.jsonl"),
        ("git+ssh://key@host/a.jsonl", True, False, "git+ssh://host/a.jsonl"),
        ("https://u:p@q@host/a.jsonl?sig=1#part", True, True, "https://host/a.jsonl"),
        ("http://host/a.jsonl", True, True, "http://host/a.jsonl"),
        ("httpx://host/a.jsonl", True, False, "httpx://host/a.jsonl"),
    ],
)
def test_a_place_is_told_from_others_and_has_a_name(place: str, is_one: bool, is_served: bool, name: str) -> None:
    assert (is_url(place), is_http(place), named(place)) == (is_one, is_served, name)


def test_a_cache_before_a_url_belongs_to_it() -> None:
    assert is_url("simplecache::s3://bucket/a.jsonl")


@pytest.mark.parametrize("place", ["http://host/a", "https://host/a", "s3://bucket/a"])
def test_only_a_stream_is_asked_of_a_server(place: str, there: Filesystem) -> None:
    options = {} if place.startswith("s3") else {"block_size": 0}
    for opening in (open_as_it_is, open_input):
        with opening(place) as opened:
            assert opened.read() == b"one\ntwo\n"
    with open_to_seek(place) as opened:
        assert opened.read() == b"one\ntwo\n"
    path = f"path of {place}"
    assert there.asked == [(path, "rb", options), (path, "rb", options), (path, "rb", {})]
    assert (is_stream(place), is_parquet(place)) == (not place.startswith("s3"), False)


@pytest.mark.parametrize(
    ("data", "packed", "parquet"),
    [
        (b"", False, False),
        (b"\x1f", False, False),
        (b"\x1f\x8b", True, False),
        (gzip.compress(b"x", mtime=0), True, False),
        (ZSTD, True, False),
        (ZSTD + b"more", True, False),
        (ZSTD[:3], False, False),
        (b"PAR", False, False),
        (b"PAR1", False, True),
        (b"PAR1 and more", False, True),
        (b"{}\n", False, False),
    ],
)
def test_the_first_bytes_say_how_a_file_is_read(data: bytes, packed: bool, parquet: bool, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(data)
    assert (is_stream(str(path)), is_parquet(str(path)), size_of(str(path))) == (packed, parquet, len(data))
    with open_to_seek(str(path)) as opened:
        assert opened.read() == data


@pytest.mark.parametrize(("about", "size"), [({"size": 8}, 8), ({"size": None}, 0), ({}, 0), ({"size": "12"}, 12)])
def test_a_size_is_what_a_filesystem_says(about: dict[str, Any], size: int, there: Filesystem) -> None:
    there.about = about
    assert size_of("s3://bucket/a") == size


def test_a_whole_file_is_read_up_to_the_limit(
    tmp_path: Path, there: Filesystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "MAX_BYTES", 1_008)
    monkeypatch.setattr(places, "content_of", lambda place: f"content of {place}".encode())
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    plain.write_bytes(b"x" * 5_000)
    packed.write_bytes(gzip.compress(b"x" * 1_008))
    for place in (plain, tmp_path):
        assert content(str(place)) == f"content of {place}".encode()
    assert content(str(packed)) == b"x" * 1_008
    assert content("s3://bucket/a") == content("http://host/a") == b"one\ntwo\n"
    packed.write_bytes(gzip.compress(b"x" * 1_009))
    with pytest.raises(TooLargeError, match=r"^it is larger than 1,008 bytes$"):
        content(str(packed))
    there.data = b"x" * 1_009
    with pytest.raises(TooLargeError):
        content("s3://bucket/a")


@pytest.mark.parametrize(
    ("data", "is_filled", "rest"),
    [
        (b"", False, b""),
        (b"\n", False, b""),
        (b"  \t\r\nnext", False, b"next"),
        (b"        \nnext", False, b"next"),
        (b"      x\nnext\n", True, b"next\n"),
        (b"x       \nnext", True, b"next"),
        (b"xxx\nnext", True, b"next"),
        (b"xxxx\nnext", True, b"next"),
        (b"without an end", True, b""),
        (b"          ", False, b""),
    ],
)
def test_a_line_is_skipped_to_its_end(
    data: bytes, is_filled: bool, rest: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "CHUNK", 4)
    opened = io.BytesIO(data)
    assert (skip_line(opened.readline), opened.read()) == (is_filled, rest)


def test_what_is_packed_knows_its_place_and_goes_forth_only(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"one\ntwo\n"))
    with open_input(str(path)) as opened:
        assert (opened.readable(), opened.seekable(), opened.tell()) == (True, False, 0)
        assert (opened.readline(), opened.tell(), opened.read(), opened.tell()) == (b"one\n", 4, b"two\n", 8)


@pytest.mark.usefixtures("there")
def test_a_file_elsewhere_is_read_from_any_place() -> None:
    opened: Any = open_as_it_is("s3://bucket/a")
    raw = opened.raw
    assert (opened.seekable(), opened.read(3), raw.tell()) == (True, b"one", 8)
    assert (opened.seek(4), opened.tell(), opened.read()) == (4, 4, b"two\n")
    assert (raw.seek(2), raw.tell(), raw.read(2)) == (2, 2, b"e\n")
    assert (raw.seek(-4, os.SEEK_END), raw.tell(), raw.seek(4)) == (4, 4, 4)
    assert (raw.seek(1, os.SEEK_SET), raw.seek(1, os.SEEK_CUR)) == (1, 2)
    inner = raw._inner
    opened.close()
    assert (inner.closed, raw.closed) == (True, True)


class Failing(io.BytesIO):
    """Fails when it is read, as the libraries that unpack do."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def read(self, _: int | None = -1) -> bytes:
        raise self.error


@pytest.mark.parametrize(
    ("error", "is_packed", "found"),
    [
        (EOFError("cut off"), True, DamagedError("it cannot be unpacked to its end: cut off")),
        (OSError("no gzip"), True, DamagedError("it cannot be unpacked to its end: no gzip")),
        (OSError(errno.EIO, "no disk"), True, OSError(errno.EIO, "no disk")),
        (OSError(errno.EIO, "no disk"), False, OSError(errno.EIO, "no disk")),
        (EOFError("cut off"), False, EOFError("cut off")),
    ],
    ids=repr,
)
def test_what_cannot_be_unpacked_is_told_from_what_cannot_be_read(
    error: Exception, is_packed: bool, found: Exception
) -> None:
    inner, packed = Failing(error), io.BytesIO()
    opened = io.BufferedReader(places._Raw(inner, packed if is_packed else None))
    with pytest.raises(type(found)) as caught:
        opened.read(1)
    assert (type(caught.value), str(caught.value)) == (type(found), str(found))
    opened.close()
    assert (inner.closed, packed.closed) == (True, is_packed)


class Frame:
    """Stands for what the package zstandard unpacks a frame with; a frame ends with a full stop."""

    def __init__(self) -> None:
        self.eof, self.unused_data = False, b""

    def decompress(self, chunk: bytes) -> bytes:
        assert not self.eof
        own, end, self.unused_data = chunk.partition(b".")
        self.eof = bool(end)
        return own.replace(b"_", b"")


class Zstandard(ModuleType):
    """Stands for the package zstandard."""

    class ZstdDecompressor:
        decompressobj = Frame


class WithFiles(Zstandard):
    """Stands for the module of Python 3.14, and for its backport."""

    def ZstdFile(self, held: Any) -> Any:  # noqa: N802 - its name
        return io.BytesIO(b"by ZstdFile: " + held.read())


@pytest.fixture
def unpackers(monkeypatch: pytest.MonkeyPatch) -> None:
    for number, module in enumerate((None, Zstandard("zstandard"), WithFiles("zstd"))):
        monkeypatch.setitem(sys.modules, f"unpacker_{number}", module)


@pytest.mark.usefixtures("unpackers")
@pytest.mark.parametrize(
    ("numbers", "read"),
    [("02", b"by ZstdFile: " + ZSTD + b"a.b."), ("012", ZSTD + b"ab"), ("1", ZSTD + b"ab")],
)
def test_the_first_package_that_unpacks_zstandard_is_taken(
    numbers: str, read: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "_UNPACKERS", tuple(f"unpacker_{number}" for number in numbers))
    path = tmp_path / "a.zst"
    path.write_bytes(ZSTD + b"a.b.")
    with open_input(str(path)) as opened:
        assert (opened.read(), opened.seekable()) == (read, False)


@pytest.mark.usefixtures("unpackers")
def test_without_a_package_that_unpacks_zstandard_it_says_which_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "_UNPACKERS", ("unpacker_0",))
    (tmp_path / "a.zst").write_bytes(ZSTD)
    why = "it is packed with Zstandard, which Python unpacks from 3.14 on, or with the package zstandard"
    with pytest.raises(DamagedError) as caught:
        open_input(str(tmp_path / "a.zst"))
    assert str(caught.value) == why


@pytest.mark.parametrize("chunk", [1, 2, 3, 100])
@pytest.mark.parametrize("size", [1, 2, 100])
@pytest.mark.parametrize(
    ("packed", "unpacked", "is_cut_off"),
    [
        (b"", b"", False),
        (b"abc.", b"abc", False),
        (b"abc.de.", b"abcde", False),
        (b"abc.__de.", b"abcde", False),
        (b"____abc.", b"abc", False),
        (b"..", b"", False),
        (b"abc", b"abc", True),
        (b"abc.d", b"abcd", True),
        (b"_", b"", True),
    ],
)
def test_frames_are_unpacked_one_after_the_other(
    packed: bytes, unpacked: bytes, is_cut_off: bool, size: int, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "_PACKED_CHUNK", chunk)
    held = io.BytesIO(packed)
    frames = places._Frames(Zstandard("zstandard"), held)
    read: list[bytes] = []
    with pytest.raises(EOFError, match=r"^the last frame is cut off$") if is_cut_off else nullcontext():
        while found := frames.read(size):
            read.append(found)
    assert b"".join(read) == unpacked
    assert max(map(len, read), default=0) <= size
    frames.close()
    assert not held.closed
