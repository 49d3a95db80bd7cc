"""Write messages of the shapes that nearly all have, at one look; whatever else there is, `render` writes.

A short identifier in ASCII is an id and a name that no rule refuses.
"""

from __future__ import annotations

import marshal
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from message_history.core.messages.message import kept_keys
from message_history.core.messages.plain import VERSION, meta_of_keys, unpack
from message_history.core.messages.sendable import sendable, sendable_with_keys, sendable_with_others
from message_history.core.values.json_values import EMPTY, thaw
from message_history.dialects._shared.plain_blocks import assistant_blocks, user_blocks
from message_history.dialects._shared.schema import misfits
from message_history.dialects.anthropic.parse import ANTHROPIC
from message_history.dialects.anthropic.schema import NAME_LIMIT
from message_history.dialects.anthropic.shapes import VALUES, WHOLE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history.core.messages.message import Message
    from message_history.core.messages.plain import Plain

Wire = dict[str, Any]


def write_common(messages: Iterable[Message], wire: list[Wire]) -> Message | None:
    """Write plain messages, and return the first that is another."""
    for message in messages:
        role = message.role
        plain, kept = sendable(message, NAME_LIMIT), None
        if plain is None:
            kept = kept_keys(message)
            plain = sendable_with_keys(message, NAME_LIMIT)
        if plain is not None:
            content = assistant_blocks(plain) if role == "assistant" else user_blocks(plain)
        else:
            others = sendable_with_others(message, NAME_LIMIT)
            if others is None or not _are_own(role, others):
                return message
            content = _as_sent(assistant_blocks(others) if role == "assistant" else user_blocks(others))
        wire.append({"role": role, "content": content})
        if kept:
            for block, keys in zip(content, kept, strict=True):
                if keys is not None:
                    own = _own_keys(block["type"], keys)
                    if own is None:
                        wire.pop()
                        return message
                    for key, packed in own:
                        block[key] = unpack(packed)
    return None


def _are_own(role: str, items: Plain) -> bool:
    """Return whether packed blocks are those that this API takes: white space next to text, and found tools."""
    if role == "assistant":
        return str in map(type, items) and all(type(item) is not bytes or _is_own(item, "text") for item in items)
    contents = [item[1] for item in items if type(item) is tuple and type(item[1]) is tuple]
    return all(type(part) is not bytes or _is_own(part, "tool_reference") for parts in contents for part in parts)


@lru_cache(maxsize=1_000)
def _is_own(packed: bytes, kind: str) -> bool:
    block = unpack(packed)
    data = block["data"]
    if block["dialect"] != ANTHROPIC or data.get("type") != kind:
        return False
    if kind == "text":
        return data.keys() == {"type", "text"} and type(data["text"]) is str and data["text"].isspace()
    return data.keys() == {"type", "tool_name"} and not misfits(WHOLE[kind], data)


def _as_sent(content: list[Wire]) -> list[Wire]:
    """Take blocks out of the form in which they are saved."""
    for block in content:
        if block["type"] == "tool_result" and "content" in block:
            block["content"] = _as_sent(block["content"])
    return [block["data"] if block["type"] == "provider" else block for block in content]


@lru_cache(maxsize=1_000)
def _own_keys(kind: str, keys: bytes) -> tuple[tuple[str, bytes], ...] | None:
    """Return the keys that this API takes back, with their packed values; None where one needs a second look."""
    meta = meta_of_keys(keys)
    own = meta.extra.get(ANTHROPIC, EMPTY) if meta is not None else EMPTY
    known = VALUES[kind]
    if not own or any(key in _COUNTED or key not in known or not known[key](own[key]) for key in own):
        return None if own else ()
    if own.get("caller", EMPTY).get("tool_id") is not None:
        return None
    return tuple((key, marshal.dumps(value, VERSION)) for key, value in thaw(own).items())


_COUNTED = frozenset({"cache_control", "toolset_name"})
"""Keys on which more depends than the block they are in."""
