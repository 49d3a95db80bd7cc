"""Inputs are where data lives: packed, in Parquet, in the standard input, and on any filesystem that fsspec has."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from tests.needs import needs_processes, needs_sockets

from compiling.conversations import agent, bytes_in, crashed, write_lines
from compiling.test_command import run
from message_history_compile.items import list_items
from message_history_compile.places import named
from message_history_compile.plan import Plan
from message_history_compile.running import compile_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TRL = Plan(target="trl")
ROWS = [agent(), crashed()] * 3
LINES = "".join(f"{json.dumps(row)}\n" for row in ROWS).encode()


def compiled_in(folder: Path) -> list[dict[str, Any]]:
    texts = [path.read_text(encoding="utf-8") for path in sorted((folder / "train").glob("*.jsonl"))]
    return [json.loads(line) for text in texts for line in text.splitlines()]


def rows_in(folder: Path) -> list[dict[str, Any]]:
    """Return what was compiled, without where it was read."""
    return [{key: row[key] for key in ("messages", "tools")} for row in compiled_in(folder)]


def sources_in(folder: Path) -> set[str]:
    return {row["receipt"]["source"] for row in compiled_in(folder)}


@pytest.fixture
def wanted(tmp_path: Path) -> list[dict[str, Any]]:
    plain = tmp_path / "plain.jsonl"
    plain.write_bytes(LINES)
    compile_files([plain], TRL, tmp_path / "plain-out")
    return rows_in(tmp_path / "plain-out")


def zstd(data: bytes) -> bytes:
    packed: bytes = pytest.importorskip("zstandard").compress(data)
    return packed


@pytest.mark.parametrize("pack", [gzip.compress, zstd])
def test_packed_lines_are_read_in_files_and_folders(pack: Any, tmp_path: Path, wanted: list[dict[str, Any]]) -> None:
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / ("a.jsonl.gz" if pack is gzip.compress else "a.jsonl.zst")
    path.write_bytes(pack(LINES))
    for place in (path, path.parent):
        out = tmp_path / f"out-{place.name}"
        report = compile_files([place], TRL, out, unit_bytes=2000)
        assert (rows_in(out), report.rejected) == (wanted, {})
        assert sources_in(out) == {str(path)}


@pytest.mark.parametrize("pack", [gzip.compress, zstd])
def test_what_cannot_be_unpacked_to_its_end_gives_what_came_before(pack: Any, tmp_path: Path) -> None:
    lines = b"".join(json.dumps({**agent(), "id": f"{n} {n * 7919 % 1009}"}).encode() + b"\n" for n in range(3000))
    packed = pack(lines)
    (tmp_path / "a.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    report = compile_files([tmp_path / "a.jsonl.gz"], TRL, tmp_path / "out")
    assert report.rows["train"] > 100
    last = json.loads((tmp_path / "out" / "rejected.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    assert (last["code"], "unpacked to its end" in last["reason"]) == ("unreadable", True)


@pytest.mark.parametrize("as_text", [False, True])
def test_parquet_is_read(as_text: bool, tmp_path: Path, wanted: list[dict[str, Any]]) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [
        {**row, "messages": json.dumps(row["messages"]), "tools": json.dumps(row["tools"]) if "tools" in row else None}
        for row in ROWS
    ]
    if as_text:
        rows = [{"text": json.dumps(row)} for row in ROWS]
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    compile_files([tmp_path / "a.parquet"], TRL, tmp_path / "out")
    assert rows_in(tmp_path / "out") == wanted


def test_messages_as_json_text_are_read(tmp_path: Path, wanted: list[dict[str, Any]]) -> None:
    write_lines(tmp_path / "a.jsonl", [{**row, "messages": json.dumps(row["messages"])} for row in ROWS])
    compile_files([tmp_path / "a.jsonl"], TRL, tmp_path / "out")
    assert rows_in(tmp_path / "out") == wanted


@needs_processes
def test_the_standard_input_is_read_and_a_run_goes_on(tmp_path: Path, wanted: list[dict[str, Any]]) -> None:
    command = [sys.executable, "-c", "from message_history.cli.app import app; app()"]
    for given, code in ((LINES, 0), (LINES, 0), (LINES + LINES, 2)):
        done = subprocess.run(
            [*command, "compile", "-", "--to", "trl", "--out", "out"], input=given, cwd=tmp_path, check=False
        )
        assert done.returncode == code
        assert (rows_in(tmp_path / "out"), sources_in(tmp_path / "out")) == (wanted, {"-"})
        assert not (tmp_path / "out" / ".work").exists()


def test_a_large_list_is_not_read_whole(
    tmp_path: Path, wanted: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("message_history_compile.items.LARGE", 100)
    monkeypatch.setattr("message_history_compile.items.CHUNK", 50)
    monkeypatch.setattr("message_history.files.files.MAX_BYTES", 100)
    (tmp_path / "a.json").write_text("\ufeff \n" + json.dumps(ROWS, indent=2), encoding="utf-8")
    report = compile_files([tmp_path / "a.json"], TRL, tmp_path / "out")
    assert (rows_in(tmp_path / "out"), report.rejected) == (wanted, {})
    (tmp_path / "b.json").write_text(json.dumps(ROWS)[:-40], encoding="utf-8")
    report = compile_files([tmp_path / "b.json"], TRL, tmp_path / "cut")
    assert (report.rows, report.rejected) == ({"train": 5}, {"not_json": 1})


@pytest.mark.parametrize(
    "text", ["[]", " [ ]\n", "[{}]", '[{"a": [1, "]"]}, [2], {"b": "\\"}"}]', "[1, 2]", '["é,", null]']
)
def test_a_list_has_the_items_that_json_has(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for chunk in (1, 2, 1000):
        monkeypatch.setattr("message_history_compile.items.CHUNK", chunk)
        if text != "[1, 2]" or chunk == 1000:
            assert list(list_items(io.BytesIO(text.encode()))) == json.loads(text)


@pytest.mark.parametrize("text", ["", "[", "[{}", "[{},", "[{} {}]", "{}", "[{}, x]"])
def test_a_damaged_list_says_so(text: str) -> None:
    with pytest.raises(ValueError, match="list"):
        list(list_items(io.BytesIO(text.encode())))


@pytest.mark.parametrize("scheme", ["memory", "file"])
def test_any_filesystem_is_read_and_written(scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fsspec = pytest.importorskip("fsspec")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = f"memory://{tmp_path.name}" if scheme == "memory" else f"file://{tmp_path}/there"
    filesystem, _ = fsspec.core.url_to_fs(root)
    filesystem.makedirs(f"{root}/in", exist_ok=True)
    filesystem.pipe_file(f"{root}/in/a.jsonl", LINES)
    filesystem.pipe_file(f"{root}/in/b.jsonl.gz", gzip.compress(LINES))
    filesystem.pipe_file(f"{root}/in/notes.txt", b"nothing")
    report = compile_files([f"{root}/in"], TRL, f"{root}/out", unit_bytes=2000)
    assert (report.rows, report.rejected) == ({"train": 12}, {})
    assert compile_files([f"{root}/in"], TRL, f"{root}/out", unit_bytes=2000) == report
    filesystem.get(f"{root}/out/", str(tmp_path / "got"), recursive=True)
    compile_files([f"{root}/in"], TRL, tmp_path / "here", unit_bytes=2000)
    assert bytes_in(tmp_path / "got") == bytes_in(tmp_path / "here")
    with pytest.raises(FileExistsError, match=f"^{root}/out: it holds the output of another run"):
        compile_files([f"{root}/in/a.jsonl"], TRL, f"{root}/out")
    with pytest.raises(FileExistsError, match="not empty"):
        compile_files([f"{root}/in"], TRL, f"{root}/in")
    with pytest.raises(FileNotFoundError):
        compile_files([f"{root}/nothing"], TRL, tmp_path / "no")
    assert not list((tmp_path / "cache").rglob("*.jsonl"))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "a.jsonl").write_bytes(LINES)
    (tmp_path / "served" / "b.jsonl.gz").write_bytes(gzip.compress(LINES))

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "served"))) as serving:
        Thread(target=serving.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{serving.server_address[1]}"
        serving.shutdown()


@needs_sockets
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["a.jsonl", "b.jsonl.gz"])
def test_a_server_is_read(server: str, name: str, tmp_path: Path, wanted: list[dict[str, Any]]) -> None:
    for package in ("fsspec", "aiohttp"):
        pytest.importorskip(package)
    compile_files([f"{server}/{name}?key=secret"], TRL, tmp_path / "out", unit_bytes=2000)
    assert (rows_in(tmp_path / "out"), sources_in(tmp_path / "out")) == (wanted, {f"{server}/{name}"})
    code, output = run(f"{server}/gone.jsonl", "--to", "trl", "--out", tmp_path / "no")
    assert (code, "gone.jsonl" in output) == (2, True)


def test_a_package_that_a_filesystem_needs_is_named(tmp_path: Path) -> None:
    if find_spec("fsspec") is None:
        wanted = "fsspec is not installed; run: pip install 'message-history-compile[remote]'"
    else:
        wanted = "s3fs" if find_spec("s3fs") is None else ""
    if wanted:
        code, output = run("s3://bucket/a.jsonl", "--to", "trl", "--out", tmp_path / "out")
        assert (code, wanted in output) == (2, True)


def test_a_receipt_holds_no_secret_of_a_url() -> None:
    assert named("https://user:word@host.test/a.jsonl?sig=1#x") == "https://host.test/a.jsonl"
    assert named("data/a.jsonl") == "data/a.jsonl"
