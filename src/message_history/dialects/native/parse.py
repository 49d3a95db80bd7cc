"""Read our own saved form: typed blocks, with what travels with them under keys of our own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from message_history.core.blocks import Block, Mark, Meta, ProviderBlock, SystemBlock
from message_history.core.json_values import freeze_mapping
from message_history.core.message import Message, make_message
from message_history.dialects._shared.sdk_objects import as_mapping
from message_history.dialects._shared.typed_blocks import common_message, read_blocks
from message_history.dialects.base import Parsed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from message_history.dialects.base import Foreign

NATIVE: Final = "native"
VERSION: Final = 1


class _Reader:
    """What native blocks have besides the modelled keys."""

    issuer: str | None = None

    def meta(self, kind: str, others: dict[str, Any]) -> Meta | None:
        """Read our own keys; anything else is of a later version and kept as extra."""
        del kind
        if not others:
            return None
        own = {key: found for key, read in _OWN.items() if (found := read(others.get(key))) is not None}
        unknown = {key: value for key, value in others.items() if key not in own and value is not None}
        extra, converted = freeze_mapping({**own.get("extra", {}), **({NATIVE: unknown} if unknown else {})})
        carried, more = freeze_mapping(own.get("carried", {}))
        meta = Meta(**{**own, "extra": extra, "carried": carried, "converted": (*converted, *more)})
        return meta if meta != Meta() else None

    def other(self, data: Mapping[Any, Any]) -> Block:
        """Read the block types that only we have."""
        meta = self.meta("", {key: value for key, value in data.items() if key in _OWN})
        text, dialect, block = data.get("text"), data.get("dialect"), as_mapping(data.get("data"))
        if data.get("type") == "system" and isinstance(text, str):
            return SystemBlock(text, meta=meta)
        if data.get("type") == "provider" and isinstance(dialect, str) and block is not None:
            return ProviderBlock(dialect, block, meta=meta)
        return ProviderBlock(NATIVE, data)


def parse(raw: Sequence[Any], foreign: Foreign | None = None) -> Parsed:
    """Read our own saved form.

    Args:
        raw: the entries.
        foreign: reads an entry that has another dialect's form.

    Returns:
        The messages in them.

    Complexity: linear in the entries.
    """
    parsed = Parsed()
    for source, entry in enumerate(raw):
        message = common_message(entry, 3) if type(entry) is dict and NATIVE in entry else None
        if message is None:
            message = _read(entry, source, parsed, foreign)
        if message is not None:
            parsed.messages.append(message)
            parsed.sources.append(source)
    return parsed


def _read(entry: object, source: int, parsed: Parsed, foreign: Foreign | None) -> Message | None:
    data = as_mapping(entry)
    if data is None or NATIVE not in data:
        if foreign is None or not foreign(entry, source, parsed):
            parsed.dropped(entry, source, "no message of the saved form")
        return None
    blocks = read_blocks(data.get("content"), source, parsed, _READER)
    return make_message("assistant" if data.get("role") == "assistant" else "user", tuple(blocks))


def _mapping(value: object) -> Mapping[str, Any] | None:
    return value if isinstance(value, Mapping) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _mark(value: object) -> Mark | None:
    """Read a mark; one that a later version made, or that was tampered with, is none."""
    if not isinstance(value, Mapping) or not isinstance(value.get("kind"), str) or value["kind"] not in _MARK_KINDS:
        return None
    texts = {key: str(value[key]) for key in _MARK_TEXTS if isinstance(value.get(key), str)}
    counts = {key: value[key] for key in ("blocks", "distance") if type(value.get(key)) is int and value[key] >= 0}
    fields: dict[str, Any] = {**counts, **texts}
    return Mark(kind=value["kind"], is_error=value.get("is_error") is True, **fields)


_MARK_KINDS: Final = frozenset({"stub", "bootstrap", "continuation", "quote", "renamed", "held", "state"})
_MARK_TEXTS: Final = ("reason", "tool_use_id", "name", "detail", "key")
_OWN: Final[Mapping[str, Callable[[object], Any]]] = {
    "extra": _mapping,
    "carried": _mapping,
    "mark": _mark,
    "issuer": _text,
    "signature": _text,
    "arguments": _text,
}
_READER: Final = _Reader()
