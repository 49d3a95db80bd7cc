"""Write messages of the shapes that nearly all have, at one look; whatever else there is, `render` writes.

An identifier of ASCII letters that is short is an id and a name that every rule takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from message_history.core.message import sendable
from message_history.dialects._shared.plain_blocks import assistant_blocks, user_blocks
from message_history.dialects.anthropic.schema import NAME_LIMIT

if TYPE_CHECKING:
    from message_history.core.message import Message

__all__ = ["common_wire"]


def common_wire(message: Message) -> dict[str, Any] | None:
    """Write a message of texts, thinking, calls and results that need no second look.

    Args:
        message: the message.

    Returns:
        The message; None when there is anything else about it.

    Complexity: linear in the message.
    """
    plain = sendable(message, NAME_LIMIT)
    if plain is None:
        return None
    if message.role == "assistant":
        return {"role": "assistant", "content": assistant_blocks(plain)}
    return {"role": "user", "content": user_blocks(plain, with_empty=False)}
