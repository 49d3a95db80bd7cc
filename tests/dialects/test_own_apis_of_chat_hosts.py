"""What the own APIs of Cohere and Ollama have: reasoning in parts, and replies without choices."""

from __future__ import annotations

from typing import Any

from message_history import MessageHistory, ThinkingBlock, check
from message_history.dialects import OpenAIChat

COHERE = OpenAIChat.for_model("command-a-reasoning-08-2025", "cohere")
ASK = {"role": "user", "content": "Why?"}
MORE = {"role": "user", "content": "Go on."}
THOUGHT: dict[str, Any] = {"type": "thinking", "thinking": "The user wants a reason."}
TEXT = {"type": "text", "text": "Because."}


def test_reasoning_in_a_part_goes_back_to_cohere_unchanged() -> None:
    for content in ([THOUGHT], [THOUGHT, TEXT]):
        wire = [ASK, {"role": "assistant", "content": content}, MORE]
        history = MessageHistory.from_list(wire, dialect=COHERE)
        assert isinstance(history[1].content[0], ThinkingBlock)
        assert history.for_send(COHERE) == wire
        assert MessageHistory.from_list(history.to_list()) == history
        assert check(wire, COHERE, unknown=True) == []


def test_reasoning_in_a_part_goes_to_no_host_that_refuses_such_parts() -> None:
    wire = [ASK, {"role": "assistant", "content": [THOUGHT, TEXT]}, MORE]
    exported = MessageHistory.from_list(wire, dialect=COHERE).export(OpenAIChat())
    assert exported.messages == [ASK, {"role": "assistant", "content": "Because."}, MORE]
    assert [each.detail for each in exported.repairs] == ["reasoning that this API does not take back"]


def test_reasoning_that_may_be_signed_is_not_taken_for_coheres() -> None:
    wire = [ASK, {"role": "assistant", "content": [{**THOUGHT, "signature": "c2ln"}, TEXT]}, MORE]
    block = MessageHistory.from_list(wire, dialect=COHERE)[1].content[0]
    assert isinstance(block, ThinkingBlock)
    assert block.issuer != "openai_chat"


def test_a_reply_of_cohere_is_one_message_without_choices() -> None:
    reply = {
        "id": "r1",
        "message": {"role": "assistant", "content": [THOUGHT, TEXT]},
        "finish_reason": "COMPLETE",
        "usage": {"billed_units": {"input_tokens": 3}, "tokens": {"input_tokens": 30, "output_tokens": 5}},
    }
    history = MessageHistory().add_user("Why?").add_response(reply)
    (info,) = history[1].replies
    assert (info.id, info.stop_reason) == ("r1", "COMPLETE")
    assert info.usage is not None
    assert (info.usage.input_tokens, info.usage.output_tokens) == (30, 5)
    assert history.add_user("Go on.").for_send(COHERE)[1]["content"] == [THOUGHT, TEXT]


def test_a_reply_of_ollamas_own_api_says_that_it_was_truncated() -> None:
    call = {"function": {"name": "read", "arguments": {"path": "a"}}}
    reply = {"model": "m", "message": {"role": "assistant", "content": "", "tool_calls": [call]}, "done": True}
    assert [each.name for each in MessageHistory().add_user("Why?").add_response(reply)[1].calls] == ["read"]
    whole = {**reply, "message": {"role": "assistant", "content": "Beca"}, "done_reason": "length"}
    assert MessageHistory().add_user("Why?").add_response(whole)[1].replies[0].stop_reason == "length"
