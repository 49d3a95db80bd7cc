"""The SDKs' own objects, from streams and without, say the same as their JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from message_history import MessageHistory, ProviderBlock, RedactedThinkingBlock, RepairCode, ThinkingBlock
from message_history.dialects import Anthropic, Bedrock, Dialect, Gemini, Mistral, OpenAIChat, OpenAIResponses
from message_history.streaming import Accumulator
from tests.replies.streams import STREAMS, Stream
from tests.sdks.events import as_event, as_reply, needs_sdk

every_stream = pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: stream.name)
SENT = MessageHistory().add_user("What is the weather in Paris?")


@every_stream
def test_a_stream_of_the_sdks_events(stream: Stream) -> None:
    needs_sdk(stream.dialect.name)
    objects, dicts = Accumulator(stream.dialect, SENT), Accumulator(stream.dialect, SENT)
    for event in stream.events:
        objects.feed(as_event(stream.dialect.name, event))
        dicts.feed(event)
        assert objects.finished == dicts.finished
        assert sent_back(objects.history_so_far, stream) == sent_back(dicts.history_so_far, stream)
        assert [message.text for message in objects.history_so_far] == [
            message.text for message in dicts.history_so_far
        ]
        assert called(objects.history_so_far) == called(dicts.history_so_far)


@every_stream
def test_a_reply_of_the_sdk(stream: Stream) -> None:
    needs_sdk(stream.dialect.name)
    if stream.response is None:
        return
    raw = as_reply(stream.dialect.name, stream.response)
    dumped = json.loads(raw.model_dump_json()) if hasattr(raw, "model_dump_json") else raw
    wanted = SENT.add_response(stream.response, dialect=stream.dialect)
    for response in (raw, dumped):
        for dialect in (stream.dialect, None):
            history = SENT.add_response(response, dialect=dialect)
            assert sent_back(history, stream) == sent_back(wanted, stream)
            assert called(history) == called(wanted)
            assert kinds(history) == kinds(wanted)
            assert {repair.code for repair in history.repairs} == {repair.code for repair in wanted.repairs}


def sent_back(history: MessageHistory, stream: Stream) -> tuple[Any, set[RepairCode]]:
    """Give what is sent, without the keys that an SDK adds to or drops from what the API gives."""

    def cleaned(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: cleaned(item) for key, item in value.items() if item is not None and key != "index"}
        return [cleaned(item) for item in value] if isinstance(value, list) else value

    exported = history.export(stream.dialect)
    return cleaned(exported.messages), {repair.code for repair in exported.repairs}


def called(history: MessageHistory) -> list[tuple[str, str, dict[str, Any]]]:
    return [(call.id, call.name, dict(call.input)) for call in history.awaiting]


def kinds(history: MessageHistory) -> list[tuple[str, str | None]]:
    """Give the kinds of all blocks, with the signatures of those that have one."""
    return [(type(block).__name__, signed(block)) for message in history for block in message.content]


def signed(block: object) -> str | None:
    if isinstance(block, ThinkingBlock):
        return block.signature
    return block.data if isinstance(block, RedactedThinkingBlock) else None


def a_stream(name: str) -> dict[str, Any]:
    (found,) = [stream.response for stream in STREAMS if stream.name == name]
    assert found is not None
    return found


def test_what_a_reply_of_anthropic_holds_is_kept() -> None:
    needs_sdk("anthropic")
    history = SENT.add_response(as_reply("anthropic", a_stream("anthropic tool_use 5")))
    thinking, redacted, *_ = history[1].content
    assert thinking == ThinkingBlock("They ask for two cities.", "c2lnbmF0dXJl", meta=thinking.meta)
    assert redacted == RedactedThinkingBlock("cmVkYWN0ZWQ=")
    assert [call.id for call in history.awaiting] == ["toolu_01", "toolu_02"]
    assert history[1].content[0].carried("anthropic")["id"] == "msg_01"
    searched = SENT.add_response(as_reply("anthropic", a_stream("anthropic end_turn 4")))
    assert [block.type for block in searched[1].content if isinstance(block, ProviderBlock)] == [
        "server_tool_use",
        "web_search_tool_result",
    ]


def cut_replies() -> list[tuple[Dialect[Any], dict[str, Any]]]:
    """Give replies that were cut in the midst of a call's input, as far as each SDK lets one see."""
    head = {"id": "x", "model": "m", "created": 1, "object": "chat.completion"}
    found: list[tuple[Dialect[Any], dict[str, Any]]] = []
    message = a_stream("anthropic tool_use 5")
    found += [
        (Anthropic(), {**message, "content": message["content"][:4], "stop_reason": reason})
        for reason in ("max_tokens", "refusal", "model_context_window_exceeded")
    ]
    for arguments in ("", '{"city', '{"city": "Par'):
        call = {"id": "abcdefghi", "type": "function", "function": {"name": "f", "arguments": arguments}}
        message = {"role": "assistant", "content": "So", "tool_calls": [call]}
        for reason in ("length", "content_filter"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            found.append((OpenAIChat(), {**head, "choices": [{**choice, "logprobs": None}]}))
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        for reason in ("length", "model_length", "error"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            found.append((Mistral(), {**head, "usage": usage, "choices": [choice]}))
    custom = {"id": "call_1", "type": "custom", "custom": {"name": "run", "input": "print('hal"}}
    choice = {"index": 0, "message": {"role": "assistant", "content": None, "tool_calls": [custom]}, "logprobs": None}
    found.append((OpenAIChat(), {**head, "choices": [{**choice, "finish_reason": "length"}]}))
    found += [(OpenAIResponses(), a_stream(f"responses {name}")) for name in ("cut", "cut before any input")]
    response = a_stream("responses custom call")
    cut = {**response, "status": "incomplete", "incomplete_details": {"reason": "content_filter"}}
    found.append((OpenAIResponses(), cut))
    converse = a_stream("converse calls")
    for reason in ("max_tokens", "content_filtered", "guardrail_intervened", "malformed_tool_use"):
        message = {"role": "assistant", "content": converse["output"]["message"]["content"][:4]}
        found.append((Bedrock(), {**converse, "output": {"message": message}, "stopReason": reason}))
    calls = a_stream("gemini thoughts and calls")["candidates"][0]["content"]
    for reason in ("MAX_TOKENS", "SAFETY", "MALFORMED_FUNCTION_CALL", "PROHIBITED_CONTENT"):
        content = {**calls, "parts": calls["parts"][:3]}
        found.append((Gemini(), {"candidates": [{"content": content, "finishReason": reason, "index": 0}]}))
    return found


@pytest.mark.parametrize(("dialect", "response"), cut_replies())
def test_a_reply_that_was_cut_leaves_no_call_to_run_with_half_an_input(
    dialect: Dialect[Any], response: dict[str, Any]
) -> None:
    needs_sdk(dialect.name)
    for raw in (response, as_reply(dialect.name, response)):
        for named in (dialect, None):
            history = SENT.add_response(raw, dialect=named)
            assert history.awaiting == ()
            assert RepairCode.INCOMPLETE_CALL_DROPPED in {repair.code for repair in history.repairs}
            assert history.add_user("Go on.").awaiting == ()
