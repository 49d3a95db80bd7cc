"""Items of LangChain's content in a provider's own form: read, sent there, and written again as they came."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

pytest.importorskip("langchain_core")

from message_history import (
    DocumentBlock,
    ImageBlock,
    MessageHistory,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    check,
)
from message_history.dialects import Anthropic, Bedrock, Gemini, OpenAIResponses
from message_history.integrations.langchain import LangChain

LANGCHAIN = LangChain(ends_with_ai=True)
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
HUMAN = {"type": "human", "content": "q"}


def ai(*items: Any, provider: str | None = None, **keys: Any) -> dict[str, Any]:
    recorded = {"response_metadata": {"model_provider": provider}} if provider is not None else {}
    return {"type": "ai", "content": list(items), **recorded, **keys}


def tool(id: str, content: Any = "r") -> dict[str, Any]:
    return {"type": "tool", "content": content, "tool_call_id": id}


def read(*raw: Any) -> MessageHistory:
    return MessageHistory.from_list(list(raw), dialect=LANGCHAIN)


def goes_through(*raw: Any) -> MessageHistory:
    """Hold a list to be written again with the content that it had."""
    history = read(*raw)
    exported = history.export(LANGCHAIN)
    assert [message.content for message in exported.messages] == [entry["content"] for entry in raw]
    assert exported.repairs == ()
    return history


REASONING = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]}


def test_what_the_responses_api_gave_goes_back_to_it() -> None:
    reasoning = {**REASONING, "encrypted_content": "(encrypted)"}
    action = {"type": "search", "query": "x"}
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": action}
    words = [{"type": "text", "text": word, "id": "msg_1"} for word in ("a", "b")]
    history = goes_through(HUMAN, ai(reasoning, search, *words, provider="openai"), HUMAN)
    sent = history.for_send(OpenAIResponses())
    assert sent[1:3] == [reasoning, search]
    assert (sent[3]["id"], [part["text"] for part in sent[3]["content"]]) == ("msg_1", ["a", "b"])
    assert "rs_1" not in repr([repair.removed for repair in history.export(OpenAIResponses()).repairs])


def test_the_standard_form_of_reasoning_goes_back_as_one_item() -> None:
    first = {"type": "reasoning", "id": "rs_1", "reasoning": "one", "extras": {"encrypted_content": "(encrypted)"}}
    second = {"type": "reasoning", "id": "rs_1", "reasoning": "two"}
    history = goes_through(HUMAN, ai(first, second, {"type": "text", "text": "a", "id": "msg_1"}), HUMAN)
    (item,) = [item for item in history.for_send(OpenAIResponses()) if item.get("type") == "reasoning"]
    assert item["encrypted_content"] == "(encrypted)"
    assert [part["text"] for part in item["summary"]] == ["one", "two"]


def test_a_refusal_is_text_everywhere() -> None:
    for item in ({"type": "refusal", "refusal": "no"}, {"type": "output_text", "text": "no", "annotations": []}):
        history = goes_through(HUMAN, ai(item), HUMAN)
        assert isinstance(block := history[1].content[0], TextBlock)
        assert block.text == "no"
        for dialect in (Anthropic(), Gemini(), OpenAIResponses(), Bedrock()):
            wire = history.for_send(dialect)
            assert "no" in json.dumps(wire)
            assert "refusal" not in json.dumps(wire)
            assert check(wire, dialect) == []


def test_items_of_the_responses_api_that_the_client_answers_or_none_does() -> None:
    patch = {
        "type": "apply_patch_call",
        "id": "apc_1",
        "call_id": "c1",
        "status": "completed",
        "operation": {"type": "delete_file", "path": "a"},
    }
    image = {"type": "image_generation_call", "id": "ig_1", "result": "AAAA", "status": "completed"}
    history = goes_through(HUMAN, ai(patch), tool("c1", "deleted"), ai(image), HUMAN)
    assert isinstance(call := history[1].content[0], ToolUseBlock)
    assert call.name == "apply_patch"
    sent = history.for_send(OpenAIResponses(reasons=False))
    assert [item.get("type") for item in sent[1:4]] == ["apply_patch_call", "apply_patch_call_output", image["type"]]


def test_a_function_call_keeps_the_id_of_its_item() -> None:
    call = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{}"}
    raw = [{"name": "f", "args": {}, "id": "c1", "type": "tool_call"}]
    encrypted = {**REASONING, "encrypted_content": "(encrypted)"}
    history = goes_through(HUMAN, ai(encrypted, call, tool_calls=raw), tool("c1"))
    sent = history.for_send(OpenAIResponses())
    assert [item.get("id") for item in sent[1:3]] == ["rs_1", "fc_1"]


def test_what_a_toolset_needs_goes_back_to_anthropic() -> None:
    item = {"type": "tool_use", "id": "t1", "name": "click", "toolset_name": "computer", "input": {"x": 1}}
    raw = [{"name": "click", "args": {"x": 1}, "id": "t1", "type": "tool_call"}]
    history = goes_through(HUMAN, ai(item, provider="anthropic", tool_calls=raw), tool("t1"))
    assert "computer" in json.dumps(history.for_send(Anthropic()))


def test_what_converse_gave_goes_back_to_it() -> None:
    raw = [
        {"type": "human", "content": [{"text": "q"}, {"image": {"format": "png", "source": {"bytes": PIXEL}}}]},
        ai(
            {"type": "reasoning_content", "reasoning_content": {"text": "hm", "signature": "c2ln"}},
            {"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}},
            provider="bedrock_converse",
        ),
        {"type": "human", "content": [{"toolResult": {"toolUseId": "t1", "content": [{"text": "(given)"}]}}]},
    ]
    history = read(*raw)
    assert [type(block) for block in history[0].content] == [TextBlock, ImageBlock]
    assert [type(block) for block in history[1].content] == [ThinkingBlock, ToolUseBlock]
    assert isinstance(history[2].content[0], ToolResultBlock)
    claude = Bedrock.for_model("anthropic.claude-sonnet-4")
    wire = json.dumps(history.for_send(claude), default=lambda data: base64.b64encode(data).decode())
    for words in ("(given)", "c2ln", '"toolUseId": "t1"', PIXEL):
        assert words in wire
    old = ai({"type": "reasoning_content", "reasoningContent": {"reasoningText": {"text": "hm", "signature": "c2ln"}}})
    assert isinstance(read(HUMAN, old, HUMAN)[1].content[0], ThinkingBlock)


@pytest.mark.parametrize("kind", ["tool_result", "typed"])
def test_results_in_a_human_message_answer_their_calls(kind: str) -> None:
    raw = [{"name": "f", "args": {}, "id": "t1", "type": "tool_call"}]
    typed = {"type": "tool_result", "tool_use_id": "t1", "content": "(given)", "is_error": True}
    history = read(HUMAN, ai(tool_calls=raw), {"type": "human", "content": [typed]})
    (found,) = history[-1].results
    assert (found.text, found.is_error, found.is_stub) == ("(given)", True, False)
    assert kind


def test_signatures_that_google_keeps_beside_a_message_go_back_to_it() -> None:
    kept = {"__gemini_function_call_thought_signatures__": {"c1": "c2ln"}}
    raw = [{"name": "f", "args": {}, "id": "c1", "type": "tool_call"}]
    history = read(HUMAN, ai(additional_kwargs=kept, tool_calls=raw), tool("c1"))
    assert history.for_send(Gemini())[1]["parts"][0]["thoughtSignature"] == "c2ln"
    signed = {"type": "text", "text": "a", "extras": {"signature": "c2ln"}}
    history = goes_through(HUMAN, ai(signed, provider="google_genai"), HUMAN)
    assert history.for_send(Gemini())[1]["parts"] == [{"text": "a", "thoughtSignature": "c2ln"}]


def test_media_of_google_are_what_they_are() -> None:
    image = {"type": "media", "mime_type": "image/png", "data": PIXEL}
    paper = {"type": "media", "mime_type": "application/pdf", "file_uri": "gs://bucket/a.pdf"}
    sound = {"type": "media", "mime_type": "audio/wav", "data": "AAAA"}
    history = goes_through({"type": "human", "content": [image, paper, sound]})
    assert [type(block) for block in history[0].content[:2]] == [ImageBlock, DocumentBlock]
    wire = json.dumps(history.for_send(Gemini()))
    for words in (PIXEL, "gs://bucket/a.pdf", "audio/wav"):
        assert words in wire
    assert PIXEL in json.dumps(history.for_send(Anthropic()))


def test_a_call_without_an_id_is_no_call_none_and_is_one_call() -> None:
    item = {"type": "invalid_tool_call", "id": None, "name": "f", "args": '{"a":', "error": "e"}
    history = read(HUMAN, ai(item, invalid_tool_calls=[item]), HUMAN)
    assert "None" not in json.dumps(history.for_send(Anthropic()))
    assert len(history[1].calls) == 1
    two = read(HUMAN, ai({"type": "tool_call", "name": "g", "args": {}}), HUMAN)
    assert "None" not in json.dumps(two.for_send(Anthropic()))
    assert [call.name for call in two[1].calls] == ["g"]


def test_an_item_whose_type_is_no_text_stops_nothing() -> None:
    kinds: tuple[Any, ...] = (["a"], {}, 7, None, True)
    for odd in kinds:
        assert read(HUMAN, ai({"type": odd, "text": "x"}), HUMAN).for_send(Anthropic())


def test_a_blank_text_that_stood_for_a_signature_leaves_no_empty_message() -> None:
    signed = {"text": "", "thoughtSignature": "QUJDRA=="}
    raw = [{"role": "user", "parts": [{"text": "q"}]}, {"role": "model", "parts": [signed]}]
    history = MessageHistory.from_list(raw)
    for dialect in (LangChain(), LangChain(ends_with_ai=True)):
        assert check(history.for_send(dialect), dialect) == []


def test_results_stand_in_the_order_in_which_the_calls_are_read_again() -> None:
    arguments = ('{"a": ', "{}")
    calls = [
        {"id": str(n), "type": "function", "function": {"name": "f", "arguments": text}}
        for n, text in enumerate(arguments)
    ]
    results = [{"role": "tool", "tool_call_id": str(n), "content": "r"} for n in range(2)]
    raw = [{"role": "user", "content": "q"}, {"role": "assistant", "content": None, "tool_calls": calls}, *results]
    wire = MessageHistory.from_list(raw).for_send(LangChain())
    again = MessageHistory.from_list(wire, dialect=LangChain())
    assert again.repairs == ()
    assert again.for_send(LangChain()) == wire


@pytest.mark.parametrize(
    "item",
    [
        {"type": "file", "base64": "JVBERi0=", "mime_type": "application/pdf"},
        {"type": "file", "url": "https://a.example/b.pdf"},
        {"type": "text-plain", "text": "words", "mime_type": "text/plain", "title": "t"},
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "words"}},
    ],
)
def test_each_form_of_a_document_is_one(item: dict[str, Any]) -> None:
    history = goes_through({"type": "human", "content": [item]})
    assert [type(block) for block in history[0].content] == [DocumentBlock]
