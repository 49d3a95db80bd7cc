"""`check`: the violations of the file's dialect, exit code 1 if there are any, and nothing is written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from message_history.cli.app import app
from tests.helpers import saved

if TYPE_CHECKING:
    from pathlib import Path

CALL: dict[str, Any] = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
RESULT: dict[str, Any] = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "x"}
QUESTION: dict[str, Any] = {"role": "user", "content": "q"}
CHAT_CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def check(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["check", *map(str, arguments)])


def test_a_sound_file_is_clean(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", [QUESTION, {"role": "assistant", "content": "a"}, QUESTION])
    result = check(file)
    assert result.exit_code == 0
    assert result.stdout == f"{file}: anthropic, 3 messages, no violations\n"
    assert result.stderr == ""


def test_violations_are_listed_with_place_rule_demand_and_the_providers_words(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", [QUESTION, {"role": "assistant", "content": [CALL]}, QUESTION])
    before = file.read_bytes()
    result = check(file)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        f"{file}: anthropic, 3 messages, 2 violations",
        "  entry 1: AN-C1: no result right after: toolu_1",
        "    Every call is answered by a result at the start of the very next message.",
        "    the provider says: messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: "
        "toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        "  entry 2 content[0]: AN-C2: the message does not begin with a result",
        "    Results come first in the user's message.",
        "    the provider says: messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: "
        "toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ]
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


def test_what_is_not_judged_is_not_said_to_be_sound(tmp_path: Path) -> None:
    broken = [QUESTION, {"role": "assistant", "content": "", "tool_calls": [CHAT_CALL]}, QUESTION]
    file = saved(tmp_path / "a.json", {"Model": "gpt-4o", "Messages": broken})
    result = check(file)
    assert result.exit_code == 0
    assert result.stdout == (
        f"{file}: openai_chat, 3 messages, not judged, since no program is known to send it as it is; "
        "`--dialect openai_chat` judges it\n"
    )
    for arguments, is_judged in (((), False), (("--dialect", "openai_chat"), True)):
        report = json.loads(check(file, *arguments, "--json").stdout)
        assert report["files"][0]["conversations"][0]["judged"] is is_judged
    judged = check(file, "--dialect", "openai_chat")
    assert judged.exit_code == 1
    assert "OC-01" in judged.stdout
    sound = saved(tmp_path / "b.json", {"Messages": [QUESTION, {**QUESTION, "role": "assistant"}, QUESTION]})
    assert "no violations" in check(sound, "--dialect", "openai_chat").stdout


def test_of_many_conversations_the_broken_ones_are_listed_and_all_are_counted(tmp_path: Path) -> None:
    broken = [QUESTION, {"role": "assistant", "content": [CALL]}, QUESTION]
    rows = [{"messages": broken if n in {3, 7} else [QUESTION]} for n in range(21)]
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = check(file)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    named = [line for line in lines if line.startswith(str(file))]
    assert named[:2] == [f"{file} (line {n}): anthropic, 3 messages, 2 violations" for n in (4, 8)]
    assert named[2:] == [f"{file}: 21 conversations, 2 with violations: AN-C1 in 2, AN-C2 in 2"]
    assert len(json.loads(check(file, "--json").stdout)["files"][0]["conversations"]) == 21
    file.write_text("".join(json.dumps(row) + "\n" for row in rows[8:] * 2))
    assert check(file).stdout == f"{file}: 26 conversations, no violations\n"


def test_violations_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    orphan = {"role": "user", "content": [RESULT]}
    file = saved(tmp_path / "a.json", [orphan, {"role": "assistant", "content": ""}, QUESTION])
    places = [line.split()[1] for line in check(file).stdout.splitlines() if line.startswith("  entry")]
    assert places == sorted(places)
    assert len(set(places)) > 1


def test_the_dialect_is_found_by_shape(tmp_path: Path) -> None:
    chat = saved(tmp_path / "chat.json", [QUESTION, {"role": "assistant", "content": None, "tool_calls": [CHAT_CALL]}])
    assert "chat.json: openai_chat, 2 messages, 1 violation" in check(chat).stdout
    native = saved(tmp_path / "native.json", [{"role": "assistant", "content": [], "native": 1}])
    assert "native.json: native, 1 message, 2 violations" in check(native).stdout


def test_the_dialect_can_be_named(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", [{"role": "user", "content": "q", "name": "Ann"}])
    assert check(file).exit_code == 0
    assert check(file, "--dialect", "openai_chat").exit_code == 0
    assert check(file, "--dialect", "anthropic").exit_code == 1
    unknown = check(file, "--dialect", "latin")
    assert unknown.exit_code == 2
    assert "'latin' is not one of" in unknown.stderr


def test_the_model_can_be_named(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "q"}])
    assert check(file, "--dialect", "openai_chat").exit_code == 0
    assert "OC-17" in check(file, "--dialect", "openai_chat", "--model", "o1-mini").stdout
    without = check(file, "--model", "o1-mini")
    assert without.exit_code == 2
    assert "--model needs --dialect" in without.stderr


def test_a_conversation_may_end_with_the_assistant_but_a_request_may_not(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", [QUESTION, {"role": "assistant", "content": "a"}])
    assert check(file).exit_code == 0
    request = check(file, "--as-request")
    assert request.exit_code == 1
    assert ": AN-A15: " in request.stdout
    assert check(file, "--dialect", "anthropic").exit_code == 0
    assert check(file, "--dialect", "anthropic", "--as-request").exit_code == 1


def test_lines_are_named_by_number_and_malformed_ones_are_skipped(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    rows = [json.dumps(QUESTION), '{"role": "user", "conte', "", json.dumps({"role": "assistant", "content": [CALL]})]
    file.write_text("\n".join(rows))
    result = check(file)
    assert result.exit_code == 1
    assert result.stderr == f"{file}: line 2: skipped: cut off\n"
    assert "\n  line 4: AN-C1: no result right after: toolu_1\n" in result.stdout


def test_a_skipped_line_alone_is_something_found(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps(QUESTION) + "\noops\n")
    result = check(file)
    assert result.exit_code == 1
    assert result.stdout.endswith("1 message, no violations\n")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "the file is empty"),
        (b"[]", "it holds no messages"),
        (b"\x89PNG\r\n\x1a\n\0\0", "it is a binary file"),
        (b"caf\xe9", "it is not UTF-8 (byte 3)"),
        (b"Dear diary,", "it is neither JSON nor JSONL (line 1: Expecting value at column 1)"),
    ],
)
def test_a_file_that_holds_no_conversation_is_one_line_and_exit_code_2(
    content: bytes, why: str, tmp_path: Path
) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(content)
    result = check(file)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == f"{file}: error: {why}\n"


def test_a_file_in_no_format_is_not_recognised_and_exit_code_1(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"messages": 3}', encoding="utf-8")
    result = check(file)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"{file}: error: not recognised: its `messages` are not a list, but a number")


def test_a_missing_file_and_a_folder_are_one_line_and_exit_code_2(tmp_path: Path) -> None:
    missing = check(tmp_path / "nowhere.json")
    assert (missing.exit_code, missing.stderr) == (2, f"{tmp_path}/nowhere.json: error: there is no such file\n")
    folder = check(tmp_path)
    assert folder.exit_code == 2
    assert (
        folder.stderr == f"{tmp_path}: error: this is a folder, not a file; `message-history doctor` checks folders\n"
    )


def test_a_file_that_may_not_be_read_is_one_line_and_exit_code_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    # Root may read everything, so the system call is stood in for.
    monkeypatch.setattr("message_history.files.files.content", forbidden)
    result = check(tmp_path / "a.json")
    assert (result.exit_code, result.stderr) == (
        2,
        f"{tmp_path}/a.json: error: there is no permission to read it\n",
    )


def test_one_file_that_cannot_be_read_does_not_end_the_run(tmp_path: Path) -> None:
    good = saved(tmp_path / "good.json", [QUESTION])
    bad = saved(tmp_path / "bad.json", [{"role": "user", "content": ""}])
    result = check(tmp_path / "nowhere", bad, good)
    assert result.exit_code == 2
    assert f"{bad}: anthropic, 1 message, 1 violation" in result.stdout
    assert f"{good}: anthropic, 1 message, no violations" in result.stdout
    assert check(good, bad).exit_code == 1
    assert check(good, good).exit_code == 0


def test_file_names_and_contents_cannot_steer_the_terminal(tmp_path: Path) -> None:
    file = saved(tmp_path / "[bold]a\x1b[31m.json", [{"role": "\x1b]0;owned\x07", "content": "q"}])
    result = check(file)
    assert result.exit_code == 1
    assert "\x1b" not in result.stdout
    assert "\x07" not in result.stdout
    assert "[bold]a\\x1b[31m.json: " in result.stdout
