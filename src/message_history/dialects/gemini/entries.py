"""Look at raw contents: under which names, and which keys are next to a part's data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

from attrs import define, field

from message_history.core.messages.block_base import Block
from message_history.core.values.json_values import EMPTY, FrozenDict, freeze_mapping
from message_history.core.values.meta import Meta
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence
from message_history.dialects._shared.typed_blocks import text_of_json
from message_history.dialects.gemini import schema
from message_history.dialects.gemini.pairing import Asked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

GEMINI: Final = "gemini"
NOTED: Final = "(noted)"
"""The key, among a block's keys of this dialect, under which we keep how it came; no field of the API has this name."""

_CAMEL: Final = {
    "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name): name
    for name in (*schema.DATA, *schema.BESIDE, *(field for fields in schema.FIELDS.values() for field in fields))
}
"""The REST API's name of each field, by the SDK's."""
_OBJECTS: Final = schema.BESIDE & schema.FIELDS.keys()


def noted(block: Block) -> Mapping[str, Any]:
    """Return how a block came from this dialect, where that is not plain from the block."""
    found = block.extra(GEMINI).get(NOTED, EMPTY) if block.meta is not None else EMPTY
    return found if isinstance(found, FrozenDict) else EMPTY


@final
@define(eq=False)
class Came:
    """How a part came: the keys next to its data, and facts that the block it becomes does not show."""

    keys: dict[str, Any] = field(factory=dict)
    signature: str | None = None
    facts: dict[str, Any] = field(factory=dict)

    def meta(self, issuer: str | None = None) -> Meta | None:
        keys = {**self.keys, NOTED: self.facts} if self.facts else self.keys
        issuer = GEMINI if self.signature is not None else issuer
        if not keys:
            return Meta(signature=self.signature, issuer=issuer) if issuer is not None else None
        if not self.keys and self.facts == _WITHOUT_ID:
            return Meta(extra=_WITHOUT_ID_ONLY, signature=self.signature, issuer=issuer)
        extra, converted = freeze_mapping({GEMINI: keys})
        return Meta(extra=extra, signature=self.signature, issuer=issuer, converted=converted)


_WITHOUT_ID: Final = {"id": False}
_WITHOUT_ID_ONLY: Final = FrozenDict({GEMINI: {NOTED: _WITHOUT_ID}})
"""What nearly every call of a list without ids has: made once."""


class Entry(NamedTuple):
    """An entry of the raw list, looked at once."""

    data: Mapping[Any, Any] | None  # the entry as a mapping, if it is one
    items: list[Any]  # its parts as they came, or itself where it stands for one
    parts: list[dict[str, Any]]  # for each, its fields under the REST API's names
    is_content: bool  # whether it has the form of a content

    @staticmethod
    def of(entry: object) -> Entry:
        data = as_mapping(entry)
        is_content = data is not None and "parts" in data and "kind" not in data
        items: list[Any] = []
        if is_content and data is not None:
            held = data["parts"]
            single = isinstance(held, str) or as_mapping(held) is not None
            items = [held] if single else as_sequence(held) or []
            if any(isinstance(item, list) for item in items):
                # Recorded requests hold lists of parts among the parts, and were taken.
                items = [part for item in items for part in (item if isinstance(item, list) else [item])]
        elif isinstance(entry, str) or (data is not None and any(_CAMEL.get(key, key) in schema.DATA for key in data)):
            items = [entry]
        return Entry(data, items, [fields_of(item) for item in items], is_content)


def fields_of(item: object) -> dict[str, Any]:
    """Read the fields of a part under the REST API's names; absent ones come as None from the SDK."""
    if isinstance(item, Block):
        return {}
    data = as_mapping(item)
    if data is None:
        return {}
    fields = {_CAMEL.get(key, key): value for key, value in data.items() if value is not None}
    for key in fields.keys() & _OBJECTS:
        inner = as_mapping(fields[key])
        if inner is not None:
            fields[key] = known_fields(inner, key)
    return fields


def known_fields(data: Mapping[Any, Any], kind: str) -> dict[str, Any]:
    """Read the fields of a part's data under the REST API's names."""
    known = schema.FIELDS[kind]
    return {_CAMEL[key] if _CAMEL.get(key) in known else key: value for key, value in data.items() if value is not None}


def ids_in(part: Mapping[str, Any]) -> Iterator[str]:
    for kind in ("functionCall", "functionResponse"):
        data = as_mapping(part.get(kind))
        if data is not None and data.get("id") is not None:
            yield id_of(data["id"])


def responds(part: Mapping[str, Any]) -> bool:
    return as_mapping(part.get("functionResponse")) is not None


def asked(value: object) -> Asked:
    """Read what a response says of its call."""
    data = as_mapping(value) or {}
    name = data.get("name")
    return Asked(id_of(data.get("id")), name if isinstance(name, str) else "")


def id_of(value: object) -> str:
    """Read an id; any other value becomes its text, a missing one an empty text."""
    return str.__str__(value) if isinstance(value, str) else "" if value is None else text_of_json(value)
