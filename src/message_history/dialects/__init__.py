"""The dialects: one provider API's wire format and rules each."""

from __future__ import annotations

from message_history.dialects.anthropic import Anthropic
from message_history.dialects.base import Dialect, Export
from message_history.dialects.bedrock import Bedrock
from message_history.dialects.gemini import Gemini
from message_history.dialects.mistral import Mistral
from message_history.dialects.native import Native
from message_history.dialects.openai_chat import OpenAIChat
from message_history.dialects.openai_responses import OpenAIResponses
from message_history.dialects.portable import Portable
from message_history.dialects.pydantic_ai import PydanticAI

__all__ = [
    "Anthropic",
    "Bedrock",
    "Dialect",
    "Export",
    "Gemini",
    "Mistral",
    "Native",
    "OpenAIChat",
    "OpenAIResponses",
    "Portable",
    "PydanticAI",
]
