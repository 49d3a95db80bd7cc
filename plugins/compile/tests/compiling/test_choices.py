"""What is asked of a run: the command's options and words, the plan, the places that are named, and where it goes."""

from __future__ import annotations

import hashlib
import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from click import Context
from rich.console import Console

from compiling.conversations import agent, crashed, write_lines
from compiling.test_command import run
from message_history.cli.app import app
from message_history_compile import command, inputs, places, publishing
from message_history_compile.inputs import find_inputs, hash_of, repaired_copies, spooled
from message_history_compile.plan import Plan
from message_history_compile.publishing import publish
from message_history_compile.running import CompileReport
from message_history_compile.shards import UnitReport
from message_history_compile.targets.base import Settings

if TYPE_CHECKING:
    from rich.text import Text

DIGEST = "8" + "0" * 63


@pytest.mark.parametrize(
    ("split", "digest", "name"),
    [
        ((), DIGEST, "train"),
        ((("a", 0.5),), DIGEST, "train"),
        ((("a", 0.5),), "7" + "f" * 63, "a"),
        ((("a", 0.25), ("b", 0.25)), "4" + "0" * 63, "b"),
        ((("a", 0.25), ("b", 0.25)), "3" + "f" * 63, "a"),
        ((("a", 0.25), ("b", 0.25)), DIGEST, "train"),
        ((("a", 0.25), ("b", 0.25)), "7" + "f" * 63, "b"),
        ((("a", 1 / 16**12),), "0" * 12 + "f" * 52, "a"),
        ((("a", 1 / 16**12),), "0" * 11 + "1" + "0" * 52, "train"),
    ],
)
def test_the_first_48_bits_of_a_hash_choose_the_split(
    split: tuple[tuple[str, float], ...], digest: str, name: str
) -> None:
    chosen = Plan(target="trl", split=split)
    assert chosen.split_of(digest) == name
    assert chosen.splits == ("train", *(each for each, _ in split))


@pytest.mark.parametrize(
    ("split", "is_taken"),
    [
        ((("test", 0.5), ("check", 0.25)), True),
        ((("test", 0.5), ("check", 0.5)), False),
        ((("test", 0.5), ("check", 0.75)), False),
        ((("test", 0),), False),
        ((("test", 1),), False),
        ((("train", 0.5),), False),
        ((("no name", 0.5),), False),
        ((("a", 0.1), ("", 0.5)), False),
    ],
)
def test_a_split_has_names_and_leaves_something_to_train_on(split: Any, is_taken: bool) -> None:
    if is_taken:
        assert Plan(target="trl", split=split).split == split
    else:
        with pytest.raises(ValueError, match=r"^split "):
            Plan(target="trl", split=split)


