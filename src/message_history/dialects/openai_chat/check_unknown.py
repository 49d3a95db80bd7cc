"""Find what of the assistant's messages is not known to the rules; written separately from what sends it back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from message_history.dialects._shared.checker import entries, kind_of, mapping_of, mappings
from message_history.dialects.openai_chat import schema
from message_history.violations import Violation

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from message_history.dialects.openai_chat.model_fields import Fields


def unknown(wire: Sequence[Any], dialect: Fields) -> list[Violation]:
    """Find the keys and parts that no rule knows, except those that the host is on record as refusing."""
    known_until = max(rule.date for rule in schema.RULES)
    return [
        Violation(
            rule="unknown",
            index=n,
            path=path,
            detail=f"{what} is not known to the rules of {known_until}",
            severity="unknown",
        )
        for n, entry in enumerate(mappings(wire))
        if entry.get("role") == "assistant"
        for path, what in _found(entry, dialect)
    ]


def _found(entry: Mapping[Any, Any], dialect: Fields) -> Iterator[tuple[str, str]]:
    if dialect.unknown_keys:
        yield from _keys(entry, "", schema.MESSAGE_KEYS)
        for m, call in enumerate(entries(entry.get("tool_calls"))):
            yield from _keys(mapping_of(call), f"tool_calls[{m}].", schema.CALL_KEYS)
    content = entry.get("content")
    for m, part in enumerate(content if isinstance(content, list) else ()):
        kind = kind_of(part)
        if kind == schema.THINKING == dialect.reasoning:
            continue
        if kind and kind not in schema.KNOWN_PARTS:
            yield from [(f"content[{m}]", f"a part of type {kind!r:.40}")] if dialect.unknown_parts else ()
        elif kind == "text" and dialect.unknown_keys:
            yield from _keys(mapping_of(part), f"content[{m}].", schema.TEXT_KEYS)


def _keys(held: Mapping[Any, Any], path: str, known: Container[str]) -> Iterator[tuple[str, str]]:
    for key, value in held.items():
        if key not in known and value is not None and not schema.is_of_application(str(key)):
            yield f"{path}{key}", f"the key {str(key)!r:.80}"
