"""SDK objects as mappings: whatever a provider's library returns is read like the JSON that it stands for."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final


def as_mapping(value: object) -> Mapping[Any, Any] | None:
    """Read an object as the mapping that it stands for.

    Args:
        value: a mapping, or an object with `model_dump`, or with attributes.

    Returns:
        The mapping, without the keys whose value is None when it came from an object; None for anything else.
    """
    if type(value) is dict or isinstance(value, Mapping):
        return value
    if type(value) in _SCALARS or isinstance(value, type):
        return None  # Most that is asked for is not there: to look for attributes of None takes five times as long.
    try:
        return _read_object(value)
    except Exception:  # noqa: BLE001 - a foreign object may do anything; what cannot be read is dropped and recorded
        return None


_SCALARS: Final = frozenset({type(None), str, bool, int, float})


def _read_object(value: object) -> Mapping[Any, Any] | None:
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        try:
            # Servers give values that the SDK's types do not name; pydantic would warn of each.
            dumped = dump(exclude_none=True, by_alias=True, warnings=False)
        except TypeError:
            dumped = dump()
        return dumped if isinstance(dumped, Mapping) else None
    declared = getattr(value, "__attrs_attrs__", None) or getattr(value, "__dataclass_fields__", {}).values()
    if declared:
        named = {field.name: getattr(value, field.name, None) for field in declared}
    elif hasattr(value, "__dict__") and not callable(value):
        named = vars(value)
    else:
        return None
    found = {key: item for key, item in named.items() if item is not None and not key.startswith("_")}
    return found or None


def as_sequence(value: object) -> list[Any] | None:
    """Read an object as a list of entries.

    It may be a list, a tuple, or any other iterable that has an order and is neither text nor a mapping. Returns None
    for anything else.
    """
    if isinstance(value, list):
        return value
    if not hasattr(value, "__iter__") or isinstance(value, _NO_SEQUENCE):
        return None
    try:
        return list(value)
    except Exception:  # noqa: BLE001 - as in `as_mapping`
        return None


_NO_SEQUENCE: Final = (str, bytes, bytearray, memoryview, Mapping, AbstractSet, type)
