"""What a response holds in addition to the entries that are read from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

REPEATED: Final = frozenset(
    {
        *("automatic_function_calling_history", "automaticFunctionCallingHistory", "parsed"),
        *("background", "generation_config", "input", "instructions", "max_output_tokens", "max_tool_calls"),
        *("parallel_tool_calls", "prompt", "prompt_cache_key", "prompt_cache_retention", "reasoning"),
        *("response_format", "safety_identifier", "store", "system_instruction", "temperature", "text", "tool_choice"),
        *("tools", "top_logprobs", "top_p", "truncation", "user"),
    }
)
"""The keys under which a response, or the SDK's object of it, repeats its request or its content."""
_KINDS: Final = frozenset(
    {
        *(("object", "chat.completion"), ("object", "response"), ("object", "interaction")),
        *(("type", "message"), ("role", "assistant"), ("role", "model")),
    }
)
"""Keys and values that only say what kind of thing a response is."""


def without(data: Mapping[Any, Any], keys: frozenset[str]) -> dict[str, Any]:
    """Return a mapping without some keys, without what is null and without what only says its kind."""
    return {
        key: value
        for key, value in data.items()
        if value is not None and key not in keys and not (isinstance(value, str) and (key, value) in _KINDS)
    }


def beside_content(
    response: Mapping[Any, Any], key: str, choices: Sequence[Mapping[Any, Any] | None], content: str
) -> dict[str, Any]:
    """Return a response's other keys, and its choices if one has more than its content and its index."""
    beside = without(response, frozenset({key}))
    kept = [without(choice or {}, frozenset({content})) for choice in choices]
    for place, choice in enumerate(kept):
        if choice.get("index") == place:
            del choice["index"]
    return {**beside, key: kept} if any(kept) else beside
