"""Where a JSON object holds its messages, and the system prompt beside them.

Request bodies of the providers, lines of a log and saved conversations are such objects. Nothing here knows files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from message_history.dialects import Export

__all__ = ["KEYS", "Place", "entries_at", "filled", "find_place", "held_at", "key_for", "system_key"]

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
    """Name the key that a dialect's requests hold their messages under."""
    return {"gemini": "contents", "gemini_interactions": "input", "openai_responses": "input"}.get(dialect, KEYS[0])


def find_place(value: object) -> Place | None:
    """Find the list of messages in a JSON object.

    Args:
        value: any JSON value.

    Returns:
        The keys that lead to the list; None when there is none. A list under `contents` or `input` counts when an
        object is in it: others hold texts under these names.
    """
    for around in AROUND:
        inner = held_at(value, around)
        for key in KEYS:
            found = inner.get(key) if isinstance(inner, Mapping) else None
            if isinstance(found, list) and (key == KEYS[0] or any(isinstance(entry, Mapping) for entry in found)):
                return (*around, key)
    return None


def held_at(value: object, place: Sequence[str]) -> Any:
    """Give what stands at a place; None when nothing does."""
    for key in place:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def entries_at(value: object, place: Place) -> list[Any]:
    """Give the messages at a place."""
    found = held_at(value, place)
    return found if isinstance(found, list) else []


def system_key(container: Mapping[str, Any], place: Place) -> str | None:
    """Find the key of the system prompt that stands beside the messages.

    Args:
        container: the object.
        place: where its messages are.

    Returns:
        The key; None when there is no system prompt.
    """
    beside = held_at(container, place[:-1])
    keys = SYSTEM_KEYS.get(place[-1], ())
    return next((key for key in keys if isinstance(beside, Mapping) and beside.get(key) is not None), None)


def filled(
    container: Mapping[str, Any], place: Place, export: Export, *, moved: bool, key: str | None = None
) -> dict[str, Any]:
    """Put messages into the object that was around them.

    Args:
        container: the object.
        place: where its messages are.
        export: what to put there; its system prompt goes beside them.
        moved: whether the system prompt that stood beside them is in the export.
        key: the key to put them under; None for the one that they had.

    Returns:
        A new object, with all other keys as they were.
    """
    if len(place) > 1:
        inside = filled(container.get(place[0]) or {}, place[1:], export, moved=moved, key=key)
        return {**container, place[0]: inside}
    key = key if key is not None else place[0]
    old = system_key(container, place)
    gone = ({old} if moved else set()) | ({place[0]} if key != place[0] else set())
    inner = {name: value for name, value in container.items() if name not in gone}
    if export.system is not None:
        kept = old if old is not None and key == place[0] else SYSTEM_KEYS[key][0]
        inner = {kept: export.system, **inner}
    return {**inner, key: export.messages}
