"""JSON Schema of a tool's input, from the schemas of OpenAPI that Gemini's `parameters` are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

NUMBERS: Final = frozenset({"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"})
"""The counts, which are numbers of 64 bits and so may come as text."""
ONE: Final = ("items", "additionalProperties", "additional_properties", "not")
MANY: Final = ("anyOf", "any_of", "allOf", "oneOf", "prefixItems", "prefix_items")
NAMED: Final = ("properties", "defs", "$defs")
CAMEL: Final = {
    "any_of": "anyOf",
    "additional_properties": "additionalProperties",
    "prefix_items": "prefixItems",
    "min_items": "minItems",
    "max_items": "maxItems",
    "min_length": "minLength",
    "max_length": "maxLength",
    "min_properties": "minProperties",
    "max_properties": "maxProperties",
    "property_ordering": "propertyOrdering",
    "defs": "$defs",
    "ref": "$ref",
}


def object_schema(schema: object) -> dict[str, Any]:
    """Return a tool's schema with the type `object`, as all providers take it; also for None and an empty one."""
    written = dict(schema) if isinstance(schema, Mapping) else {}
    empty: dict[str, Any] = {} if written else {"properties": {}}
    return written if "type" in written else {"type": "object", **empty, **written}


def from_openapi(schema: Any) -> Any:
    """Return the JSON Schema for one of OpenAPI: types in capitals, `nullable`, counts as text."""
    if not isinstance(schema, Mapping):
        return schema
    made: dict[str, Any] = {}
    for key, value in schema.items():
        name = CAMEL.get(str(key), str(key))
        if key == "type" and isinstance(value, str):
            made["type"] = value.lower()
        elif key in ONE:
            made[name] = from_openapi(value)
        elif key in MANY and isinstance(value, list):
            made[name] = [from_openapi(each) for each in value]
        elif key in NAMED and isinstance(value, Mapping):
            made[name] = {each: from_openapi(inner) for each, inner in value.items()}
        elif name in NUMBERS and isinstance(value, str) and value.isdecimal():
            made[name] = int(value)
        elif key != "nullable":
            made[name] = value
    if schema.get("nullable") is True and isinstance(made.get("type"), str):
        made["type"] = [made["type"], "null"]
        if isinstance(made.get("enum"), list) and None not in made["enum"]:
            made["enum"] = [*made["enum"], None]
    return made
