"""What the keys of raw objects may hold, as data: small predicates, and how to put them together.

They only look. A dialect lists its objects with them, for its renders to keep to and its checks to report.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

Fits: TypeAlias = Callable[[Any], bool]
Misfit: TypeAlias = tuple[str, bool]
"""A key, and whether it is missing; else its value is wrong."""


class Shape(NamedTuple):
    """The keys of one kind of object."""

    fields: Mapping[str, Fits] = MappingProxyType({})
    required: tuple[str, ...] = ()


def misfits(shape: Shape, data: Mapping[Any, Any]) -> list[Misfit]:
    missing: list[Misfit] = [(key, True) for key in shape.required if key not in data]
    return missing + [(key, False) for key, fits in shape.fields.items() if key in data and not fits(data[key])]


def text(value: Any) -> bool:
    return isinstance(value, str)


def flag(value: Any) -> bool:
    return isinstance(value, bool)


def whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def nothing(value: Any) -> bool:
    return value is None


def anything(value: Any) -> bool:
    del value
    return True


def or_none(fits: Fits) -> Fits:
    return lambda value: value is None or fits(value)


def one_of(*values: object) -> Fits:
    return lambda value: isinstance(value, (str, bool)) and value in values


def length(least: int, most: int) -> Fits:
    return lambda value: isinstance(value, str) and least <= len(value) <= most


def each(fits: Fits, least: int = 0) -> Fits:
    return lambda value: isinstance(value, (list, tuple)) and len(value) >= least and all(map(fits, value))


def like(shape: Shape) -> Fits:
    return lambda value: isinstance(value, Mapping) and not misfits(shape, value)


def only(shape: Shape) -> Fits:
    return lambda value: (
        isinstance(value, Mapping) and not misfits(shape, value) and value.keys() <= shape.fields.keys()
    )


def tagged(key: str, shapes: Mapping[str, Shape]) -> Fits:
    """Take objects of several shapes, distinguished by a key."""

    def fits(value: Any) -> bool:
        tag = value.get(key) if isinstance(value, Mapping) else None
        return isinstance(tag, str) and tag in shapes and not misfits(shapes[tag], value)

    return fits


text_or_none: Final = or_none(text)
mapping_or_none: Final = or_none(mapping)
