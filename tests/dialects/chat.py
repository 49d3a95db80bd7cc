"""The configurations of Chat Completions that the tests go through."""

from __future__ import annotations

from typing import Any

import pytest

from message_history.dialects import Dialect, OpenAIChat, Portable

CONFIGURATIONS: dict[str, OpenAIChat] = {
    "openai": OpenAIChat.for_provider("openai"),
    "unknown": OpenAIChat(),
    "o1-mini": OpenAIChat.for_model("o1-mini"),
    **{
        name: OpenAIChat.for_provider(name)
        for name in (
            "azure",
            "azure on your data",
            "deepseek",
            "deepseek-r1",
            "kimi",
            "qwen",
            "groq",
            "cerebras",
            "xai",
            "minimax",
            "perplexity",
            "ark",
            "zhipu",
            "cohere",
            "vertex",
            "openrouter",
            "litellm",
            "mistral",
            "zen",
            "vllm",
            "llama.cpp",
            "lm studio",
            "mlx",
            "ollama",
            "ollama native",
        )
    },
    **{
        model: OpenAIChat.for_model(model, "vllm")
        for model in (
            "google/gemma-2-9b-it",
            "google/gemma-3-27b-it",
            "meta-llama/Llama-2-7b-chat-hf",
            "meta-llama/Llama-3.1-8B-Instruct",
            "mistralai/Mistral-7B-Instruct-v0.2",
            "mistralai/Devstral-Small-2507",
            "Qwen/Qwen3.5-27B",
        )
    },
    "gpt-oss": OpenAIChat.for_model("gpt-oss-120b", "groq"),
    "glm": OpenAIChat.for_model("zai-glm-4.7", "cerebras"),
    "kimi at azure": OpenAIChat.for_model("kimi-k2.5", "azure"),
    "measured": OpenAIChat(
        provider="templates",
        prefill=False,
        leading_assistant=False,
        text_with_calls=False,
        go_on=False,
        result_names=True,
        parts="always",
    ),
    "deepseek v4": OpenAIChat.for_model("deepseek-v4-pro"),
    "claude": OpenAIChat.for_model("anthropic/claude-sonnet-4.6", "openrouter"),
}
ALL: dict[str, Dialect[Any]] = {**CONFIGURATIONS, "portable": Portable()}

every_configuration = pytest.mark.parametrize("dialect", ALL.values(), ids=ALL.keys())
