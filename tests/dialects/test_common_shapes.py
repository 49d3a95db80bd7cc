"""The short cuts of two renders: what they write of common messages is what the long way writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history import Message, MessageHistory, TextBlock, ToolResultBlock, ToolUseBlock
from message_history.dialects import Anthropic, OpenAIChat
from message_history.dialects.anthropic import render as anthropic
from message_history.dialects.anthropic.common import common_wire as anthropic_wire
from message_history.dialects.openai_chat import render as openai_chat
from message_history.dialects.openai_chat.common import common_wire as chat_wire
from message_history.dialects.openai_chat.common import is_common
from message_history.integrations.strategies import histories

if TYPE_CHECKING:
    from message_history.dialects import Dialect, Export

ANTHROPIC = [Anthropic(), Anthropic(prefill=True, system_in_list=True, binds_thinking=False)]
CHAT = [
    OpenAIChat(),
    OpenAIChat(max_calls=1),
    OpenAIChat(cache_marks=True, late_system=False),
    *map(OpenAIChat.for_provider, ("azure", "deepseek", "kimi", "groq", "xai", "qwen", "vllm", "ollama")),
]
WORDS = st.sampled_from(["text", "é", " ", "nul \0", "lone \ud83d", "a\n\nb", "x"])
IDS = st.sampled_from(["toolu_1", "call_1", "a", "srvtoolu_1", "1", "a-b", "ü", "x" * 41, "x" * 65, "x" * 300])
INPUTS: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{}, {"a": 1}, {"a": "é"}, {"a": "\ud83d"}, {"a": [1, {"b": None}]}, {"a": "\0"}, {"é": 1.5}]
)


@st.composite
def plain_turns(draw: st.DrawFn) -> MessageHistory:
    """Draw conversations that are nearly common: texts, calls and results, some of them odd in one way."""
    history = MessageHistory().add_user("q")
    for _ in range(draw(st.integers(1, 4))):
        ids = draw(st.lists(IDS, max_size=3, unique=True))
        texts = [TextBlock(text) for text in draw(st.lists(WORDS, max_size=2))]
        calls = [ToolUseBlock(id, draw(IDS), draw(INPUTS)) for id in ids]
        history = history.add_assistant([*texts, *calls] or "nothing")
        for id in ids:
            if draw(st.integers(0, 4)):
                content = draw(st.lists(WORDS.map(TextBlock), max_size=2))
                history = history.add(Message.user(ToolResultBlock(id, content, draw(st.integers(0, 5)) == 0)))
        history = history.add_user(draw(st.lists(WORDS.map(TextBlock), max_size=2)))
    return history


def both_ways(history: MessageHistory, dialect: Dialect[Any]) -> tuple[Export, Export]:
    short = history.export(dialect)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(anthropic, "common_wire", lambda _: None)
        patch.setattr(openai_chat, "common_wire", lambda *_: None)
        return short, history.export(dialect)


@given(st.one_of(plain_turns(), histories()), st.sampled_from([*ANTHROPIC, *CHAT]))
def test_the_short_way_writes_what_the_long_way_writes(history: MessageHistory, dialect: Dialect[Any]) -> None:
    short, long = both_ways(history, dialect)
    assert short == long
    assert [list(message) for message in short.messages] == [list(message) for message in long.messages]


def test_common_messages_go_the_short_way() -> None:
    history = MessageHistory().add_user("q").add_assistant(["a", ToolUseBlock("c", "f", {"n": 1})])
    history = history.add_tool_result("c", "r").add_user("and")
    assert all(anthropic_wire(message) is not None for message in history)
    assert all(chat_wire(message, 8) is not None for message in history)


def test_dialects_that_write_common_messages_in_their_own_way_are_told() -> None:
    assert is_common(OpenAIChat())
    for provider in ("deepseek", "vllm", "ollama"):
        assert not is_common(OpenAIChat.for_provider(provider))
