"""Which messages are sent from what is known of their content, without their blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from message_history.core.messages.message import Message, kept_keys, others_of, plain_content
from message_history.core.messages.plain import UNSENDABLE, WITH_KEYS, has_extra, reach_of

if TYPE_CHECKING:
    from message_history.core.messages.plain import Plain

# An attribute of a frozen class is set by its slot.
_set_reach = Message._reach.__set__  # type: ignore[union-attr]


def reach(message: Message) -> int:
    """Return whether every dialect can send what is known of a content, but for packed blocks; see `reach_of`."""
    found = message._reach
    if found is None:
        items = plain_content(message) or others_of(message)
        found = reach_of(message.role, items) if items else UNSENDABLE
        if found >= 0 and has_extra(kept_keys(message)):
            found += WITH_KEYS
        _set_reach(message, found)
    return found


def sendable(message: Message, longest: int) -> Plain | None:
    """Return the plain content of a message without longer ids or names that needs no second look to be sent."""
    found = message._reach
    if found is None:
        found = reach(message)
    return message._plain or None if 0 <= found <= longest else None


def sendable_with_keys(message: Message, longest: int) -> Plain | None:
    """Return what `sendable` does for a message with whose plain content keys came."""
    return message._plain or None if 0 <= reach(message) - WITH_KEYS <= longest else None


def sendable_with_others(message: Message, longest: int) -> Plain | None:
    """Return what `sendable` does for a content with packed blocks of a provider, with which keys may have come."""
    return others_of(message) or None if 0 <= reach(message) % WITH_KEYS <= longest else None
