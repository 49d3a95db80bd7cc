"""Every place in a list of JSON values, and the list with another value there."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Path", "places", "planted"]

Path = tuple[str | int, ...]


def places(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Give every value in a list but the list itself, with its place."""
    if path:
        yield path, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from places(item, (*path, key))


def planted(raw: list[Any], path: Path, value: Any) -> list[Any]:
    """Give a copy of a list with another value in one place."""
    made = copy.deepcopy(raw)
    held: Any = made
    for key in path[:-1]:
        held = held[key]
    held[path[-1]] = value
    return made