def test_a_plan_is_told_from_another_by_each_of_its_choices(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes(b"{}")
    usual = {
        "target": "trl",
        "settings": [None, []],
        "thinking": True,
        "synthetic": None,
        "media": "reject",
        "text_with_calls": True,
        "single_calls": False,
        "split": [],
        "dedupe": False,
        "tokenizer": None,
        "dialect": None,
        "format": None,
    }
    assert Plan(target="trl").fingerprint() == usual
    settings = Settings(template="x", tokens=(("bos_token", "<s>"),))
    written = Plan(target="chat-template", settings=settings, split=(("test", 0.5),)).fingerprint()
    hashed = hashlib.sha256(b"x").hexdigest()
    about = {"settings": [hashed, [["bos_token", "<s>"]]], "split": [["test", 0.5]]}
    assert written == {**usual, "target": "chat-template", **about}
    empty = Settings(template="")
    assert Plan(target="trl", settings=empty).fingerprint()["settings"] == [hashlib.sha256(b"").hexdigest(), []]


@pytest.mark.parametrize(
    ("target", "synthetic", "drops"),
    [
        ("trl", None, True),
        ("parquet", None, False),
        ("atif", None, False),
        ("atif", "drop", True),
        ("trl", "mask", False),
        ("trl", "reject", False),
    ],
)
def test_calls_without_a_result_are_dropped_where_nothing_marks_them(target: str, synthetic: Any, drops: bool) -> None:
    assert Plan(target=target, synthetic=synthetic).drops_unanswered is drops


# Inputs


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


class Filesystem:
    """Stands for one of fsspec."""

    def __init__(self, files: dict[str, bytes], about: dict[str, Any] | None = None) -> None:
        self.files, self.about = files, about or {}
        self.put: list[str] = []
        self.folders: list[str] = []

    def isfile(self, path: str) -> bool:
        return path in self.files

    def find(self, path: str) -> list[str]:
        return [each for each in self.files if each.startswith(f"{path}/")]

    def unstrip_protocol(self, path: str) -> str:
        return f"mem://{path}"

    def info(self, _: str) -> dict[str, Any]:
        return self.about

    def open(self, path: str, _: str, **__: Any) -> io.BytesIO:
        return io.BytesIO(self.files[path])

    def exists(self, path: str) -> bool:
        return path in self.files or bool(self.find(path)) or path in self.folders

    def cat_file(self, path: str) -> bytes:
        return self.files[path]

    def makedirs(self, path: str, *, exist_ok: bool) -> None:
        assert exist_ok
        self.folders.append(path)

    def put_file(self, path: str, target: str) -> None:
        assert target.rpartition("/")[0] in self.folders
        self.files[target] = Path(path).read_bytes()
        self.put.append(target)


def use(filesystem: Filesystem, monkeypatch: pytest.MonkeyPatch) -> Filesystem:
    for module in (inputs, places, publishing):
        monkeypatch.setattr(module, "filesystem_of", lambda place: (filesystem, place.partition("://")[2]))
    return filesystem


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


# Output elsewhere


def make(folder: Path) -> str:
    for name in ("b/x", "a", "last", "z"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(name.encode())
    return "made"


def test_the_file_that_says_that_all_is_there_is_put_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    there = use(Filesystem({}), monkeypatch)
    own = tmp_path / "message-history-compile" / hashlib.sha256(b"mem://out").hexdigest()[:16]
    assert publish(make, "mem://out", "last") == "made"
    assert there.put == ["out/a", "out/b/x", "out/z", "out/last"]
    assert not own.exists()
    looked: list[Any] = []

    def look(folder: Path) -> str:
        looked.append((folder, [each.name for each in folder.iterdir()], (folder / "last").read_bytes()))
        return "looked"

    there.put.clear()
    assert publish(look, "mem://out", "last") == "looked"
    assert (looked, there.put, own.exists()) == ([(own, ["last"], b"last")], [], False)


@pytest.mark.parametrize("is_done", [True, False])
def test_what_stands_elsewhere_is_named_by_its_url_and_left_alone(
    is_done: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    use(Filesystem({"out/last": b"1"} if is_done else {}), monkeypatch)
    own = tmp_path / "message-history-compile" / hashlib.sha256(b"mem://out").hexdigest()[:16]

    def refused(folder: Path) -> str:
        folder.mkdir(parents=True, exist_ok=True)
        raise FileExistsError(f"{folder}: another run")

    with pytest.raises(FileExistsError, match=r"^mem://out: another run$"):
        publish(refused, "mem://out", "last")
    assert own.exists() is not is_done


def test_a_folder_elsewhere_with_something_else_in_it_is_refused_unless_a_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    there = use(Filesystem({"out/mine": b"1"}), monkeypatch)
    with pytest.raises(FileExistsError, match=r"^mem://out: it is not empty; choose a new folder$"):
        publish(make, "mem://out", "last")
    own = tmp_path / "message-history-compile" / hashlib.sha256(b"mem://out").hexdigest()[:16]
    own.mkdir(parents=True)
    (own / "last").write_bytes(b"")
    assert publish(make, "mem://out", "last") == "made"
    there.folders.append("empty")
    assert publish(make, "mem://empty", "last") == "made"


@pytest.mark.parametrize("home", ["", None])
def test_work_for_elsewhere_is_in_the_cache_of_the_user(
    home: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    if home is None:
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    else:
        monkeypatch.setenv("XDG_CACHE_HOME", home)
    assert publishing._cache() == tmp_path / ".cache" / "message-history-compile"


# The command


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return what the command asks of a run, which is not done."""
    given: dict[str, Any] = {}

    def compiled(places: Any, chosen: Plan, out: str, **options: Any) -> CompileReport:
        given.update(places=places, plan=chosen, out=out, **options)
        return CompileReport()

    monkeypatch.setattr(command, "compile_files", compiled)
    monkeypatch.setattr(command, "run_in_processes", lambda workers, advance: (workers, advance))
    return given


@pytest.mark.parametrize(
    ("options", "choices"),
    [
        ("", {}),
        ("--thinking drop", {"thinking": False}),
        ("--thinking keep", {}),
        ("--synthetic mask", {"synthetic": "mask"}),
        ("--media omit", {"media": "omit"}),
        ("--no-text-with-calls", {"text_with_calls": False}),
        ("--single-calls", {"single_calls": True}),
        ("--split test=0.1 --split check=.5", {"split": (("test", 0.1), ("check", 0.5))}),
        ("--dedupe", {"dedupe": True}),
        ("--tokenizer here", {"tokenizer": "here"}),
        ("--from openai_chat --format log", {"dialect": "openai_chat", "format": "log"}),
    ],
)
def test_each_option_is_a_choice_of_the_plan(options: str, choices: dict[str, Any], asked: dict[str, Any]) -> None:
    if "--from" in options:
        compiling: Any = app.get_command(Context(app), "compile")
        (named,) = (each.opts[0] for each in compiling.params if each.name == "dialect")
        options = options.replace("--from", named)
    code, output = run("a", "b", "--to", "trl", "--out", "o", *options.split())
    assert (code, asked["plan"]) == (0, Plan(target="trl", **choices)), output
    assert (asked["places"], asked["out"], asked["unit_bytes"], asked["run"]) == (("a", "b"), "o", 64 * 2**20, None)
    assert output == "o: 0 rows, 0 of them repaired, 0 rejected\n"


def test_workers_and_shards_are_as_many_and_as_large_as_asked(asked: dict[str, Any]) -> None:
    run("a", "--to", "trl", "--out", "o", "--workers", 2, "--shard-mb", 3)
    assert (asked["unit_bytes"], asked["run"]) == (3 * 2**20, (2, asked["on_progress"]))
    for option in ("--workers", "--shard-mb"):
        code, output = run("a", "--to", "trl", "--out", "o", option, 0)
        assert (code, "x>=1" in output) == (2, True)
        assert run("a", "--to", "trl", "--out", "o", option, 1)[0] == 0


@pytest.mark.parametrize("text", ["test", "test=", "test=x", "=", ""])
def test_a_split_without_a_part_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"^--split must be a name and a part") as caught:
        command._split(text)
    assert str(caught.value) == f"--split must be a name and a part such as test=0.1, not {text!r}"


@pytest.mark.parametrize(
    ("error", "output"),
    [
        (OSError(28, "No space", "o/x"), "o/x: No space"),
        (OSError(28, "No space"), "No space"),
        (OSError("o: it is odd"), "it is odd"),
        (ImportError("install s3fs"), "install s3fs"),
        (
            ModuleNotFoundError("x", name="pyarrow.parquet"),
            "pyarrow.parquet is not installed; run: pip install 'message-history-compile[arrow]'",
        ),
    ],
    ids=repr,
)
def test_what_ends_a_run_is_printed_after_the_place(
    error: Exception, output: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(command, "compile_files", failing)
    code, printed = run("a", "--to", "trl", "--out", "o")
    assert code == 2
    assert " ".join(printed.split()) == f"o: error: {output}"
    code, printed = run("a", "--to", "trl", "--out", "o", "--json")
    report = json.loads(printed)
    assert (code, report["exit_code"], output.removeprefix("o: ") in printed) == (2, 2, True)


def test_a_module_that_no_extra_brings_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object, **__: object) -> None:
        raise ModuleNotFoundError("x", name="odd")

    monkeypatch.setattr(command, "compile_files", failing)
    assert run("a", "--to", "trl", "--out", "o")[0] == 1


def test_what_was_made_is_printed_and_reported(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "in.jsonl", [agent(), crashed(), {"no": 1}])
    out = tmp_path / "out"
    code, output = run(path, "--to", "trl", "--out", out)
    assert (code, "2 rows, 1 of them repaired, 1 rejected" in output, "train: 2 rows" in output) == (1, True, True)
    _, printed = run(path, "--to", "trl", "--out", out, "--json")
    made = json.loads(printed)["compiled"]
    assert made["output"] == str(out)
    assert (made["rows"], made["rejected"]) == ({"train": 2}, {"no_conversation": 1})
    assert made["repaired"] == 1
    assert made["repairs"] == {"result_stubbed": 1, "unanswered_call_removed": 1}


class Lines:
    """Stands for a printer: keeps the lines with their styles."""

    def __init__(self, *, is_terminal: bool = True) -> None:
        self.lines: list[Text] = []
        self.screen = Console(file=io.StringIO(), force_terminal=is_terminal)

    def line(self, text: Text) -> None:
        self.lines.append(text)

    def add(self, *_: object) -> None:
        pass


@pytest.mark.parametrize(("rows", "style"), [({"train": 1}, "bold green"), ({}, "bold red")])
def test_a_run_that_made_nothing_is_red(rows: dict[str, int], style: str) -> None:
    printer: Any = Lines()
    report = CompileReport(rows=rows, repairs={"x": 1000}, rejected={"y": 2000, "z": 1}, repaired=1234)
    command._print(printer, report, "o\n")
    head, *others = printer.lines
    count = "1 row" if rows else "0 rows"
    assert head.plain == f"o\\n: {count}, 1,234 of them repaired, 2,001 rejected"
    assert [str(span.style) for span in head.spans] == ["bold", style]
    assert [each.plain for each in others] == [
        *(["  train: 1 row"] if rows else []), "  repaired: x: 1,000", "  rejected: y: 2,000", "  rejected: z: 1"
    ]  # fmt: skip
    assert [str(each.style) for each in others[-3:]] == ["dim", "yellow", "yellow"]


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_bar_shows_on_a_terminal_what_was_read_and_made(is_terminal: bool) -> None:
    printer: Any = Lines(is_terminal=is_terminal)
    bar = command._Bar(printer)
    with bar as entered:
        assert entered is bar
        assert bar._bar.live.is_started is is_terminal
        bar.start(100)
        bar.advance(30)
        bar.advance(20)
        for _ in range(2):
            bar.add(UnitReport(index=0, bytes=0, rows={"train": 2, "test": 1}, repaired=1, rejected={"x": 4, "y": 1}))
    assert not bar._bar.live.is_started
    (task,) = bar._bar.tasks
    assert (task.total, task.completed, task.fields) == (100, 50, {"rows": 6, "repaired": 2, "rejected": 10})
    assert bar._bar.live.transient
    empty = command._Bar(printer)._bar.tasks[0]
    assert (empty.total, empty.fields) == (None, {"rows": 0, "repaired": 0, "rejected": 0})
