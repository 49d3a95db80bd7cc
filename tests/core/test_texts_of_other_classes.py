"""Texts of classes that derive from `str`, as templates and enumerations give them: in every form the same as texts."""

from __future__ import annotations

from typing import Any

import pytest

from message_history import (
    Message,
    MessageHistory,
    RedactedThinkingBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    check,
)
from message_history.dialects import Native
from message_history.dialects.registry import DIALECTS

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
LISTS: dict[str, list[Any]] = {
    "anthropic": [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "t", "signature": "c2ln"},
            {"type": "text", "text": "a"},
            {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": "b"}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "r"}]},
    ],
    "openai_chat": [
        {"role": "system", "content": "s"},
        {"role": "user", "content": [{"type": "text", "text": "q"}]},
        {"role": "assistant", "content": "a", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "r"},
    ],
    "openai_responses": [
        {"role": "user", "content": [{"type": "input_text", "text": "q"}]},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "t"}]},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "r"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]},
    ],
    "mistral": [
        {"role": "user", "content": [{"type": "text", "text": "q"}]},
        {"role": "assistant", "content": "", "tool_calls": [{**CALL, "id": "abcdefgh1"}]},
        {"role": "tool", "tool_call_id": "abcdefgh1", "content": "r"},
    ],
    "gemini": [
        {"role": "user", "parts": [{"text": "q"}]},
        {"role": "model", "parts": [
            {"text": "a"},
            {"functionCall": {"id": "c1", "name": "f", "args": {"a": "b"}}, "thoughtSignature": "QUJDRA=="}]},
        {"role": "user", "parts": [{"functionResponse": {"id": "c1", "name": "f", "response": {"output": "r"}}}]},
    ],
    "gemini_interactions": [
        {"type": "user_input", "content": "q"},
        {"type": "model_output", "content": [{"type": "text", "text": "a"}]},
        {"type": "function_call", "id": "c1", "name": "f", "arguments": {"a": "b"}},
        {"type": "function_result", "call_id": "c1", "result": "r"},
    ],
    "bedrock": [
        {"role": "user", "content": [{"text": "q"}]},
        {"role": "assistant", "content": [
            {"reasoningContent": {"reasoningText": {"text": "t", "signature": "c2ln"}}},
            {"toolUse": {"toolUseId": "c1", "name": "f", "input": {"a": "b"}}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "c1", "content": [{"text": "r"}]}}]},
    ],
    "pydantic_ai": [
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": ["q"]}]},
        {"kind": "response", "parts": [
            {"part_kind": "text", "content": "a"},
            {"part_kind": "tool-call", "tool_name": "f", "args": "{}", "tool_call_id": "c1"}]},
        {"kind": "request", "parts": [
            {"part_kind": "tool-return", "tool_name": "f", "content": "r", "tool_call_id": "c1"}]},
    ],
}  # fmt: skip
LISTS["native"] = MessageHistory.from_list(LISTS["anthropic"]).to_list()


class Template(str):
    """A text that shows itself as another."""

    __slots__ = ()

    def __str__(self) -> str:
        return "another text"


def with_templates(value: Any) -> Any:
    """Put a `Template` in the place of each text, the keys' as well."""
    if isinstance(value, dict):
        return {key: with_templates(item) for key, item in value.items()}
    if isinstance(value, list):
        return [with_templates(item) for item in value]
    return Template(value) if isinstance(value, str) else value


def holds_templates(value: Any) -> bool:
    if isinstance(value, dict):
        return any(holds_templates(item) for pair in value.items() for item in pair)
    if isinstance(value, list):
        return any(map(holds_templates, value))
    return isinstance(value, Template)


@pytest.mark.parametrize("form", LISTS)
def test_a_list_of_them_is_the_list_of_their_texts(form: str) -> None:
    plain = MessageHistory.from_list(LISTS[form], dialect=DIALECTS[form])
    for dialect in (DIALECTS[form], None) if form != "mistral" else (DIALECTS[form],):
        history = MessageHistory.from_list(with_templates(LISTS[form]), dialect=dialect)
        assert history == plain
        assert history.to_list() == plain.to_list()
        assert not holds_templates(history.to_list())
        assert check(history.to_list()[history.system is not None :], Native()) == []
        assert MessageHistory.from_list(history.to_list()) == history
        for target in DIALECTS.values():
            wire: list[Any] = history.for_send(target)
            assert wire == plain.for_send(target)
            assert not holds_templates(wire)


def test_blocks_of_them_are_blocks_of_their_texts() -> None:
    history = (
        MessageHistory()
        .add_user(Template("q"))
        .add_assistant(
            [
                ThinkingBlock(Template("t"), Template("c2ln")),
                RedactedThinkingBlock(Template("d")),
                TextBlock(Template("a")),
                ToolUseBlock(Template("c1"), Template("f"), {Template("a"): Template("b")}),
            ]
        )
        .add_tool_result(Template("c1"), Template("r"))
    )
    assert not holds_templates(history.to_list())
    assert [call.input for call in history[1].calls] == [{"a": "b"}]
    assert history[-1].results[0].text == "r"


@pytest.mark.parametrize("form", LISTS)
def test_a_role_of_them_is_a_role(form: str) -> None:
    raw = [{**entry, "role": Template(entry["role"])} if "role" in entry else entry for entry in LISTS[form]]
    history = MessageHistory.from_list(raw, dialect=DIALECTS[form])
    assert history == MessageHistory.from_list(LISTS[form], dialect=DIALECTS[form])
    assert not holds_templates(history.to_list())
    assert {type(message.role) for message in history} == {str}


def test_a_message_with_a_role_of_them_has_a_role() -> None:
    messages = [Message(Template("user"), "q"), Message(Template("assistant"), "a")]  # type: ignore[arg-type]
    assert {type(message.role) for message in messages} == {str}
    raw = [{"role": Template("user"), "content": "q"}, {"role": Template("assistant"), "content": "a"}]
    assert not holds_templates(MessageHistory().extend(raw).to_list())
