"""What tools of MCP servers give, and other content whose words were lost: read as what it is, in every dialect."""

from __future__ import annotations

import json
from typing import Any

import pytest

from message_history import DocumentBlock, ImageBlock, MessageHistory, RepairCode, TextBlock, check
from message_history.dialects import Anthropic, Bedrock, Gemini, Mistral, OpenAIChat, OpenAIResponses, PydanticAI
from tests.campaigns.lists import written

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
CONTENT: list[dict[str, Any]] = [
    {"type": "text", "text": "a pixel"},
    {"type": "image", "data": PIXEL, "mimeType": "image/png"},
    {"type": "resource", "resource": {"uri": "file:///a.txt", "mimeType": "text/plain", "text": "(text of a file)"}},
]
RESULT = {"content": CONTENT, "isError": False}
LISTS: dict[str, list[Any]] = {
    "openai_responses": [
        {"role": "user", "content": "q"},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": CONTENT},
    ],
    "whole": [
        {"role": "user", "content": "q"},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": RESULT},
    ],
    "anthropic": [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": CONTENT}]},
    ],
    "gemini": [
        {"role": "user", "parts": [{"text": "q"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": RESULT}}]},
    ],
}


def blocks_are_read(history: MessageHistory) -> None:
    found = history[-1].results[0].content
    assert [type(block) for block in found] == [TextBlock, ImageBlock, DocumentBlock]
    for dialect in (Anthropic(), OpenAIResponses(), Bedrock()):
        wire = history.for_send(dialect)
        assert check(wire, dialect) == []
        assert "mimeType" not in repr(wire)
        assert "(text of a file)" in repr(wire)


@pytest.mark.parametrize("form", LISTS)
def test_an_image_in_a_result_is_an_image(form: str) -> None:
    blocks_are_read(MessageHistory.from_list(LISTS[form]))


@pytest.mark.parametrize("raw", [CONTENT, RESULT])
def test_a_result_of_mcp_can_be_added_as_it_is(raw: Any) -> None:
    history = MessageHistory.from_list(LISTS["anthropic"][:2], open_tail="keep")
    blocks_are_read(history.add_tool_result(history.awaiting[0], raw))


SNAKE: list[dict[str, Any]] = [
    {"type": "text", "text": "a pixel", "annotations": None, "meta": None},
    {"type": "image", "data": PIXEL, "mime_type": "image/png", "annotations": None, "meta": None},
    {"type": "resource", "resource": {"uri": "file:///a.txt", "mime_type": None, "text": "(text of a file)"}},
]
SDK_RESULTS: dict[str, dict[str, Any]] = {
    "the SDK's object, by alias": {**RESULT, "isError": True, "resultType": "complete"},
    "model_dump of the SDK": {"meta": None, "content": SNAKE, "is_error": True, "result_type": "complete"},
    "FastMCP's client": {"content": CONTENT, "structured_content": {"n": 1}, "data": {"n": 1}, "is_error": True},
}


@pytest.mark.parametrize("form", SDK_RESULTS)
def test_a_result_of_an_sdk_of_mcp_is_read_as_one(form: str) -> None:
    history = MessageHistory.from_list(LISTS["anthropic"][:2], open_tail="keep")
    history = history.add_tool_result(history.awaiting[0], SDK_RESULTS[form])
    blocks_are_read(history)
    assert history[-1].results[0].is_error


def test_a_response_of_gemini_goes_back_as_it_came() -> None:
    raw = LISTS["gemini"]
    assert MessageHistory.from_list(raw).for_send(Gemini(signatures_required=False)) == raw


def test_other_json_that_has_content_stays_json() -> None:
    history = MessageHistory.from_list(LISTS["anthropic"][:2], open_tail="keep")
    picture = {"content": [{"type": "image", "data": PIXEL, "mimeType": "image/png"}], "data": 1}
    for raw in ({"content": [{"type": "text", "text": "a"}], "more": 1}, {"content": "a"}, {"isError": True}, picture):
        added = history.add_tool_result(history.awaiting[0], raw)
        assert json.loads(added[-1].results[0].text) == raw


@pytest.mark.parametrize("kind", ["guarded_text", "annotated"])
def test_words_in_a_part_of_an_unknown_type_are_sent(kind: str) -> None:
    for raw, dialect in (
        ([{"role": "user", "content": [{"type": kind, "text": "(words)"}]}], OpenAIChat()),
        ([{"role": "user", "content": [{"type": kind, "text": "(words)"}]}], OpenAIResponses()),
        ([{"role": "user", "content": [{"type": kind, "text": "(words)"}]}], Anthropic()),
        ([{"role": "user", "content": [{"type": kind, "text": "(words)"}]}], None),
    ):
        history = MessageHistory.from_list(raw, dialect=dialect)
        for target in (Anthropic(), Bedrock(), Gemini(), Mistral(), OpenAIChat(), OpenAIResponses(), PydanticAI()):
            wire = history.for_send(target)
            assert "(words)" in repr(wire)
            assert check(wire, target) == []


def test_thoughts_in_a_part_of_an_unknown_type_are_not_what_was_answered() -> None:
    said = {"role": "assistant", "content": [{"type": "reasoning", "text": "(hm)"}, {"type": "text", "text": "a"}]}
    history = MessageHistory.from_list([{"role": "user", "content": "q"}, said], dialect=OpenAIChat())
    assert history[1].text == "a"


def test_parts_that_say_their_kind_are_of_pydantic_ai() -> None:
    raw = [
        {"role": "user", "parts": [{"part_kind": "text", "content": "hello"}]},
        {"role": "assistant", "parts": [{"part_kind": "text", "content": "hi"}]},
        {"role": "user", "parts": [{"part_kind": "user-prompt", "content": "bye"}]},
    ]
    history = MessageHistory.from_list(raw)
    assert [(message.role, message.text) for message in history] == [
        ("user", "hello"),
        ("assistant", "hi"),
        ("user", "bye"),
    ]


def test_a_retry_prompt_without_a_tool_is_the_users() -> None:
    call = {"part_kind": "tool-call", "tool_name": "f", "args": {}, "tool_call_id": "c1"}
    retry = {"part_kind": "retry-prompt", "content": "again", "tool_name": None, "tool_call_id": "c1"}
    raw = [
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "q"}]},
        {"kind": "response", "parts": [call]},
        {"kind": "request", "parts": [retry]},
    ]
    history = MessageHistory.from_list(raw)
    assert history[-1].results[0].is_stub
    assert history[-1].text == "again"


