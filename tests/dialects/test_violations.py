"""What all violations have in common: a place, words, and the provider's text with nothing left to fill in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
from message_history.dialects._shared.checker import OpenCalls
from message_history.integrations.strategies import broken_lists, odd_entries
from message_history.testing.conformance.dialects import violations_are_whole

if TYPE_CHECKING:
    from message_history.dialects import Dialect

HOSTS = (
    "azure", "azure on your data", "deepseek", "deepseek-r1", "kimi", "qwen", "groq", "cerebras", "xai", "minimax",
    "openrouter", "litellm", "mistral", "zen", "vllm", "vllm:gemma-3", "llama.cpp", "lm studio", "mlx", "ollama",
    "ollama native",
)  # fmt: skip
DIALECTS: list[Any] = [
    Anthropic(),
    Anthropic(system_in_list=True),
    OpenAIChat(),
    *map(OpenAIChat.for_provider, HOSTS),
    OpenAIResponses(),
    OpenAIResponses.for_provider("deepseek"),
    Gemini(),
    Gemini(vertex=True),
    Mistral(),
    Mistral.for_version(3),
    Bedrock(),
    PydanticAI(),
    Portable(),
]


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: getattr(dialect, "provider", dialect.name))
def test_a_violation_names_a_rule_and_a_place_and_leaves_nothing_open(dialect: Dialect[Any]) -> None:
    @settings(max_examples=settings().max_examples // 3)
    @given(st.one_of(broken_lists(dialect), broken_lists(Anthropic()), st.lists(odd_entries(), max_size=4)))
    def law(raw: list[Any]) -> None:
        violations_are_whole(raw, dialect)

    law()


def test_the_ids_of_calls_are_not_taken_for_the_entry_that_makes_them() -> None:
    ids, untyped = ["1", "2"], cast("Any", OpenCalls)
    with pytest.raises(TypeError):
        untyped(ids)
    assert OpenCalls(ids=ids).waiting == ids
