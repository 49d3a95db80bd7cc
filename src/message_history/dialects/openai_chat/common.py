"""Write messages of the shapes that nearly all have, at one look; whatever else there is, `render` writes.

An identifier of ASCII letters that is short is an id and a name that every rule takes.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from message_history.blocks import TextBlock, ToolResultBlock, ToolUseBlock
from message_history.dialects.openai_chat.rules import ID, NAME
from message_history.dialects.writing import Changes, thaw_well_formed
from message_history.frozen import thaw_flat

if TYPE_CHECKING:
    from message_history.dialects.openai_chat import OpenAIChat
    from message_history.message import Message

__all__ = ["arguments_of", "common_wire", "is_common"]

Wire = dict[str, Any]
SHORT: Final = 40


def is_common(dialect: OpenAIChat) -> bool:
    """Tell whether a dialect writes common messages as OpenAI does, each one alone.

    Args:
        dialect: the provider's and model's fields.

    Returns:
        True when `common_wire` may be used.
    """
    return (
        dialect.tools == "messages"
        and dialect.reasoning_required == "never"
        and dialect.null_content == "null"
        and dialect.parts
        and dialect.empty_result is None
        and dialect.id_pattern == ID
        and dialect.name_pattern == NAME
        and dialect.id_limit >= SHORT
        and not (dialect.unique_ids or dialect.alternate or dialect.bridge or dialect.native or dialect.banned_text)
        and dialect.system_role != "user"
    )


def common_wire(message: Message, max_calls: int) -> list[Wire] | None:
    """Write a message of texts, calls and results that need no second look.

    Args:
        message: the message.
        max_calls: how many calls a message may have.

    Returns:
        The messages; None when there is anything else about it: a key, mark or signature, an id or name that is no
        short identifier, blank or unusual text, an error, media, thinking.

    Complexity: linear in the message.
    """
    texts: list[Wire] = []
    calls: list[Wire] = []
    wire: list[Wire] = []
    for block in message.content:
        if block.meta is not None:
            return None
        # The classes are final: to compare types takes half the time of `isinstance`, and this is all that is done.
        kind = type(block)
        if kind is TextBlock:
            text: str = block.text  # type: ignore[attr-defined]
            if not text.isascii() or not text or text.isspace() or "\0" in text:
                return None
            texts.append({"type": "text", "text": text})
        elif kind is ToolResultBlock:
            result = _result(block)  # type: ignore[arg-type]
            if result is None:
                return None
            wire.append(result)
        elif kind is ToolUseBlock:
            id, name = block.id, block.name  # type: ignore[attr-defined]
            if not (id.isascii() and id.isidentifier() and name.isascii() and name.isidentifier()):
                return None
            given = thaw_flat(block.input)  # type: ignore[attr-defined]
            if given is None or len(id) > SHORT or len(name) > SHORT:
                return None
            function = {"name": name, "arguments": _ENCODER.encode(given)}
            calls.append({"id": id, "type": "function", "function": function})
        else:
            return None
    content = texts[0]["text"] if len(texts) == 1 else texts or None
    if message.role == "user":
        return [*wire, {"role": "user", "content": content}] if texts else wire or None
    if not calls:
        return [{"role": "assistant", "content": content}] if texts else None
    return [{"role": "assistant", "content": content, "tool_calls": calls}] if len(calls) <= max_calls else None


def _result(block: ToolResultBlock) -> Wire | None:
    id, content = block.tool_use_id, block.content
    if block.is_error or len(id) > SHORT or not (id.isascii() and id.isidentifier()):
        return None
    if not content:
        return {"role": "tool", "tool_call_id": id, "content": ""}
    part = content[0]
    if len(content) > 1 or type(part) is not TextBlock or part.meta is not None:
        return None
    text = part.text
    return {"role": "tool", "tool_call_id": id, "content": text} if text.isascii() and "\0" not in text else None


def arguments_of(block: ToolUseBlock, changes: Changes) -> str:
    """Write a call's input as JSON text.

    Args:
        block: the call.
        changes: gets a record of every text in it that had to be changed.

    Returns:
        The text.
    """
    return _ENCODER.encode(thaw_well_formed(block.input, changes))


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False)
