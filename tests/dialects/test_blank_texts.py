"""Blank texts of the assistant beside other content: providers took them, so they are no reason for a repair."""

from __future__ import annotations

from typing import Any

import pytest

from message_history import MessageHistory, RepairCode, Severity, check
from message_history.dialects import Gemini, OpenAIChat, OpenAIResponses
from message_history.dialects.registry import DIALECTS

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CHAT: list[Any] = [
    {"role": "user", "content": "q"},
    {"role": "assistant", "content": "\n\n", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "r"},
]
CALLED = {"functionCall": {"name": "f", "args": {}}}
RESPONDED = {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"output": "r"}}}]}


def lossy(*repairs: Any) -> list[RepairCode]:
    return [repair.code for repair in repairs if repair.severity is not Severity.LOSSLESS]


@pytest.mark.parametrize("dialect", [OpenAIChat(), OpenAIChat.for_model("gpt-4o"), OpenAIChat.for_provider("groq")])
def test_white_space_beside_calls_goes_back_as_it_came(dialect: OpenAIChat) -> None:
    history = MessageHistory.from_list(CHAT, dialect=dialect)
    exported = history.export(dialect)
    assert (exported.messages, history.repairs, lossy(*exported.repairs)) == (CHAT, (), [])


@pytest.mark.parametrize("provider", ["kimi", "xai", "mistral", "vertex/gemini-3.6", "azure on your data"])
def test_white_space_is_omitted_where_it_is_not_taken(provider: str) -> None:
    dialect = OpenAIChat.for_provider(provider)
    wire = MessageHistory.from_list(CHAT).for_send(dialect)
    assert check(wire, dialect) == []
    again = MessageHistory.from_list(wire, dialect=dialect)
    assert (again.repairs, again.for_send(dialect)) == ((), wire)


def test_an_empty_text_before_the_calls_of_a_turn_is_no_content() -> None:
    chat = [CHAT[0], {"role": "assistant", "content": ""}, {"role": "assistant", "tool_calls": [CALL]}, CHAT[2]]
    called = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "c1", "output": "r"}
    items = [CHAT[0], {"role": "assistant", "content": ""}, called, output]
    for raw, dialect in ((chat, OpenAIChat()), (items, OpenAIResponses())):
        history = MessageHistory.from_list(raw, dialect=dialect)
        assert [message.role for message in history] == ["user", "assistant", "user"]
        assert lossy(*history.repairs, *history.export(dialect).repairs) == []


@pytest.mark.parametrize("content", ["", " ", "\n"])
def test_a_turn_of_nothing_but_blank_text_is_dropped_and_recorded(content: str) -> None:
    raw = [CHAT[0], {"role": "assistant", "content": content}, CHAT[0]]
    for dialect in (OpenAIChat(), OpenAIResponses()):
        history = MessageHistory.from_list(raw, dialect=dialect)
        assert RepairCode.BLANK_TEXT_DROPPED in lossy(*history.repairs)
    assert len(MessageHistory.from_list([*raw[:2], raw[1]], dialect=OpenAIChat())) == 1


@pytest.mark.parametrize("parts", [[CALLED, {"text": ""}], [{"text": " "}, CALLED]])
def test_blank_parts_of_gemini_go_back_as_they_came(parts: list[Any]) -> None:
    raw = [{"role": "user", "parts": [{"text": "q"}]}, {"role": "model", "parts": parts}, RESPONDED]
    dialect = Gemini.for_model("gemini-2.5-flash")
    history = MessageHistory.from_list(raw, dialect=dialect)
    assert (history.for_send(dialect), history.repairs) == (raw, ())
    assert check(history.for_send(Gemini(vertex=True)), Gemini(vertex=True)) == []


def test_nobody_else_is_sent_them() -> None:
    for raw, own in (
        (CHAT, OpenAIChat()),
        (
            [
                {"role": "user", "parts": [{"text": "q"}]},
                {"role": "model", "parts": [CALLED, {"text": " "}]},
                RESPONDED,
            ],
            Gemini(),
        ),
    ):
        history = MessageHistory.from_list(raw, dialect=own)
        assert MessageHistory.from_list(history.to_list()) == history
        for dialect in DIALECTS.values():
            wire = history.for_send(dialect)
            assert check(wire, dialect) == []
            assert dialect.name in (own.name, "native") or "'\\n\\n'" not in repr(wire)
