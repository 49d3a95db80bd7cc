"""A value that a JSON Schema takes, always the same one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_PLAIN: Final[dict[str, Any]] = {"string": "text", "integer": 1, "number": 1.5, "boolean": True, "null": None}
_FORMATS: Final = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "time": "12:00:00Z",
    "email": "user@example.org",
    "uri": "https://example.org/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
_DEEPEST: Final = 8
"""A schema that refers to itself is not followed further."""


def example_of(schema: Mapping[str, Any]) -> Any:
    """Return a value for a schema: its own example, else the least that its type, bounds and required keys ask for."""
    return _example(schema, schema, 0)


def _example(schema: Any, root: Mapping[str, Any], depth: int) -> Any:
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return None
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    for key in ("examples", "enum"):
        if schema.get(key):
            return schema[key][0]
    if "$ref" in schema:
        return _example(_referred(schema["$ref"], root), root, depth + 1)
    for key in ("anyOf", "oneOf"):
        if schema.get(key):
            return _example(schema[key][0], root, depth + 1)
    if schema.get("allOf"):
        schema = {key: value for part in (*schema["allOf"], schema) for key, value in part.items()}
    return _of_type(schema, root, depth)


def _of_type(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> Any:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        inner = schema.get("properties", {})
        return {key: _example(inner.get(key, {}), root, depth + 1) for key in schema.get("required", ())}
    if kind == "array":
        return [_example(schema.get("items", {}), root, depth + 1)] * max(schema.get("minItems", 1), 1)
    if kind in ("integer", "number"):
        return _number(schema, kind)
    if kind == "string":
        text = _FORMATS.get(schema.get("format", ""), "text")
        return text.ljust(schema.get("minLength", 0), "x")[: schema.get("maxLength", None)]
    return _PLAIN.get(kind)


def _number(schema: Mapping[str, Any], kind: str) -> Any:
    """Return the least number that the bounds allow, or the largest where only that is bounded."""
    step = schema.get("multipleOf", 1)
    if "minimum" in schema:
        return schema["minimum"]
    if "exclusiveMinimum" in schema:
        return schema["exclusiveMinimum"] + step
    if "maximum" in schema:
        return schema["maximum"]
    if "exclusiveMaximum" in schema:
        return schema["exclusiveMaximum"] - step
    return step if "multipleOf" in schema else _PLAIN[kind]


def _referred(reference: str, root: Mapping[str, Any]) -> Any:
    found: Any = root
    for part in reference.removeprefix("#/").split("/"):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found
