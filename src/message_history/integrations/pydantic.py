"""pydantic: a history as a field of a model. `MessageHistory` itself asks for this file when pydantic asks it.

It validates through `from_list` and serialises through `to_list`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_core import core_schema

from message_history.history import MessageHistory

if TYPE_CHECKING:
    from pydantic_core import CoreSchema

__all__ = ["history_schema"]


def history_schema() -> CoreSchema:
    """Describe a history to pydantic.

    Returns:
        A schema that takes a history as it is and any list of messages, and gives the saved form. Calls that nothing
        answers stay open.
    """
    return core_schema.no_info_plain_validator_function(
        _validated,
        json_schema_input_schema=_entries("Messages in the form of any provider, or as they are saved."),
        serialization=core_schema.plain_serializer_function_ser_schema(
            _saved, return_schema=_entries("Messages as they are saved.")
        ),
    )


def _validated(value: Any) -> MessageHistory:
    if isinstance(value, MessageHistory):
        return value
    try:
        return MessageHistory.from_list(value, open_tail="keep")
    except TypeError as error:
        raise ValueError(str(error)) from error


def _saved(history: MessageHistory) -> list[dict[str, Any]]:
    return history.to_list()


def _entries(description: str) -> CoreSchema:
    entry = core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema())
    described = {"pydantic_js_updates": {"description": description, "title": "Message history"}}
    return core_schema.list_schema(entry, metadata=described)
