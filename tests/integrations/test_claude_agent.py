"""Denials of the Claude Agent SDK: in its messages, in what it prints, and for its callback."""

from __future__ import annotations

from typing import Any

import pytest

from message_history import CallState, MessageHistory, ToolUseBlock
from message_history.integrations.claude_agent import permission, read_messages, with_denials

USE: dict[str, Any] = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "rm x"}}
DENIED: dict[str, Any] = {
    "type": "tool_result",
    "tool_use_id": "toolu_1",
    "content": "Not on my machine.",
    "is_error": True,
}
REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file)."
)
DENIALS = [{"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": {"command": "rm x"}}]
PRINTED: list[dict[str, Any]] = [
    {"type": "system", "subtype": "init"},
    {"type": "assistant", "parent_tool_use_id": None, "message": {"role": "assistant", "content": [USE]}},
    {"type": "user", "parent_tool_use_id": "toolu_9", "message": {"role": "user", "content": "of a subagent"}},
    {"type": "user", "message": {"role": "user", "content": [DENIED]}},
    {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "Then not."}]}},
    {"type": "result", "subtype": "success", "permission_denials": DENIALS},
]


def assert_denied(history: MessageHistory) -> None:
    assert [message.role for message in history] == ["user", "assistant", "user", "assistant"]
    (record,) = history.calls
    assert (record.state, record.detail) == (CallState.DENIED, "Not on my machine.")
    assert history.repairs == ()
    # What is sent is what was read.
    assert history.for_send()[2]["content"] == [{**DENIED, "content": [{"type": "text", "text": "Not on my machine."}]}]
    assert MessageHistory.from_list(history.to_list()).calls == history.calls


def test_printed_lines_are_read_with_their_denials() -> None:
    assert_denied(read_messages(PRINTED, prompt="Remove x."))
    answered = read_messages(PRINTED[:-1], prompt="Remove x.")
    assert answered.calls[0].state is CallState.ANSWERED
    assert with_denials(answered, DENIALS).calls[0].state is CallState.DENIED
    assert with_denials(answered, []) is answered


def test_messages_of_the_sdk_are_read_with_their_denials() -> None:
    sdk = pytest.importorskip("claude_agent_sdk")
    result = {"duration_ms": 1, "duration_api_ms": 1, "is_error": False, "num_turns": 1, "session_id": "s"}
    messages = [
        sdk.AssistantMessage([sdk.ToolUseBlock("toolu_1", "Bash", {"command": "rm x"})], "claude"),
        sdk.UserMessage([sdk.ToolResultBlock("toolu_1", "Not on my machine.", is_error=True)]),
        sdk.AssistantMessage([sdk.TextBlock("Then not.")], "claude", usage={"input_tokens": 1, "output_tokens": 1}),
        sdk.ResultMessage("success", **result, permission_denials=DENIALS),
    ]
    history = read_messages(messages, prompt="Remove x.")
    assert_denied(history)
    assert history[-1].replies[0].model == "claude"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{REJECTED} STOP what you are doing and wait for the user to tell you how to proceed.", ""),
        (f"{REJECTED} To tell you how to proceed, the user said:\nUse y.\n\nNote: x", "Use y."),
        ("Permission to use Bash with command rm x has been denied.", ""),
        ("Claude requested permissions to use Bash, but you haven't granted it yet.", ""),
        ("User rejected the tool call for `Bash` with reason: Use y.", "Use y."),
        ("Tool execution denied.", ""),
    ],
)
def test_a_denial_in_a_session_is_known_by_its_text(text: str, reason: str) -> None:
    raw = [{"role": "user", "content": "q"}, {"role": "assistant", "content": [USE]}]
    history = MessageHistory.from_list([*raw, {"role": "user", "content": [{**DENIED, "content": text}]}])
    assert (history.calls[0].state, history.calls[0].detail) == (CallState.DENIED, reason)
    assert history.repairs == ()
    assert history.awaiting == ()
    result = {**DENIED, "content": text, "is_error": False}
    spoken = MessageHistory.from_list([*raw, {"role": "user", "content": [result]}])
    assert spoken.calls[0].state is CallState.ANSWERED


def test_the_callback_gets_what_was_decided() -> None:
    call = ToolUseBlock("toolu_1", "Bash", {})
    history = MessageHistory().add_user("q").add_assistant(call).record_call(call, "waiting")
    with pytest.raises(ValueError, match="'toolu_1' of 'Bash' is waiting"):
        permission(history, "toolu_1")
    approved = history.record_call(call, "approved")
    assert permission(approved, "toolu_1") == {"behavior": "allow"}
    with pytest.raises(ValueError, match=r"'toolu_1' of 'Bash' is unknown \(it was started and may have taken effect"):
        permission(approved.record_call(call, "started"), "toolu_1")
    denied = history.record_call(call, "denied", reason="Not here.")
    assert permission(denied, "toolu_1") == {"behavior": "deny", "message": "Not here."}
    assert "Do not repeat" in permission(history.record_call(call, "denied"), "toolu_1")["message"]
    with pytest.raises(LookupError):
        permission(history, "toolu_2")


def test_the_answer_makes_a_result_of_the_sdk() -> None:
    sdk = pytest.importorskip("claude_agent_sdk")
    call = ToolUseBlock("toolu_1", "Bash", {})
    history = MessageHistory().add_user("q").add_assistant(call)
    denied = permission(history.record_call(call, "denied", reason="Not here."), "toolu_1")
    assert sdk.PermissionResultDeny(**denied) == sdk.PermissionResultDeny(message="Not here.")
    assert sdk.PermissionResultAllow(**permission(history.record_call(call, "approved"), "toolu_1"))
