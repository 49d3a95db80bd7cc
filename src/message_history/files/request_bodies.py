"""Where a request body, a log's line or a saved conversation holds its messages, and the system prompt outside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from message_history.tools import OmittedPart, parse_toolset, render_toolset

if TYPE_CHECKING:
    from message_history.dialects import Dialect, Export

Place: TypeAlias = tuple[str, ...]
"""The keys that lead to a list of messages."""

KEYS: Final = ("messages", "contents", "input", "conversations", "conversation")
"""The keys that hold messages: of most APIs, of Gemini's, of the Responses API, and of data sets."""
AROUND: Final = ((), ("body",), ("request",), ("params",), ("modelInput",))
"""Where a line of a log or of a batch holds the body of the request."""
SYSTEM_KEYS: Final[dict[str, tuple[str, ...]]] = {
    "messages": ("system",),
    "contents": ("systemInstruction", "system_instruction"),
    "input": ("instructions", "system_instruction"),
    "conversations": ("system",),
    "conversation": ("system",),
}

MODEL_KEYS: Final = {
    **dict.fromkeys(("anthropic", "openai_chat", "openai_responses", "mistral", "portable"), "model"),
    "gemini_interactions": "model",
    "bedrock": "modelId",
}
"""Where a request names its model; Gemini's API has it in the path."""
REQUIRED: Final = {**{name: (key,) for name, key in MODEL_KEYS.items()}, "anthropic": ("model", "max_tokens")}
"""What a request must have besides its messages."""


def key_for(dialect: str) -> str:
    return {"gemini": "contents", "gemini_interactions": "input", "openai_responses": "input"}.get(dialect, KEYS[0])


def find_place(value: object) -> Place | None:
    """Find the keys that lead to the list of messages; under `contents` or `input` it must hold an object."""
    for around in AROUND:
        inner = held_at(value, around)
        for key in KEYS:
            found = inner.get(key) if isinstance(inner, Mapping) else None
            if isinstance(found, list) and (key == KEYS[0] or any(isinstance(entry, Mapping) for entry in found)):
                return (*around, key)
    return None


def held_at(value: object, place: Sequence[str]) -> Any:
    for key in place:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def entries_at(value: object, place: Place) -> list[Any]:
    found = held_at(value, place)
    return found if isinstance(found, list) else []


def system_key(container: Mapping[str, Any], place: Place) -> str | None:
    """Find the key of the system prompt outside the messages.

    Returns None when there is no system prompt.
    """
    beside = held_at(container, place[:-1])
    keys = SYSTEM_KEYS.get(place[-1], ())
    return next((key for key in keys if isinstance(beside, Mapping) and beside.get(key) is not None), None)


def filled(
    container: Mapping[str, Any], place: Place, export: Export, *, moved: bool, model: str | None = None
) -> dict[str, Any]:
    """Put messages, and their system prompt unless it is there, into a copy of the object around them."""
    key = place[0]
    if len(place) > 1:
        return {**container, key: filled(container.get(key) or {}, place[1:], export, moved=moved, model=model)}
    old = system_key(container, place)
    inner = {name: value for name, value in container.items() if not (moved and name == old)}
    if export.system is not None:
        inner = {old if old is not None else SYSTEM_KEYS[key][0]: export.system, **inner}
    named: dict[str, Any] = {name: model for name in ("model", "modelId") if model is not None and name in inner}
    return {**inner, **named, key: export.messages}


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
