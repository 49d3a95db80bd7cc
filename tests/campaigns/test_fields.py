"""Fields of dialects that contradict each other are refused, and all others are honoured together."""

from __future__ import annotations

import os
import re
from typing import Any

import pytest

from message_history import MessageHistory, check
from message_history.dialects import Bedrock, Mistral, OpenAIChat
from tests.campaigns.fields import failures

CONTRADICTIONS: list[tuple[type[Any], dict[str, Any]]] = [
    (OpenAIChat, {"reasoning": None, "reasoning_required": "always"}),
    (OpenAIChat, {"system_role": "developer", "developer": False}),
    (OpenAIChat, {"native": True, "empty_content": False}),
    (OpenAIChat, {"content_key": True, "null_content": "omit"}),
    (OpenAIChat, {"tools": "text", "late_system": False, "result_images": "kept"}),
    (OpenAIChat, {"id_pattern": re.compile("[a-zA-Z0-9]{9}")}),  # Without an id_limit, none that is made is so short.
    (Mistral, {"id_pattern": re.compile("x")}),
    (Mistral, {"alternate": True, "late_system": False}),
    (Mistral, {"alternate": True, "one_system": True}),
    (Mistral, {"user_chunks": frozenset({"image_url"})}),
    (Mistral, {"tool_chunks": frozenset()}),
    (Bedrock, {"beside_results": frozenset({"image"})}),
    (Bedrock, {"server_tools": True, "text_with_calls": False}),
]


@pytest.mark.parametrize(("kind", "fields"), CONTRADICTIONS)
def test_fields_that_contradict_each_other_are_refused(kind: type[Any], fields: dict[str, Any]) -> None:
    with pytest.raises(
        ValueError, match=r"contradict|must hold 'text'|needs text_with_calls|breaks the turns|id_pattern"
    ):
        kind(**fields)


def test_what_one_field_demands_decides_another() -> None:
    dialect = OpenAIChat(alternate=True, leading_assistant=True)
    assert (dialect.bridge, dialect.leading_assistant, dialect.function_role) == (True, False, False)
    assert not OpenAIChat(one_system=True).late_system
    assert not OpenAIChat(tools="text").late_system
    assert OpenAIChat(empty_content=False).empty_result == "[The tool gave no output.]"
    assert OpenAIChat(empty_content=False, empty_result="-").empty_result == "-"


def test_the_message_of_calls_that_is_parted_from_its_text_has_the_reasoning_that_is_required() -> None:
    dialect = OpenAIChat(text_with_calls=False, reasoning="reasoning_content", reasoning_required="always")
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    history = MessageHistory.from_list(
        [{"role": "user", "content": "q"}, {"role": "assistant", "content": "I look.", "tool_calls": [call]}]
    )
    wire = history.for_send(dialect)
    assert [entry.get("reasoning_content") for entry in wire if entry["role"] == "assistant"] == ["", ""]
    assert check(wire, dialect) == []


def test_where_roles_take_turns_a_later_system_message_is_the_users() -> None:
    dialect = OpenAIChat(alternate=True)
    asked, system = {"role": "user", "content": "q"}, {"role": "system", "content": "s"}
    answered = {"role": "assistant", "content": "a"}
    wire = MessageHistory.from_list([asked, answered, system, answered, system, asked]).for_send(dialect)
    assert [entry["role"] for entry in wire] == ["user", "assistant", "user", "assistant", "user"]
    assert wire[2]["content"] == "<system>\ns\n</system>"
    assert check(wire, dialect) == []


@pytest.mark.filterwarnings("ignore:the system prompt")
@pytest.mark.parametrize("first", [0, pytest.param(int(os.environ.get("FIRST", "1000")), marks=pytest.mark.heavy)])
def test_whatever_fields_say_together_is_valid(first: int) -> None:
    found = {seed: list(failures(seed)) for seed in range(first, first + (150 if first == 0 else 4_000))}
    assert not {seed: each for seed, each in found.items() if each}
