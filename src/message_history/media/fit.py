"""The way out of every message: those without media pass at the cost of a look at their blocks' types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from message_history.core.messages.blocks import ToolResultBlock
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.messages.message import items_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history.core.messages.message import Message
    from message_history.core.messages.repairs import Repair
    from message_history.media.limits import Limits


def has_media(message: Message) -> bool:
    """Return whether a message holds an image or a document, in a result too.

    Args:
        message: the message.

    Returns:
        True when it does; `fit_media` changes no other message.

    Complexity: the number of its blocks.
    """
    if items_of(message):
        return False
    for block in message.content:
        kind = type(block)
        if kind in _HOLDERS:
            if kind is not ToolResultBlock:
                return True
            for part in block.content:  # type: ignore[attr-defined]
                if type(part) in _HOLDERS:
                    return True
    return False


def fit_media(messages: Iterable[Message], limits: Limits) -> tuple[Iterable[Message], list[Repair]]:
    """Make the images and documents of a conversation fit.

    Args:
        messages: the messages of a closed history.
        limits: what the receiver takes.

    Returns:
        The messages, of which those that are not changed are the same objects, and what was changed.

    Complexity: linear in the messages, and in the media that were not seen before.
    """
    if not limits.inspected:
        return messages, []
    listed = list(messages)
    bearing = [index for index, message in enumerate(listed) if has_media(message)]
    if not bearing:
        return listed, []
    # Most conversations hold no image, and need not wait for what knows about them.
    from message_history.media.sending import send_media  # noqa: PLC0415

    return send_media(listed, bearing, limits)


_HOLDERS: Final = frozenset({ImageBlock, DocumentBlock, ToolResultBlock})
