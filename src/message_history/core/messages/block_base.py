"""What all blocks share: `meta`, which is not part of their content, and how they freeze and show their fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from attrs import evolve, field, frozen
from attrs.exceptions import FrozenInstanceError
from attrs.validators import optional

from message_history.core.values.json_values import EMPTY, FrozenDict, freeze_mapping, short_repr
from message_history.core.values.meta import Mark, Meta
from message_history.core.values.validators import instance_of
from message_history.core.values.value import Value

NO_META: Final = Meta()
_OF_BLOCKS: Final = ("message_history.core.messages.blocks", "message_history.core.messages.media_blocks")


@frozen(repr=False, eq=False)
class Block(Value):
    """What all blocks share.

    Args:
        meta: what travels with the block without being its content.
    """

    meta: Meta | None = field(default=None, kw_only=True, repr=False, validator=optional(instance_of(Meta)))

    def __init_subclass__(cls) -> None:
        if cls.__module__ not in _OF_BLOCKS:
            raise TypeError("blocks cannot be subclassed: a history holds only blocks that cannot change")

    def __attrs_pre_init__(self) -> None:
        if type(self) is Block:
            raise TypeError("Block has no content of its own; make a TextBlock or another kind of block")
        if hasattr(self, "meta"):
            raise FrozenInstanceError

    @property
    def mark(self) -> Mark | None:
        """Return what this library says about the block, or None."""
        return self.meta.mark if self.meta is not None else None

    @property
    def issuer(self) -> str | None:
        """Return the dialect that signed or encrypted the block, or None."""
        return self.meta.issuer if self.meta is not None else None

    def extra(self, dialect: str) -> Mapping[str, Any]:
        """Return the block's keys that we have no field for, unchanged from its dialect.

        Args:
            dialect: the dialect's name.

        Returns:
            A read-only mapping, empty when the block did not come from there.
        """
        found = self.meta.extra.get(dialect, EMPTY) if self.meta is not None else EMPTY
        return found if isinstance(found, FrozenDict) else EMPTY

    def carried(self, dialect: str) -> Mapping[str, Any]:
        """Return the keys of the message that this block opened, unchanged from its dialect.

        Args:
            dialect: the dialect's name.

        Returns:
            A read-only mapping, empty when the block opened none or did not come from there.
        """
        found = self.meta.carried.get(dialect, EMPTY) if self.meta is not None else EMPTY
        return found if isinstance(found, FrozenDict) else EMPTY

    def _repr(self, *values: object) -> str:
        mark = f", mark={self.mark.kind}" if self.mark is not None else ""
        return f"{type(self).__name__}({', '.join(map(repr, values))}{mark})"


_MAPPINGS: Final = {
    "input": "; json.loads reads JSON text",
    "source": "; from_path, from_bytes and from_url make the block",
}
"""What to write where a field is not a mapping."""


def frozen_mapping(name: str, value: object, meta: Meta | None) -> tuple[FrozenDict, Meta | None]:
    """Freeze a mapping field; what had to be converted is noted in the meta."""
    if type(value) is FrozenDict:
        return value, meta
    if not isinstance(value, Mapping):
        advice = _MAPPINGS.get(name, "")
        raise TypeError(f"{name} must be a mapping, not {type(value).__name__}: {short_repr(value)}{advice}")
    frozen_value, converted = freeze_mapping(value)
    if converted:
        meta = evolve(meta if meta is not None else NO_META, converted=tuple(f"{name}.{text}" for text in converted))
    return frozen_value, meta


def shortened(text: str) -> str:
    return text if len(text) <= 24 else f"{text[:20]}..."


def shortened_values(data: FrozenDict) -> dict[str, object]:
    """Return an object with only the beginnings of its texts, for a repr."""
    return {key: shortened(value) if isinstance(value, str) else value for key, value in data.items()}
