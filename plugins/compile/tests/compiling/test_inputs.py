"""Which files are read, and what tells one content from another."""

from __future__ import annotations

import hashlib
import io
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from compiling.filesystem import Filesystem, use
from message_history_compile import inputs
from message_history_compile.inputs import find_inputs, hash_of, repaired_copies, spooled


def test_folders_are_searched_for_all_that_may_be_read_and_files_are_taken_as_they_are(tmp_path: Path) -> None:
    names = (
        "a.jsonl",
        "b.jsonl.gz",
        "c.json.zst",
        "d.PARQUET",
        "e.txt",
        "f.gz",
        "g.ndjson.gz",
        "sub/h.parquet",
        "i.json",
    )
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"{}")
    (tmp_path / "dir.parquet").mkdir()
    found = [str(Path(each).relative_to(tmp_path)) for each in find_inputs([tmp_path])]
    assert found == ["a.jsonl", "i.json", "b.jsonl.gz", "c.json.zst", "d.PARQUET", "g.ndjson.gz", "sub/h.parquet"]
    odd = tmp_path / "e.txt"
    assert find_inputs([odd, str(tmp_path / "sub")]) == [str(odd), str(tmp_path / "sub" / "h.parquet")]
    with pytest.raises(FileNotFoundError) as caught:
        find_inputs([odd, tmp_path / "none"])
    assert str(caught.value) == f"{tmp_path / 'none'}: there is no such file"


def test_a_folder_that_cannot_be_searched_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "find_files", lambda places: (list(places), [(Path("a"), "locked"), (Path("b"), "x")]))
    with pytest.raises(FileNotFoundError, match=r"^a: locked$"):
        find_inputs(["a"])


def test_a_folder_elsewhere_is_searched_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use(
        Filesystem({"in/b.json": b"", "in/a.jsonl.gz": b"", "in/x.txt": b"", "no/x.txt": b"", "one.txt": b""}),
        monkeypatch,
    )
    here = tmp_path / "a.json"
    here.write_bytes(b"")
    assert find_inputs(["mem://in", here]) == [str(here), "mem://in/a.jsonl.gz", "mem://in/b.json"]
    assert find_inputs(["mem://one.txt"]) == ["mem://one.txt"]
    assert find_inputs(["https://host/in"]) == ["https://host/in"]
    with pytest.raises(FileNotFoundError, match=r"^mem://no: no file there can hold conversations$"):
        find_inputs(["mem://no"])


@pytest.mark.parametrize(
    ("about", "hashed"),
    [
        ({"ETag": "x", "size": 3, "crc32c": "y"}, b"ETag x\ncrc32c y"),
        ({"ETag": "", "md5": "z"}, b"md5 z"),
        ({"etag": None, "size": 3}, b"abc"),
        ({}, b"abc"),
    ],
)
def test_what_a_filesystem_says_of_a_content_stands_for_it(
    about: dict[str, Any], hashed: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(Filesystem({"a": b"abc"}, about), monkeypatch)
    assert hash_of("mem://a") == hashlib.sha256(hashed).hexdigest()


def test_what_is_here_is_hashed_by_its_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "x.json").write_bytes(b"2")
    (tmp_path / "a.json").write_bytes(b"1")
    (tmp_path / "c.txt").write_bytes(b"3")
    one, two = (hashlib.sha256(each).hexdigest() for each in (b"1", b"2"))
    monkeypatch.setattr(inputs, "CHUNK", 1)
    assert hash_of(str(tmp_path / "a.json")) == one
    assert hash_of(str(tmp_path)) == hashlib.sha256(f"a.json {one}\nb/x.json {two}".encode()).hexdigest()
    assert hash_of(str(tmp_path / "none")) == ""

    def failing(place: str) -> str:
        raise OSError(place)

    use(Filesystem({"a": b"abc"}), monkeypatch)
    monkeypatch.setattr(inputs, "_hashed", failing)
    assert hash_of(str(tmp_path / "a.json")) == ""
    with pytest.raises(OSError, match="mem://a"):
        hash_of("mem://a")


def test_a_repaired_copy_is_one_next_to_its_source_only() -> None:
    paths = ["d/a.jsonl", "d/a.repaired.json", "d/b.repaired.jsonl", "e/a.repaired.jsonl", "d/c.jsonl"]
    assert repaired_copies(paths) == {"d/a.repaired.json"}


def test_the_standard_input_is_a_file_that_its_content_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "CHUNK", 2)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"abcde")))
    for folder in (tmp_path / "deep" / "work", tmp_path / "deep" / "work"):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"abcde")))
        path = spooled(folder)
        assert path == folder / f"stdin-{hashlib.sha256(b'abcde').hexdigest()[:16]}"
        assert path.read_bytes() == b"abcde"
        assert list(folder.iterdir()) == [path]
