"""Write common messages in Mistral's form; whatever else there is, `render` writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.dialects.common import SHORT, common_heard, common_said
from message_history.dialects.mistral.rules import NAME
from message_history.dialects.writing import json_object, named_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from message_history.dialects.common import Call, Result
    from message_history.dialects.mistral import Mistral
    from message_history.dialects.writing import Changes
    from message_history.message import Message

__all__ = ["BRIDGE", "GO_ON", "common_wire"]

Wire = dict[str, Any]
BRIDGE: Final = "OK."
"""What the assistant says where a user message may not follow a tool message."""
GO_ON: Final = "Go on."
"""What the user says where words and calls of one message must be two."""


def common_wire(
    message: Message, dialect: Mistral, changes: Changes, write_id: Callable[[str], str]
) -> list[Wire] | None:
    """Write a message that needs no second look.

    Args:
        message: the message.
        dialect: the model's fields.
        changes: gets a record of what is rewritten or added.
        write_id: writes the id of a call.

    Returns:
        The messages; None for any other message.

    Complexity: linear in the message.
    """
    if message.role == "user":
        heard = common_heard(message)
        return _heard(*heard, dialect, changes, write_id) if heard is not None else None
    said = common_said(message)
    return _said(*said, dialect, changes, write_id) if said is not None else None


def _heard(
    results: list[Result], texts: list[str], dialect: Mistral, changes: Changes, write_id: Callable[[str], str]
) -> list[Wire]:
    wire: list[Wire] = [{"role": "tool", "tool_call_id": write_id(id), "content": text} for id, text in results]
    if texts and results and dialect.bridge:
        changes.added("an assistant message between a tool message and a user message (M03a)")
        wire.append({"role": "assistant", "content": BRIDGE})
    if texts:
        wire.append({"role": "user", "content": _content(texts, dialect)})
    return wire


def _said(
    texts: list[str], calls: list[Call], dialect: Mistral, changes: Changes, write_id: Callable[[str], str]
) -> list[Wire]:
    content = _content(texts, dialect)
    if not calls:
        return [{"role": "assistant", "content": content}]
    written = []
    fit = dialect.name_pattern is NAME and dialect.name_limit >= SHORT
    for id, name, given in calls:
        named = name if fit else named_for(name, dialect.name_pattern, dialect.name_limit, changes)
        function = {"name": named, "arguments": json_object(given)}
        written.append({"id": write_id(id), "type": "function", "function": function})
    if not texts or dialect.text_with_calls:
        return [{"role": "assistant", "content": content, "tool_calls": written}]
    changes.added("a user message between words and calls of one message (M09)")
    return [
        {"role": "assistant", "content": content},
        {"role": "user", "content": GO_ON},
        {"role": "assistant", "content": "", "tool_calls": written},
    ]


def _content(texts: list[str], dialect: Mistral) -> str | list[Wire]:
    if len(texts) == 1:
        return texts[0]
    return [{"type": "text", "text": text} for text in texts] if texts and dialect.text_lists else "\n\n".join(texts)
