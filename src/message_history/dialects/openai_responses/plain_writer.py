"""Write common messages as items; whatever else there is, `plan` and `render` write.

Their items have no ids, so that no reasoning is looked for; a short identifier is an id and a name that the API takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from message_history.dialects._shared.plain_messages import common_assistant, common_user
from message_history.dialects._shared.writer import json_object

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from message_history.core.message import Message
    from message_history.dialects._shared.writer import Changes

__all__ = ["assistant_wire", "user_wire"]

Wire = dict[str, Any]


def assistant_wire(message: Message, limit: int, write_id: Callable[[str], str], changes: Changes) -> list[Wire] | None:
    """Write an assistant message that needs no second look.

    Args:
        message: the message.
        limit: how long a text may be.
        write_id: writes the id of a call.
        changes: gets a record of what is omitted.

    Returns:
        The items; None for any other message.

    Complexity: linear in the message.
    """
    assistant = common_assistant(message)
    if assistant is None or _is_long(assistant[0], limit):
        return None
    if assistant[2]:
        changes.omitted_thinking(message, "thinking of another provider (OR-21)")
    wire: list[Wire] = [{"role": "assistant", "content": text} for text in assistant[0]]
    for id, name, input in assistant[1]:
        arguments = json_object(input)
        wire.append({"type": "function_call", "call_id": write_id(id), "name": name, "arguments": arguments})
    return wire


def user_wire(
    message: Message, called: Sequence[str], limit: int, write_id: Callable[[str], str], *, first: bool
) -> list[Wire] | None:
    """Write a user message that needs no second look.

    Args:
        message: the message.
        called: the ids of the calls before it, all of them of functions.
        limit: how long a text may be.
        write_id: writes the id of a call.
        first: whether it is the first message, which must hold words.

    Returns:
        The items, the outputs in the order of the calls; None for any other message.

    Complexity: linear in the message.
    """
    user = common_user(message)
    if user is None:
        return None
    results, texts = user
    output_of = dict(results)
    if (first and not texts) or _is_long(texts, limit) or _is_long(list(output_of.values()), limit):
        return None
    wire: list[Wire] = [
        {"type": "function_call_output", "call_id": write_id(id), "output": output_of[id]}
        for id in called
        if id in output_of
    ]
    if len(texts) == 1:
        wire.append({"role": "user", "content": texts[0]})
    elif texts:
        wire.append({"role": "user", "content": [{"type": "input_text", "text": text} for text in texts]})
    return wire


def _is_long(texts: Sequence[str], limit: int) -> bool:
    return any(len(text) > limit for text in texts)
