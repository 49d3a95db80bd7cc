"""Random lists of every form: sound ones of all that a form has, then damaged, with a token somewhere in them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from message_history import MessageHistory
from message_history.dialects.registry import DIALECTS
from message_history.testing.conformance.examples import Path, places
from tests.dialects.test_gemini_interactions import WHOLE
from tests.dialects.test_hostile_values import LISTS as EVERY_KEY
from tests.dialects.test_nothing_is_lost import LISTS as EVERY_PIECE

if TYPE_CHECKING:
    from random import Random

__all__ = ["TOKEN", "Sample", "random_list"]

TOKEN: Final = "7350127735501"
_JSON_FORMS: Final = (
    "native",
    "anthropic",
    "openai_chat",
    "openai_responses",
    "mistral",
    "gemini_interactions",
    "pydantic_ai",
)
_TOOLS: Final[list[Any]] = [
    {"role": "user", "content": "q"},
    {"role": "assistant", "content": [
        {"type": "text", "text": "look"},
        {"type": "tool_use", "id": "1", "name": "f", "input": {"a": 1}},
        {"type": "tool_use", "id": "2", "name": "g", "input": {}}]},
    {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "2", "content": "r2"},
        {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "r1"}]}]},
    {"role": "assistant", "content": "done"},
    {"role": "user", "content": [{"type": "text", "text": "more"}]},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {"a": 2}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "r", "is_error": True}]},
]  # fmt: skip
_SAMPLES: Final[tuple[tuple[str, list[str]], ...]] = tuple(
    (form, [json.dumps(entry) for entry in entries])
    for form, entries in (
        *EVERY_KEY.items(),
        *EVERY_PIECE.items(),
        ("gemini_interactions", WHOLE),
        *((form, MessageHistory.from_list(_TOOLS).for_send(DIALECTS[form])) for form in _JSON_FORMS),
    )
)
_ODD: Final[tuple[str, ...]] = ("text", "number", "list", "object", "key")
_ROLES: Final = ("user", "assistant", "system", "developer", "tool", "function", "model", "User", "", None, 7)
_BLANK: Final = ("null", '""', '" "', "[]", "{}", "0", "false")


class Sample(NamedTuple):
    """A list, as it comes from anywhere.

    Args:
        form: the dialect that it was written in, before it was damaged.
        entries: the list.
        planted: where the token is; empty when there was no place for it.
    """

    form: str
    entries: list[Any]
    planted: str


def random_list(chance: Random) -> Sample:
    """Make a list: a piece of a sample, damaged up to four times, with the token in one place.

    Args:
        chance: where all chance comes from.

    Returns:
        The list; the same for the same state of `chance`.
    """
    form, texts = chance.choice(_SAMPLES)
    first = chance.randrange(len(texts)) if chance.random() < 0.5 else 0
    chosen = texts[first : first + chance.randint(1, 6)]
    if chance.random() < 0.1:
        _, others = chance.choice(_SAMPLES)
        chosen.insert(chance.randint(0, len(chosen)), chance.choice(others))
    entries: list[Any] = [json.loads(text) for text in chosen]
    for _ in range(chance.choice((0, 0, 1, 1, 2, 3, 4))):
        _damage(entries, chance)
    return Sample(form, entries, _plant(entries, chance))


def _damage(entries: list[Any], chance: Random) -> None:
    """Damage a list of entries in one of the ways in which saved lists are damaged."""
    if not entries:
        return
    where = chance.randrange(len(entries))
    kind = chance.choice(("lose", "double", "move", "swap", "role", "blank", "item", "forget"))
    if kind == "lose":
        del entries[where]
    elif kind == "double":
        entries.insert(chance.randint(0, len(entries)), json.loads(json.dumps(entries[where])))
    elif kind == "move":
        entries.insert(chance.randrange(len(entries)), entries.pop(where))
    elif kind == "role" and isinstance(entries[where], dict) and "role" in entries[where]:
        entries[where]["role"] = chance.choice(_ROLES)
    elif kind == "swap":
        _swap(entries, chance)
    else:
        _spoil(entries, chance, kind)


def _swap(entries: list[Any], chance: Random) -> None:
    """Exchange the items of two lists inside of entries."""
    lists = [value for _, value in places(entries) if isinstance(value, list) and value]
    if lists:
        one, other = chance.choice(lists), chance.choice(lists)
        # A list must not come to hold itself: what is exchanged is copied.
        item = json.loads(json.dumps(chance.choice(one)))
        other[chance.randrange(len(other))] = item


def _spoil(entries: list[Any], chance: Random, kind: str) -> None:
    """Make a value blank, or take an item or a key away."""
    found = [path for path, _ in places(entries) if len(path) > 1]
    if not found:
        return
    path = chance.choice(found)
    held = _held(entries, path)
    if kind == "blank":
        held[path[-1]] = json.loads(chance.choice(_BLANK))
    elif isinstance(held, dict) or kind == "item":
        del held[path[-1]]


def _plant(entries: list[Any], chance: Random) -> str:
    """Put the token where any value is, or beside it under a key that nobody knows."""
    kind = chance.choice(_ODD)
    if kind == "key":
        found = [path for path, value in places(entries) if isinstance(value, dict)]
    else:
        found = [path for path, _ in places(entries) if len(path) > 1 and path[-1] not in ("type", "role")]
    if not found:
        return ""
    path = chance.choice(found)
    if kind == "key":
        _held(entries, (*path, ""))["another"] = TOKEN
    else:
        odd: dict[str, Any] = {"text": TOKEN, "number": int(TOKEN), "list": [TOKEN], "object": {"odd": TOKEN}}
        _held(entries, path)[path[-1]] = odd[kind]
    return f"{kind} at {path}"


def _held(entries: list[Any], path: Path) -> Any:
    held: Any = entries
    for key in path[:-1]:
        held = held[key]
    return held
