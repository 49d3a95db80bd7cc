"""The short cuts of the renders: what they write of common messages is what the long way writes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history import Message, MessageHistory, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from message_history.core.values.json_values import freeze_mapping
from message_history.core.values.meta import Meta
from message_history.dialects import (
    Anthropic,
    Bedrock,
    Gemini,
    Mistral,
    OpenAIChat,
    OpenAIResponses,
    Portable,
    PydanticAI,
)
from message_history.dialects._shared import list_writer
from message_history.dialects._shared.typed_blocks import call_of_text
from message_history.dialects.anthropic import render as anthropic
from message_history.dialects.anthropic.plain_writer import write_common
from message_history.dialects.bedrock import render as bedrock_render
from message_history.dialects.gemini import render as gemini_render
from message_history.dialects.mistral import render as mistral_render
from message_history.dialects.openai_chat import render as openai_chat_render
from message_history.dialects.openai_responses import render as openai_responses_render
from message_history.dialects.openai_responses.plan import Planner
from message_history.dialects.pydantic_ai import render as pydantic_ai_render
from message_history.dialects.registry import DIALECTS
from message_history.integrations.strategies import histories

if TYPE_CHECKING:
    from message_history.dialects import Dialect, Export

WRITTEN: list[Dialect[Any]] = [
    *DIALECTS.values(),
    Anthropic(prefill=True, system_in_list=True, binds_thinking=False),
    OpenAIChat(max_calls=1),
    OpenAIChat(cache_marks=True, late_system=False),
    *map(OpenAIChat.for_provider, ("azure", "deepseek", "kimi", "groq", "xai", "qwen", "vllm", "ollama", "mistral")),
    *map(Mistral.for_version, (3, 7, 11, 13, 15)),
    *map(Bedrock.for_model, ("claude-sonnet-4-5", "nova-pro", "llama3", "qwen3")),
    Gemini(vertex=True),
    Gemini(signatures_required=False, split_calls=True),
    OpenAIResponses(text_limit=5, unique_ids=False),
    OpenAIResponses.for_provider("deepseek"),
]
LONG_WAYS: dict[Dialect[Any], list[tuple[type, str]]] = {
    Anthropic(): [(anthropic.Render, "assistant"), (anthropic.Render, "user")],
    OpenAIChat(): [(openai_chat_render.Render, "assistant"), (openai_chat_render.Render, "user")],
    Portable(): [(openai_chat_render.Render, "assistant"), (openai_chat_render.Render, "user")],
    OpenAIResponses(): [(Planner, "plan"), (openai_responses_render.Render, "user")],
    Mistral(): [(mistral_render.Render, "_assistant"), (mistral_render.Render, "_user")],
    Bedrock(): [(bedrock_render.Render, "_assistant"), (bedrock_render.Render, "_user")],
    Gemini(): [(gemini_render.Render, "assistant"), (gemini_render.Render, "user")],
    PydanticAI(): [(pydantic_ai_render.Render, "assistant"), (pydantic_ai_render.Render, "user")],
}
WORDS = st.sampled_from(["text", "é", " ", "", "nul \0", "lone \ud83d", "a\n\nb", "x", " longer than five "])
IDS = st.sampled_from(
    ["toolu_1", "call_1", "a", "srvtoolu_1", "1", "a-b", "ü", "x" * 41, "x" * 65, "x" * 300, "abcdefghi"]
)
THOUGHTS = [[], [ThinkingBlock("hm ü", "c2ln")], [ThinkingBlock("", "c2ln", bound=False)]]
INPUTS: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{}, {"a": 1}, {"a": "é"}, {"a": "\ud83d"}, {"a": [1, {"b": None}]}, {"a": "\0"}, {"é": 1.5}, {"a": "long enough"}]
)
KEYS: list[dict[str, Any]] = [
    {"anthropic": {"caller": {"type": "direct"}}},
    {"anthropic": {"caller": {"type": "code_execution_20250825", "tool_id": "srvtoolu_1"}}},
    {"anthropic": {"cache_control": {"type": "ephemeral"}}},
    {"anthropic": {"toolset_name": "t", "odd": 1}},
    {"openai_chat": {"name": "f"}},
    {"openai_chat": {"name": "a-b", "index": 0}},
    {"openai_chat": {"index": 1}},
    {"openai_responses": {"id": "fc_1", "status": "completed"}, "anthropic": {"caller": {"type": "direct"}}},
    {"mistral": {"prefix": True}},
    {"gemini": {"thought": True}},
    {"bedrock": {"cachePoint": {"type": "default"}}},
]
METAS = st.none() | st.sampled_from(KEYS).map(lambda keys: Meta(extra=freeze_mapping(keys)[0]))


def call_of(id: str, name: str, input: dict[str, Any], meta: Meta | None, as_text: bool) -> ToolUseBlock:
    if as_text:
        return call_of_text(id, name, json.dumps(input, ensure_ascii="a" in input), meta, keep=True)
    return ToolUseBlock(id, name, input, meta=meta)


@st.composite
def plain_turns(draw: st.DrawFn) -> MessageHistory:
    """Draw conversations that are nearly common: texts, calls and results, some of them odd in one way."""
    history = MessageHistory().add_user("q")
    if draw(st.booleans()):
        history = history.with_system("Be brief.")
    for _ in range(draw(st.integers(1, 4))):
        ids = draw(st.lists(IDS, max_size=3, unique=True))
        texts = [TextBlock(text, meta=draw(METAS)) for text in draw(st.lists(WORDS, max_size=2))]
        calls = [call_of(id, draw(IDS), draw(INPUTS), draw(METAS), draw(st.booleans())) for id in ids]
        assistant = [*calls, *texts] if draw(st.integers(0, 5)) == 0 else [*texts, *calls]
        thinking = draw(
            st.sampled_from([[], [ThinkingBlock("hm ü", "c2ln")], [ThinkingBlock("", "c2ln", bound=False)]])
        )
        history = history.add_assistant([*thinking, *assistant] or "nothing")
        for id in ids:
            if draw(st.integers(0, 4)):
                content = draw(st.lists(WORDS.map(TextBlock), max_size=2))
                result = ToolResultBlock(id, content, draw(st.integers(0, 5)) == 0, meta=draw(METAS))
                history = history.add(Message.user(result))
        history = history.add_user(draw(st.lists(WORDS.map(TextBlock), max_size=2)))
    return history


def both_ways(history: MessageHistory, dialect: Dialect[Any]) -> tuple[Export, Export]:
    short = history.export(dialect)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(anthropic, "write_common", lambda messages, _: next(messages, None))
        patch.setattr(list_writer, "sendable", lambda *_: None)
        patch.setattr(list_writer, "sendable_with_keys", lambda *_: None)
        return short, history.export(dialect)


def as_written(value: object) -> object:
    """Show the order of the keys, which equality does not look at."""
    if isinstance(value, dict):
        return [(key, as_written(item)) for key, item in value.items()]
    return [as_written(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("dialect", WRITTEN)
@given(history=st.one_of(plain_turns(), histories()))
def test_the_short_way_writes_what_the_long_way_writes(history: MessageHistory, dialect: Dialect[Any]) -> None:
    short, long = both_ways(history, dialect)
    assert short == long
    assert history.for_send(dialect) == short.messages
    assert as_written(short.messages) == as_written(long.messages)


def test_common_messages_go_the_short_way() -> None:
    history = MessageHistory().add_user("q").add_assistant(["a", ToolUseBlock("c", "f", {"n": 1, "deep": [{}]})])
    history = history.add_tool_result("c", "r").add_user("and")
    wire: list[Any] = []
    assert write_common(history, wire) is None
    assert len(wire) == len(history)


@pytest.mark.parametrize(("dialect", "long_ways"), LONG_WAYS.items())
def test_no_dialect_looks_twice_at_common_messages(
    dialect: Dialect[Any], long_ways: list[tuple[type, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    history = MessageHistory().add_user("q").add_assistant(["a", ToolUseBlock("c", "f", {"n": 1})])
    history = history.add_tool_result("c", "r").add_user("and").add_assistant("fine").add_user("and")
    written = history.for_send(dialect)
    for owner, name in long_ways:
        monkeypatch.delattr(owner, name)
    assert history.for_send(dialect) == written
