"""A list on its way out: the loop over its messages, around what a dialect writes of one message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from message_history.dialects.base import Export

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history.core.blocks import SystemBlock
    from message_history.core.message import Message
    from message_history.dialects._shared.writer import Changes

__all__ = ["MessageWriter", "export_list", "write_list"]


class MessageWriter(Protocol):
    """What a dialect writes of one message."""

    changes: Changes
    """The record of what is omitted, rewritten or added."""

    def prompt(self, system: Sequence[SystemBlock]) -> list[Any]:
        """Write the system prompt, where it goes into the list."""

    def message(self, message: Message) -> list[Any]:
        """Write a message; what is written depends on it and those before it only."""


def write_list(writer: MessageWriter, messages: Iterable[Message], system: Sequence[SystemBlock] = ()) -> list[Any]:
    """Write a list message by message.

    Args:
        writer: writes one message.
        messages: the messages.
        system: the system prompt.

    Returns:
        Fresh entries.

    Complexity: linear in the messages.
    """
    wire = writer.prompt(system) if system else []
    for index, message in enumerate(messages):
        writer.changes.index = index
        wire += writer.message(message)
    return wire


def export_list(writer: MessageWriter, messages: Iterable[Message], system: Sequence[SystemBlock] = ()) -> Export:
    """Write a list message by message, with the record of what was changed."""
    wire = write_list(writer, messages, system)
    return Export(wire, None, tuple(writer.changes.repairs))
