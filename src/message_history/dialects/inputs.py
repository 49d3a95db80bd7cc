"""Parse what callers give one at a time: a raw message, a provider's response, or what a tool returned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve

from message_history.core.blocks import ToolUseBlock
from message_history.core.message import make_message
from message_history.core.repairs import RepairCode
from message_history.dialects._shared.mcp import mcp_blocks
from message_history.dialects._shared.typed_blocks import half_written
from message_history.dialects.registry import read, read_reply

if TYPE_CHECKING:
    from message_history.core.message import Message
    from message_history.core.parsed import Parsed
    from message_history.dialects.base import Dialect

__all__ = ["parse_entry", "parse_response", "parse_tool_output"]


def parse_entry(entry: object) -> Parsed:
    """Parse one raw message.

    Args:
        entry: a mapping or an object of an SDK.

    Returns:
        What is in it.

    Raises:
        TypeError: for anything else.

    Complexity: linear in the entry.
    """
    if isinstance(entry, str | bytes) or (not isinstance(entry, Mapping) and not _has_fields(entry)):
        raise TypeError(
            f"message must be a Message or a dict of any provider, not {type(entry).__name__}; `extend` takes several, "
            "`add_user` takes text"
        )
    return read([entry])


def _has_fields(entry: object) -> bool:
    forms = (("model_dump",), ("role", "content"), ("kind", "parts"))
    return any(all(hasattr(entry, name) for name in names) for names in forms)


def parse_response(response: object, dialect: Dialect[Any] | None = None) -> Parsed | None:
    """Parse a provider's response.

    Args:
        response: an SDK's object or its dict.
        dialect: the provider's dialect; None to find it by shape.

    Returns:
        What it holds, or None when it is no response of a known provider.

    Complexity: the size of the response.
    """
    found = read_reply(response, dialect)
    if found is None:
        return None
    spoken, reply = found
    parsed = read(reply.entries, spoken)
    if reply.interrupted:
        for position, message in enumerate(parsed.messages):
            if message.role == "assistant":
                parsed.interrupted.add(position)
                parsed.messages[position] = _truncated(message)
    for number, entry in enumerate(reply.others, 2):
        blocks = tuple(block for message in read([entry], spoken).messages for block in message.content)
        if blocks:
            parsed.note(RepairCode.CHOICE_PASSED_OVER, 0, blocks, f"choice {number} of {1 + len(reply.others)}")
    return parsed


def _truncated(assistant: Message) -> Message:
    """Take the input of a call that ends a truncated reply as unreadable, unless its text shows that it is whole."""
    last = assistant.content[-1] if assistant.content else None
    if not isinstance(last, ToolUseBlock) or (last.arguments or "").strip():
        return assistant
    meta = evolve(last.meta, arguments=None) if last.meta is not None else None
    return make_message("assistant", (*assistant.content[:-1], half_written(evolve(last, meta=meta))))


def parse_tool_output(content: object) -> object:
    """Parse what a tool returned.

    Args:
        content: anything.

    Returns:
        The blocks, if it is a list of raw content blocks, or what a tool of MCP gave; else the same value.

    Complexity: linear in a list.
    """
    found = mcp_blocks(content) if content is not None and not isinstance(content, str) else None
    if found is not None:
        return found
    if not isinstance(content, list) or not content:
        return content
    if not all(isinstance(part, Mapping) and isinstance(part.get(_value_key(part)), str | Mapping) for part in content):
        return content
    parsed = read([{"role": "user", "content": content}])
    return parsed.messages[0].content if len(parsed.messages) == 1 and not parsed.notes else content


def _value_key(part: Mapping[str, Any]) -> str:
    """Return the key under which a raw content block has its value."""
    kind = part.get("type")
    return _VALUE_KEYS.get(kind, "") if isinstance(kind, str) else ""


_VALUE_KEYS: Final = {"text": "text", "image": "source", "document": "source", "image_url": "image_url"}
