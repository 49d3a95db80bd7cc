"""Write common messages as items; whatever else there is, `plan` and `render` write.

Their items have no ids, so that no reasoning is looked for; a short identifier is an id and a name that the API takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.dialects._shared.plain_messages import common_assistant, common_user
from message_history.dialects._shared.writer import json_object

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from message_history.core.message import Message
    from message_history.dialects._shared.writer import Changes

__all__ = ["assistant_wire", "user_wire"]

Wire = dict[str, Any]
RENAMED: Final = "OR-15, DS-16"
"""The rules that demand another id."""


def assistant_wire(message: Message, limit: int, write_id: Callable[[str], str], changes: Changes) -> list[Wire] | None:
    """Write an assistant message that needs no second look.

    Args:
        message: the message.
        limit: how long a text may be.
        write_id: writes the id of a call.
        changes: gets a record of what is omitted, and of ids that are other ones.

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
        alias = write_id(id)
        if alias != id:
            changes.renamed(id, alias, RENAMED)
        wire.append({"type": "function_call", "call_id": alias, "name": name, "arguments": json_object(input)})
    return wire


def user_wire(
    message: Message, called: tuple[str, ...], limit: int, write_id: Callable[[str], str], *, first: bool
) -> list[Wire] | None:
    """Write a user message that needs no second look.

    Args:
        message: the message.
        called: the ids of the calls before it, all of them of functions.
        limit: how long a text may be.
        write_id: writes the id of a call.
        first: whether it is the first message, which must hold words.

    Returns:
        The items; None for any other message, as for one whose results are not those of the calls, in their order.

    Complexity: linear in the message.
    """
    user = common_user(message)
    if user is None:
        return None
    results, texts = user
    if message.ids != called or (first and not texts) or _is_long(texts, limit):
        return None
    wire: list[Wire] = []
    for id, text in results:
        if len(text) > limit:
            return None
        wire.append({"type": "function_call_output", "call_id": write_id(id), "output": text})
    if len(texts) == 1:
        wire.append({"role": "user", "content": texts[0]})
    elif texts:
        wire.append({"role": "user", "content": [{"type": "input_text", "text": text} for text in texts]})
    return wire


def _is_long(texts: Sequence[str], limit: int) -> bool:
    return max(map(len, texts), default=0) > limit
