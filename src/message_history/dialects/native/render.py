"""Write our own saved form: plain JSON that `parse` reads back to an equal value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from message_history.core.messages.blocks import (
    ProviderBlock,
    RedactedThinkingBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.messages.message import arrivals_as_json, kept_keys, others_of, plain_content
from message_history.core.messages.plain import NO_UNICODE, unpack
from message_history.core.messages.replies import as_json
from message_history.core.messages.sendable import reach
from message_history.core.values.json_values import EMPTY, thaw
from message_history.core.values.keys import WHOLE, lineage_to_json
from message_history.core.values.meta import Meta, mark_as_json
from message_history.dialects._shared.plain_blocks import assistant_blocks, user_blocks
from message_history.dialects.native.parse import ARRIVALS, LINEAGE, NATIVE, OPEN, REPLIES, VERSION

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.core.values.keys import Lineage


def render(messages: Iterable[Message], system: Sequence[SystemBlock]) -> list[dict[str, Any]]:
    return [*first_entry(system), *map(message_to_json, messages)]


def first_entry(system: Sequence[SystemBlock], lineage: Lineage = WHOLE) -> list[dict[str, Any]]:
    """Write what is said once for all messages, if anything: the system prompt, and what keys are made of."""
    keys = {LINEAGE: lineage_to_json(lineage)} if lineage != WHOLE else {}
    content = list(map(block_to_json, system))
    return [{"role": "system", "content": content, NATIVE: VERSION, **keys}] if content or keys else []


def message_to_json(message: Message) -> dict[str, Any]:
    plain = plain_content(message) or others_of(message)
    if not plain or reach(message) == NO_UNICODE:
        content = list(map(block_to_json, message.content))
    elif message.role == "assistant":
        content = assistant_blocks(plain)
        for block, item in zip(content, plain, strict=True):
            if type(item) is tuple and type(item[-1]) is str and block["type"] == "tool_use":
                block["arguments"] = item[-1]
    else:
        content = user_blocks(plain, with_empty=True)
    kept = kept_keys(message) if plain else ()
    for block, keys in zip(content, kept, strict=True) if kept else ():
        if keys is not None:
            block.update(unpack(keys))
    entry = {"role": message.role, "content": content, NATIVE: VERSION}
    more = beside(message)
    return {**entry, **more} if more else entry


def beside(message: Message) -> dict[str, Any]:
    """Write what is next to the value of a message."""
    entry: dict[str, Any] = {}
    if message.replies:
        entry[REPLIES] = [as_json(reply) for reply in message.replies]
    arrivals = arrivals_as_json(message)
    if arrivals:
        entry[ARRIVALS] = arrivals
    return entry


def mark_open_stubs(entries: Iterable[dict[str, Any]], ids: Collection[str]) -> None:
    """Mark the stubs of the calls with these ids, not recorded yet, in the last entry as it was written."""
    for entry in entries:
        for block in entry["content"] if ids else ():
            if block["type"] == "tool_result" and block["tool_use_id"] in ids:
                block["mark"][OPEN] = True


def block_to_json(block: Block) -> dict[str, Any]:
    kind = type(block)
    data: dict[str, Any]
    if isinstance(block, TextBlock):
        data = {"type": "text", "text": block.text}
    elif isinstance(block, ToolUseBlock):
        data = {"type": "tool_use", "id": block.id, "name": block.name, "input": thaw(block.frozen_input)}
    elif isinstance(block, ToolResultBlock):
        content = list(map(block_to_json, block.content))
        data = {"type": "tool_result", "tool_use_id": block.tool_use_id, "content": content}
        if block.is_error:
            data["is_error"] = True
    elif isinstance(block, ThinkingBlock):
        data = {"type": "thinking", "thinking": block.thinking}
        if block.signature is not None:
            data["signature"] = block.signature
    elif isinstance(block, RedactedThinkingBlock):
        data = {"type": "redacted_thinking", "data": block.data}
    elif isinstance(block, ImageBlock):
        data = {"type": "image", "source": thaw(block.source)}
    elif isinstance(block, DocumentBlock):
        data = {"type": "document", "source": thaw(block.source)}
        if block.title is not None:
            data["title"] = block.title
    elif isinstance(block, SystemBlock):
        data = {"type": "system", "text": block.text}
    elif isinstance(block, ProviderBlock):
        data = {"type": "provider", "dialect": block.dialect, "data": thaw(block.data)}
    else:
        raise TypeError(f"no saved form for a {kind.__name__}")
    if isinstance(block, ThinkingBlock | RedactedThinkingBlock) and not block.bound:
        data["bound"] = False
    if block.meta is not None:
        data.update(_meta_to_json(block.meta))
    return data


def _meta_to_json(meta: Meta) -> dict[str, Any]:
    data: dict[str, Any] = {
        key: value
        for key in ("issuer", "signature", "arguments", "key")
        if (value := getattr(meta, key)) is not None and (value or key != "key")
    }
    for key in ("extra", "carried"):
        if (held := getattr(meta, key)) != EMPTY:
            data[key] = thaw(held)
    if meta.mark is not None:
        data["mark"] = mark_as_json(meta.mark)
    return data
