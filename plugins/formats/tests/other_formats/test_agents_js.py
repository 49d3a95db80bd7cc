"""Items of the OpenAI Agents SDK for TypeScript, alone, in states of runs, and in the sessions of CodeBuddy."""

from __future__ import annotations

from typing import Any

import pytest
from tests.formats.story import ANSWER, QUESTION, RESULT, lines, told, value

from message_history import ImageBlock, ThinkingBlock, ToolResultBlock
from message_history.formats.reading import session_in
from other_formats.samples.agents_js import AGENTS_JS, CODEBUDDY

USER, CALL, OUTPUT, LAST = AGENTS_JS[0], AGENTS_JS[3], AGENTS_JS[4], AGENTS_JS[5]
PIXEL = "iVBORw0KGgo="


def test_a_call_is_paired_by_its_call_id_and_not_by_the_id_of_its_item() -> None:
    calls = [{**CALL, "id": "1"}, {**CALL, "id": "2", "callId": "c2"}]
    session = session_in(lines(USER, *calls, OUTPUT, {**OUTPUT, "callId": "c2"}, LAST))
    (conversation,) = session.conversations
    assert session.violations() == []
    history = conversation.history()
    assert [each.id for each in history[1].calls] == ["c1", "c2"]
    assert history.repairs == ()


def test_a_session_of_codebuddy_has_its_title_and_says_what_is_left_out() -> None:
    (conversation,) = session_in(lines(*CODEBUDDY)).conversations
    assert (conversation.origin.id, conversation.origin.title) == ("s", "A file")
    assert conversation.omitted == (("file-history-snapshot lines", 1), ("topic lines", 1))


def test_a_call_that_waits_for_leave_is_told_once() -> None:
    made = [{"type": "tool_call_item", "rawItem": CALL}, {"type": "tool_approval_item", "rawItem": CALL}]
    state = {"$schemaVersion": "1.1", "originalInput": [USER], "generatedItems": made}
    (conversation,) = session_in(value(state)).conversations
    assert told(conversation.history())[:2] == [("user", QUESTION), ("call", "read_file")]
    assert len(conversation.file.entries) == 2
    assert conversation.omitted == (("questions whether a tool may run", 1),)


@pytest.mark.parametrize(
    ("output", "status", "expected"),
    [
        (RESULT, "completed", RESULT),
        ([{"type": "input_text", "text": RESULT}], "completed", RESULT),
        ({"type": "text", "text": ""}, "completed", ""),
        ({"type": "file", "file": {"filename": "a.pdf"}}, "completed", "[attached: a.pdf]"),
        (None, "incomplete", "incomplete"),
    ],
)
def test_what_a_call_gave_is_a_text_a_part_or_a_list(output: object, status: str, expected: str) -> None:
    session = session_in(value([USER, CALL, {**OUTPUT, "output": output, "status": status}, LAST]))
    assert told(session.conversations[0].history())[2] == ("result", expected)


@pytest.mark.parametrize(
    "picture", [PIXEL, f"data:image/png;base64,{PIXEL}", {"data": PIXEL, "mediaType": "image/png"}]
)
def test_a_picture_that_a_call_gave_is_kept(picture: object) -> None:
    output = {"type": "image", "image": picture}
    (conversation,) = session_in(value([USER, CALL, {**OUTPUT, "output": output}, LAST])).conversations
    (block,) = conversation.history()[2].content
    assert isinstance(block, ToolResultBlock)
    (part,) = block.content
    assert isinstance(part, ImageBlock)


