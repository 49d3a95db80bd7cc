"""Checks of the fields of frozen classes, whose errors say what to write instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs.exceptions import FrozenInstanceError

from message_history.core.values.json_values import short_repr

if TYPE_CHECKING:
    from collections.abc import Callable

    from attrs import Attribute

    Validator = Callable[[Any, Attribute[Any], Any], None]


def instance_of(kind: type) -> Validator:
    """Return a validator that takes values of one type."""

    def validate(_: object, attribute: Attribute[Any], value: object) -> None:
        if not isinstance(value, kind):
            # The value may be what somebody wrote, and errors end in logs.
            raise TypeError(f"{attribute.name} must be a {kind.__name__}, not {type(value).__name__}")

    return validate


def one_of(*values: str) -> Validator:
    """Return a validator that takes some texts."""
    listed = " or ".join(map(repr, values))

    def validate(_: object, attribute: Attribute[Any], value: object) -> None:
        if value not in values:
            raise ValueError(f"{attribute.name} must be {listed}, not {short_repr(value)}")

    return validate


def must_be(kind: type, **values: object) -> None:
    """Raise `TypeError` for the first value that is of another kind."""
    for name, value in values.items():
        if not isinstance(value, kind):
            raise TypeError(f"{name} must be {kind.__name__}, not {type(value).__name__}: {short_repr(value)}")


def set_state_once(kind: type, slot: str) -> None:
    """Let `__setstate__` of an attrs class fill a new value, whose `slot` is unset, and change none."""
    fill: Callable[[object, object], None] = kind.__setstate__  # type: ignore[attr-defined]

    def set_state(self: object, state: object) -> None:
        if hasattr(self, slot):
            raise FrozenInstanceError
        fill(self, state)

    kind.__setstate__ = set_state  # type: ignore[attr-defined]
