"""Write common messages as the JSON of pydantic-ai's messages; whatever else there is, `render` writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from message_history.dialects.common import common_heard, common_said

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.message import Message

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
    said = common_said(message)
    if said is None:
        return None
    parts: list[Wire] = [{"content": text, "part_kind": "text"} for text in said[0]]
    for id, name, given in said[1]:
        names[id] = name
        parts.append({"tool_name": name, "args": given, "tool_call_id": id, "part_kind": "tool-call"})
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
    heard = common_heard(message)
    if heard is None:
        return None
    parts: list[Wire] = [
        {
            "tool_name": names.get(id, "unknown_tool"),
            "content": text,
            "tool_call_id": id,
            "part_kind": "tool-return",
        }
        for id, text in heard[0]
    ]
    parts += [{"content": text, "part_kind": "user-prompt"} for text in heard[1]]
    return {"parts": parts, "kind": "request"}
