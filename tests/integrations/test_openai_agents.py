"""A history as a session of the OpenAI Agents SDK, with its own runner."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history import MessageHistory, Policy, RepairCode, TextBlock, ThinkingBlock, ToolUseBlock, check
from message_history.core.values.meta import Meta
from message_history.dialects import OpenAIResponses
from message_history.integrations.strategies import histories

pytest.importorskip("agents")

from agents import Agent, Runner, SessionSettings, function_tool, set_tracing_disabled
from agents.exceptions import UserError
from agents.memory import Session
from agents.run_internal.session_persistence import rewind_session_items
from agents.testing import ScriptedModel, assistant_message, function_call

from message_history.integrations.openai_agents import HistorySession

set_tracing_disabled(True)
TO = OpenAIResponses()
STORED = OpenAIResponses(prefill=True, store=True, reasons=False)


def weather(city: str) -> str:
    """Tell the weather."""
    return f"sunny in {city}"


def crash() -> str:
    """Fail as a process does."""
    raise RuntimeError("the process ended")


def agent(*steps: Any) -> tuple[Agent, ScriptedModel]:
    model = ScriptedModel(steps)
    return Agent(
        name="a", model=model, tools=[function_tool(weather), function_tool(crash, failure_error_function=None)]
    ), model


def go(agent: Agent, prompt: str, *, session: HistorySession) -> Any:
    """Run an agent in a loop of its own, which is closed behind it."""
    return asyncio.run(Runner.run(agent, prompt, session=session))


def item(role: str, content: str) -> Any:
    return {"role": role, "content": content}


def call(id: str, name: str = "f") -> Any:
    return {"type": "function_call", "call_id": id, "name": name, "arguments": "{}"}


def output(id: str, text: str = "ok") -> Any:
    return {"type": "function_call_output", "call_id": id, "output": text}


def kinds(items: list[Any]) -> list[str]:
    return [str(item.get("call_id") or item.get("role")) for item in items]


def filled(*items: Any) -> HistorySession:
    session = HistorySession("s")
    asyncio.run(session.add_items(list(items)))
    return session


def test_it_is_a_session() -> None:
    assert isinstance(HistorySession("s"), Session)
    assert HistorySession("s").session_id == "s"


def test_the_runner_keeps_a_conversation_in_it() -> None:
    saved: list[MessageHistory] = []
    session = HistorySession("s", on_change=saved.append)
    paris, rome = (
        function_call("weather", {"city": city}, call_id=city, item_id=f"fc_{city}") for city in ("Paris", "Rome")
    )
    answers = [assistant_message("Sunny.", item_id="msg_1")], [assistant_message("You are welcome.", item_id="msg_2")]
    one, model = agent([paris, rome], *answers)
    first = go(one, "Weather in Paris and Rome?", session=session)
    second = go(one, "Thanks.", session=session)
    assert (first.final_output, second.final_output) == ("Sunny.", "You are welcome.")
    assert [message.role for message in session.history] == ["user", "assistant"] * 3
    assert [result.text for result in session.history[2].results] == ["sunny in Paris", "sunny in Rome"]
    assert session.history.repairs == ()
    assert saved[-1] is session.history
    for called in model.calls:
        assert check(called.input, STORED) == []
    assert kinds(list(model.calls[-1].input)) == ["user", "Paris", "Rome", "Paris", "Rome", "assistant", "user"]


def test_a_run_that_ended_in_mid_cycle_does_not_spoil_the_next() -> None:
    session = HistorySession("s")
    with pytest.raises(UserError, match="the process ended"):
        go(agent([function_call("crash", {}, call_id="1")])[0], "Go.", session=session)
    asyncio.run(session.add_items([call("2")]))
    one, model = agent([assistant_message("I am back.", item_id="msg_1")])
    go(one, "And now?", session=session)
    assert check(model.calls[0].input, STORED) == []
    assert kinds(list(model.calls[0].input)) == ["user", "2", "2", "user"]
    assert [repair.code for repair in session.history.repairs] == [RepairCode.RESULT_STUBBED]
    assert session.history.add_tool_result("2", "late")[-1].text.endswith("late")


LIST = [
    item("user", "a"),
    call("1"),
    call("2"),
    output("1"),
    output("2"),
    call("3"),
    output("3"),
    item("assistant", "done"),
    item("user", "b"),
]


@pytest.mark.parametrize(
    ("limit", "start"), [(0, 9), (1, 8), (2, 7), (3, 7), (4, 5), (5, 5), (6, 5), (7, 5), (8, 1), (9, 0), (99, 0)]
)
def test_a_limit_does_not_split_a_pair(limit: int, start: int) -> None:
    session = filled(*LIST)
    assert kinds(asyncio.run(session.get_items())) == kinds(LIST)
    assert kinds(asyncio.run(session.get_items(limit))) == kinds(LIST[start:])
    session.session_settings = SessionSettings(limit=limit)
    assert kinds(asyncio.run(session.get_items())) == kinds(LIST[start:])


def test_reasoning_stays_with_what_it_led_to() -> None:
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"}
    called = {**call("1"), "id": "fc_1"}
    session = filled(item("user", "a"), reasoning, called, output("1"), item("user", "b"))
    assert [len(asyncio.run(session.get_items(limit))) for limit in range(6)] == [0, 0, 0, 0, 4, 5]
    assert asyncio.run(session.get_items(4))[0] == reasoning


@given(histories(), st.integers(0, 12))
def test_any_limit_gives_a_list_that_the_api_takes(history: MessageHistory, limit: int) -> None:
    session = HistorySession("s", history)
    everything = asyncio.run(session.get_items())
    items = asyncio.run(session.get_items(limit))
    assert len(items) <= limit
    following = [item("user", "more")]
    for sent in (everything, items):
        assert check([*sent, *following], TO) == []
    assert session.history is history


def test_popping_gives_back_what_was_added_one_by_one() -> None:
    session = filled(*LIST)
    lengths = []
    for expected in reversed(LIST):
        popped = asyncio.run(session.pop_item())
        assert popped is not None
        assert kinds([popped]) == kinds([expected])
        assert check([*asyncio.run(session.get_items()), item("user", "x")], TO) == []
        assert session.history.repairs == ()
        lengths.append(len(session.history))
    assert asyncio.run(session.pop_item()) is None
    assert lengths == [6, 5, 4, 3, 3, 2, 2, 1, 0]


def test_popping_keeps_what_is_before_the_last_turn_as_it_is() -> None:
    thinking = ThinkingBlock("hm", "c2ln", meta=Meta(issuer="anthropic"))
    history = MessageHistory(policy=Policy(stub_text="[x]")).add_user("a").add_assistant([thinking, TextBlock("b")])
    session = HistorySession("s", history.add_user("c").add_assistant("d"))
    asyncio.run(session.pop_item())
    assert session.history == history.add_user("c")
    assert session.history.policy == history.policy


def test_a_stub_is_never_popped() -> None:
    session = filled(item("user", "a"), call("1"), call("2"), output("2"))
    assert kinds(asyncio.run(session.get_items())) == ["user", "1", "2", "1", "2"]
    assert kinds([asyncio.run(session.pop_item())]) == ["2"]
    assert kinds([asyncio.run(session.pop_item())]) == ["2"]
    assert kinds([asyncio.run(session.pop_item())]) == ["1"]
    assert [message.text for message in session.history] == ["a"]


@given(histories())
def test_popping_ends(history: MessageHistory) -> None:
    session = HistorySession("s", history)
    before = len(asyncio.run(session.get_items()))
    for _ in range(before):
        asyncio.run(session.pop_item())
        assert check([*asyncio.run(session.get_items()), item("user", "x")], TO) == []
    assert asyncio.run(session.pop_item()) is None


def test_the_sdks_own_rewinding_finds_its_items() -> None:
    before = [item("user", "a"), item("assistant", "b")]
    turn: list[Any] = [item("user", "c"), {**call("1"), "id": "fc_1", "status": "completed"}, output("1")]
    session = filled(*before, *turn)
    asyncio.run(rewind_session_items(session, turn))
    assert [message.text for message in session.history] == ["a", "b"]


def test_clearing_keeps_the_policy() -> None:
    session = HistorySession("s", MessageHistory(policy=Policy(stub_text="[x]")).add_user("a"))
    asyncio.run(session.clear_session())
    assert session.history == MessageHistory()
    assert session.history.policy == Policy(stub_text="[x]")
    assert asyncio.run(session.get_items(3)) == []


def test_a_conversation_begun_elsewhere_goes_on_in_it() -> None:
    begun = MessageHistory.from_list(
        [
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}]},
        ],
        open_tail="keep",
    )
    assert begun.awaiting == (ToolUseBlock("toolu_1", "f", {}),)
    session = HistorySession("s", begun)
    one, model = agent([assistant_message("ok", item_id="msg_1")])
    go(one, "Go on.", session=session)
    assert check(model.calls[0].input, STORED) == []