def test_a_truncated_response_whose_call_has_no_arguments_is_written() -> None:
    call = {"part_kind": "tool-call", "tool_name": "f", "tool_call_id": "c1"}
    raw = [
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "q"}]},
        {"kind": "response", "parts": [call], "finish_reason": "length"},
        {
            "kind": "request",
            "parts": [{"part_kind": "tool-return", "tool_name": "f", "tool_call_id": "c1", "content": "r"}],
        },
    ]
    for dialect in (PydanticAI(), None):
        assert check(MessageHistory.from_list(raw, dialect=dialect).for_send(PydanticAI()), PydanticAI()) == []


TOKEN = "7350127735501"
RICH: dict[str, Any] = {
    "content": [
        {"type": "text", "text": "a pixel", "annotations": {"audience": [TOKEN + "a"]}},
        {"type": "image", "data": PIXEL, "mimeType": "image/png", "_meta": {"k": TOKEN + "b"}},
        {
            "type": "resource",
            "annotations": {"priority": TOKEN + "c"},
            "resource": {"uri": "file:///a.md", "mimeType": "text/" + TOKEN + "d", "text": "(text of a file)"},
        },
        {"type": "resource_link", "uri": "file:///b.txt", "name": TOKEN + "e"},
        {"type": "resource", "resource": {"uri": "i:" + TOKEN + "f", "mimeType": "image/png", "blob": PIXEL}},
    ],
    "structuredContent": {"k": TOKEN + "g"},
    "_meta": {"k": TOKEN + "h"},
    "isError": True,
}
TARGETS = (Anthropic(), OpenAIResponses(), Bedrock(), Gemini(), Mistral(), OpenAIChat(), PydanticAI())


def rich_histories() -> dict[str, MessageHistory]:
    anthropic, responses, gemini = LISTS["anthropic"][:2], LISTS["whole"][:2], LISTS["gemini"][:2]
    opened = MessageHistory.from_list(anthropic, open_tail="keep")
    output = {"type": "function_call_output", "call_id": "c", "output": RICH}
    response = {"functionResponse": {"name": "f", "response": RICH}}
    return {
        "added": opened.add_tool_result(opened.awaiting[0], RICH),
        "responses": MessageHistory.from_list([*responses, output]),
        "gemini": MessageHistory.from_list([*gemini, {"role": "user", "parts": [response]}]),
    }


