"""What is known of a call, a time or a list by how it is written."""

from __future__ import annotations

import pytest

from message_history import CallState, MessageHistory, RepairCode, ToolUseBlock
from message_history.core.messages.plain import is_object_text
from message_history.core.turns.calls import calls_since, readable_time
from message_history.core.turns.conversation import messages_of
from message_history.history import conversation_of


def test_a_denial_is_known_with_its_reason_by_the_text_of_another_program() -> None:
    history = MessageHistory.from_list(
        [
            {"role": "user", "content": "Pay."},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "pay", "input": {}}]},
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "1",
                        "content": "Tool execution was not approved. Reason: Too much.",
                    }
                ],
            },
        ]
    )
    assert (history.calls[0].state, history.calls[0].detail) == (CallState.DENIED, "Too much.")


@pytest.mark.parametrize("text", ['{"a": 1e999}', '{"a": NaN}', '{"a": -Infinity}', "[1]", "{"])
def test_what_is_no_finite_object_of_json_needs_a_second_look(text: str) -> None:
    assert not is_object_text(text)


def test_a_time_is_readable_and_one_beyond_all_calendars_is_a_number() -> None:
    assert readable_time(0) == "1970-01-01T00:00:00+00:00"
    assert readable_time(1e20) == "100000000000000000000"


def test_calls_are_found_from_a_message_on() -> None:
    history = MessageHistory().add_user("a")
    for number in ("1", "2"):
        history = history.add_assistant([ToolUseBlock(number, "pay", {"n": number})])
        history = history.add_tool_result(history.awaiting[0], "paid")
    conversation = conversation_of(history)
    found = calls_since(conversation, list(messages_of(conversation)), 3)
    assert [call.call.id for call in found] == ["2"]


def test_an_entry_of_a_list_in_another_form_that_says_nothing_is_recorded_whole() -> None:
    history = MessageHistory.from_list(
        [
            {"id": "1", "role": "user", "content": "a"},
            {"id": "2", "role": "assistant", "toolCalls": [{"id": "c", "type": "function", "function": {"name": "f"}}]},
            {"id": "3", "role": "tool", "toolCallId": "c", "content": "r"},
            {"id": "4", "role": "activity", "activityType": "plan", "content": {"steps": ["one"]}},
        ]
    )
    assert RepairCode.ENTRY_DROPPED in [repair.code for repair in history.repairs]
