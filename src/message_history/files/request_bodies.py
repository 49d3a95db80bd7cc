"""Where a request body, a log's line or a saved conversation holds its messages, and the system prompt outside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from message_history.dialects import Export

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
