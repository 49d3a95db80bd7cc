"""A history as a field of a pydantic model. `MessageHistory` asks for this file when pydantic asks it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_core import core_schema

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic_core import CoreSchema

__all__ = ["history_schema"]


def history_schema(kind: type, read: Callable[[Any], Any], write: Callable[[Any], list[dict[str, Any]]]) -> CoreSchema:
    """Describe a history to pydantic.

    Args:
        kind: the class of histories.
        read: makes a history of a list.
        write: writes a history in the saved form.

    Returns:
        A schema that takes a history as it is and any list of messages, and returns the saved form.
    """

    def validated(value: Any) -> Any:
        if isinstance(value, kind):
            return value
        try:
            return read(value)
        except TypeError as error:
            raise ValueError(str(error)) from error

    return core_schema.no_info_plain_validator_function(
        validated,
        json_schema_input_schema=_entries("Messages in the form of any provider, or as they are saved."),
        serialization=core_schema.plain_serializer_function_ser_schema(
            write, return_schema=_entries("Messages as they are saved.")
        ),
    )


def _entries(description: str) -> CoreSchema:
    entry = core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema())
    described = {"pydantic_js_updates": {"description": description, "title": "Message history"}}
    return core_schema.list_schema(entry, metadata=described)
