"""Interrupts of LangChain's human-in-the-loop middleware, both ways, with its own agent."""

from __future__ import annotations

from typing import Any

import pytest

from message_history import CallState, MessageHistory

pytest.importorskip("langchain")
pytest.importorskip("langgraph")

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from message_history.integrations.langchain import LangChain
from message_history.integrations.langchain_approvals import read_decisions, read_interrupts, resume_value

CALLS: list[Any] = [
    {"name": "look", "args": {}, "id": "call_1"},
    {"name": "pay", "args": {"amount": 5}, "id": "call_2"},
    {"name": "pay", "args": {"amount": 6}, "id": "call_3"},
]
CONFIG: Any = {"configurable": {"thread_id": "1"}}
paid: list[int] = []


def pay(amount: int) -> str:
    """Pay."""
    paid.append(amount)
    return f"paid {amount}"


def look() -> str:
    """Look."""
    return "seen"


class Model(GenericFakeChatModel):
    """A model that takes tools."""

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        assert [tool.name for tool in tools] == ["pay", "look"]
        return self


def interrupted(mode: str) -> tuple[Any, list[Any], MessageHistory]:
    paid.clear()
    model = Model(messages=iter([AIMessage("", tool_calls=CALLS), AIMessage("done")]))
    middleware = HumanInTheLoopMiddleware({"pay": True}, interrupt_mode=mode)
    agent = create_agent(model, [pay, look], middleware=[middleware], checkpointer=InMemorySaver())
    agent.invoke({"messages": [("user", "Pay both.")]}, CONFIG)
    state = agent.get_state(CONFIG)
    history = MessageHistory.from_list(state.values["messages"], dialect=LangChain(), open_tail="keep")
    return agent, list(state.interrupts), history


def messages_of(agent: Any) -> MessageHistory:
    return MessageHistory.from_list(agent.get_state(CONFIG).values["messages"], dialect=LangChain())


@pytest.mark.parametrize("mode", ["batched", "per_call"])
def test_an_interrupted_agent_goes_on_from_what_the_history_says(mode: str) -> None:
    agent, interrupts, history = interrupted(mode)
    history = read_interrupts(history, interrupts)
    waiting = history.calls.where(CallState.WAITING)
    assert [record.call.id for record in waiting] == ["call_2", "call_3"]
    with pytest.raises(ValueError, match="'call_2' of 'pay' is waiting"):
        resume_value(history, interrupts)
    history = MessageHistory.from_list(history.to_list()).add_user("Hurry!").record_call("call_2", "approved")
    history = history.record_call("call_3", "denied", reason="Too much.")
    resume = resume_value(history, interrupts)
    agent.invoke(Command(resume=resume), CONFIG)
    assert paid == [5]
    after = messages_of(agent)
    assert after.repairs == ()
    assert [record.state for record in after.calls] == [CallState.ANSWERED, CallState.ANSWERED, CallState.DENIED]
    assert after.calls[2].detail == "Too much."
    # What an application decided without the history is read into it.
    _, again, fresh = interrupted(mode)
    resume = {new.id: resume[old.id] for new, old in zip(again, interrupts, strict=True)}
    read = read_decisions(read_interrupts(fresh, again), again, resume)
    assert [record.state for record in read.calls][1:] == [CallState.APPROVED, CallState.DENIED]
    assert read.calls[2].detail == "Too much."


@pytest.mark.parametrize("mode", ["batched", "per_call"])
def test_edits_answers_and_bare_rejections_go_there_too(mode: str) -> None:
    agent, interrupts, history = interrupted(mode)
    history = read_interrupts(history, interrupts).record_call("call_2", "approved").record_call("call_3", "denied")
    edits = {"call_2": {"name": "pay", "args": {"amount": 1}}}
    agent.invoke(Command(resume=resume_value(history, interrupts, edits=edits)), CONFIG)
    assert paid == [1]
    after = messages_of(agent)
    assert after.calls[2].state is CallState.DENIED
    assert after.calls[2].detail == ""
    agent, interrupts, history = interrupted(mode)
    history = history.add_tool_result("call_2", "by hand").record_call("call_3", "denied")
    agent.invoke(Command(resume=resume_value(history, interrupts)), CONFIG)
    assert paid == []
    result = messages_of(agent).calls[1].result
    assert result is not None
    assert result.text == "by hand"


@pytest.mark.parametrize("mode", ["batched", "per_call"])
def test_a_call_that_was_started_is_unknown_and_is_not_run_again(mode: str) -> None:
    _, interrupts, history = interrupted(mode)
    history = read_interrupts(history, interrupts).record_call("call_2", "approved").record_call("call_3", "denied")
    history = history.record_call("call_2", "started", by="worker 1")
    with pytest.raises(ValueError, match=r"'call_2' of 'pay' is unknown \(it was started and may have taken effect"):
        resume_value(history, interrupts)
    assert paid == []
    # Whoever has asked the tool says what it said.
    agent, interrupts, history = interrupted(mode)
    history = history.record_call("call_2", "started").add_tool_result("call_2", "paid 5 already")
    resume = resume_value(history.record_call("call_3", "denied"), interrupts)
    agent.invoke(Command(resume=resume), CONFIG)
    assert paid == []


def test_interrupts_of_another_history_are_refused() -> None:
    _, interrupts, _ = interrupted("batched")
    with pytest.raises(ValueError, match="interrupts must belong to the last calls"):
        read_interrupts(MessageHistory().add_user("q"), interrupts)
