"""The dialects: one provider API's wire format and rules each.

Each folder here is one, named as its class is, in small letters; what is written here of it is written by
`docs/list_dialects.py`. It is imported when somebody asks for it: who talks to one provider need not wait for the rules
of nine.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

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

__all__ = [
    "Anthropic",
    "Bedrock",
    "Dialect",
    "Export",
    "Gemini",
    "GeminiInteractions",
    "LangChain",
    "Mistral",
    "Native",
    "OpenAIChat",
    "OpenAIResponses",
    "Portable",
    "PydanticAI",
]


@cache
def folders() -> tuple[str, ...]:
    """Return the names of the dialects in this package, those of objects too."""
    from pkgutil import iter_modules  # noqa: PLC0415 - `import message_history` does without

    return tuple(sorted(each.name for each in iter_modules(__path__) if each.ispkg and not each.name.startswith("_")))


def dialect_class(folder: str) -> type[Dialect[Any]]:
    """Import the class of a folder: the one whose `name` is the folder's."""
    for found in vars(import_module(f"{__name__}.{folder}")).values():
        if isinstance(found, type) and issubclass(found, Dialect) and vars(found).get("name") == folder:
            return found
    raise LookupError(f"no dialect in {__name__}.{folder} has the name {folder!r}")


if not TYPE_CHECKING:
    # A type checker takes any name from a module that has a `__getattr__`.

    def __getattr__(name: str) -> object:
        for folder in folders() if name[:1].isupper() else ():
            if folder.replace("_", "") == name.lower() and dialect_class(folder).__name__ == name:
                return dialect_class(folder)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
