"""`--json` of every command prints one object of one schema, and `-` is the standard input and output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click import Context
from click.testing import CliRunner, Result

from message_history import MessageHistory, check
from message_history.cli.app import COMMANDS as ALL
from message_history.cli.app import ELSEWHERE, app
from message_history.dialects import Anthropic, OpenAIChat
from tests.needs import needs_pages

jsonschema = pytest.importorskip("jsonschema")

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs" / "reference" / "report.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
BROKEN = (ROOT / "samples" / "broken_session.json").read_bytes()
CRASHED = ROOT / "samples" / "crashed_session.jsonl"


def run(*arguments: object, given: bytes | None = None) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)), input=given)


def report_of(text: str) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(text)
    VALIDATOR.validate(report)
    return report


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "a.json"
    path.write_bytes(BROKEN)
    return path


def test_the_schema_is_one_and_names_every_command() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert set(SCHEMA["properties"]["command"]["enum"]) == {*ALL, *ELSEWHERE}
    for name in ALL:
        command = app.get_command(Context(app), name)
        assert command is not None
        assert "--json" in {name for option in command.params for name in option.opts}, name


COMMANDS: dict[str, tuple[str, ...]] = {
    "check": ("check", "FILE"),
    "repair": ("repair", "FILE"),
    "convert": ("convert", "FILE", "--to", "gemini", "-o", "OUT"),
    "show": ("show", "FILE"),
    "show --diff": ("show", "FILE", "--diff"),
    "show --html": ("show", "FILE", "--html", "OUT"),
    "explain": ("explain", "messages: text content blocks must be non-empty", "FILE"),
    "explain alone": ("explain", "messages: text content blocks must be non-empty"),
    "explain of a key": ("explain", "invalid x-api-key"),
    "explain nothing": ("explain", "colourless green ideas sleep furiously"),
    "doctor": ("doctor", "FOLDER"),
    "doctor --fix": ("doctor", "FOLDER", "--fix"),
    "formats": ("formats",),
    "a file that is missing": ("check", "OUT"),
    "a folder that is missing": ("doctor", "OUT"),
}


@pytest.mark.parametrize(
    "arguments",
    [pytest.param(each, id=name, marks=needs_pages if "--html" in each else ()) for name, each in COMMANDS.items()],
)
@pytest.mark.parametrize("file", ["broken", "crashed"])
def test_a_report_is_of_the_schema_and_all_that_is_printed(
    arguments: tuple[str, ...], file: str, tmp_path: Path
) -> None:
    path = tmp_path / ("a.json" if file == "broken" else "a.jsonl")
    path.write_bytes(BROKEN if file == "broken" else CRASHED.read_bytes())
    named = {"FILE": str(path), "OUT": str(tmp_path / "out"), "FOLDER": str(tmp_path)}
    result = run(*(named.get(each, each) for each in arguments), "--json")
    report = report_of(result.stdout)
    assert result.stderr == ""
    assert report["command"] == arguments[0]
    assert report["exit_code"] == result.exit_code
    assert result.exit_code == run(*(named.get(each, each) for each in arguments), *_again(arguments)).exit_code


def _again(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """Say what a second run needs when the first has written."""
    return ("--force",) if arguments[0] == "repair" or {"-o", "--html"} & {*arguments} else ()


def test_a_check_lists_violations_with_their_places() -> None:
    found = report_of(run("check", CRASHED, "--json").stdout)["files"][0]
    assert found["notes"] == [{"line": 10, "detail": "cut off", "skipped": True}]
    (conversation,) = found["conversations"]
    assert [(each["rule"], each["line"], each["path"]) for each in conversation["violations"]] == [
        ("OC-01", 3, "tool_calls"),
        ("OC-02", 6, "role"),
        ("OC-01", 9, "tool_calls"),
    ]
    assert all(each["error"] and each["demand"] for each in conversation["violations"])


def test_a_repair_lists_each_repair_with_what_was_removed(broken: Path) -> None:
    found = report_of(run("repair", broken, "--json").stdout)["files"][0]
    assert found["output"] == str(broken.with_name("a.repaired.json"))
    repairs = found["conversations"][0]["repairs"]
    assert len(repairs) == 6
    assert {
        "code": "blank_text_dropped",
        "severity": "lossy",
        "title": "Removed blank text",
        "detail": "",
        "message": repairs[1]["message"],
        "entry": 4,
        "line": None,
        "ids": [],
        "removed": [{"type": "text", "text": ""}],
        "added": [],
    } in repairs


def test_a_conversion_lists_what_is_omitted_and_demanded(tmp_path: Path) -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": "q"}], "tools": [{"type": "web", "n": 1}]}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(request))
    result = run("convert", path, "--to", "bedrock", "--json")
    assert "messages" in json.loads(result.stdout)
    found = report_of(result.stderr)["files"][0]["conversations"][0]
    assert [(each["path"], each["value"]) for each in found["omitted"]] == [
        ("tools[0]", {"type": "web", "n": 1}),
        ("model", "m"),
    ]
    assert found["required"] == ["modelId"]


def test_show_has_the_messages_in_the_saved_form(broken: Path) -> None:
    found = report_of(run("show", broken, "--json").stdout)["files"][0]["conversations"][0]
    assert MessageHistory.from_list(found["history"]).repairs == ()
    assert len(found["history"]) > 5


def test_every_command_that_takes_a_file_takes_the_standard_input() -> None:
    for arguments in (("check", "-"), ("show", "-"), ("repair", "-"), ("convert", "-", "--to", "native")):
        result = run(*arguments, given=BROKEN)
        assert result.exit_code == (1 if arguments[0] == "check" else 0), result.output
        assert "-:" in result.output or arguments[0] == "show"
    result = run("explain", "text content blocks must be non-empty", "-", given=BROKEN)
    assert "it breaks this rule in 1 place" in result.stdout
    assert "its messages" not in run("explain", "-", given=b"text content blocks must be non-empty").stdout


def test_a_repair_of_the_standard_input_goes_to_the_standard_output_alone(tmp_path: Path, broken: Path) -> None:
    for arguments, given in ((("repair", "-"), BROKEN), (("repair", broken, "-o", "-"), None)):
        result = run(*arguments, given=given)
        assert check(json.loads(result.stdout)["messages"], Anthropic(prefill=True)) == []
        assert "6 repairs" in result.stderr
        assert "written" not in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json"]
    out = tmp_path / "b.json"
    assert run("repair", "-", "-o", out, given=BROKEN).exit_code == 0
    assert out.exists()


def test_commands_can_be_chained() -> None:
    first = run("repair", "-", "--json", given=BROKEN)
    report_of(first.stderr)
    second = run("convert", "-", "--to", "openai_chat", "-o", "-", given=first.stdout_bytes)
    third = run("check", "-", given=second.stdout_bytes)
    assert (third.exit_code, third.stdout.startswith("-: openai_chat, ")) == (0, True)
    assert check(json.loads(second.stdout)["messages"], OpenAIChat(prefill=True)) == []


@needs_pages
def test_a_page_goes_to_the_standard_output() -> None:
    page = run("show", "-", "--html", "-", given=BROKEN)
    assert page.stdout.startswith("<!DOCTYPE html>")
    assert page.stderr == ""


def test_the_standard_input_is_read_once_and_alone() -> None:
    assert run("explain", "-", "-").exit_code == 2
    assert run("repair", "-", "a.json").exit_code == 2
    assert run("repair", "a.json", "b.json", "-o", "-").exit_code == 2
    nothing = run("check", "-", given=b"")
    assert (nothing.exit_code, nothing.stderr) == (2, "-: error: the file is empty\n")


def test_a_diff_shows_where_long_messages_differ_and_hides_no_change(tmp_path: Path) -> None:
    long = "x" * 5_000
    call = {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": long}}
    entries: list[Any] = [
        {"role": "user", "content": [{"type": "text", "text": long}, {"type": "text", "text": ""}]},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "found"}]},
    ]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(entries))
    lines = run("show", path, "--diff").stdout.splitlines()
    gone, come = (next(line for line in lines if line.startswith(sign)) for sign in "-+")
    assert '{"type": "text", "text": ""}' in gone
    assert '"text": ""' not in come
    assert all(len(line) < 300 for line in lines)
    assert "characters)" in gone
