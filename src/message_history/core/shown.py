"""How values are shown: as attrs would show them, by one function for all classes.

To write and compile one for each class takes a twentieth of `import message_history`.
"""

from __future__ import annotations

from typing import Any

from attrs import fields

__all__ = ["Shown"]


class Shown:
    """Shows a value of a class that attrs made with `repr=False`: its name and its fields."""

    __slots__ = ()

    def __repr__(self) -> str:
        kind: Any = type(self)
        shown = [f"{field.name}={getattr(self, field.name)!r}" for field in fields(kind) if field.repr]
        return f"{kind.__name__}({', '.join(shown)})"
