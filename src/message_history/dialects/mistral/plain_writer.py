"""Write common messages in Mistral's form; whatever else there is, `render` writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.dialects._shared.plain_messages import SHORT, common_assistant, common_user
from message_history.dialects._shared.writer import json_object, named_for
from message_history.dialects.mistral.schema import ANY_NAME, NAME

if TYPE_CHECKING:
    from collections.abc import Callable

    from message_history.core.message import Message
    from message_history.dialects._shared.plain_messages import Call, Result
    from message_history.dialects._shared.writer import Changes
    from message_history.dialects.mistral.model_fields import Fields

__all__ = ["BRIDGE", "GO_ON", "NOT_TAKEN_BACK", "common_wire"]

Wire = dict[str, Any]
NOT_TAKEN_BACK: Final = "thinking that this model does not take back (MS-M10)"
"""Why thinking is left out."""
BRIDGE: Final = "OK."
"""What the assistant says where a user message may not follow a tool message."""
GO_ON: Final = "Go on."
"""What the user says where text and calls of one message must be two."""


def common_wire(
    message: Message, dialect: Fields, changes: Changes, write_id: Callable[[str], str]
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
        user = common_user(message)
        return _user(*user, dialect, changes, write_id) if user is not None else None
    assistant = common_assistant(message)
    if assistant is None:
        return None
    texts, calls, thinks = assistant
    if thinks:
        changes.omitted_thinking(message, NOT_TAKEN_BACK)
    return _assistant(texts, calls, dialect, changes, write_id)


def _user(
    results: list[Result], texts: list[str], dialect: Fields, changes: Changes, write_id: Callable[[str], str]
) -> list[Wire]:
    wire: list[Wire] = [{"role": "tool", "tool_call_id": write_id(id), "content": text} for id, text in results]
    if texts and results and dialect.bridge:
        changes.added("an assistant message between a tool message and a user message (MS-M03a)")
        wire.append({"role": "assistant", "content": BRIDGE})
    if texts:
        wire.append({"role": "user", "content": _content(texts, dialect)})
    return wire


def _assistant(
    texts: list[str], calls: list[Call], dialect: Fields, changes: Changes, write_id: Callable[[str], str]
) -> list[Wire]:
    content = _content(texts, dialect)
    if not calls:
        return [{"role": "assistant", "content": content}]
    written = []
    fit = dialect.name_pattern in (NAME, ANY_NAME) and dialect.name_limit >= SHORT
    for id, name, input in calls:
        named = name if fit else named_for(name, dialect.name_pattern, dialect.name_limit, changes)
        function = {"name": named, "arguments": json_object(input)}
        written.append({"id": write_id(id), "type": "function", "function": function})
    if not texts or dialect.text_with_calls:
        return [{"role": "assistant", "content": content, "tool_calls": written}]
    changes.added("a user message between text and calls of one message (MS-M09)")
    return [
        {"role": "assistant", "content": content},
        {"role": "user", "content": GO_ON},
        {"role": "assistant", "content": "", "tool_calls": written},
    ]


def _content(texts: list[str], dialect: Fields) -> str | list[Wire]:
    if len(texts) == 1:
        return texts[0]
    return [{"type": "text", "text": text} for text in texts] if texts and dialect.text_lists else "\n\n".join(texts)
