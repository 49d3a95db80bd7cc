"""Interruptions of the OpenAI Agents SDK, both ways, with its own runner."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from message_history import CallState, MessageHistory
from message_history.dialects import OpenAIResponses

pytest.importorskip("agents")

from agents import Agent, Runner, RunState, function_tool, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message, function_call

from message_history.integrations.openai_agents import HistorySession, answer_interruptions, read_interruptions

set_tracing_disabled(True)
paid: list[int] = []


def pay(amount: int) -> str:
    """Pay."""
    paid.append(amount)
    return f"paid {amount}"


def agent() -> Agent[Any]:
    paid.clear()
    steps = [[function_call("pay", {"amount": 5}, call_id="call_1")], [assistant_message("done")]]
    return Agent(name="a", model=ScriptedModel(steps), tools=[function_tool(pay, needs_approval=True)])


async def interrupted(agent: Agent[Any], session: HistorySession) -> RunState[Any, Any]:
    result = await Runner.run(agent, "Pay five.", session=session)
    assert len(result.interruptions) == 1
    # The state is saved, and another process loads it.
    return await RunState.from_string(agent, result.to_state().to_string())


@pytest.mark.parametrize("approved", [True, False])
def test_an_interrupted_run_goes_on_from_what_the_history_says(approved: bool) -> None:
    async def run() -> MessageHistory:
        one, session = agent(), HistorySession("s")
        state = await interrupted(one, session)
        history = read_interruptions(session.history, state)
        assert history.calls[0].state is CallState.WAITING
        assert [item.call_id for item in answer_interruptions(state, history)] == ["call_1"]
        history = MessageHistory.from_list(history.to_list()).add_user("Hurry!")
        history = history.record_call("call_1", "approved" if approved else "denied", reason="" if approved else "No.")
        assert answer_interruptions(state, history) == []
        # What was decided in the state is read from it.
        decided = read_interruptions(session.history, state).calls[0]
        assert decided.state is (CallState.APPROVED if approved else CallState.DENIED)
        assert decided.detail == ("" if approved else "No.")
        done = await Runner.run(one, state, session=session)
        assert done.final_output == "done"
        return session.history

    history = asyncio.run(run())
    assert paid == ([5] if approved else [])
    record = history.calls[0]
    if approved:
        assert record.result is not None
        assert record.result.text == "paid 5"
    else:
        assert (record.state, record.detail) == (CallState.DENIED, "No.")
        # So it is in a list of items that somebody stored.
        again = MessageHistory.from_list(history.for_send(OpenAIResponses()), dialect=OpenAIResponses()).calls[0]
        assert (again.state, again.detail) == (CallState.DENIED, "No.")


def test_a_call_that_was_started_is_left_undecided_and_is_not_run_again() -> None:
    async def run() -> None:
        one, session = agent(), HistorySession("s")
        state = await interrupted(one, session)
        history = read_interruptions(session.history, state).record_call("call_1", "approved")
        history = history.record_call("call_1", "started", by="worker 1")
        assert [item.call_id for item in answer_interruptions(state, history)] == ["call_1"]
        done = await Runner.run(one, state, session=session)
        assert len(done.interruptions) == 1

    asyncio.run(run())
    assert paid == []


def test_a_rejection_without_a_message_is_known_by_the_sdks_own_text() -> None:
    async def run() -> MessageHistory:
        one, session = agent(), HistorySession("s")
        state = await interrupted(one, session)
        state.reject(state.get_interruptions()[0])
        await Runner.run(one, state, session=session)
        return session.history

    history = asyncio.run(run())
    assert history.calls[0].state is CallState.DENIED
    assert paid == []
