"""Write common messages as the JSON of pydantic-ai's messages; whatever else there is, `render` writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from message_history.dialects._shared.plain_messages import common_reply, common_user
from message_history.dialects.pydantic_ai.schema import PROVIDERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.core.message import Message

__all__ = ["request_of", "response_of"]

Wire = dict[str, Any]


def response_of(message: Message, names: dict[str, str]) -> Wire | None:
    """Write an assistant message that needs no second look.

    Args:
        message: the message.
        names: gets the tools of its calls, by id.

    Returns:
        The response; None for any other message.

    Complexity: linear in the message.
    """
    reply = common_reply(message)
    if reply is None:
        return None
    parts: list[Wire] = []
    for block in reply:
        if isinstance(block, str):
            parts.append({"content": block, "part_kind": "text"})
        elif len(block) == 3:
            id, name, input = block
            names[id] = name
            parts.append({"tool_name": name, "args": input, "tool_call_id": id, "part_kind": "tool-call"})
        else:
            parts.append(
                {
                    "content": block[0],
                    "signature": block[1],
                    "provider_name": PROVIDERS["anthropic"],
                    "part_kind": "thinking",
                }
            )
    return {"parts": parts, "kind": "response"}


def request_of(message: Message, names: Mapping[str, str]) -> Wire | None:
    """Write a user message that needs no second look.

    Args:
        message: the message.
        names: the tools of the calls before it, by id.

    Returns:
        The request; None for any other message.

    Complexity: linear in the message.
    """
    user = common_user(message)
    if user is None:
        return None
    parts: list[Wire] = [
        {
            "tool_name": names.get(id, "unknown_tool"),
            "content": text,
            "tool_call_id": id,
            "part_kind": "tool-return",
        }
        for id, text in user[0]
    ]
    parts += [{"content": text, "part_kind": "user-prompt"} for text in user[1]]
    return {"parts": parts, "kind": "request"}
