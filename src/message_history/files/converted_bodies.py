"""Makes the request of another provider from a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from message_history.files.request_bodies import SYSTEM_KEYS, Place, held_at, key_for, system_key
from message_history.tools import OmittedPart, parse_toolset, render_toolset

if TYPE_CHECKING:
    from message_history.dialects import Dialect, Export

MODEL_KEYS: Final = {
    **dict.fromkeys(("anthropic", "openai_chat", "openai_responses", "mistral", "portable"), "model"),
    "gemini_interactions": "model",
    "bedrock": "modelId",
}
"""Where a request names its model; Gemini's API has it in the path."""
REQUIRED: Final = {**{name: (key,) for name, key in MODEL_KEYS.items()}, "anthropic": ("model", "max_tokens")}
"""What a request must have besides its messages."""


def converted(
    container: Mapping[str, Any], place: Place, export: Export, dialect: Dialect[Any], model: str | None = None
) -> tuple[dict[str, Any], tuple[OmittedPart, ...]]:
    """Make the request of another provider from a request.

    `container` is the request, or the object that holds it. `export`, `dialect` and `model` are the other provider's.
    Returns the request (messages, system prompt, tools and the choice among them), and all else, which is omitted.
    """
    body = held_at(container, place[:-1])
    body = body if isinstance(body, Mapping) else {}
    toolset = parse_toolset(body)
    tools, unsaid = render_toolset(toolset, dialect)
    old_system = system_key(container, place)
    known = {place[-1], old_system, *toolset.keys}
    omitted = [*toolset.omitted, *unsaid]
    outer: Any = container
    for depth, step in enumerate((*place[:-1], None)):
        path = "".join(f"{key}." for key in place[:depth])
        for key, value in outer.items():
            if key != step and not (step is None and key in known):
                omitted.append(OmittedPart(f"{path}{key}", value, _why_omitted(key, step)))
        outer = outer.get(step) if step is not None else outer
    model_key = MODEL_KEYS.get(dialect.name)
    named = {model_key: model} if model is not None and model_key is not None else {}
    key = key_for(dialect.name)
    prompt = "system_instruction" if dialect.name == "gemini_interactions" else SYSTEM_KEYS[key][0]
    system = {prompt: export.system} if export.system is not None else {}
    return {**named, **system, **tools, key: export.messages}, tuple(omitted)


def required_keys(body: Mapping[str, Any], dialect: Dialect[Any]) -> tuple[str, ...]:
    return tuple(key for key in REQUIRED.get(dialect.name, ()) if key not in body)


def _why_omitted(key: str, step: str | None) -> str:
    if step is not None:
        return "it is outside the request"
    return "each provider has names of its own" if key in ("model", "modelId") else "a parameter of its provider"
