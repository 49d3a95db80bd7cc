"""A history as a field of a pydantic model. `MessageHistory` asks for this file when pydantic asks it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from attrs import frozen
from pydantic_core import core_schema

from message_history.core.messages.policy import Policy
from message_history.dialects.inputs import user_messages

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic_core import CoreSchema


def history_schema(kind: type, read: Callable[[Any], Any], write: Callable[[Any], list[dict[str, Any]]]) -> CoreSchema:
    """Describe to pydantic that a history or any list of messages is taken, and the saved form given."""

    def validated(value: Any) -> Any:
        if isinstance(value, kind):
            return value
        try:
            return read(value)
        except (TypeError, ValueError) as error:
            # Web frameworks write the error of a validation error as JSON, with its attributes.
            raise ValueError(str(error)) from error

    return core_schema.no_info_plain_validator_function(
        validated,
        json_schema_input_schema=_entries("Messages in the form of any provider, or as they are saved."),
        serialization=core_schema.plain_serializer_function_ser_schema(
            write, return_schema=_entries("Messages as they are saved.")
        ),
    )


@final
@frozen
class Strict:
    """Validates a history strictly, as `Annotated[MessageHistory, Strict()]`.

    A list that needs more than lossless repairs is a validation error, which names each of them.
    """

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], CoreSchema]) -> CoreSchema:
        def strictly(value: Any) -> Any:
            return source.from_list(value, policy=Policy(on_violation="raise"), open_tail="keep")

        return history_schema(source, strictly, source.to_list)


@final
@frozen
class FromClient:
    """Validates what an untrusted client sends, as `Annotated[MessageHistory, FromClient()]`.

    User messages of text, images and documents are accepted and nothing else: nobody forges assistant messages, tool
    results, marks or system text.
    """

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], CoreSchema]) -> CoreSchema:
        def from_client(value: Any) -> Any:
            return source().extend(user_messages(value))

        return history_schema(source, from_client, source.to_list)


def _entries(description: str) -> CoreSchema:
    entry = core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema())
    described = {"pydantic_js_updates": {"description": description, "title": "Message history"}}
    return core_schema.list_schema(entry, metadata=described)
