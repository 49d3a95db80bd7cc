"""The dialects: one provider API's wire format and rules each.

A dialect is imported when somebody asks for it: who talks to one provider need not wait for the rules of nine. A line
of `CLASSES` or `CLASSES_OF_OBJECTS` registers one; another imports it for type checkers.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from message_history.dialects.base import Dialect, Export

if TYPE_CHECKING:
    from message_history.dialects.anthropic import Anthropic as Anthropic
    from message_history.dialects.bedrock import Bedrock as Bedrock
    from message_history.dialects.gemini import Gemini as Gemini
    from message_history.dialects.gemini_interactions import GeminiInteractions as GeminiInteractions
    from message_history.dialects.langchain import LangChain as LangChain
    from message_history.dialects.mistral import Mistral as Mistral
    from message_history.dialects.native import Native as Native
    from message_history.dialects.openai_chat import OpenAIChat as OpenAIChat
    from message_history.dialects.openai_responses import OpenAIResponses as OpenAIResponses
    from message_history.dialects.portable import Portable as Portable
    from message_history.dialects.pydantic_ai import PydanticAI as PydanticAI

CLASSES = {
    "native": "Native",
    "anthropic": "Anthropic",
    "openai_chat": "OpenAIChat",
    "openai_responses": "OpenAIResponses",
    "mistral": "Mistral",
    "bedrock": "Bedrock",
    "pydantic_ai": "PydanticAI",
    "gemini": "Gemini",
    "gemini_interactions": "GeminiInteractions",
    "portable": "Portable",
}
"""The class of each dialect, by the dialect's name; its module has that name too."""

CLASSES_OF_OBJECTS = {
    "langchain": "LangChain",
}
"""The same for dialects that write objects of a package: no list is recognised in them, and no file holds one."""

_MODULES = {name: module for module, name in (CLASSES | CLASSES_OF_OBJECTS).items()}

__all__ = ["Dialect", "Export", *_MODULES]  # noqa: PLE0604 - their names


if not TYPE_CHECKING:
    # A type checker takes any name from a module that has a `__getattr__`.

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
