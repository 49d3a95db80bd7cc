"""What every assembler of streamed replies is, and what several of them need.

An assembler puts a provider's stream events together into the response that the provider would have given without
streaming. What is there of it can be asked for after every event. A call whose input is still coming is given as cut
off, so that whoever adds the response drops it; parts that mean nothing before they are whole are omitted.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from message_history.core.values.json_values import with_whole_pairs
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence

if TYPE_CHECKING:
    from collections.abc import Iterable

AHEAD: Final = 1_000
"""How far a place that an event names may be ahead of what has come; a list is filled up to it."""

INTERRUPTED: Final = "interrupted"
"""The stop reason of a reply that ends in half a call; no provider gives it."""


class Assembler(ABC):
    """One reply on its way in.

    Attributes:
        finished: whether the provider has said that it is complete.
    """

    def __init__(self) -> None:
        self.finished = False

    @abstractmethod
    def take(self, event: object) -> None:
        """Take the next event.

        Args:
            event: an SDK's object or its dict; an event that says nothing of the reply is passed over.

        Complexity: the size of the event.
        """

    @abstractmethod
    def response(self) -> dict[str, Any] | None:
        """Return the response so far, as if it had not been streamed.

        Returns:
            The response, or None when nothing of it has come.

        Complexity: the size of the response.
        """


def field_of(event: object, name: str) -> Any:
    """Read one field of an event without looking at the others, which may be large."""
    return event.get(name) if isinstance(event, dict) else getattr(event, name, None)


def taken_apart(event: object) -> Mapping[Any, Any]:
    """Read an event as a mapping; anything else is empty."""
    found = as_mapping(event)
    return found if found is not None else {}


def other_fields(event: object, known: frozenset[str]) -> dict[str, Any]:
    """Return the fields of an event that are not null, without those that are known."""
    if not isinstance(event, Mapping):
        event = {**getattr(event, "__dict__", {}), **(getattr(event, "model_extra", None) or {})}
    return {key: value for key, value in event.items() if value is not None and key not in known and key[:1] != "_"}


def collect(into: dict[str, Any], fields: Mapping[str, Any]) -> None:
    """Collect what the events of a stream say besides the content: the last value counts, and lists within it grow."""
    for key, value in fields.items():
        there = into.get(key)
        if not isinstance(value, Mapping) or not isinstance(there, dict):
            into[key] = _unshared(value)
            continue
        for name, item in value.items():
            before = there.get(name)
            if not isinstance(item, list) or not isinstance(before, list) or item[: len(before)] == before:
                there[name] = list(item) if isinstance(item, list) else item
            else:
                before += item


def _unshared(value: Any) -> Any:
    """Return a mapping whose lists may grow without changing the event that it came in."""
    if not isinstance(value, Mapping):
        return value
    return {name: list(item) if isinstance(item, list) else item for name, item in value.items()}


def place_of(index: object, there: Mapping[int, Any], *, starts: bool = False) -> int:
    """Return which part an event is about: at its index, else the last, or the next for one that starts a part."""
    if isinstance(index, int):
        return index
    return max(there, default=-1) + 1 if starts or not there else max(there)


def mappings(values: object) -> list[Mapping[Any, Any]]:
    return [found for value in as_sequence(values) or () if (found := as_mapping(value)) is not None]


def numbered(choices: object) -> list[tuple[int, Mapping[Any, Any]]]:
    """Return the choices that are mappings, each with its index; its position where the index is missing."""
    found = enumerate(mappings(choices))
    return [(index if isinstance(index := choice.get("index"), int) else place, choice) for place, choice in found]


def text_piece(value: object) -> str:
    """Return a piece of a text; an empty one for anything else."""
    return value if isinstance(value, str) else ""


class Pieces(list[str]):
    """A text that comes in pieces: joined only when it is read, so that the cost is linear in its length."""


def add_text(into: dict[Any, Any], key: str, text: Any) -> None:
    """Add a piece to a text. A piece that is not text is passed over."""
    if isinstance(text, str):
        into[key] = longer(into.get(key), text)


def longer(there: Any, text: str) -> Pieces:
    """Add a piece to a text, if there is one already; the pieces so far are not copied."""
    pieces = there if isinstance(there, Pieces) else Pieces([there] if isinstance(there, str) else [])
    pieces.append(text)
    return pieces


def joined(pieces: Iterable[str]) -> str:
    """Join the pieces of a text; a character of which each has one half is whole again."""
    return with_whole_pairs("".join(pieces))


def whole(value: Any) -> Any:
    """Return a fresh value in which every text is joined. Later pieces do not change it."""
    if isinstance(value, Pieces):
        return joined(value)
    if isinstance(value, dict):
        return {key: whole(item) for key, item in value.items()}
    return [whole(item) for item in value] if isinstance(value, list) else value


def parsed(text: str) -> Any:
    """Read the input of a call that came in pieces. Returns the text itself when it is not an object."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return found if isinstance(found, dict) else text
