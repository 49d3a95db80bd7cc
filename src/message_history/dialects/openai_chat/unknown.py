"""What of the assistant's messages no rule knows: new keys and parts, which are sent back where they came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.core.messages.blocks import ProviderBlock, TextBlock, ToolUseBlock
from message_history.core.values.json_values import EMPTY, FrozenDict
from message_history.dialects._shared.came_from import came_from
from message_history.dialects._shared.dropped_keys import FROM
from message_history.dialects.openai_chat import schema
from message_history.dialects.openai_chat.parse import OPENAI_CHAT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from message_history.core.messages.block_base import Block
    from message_history.dialects.openai_chat.model_fields import Fields

_NOTHING: Final[tuple[Any, ...]] = (None, "", (), {})


def holds_unknown(block: Block) -> bool:
    """Return whether a block came with a key, or in a message with one, or is a part, that no rule knows."""
    if isinstance(block, ProviderBlock):
        return _is_unknown_part(block) or bool(_message_keys(block))
    return bool(_message_keys(block) or _own_keys(block) or _keys_within(block))


def returned_keys(block: Block, dialect: Fields) -> set[str]:
    """Name the keys of the message that a block opened which no rule knows and which are sent back."""
    return set(_message_keys(block)) if _goes_back(block, dialect) else set()


def returned_own(block: Block, dialect: Fields) -> dict[str, Any]:
    """Return the keys of a text part or a call which no rule knows and which are sent back."""
    is_refusal = block.meta is not None and block.extra(OPENAI_CHAT).get("type") == "refusal"
    has_place = isinstance(block, ToolUseBlock) or (dialect.parts is not False and not is_refusal)
    return _own_keys(block) if has_place and _goes_back(block, dialect) else {}


def returned_within(block: Block, dialect: Fields) -> dict[str, Any]:
    """Return the keys of a call's function, or custom tool, which no rule knows and which are sent back."""
    return _keys_within(block) if _goes_back(block, dialect) else {}


def is_returned_part(block: Block, dialect: Fields) -> bool:
    """Return whether a block is a part that no rule knows and that is sent back whole."""
    if not isinstance(block, ProviderBlock) or not _is_unknown_part(block):
        return False
    return dialect.unknown_parts and not dialect.native and _is_of_host(block, dialect)


def _goes_back(block: Block, dialect: Fields) -> bool:
    return block.meta is not None and dialect.unknown_keys and _is_of_host(block, dialect)


def _is_of_host(block: Block, dialect: Fields) -> bool:
    return came_from(block, OPENAI_CHAT) in ("", dialect.host)


def _is_unknown_part(block: ProviderBlock) -> bool:
    return block.dialect == OPENAI_CHAT and bool(block.type) and block.type not in schema.KNOWN_PARTS


def _message_keys(block: Block) -> dict[str, Any]:
    return _unknown(block.carried(OPENAI_CHAT), schema.MESSAGE_KEYS) if block.meta is not None else {}


def _own_keys(block: Block) -> dict[str, Any]:
    known = schema.CALL_KEYS if isinstance(block, ToolUseBlock) else schema.TEXT_KEYS
    if block.meta is None or not isinstance(block, ToolUseBlock | TextBlock):
        return {}
    return _unknown(block.extra(OPENAI_CHAT), known)


def _keys_within(block: Block) -> dict[str, Any]:
    extra = block.extra(OPENAI_CHAT) if block.meta is not None and isinstance(block, ToolUseBlock) else EMPTY
    held = extra.get("custom" if extra.get("type") == "custom" else "function")
    return _unknown(held, ()) if isinstance(held, FrozenDict) else {}


def _unknown(keys: Mapping[str, Any], known: Iterable[str]) -> dict[str, Any]:
    """Return the keys that are neither known nor an application's own."""
    return {
        key: value
        for key, value in keys.items()
        if key not in known and key != FROM and value not in _NOTHING and not schema.is_of_application(key)
    }
