"""Write messages of the shapes that nearly all have, at one look; whatever else there is, `render` writes.

A short identifier in ASCII is an id and a name that no rule refuses.
"""

from __future__ import annotations

import marshal
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from message_history.core.messages.message import kept_keys, sendable, sendable_with_keys
from message_history.core.messages.plain import VERSION, meta_of_keys, unpack
from message_history.core.values.json_values import EMPTY, thaw
from message_history.dialects._shared.plain_blocks import assistant_blocks, user_blocks
from message_history.dialects.anthropic.parse import ANTHROPIC
from message_history.dialects.anthropic.schema import NAME_LIMIT
from message_history.dialects.anthropic.shapes import VALUES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history.core.messages.message import Message

Wire = dict[str, Any]


def write_common(messages: Iterable[Message], wire: list[Wire]) -> Message | None:
    """Write plain messages, and return the first that is another."""
    for message in messages:
        plain, kept = sendable(message, NAME_LIMIT), None
        if plain is None:
            plain, kept = sendable_with_keys(message, NAME_LIMIT), kept_keys(message)
            if plain is None:
                return message
        role = message.role
        content = assistant_blocks(plain) if role == "assistant" else user_blocks(plain, with_empty=False)
        wire.append({"role": role, "content": content})
        if kept is not None:
            for block, keys in zip(content, kept, strict=True):
                if keys is not None:
                    own = _own_keys(block["type"], keys)
                    if own is None:
                        wire.pop()
                        return message
                    for key, packed in own:
                        block[key] = unpack(packed)
    return None


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
