"""What all violations have in common: a place, words, and the provider's text with nothing left to fill in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from message_history import check
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
UNKNOWN = {"line", "column"}
"""The place in a request's body, which a list of messages does not tell."""


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: getattr(dialect, "provider", dialect.name))
def test_a_violation_names_a_rule_and_a_place_and_leaves_nothing_open(dialect: Dialect[Any]) -> None:
    ids = {rule.id for rule in dialect.rules}

    @settings(max_examples=settings().max_examples // 3)
    @given(st.one_of(broken_lists(dialect), broken_lists(Anthropic()), st.lists(odd_entries(), max_size=4)))
    def law(raw: list[Any]) -> None:
        for violation in check(raw, dialect):
            assert violation.rule in ids
            assert violation.index is None or 0 <= violation.index < len(raw)
            assert violation.detail
            assert set(re.findall(r"\{([a-z]+)\}", violation.error)) <= UNKNOWN

    law()


def test_the_ids_of_calls_are_not_taken_for_the_entry_that_makes_them() -> None:
    ids, untyped = ["1", "2"], cast("Any", OpenCalls)
    with pytest.raises(TypeError):
        untyped(ids)
    assert OpenCalls(ids=ids).waiting == ids
