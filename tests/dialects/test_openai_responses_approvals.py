"""Requests of the Responses API for a person's approval: MCP tools, and the safety checks of computer use."""

from __future__ import annotations

from typing import Any

import pytest

from message_history import CallState, CallStateError, MessageHistory, RepairCode, check
from message_history.dialects import Anthropic, Dialect, Gemini, OpenAIChat, OpenAIResponses

RESPONSES = OpenAIResponses()
QUESTION: dict[str, Any] = {"role": "user", "content": "Roll two dice."}
REQUEST: dict[str, Any] = {
    "type": "mcp_approval_request",
    "id": "mcpr_1",
    "arguments": '{"n":  2}',
    "name": "roll",
    "server_label": "dice",
}
APPROVED: dict[str, Any] = {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True}
DENIED: dict[str, Any] = {**APPROVED, "approve": False, "reason": "No dice today."}
CALLED: dict[str, Any] = {
    "type": "mcp_call",
    "id": "mcp_1",
    "approval_request_id": "mcpr_1",
    "server_label": "dice",
    "name": "roll",
    "arguments": '{"n":  2}',
    "output": "4",
}
CHECK = {"id": "cu_sc_1", "code": "malicious_instructions", "message": "Look at it."}
CLICK: dict[str, Any] = {
    "type": "computer_call",
    "id": "cu_1",
    "call_id": "call_1",
    "action": {"type": "click", "x": 1, "y": 2, "button": "left"},
    "pending_safety_checks": [CHECK],
    "status": "completed",
}
SHOT = {"type": "computer_screenshot", "image_url": "https://example.com/screen.png"}
SCREEN: dict[str, Any] = {"type": "computer_call_output", "call_id": "call_1", "output": SHOT}
IMAGE: Any = {"type": "image", "source": {"type": "url", "url": SHOT["image_url"]}}


def asked(*items: dict[str, Any]) -> MessageHistory:
    return MessageHistory.from_list([QUESTION, *items], dialect=RESPONSES, open_tail="keep")


def state(history: MessageHistory) -> CallState:
    return history.calls[0].state


def texts(raw: list[Any]) -> list[str]:
    return [violation.error for violation in check(raw, RESPONSES)]


def test_a_request_that_nobody_decided_is_a_violation_in_the_words_of_the_api() -> None:
    assert texts([QUESTION, REQUEST]) == ["The following MCP approval requests do not have an approval: mcpr_1"]
    assert texts([QUESTION, REQUEST, {"role": "user", "content": "Hurry!"}]) != []
    assert texts([QUESTION, REQUEST, APPROVED]) == []
    assert texts([QUESTION, REQUEST, DENIED]) == []


def test_a_request_waits_for_approval_and_is_awaited() -> None:
    history = asked(REQUEST)
    assert state(history) is CallState.WAITING
    assert [call.id for call in history.awaiting] == ["mcpr_1"]
    assert history.calls.unsettled() == history.calls
    later = history.add_user("Hurry!")
    assert state(later) is CallState.WAITING
    assert [call.id for call in later.awaiting] == ["mcpr_1"]
    assert history.calls[0].call.approval == "provider"
    assert history.calls[0].call.input == {"n": 2}


@pytest.mark.parametrize("decision", [APPROVED, DENIED, {**DENIED, "reason": None, "id": "mcpa_1"}])
def test_a_decided_request_comes_back_as_it_went_in(decision: dict[str, Any]) -> None:
    raw = [QUESTION, REQUEST, decision, {"role": "user", "content": "Well?"}]
    history = MessageHistory.from_list(raw, dialect=RESPONSES)
    assert history.repairs == ()
    assert history.export(RESPONSES).repairs == ()
    wire = history.for_send(RESPONSES)
    assert wire == [{key: value for key, value in item.items() if value is not None} for item in raw]
    assert state(history) is (CallState.APPROVED if decision["approve"] else CallState.DENIED)
    assert history.calls[0].detail == (decision.get("reason") or "")
    assert history.awaiting == ()
    assert history.calls.unsettled() == ()


def test_a_decision_is_recorded_and_sent_as_the_apis_own() -> None:
    waiting = asked(REQUEST).add_user("Hurry!")
    sent = waiting.record_call("mcpr_1", "approved").for_send(RESPONSES)
    assert sent == [QUESTION, REQUEST, APPROVED, {"role": "user", "content": "Hurry!"}]
    denied = waiting.record_call(waiting.awaiting[0], "denied", reason="No dice today.")
    assert denied.for_send(RESPONSES)[2] == DENIED


