"""Write messages of the shapes that nearly all have, at one look; whatever else there is, `render` writes.

An identifier of ASCII letters that is short is an id and a name that every rule takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from message_history.core.blocks import TextBlock, ToolResultBlock, ToolUseBlock
from message_history.core.json_values import thaw_flat
from message_history.core.message import NEEDS_REPAIR
from message_history.dialects._shared.writer import is_unicode, thaw_unchanged
from message_history.dialects.anthropic.schema import NAME_LIMIT

if TYPE_CHECKING:
    from message_history.core.blocks import Block
    from message_history.core.message import Message

__all__ = ["common_wire"]


def common_wire(message: Message) -> dict[str, Any] | None:
    """Write a message of texts, calls and results that need no second look.

    Args:
        message: the message.

    Returns:
        The message; None when there is anything else about it: a key, mark or signature, an id or name that is no
        identifier, blank text, text that UTF-8 cannot carry or that is behind a call, an error, media, thinking.

    Complexity: linear in the message.
    """
    if message.shape == NEEDS_REPAIR:
        return None
    for id in message.ids:
        if len(id) > NAME_LIMIT or not (id.isascii() and id.isidentifier()):
            return None
    content: list[dict[str, Any]] = []
    called = False
    for block in message.content:
        if block.meta is not None:
            return None
        # The classes are final: to compare types takes half the time of `isinstance`, and this is all that is done.
        kind = type(block)
        if kind is TextBlock:
            text: str = block.text  # type: ignore[attr-defined]
            if called or (not text.isascii() and not is_unicode(text)):
                return None
            content.append({"type": "text", "text": text})
        elif kind is ToolResultBlock:
            wire: dict[str, Any] = {"type": "tool_result", "tool_use_id": block.tool_use_id}  # type: ignore[attr-defined]
            if block.content:  # type: ignore[attr-defined]
                inner = _texts(block.content)  # type: ignore[attr-defined]
                if inner is None:
                    return None
                wire["content"] = inner
            content.append(wire)
        elif kind is ToolUseBlock:
            name: str = block.name  # type: ignore[attr-defined]
            given = thaw_flat(block.frozen_input) or thaw_unchanged(block.frozen_input)  # type: ignore[attr-defined]
            if given is None or len(name) > NAME_LIMIT or not (name.isascii() and name.isidentifier()):
                return None
            called = True
            content.append({"type": "tool_use", "id": block.id, "name": name, "input": given})  # type: ignore[attr-defined]
        else:
            return None
    return {"role": message.role, "content": content}


def _texts(parts: tuple[Block, ...]) -> list[dict[str, Any]] | None:
    texts: list[dict[str, Any]] = []
    for part in parts:
        if type(part) is not TextBlock or part.meta is not None:
            return None
        text = part.text
        if not text or text.isspace() or not (text.isascii() or is_unicode(text)):
            return None
        texts.append({"type": "text", "text": text})
    return texts
