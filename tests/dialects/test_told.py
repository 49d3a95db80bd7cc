"""What an export leaves out or writes otherwise is told, once, with what it is; and what is sound is not refused."""

from __future__ import annotations

from typing import Any

import pytest

from message_history import MessageHistory, ProviderBlock, TextBlock, ToolUseBlock, check
from message_history.dialects import Anthropic, OpenAIChat

IMAGE = {"type": "image", "source": {"type": "url", "url": "https://example.org/c.png"}}


def answered(call: dict[str, Any], result: dict[str, Any]) -> list[Any]:
    return [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}, **call}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", **result}]},
    ]


@pytest.mark.parametrize(
    ("caller", "found"),
    [({"type": "direct"}, []), ({"type": "code_execution_20250825", "tool_id": "srvtoolu_1"}, ["AN-S8"])],
)
def test_only_calls_of_code_are_answered_with_text_alone(caller: dict[str, Any], found: list[str]) -> None:
    assert [each.rule for each in check(answered({"caller": caller}, {"content": [IMAGE]}), Anthropic())] == found


def told(history: MessageHistory, dialect: Any) -> list[tuple[str, tuple[object, ...], str]]:
    return [(each.code, each.removed, each.detail) for each in history.export(dialect).repairs]


def test_keys_of_a_system_message_that_has_no_place_for_them_are_told_once() -> None:
    directing = [{"type": "text", "text": "t"}, {"type": "tool_addition", "tool": {"name": "x"}}]
    entries = [{"role": "user", "content": "hi"}, {"role": "system", "content": directing, "zzz": 1}]
    history = MessageHistory.from_list(entries, dialect=Anthropic())
    why = "what a system message may not hold (AN-A10, AN-A11): zzz"
    assert told(history, Anthropic(system_in_list=True)) == [("withheld", ({"zzz": 1},), why)]
    assert "carried" not in str(history.to_list())


def test_a_block_that_a_result_may_not_hold_is_told() -> None:
    odd = ProviderBlock("zzz", {"type": "odd", "n": 1})
    history = MessageHistory().add_user("hi").add_assistant([ToolUseBlock("a", "f", {})])
    history = history.add_tool_result("a", [odd, TextBlock("t")])
    assert told(history, OpenAIChat()) == [("rewritten", (odd,), "a block that a result may not hold, as JSON text")]


@pytest.mark.parametrize("content", ["x", [{"type": "text", "text": "x"}, {"type": "text", "text": "y"}]])
def test_keys_of_a_result_are_told(content: object) -> None:
    history = MessageHistory.from_list(answered({}, {"content": content, "odd": 1}), dialect=Anthropic())
    assert told(history, OpenAIChat()) == [("withheld", ({"odd": 1},), "keys that go back to anthropic only: odd")]
