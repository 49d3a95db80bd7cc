"""Keys and parts of replies that no rule knows: each notes which host it came from, and is sent back only there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from message_history.core.messages.blocks import with_meta
from message_history.core.messages.message import is_plain, with_content
from message_history.core.values.json_values import EMPTY, freeze_mapping
from message_history.core.values.meta import Meta
from message_history.dialects._shared.dropped_keys import FROM

if TYPE_CHECKING:
    from message_history.core.messages.block_base import Block
    from message_history.core.messages.parsed import Parsed
    from message_history.dialects.base import Dialect


def note_origin(parsed: Parsed, dialect: Dialect[Any], host: str) -> None:
    """Note where unknown keys and parts of the assistant's messages came from, in a list whose dialect was named."""
    for n, message in enumerate(parsed.messages):
        if message.role == "assistant" and not is_plain(message):
            unknown = [dialect.holds_unknown(block) for block in message.content]
            if any(unknown):
                noted = (_noted(block, dialect.name, host) for block in message.content)
                pairs = zip(message.content, noted, unknown, strict=True)
                blocks = tuple(marked if is_unknown else block for block, marked, is_unknown in pairs)
                parsed.messages[n] = with_content(message, blocks)


def _noted(block: Block, dialect: str, host: str) -> Block:
    meta = block.meta if block.meta is not None else Meta()
    extra, _ = freeze_mapping({**meta.extra, dialect: {**meta.extra.get(dialect, EMPTY), FROM: host}})
    return with_meta(block, extra=extra)


def came_from(block: Block, dialect: str) -> str | None:
    """Return the host that a block's unknown keys came from, empty where nobody named it; None where none is noted."""
    host = block.extra(dialect).get(FROM) if block.meta is not None else None
    return host if isinstance(host, str) else None
