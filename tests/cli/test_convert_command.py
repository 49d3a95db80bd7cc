"""`convert`: the conversation is written in another dialect's form, valid there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from message_history import MessageHistory, check
from message_history.cli.app import app
from message_history.dialects import Anthropic, OpenAIChat
from message_history.dialects.registry import DIALECTS
from message_history.files.files import read_file
from message_history.files.repaired_lists import repair_file
from tests.helpers import saved

if TYPE_CHECKING:
    from pathlib import Path

CALL: dict[str, Any] = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}}
RESULT: dict[str, Any] = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "found"}
SOUND: list[Any] = [
    {"role": "user", "content": "q"},
    {"role": "assistant", "content": [{"type": "text", "text": "I look."}, CALL]},
    {"role": "user", "content": [RESULT]},
    {"role": "assistant", "content": "é done"},
    {"role": "user", "content": "thanks"},
]


def convert(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["convert", *map(str, arguments)])


@pytest.mark.parametrize("name", DIALECTS)
def test_the_list_goes_to_the_standard_output_valid_in_the_dialect(name: str, tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", SOUND)
    result = convert(file, "--to", name)
    assert result.exit_code == 0, result.stderr
    written = json.loads(result.stdout)
    assert check(written, DIALECTS[name]) == []
    assert all(words in result.stdout for words in ("I look.", "found", "é done", "thanks"))
    assert MessageHistory.from_list(written, dialect=DIALECTS[name]).repairs == ()
    assert list(tmp_path.iterdir()) == [file]


def test_it_is_what_python_callers_get(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", SOUND)
    assert convert(file, "--to", "openai_chat").stdout_bytes == repair_file(read_file(file), to=OpenAIChat()).data
    assert json.loads(convert(file, "--to", "openai_chat").stdout) == MessageHistory.from_list(SOUND).for_send(
        OpenAIChat()
    )


def test_what_was_changed_goes_to_the_standard_error(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", SOUND[:2])
    result = convert(file, "--to", "openai_chat")
    assert result.exit_code == 0
    assert check(json.loads(result.stdout), OpenAIChat(prefill=True)) == []
    assert "stub for a call without a result: call 'toolu_1' of 'f': no result is recorded" in result.stderr
    assert result.stderr.startswith(f"{file}: ")
    assert "written" not in result.stderr


def test_an_output_can_be_named_and_is_overwritten_only_by_force(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", SOUND)
    out = tmp_path / "b.json"
    result = convert(file, "--to", "gemini", "-o", out)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == f"  written: {out} (gemini)"
    assert check(json.loads(out.read_text()), DIALECTS["gemini"]) == []
    again = convert(file, "--to", "mistral", "-o", out)
    assert again.exit_code == 2
    assert again.stderr == f"{out}: error: the output exists; --force overwrites it\n"
    assert convert(file, "--to", "mistral", "-o", out, "--force").exit_code == 0
    before = file.read_bytes()
    assert convert(file, "--to", "mistral", "-o", file, "--force").exit_code == 2
    assert file.read_bytes() == before


def test_a_model_chooses_what_the_dialect_takes(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", SOUND[:4])
    ends = {
        model: json.loads(convert(file, "--to", "anthropic", "--model", model, "--as-request").stdout)[-1]["role"]
        for model in ("claude-3-5-sonnet-latest", "claude-opus-4-8")
    }
    assert ends == {"claude-3-5-sonnet-latest": "assistant", "claude-opus-4-8": "user"}
    assert Anthropic.for_model("claude-3-5-sonnet-latest").prefill


def test_a_dialect_without_models_refuses_one(tmp_path: Path) -> None:
    result = convert(saved(tmp_path / "a.json", SOUND), "--to", "portable", "--model", "m")
    assert result.exit_code == 2
    assert "portable is the same for every model; leave out --model" in result.stderr


def test_there_and_back_is_the_same_list(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", SOUND)
    native = tmp_path / "native.json"
    assert convert(file, "--to", "native", "-o", native).exit_code == 0
    back = convert(native, "--to", "anthropic")
    assert json.loads(back.stdout) == MessageHistory.from_list(SOUND).for_send()


def test_the_form_and_the_system_prompt_of_the_input_are_kept(tmp_path: Path) -> None:
    lines = tmp_path / "a.jsonl"
    lines.write_text("\n".join(map(json.dumps, SOUND)))
    assert len(convert(lines, "--to", "openai_chat").stdout.splitlines()) == len(SOUND)
    holding = saved(tmp_path / "b.json", {"system": "Be kind.", "messages": SOUND})
    assert json.loads(convert(holding, "--to", "openai_chat").stdout)["messages"][0] == {
        "role": "system",
        "content": "Be kind.",
    }


def test_a_skipped_line_is_told_of_by_the_exit_code(tmp_path: Path) -> None:
    lines = tmp_path / "a.jsonl"
    lines.write_text(f"{json.dumps(SOUND[0])}\n{{broken\n")
    result = convert(lines, "--to", "openai_chat")
    assert result.exit_code == 1
    assert "line 2: skipped" in result.stderr
    assert json.loads(result.stdout) == {"role": "user", "content": "q"}


@pytest.mark.parametrize("arguments", [(), ("--to", "klingon"), ("--to", "gemini", "-o")])
def test_wrong_usage_is_refused(arguments: tuple[str, ...], tmp_path: Path) -> None:
    assert convert(saved(tmp_path / "a.json", SOUND), *arguments).exit_code == 2


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    result = convert(tmp_path / "none.json", "--to", "gemini")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "there is no such file" in result.stderr


REQUEST: dict[str, Any] = {
    "model": "claude-opus-4-6",
    "max_tokens": 100,
    "system": "Be kind.",
    "messages": SOUND,
    "tools": [
        {"name": "f", "input_schema": {"type": "object", "properties": {"a": {"type": "integer"}}}},
        {"type": "web_search_20250305", "name": "web_search"},
    ],
    "tool_choice": {"type": "any"},
}


def test_a_request_becomes_one_of_the_other_provider_and_no_hybrid(tmp_path: Path) -> None:
    result = convert(saved(tmp_path / "a.json", REQUEST), "--to", "openai_chat")
    assert result.exit_code == 0
    body = json.loads(result.stdout)
    assert list(body) == ["tools", "tool_choice", "messages"]
    assert body["tools"][0]["function"]["name"] == "f"
    assert body["tool_choice"] == "required"
    assert body["messages"][0] == {"role": "system", "content": "Be kind."}
    assert result.stderr.splitlines()[1:] == [
        "  omitted: tools[1]: a tool that the provider defines or runs itself",
        "  omitted: model: each provider has names of its own",
        "  omitted: max_tokens: a parameter of its provider",
        "  to send it, add: model",
    ]


@pytest.mark.parametrize("name", DIALECTS)
def test_no_key_of_the_first_provider_is_in_any_other_s_request(name: str, tmp_path: Path) -> None:
    result = convert(saved(tmp_path / "a.json", REQUEST), "--to", name)
    body = json.loads(result.stdout)
    if name == "anthropic":
        assert {**body, "messages": []} == {**REQUEST, "messages": []}
        return
    if name in ("native", "pydantic_ai"):
        assert isinstance(body, list)
        assert "omitted: tools: " in result.stderr
        return
    expected = {
        "gemini": {"systemInstruction", "tools", "toolConfig", "contents"},
        "gemini_interactions": {"system_instruction", "tools", "generation_config", "input"},
        "openai_responses": {"instructions", "tools", "tool_choice", "input"},
        "bedrock": {"system", "toolConfig", "messages"},
    }
    assert set(body) <= expected.get(name, {"messages", "tools", "tool_choice"})
    assert {"omitted: model", "omitted: max_tokens"} <= {
        line.strip().rpartition(": ")[0] for line in result.stderr.splitlines()
    }


def test_tools_tell_whose_a_request_is_when_its_messages_do_not(tmp_path: Path) -> None:
    chat = {
        "model": "gpt-4o",
        "messages": [{"role": "user", "content": "q"}],
        "tools": [{"type": "function", "function": {"name": "f"}}],
    }
    body = json.loads(convert(saved(tmp_path / "a.json", chat), "--to", "anthropic").stdout)
    assert body["tools"] == [{"name": "f", "input_schema": {"type": "object", "properties": {}}}]
    assert "model" not in body
    del chat["tools"]
    body = json.loads(convert(saved(tmp_path / "b.json", chat), "--to", "anthropic", "--model", "claude-x").stdout)
    assert body == {"model": "claude-x", "messages": [{"role": "user", "content": [{"type": "text", "text": "q"}]}]}


def test_the_list_alone_is_written_on_demand(tmp_path: Path) -> None:
    result = convert(saved(tmp_path / "a.json", REQUEST), "--to", "gemini", "--list-only")
    listed = json.loads(result.stdout)
    assert check(listed, DIALECTS["gemini"]) == []
    assert [line for line in result.stderr.splitlines() if "omitted: system" in line] == [
        "  omitted: system: it has no place in the list"
    ]
    whole = convert(saved(tmp_path / "a.json", REQUEST), "--to", "openai_chat", "--list-only")
    assert json.loads(whole.stdout)[0]["role"] == "system"


def test_a_line_of_a_batch_becomes_the_request_in_it(tmp_path: Path) -> None:
    line = {"custom_id": "7", "params": REQUEST}
    result = convert(saved(tmp_path / "a.json", line), "--to", "bedrock")
    assert set(json.loads(result.stdout)) == {"system", "toolConfig", "messages"}
    assert "omitted: custom_id: it is outside the request" in result.stderr


def test_a_list_with_a_system_prompt_becomes_an_object_with_the_keys_of_the_provider(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"}])
    result = convert(file, "--to", "gemini")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "systemInstruction": {"parts": [{"text": "Be kind."}]},
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
    }
