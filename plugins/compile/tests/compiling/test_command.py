from __future__ import annotations

import json
from importlib.metadata import version
from inspect import signature
from typing import TYPE_CHECKING, Any

import pytest
from click import Context
from click.testing import CliRunner
from tests.cli.test_hostile_output import EVIL, STEERING, hostile
from tests.cli.test_json_reports import BROKEN, CRASHED, report_of

from compiling.conversations import agent, crashed, write_lines
from message_history.cli.app import app
from message_history.cli.options import DIALECT_NAMES
from message_history_compile import command
from message_history_compile.counting import CountError
from message_history_compile.running import compile_files
from message_history_compile.targets import TARGETS

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["compile", *map(str, arguments)])
    return done.exit_code, done.output


def test_rows_are_written_and_counted(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "in.jsonl", [agent(), crashed()])
    code, output = run(path, "--to", "openai_chat", "--out", tmp_path / "out")
    assert code == 0
    assert "2 rows, 2 of them repaired, 0 rejected" in output
    assert "repaired: result_stubbed: 1" in output
    assert len((tmp_path / "out" / "train" / "00000.jsonl").read_text(encoding="utf-8").splitlines()) == 2


def test_a_shard_has_the_same_size_by_command_as_by_function() -> None:
    compiling: Any = app.get_command(Context(app), "compile")
    (of_command,) = (each.default for each in compiling.params if each.name == "shard_mb")
    of_function = signature(compile_files).parameters["unit_bytes"].default
    assert of_function == of_command * command.MEGABYTE == 64 * 2**20


def test_what_is_rejected_shows_in_the_exit_code(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "in.jsonl", [agent(), {"messages": [{"role": "user", "content": "a"}]}])
    code, output = run(path, "--to", "trl", "--out", tmp_path / "out", "--split", "test=0.5", "--dedupe")
    assert code == 1
    assert "rejected: nothing_to_learn: 1" in output
    rejected = json.loads((tmp_path / "out" / "rejected.jsonl").read_text(encoding="utf-8"))
    assert rejected["reason"] == "it has no assistant message"


def test_wrong_usage_says_what_to_do(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "in.jsonl", [agent()])
    code, output = run(path, "--to", "chat-template", "--out", tmp_path / "out")
    assert (code, "--template" in output) == (2, True)
    code, output = run(path, "--to", "trl", "--out", tmp_path / "out", "--split", "test")
    assert (code, "test=0.1" in output) == (2, True)
    code, output = run(tmp_path / "nonesuch", "--to", "trl", "--out", tmp_path / "out")
    assert (code, "no such file" in output) == (2, True)
    assert run(path, "--to", "trl", "--out", tmp_path / "out")[0] == 0
    code, output = run(path, "--to", "openai_chat", "--out", tmp_path / "out")
    assert (code, "another run" in output) == (2, True)


@pytest.mark.parametrize("json_report", [False, True])
@pytest.mark.parametrize("kind", EVIL)
def test_values_of_a_file_stay_within_their_line(kind: str, json_report: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(hostile(EVIL[kind])))
    flags = ["--json"] if json_report else []
    _, output = run(path, "--to", "openai_chat", "--out", tmp_path / "rows", *flags)
    assert not [line for line in output.splitlines() if line.strip().startswith("forged")]
    assert not STEERING.search(output)
    if json_report:
        assert isinstance(json.loads(output), dict)


@pytest.mark.parametrize("there", [True, False], ids=["compile", "compile nothing"])
@pytest.mark.parametrize("data", [BROKEN, CRASHED.read_bytes()], ids=["broken", "crashed"])
def test_a_report_is_of_the_schema_and_all_that_is_printed(data: bytes, there: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(data)
    arguments = ("compile", path if there else tmp_path / "none", "--to", "openai_chat", "--out", tmp_path / "out")
    result = CliRunner().invoke(app, [*map(str, arguments), "--json"])
    report = report_of(result.stdout)
    assert (result.stderr, report["command"], report["exit_code"]) == ("", "compile", result.exit_code)
    assert result.exit_code == CliRunner().invoke(app, list(map(str, arguments))).exit_code


def test_the_version_names_the_distribution_and_what_it_uses() -> None:
    shown = CliRunner().invoke(app, ["--version"], prog_name="message-history").stdout
    assert f"  message-history-compile {version('message-history-compile')}: attrs {version('attrs')}" in shown


@pytest.mark.parametrize(("typed", "near"), [("openai", "openai_chat"), ("bedrok", "bedrock"), ("zzzz", None)])
def test_a_target_that_is_nearly_right_is_answered_with_the_right_one(
    tmp_path: Path, typed: str, near: str | None
) -> None:
    code, output = run(tmp_path, "--to", typed, "--out", tmp_path / "out")
    assert code == 2
    assert (f"Did you mean '{near}'?" if near else "Invalid value for '--to'") in output
    assert ("Did you mean" in output) is (near is not None)


def test_a_target_in_the_form_of_a_dialect_has_the_name_of_the_dialect() -> None:
    assert {"anthropic", "bedrock", "openai_chat"} == {*TARGETS} & {*DIALECT_NAMES}
    assert not {"openai"} & {*TARGETS}


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (ModuleNotFoundError("No module named 'pyarrow'", name="pyarrow"), 2, "message-history-compile"),
        (ImportError("install s3fs"), 2, "install s3fs"),
        (ValueError("no such choice"), 2, "no such choice"),
        (CountError("one row too few"), 2, "one row too few"),
        (OSError("no place"), 2, "no place"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_a_run_raises_ends_it_with_an_exit_code(
    error: Exception, code: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(command, "compile_files", fail)
    path = write_lines(tmp_path / "in.jsonl", [agent()])
    found, output = run(path, "--to", "trl", "--out", tmp_path / "out")
    assert found == code
    assert said in " ".join(output.replace("│", " ").split())