@pytest.mark.parametrize(
    ("asked", "given", "name"),
    [
        (
            {"type": "shell_call", "action": {"commands": ["ls"]}},
            {"type": "shell_call_output", "output": [{"stdout": "a", "stderr": "", "outcome": {"type": "timeout"}}]},
            "shell",
        ),
        (
            {"type": "apply_patch_call", "operation": {"type": "delete_file", "path": "a"}},
            {"type": "apply_patch_call_output", "status": "failed", "output": "no such file"},
            "apply_patch",
        ),
        (
            {"type": "computer_call", "action": {"type": "wait"}},
            {"type": "computer_call_result", "output": {"type": "computer_screenshot", "data": PIXEL}},
            "computer",
        ),
        ({"type": "program", "code": "1"}, {"type": "program_output", "output": "1"}, "program"),
    ],
)
def test_tools_of_the_api_are_calls_with_results(asked: dict[str, Any], given: dict[str, Any], name: str) -> None:
    session = session_in(value([USER, {**asked, "callId": "c1"}, {**given, "callId": "c1"}, LAST]))
    (conversation,) = session.conversations
    assert (session.unread, conversation.omitted) == ((), ())
    history = conversation.history()
    assert history.repairs == ()
    assert told(history)[1] == ("call", name)
    (block,) = history[2].content
    assert isinstance(block, ToolResultBlock)
    assert block.is_error == (given.get("status") == "failed")


def test_a_hosted_tool_has_what_it_gave_or_its_state() -> None:
    hosted = {"type": "hosted_tool_call", "id": "h1", "name": "web_search_call", "status": "completed"}
    searched = {"type": "tool_search_call", "arguments": {}}
    session = session_in(value([USER, hosted, searched, {**hosted, "id": "h2", "output": "found"}, LAST]))
    (conversation,) = session.conversations
    history = conversation.history()
    assert history.repairs == ()
    assert [said for kind, said in told(history) if kind == "result"] == ["completed", "found"]
    assert conversation.omitted == (("searches for tools", 1),)


def test_reasoning_keeps_its_secret_and_an_empty_one_is_counted() -> None:
    secret = {"type": "reasoning", "id": "rs", "content": [], "providerData": {"encryptedContent": "x"}}
    seen = {**secret, "rawContent": [{"type": "reasoning_text", "text": "Hm."}]}
    compacted = {"type": "compaction", "encrypted_content": "y"}
    (conversation,) = session_in(value([USER, secret, seen, compacted, LAST])).conversations
    (thought, _) = conversation.history()[1].content
    assert isinstance(thought, ThinkingBlock)
    assert conversation.omitted == (("encrypted compactions", 1), ("reasoning without a summary", 1))
    assert conversation.file.entries[1]["content"][0]["encrypted_content"] == "x"


def test_parts_that_people_send_are_kept() -> None:
    parts = [
        {"type": "input_text", "text": QUESTION},
        {"type": "input_image", "image": {"id": "file-1"}},
        {"type": "input_file", "file": {"url": "https://a.b/c.pdf"}},
        {"type": "audio", "audio": "aGk=", "transcript": "hello"},
        {"type": "brand_new", "words": "new"},
        "bare",
    ]
    asked = {"role": "user", "content": parts}
    answered = {**LAST, "content": [{"type": "refusal", "refusal": ANSWER}]}
    history = session_in(value([asked, CALL, OUTPUT, answered])).conversations[0].history()
    said = [text for _, text in told(history)]
    assert said[:3] == [QUESTION, "[attached: https://a.b/c.pdf]", "hello"]
    assert said[3:5] == ['{"type": "brand_new", "words": "new"}', "bare"]
    assert said[-1] == ANSWER
    assert any(isinstance(block, ImageBlock) for block in history[0].content)


def test_an_item_that_the_sdk_does_not_know_is_noted() -> None:
    session = session_in(value([*AGENTS_JS, {"type": "unknown", "providerData": {"type": "new_call"}}]))
    assert [note.line for note in session.unread] == [len(AGENTS_JS)]


def test_items_of_the_responses_api_are_none_of_these() -> None:
    items = [USER, {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}]
    items += [{"type": "function_call_output", "call_id": "c1", "output": RESULT}]
    assert session_in(value(items)).format.name == "messages"
