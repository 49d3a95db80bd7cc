"""Write messages of the shapes that nearly all have, at one look; whatever else there is, `render` writes.

An identifier of ASCII letters that is short is an id and a name that every rule takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from message_history.core.message import sendable
from message_history.core.plain import unpack
from message_history.dialects.anthropic.schema import NAME_LIMIT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history.core.message import Message

__all__ = ["write_common"]


def write_common(messages: Iterable[Message], wire: list[dict[str, Any]]) -> Message | None:
    """Write messages as long as they are texts, thinking, calls and results that need no second look.

    All of it is one loop: each function that it would call for a message costs 5 % of it.

    Args:
        messages: the messages.
        wire: gets what is written.

    Returns:
        The first message about which there is anything else; None when there is none.

    Complexity: linear in the messages.
    """
    for message in messages:
        plain = sendable(message, NAME_LIMIT)
        if plain is None:
            return message
        if message.role == "assistant":
            calls = [
                {"type": "text", "text": item}
                if type(item) is str
                else {"type": "tool_use", "id": item[0], "name": item[1], "input": unpack(item[2])}
                if len(item) == 3
                else {"type": "thinking", "thinking": item[0], "signature": item[1]}
                for item in plain
            ]
            wire.append({"role": "assistant", "content": calls})
        else:
            results = [
                {"type": "text", "text": item}
                if type(item) is str
                else {"type": "tool_result", "tool_use_id": item[0], "content": [{"type": "text", "text": item[1]}]}
                if type(item[1]) is str and item[1]
                else {"type": "tool_result", "tool_use_id": item[0], **_content(item[1])}
                for item in plain
            ]
            wire.append({"role": "user", "content": results})
    return None


def _content(texts: tuple[str, ...]) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text} for text in texts]} if texts else {}
