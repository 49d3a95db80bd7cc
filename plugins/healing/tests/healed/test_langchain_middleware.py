"""LangChain: an agent whose state is broken goes on."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

pytest.importorskip("langchain")

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from message_history import check
from message_history.dialects import OpenAIChat
from message_history.integrations.langchain import LangChain
from message_history_healing import HealedList, MemoryConversations
from message_history_healing.conversations import Found
from message_history_healing.langchain import HealingMiddleware

CALL = {"name": "read", "args": {"path": "a"}, "id": "c1", "type": "tool_call"}
BROKEN = [HumanMessage("Read a.", id="1"), AIMessage("", tool_calls=[CALL], id="2"), HumanMessage("Well?", id="3")]
seen: list[list[Any]] = []


class Model(GenericFakeChatModel):
    """Notes what it is given."""

    def _generate(self, messages: list[Any], *args: Any, **kwargs: Any) -> Any:
        seen.append(list(messages))
        return super()._generate(messages, *args, **kwargs)


def agent(**more: Any) -> Any:
    seen.clear()
    model = Model(messages=iter([AIMessage("One."), AIMessage("Two."), AIMessage("Three.")]))
    return create_agent(model, [], middleware=[HealingMiddleware(**more)])


def test_the_model_is_given_a_healed_list_and_the_state_stays() -> None:
    healed: list[Any] = []
    state = agent(on_healed=healed.append).invoke({"messages": BROKEN})
    assert check(seen[0], LangChain()) == []
    assert [message.type for message in seen[0]] == ["human", "ai", "tool", "human"]
    assert [message.id for message in state["messages"][:3]] == ["1", "2", "3"]
    assert len(state["messages"]) == 4
    assert len(healed) == 1


@pytest.mark.parametrize("is_async", [False, True])
def test_what_the_model_was_given_stays_though_a_result_comes_late(is_async: bool) -> None:
    running = agent()

    def run(state: Any) -> Any:
        return asyncio.run(running.ainvoke(state)) if is_async else running.invoke(state)

    run({"messages": BROKEN})
    late = ToolMessage("contents", tool_call_id="c1", id="4")
    more = [*BROKEN[:2], late, BROKEN[2], AIMessage("One.", id="5"), HumanMessage("And?", id="6")]
    run({"messages": more})
    assert [message.content for message in seen[1][:4]] == [message.content for message in seen[0]]
    assert "contents" in str(seen[1][-1].content)


def test_the_state_may_be_replaced() -> None:
    state = agent(replace_state=True).invoke({"messages": BROKEN})
    assert check(state["messages"][:-1], LangChain()) == []
    assert len(state["messages"]) == 5


def test_a_sound_list_is_given_as_it_is() -> None:
    agent().invoke({"messages": BROKEN[:1]})
    assert [message.content for message in seen[0]] == ["Read a."]


def test_it_works_asynchronously() -> None:
    for replaced in (False, True):
        asyncio.run(agent(replace_state=replaced).ainvoke({"messages": BROKEN}))
        assert check(seen[0], LangChain()) == []


def test_what_is_passed_is_used_and_what_is_not_is_its_own() -> None:
    kept = MemoryConversations()
    late = [*BROKEN[:2], ToolMessage("contents", tool_call_id="c1", id="4"), *BROKEN[2:], AIMessage("No.", id="5")]
    for passed, is_known in ((kept, True), (None, False)):
        agent(conversations=kept).invoke({"messages": BROKEN})
        agent(conversations=passed).invoke({"messages": late})
        assert ("contents" in str(seen[0][2].content)) is not is_known


def test_the_dialect_that_is_passed_says_what_is_healed() -> None:
    two = [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]
    for dialect, count in ((OpenAIChat(), 2), (OpenAIChat(alternate=True), 1)):
        middleware: Any = HealingMiddleware(dialect=dialect)
        assert len(middleware.wrap_model_call(Request(two), lambda request: request).messages) == count


def test_replacing_the_state_is_asked_for_reported_and_done_only_where_needed() -> None:
    healed: list[Any] = []
    middleware = HealingMiddleware(replace_state=True, on_healed=healed.append)
    for state in ([], BROKEN[:1]):
        assert middleware.before_model({"messages": state}, None) is None
    assert healed == []
    found = middleware.before_model({"messages": BROKEN}, None)
    assert found is not None
    assert [each.messages for each in healed] == [found["messages"][1:]]
    assert HealingMiddleware().before_model({"messages": BROKEN}, None) is None


def test_what_the_model_failed_at_does_not_count() -> None:
    kept = MemoryConversations()
    middleware: Any = HealingMiddleware(conversations=kept)

    def fail(request: Any) -> Any:
        raise ConnectionError(len(request.messages))

    with pytest.raises(ConnectionError, match="4"):
        middleware.wrap_model_call(Request(BROKEN), fail)
    assert len(kept) == 0


@dataclass
class Request:
    """What LangChain gives."""

    messages: list[Any]

    def override(self, *, messages: list[Any]) -> Request:
        return Request(messages)


def test_a_sound_request_is_passed_on_itself_and_what_it_holds_is_counted() -> None:
    kept = MemoryConversations()
    middleware: Any = HealingMiddleware(conversations=kept)
    sound = Request(BROKEN[:1])
    assert middleware.wrap_model_call(sound, lambda request: request) is sound
    before = kept.held_bytes
    middleware.wrap_model_call(Request(BROKEN), lambda _: None)
    assert kept.held_bytes - before > 4_000
    middleware._keep(HealedList(messages=[], sent=None), Found())
    assert len(kept) == 1
