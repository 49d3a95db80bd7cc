"""Says in a few words what a value is that was read from a file, for the errors that refuse the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from message_history.core.values.json_values import short_repr

if TYPE_CHECKING:
    from collections.abc import Iterable

LISTED: Final = 8
"""How many names of keys, tables and files a message has."""

_OF_REPLIES: Final = ("choices", "candidates")
"""The keys of the replies of Chat Completions and Gemini, which hold no list of messages."""


def few_of(names: Iterable[str]) -> str:
    found = list(names)
    return ", ".join(found[:LISTED]) + (f" and {len(found) - LISTED} more" if len(found) > LISTED else "")


def kind_of(value: object) -> str:
    if isinstance(value, dict):
        plural = "s" if len(value) > 1 else ""
        keys = f"with the key{plural} {few_of(map(short_repr, value))}"
        if any(isinstance(value.get(key), list) for key in _OF_REPLIES):
            return f"one reply of an API alone, {keys}"
        return f"an object without `messages`, {keys}" if value else "an empty object"
    names = {list: "a list", str: "a text", bool: "a truth value"}
    return "null" if value is None else names.get(type(value), "a number")
