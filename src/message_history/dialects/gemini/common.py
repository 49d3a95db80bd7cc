"""Write common messages as contents of generateContent; whatever else there is, `render` writes.

A short identifier is an id and a name that the API takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from message_history.dialects.common import common_heard, common_said
from message_history.dialects.gemini import rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.dialects.gemini import Gemini
    from message_history.dialects.writing import Changes
    from message_history.message import Message

__all__ = ["UNKNOWN", "Called", "heard_wire", "said_wire"]

Wire = dict[str, Any]


class Called(NamedTuple):
    """How a call was written: what its response must repeat."""

    id: str | None
    name: str
    given: str
    """The name before it was put in another form."""


UNKNOWN = Called(None, "unknown_tool", "unknown_tool")


def said_wire(message: Message, dialect: Gemini, changes: Changes, called: dict[str, Called]) -> Wire | None:
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
    said = common_said(message)
    if said is None:
        return None
    parts: list[Wire] = [{"text": text} for text in said[0]]
    for id, name, given in said[1]:
        is_first = not called
        if dialect.ids:
            called[id] = Called(id, name, name)
            part: Wire = {"functionCall": {"id": id, "name": name, "args": given}}
        else:
            changes.rewritten(f"the call {id!r:.80} without its id (G21)")
            called[id] = Called(None, name, name)
            part = {"functionCall": {"name": name, "args": given}}
        if is_first and dialect.signatures_required:
            changes.rewritten(f"the call {id!r:.80}, unsigned, with what stands for a signature (G14)")
            part["thoughtSignature"] = rules.BYPASS
        parts.append(part)
    return {"role": "model", "parts": parts}


def heard_wire(message: Message, called: Mapping[str, Called]) -> list[Wire] | None:
    """Write a user message that needs no second look.

    Args:
        message: the message.
        called: the calls of the message before.

    Returns:
        The contents; None for any other message.

    Complexity: linear in the message.
    """
    heard = common_heard(message)
    if heard is None:
        return None
    results, texts = heard
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
