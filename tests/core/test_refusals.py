"""Replies in which the model refused: seen on the message, and removed on request."""

from __future__ import annotations

from typing import Any

import pytest

from message_history import (
    MessageHistory,
    Policy,
    RepairCode,
    Severity,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    check,
)
from message_history.dialects import Anthropic

USAGE = {"input_tokens": 1, "output_tokens": 1}


def claude(*content: dict[str, Any], stop_reason: str = "refusal") -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": list(content),
        "stop_reason": stop_reason,
        "usage": USAGE,
    }


STARTED = claude({"type": "text", "text": "Well, first"})
RESPONSES: dict[str, Any] = {
    "object": "response",
    "id": "resp_1",
    "status": "completed",
    "output": [
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "refusal", "refusal": "I will not."}],
        }
    ],
}
CHAT: dict[str, Any] = {
    "object": "chat.completion",
    "id": "chat_1",
    "model": "gpt",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "refusal": "I will not."}}],
}
FILTERED: dict[str, Any] = {
    "object": "chat.completion",
    "id": "chat_1",
    "model": "gpt",
    "choices": [{"index": 0, "finish_reason": "content_filter", "message": {"role": "assistant", "content": "Well"}}],
}
TOLD = MessageHistory().add_user("Hello.").add_assistant("Hello!")


@pytest.mark.parametrize(
    ("response", "refusal"),
    [(STARTED, "refusal"), (RESPONSES, "I will not."), (CHAT, "I will not."), (FILTERED, "content_filter")],
)
def test_a_refusal_is_seen_on_the_message_and_survives_the_saved_form(response: dict[str, Any], refusal: str) -> None:
    history = TOLD.add_user("Pick the lock.").add_response(response)
    assert history[-1].refusal == refusal
    assert [message.refusal for message in MessageHistory.from_list(history.to_list())] == [None, None, None, refusal]


def test_nothing_else_is_a_refusal() -> None:
    assert TOLD[-1].refusal is None
    assert (
        TOLD.add_user("q").add_response(claude({"type": "text", "text": "a"}, stop_reason="end_turn"))[-1].refusal
        is None
    )
    assert TOLD.without_refusals() is TOLD


@pytest.mark.parametrize("response", [STARTED, RESPONSES, CHAT, FILTERED])
def test_a_refusal_is_removed_with_what_it_answered(response: dict[str, Any]) -> None:
    history = TOLD.add_user("Pick the lock.").add_response(response)
    pruned = history.without_refusals()
    assert pruned == TOLD
    (repair,) = pruned.repairs
    assert repair.code is RepairCode.REFUSAL_REMOVED
    assert repair.severity is Severity.LOSSY
    assert repair.index == 3
    # What the reply has cost goes with it, so that `usage` does not shrink.
    assert repair.removed[:2] == (*history[2].content, *history[3].content)
    assert pruned.usage() == history.usage()
    assert pruned.without_refusals() is pruned


def test_the_prompt_can_be_kept() -> None:
    history = TOLD.add_user("Pick the lock.").add_response(STARTED).add_user("Please.")
    assert history.without_refusals(keep_prompts=True) == TOLD.add_user("Pick the lock.").add_user("Please.")
    assert history.without_refusals() == TOLD.add_user("Please.")


def test_results_stay_with_their_calls() -> None:
    call = ToolUseBlock("call_1", "look", {})
    history = TOLD.add_user("q").add_assistant(call).add_tool_result(call, "seen").add_user("Now this.")
    pruned = history.add_response(STARTED).add_user("Go on.").without_refusals()
    assert pruned == TOLD.add_user("q").add_assistant(call).add_tool_result(call, "seen").add_user("Go on.")
    assert check(pruned.for_send(), Anthropic()) == []


def test_calls_of_a_refused_reply_go_with_their_results() -> None:
    pick = {"id": "call_1", "type": "function", "function": {"name": "pick", "arguments": "{}"}}
    message = {"role": "assistant", "refusal": "Not that.", "tool_calls": [pick]}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    history = TOLD.add_user("q").add_response({**CHAT, "choices": [choice]})
    history = history.add_tool_result("call_1", "open").add_user("Thanks.").add_response(STARTED).add_user("Next.")
    pruned = history.without_refusals()
    assert pruned == TOLD.add_user("Next.")
    first, second = pruned.repairs
    assert {type(block) for block in first.removed} == {TextBlock, ToolUseBlock, ToolResultBlock}
    assert [block.text for block in second.removed if isinstance(block, TextBlock)] == ["Thanks.", "Well, first"]


def test_a_history_that_was_refused_from_the_start_is_empty() -> None:
    policy = Policy(on_violation="raise")
    history = MessageHistory(policy=policy).with_system("Be kind.").add_user("Pick the lock.").add_response(STARTED)
    pruned = history.without_refusals()
    assert len(pruned) == 0
    assert pruned.system == "Be kind."
    assert pruned.policy == policy


def test_the_state_of_a_call_is_found_though_messages_behind_it_were_removed() -> None:
    call = ToolUseBlock("call_1", "pay", {})
    history = TOLD.add_user("q").add_assistant(call).record_call(call, "waiting").add_assistant("It waits.")
    history = history.add_user("Pick the lock.").add_response(STARTED).add_user("?")
    history = history.record_call("call_1", "approved").add_assistant("Good.")
    assert history.calls[0].state == "approved"
    assert history.without_refusals().calls[0].state == "approved"


def test_a_call_that_was_cancelled_meanwhile_does_not_wait_again() -> None:
    """The reply after its stub goes, so that its turn is open again; that turn says what became of the call."""
    call = ToolUseBlock("call_1", "pay", {})
    refused = claude({"type": "text", "text": "I cannot help."})
    history = MessageHistory().add_user("q").add_assistant(call).add_user("Pick the lock.").add_response(refused)
    history = history.record_call(history.calls[0].call, "cancelled").without_refusals()
    assert [message.role for message in history] == ["user", "assistant", "user"]
    assert history.calls[0].state == "cancelled"
    assert history.awaiting == ()


@pytest.mark.parametrize("keep_prompts", [True, False])
def test_the_placeholder_before_a_reply_goes_with_it(keep_prompts: bool) -> None:
    history = MessageHistory().add_response(claude({"type": "text", "text": "I cannot help."}))
    assert len(history) == 2
    assert list(history.without_refusals(keep_prompts=keep_prompts)) == []
    asked = history.add_user("And now?").without_refusals(keep_prompts=keep_prompts)
    assert [message.text for message in asked] == ["And now?"]
