"""What the command asks of a run, and what it prints."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from click import Context
from rich.console import Console

from compiling.conversations import agent, crashed, write_lines
from compiling.test_command import run
from message_history.cli.app import app
from message_history_compile import command
from message_history_compile.plan import Plan
from message_history_compile.running import CompileReport
from message_history_compile.shards import UnitReport

if TYPE_CHECKING:
    from pathlib import Path

    from rich.text import Text


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
