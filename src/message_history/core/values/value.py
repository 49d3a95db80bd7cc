"""How values are shown, compared and hashed, as attrs would, but not compiled for each class: a tenth of the import."""

from __future__ import annotations

from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from attrs import fields

if TYPE_CHECKING:
    from collections.abc import Callable


class Value:
    """A value of a class that attrs made with `repr=False` and `eq=False`: its class and its fields are all of it."""

    __slots__ = ()

    def __repr__(self) -> str:
        kind: Any = type(self)
        shown = [f"{field.name}={getattr(self, field.name)!r}" for field in fields(kind) if field.repr]
        return f"{kind.__name__}({', '.join(shown)})"

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        kind: Any = type(self)
        content = _content(kind)
        return bool(content(self) == content(other))

    def __hash__(self) -> int:
        kind: Any = type(self)
        return hash((kind.__name__, _content(kind)(self)))


@cache
def _content(kind: Any) -> Callable[[object], object]:
    """Return what reads the fields that are compared."""
    return attrgetter(*[field.name for field in fields(kind) if field.eq])
