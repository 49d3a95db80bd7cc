"""pydantic-ai: the capability in real runs, and messages from and to a history."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings

from message_history import InvariantError, MessageHistory, Policy, RepairCode, ToolUseBlock, check
from message_history.dialects import PydanticAI
from message_history.integrations.strategies import histories

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from message_history.integrations.pydantic_ai import ValidHistory, model_messages, read_messages

TO = PydanticAI()


class Recorder:
    """A model that answers with one text and keeps what it was given."""

    def __init__(self) -> None:
        self.requests: list[list[ModelMessage]] = []

    def __call__(self, messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        self.requests.append(list(messages))
        return ModelResponse(parts=[TextPart(f"answer {len(self.requests)}")])


def go(agent: Agent[None, Any], prompt: str, message_history: list[ModelMessage] | None = None) -> Any:
    """Run an agent in a loop of its own, which is closed behind it."""
    return asyncio.run(agent.run(prompt, message_history=message_history))


def ask(text: str) -> ModelRequest:
    return ModelRequest(parts=[UserPromptPart(content=text)])


def orphan() -> ModelRequest:
    return ModelRequest(parts=[ToolReturnPart(tool_name="f", content="x", tool_call_id="lost"), UserPromptPart("hi")])


def test_a_run_goes_on_from_a_history_and_gives_one() -> None:
    history = MessageHistory().add_user("hi").add_assistant(["I look.", ToolUseBlock("1", "f", {"n": 1})])
    agent = Agent(TestModel(custom_output_text="done"), capabilities=[ValidHistory()])
    result = go(agent, "And?", message_history=model_messages(history))
    again = read_messages(result.all_messages())
    assert [message.role for message in again] == ["user", "assistant", "user", "assistant"]
    assert again[2].results[0].is_stub
    assert again[2].text == "And?"
    assert again[-1].text == "done"


def test_open_calls_would_be_refused_by_the_agent_itself() -> None:
    raw: list[ModelMessage] = [ask("hi"), ModelResponse(parts=[ToolCallPart("f", {}, "1")])]
    with pytest.raises(UserError, match="unprocessed tool calls"):
        go(Agent(TestModel()), "And?", message_history=raw)
    assert go(Agent(TestModel()), "And?", message_history=model_messages(read_messages(raw))).output


def test_tools_of_a_run_are_kept() -> None:
    def weather(city: str) -> str:
        return f"sunny in {city}"

    agent = Agent(TestModel(custom_output_text="sunny"), tools=[weather], capabilities=[ValidHistory()])
    result = go(agent, "Weather?")
    history = read_messages(result.all_messages())
    assert history.repairs == ()
    assert history[1].calls[0].name == "weather"
    assert history[2].results[0].text.startswith("sunny in")
    assert go(agent, "Thanks.", message_history=model_messages(history)).output == "sunny"


def test_a_run_that_is_tried_again_under_its_id_takes_what_a_history_gives() -> None:
    agent = Agent(TestModel(call_tools=[]))
    messages = asyncio.run(agent.run("Weather?", run_id="first")).all_messages()
    history = read_messages(messages)
    with pytest.raises(UserError, match="run_id"):
        asyncio.run(agent.run("And?", message_history=messages, run_id="first"))
    result = asyncio.run(agent.run("And?", message_history=model_messages(history), run_id="first"))
    assert len(result.new_messages()) == 2
    assert [type(message) for message in result.all_messages()] == [*map(type, messages)] * 2


def test_valid_messages_are_passed_on_untouched() -> None:
    recorder, repaired = Recorder(), list[MessageHistory]()
    agent = Agent(FunctionModel(recorder), capabilities=[ValidHistory(on_repair=repaired.append)])
    first = go(agent, "hi")
    go(agent, "more", message_history=first.all_messages())
    assert recorder.requests[1][: len(recorder.requests[0])] == recorder.requests[0]
    assert repaired == []


def test_broken_messages_are_mended_and_told() -> None:
    recorder, repaired = Recorder(), list[MessageHistory]()
    agent = Agent(FunctionModel(recorder), capabilities=[ValidHistory(on_repair=repaired.append)])
    answered = ModelResponse(parts=[TextPart("ho")])
    result = go(agent, "more", message_history=[answered, orphan(), answered])
    assert check(read_messages(recorder.requests[0]).for_send(TO), TO) == []
    codes = {repair.code for history in repaired for repair in history.repairs}
    assert RepairCode.BOOTSTRAP_ADDED in codes
    assert read_messages(result.all_messages()).repairs == ()


def test_a_history_may_be_cut_before_each_request() -> None:
    recorder = Recorder()
    short = ValidHistory(process=lambda history: history.window(max_messages=3))
    agent = Agent(FunctionModel(recorder), capabilities=[short])
    messages: list[ModelMessage] = []
    for number in range(5):
        messages = go(agent, f"question {number}", message_history=messages).all_messages()
    assert [len(read_messages(request)) for request in recorder.requests] == [1, 3, 3, 3, 3]
    assert read_messages(recorder.requests[-1])[0].text == "question 3"


def test_a_policy_that_raises_stops_the_run() -> None:
    strict = ValidHistory(policy=Policy(on_violation="raise"))
    agent = Agent(FunctionModel(Recorder()), capabilities=[strict])
    with pytest.raises(InvariantError):
        go(agent, "more", message_history=[ModelResponse(parts=[TextPart("ho")])])


@settings(max_examples=40)
@given(histories())
def test_any_history_can_be_gone_on_from(history: MessageHistory) -> None:
    recorder = Recorder()
    agent: Agent[None, Any] = Agent(FunctionModel(recorder), capabilities=[ValidHistory()])
    result = go(agent, "more", message_history=model_messages(history))
    assert check(recorder.requests[0], TO) == []
    assert read_messages(result.all_messages())[-1].text == "answer 1"
