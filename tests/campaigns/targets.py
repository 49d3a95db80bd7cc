"""Where histories are sent in the campaigns: each dialect as it is, and with the fields of very different models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.dialects import (
    Anthropic,
    Bedrock,
    Gemini,
    GeminiInteractions,
    Mistral,
    OpenAIChat,
    OpenAIResponses,
    Portable,
    PydanticAI,
)

if TYPE_CHECKING:
    from message_history.dialects import Dialect

__all__ = ["TARGETS"]

TARGETS: Final[tuple[Dialect[Any], ...]] = (
    Anthropic(),
    Anthropic(prefill=True),
    Anthropic.for_model("claude-opus-5"),
    Anthropic.for_model("claude-3-haiku-20240307"),
    OpenAIChat(),
    OpenAIChat.for_model("gpt-5"),
    OpenAIChat.for_model("gpt-4o-audio-preview"),
    OpenAIChat.for_model("google/gemma-2-9b-it", "vllm"),
    OpenAIChat.for_model("qwen3.5-9b", "vllm"),
    OpenAIChat.for_model("anthropic/claude-sonnet-4.6", "openrouter"),
    OpenAIChat.for_provider("deepseek"),
    OpenAIChat.for_provider("ollama native"),
    OpenAIResponses(),
    OpenAIResponses(store=False),
    Gemini(),
    Gemini.for_model("gemini-2.5-flash"),
    GeminiInteractions(),
    Mistral(),
    Mistral.for_model("magistral-medium-latest"),
    Bedrock(),
    Bedrock.for_model("us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
    Bedrock.for_model("us.amazon.nova-2-lite-v1:0"),
    Bedrock.for_model("us.meta.llama3-3-70b-instruct-v1:0"),
    PydanticAI(),
    Portable(),
)
