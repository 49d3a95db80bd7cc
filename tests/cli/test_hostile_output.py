"""Nothing that a file holds forges a line of the output or steers the terminal."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from message_history.cli.app import app

if TYPE_CHECKING:
    from pathlib import Path

EVIL = {
    "a new line": "x\nforged: no violations",
    "a carriage return": "x\rforged: no violations",
    "colours": "x\x1b[31mred\x1b[0m",
    "a link": "x\x1b]8;;https://example.com\x07click\x1b]8;;\x07",
    "a title": "x\x1b]0;owned\x07",
    "a C1 control": "x\x9b31mred",
    "turned text": "x\u202etxt.exe\u202c",
    "isolates": "x\u2067y\u2069",
    "a line separator": "x\u2028forged",
    "markup": "x[bold red]alarm[/]",
    "hidden text": "x\U000e0041\U000e0042",
    "a lone surrogate": "x\ud800",
    "a soft hyphen": "x\xady",
    "fillers": "x\u3164\u115f",
    "bytes in variation selectors": "x\U000e0101\U000e0142",
}
STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\xad\u3164\u115f\U000e0000-\U000e0fff]"
)


def hostile(evil: str) -> list[object]:
    call = {"type": "tool_use", "id": evil, "name": evil, "input": {evil: evil}}
    document = {"type": "document", "title": evil, "source": {"type": "text", "media_type": "text/plain", "data": evil}}
    return [
        {"role": "user", "content": [{"type": "text", "text": evil.replace("\n", " ")}, document]},
        {"role": "assistant", "content": [call, {"type": evil, evil: evil}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"other {evil}", "content": "r"}]},
        {"role": evil, "content": "who?"},
    ]


@pytest.mark.parametrize("json_report", [False, True])
@pytest.mark.parametrize("command", ["check", "show", "repair", "doctor", "convert", "explain"])
@pytest.mark.parametrize("kind", EVIL)
def test_values_of_a_file_stay_within_their_line(kind: str, command: str, json_report: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(hostile(EVIL[kind])))
    arguments = {
        "doctor": [str(tmp_path), "--fix"],
        "convert": [str(path), "--to", "openai_chat", "-o", str(tmp_path / "o")],
        "explain": [f"messages: roles must alternate {EVIL[kind]}", str(path)],
    }
    flags = ["--json"] if json_report else []
    result = CliRunner().invoke(app, [command, *arguments.get(command, [str(path)]), *flags])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert not [line for line in result.output.splitlines() if line.strip().startswith("forged")]
    assert not STEERING.search(result.output)
    if json_report:
        assert isinstance(json.loads(result.stdout), dict)


def test_names_of_files_stay_within_their_line(tmp_path: Path) -> None:
    path = tmp_path / "a\x1b[31m\nforged: 0 violations.json"
    path.write_text(json.dumps([{"role": "user", "content": ""}]))
    for command in ("check", "show", "repair"):
        output = CliRunner().invoke(app, [command, str(path)]).output
        assert not [line for line in output.splitlines() if line.startswith("forged")]
        assert not STEERING.search(output)


@pytest.mark.parametrize("kind", EVIL)
def test_a_result_on_a_screen_is_the_same_json_escaped(kind: str, tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(hostile(EVIL[kind])))
    arguments = ["convert", str(path), "--to", "openai_chat"]
    redirected = CliRunner().invoke(app, arguments).stdout
    monkeypatch.setattr("message_history.cli.options.is_screen", lambda: True)
    shown = CliRunner().invoke(app, arguments).stdout
    assert not STEERING.search(shown)
    assert json.loads(shown) == json.loads(redirected)


@pytest.mark.parametrize(
    "arguments",
    [
        ["formats", "a{}b"],
        ["{}"],
        ["check", "--{}"],
        ["--{}"],
        ["check", "{}"],
        ["check", "--format", "{}", __file__],
        ["convert", "--to", "{}", __file__],
        ["repair", "-o", "{}", __file__, __file__],
    ],
    ids=" ".join,
)
def test_arguments_that_are_refused_steer_no_terminal(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, [each.format("\x1b[31m\u202e\nforged") for each in arguments])
    assert result.exit_code == 2
    assert not [line for line in result.output.splitlines() if line.startswith("forged")]
    assert not STEERING.search(result.output)
