"""`convert_request`: the request of another provider."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from message_history.dialects import Anthropic, Gemini, Native, OpenAIChat
from message_history_healing import ConvertedRequest, HealedRequest, Healing, convert_request
from message_history_healing.request import ReadRequest

OPUS = Anthropic.for_model("claude-opus-4-6")
REQUEST: dict[str, Any] = {
    "model": "gpt-4o",
    "temperature": 0.2,
    "messages": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "q"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        },
    ],
    "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}],
}


def test_a_request_is_converted_and_what_cannot_be_is_omitted_with_its_value() -> None:
    before = deepcopy(REQUEST)
    made = convert_request(REQUEST, Anthropic(), model="claude-opus-4-6")
    assert before == REQUEST
    assert list(made.body) == ["model", "system", "tools", "messages"]
    assert made.body["tools"] == [{"name": "f", "input_schema": {"type": "object", "properties": {}}}]
    assert [(part.path, part.value) for part in made.omitted] == [("model", "gpt-4o"), ("temperature", 0.2)]
    assert made.required == ("max_tokens",)
    assert [repair.code for repair in made.repairs] == ["result_stubbed"]
    assert made.violations == ()


def test_there_and_back_is_the_same_request_where_nothing_was_omitted() -> None:
    sound = {"messages": REQUEST["messages"][:2], "tools": REQUEST["tools"]}
    for dialect in (Anthropic(), Gemini()):
        there = convert_request(sound, dialect)
        assert convert_request(there.body, OpenAIChat()).body == {
            "tools": sound["tools"],
            "messages": sound["messages"],
        }


def test_a_request_that_is_in_the_dialect_keeps_its_keys() -> None:
    made = convert_request(REQUEST, OpenAIChat(), model="gpt-5")
    assert {**made.body, "messages": []} == {**REQUEST, "model": "gpt-5", "messages": []}
    assert made.omitted == ()


def test_a_request_that_ends_with_the_assistant_is_one_that_the_other_provider_takes() -> None:
    """A conversation may end so, a request to newer models of Anthropic may not."""
    made = convert_request({"messages": [*REQUEST["messages"][:2], {"role": "assistant", "content": "a"}]}, OPUS)
    assert [message["role"] for message in made.body["messages"]] == ["user", "assistant", "user"]
    assert made.violations == ()


def test_only_an_api_has_requests() -> None:
    with pytest.raises(ValueError, match="to must be the dialect of an API, not native"):
        convert_request(REQUEST, Native())
    with pytest.raises(ValueError, match="no list of messages"):
        convert_request({"model": "x"}, Anthropic())


@pytest.mark.parametrize("kind", [ConvertedRequest, HealedRequest, Healing, ReadRequest])
def test_two_requests_are_two_whatever_they_hold(kind: Any) -> None:
    """They hold dicts: they are compared and hashed as objects are."""
    assert (kind.__eq__, kind.__hash__) == (object.__eq__, object.__hash__)
