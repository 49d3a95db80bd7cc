"""Files of programs that go on with them: whatever row is lost, the repaired file is sound and keeps the others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from message_history.cli.app import app
from message_history.formats.reading import session_in
from message_history.formats.registry import FORMATS, _own_formats
from other_formats.samples import SAMPLES

if TYPE_CHECKING:
    from pathlib import Path

from tests.formats.story import value
from tests.formats.test_repair_in_place import WRITTEN

STUB = "[No result is recorded for this call. The tool may or may not have run.]"


def test_these_are_the_programs_whose_files_are_written() -> None:
    of_programs = {"qwen-code", "droid", "kimi-cli", "hermes", "goose", "grok-cli", "cline"}
    written = of_programs | {"agent-framework", "mistral-conversations", "realtime-items"}
    assert {each for each in WRITTEN if each not in _own_formats()} == written


def test_a_broken_file_that_is_read_only_is_left_alone_and_the_exit_code_says_so(tmp_path: Path) -> None:
    sample = next(each for each in SAMPLES if each.format == "droid-stream")
    rows = [row for row in sample.data.splitlines(keepends=True) if b"tool_result" not in row]
    file = tmp_path / "events.jsonl"
    file.write_bytes(b"".join(rows))
    result = CliRunner().invoke(app, ["doctor", "--fix", "--in-place", str(tmp_path)])
    assert result.exit_code == 1
    assert "files of the format droid-stream are read, not written" in result.output
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_bytes() == b"".join(rows)


NAMES: dict[str, tuple[list[Any], Any, Any]] = {
    "dotnet": (
        [{"role": "user", "contents": [{"$type": "text", "text": "q"}]}],
        {"role": "assistant", "contents": [{"$type": "functionCall", "callId": "c", "name": "f", "arguments": {}}]},
        {"role": "tool", "contents": [{"$type": "functionResult", "callId": "c", "result": STUB}]},
    ),
    "semantic kernel": (
        [{"Role": {"Label": "user"}, "Items": [{"$type": "TextContent", "Text": "q"}]}],
        {
            "Role": {"Label": "assistant"},
            "Items": [{"$type": "FunctionCallContent", "Id": "c", "FunctionName": "f", "Arguments": {}}],
        },
        {"Role": {"Label": "tool"}, "Items": [{"$type": "FunctionResultContent", "CallId": "c", "Result": STUB}]},
    ),
    "python": (
        [{"type": "message", "role": "user", "contents": [{"type": "text", "text": "q"}]}],
        {
            "type": "message",
            "role": "assistant",
            "contents": [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}],
        },
        {
            "type": "message",
            "role": "tool",
            "contents": [{"type": "function_result", "call_id": "c", "result": STUB}],
        },
    ),
}


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_a_thread_of_microsoft_s_frameworks_gets_its_result_in_its_own_names(name: str, *, nested: bool) -> None:
    asked, calling, result = NAMES[name]
    answer = {**calling, **asked[0], **{key: calling[key] for key in ("role", "Role") if key in calling}}
    made: list[Any] = [*asked, calling, answer]
    whole: Any = {"state": {"memory": {"messages": made}, "n": 1}} if nested else made
    repaired = session_in(value(whole), chosen=FORMATS["agent-framework"]).repair_file()
    found = json.loads(repaired.data)
    assert (found["state"]["memory"]["messages"] if nested else found) == [*asked, calling, result, answer]


@pytest.mark.parametrize("key", ["", "entries", "inputs"])
def test_entries_of_mistral_s_conversations_get_the_result_that_is_missing(key: str) -> None:
    asked = {"object": "entry", "type": "message.input", "id": "i", "role": "user", "content": "q"}
    calling = {
        "object": "entry",
        "type": "function.call",
        "id": "f",
        "tool_call_id": "c",
        "name": "f",
        "arguments": "{}",
    }
    ran = {"object": "entry", "type": "tool.execution", "id": "t", "name": "web_search", "arguments": "{}"}
    answer = {"object": "entry", "type": "message.output", "id": "o", "role": "assistant", "content": "a"}
    result = {"object": "entry", "type": "function.result", "tool_call_id": "c", "result": STUB}
    entries: list[Any] = [asked, ran, calling, answer]
    repaired = session_in(
        value({key: entries, "conversation_id": "v"} if key else entries), chosen=FORMATS["mistral-conversations"]
    ).repair_file()
    found = json.loads(repaired.data)
    assert (found[key] if key else found) == [asked, ran, calling, result, answer]


@pytest.mark.parametrize("listed", [False, True])
def test_items_of_realtime_stay_items_and_get_the_output_that_is_missing(*, listed: bool) -> None:
    asked = {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_audio", "transcript": "q", "audio": "AAAA"}],
    }
    calling = {"object": "realtime.item", "type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    answered = [{"type": "output_audio", "transcript": "a"}]
    answer = {"object": "realtime.item", "id": "o", "type": "message", "role": "assistant", "content": answered}
    result = {"object": "realtime.item", "type": "function_call_output", "call_id": "c", "output": STUB}
    items: list[Any] = [asked, calling, answer]
    repaired = session_in(value({"items": items} if listed else items)).repair_file()
    found = json.loads(repaired.data)
    assert (found["items"] if listed else found) == [asked, calling, result, answer]