@pytest.mark.parametrize("form", ["added", "responses", "gemini"])
def test_what_mcp_says_of_its_content_is_in_the_history_and_in_each_export_or_its_repairs(form: str) -> None:
    history = rich_histories()[form]
    assert history[-1].results[0].is_error
    kinds = [type(block) for block in history[-1].results[0].content]
    assert kinds == [TextBlock, ImageBlock, DocumentBlock, TextBlock, ImageBlock]
    saved = json.dumps(history.to_list())
    tokens = [TOKEN + letter for letter in "abcdefgh"]
    assert [token for token in tokens if token not in saved] == []
    assert MessageHistory.from_list(history.to_list()) == history
    for target in TARGETS:
        export = history.export(target)
        assert check(export.messages, target) == []
        found = json.dumps(export.messages, default=repr) + written(export.repairs)
        assert [token for token in tokens if token not in found] == [], target.name


def test_media_beside_a_result_of_mcp_go_back_with_it() -> None:
    picture = {"inlineData": {"mimeType": "image/png", "data": PIXEL}}
    response = {"functionResponse": {"name": "f", "response": RESULT, "parts": [picture]}}
    raw = [*LISTS["gemini"][:2], {"role": "user", "parts": [response]}]
    history = MessageHistory.from_list(raw)
    for dialect in (Gemini(signatures_required=False), Gemini.for_model("gemini-2.5-flash")):
        wire = history.for_send(dialect)
        assert PIXEL in json.dumps(wire).replace(json.dumps(RESULT), "")
        assert check(wire, dialect) == []


def test_results_in_messages_of_mcp_go_to_the_calls_that_they_name() -> None:
    calls: list[dict[str, Any]] = [{"type": "tool_use", "id": id, "name": "f", "input": {}} for id in ("c1", "c2")]
    results = [
        {"type": "tool_result", "toolUseId": "c2", "content": [{"type": "text", "text": "second"}], "isError": True},
        {"type": "tool_result", "toolUseId": "c1", "content": [{"type": "text", "text": "first"}]},
    ]
    history = MessageHistory.from_list(
        [
            {"role": "user", "content": {"type": "text", "text": "q"}},
            {"role": "assistant", "content": calls},
            {"role": "user", "content": results},
        ]
    )
    found = [(block.tool_use_id, block.text, block.is_error) for block in history[-1].results]
    assert found == [("c1", "first", False), ("c2", "second", True)]
    assert {repair.code for repair in history.repairs} == {RepairCode.RESULTS_REORDERED}


@pytest.mark.parametrize(
    "item",
    [
        {"type": "resource", "resource": {"text": "(words)"}},
        {"type": "reference", "resource": {"uri": "file:///a.txt", "text": "(words)"}},
        {"type": "resource", "resource": {"uri": "file:///a.txt", "blob": 7, "note": "(words)"}},
    ],
    ids=["no address", "another type", "no data"],
)
def test_what_is_no_resource_of_mcp_is_no_document(item: dict[str, Any]) -> None:
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]}
    answer = {"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "a"}, item]}
    history = MessageHistory.from_list([{"role": "user", "content": "q"}, call, {"role": "user", "content": [answer]}])
    assert not any(isinstance(block, DocumentBlock) for block in history[-1].results[0].content)
    assert "(words)" in json.dumps(history.to_list())


@pytest.mark.parametrize("mime", ["audio/wav", "video/mp4"])
def test_sound_in_a_resource_goes_to_gemini(mime: str) -> None:
    item = {"type": "resource", "resource": {"uri": "file:///a", "mimeType": mime, "blob": "AAAA"}}
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]}
    answer = {"type": "tool_result", "tool_use_id": "c", "content": [item]}
    history = MessageHistory.from_list([{"role": "user", "content": "q"}, call, {"role": "user", "content": [answer]}])
    assert mime in json.dumps(history.for_send(Gemini.for_model("gemini-3-pro-preview")))


def test_a_file_in_a_resource_is_a_document_with_its_address_as_title() -> None:
    item = {"type": "resource", "resource": {"uri": "file:///a.pdf", "mimeType": "application/pdf", "blob": "JVBERi0="}}
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]}
    answer = {"type": "tool_result", "tool_use_id": "c", "content": [item]}
    history = MessageHistory.from_list([{"role": "user", "content": "q"}, call, {"role": "user", "content": [answer]}])
    (document,) = history[-1].results[0].content
    assert isinstance(document, DocumentBlock)
    assert (document.title, document.source["data"]) == ("file:///a.pdf", "JVBERi0=")
