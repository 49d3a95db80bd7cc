"""Every format: its sample is recognised by it alone, read whole, and never written over."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from click.testing import CliRunner
from tests.formats.story import ANSWER, QUESTION, RESULT, lines, told, value

from message_history import from_file
from message_history.cli.app import app
from message_history.formats.reading import session_in
from message_history.formats.registry import FORMATS, _own_formats
from other_formats.samples import SAMPLES

if TYPE_CHECKING:
    from pathlib import Path
DATABASES = {
    *("goose-database", "hermes-database", "crush", "adk-database", "openai-agents-database", "open-webui-database"),
    *("zed-database", "amazon-q-database", "langgraph-database"),
}


def test_every_format_has_a_sample_or_is_a_database() -> None:
    assert set(FORMATS) - set(_own_formats()) == {each.format for each in SAMPLES} | DATABASES


def test_conversations_of_a_file_come_with_their_origin(tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    file.write_bytes(next(each.data for each in SAMPLES if each.format == "chatgpt-export"))
    (conversation,) = from_file(file)
    origin = conversation.origin
    assert (origin.format, origin.path, origin.id, origin.title) == ("chatgpt-export", str(file), "s", "A file")
    assert conversation.omitted == (("messages on another branch", 1),)
    assert from_file(file, format="chatgpt-export") == (conversation,)


def test_chats_of_aider_are_found_and_read_one_by_one(tmp_path: Path) -> None:
    file = tmp_path / ".aider.chat.history.md"
    sample = next(each.data for each in SAMPLES if each.format == "aider")
    file.write_bytes(sample + sample.replace(b"2026-01-02", b"2026-01-03"))
    first, second = from_file(file)
    assert told(first.history()) == told(second.history())
    assert [each.origin.title for each in (first, second)] == [
        "aider chat started at 2026-01-02 03:04:05",
        "aider chat started at 2026-01-03 03:04:05",
    ]
    assert "1 session: 1 sound" in CliRunner().invoke(app, ["doctor", str(tmp_path)]).output


def test_two_results_of_llama_factory_in_one_list_answer_two_calls() -> None:
    asked = [{"type": "tool_call", "value": json.dumps({"name": name, "arguments": {}})} for name in ("f", "g")]
    given = {"role": "tool", "content": [{"type": "text", "value": json.dumps(["one", "two"])}]}
    rows = [
        {"role": "user", "content": [{"type": "text", "value": QUESTION}]},
        {"role": "assistant", "content": asked},
        given,
    ]
    history = session_in(lines({"messages": rows})).conversations[0].history()
    assert told(history)[1:] == [("call", "f"), ("call", "g"), ("result", "one"), ("result", "two")]
    assert history.repairs == ()


def test_a_tool_s_text_of_semantic_kernel_is_left_away_only_when_it_repeats_the_result() -> None:
    def told_of(written: str) -> list[tuple[str, str]]:
        items = [
            {"$type": "TextContent", "Text": written},
            {"$type": "FunctionResultContent", "CallId": "c1", "FunctionName": "f", "Result": RESULT},
        ]
        call = {"$type": "FunctionCallContent", "Id": "c1", "FunctionName": "f", "Arguments": {}}
        messages = [
            {"Role": {"Label": "user"}, "Items": [{"$type": "TextContent", "Text": QUESTION}]},
            {"Role": {"Label": "assistant"}, "Items": [call]},
            {"Role": {"Label": "tool"}, "Items": items},
        ]
        return told(session_in(value(messages)).conversations[0].history())

    assert told_of(RESULT)[2:] == [("result", RESULT)]
    assert told_of("Something else.")[2:] == [("result", RESULT), ("user", "Something else.")]


def test_contents_that_stand_apart_in_a_log_of_inspect_are_put_back() -> None:
    message = {"role": "user", "content": [{"type": "text", "text": "attachment://a1"}]}
    sample = {"id": 1, "epoch": 1, "input": "", "messages": [message], "attachments": {"a1": QUESTION}}
    log = {"version": 2, "eval": {}, "samples": [sample]}
    assert told(session_in(value(log)).conversations[0].history()) == [("user", QUESTION)]


def test_a_chat_of_chatgpt_is_read_without_what_older_and_smaller_exports_lack() -> None:
    nodes = {
        "u": {"parent": None, "message": {"author": {"role": "user"}, "content": {"parts": [QUESTION]}}},
        "a": {"parent": "u", "message": {"author": {"role": "assistant"}, "content": {"parts": [ANSWER]}}},
    }
    session = session_in(value({"title": "A file", "mapping": nodes}))
    assert (session.format.name, session.unread) == ("chatgpt-export", ())
    assert told(session.conversations[0].history()) == [("user", QUESTION), ("assistant", ANSWER)]
