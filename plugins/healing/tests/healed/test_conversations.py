"""Many conversations at once: each is found again, and none is taken for another."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.following.prefixes import begins_with

from message_history.dialects import OpenAIChat
from message_history.integrations.strategies import broken_lists
from message_history_healing.conversations import MemoryConversations, NoConversations
from message_history_healing.healer import Healer
from message_history_healing.routes import Route, route_of

CHAT = Route("openai_chat")


def send(healer: Healer, messages: list[Any], *, model: str = "gpt-4o", group: str = "") -> list[Any]:
    healing = healer.heal({"model": model, "messages": messages}, CHAT, group=group)
    healer.sent(healing)
    wire = healing.request.body["messages"]
    return list(wire)


def call(n: int) -> dict[str, Any]:
    function = {"name": "read", "arguments": json.dumps({"n": n})}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": f"c{n}", "type": "function", "function": function}],
    }


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def result(n: int) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": f"c{n}", "content": f"result {n}"}


def test_a_late_result_is_known_for_late_wherever_it_is_put() -> None:
    healer = Healer()
    first = send(healer, [user("go"), call(1), user("well?")])
    second = send(healer, [user("go"), call(1), result(1), user("well?"), {"role": "assistant", "content": "no"}])
    assert begins_with(second, first)
    assert "result 1" in json.dumps(second[len(first) :])


def test_two_that_begin_alike_are_kept_apart() -> None:
    healer = Healer()
    start = [user("go"), call(1), user("well?")]
    sent = {name: send(healer, start) for name in "ab"}
    lists = {name: list(start) for name in "ab"}
    for n in range(2, 6):
        for name in "ab":
            lists[name] += [{"role": "assistant", "content": name * n}, user(f"{name} {n}")]
            now = send(healer, lists[name])
            assert begins_with(now, sent[name])
            sent[name] = now
    # A late result is told to each where it stands.
    for name in "ab":
        late = send(healer, [*lists[name][:2], result(1), *lists[name][2:], {"role": "assistant", "content": "ok"}])
        assert begins_with(late, sent[name])


def test_groups_and_apis_are_kept_apart() -> None:
    healer = Healer()
    broken, whole = [user("go"), call(1), user("well?")], [user("go"), call(1), result(1), user("well?")]
    send(healer, broken, group="a")
    assert send(healer, whole, group="b") == whole
    assert send(healer, whole, group="a") != whole


def test_memory_is_bounded_by_number_and_by_size() -> None:
    few = MemoryConversations(max_conversations=3)
    healer = Healer(few)
    for n in range(50):
        send(healer, [user(f"go {n}"), call(1), user("well?")])
    assert len(few) == 3
    assert len(few._places) == 9
    small = MemoryConversations(max_bytes=20_000)
    healer = Healer(small)
    for n in range(50):
        send(healer, [user(f"go {n}"), call(1), user("x" * 2_000)])
    assert small.held_bytes <= 20_000
    assert 1 <= len(small) < 10
    grown = [user("go 49"), call(1), user("x" * 2_000)]
    for n in range(100):
        grown += [{"role": "assistant", "content": "ok"}, user(str(n))]
        send(healer, grown)
    assert len(small) == 1
    assert {place for places in small._places.values() for place in places} == set(small._kept)


def test_nothing_is_kept_where_nothing_is_to_be_kept() -> None:
    healer = Healer(NoConversations())
    send(healer, [user("go"), call(1), user("well?")])
    whole = [user("go"), call(1), result(1), user("well?")]
    assert send(healer, whole) == whole


@given(st.lists(broken_lists(OpenAIChat()).filter(bool), min_size=1, max_size=3), st.data())
def test_conversations_that_grow_in_any_order_stay_as_they_were_sent(
    raws: list[list[Any]], data: st.DataObject
) -> None:
    healer = Healer()
    lists = [[user(f"conversation {n}"), *raw] for n, raw in enumerate(raws)]
    lengths, sent = [0] * len(lists), [list[Any]() for _ in lists]
    for _ in range(8):
        n = data.draw(st.integers(0, len(lists) - 1))
        lengths[n] = min(lengths[n] + data.draw(st.integers(1, 3)), len(lists[n]))
        wire = send(healer, lists[n][: lengths[n]])
        assert begins_with(wire, sent[n])
        sent[n] = wire


def test_a_dialect_that_was_measured_holds_for_requests_of_its_api() -> None:
    two = [user("a"), user("b")]
    alternating = OpenAIChat(alternate=True)
    healer = Healer()
    body = {"model": "gpt-4o", "messages": two}
    assert len(healer.heal(body, CHAT, dialect=alternating).request.body["messages"]) == 1
    assert healer.heal(body, CHAT).request.body is body
    for_claude = {**body, "model": "claude-haiku-4-5"}
    assert healer.heal(for_claude, Route("anthropic"), dialect=alternating).request.dialect.name == "anthropic"


def test_routes() -> None:
    found = {
        "/v1/messages": Route("anthropic"),
        "/v1/messages/count_tokens": Route("anthropic", counts=True),
        "/v1/projects/p/locations/l/publishers/anthropic/models/claude-sonnet-4@20250514:streamRawPredict": Route(
            "anthropic", "claude-sonnet-4@20250514"
        ),
        "/model/us.anthropic.claude-sonnet-4-20250514-v1%3A0/invoke-with-response-stream": Route(
            "anthropic", "us.anthropic.claude-sonnet-4-20250514-v1:0"
        ),
        "/openai/deployments/d/chat/completions": CHAT,
        "/v1/responses": Route("openai_responses"),
        "/v1beta/models/gemini-2.5-pro:streamGenerateContent": Route("gemini", "gemini-2.5-pro"),
        "/v1beta/models/gemini-2.5-pro:countTokens": Route("gemini", "gemini-2.5-pro", counts=True),
        "/model/amazon.nova-pro-v1%3A0/converse-stream": Route("bedrock", "amazon.nova-pro-v1:0"),
        "/v1/embeddings": None,
        "/v1/messages/batches": None,
        "/v1/responses/resp_1/cancel": None,
    }
    assert {path: route_of(path) for path in found} == found
    assert route_of("/v1/chat/completions", mistral=True) == Route("mistral")
