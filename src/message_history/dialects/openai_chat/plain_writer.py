"""Write messages of the shapes that nearly all have; whatever else there is, `render` writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.dialects._shared.plain_messages import common_assistant, common_user
from message_history.dialects._shared.writer import json_object
from message_history.dialects.openai_chat.schema import NAME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.core.message import Message
    from message_history.dialects.openai_chat.block_writer import BlockWriter
    from message_history.dialects.openai_chat.model_fields import Fields

__all__ = [
    "BRIDGE",
    "GO_ON",
    "NOT_TAKEN_BACK",
    "add_reasoning",
    "apart",
    "assistant_wire",
    "call_message",
    "is_common",
    "user_wire",
]

Wire = dict[str, Any]
NOT_TAKEN_BACK: Final = "reasoning that this API does not take back"
"""Why thinking is left out."""
BRIDGE: Final = "OK."
"""What the assistant says where a user message may not follow a tool message."""
GO_ON: Final = "Go on."
"""What the user says where text and calls of one message must be two."""


def is_common(dialect: Fields) -> bool:
    """Return whether `assistant_wire` and `user_wire` may be used: calls are calls, and texts are sent as they are."""
    return dialect.tools == "messages" and not dialect.native and not dialect.banned_text


def assistant_wire(message: Message, dialect: Fields, writer: BlockWriter) -> tuple[Wire, list[list[Wire]]] | None:
    """Write an assistant message that needs no second look.

    Args:
        message: the message.
        dialect: the provider's and model's fields.
        writer: writes ids, names and content.

    Returns:
        The message, and the calls that it cannot hold; None for any other message.

    Complexity: linear in the message.
    """
    assistant = common_assistant(message)
    if assistant is None:
        return None
    writer.ids.new_scope()
    texts, tool_calls, thinks = assistant
    if thinks:
        writer.changes.omitted_thinking(message, NOT_TAKEN_BACK)
    calls: list[Wire] = []
    fit = dialect.name_pattern is NAME
    for id, name, input in tool_calls:
        function = {"name": name if fit else writer.name(name), "arguments": json_object(input)}
        calls.append({"id": writer.id(id), "type": "function", "function": function})
    later: list[list[Wire]] = []
    if texts:
        wire: Wire = {"role": "assistant", "content": _joined(texts, writer)}
        if calls:
            wire["tool_calls"] = calls
    else:
        wire = call_message(calls, dialect)
    limit = dialect.max_calls
    if len(calls) > limit:
        wire["tool_calls"] = calls[:limit]
        later = [calls[start : start + limit] for start in range(limit, len(calls), limit)]
        writer.changes.rewritten(f"{len(calls)} calls as messages of at most {limit} (OC-05, HF-06)")
    add_reasoning(wire, dialect, has_calls=bool(calls))
    return wire, later


def user_wire(message: Message, later: Sequence[list[Wire]], dialect: Fields, writer: BlockWriter) -> list[Wire] | None:
    """Write a user message that needs no second look.

    Args:
        message: the message.
        later: the calls that the message before it could not hold.
        dialect: the provider's and model's fields.
        writer: writes ids and content.

    Returns:
        The messages; None for any other message.

    Complexity: linear in the message.
    """
    user = common_user(message)
    if user is None:
        return None
    results, texts = user
    wire: list[Wire] = []
    limit = dialect.max_calls
    for position, (id, text) in enumerate(results):
        if later and position and position % limit == 0:
            asked = call_message(later[position // limit - 1], dialect)
            add_reasoning(asked, dialect, has_calls=True)
            wire.append(asked)
        content = text
        if not text and dialect.empty_result is not None:
            writer.changes.added("text of an empty result (KM-02, XA-02)")
            content = dialect.empty_result
        wire.append({"role": "tool", "tool_call_id": writer.id(id), "content": content})
    if texts:
        asking: Wire = {"role": "user", "content": _joined(texts, writer)}
        if results and dialect.bridge:
            writer.changes.added("an assistant message between a tool message and a user message (HF-02)")
            bridge: Wire = {"role": "assistant", "content": BRIDGE}
            add_reasoning(bridge, dialect, has_calls=False)
            wire.append(bridge)
        wire.append(asking)
    return wire


def apart(wire: Wire, dialect: Fields, writer: BlockWriter) -> list[Wire]:
    """Split an assistant message that holds text and calls, where it may not hold both."""
    calls = wire.get("tool_calls")
    if not calls or not wire.get("content"):
        return [wire]
    writer.changes.added("a user message between text and calls of one message (VX-01)")
    text = {key: value for key, value in wire.items() if key != "tool_calls"}
    return [text, {"role": "user", "content": GO_ON}, call_message(calls, dialect)]


def call_message(calls: list[Wire], dialect: Fields) -> Wire:
    """Make an assistant message of nothing but calls."""
    if dialect.null_content == "omit":
        return {"role": "assistant", "tool_calls": calls}
    return {"role": "assistant", "content": "" if dialect.null_content == "empty" else None, "tool_calls": calls}


def add_reasoning(wire: Wire, dialect: Fields, *, has_calls: bool) -> None:
    """Give a message an empty reasoning where there must be one (DS-09, KM-05)."""
    required = dialect.reasoning_required
    if dialect.reasoning and (required in ("once shown", "always") or (required == "calls" and has_calls)):
        wire.setdefault(dialect.reasoning, "")


def _joined(texts: list[str], writer: BlockWriter) -> str | list[Wire]:
    return texts[0] if len(texts) == 1 else writer.joined([{"type": "text", "text": text} for text in texts])
