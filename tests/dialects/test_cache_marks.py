"""Cache marks where they pay: within each provider's limits, and where the next request still begins the same."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history import MessageHistory, PromptCache, SystemBlock, ThinkingBlock, ToolUseBlock, check
from message_history.core.messages.message import Message
from message_history.dialects import Anthropic, Bedrock, Dialect, Gemini, Mistral, OpenAIChat, OpenAIResponses
from message_history.integrations.strategies import histories, messages

MARKING: tuple[Dialect[Any], ...] = (Anthropic(), Bedrock(cache_points=True, cache_ttl=True))
OTHERS: tuple[Dialect[Any], ...] = (Bedrock(cache_points=False), OpenAIChat(), OpenAIResponses(), Gemini(), Mistral())
ALL = PromptCache(min_tokens=0)


def bare(blocks: Any) -> Any:
    """Give anything of an export without its marks, by a way of its own."""
    if isinstance(blocks, dict):
        return {key: bare(value) for key, value in blocks.items() if key != "cache_control"}
    if isinstance(blocks, list):
        return [bare(item) for item in blocks if not (isinstance(item, dict) and "cachePoint" in item)]
    return blocks


def marked(wire: list[Any]) -> list[int]:
    """Give the positions of the messages that have a mark."""
    return [n for n, message in enumerate(wire) if bare(message) != message]


def count(value: Any) -> int:
    if isinstance(value, dict):
        return sum(key in ("cache_control", "cachePoint") for key in value) + sum(map(count, value.values()))
    return sum(map(count, value)) if isinstance(value, list) else 0


def agent(rounds: int) -> MessageHistory:
    history = MessageHistory().with_system("You are careful. " * 50).add_user("Repair the build. " * 50)
    for step in range(rounds):
        history = history.add_assistant([ThinkingBlock("hm", "c2ln"), ToolUseBlock(f"c{step}", "run", {"n": step})])
        history = history.add_tool_result(f"c{step}", "output " * 50)
    return history


@given(histories(max_size=12), st.sampled_from(MARKING), st.sampled_from([None, "5m", "1h"]), st.integers(0, 4))
def test_marks_are_accepted_and_change_nothing_else(
    history: MessageHistory, dialect: Dialect[Any], ttl: Any, most: int
) -> None:
    cache = PromptCache(min_tokens=0, ttl=ttl, marks=most)
    plain, exported = history.export(dialect), history.export(dialect, cache=cache)
    assert bare(exported.messages) == bare(plain.messages)
    assert history.for_send(dialect, cache=cache) == exported.messages
    assert count(exported.messages) + count(exported.system) <= most
    if not check(plain.messages, dialect):
        assert not check(exported.messages, dialect)
    assert history.export(dialect).messages == plain.messages


@given(histories(max_size=8), st.lists(messages(), max_size=6), st.sampled_from(MARKING))
def test_a_mark_stands_where_the_next_request_still_begins_the_same(
    history: MessageHistory, arriving: list[Message], dialect: Dialect[Any]
) -> None:
    history = history.add_user("Go on.")
    # A paused reply that goes on may change what was sent (law 6).
    for message in [message for message in arriving if message.role == "user"]:
        before = history.for_send(dialect, cache=ALL)
        history = history.as_sent(dialect).add_assistant("Well.").add(message)
        after = bare(history.for_send(dialect, cache=ALL))
        for place in marked(before):
            assert after[: place + 1] == bare(before[: place + 1])


@pytest.mark.parametrize("dialect", MARKING, ids=lambda dialect: dialect.name)
def test_each_request_of_an_agent_reads_what_the_one_before_has_written(dialect: Dialect[Any]) -> None:
    earlier: list[int] = []
    anchors = set()
    for rounds in range(40):
        history = agent(rounds)
        exported = history.export(dialect, cache=ALL)
        places = marked(exported.messages)
        assert places[-1] == len(exported.messages) - 1
        assert not earlier or earlier[-1] in places
        assert count(exported.messages) + count(exported.system) == min(rounds, 2) + 2
        anchors.add(places[0])
        earlier = places
    # The deep mark moves only when the list has doubled.
    assert len(anchors) <= 6


def test_what_is_added_only_to_be_sent_is_not_marked() -> None:
    waiting = agent(3).add_assistant([ToolUseBlock("x", "run", {})])
    ended = agent(3).add_assistant("Done.")
    for history in (waiting, ended):
        wire = history.for_send(Anthropic(), cache=ALL)
        assert marked(wire)[-1] == len(wire) - 3
        assert history.as_sent(Anthropic()).for_send(Anthropic(), cache=ALL) == wire


def test_a_beginning_that_is_too_short_is_not_marked() -> None:
    history = MessageHistory().add_user("Hi").add_assistant("Ho").add_user("And?")
    assert count(history.for_send(cache=PromptCache())) == 0
    assert count(history.for_send(cache=ALL)) == 2
    assert count(agent(30).for_send(cache=PromptCache())) == 3


def test_tools_come_first_in_what_is_cached_and_count() -> None:
    history = MessageHistory().add_user("hi").add_assistant("yes").add_user("and?")
    tools = [{"name": "search", "description": "word " * 1000, "input_schema": {"type": "object"}}]
    without = history.export(Anthropic(), cache=PromptCache())
    counted = history.export(Anthropic(), cache=PromptCache(tools=tools))
    assert bare(counted.messages) == without.messages
    assert counted.messages[-1]["content"][-1]["cache_control"] == {"type": "ephemeral"}
    assert tools == [{"name": "search", "description": "word " * 1000, "input_schema": {"type": "object"}}]


@pytest.mark.parametrize("dialect", OTHERS, ids=lambda dialect: dialect.name)
def test_a_dialect_without_marks_is_written_as_ever(dialect: Dialect[Any]) -> None:
    assert agent(3).export(dialect, cache=ALL) == agent(3).export(dialect)


def test_marks_that_came_in_give_way() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    raw = [
        {"role": "user", "content": [{"type": "text", "text": f"{n}", **mark}]}
        if n % 2 == 0
        else {"role": "assistant", "content": [{"type": "text", "text": "x", **mark}]}
        for n in range(9)
    ]
    history = MessageHistory.from_list(raw)
    before = copy.deepcopy(raw)
    wire = history.for_send(cache=PromptCache(min_tokens=0, ttl="1h"))
    assert marked(wire) == [0, 6, 8] or marked(wire) == [2, 6, 8]
    assert not check(wire, Anthropic())
    assert raw == before


def test_the_system_prompt_is_marked_and_its_text_stays() -> None:
    history = MessageHistory().with_system("Be brief.").add_user("Hi")
    exported = history.export(cache=ALL)
    assert exported.system == [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
    bedrock = history.export(MARKING[1], cache=PromptCache(min_tokens=0, ttl="1h"))
    assert bedrock.system == [{"text": "Be brief."}, {"cachePoint": {"type": "default", "ttl": "1h"}}]
    assert history.export(cache=PromptCache(marks=0)).system == "Be brief."
    assert MessageHistory().add(Message.user(SystemBlock("s"))).for_send(cache=ALL) is not None


@pytest.mark.parametrize("fields", [{"marks": 5}, {"marks": -1}, {"ttl": "2h"}, {"min_tokens": -1}])
def test_what_no_provider_takes_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(fields))):
        PromptCache(**fields)
    with pytest.raises(TypeError, match=r"write PromptCache\(\)"):
        MessageHistory().add_user("Hi").for_send(cache=True)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("dialect", "blocks"),
    [
        (Bedrock(), []),
        (Bedrock(), [{"reasoningContent": {}}]),
        (Bedrock(), [{"document": {}}, {"text": "a"}]),
        (Anthropic(), []),
        (Anthropic(), [{"type": "thinking", "thinking": "a"}]),
    ],
)
def test_a_content_that_takes_no_mark_gets_none_and_says_so(dialect: Bedrock | Anthropic, blocks: list[Any]) -> None:
    before = list(blocks)
    assert dialect.mark_cache(blocks, None) is False
    assert blocks == before
