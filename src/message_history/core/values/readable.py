"""Lists in which an object of somebody's own raises when it is read, copied so that they can be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar, final

from message_history.core.values.json_values import freeze

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")


def read_anyway(read: Callable[[Sequence[Any]], T], raw: Sequence[Any]) -> T:
    """Read entries, and copied ones where an object of somebody's own raises."""
    try:
        return read(raw)
    except Exception:
        readable = made_readable(raw)
        if readable is None:
            raise
    return read(readable)


def made_readable(raw: Sequence[Any]) -> list[Any] | None:
    """Copy entries in which an object raises when it is read, as its stored items or its text; None where none does."""
    copier = _Copier()
    copied = [copier.copy(entry, 0) for entry in raw]
    return copied if copier.found else None


_SCALARS: Final = frozenset({type(None), str, bool, int, float, bytes})
_DEEPEST: Final = 200
"""Mappings within more others are left as they are: readers keep what is so deep as text."""


@final
class _Copier:
    """One pass over entries; remembers whether anything raised."""

    def __init__(self) -> None:
        self.found = False
        self._copies: dict[int, tuple[object, Any]] = {}

    def copy(self, value: object, depth: int) -> Any:
        """Copy lists and mappings, each once; anything else that can be read stays as it is."""
        if depth > _DEEPEST or type(value) in _SCALARS:
            return value
        if not isinstance(value, Mapping | list | tuple):
            return value if self._is_readable(value) else freeze(value)[0]
        if id(value) not in self._copies:
            # One that holds itself is found as it is. Both are kept, so that no other object gets this id.
            self._copies[id(value)] = value, value
            self._copies[id(value)] = value, self._copied(value, depth + 1)
        return self._copies[id(value)][1]

    def _copied(self, value: Mapping[Any, Any] | list[Any] | tuple[Any, ...], depth: int) -> Any:
        if not isinstance(value, Mapping):
            return [self.copy(item, depth) for item in value]
        items = self._items(value)
        return items if isinstance(items, str) else {key: self.copy(item, depth) for key, item in items}

    def _is_readable(self, value: object) -> bool:
        try:
            # Readers compare values, ask whether there is anything in them, and look for attributes.
            bool(value == "") or bool(value)
            getattr(value, "type", None)
            hasattr(value, "__iter__")
        except Exception:  # noqa: BLE001 - as for mappings
            self.found = True
            return False
        return True

    def _items(self, value: Mapping[Any, Any]) -> list[tuple[Any, Any]] | str:
        try:
            # Readers use all of these.
            value.get("type", (len(value), value.keys(), [*value.items()]))
            return [(key, value[key]) for key in value]
        except Exception:  # noqa: BLE001 - a foreign mapping may do anything
            self.found = True
        return [*dict.items(value)] if isinstance(value, dict) else f"<{type(value).__module__}.{type(value).__name__}>"
