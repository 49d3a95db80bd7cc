"""Deferred calls of pydantic-ai, both ways, with its own agent."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from message_history import CallState, MessageHistory, ToolUseBlock, check
from message_history.dialects import Anthropic, PydanticAI

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolDenied
from pydantic_ai.exceptions import CallDeferred
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.tools import ToolApproved

from message_history.integrations.pydantic_ai import (
    deferred_messages,
    deferred_results,
    model_messages,
    read_messages,
    read_requests,
    read_results,
)

CALLS = [
    ToolCallPart("pay", {"amount": 5}, "call_1"),
    ToolCallPart("look", {}, "call_2"),
    ToolCallPart("far", {}, "call_3"),
]
paid: list[int] = []


def model(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    called = any(isinstance(part, ToolCallPart) for message in messages for part in message.parts)
    return ModelResponse(parts=[TextPart("done")] if called else list(CALLS))


agent: Agent[None, Any] = Agent(FunctionModel(model), output_type=[str, DeferredToolRequests])


@agent.tool_plain(requires_approval=True)
def pay(amount: int) -> str:
    paid.append(amount)
    return f"paid {amount}"


@agent.tool_plain
def look() -> str:
    return "seen"


@agent.tool_plain
def far() -> str:
    raise CallDeferred


def run(prompt: str | None = None, **more: Any) -> Any:
    return asyncio.run(agent.run(prompt, **more))


def asked() -> tuple[MessageHistory, DeferredToolRequests, Any]:
    paid.clear()
    result = run("Pay five.")
    history = read_requests(result.all_messages(), result.output)
    return history, result.output, result


def test_deferred_calls_wait_and_a_run_goes_on_from_the_decisions() -> None:
    history, requests, _ = asked()
    assert [record.state for record in history.calls] == [CallState.WAITING, CallState.ANSWERED, CallState.UNKNOWN]
    assert check(history.for_send(), Anthropic()) == []
    with pytest.raises(ValueError, match="'call_1' of 'pay' is waiting, 'call_3' of 'far' is unknown"):
        deferred_results(history, requests)
    history = MessageHistory.from_list(history.to_list()).add_user("Hurry!").record_call("call_1", "approved")
    history = history.add_tool_result("call_3", "arrived")
    messages, results = deferred_messages(history, requests), deferred_results(history, requests)
    done = run(message_history=messages, deferred_tool_results=results)
    assert done.output == "done"
    assert paid == [5]
    after = read_messages(done.all_messages())
    assert after.repairs == ()
    assert [record.result.text for record in after.calls if record.result] == ["paid 5", "seen", "arrived"]


def test_a_call_that_was_started_is_unknown_and_is_not_run_again() -> None:
    history, requests, _ = asked()
    history = history.record_call("call_1", "approved").add_tool_result("call_3", "arrived")
    history = history.record_call("call_1", "started", by="worker 1")
    with pytest.raises(ValueError, match=r"'call_1' of 'pay' is unknown \(it was started and may have taken effect"):
        deferred_results(history, requests)
    assert paid == []


def test_every_state_goes_through_its_messages() -> None:
    states = [state for state in CallState if state not in (CallState.PROPOSED, CallState.ANSWERED, CallState.UNKNOWN)]
    history = MessageHistory().add_user("q").add_assistant([ToolUseBlock(state, "pay", {}) for state in states])
    for state in states:
        history = history.record_call(state, state, by="person", reason="no" if state is CallState.DENIED else "")
    for now in (history, history.add_user("on"), history.add_user("on").add_assistant("ok")):
        assert [each.state for each in read_messages(model_messages(now)).calls] == states


def test_a_denial_goes_there_and_comes_back_with_its_reason() -> None:
    history, requests, _ = asked()
    history = history.record_call("call_1", "denied", reason="Too much.").add_tool_result("call_3", "arrived")
    results = deferred_results(history, requests)
    assert results.approvals == {"call_1": ToolDenied("Too much.")}
    done = run(message_history=deferred_messages(history, requests), deferred_tool_results=results)
    assert paid == []
    after = read_messages(done.all_messages())
    assert (after.calls[0].state, after.calls[0].detail) == (CallState.DENIED, "Too much.")
    again = MessageHistory.from_list(after.for_send(PydanticAI()))
    assert (again.calls[0].state, again.calls[0].detail) == (CallState.DENIED, "Too much.")


def test_what_an_application_decided_is_read_into_the_history() -> None:
    history, requests, _ = asked()
    results = DeferredToolResults(approvals={"call_1": ToolDenied("No.")}, calls={"call_3": {"far": 1}})
    read = read_results(history, results)
    assert (read.calls[0].state, read.calls[0].detail) == (CallState.DENIED, "No.")
    assert read.calls[2].result is not None
    assert read.calls[2].result.text == '{"far": 1}'
    for approval in (True, ToolApproved()):
        assert read_results(history, DeferredToolResults(approvals={"call_1": approval})).calls[0].state == "approved"
    assert requests.approvals[0].tool_call_id == "call_1"


def test_a_denied_call_of_ours_is_denied_for_the_package() -> None:
    history, _, _ = asked()
    messages = history.record_call("call_1", "denied", reason="no").for_send(PydanticAI(objects=True))
    parts = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
    assert {part.tool_call_id: part.outcome for part in parts}["call_1"] == "denied"