def test_while_nobody_has_decided_the_request_is_refused_for_now() -> None:
    waiting = asked(REQUEST).add_user("Hurry!")
    export = waiting.export(RESPONSES)
    assert export.messages[2]["approve"] is False
    assert "waits for approval" in export.messages[2]["reason"]
    assert check(export.messages, RESPONSES) == []
    assert "OR-36" in export.repairs[-1].detail
    # Read again, it still waits.
    assert state(MessageHistory.from_list(export.messages, dialect=RESPONSES)) is CallState.WAITING
    # Once it was sent so, it stays so, and what a person decides later is news.
    replied = waiting.as_sent(RESPONSES).add_assistant("It waits.")
    later = replied.record_call("mcpr_1", "approved")
    assert later.for_send(RESPONSES)[: len(export.messages)] == export.messages
    assert state(later) is CallState.APPROVED


def test_the_client_cannot_start_what_the_provider_runs() -> None:
    approved = asked(REQUEST).record_call("mcpr_1", "approved")
    with pytest.raises(CallStateError, match="what may follow is denied, cancelled"):
        approved.record_call("mcpr_1", "started")


def test_a_request_is_answered_once_the_provider_has_run_it() -> None:
    history = MessageHistory.from_list([QUESTION, REQUEST, APPROVED, CALLED], dialect=RESPONSES)
    assert state(history) is CallState.ANSWERED
    assert history.for_send(RESPONSES)[:4] == [QUESTION, REQUEST, APPROVED, CALLED]
    assert MessageHistory.from_list(history.to_list()).calls == history.calls


def test_a_request_that_was_decided_is_not_unanswered() -> None:
    history = MessageHistory.from_list([QUESTION, REQUEST, APPROVED, CALLED], dialect=RESPONSES)
    assert history.without_unanswered() is history
    waiting = asked(REQUEST).add_user("Hurry!")
    assert waiting.without_unanswered().calls == ()


