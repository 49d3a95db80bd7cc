"""`explain`: a provider's error leads to its rule, and to the places of a file that break it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner, Result

from message_history.cli.app import app
from message_history.cli.explain import _error_of
from message_history.dialects import Anthropic
from message_history.explaining import explain
from tests.helpers import saved

if TYPE_CHECKING:
    from pathlib import Path

UNANSWERED = (
    "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_2. Each `tool_use` "
    "block must have a corresponding `tool_result` block in the next message."
)
BLANK = "messages: text content blocks must be non-empty"
BROKEN: list[Any] = [
    {"role": "user", "content": [{"type": "text", "text": "q"}]},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "r"}]},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_2", "name": "f", "input": {}}]},
]


def run(*arguments: object, raw: str | None = None) -> Result:
    return CliRunner().invoke(app, ["explain", *map(str, arguments)], input=raw)


def test_meaning_cause_repair_advice_and_source_are_printed() -> None:
    result = run(f"Error code: 400 - {{'error': {{'message': '{UNANSWERED}'}}}}")
    first = explain(UNANSWERED)[0]
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == f"anthropic AN-C1 ({first.score:.0%}): {first.rule.rule}"
    assert lines[1].startswith("  what causes the error: A tool failed or was cancelled")
    assert lines[2] == (
        "  what to do: run `message-history repair FILE --to anthropic --model MODEL`, or send "
        '`MessageHistory.from_list(messages).for_send(Anthropic.for_model("MODEL"))`'
    )
    assert lines[3] == f"  what a repair does: {first.rule.repair}"
    assert lines[4] == f"  what the provider says: {first.error}"
    assert lines[5] == f"  seen: {first.rule.source} ({first.rule.date})"
    assert any(line.startswith("or bedrock BR-B06") for line in lines[6:])


def test_where_the_list_is_not_at_fault_no_repair_is_advised() -> None:
    result = run("Conversation already has an active response")
    assert result.exit_code == 0
    assert "what to do: no repair of the list helps: the list is not at fault. Wait" in result.stdout
    assert "run `" not in result.stdout


def test_words_that_no_rule_has_are_explained_by_their_topic() -> None:
    result = run("the speakers' roles have to be alternating")
    assert result.exit_code == 0
    opening = "perhaps openai_chat EX-80 (30%): No rule has this text; it seems to be about roles and turns. "
    assert result.stdout.startswith(opening)
    assert "what the provider says" not in result.stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("messages.3.content.0: Invalid `signature` in `thinking` block", "no repair makes a signature valid"),
        (
            "contents must not be empty",
            "what to do: no repair of the list helps: an empty history has nothing to send.",
        ),
        ("EX-41", "what to do: no repair does that yet: leave out `name` on other messages."),
        ("EX-67", "what to do: no repair of the list helps: `history.window(...)` keeps the newest whole turns."),
        ("EX-11", "The text does not say which fault it is, and it may be outside of the list. Run `message-history"),
    ],
)
def test_where_no_repair_helps_it_is_told_what_does(text: str, said: str) -> None:
    lines = run(text).stdout.splitlines()
    assert any(line.startswith("  what to do: ") and said in line for line in lines[1:3])


@pytest.mark.parametrize("text", ["AN-A15", "EX-79", "MS-M04", "the final message may not be the assistant's"])
def test_where_the_end_of_the_list_is_at_fault_it_is_repaired_as_a_request(text: str) -> None:
    (advised,) = [line for line in run(text).stdout.splitlines() if line.startswith("  what to do: ")]
    assert " --as-request`, or send `MessageHistory.from_list(messages)" in advised
    assert "--as-request" not in run("AN-C1").stdout


def test_how_sure_an_explanation_is_stands_before_it() -> None:
    alone = run("Could not process image").stdout
    assert alone.startswith("perhaps anthropic AN-M6 (30%): ")
    assert "  how sure that is: not at all: other programs say this too. Paste what is around it" in alone
    known = run("Could not process image", "--dialect", "anthropic").stdout
    assert known.startswith("anthropic AN-M6 (")
    assert "how sure" not in known
    opaque = run('{"error":{"code":"1214","message":"messages 参数非法。请检查文档。"}}').stdout
    assert opaque.startswith("perhaps openai_chat EX-10 (")
    assert "how sure" not in opaque


def test_the_places_in_a_file_are_printed(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", BROKEN)
    result = run(UNANSWERED, file)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    (recorded,) = [number for number, line in enumerate(lines) if line.startswith(f"{file}: ")]
    assert lines[recorded] == f"{file}: anthropic, 4 messages, it breaks this rule in 1 place"
    assert lines[recorded + 1] == "  entry 3: AN-C1: no result right after: toolu_2"
    assert lines[recorded + 2].strip() == f"the provider says: {UNANSWERED}"


def test_a_file_that_does_not_break_the_rule_is_told_and_others_are_counted(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", BROKEN)
    result = run(BLANK, file)
    assert result.exit_code == 0
    assert f"{file}: anthropic, 4 messages, it does not break this rule\n" in result.stdout
    assert "of other rules: see `message-history check`" in result.stdout
    sound = run(BLANK, saved(tmp_path / "b.json", BROKEN[:3]))
    assert "other rules" not in sound.stdout


def test_the_error_can_come_from_the_standard_input() -> None:
    result = run("-", raw=f"Traceback ...\nclient.BadRequestError: {UNANSWERED}\n")
    assert result.exit_code == 0
    assert result.stdout == run(UNANSWERED).stdout


@pytest.mark.parametrize("text", ["hello", "", "\ud800\x1b[2J"])
def test_a_text_that_no_rule_is_like_has_no_explanation(text: str) -> None:
    result = run("--", text)
    assert result.exit_code == 1
    assert result.stdout == (
        "no known error is like this text; `message-history check FILE` finds what is wrong in a list without it\n"
    )


def test_an_error_about_something_else_comes_with_a_hint() -> None:
    result = run("tools.0.custom.input_schema: Field required")
    assert result.exit_code == 1
    assert result.stdout.startswith("not about the form of the messages, but about tools: Compare the tools")


def test_the_id_of_a_rule_gives_the_rule() -> None:
    result = run("c1")
    assert result.exit_code == 0
    assert result.stdout.startswith("anthropic AN-C1 (100%): Every call is answered")


def test_an_error_of_another_kind_still_tells_what_is_wrong_with_the_file(tmp_path: Path) -> None:
    result = run("Rate limit reached", saved(tmp_path / "a.json", BROKEN))
    assert result.exit_code == 1
    assert "of other rules" in result.stdout


def test_whose_error_it_is_can_be_named_and_is_read_from_the_file(tmp_path: Path) -> None:
    text = "This model does not support assistant message prefill. The conversation must end with a user message."
    assert run(text).stdout.startswith("anthropic AN-A15")
    assert run(text, "--dialect", "bedrock").stdout.startswith("bedrock BR-B03")
    converse = [{"role": "user", "content": [{"text": "q"}]}, {"role": "assistant", "content": [{"text": "a"}]}]
    result = run(text, saved(tmp_path / "a.json", converse))
    assert result.stdout.startswith("bedrock BR-B03")
    assert "  entry 1" in result.stdout


def test_the_model_decides_what_is_wrong(tmp_path: Path) -> None:
    text = "This model does not support assistant message prefill. The conversation must end with a user message."
    file = saved(tmp_path / "a.json", [*BROKEN[:3], {"role": "assistant", "content": "done"}])
    assert "it breaks this rule in 1 place" in run(text, file).stdout
    older = run(text, file, "--dialect", "anthropic", "--model", "claude-3-5-sonnet-latest")
    assert "it does not break this rule" in older.stdout
    assert Anthropic.for_model("claude-3-5-sonnet-latest").prefill
    assert run(text, file, "--model", "claude-3-5-sonnet-latest").exit_code == 2


def test_the_advice_is_for_the_model() -> None:
    text = "Unsupported value: 'messages[0].role' does not support 'system' with this model."
    assert "--to openai_chat --model MODEL`" in run(text).stdout
    named = run(text, "--dialect", "openai_chat", "--model", "o1-mini").stdout
    assert "--to openai_chat --model o1-mini`" in named
    assert 'for_send(OpenAIChat.for_model("o1-mini"))' in named
    assert "what causes the error: A system prompt" in named


def test_a_list_in_the_form_of_another_api_is_looked_at_for_what_the_error_is_about(tmp_path: Path) -> None:
    call = {"id": "toolu_2", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    chat = [*BROKEN[:1], {"role": "assistant", "content": "", "tool_calls": [call]}, {"role": "user", "content": "?"}]
    file = saved(tmp_path / "a.json", {"model": "anthropic/claude", "messages": chat})
    result = run(UNANSWERED, file).stdout
    assert f"{file}: openai_chat, 3 messages, it breaks a rule about the same in 1 place\n  entry 1 " in result
    assert "other rules" not in result
    blank = run(BLANK, file).stdout
    assert "it does not break this rule\n  and 1 violation of other rules" in blank


def test_the_advice_names_the_model_of_the_request(tmp_path: Path) -> None:
    body = saved(tmp_path / "a.json", {"model": "claude-opus-4-6", "max_tokens": 9, "messages": BROKEN})
    assert f"`message-history repair {body} --to anthropic --model claude-opus-4-6`" in run(UNANSWERED, body).stdout
    unnamed = saved(tmp_path / "b.json", {"model": None, "messages": BROKEN})
    assert "--model MODEL`" in run(UNANSWERED, unnamed).stdout


def test_of_a_program_s_session_the_advice_is_to_repair_it_in_its_own_form(tmp_path: Path) -> None:
    call = {"type": "tool-call", "toolCallId": "toolu_2", "toolName": "f", "input": {}}
    messages = [BROKEN[0], {"role": "assistant", "content": [call]}, {"role": "user", "content": "?"}]
    file = saved(tmp_path / "a.json", messages)
    result = run("AI_MissingToolResultsError: Tool result is missing for tool call toolu_2.", file).stdout
    assert f"run `message-history repair {file}` to write a repaired one next to it, or" in result
    assert f"`message-history doctor {file} --fix --in-place` to replace it" in result
    assert "it breaks a rule about the same in 2 places" in result
    assert "  entry 1: AN-C1: no result right after: toolu_2" in result
    assert "other rules" not in result


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    result = run(UNANSWERED, tmp_path / "none.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "there is no such file" in result.stderr
    lines = tmp_path / "a.jsonl"
    lines.write_text("\n".join([*map(json.dumps, BROKEN), "{broken"]))
    skipped = run(UNANSWERED, lines)
    assert skipped.exit_code == 1
    assert "  line 4: AN-C1" in skipped.stdout


def test_the_error_can_be_named_by_its_file_and_piped_without_a_word(tmp_path: Path) -> None:
    log = tmp_path / "error.log"
    log.write_text(f"Traceback ...\nclient.BadRequestError: {UNANSWERED}\n")
    assert run(log).stdout == run(UNANSWERED).stdout
    assert run(raw=UNANSWERED).stdout == run(UNANSWERED).stdout
    body = tmp_path / "error.json"
    body.write_text(json.dumps({"type": "error", "error": {"message": UNANSWERED}}))
    assert run(body).stdout == run(UNANSWERED).stdout


def test_a_file_of_messages_is_no_error_and_may_stand_before_one(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", BROKEN)
    alone = run(file)
    assert alone.exit_code == 2
    assert "holds messages and no error: write the error before it" in alone.stderr
    assert run(file, UNANSWERED).stdout == run(UNANSWERED, file).stdout
    log = tmp_path / "error.log"
    log.write_text(UNANSWERED)
    assert run(log, file).stdout == run(UNANSWERED, file).stdout
    (tmp_path / "deep.json").write_text("[" * 99_999)
    assert run(tmp_path / "deep.json").exit_code == 1


def test_without_an_error_the_way_to_give_one_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    with pytest.raises(click.UsageError, match="write it after the command, or pipe it in"):
        _error_of(None)


def test_a_file_with_an_error_that_cannot_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "error.log"
    log.write_text(UNANSWERED)

    def refuse(*_: object) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("message_history.cli.explain.content", refuse)
    result = run(log)
    assert result.exit_code == 2
    assert "cannot be read: Permission denied" in result.stderr


def test_the_words_of_a_server_that_was_probed_are_known(tmp_path: Path) -> None:
    probe = tmp_path / "own.probe.toml"
    refused = 'asks = "neighbours of one role"\nwords = "The frobnicator wants one friend at a time"\n'
    probe.write_text(f'api = "chat"\n[fields]\n[[refused]]\n{refused}', encoding="utf-8")
    error = "400: The frobnicator wants one friend at a time"

    known = run(error, "--dialect", "openai_chat", "--model", probe)

    assert (known.exit_code, run(error, "--dialect", "openai_chat").exit_code) == (0, 1)
    assert "refused neighbours of one role with it when it was probed" in " ".join(known.output.split())
