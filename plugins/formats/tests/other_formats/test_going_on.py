"""`convert --to claude-code | codex`: what was said, called and answered in any session is in the one that goes on."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from tests.formats.every_sample import SAMPLES
from tests.helpers import saved

from message_history import MessageHistory
from message_history.cli.app import app
from message_history.cli.convert import WRITERS
from message_history.core.messages.blocks import TextBlock, ToolResultBlock, ToolUseBlock
from message_history.dialects import Anthropic
from message_history.formats.reading import session_in
from message_history.formats.registry import FORMATS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.formats.story import Sample

    from message_history import Message
    from message_history.formats.kit import NewSession

PROGRAMS = ("claude-code", "codex")
FOLDER = "/home/me/my_project"
AT = datetime(2026, 5, 1, tzinfo=UTC)


def written(history: MessageHistory, to: str) -> NewSession:
    return WRITERS[to](history, FOLDER, AT)


def read_again(new: NewSession, to: str) -> MessageHistory:
    data = b"".join(json.dumps(row).encode() + b"\n" for row in new.rows)
    session = session_in(data)
    assert session.format.name == to
    assert (session.notes, session.unread, session.violations()) == ((), (), [])
    return session.conversations[0].history()


def facts(messages: MessageHistory | list[Message]) -> list[tuple[Any, ...]]:
    """Give the texts, calls and results, in order."""
    found: list[tuple[Any, ...]] = []
    for message in messages:
        for block in message.content:
            if isinstance(block, TextBlock):
                found.append((message.role, block.text))
            elif isinstance(block, ToolUseBlock):
                found.append(("call", block.id, block.name, block.input))
            elif isinstance(block, ToolResultBlock):
                texts = [each.text for each in block.content if isinstance(each, TextBlock)]
                found.append(("result", block.tool_use_id, *texts))
    return found


@pytest.mark.parametrize("to", PROGRAMS)
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.format)
def test_every_sample_goes_on_in_another_program_and_comes_back_whole(sample: Sample, to: str) -> None:
    for conversation in session_in(sample.data, chosen=FORMATS[sample.format]).conversations:
        history = conversation.history()
        there = read_again(written(history, to), to)
        assert facts(there) == facts(history)
        assert there.repairs == ()
        other = next(each for each in PROGRAMS if each != to)
        assert facts(read_again(written(there, other), other)) == facts(history)


PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PIXEL = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
PAPER = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "aGk="}}
THOUGHT = {"type": "thinking", "thinking": "Which one?", "signature": "c2lnbmVk"}


def session_of(model: str) -> list[Any]:
    calls = [{"type": "tool_use", "id": f"toolu_{n}", "name": "look", "input": {"n": n}} for n in range(2)]
    results = [{"type": "tool_result", "tool_use_id": f"toolu_{n}", "content": f"saw {n}"} for n in (1, 0)]
    reply = {
        "role": "assistant",
        "type": "message",
        "id": "msg_1",
        "model": model,
        "created_at": "2026-04-01T10:00:00Z",
    }
    return [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": [{"type": "text", "text": "Look."}, PIXEL, PAPER]},
        {**reply, "content": [THOUGHT, *calls]},
        {"role": "user", "content": results},
    ]


def test_codex_keeps_images_and_says_what_it_has_no_place_for() -> None:
    history = MessageHistory.from_list(session_of("claude-sonnet-4-5"))
    new = written(history, "codex")
    assert [part.path for part in new.omitted] == ["[0]", "[1].content[2]"]
    user = next(row["payload"] for row in new.rows if row["payload"].get("role") == "user")
    assert [part["type"] for part in user["content"]] == ["input_text", "input_image", "input_text"]
    assert "cannot be shown" in user["content"][2]["text"]
    assert any("thinking" in repair.detail for repair in new.export.repairs)
    results = [row["payload"]["call_id"] for row in new.rows if row["payload"].get("type") == "function_call_output"]
    assert results == [call.id for call in history[1].calls]


@pytest.mark.parametrize(("model", "kept"), [("claude-sonnet-4-5", 1), ("claude-opus-5-5", 0), ("gpt-5", 0)])
def test_thinking_goes_on_where_its_model_does_not_bind_it(model: str, kept: int) -> None:
    response = {**session_of(model)[2], "stop_reason": "tool_use", "usage": {"input_tokens": 1, "output_tokens": 1}}
    history = MessageHistory.from_list(session_of(model)[:2]).add_response(response, dialect=Anthropic())
    new = written(history, "claude-code")
    thoughts = [row for row in new.rows if row["message"]["content"][0]["type"] == "thinking"]
    assert len(thoughts) == kept
    assert [part.path for part in new.omitted] == ["system", *["[1].content[0]"] * (1 - kept)]
    again = read_again(new, "claude-code")
    assert [call.id for call in again[1].calls] == ["toolu_0", "toolu_1"]
    assert [info.model for info in again[1].replies] == ([model] if model != "gpt-5" else [])


def test_times_are_those_of_the_messages_and_else_the_time_that_was_given() -> None:
    first, *others = session_of("claude-sonnet-4-5")[1:]
    history = MessageHistory.from_list([{**first, "created_at": "2026-04-01T10:00:00Z"}, *others])
    times = {row["timestamp"] for row in written(history, "claude-code").rows}
    assert times == {"2026-04-01T10:00:00.000Z"}
    nobody = MessageHistory.from_list([{"role": "user", "content": "Hello"}])
    assert {row["timestamp"] for row in written(nobody, "codex").rows} == {"2026-05-01T00:00:00.000Z"}


def test_each_line_names_the_one_before_and_the_session() -> None:
    rows = written(MessageHistory.from_list(session_of("claude-sonnet-4-5")), "claude-code").rows
    assert [row["parentUuid"] for row in rows] == [None, *(row["uuid"] for row in rows[:-1])]
    assert len({row["sessionId"] for row in rows}) == 1
    assert len({row["uuid"] for row in rows}) == len(rows)


@pytest.mark.parametrize("to", PROGRAMS)
def test_the_command_writes_it_and_says_where_it_belongs(to: str, tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", session_of("claude-sonnet-4-5"))
    out = tmp_path / "out.jsonl"
    arguments = ["convert", str(file), "--to", to, "--folder", FOLDER, "--at", "2026-05-01T10:00:00", "--json"]
    result = CliRunner().invoke(app, [*arguments, "-o", str(out)])
    assert result.exit_code == 0, result.output
    session = session_in(out.read_bytes())
    assert session.format.name == to
    (report,) = json.loads(result.stdout)["files"]
    where = next(remark for remark in report["remarks"] if "goes on with" in remark)
    assert (
        "~/.claude/projects/-home-me-my-project/" if to == "claude-code" else "~/.codex/sessions/2026/05/01/"
    ) in where
    assert report["conversations"][0]["violations"] == []
    again = CliRunner().invoke(app, arguments)
    assert again.stdout_bytes == out.read_bytes()


def test_options_of_dialects_are_refused_for_a_program(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", session_of("claude-sonnet-4-5"))
    result = CliRunner().invoke(app, ["convert", str(file), "--to", "codex", "--model", "gpt-5"])
    assert result.exit_code == 2
    assert "are for dialects" in result.stderr