def test_calls_of_the_client_stand_beside_a_request() -> None:
    call = {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"}
    done = {"type": "function_call_output", "call_id": "call_1", "output": "r"}
    raw = [QUESTION, call, REQUEST, done, APPROVED]
    history = MessageHistory.from_list(raw, dialect=RESPONSES)
    assert [record.state for record in history.calls] == [CallState.ANSWERED, CallState.APPROVED]
    assert history.for_send(RESPONSES) == raw
    started = asked(call, REQUEST).record_call("call_1", "started")
    assert [record.state for record in started.calls] == [CallState.STARTED, CallState.WAITING]


@pytest.mark.parametrize("dialect", [Anthropic(), OpenAIChat(), Gemini()], ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("items", [[REQUEST], [REQUEST, APPROVED, CALLED], [REQUEST, DENIED], [CLICK]])
def test_other_dialects_get_a_call_with_its_state(dialect: Dialect[Any], items: list[dict[str, Any]]) -> None:
    assert check(asked(*items).for_send(dialect), dialect) == []


def test_a_result_by_hand_makes_it_a_call_of_a_function() -> None:
    history = asked(REQUEST).add_tool_result("mcpr_1", "4")
    wire = history.for_send(RESPONSES)
    assert [item["type"] for item in wire[1:]] == ["function_call", "function_call_output"]
    assert check(wire, RESPONSES) == []


@pytest.mark.parametrize(
    "odd",
    [
        [{**REQUEST, "id": None}],
        [{**REQUEST, "name": 1}],
        [{**APPROVED, "approve": "yes"}],
        [{**APPROVED, "approval_request_id": None}],
        [{"type": "item_reference", "id": "mcpr_1"}, APPROVED],
    ],
)
def test_what_cannot_be_read_is_kept_whole(odd: list[dict[str, Any]]) -> None:
    history = MessageHistory.from_list([QUESTION, *odd], dialect=OpenAIResponses(store=True))
    assert history.calls == ()
    assert history.repairs == ()


def test_two_requests_under_one_id_stay_valid() -> None:
    raw = [QUESTION, REQUEST, {**REQUEST, "arguments": '{"n": 3}'}, APPROVED]
    history = MessageHistory.from_list(raw, dialect=RESPONSES)
    assert [record.call.approval for record in history.calls] == ["provider", "provider"]
    assert [record.state for record in history.calls] == [CallState.APPROVED, CallState.WAITING]
    assert check(history.for_send(RESPONSES), RESPONSES) == []


def test_a_decision_without_its_request_goes_on_from_the_providers_state() -> None:
    dialect = OpenAIResponses(continues=True)
    history = MessageHistory.from_list([APPROVED], dialect=dialect)
    assert history.for_send(dialect) == [APPROVED]


# Computer use


def test_safety_checks_that_nobody_acknowledged_are_a_violation_in_the_words_of_the_api() -> None:
    assert texts([QUESTION, CLICK, SCREEN]) == ["Computer tool has unacknowledged safety check for ['cu_sc_1']"]
    assert texts([QUESTION, CLICK, {**SCREEN, "acknowledged_safety_checks": [CHECK]}]) == []
    assert texts([QUESTION, {**CLICK, "pending_safety_checks": []}, SCREEN]) == []


def test_a_computer_call_with_safety_checks_waits_for_approval() -> None:
    history = asked(CLICK)
    assert state(history) is CallState.WAITING
    assert history.calls[0].call.approval == "client"
    assert state(asked({**CLICK, "pending_safety_checks": []})) is CallState.PROPOSED


def test_the_checks_of_an_approved_call_are_acknowledged() -> None:
    history = asked(CLICK).record_call("call_1", "approved").record_call("call_1", "started")
    assert history.calls.unsettled() == history.calls
    for done in (history.add(dict(SCREEN)), history.add_tool_result("call_1", [IMAGE])):
        wire = done.for_send(RESPONSES)
        assert wire[2]["acknowledged_safety_checks"] == [CHECK]
        assert wire[1] == CLICK
        assert check(wire, RESPONSES) == []
        assert MessageHistory.from_list(wire, dialect=RESPONSES).for_send(RESPONSES) == wire
        assert MessageHistory.from_list(done.to_list()) == done


def test_nothing_is_acknowledged_that_nobody_approved() -> None:
    history = MessageHistory.from_list([QUESTION, CLICK, SCREEN], dialect=RESPONSES)
    export = history.export(RESPONSES)
    assert "acknowledged_safety_checks" not in str(export.messages)
    assert export.messages[1]["type"] == "function_call"
    assert check(export.messages, RESPONSES) == []
    assert RepairCode.REWRITTEN in [repair.code for repair in export.repairs]


def test_a_denied_computer_call_goes_as_a_functions() -> None:
    wire = asked(CLICK).record_call("call_1", "denied", reason="no").for_send(RESPONSES)
    assert [item["type"] for item in wire[1:]] == ["function_call", "function_call_output"]
    assert check(wire, RESPONSES) == []


def test_two_decisions_on_one_request_are_one_and_a_repair() -> None:
    history = MessageHistory.from_list([QUESTION, REQUEST, APPROVED, DENIED], dialect=RESPONSES)
    assert state(history) is CallState.DENIED
    assert [repair.code for repair in history.repairs] == [RepairCode.STUB_REPLACED]
    assert check(history.for_send(RESPONSES), RESPONSES) == []
    again = MessageHistory.from_list([QUESTION, REQUEST, APPROVED, APPROVED], dialect=RESPONSES)
    assert [repair.code for repair in again.repairs] == [RepairCode.DUPLICATE_RESULT_DROPPED]


def test_a_denial_of_the_agents_sdk_goes_back_as_it_came() -> None:
    patch = {"type": "update_file", "path": "a", "diff": "d"}
    call = {"type": "apply_patch_call", "id": "apc_1", "call_id": "call_1", "operation": patch, "status": "completed"}
    done = {"type": "apply_patch_call_output", "call_id": "call_1", "output": "Tool execution was not approved."}
    raw = [QUESTION, call, {**done, "status": "failed"}]
    history = MessageHistory.from_list(raw, dialect=RESPONSES)
    assert state(history) is CallState.DENIED
    assert history.for_send(RESPONSES) == raw


def test_a_request_that_nobody_can_decide_is_left_out() -> None:
    history = MessageHistory.from_list([QUESTION, {**REQUEST, "arguments": None}], dialect=RESPONSES)
    export = history.export(RESPONSES)
    assert not [item for item in export.messages if item.get("type") == REQUEST["type"]]
    assert check(export.messages, RESPONSES) == []
    assert any(REQUEST["id"] in str(repair.removed) for repair in export.repairs)


def test_a_decision_is_left_out_with_the_reference_that_its_request_is_behind() -> None:
    raw = [{"type": "item_reference", "id": "msg_1"}, {"role": "assistant", "content": "a"}, APPROVED, QUESTION]
    history = MessageHistory.from_list([QUESTION, *raw], dialect=RESPONSES)
    kept = history.for_send(OpenAIResponses(store=True, reasons=False))
    assert [item for item in kept if item.get("type") == APPROVED["type"]] == [APPROVED]
    export = history.export(RESPONSES)
    assert export.messages == [QUESTION, raw[1], QUESTION]
    assert {str(repair.code) for repair in export.repairs} == {"withheld"}
