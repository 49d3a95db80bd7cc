"""Approvals of the AI SDK: in the messages of the interface, in those for models, and answered from a history."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

from message_history import CallState, MessageHistory, from_file
from message_history.integrations.ai_sdk import answer_approvals

if TYPE_CHECKING:
    from pathlib import Path


def ui(state: str, **more: Any) -> list[dict[str, Any]]:
    part = {"type": "tool-pay", "toolCallId": "call_1", "state": state, "input": {"amount": 5}, **more}
    return [
        {"id": "1", "role": "user", "parts": [{"type": "text", "text": "Pay."}]},
        {"id": "2", "role": "assistant", "parts": [{"type": "step-start"}, part]},
    ]


def model(*decisions: dict[str, Any]) -> list[dict[str, Any]]:
    call = {"type": "tool-call", "toolCallId": "call_1", "toolName": "pay", "input": {"amount": 5}}
    asked = {"type": "tool-approval-request", "approvalId": "a_1", "toolCallId": "call_1"}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": [{"type": "text", "text": "Pay."}]},
        {"role": "assistant", "content": [call, asked]},
    ]
    return [*messages, *([{"role": "tool", "content": list(decisions)}] if decisions else [])]


RESPONSE = {"type": "tool-approval-response", "approvalId": "a_1"}
OUTPUT = {"type": "tool-result", "toolCallId": "call_1", "toolName": "pay"}
PAID = {**OUTPUT, "output": {"type": "text", "value": "paid"}}


def read(messages: list[dict[str, Any]], folder: Path) -> MessageHistory:
    path = folder / "messages.json"
    path.write_text(json.dumps(messages))
    return from_file(path)[0].history()


@pytest.mark.parametrize(
    ("messages", "state", "reason"),
    [
        (ui("approval-requested", approval={"id": "a_1"}), CallState.WAITING, ""),
        (ui("approval-responded", approval={"id": "a_1", "approved": True}), CallState.APPROVED, ""),
        (ui("approval-responded", approval={"id": "a_1", "approved": False, "reason": "No."}), CallState.DENIED, "No."),
        (ui("output-denied", approval={"id": "a_1", "approved": False, "reason": "No."}), CallState.DENIED, "No."),
        (ui("output-denied", approval={"id": "a_1", "approved": False}), CallState.DENIED, ""),
        (ui("output-available", output="paid", approval={"id": "a_1", "approved": True}), CallState.ANSWERED, ""),
        (model(), CallState.WAITING, ""),
        (model({**RESPONSE, "approved": True}), CallState.APPROVED, ""),
        (model({**RESPONSE, "approved": False, "reason": "No."}), CallState.DENIED, "No."),
        (model({**RESPONSE, "approved": True}, PAID), CallState.ANSWERED, ""),
        (
            model({**RESPONSE, "approved": False}, {**OUTPUT, "output": {"type": "execution-denied", "reason": "No."}}),
            CallState.DENIED,
            "No.",
        ),
        (
            model(
                {**RESPONSE, "approved": False, "reason": "No."},
                {**OUTPUT, "output": {"type": "error-text", "value": "No."}},
            ),
            CallState.DENIED,
            "No.",
        ),
        (
            model({**RESPONSE, "approved": True}, {**OUTPUT, "output": {"type": "error-text", "value": "No money."}}),
            CallState.ANSWERED,
            "",
        ),
    ],
)
def test_the_state_of_a_call_is_read(
    messages: list[dict[str, Any]], state: CallState, reason: str, tmp_path: Path
) -> None:
    history = read(messages, tmp_path)
    assert [(record.state, record.detail) for record in history.calls] == [(state, reason)]
    assert history.repairs == ()


def test_decisions_of_a_history_answer_the_requests(tmp_path: Path) -> None:
    messages = ui("approval-requested", approval={"id": "a_1", "signature": "s"})
    before = copy.deepcopy(messages)
    history = read(messages, tmp_path)
    assert answer_approvals(messages, history) == messages
    approved = answer_approvals(messages, history.record_call("call_1", "approved"))
    assert approved == ui("approval-responded", approval={"id": "a_1", "signature": "s", "approved": True})
    started = history.record_call("call_1", "approved").record_call("call_1", "started")
    assert answer_approvals(messages, started) == messages
    denied = answer_approvals(messages, history.record_call("call_1", "denied", reason="No."))
    approval = {"id": "a_1", "signature": "s", "approved": False, "reason": "No."}
    assert denied == ui("approval-responded", approval=approval)
    assert messages == before
    assert read(denied, tmp_path).calls[0].detail == "No."
