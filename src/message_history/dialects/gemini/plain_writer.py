"""Write common messages as contents of generateContent; whatever else there is, `render` writes.

A short identifier is an id and a name that the API takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from message_history.dialects._shared.plain_messages import common_assistant, common_user
from message_history.dialects.gemini import schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.core.message import Message
    from message_history.dialects._shared.writer import Changes
    from message_history.dialects.gemini.model_fields import Fields

__all__ = ["UNKNOWN", "Called", "assistant_wire", "user_wire"]

Wire = dict[str, Any]


class Called(NamedTuple):
    """How a call was written: what its response must repeat."""

    id: str | None
    name: str
    own_name: str
    """The name before it was put in another form."""


UNKNOWN = Called(None, "unknown_tool", "unknown_tool")


def assistant_wire(message: Message, dialect: Fields, changes: Changes, called: dict[str, Called]) -> Wire | None:
    """Write an assistant message that needs no second look.

    Args:
        message: the message.
        dialect: the model's fields.
        changes: gets a record of what is rewritten.
        called: gets its calls.

    Returns:
        The content; None for any other message.

    Complexity: linear in the message.
    """
    assistant = common_assistant(message)
    if assistant is None:
        return None
    if assistant[2]:
        changes.omitted_thinking(message, "thinking issued by another provider (GM-G13)")
    parts: list[Wire] = [{"text": text} for text in assistant[0]]
    for id, name, input in assistant[1]:
        is_first = not called
        if dialect.ids:
            called[id] = Called(id, name, name)
            part: Wire = {"functionCall": {"id": id, "name": name, "args": input}}
        else:
            changes.rewritten(f"the call {id!r:.80} without its id (GM-G21)")
            called[id] = Called(None, name, name)
            part = {"functionCall": {"name": name, "args": input}}
        if is_first and dialect.signatures_required is not False:
            changes.rewritten(f"the call {id!r:.80}, unsigned, with what stands for a signature (GM-G14)")
            part["thoughtSignature"] = schema.BYPASS
        parts.append(part)
    return {"role": "model", "parts": parts}


def user_wire(message: Message, called: Mapping[str, Called]) -> list[Wire] | None:
    """Write a user message that needs no second look.

    Args:
        message: the message.
        called: the calls of the message before.

    Returns:
        The contents; None for any other message.

    Complexity: linear in the message.
    """
    user = common_user(message)
    if user is None:
        return None
    results, texts = user
    wire: list[Wire] = []
    if results:
        responses: list[Wire] = []
        for id, text in results:
            as_called = called.get(id, UNKNOWN)
            response: Wire = {"id": as_called.id} if as_called.id is not None else {}
            response["name"] = as_called.name
            response["response"] = {"output": text}
            responses.append({"functionResponse": response})
        wire.append({"role": "user", "parts": responses})
    if texts:
        wire.append({"role": "user", "parts": [{"text": text} for text in texts]})
    return wire
