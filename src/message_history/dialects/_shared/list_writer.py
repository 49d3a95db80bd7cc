"""A list on its way out: the loop over its messages, around what a dialect writes of one message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from message_history.core.messages.message import kept_keys
from message_history.core.messages.sendable import sendable, sendable_with_keys
from message_history.dialects._shared.plain_messages import SHORT, has_result_of_texts
from message_history.dialects.base import Export
from message_history.media import has_media

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history.core.messages.blocks import SystemBlock
    from message_history.core.messages.message import Message
    from message_history.dialects._shared.plain_messages import PlainWriter
    from message_history.dialects._shared.writer import Changes


class MessageWriter(Protocol):
    """What a dialect writes of one message."""

    changes: Changes
    """The record of what is omitted, rewritten or added."""

    def message(self, message: Message) -> list[Any]:
        """Write a message; what is written depends on it and those before it only."""


class ListWriter(MessageWriter, Protocol):
    """What a dialect writes that has the system prompt in the list."""

    def prompt(self, system: Sequence[SystemBlock]) -> list[Any]:
        """Write the system prompt."""


def write_messages(writer: MessageWriter, messages: Iterable[Message], short: PlainWriter | None = None) -> list[Any]:
    """Write messages one by one.

    `short` writes those that need no second look, if the dialect has a short way for them.
    """
    wire: list[Any] = []
    changes, write = writer.changes, writer.message
    for index, message in enumerate(messages):
        changes.index = index
        plain = sendable(message, SHORT) if short is not None else None
        if plain is None and short is not None and kept_keys(message):
            plain = sendable_with_keys(message, SHORT)
            if plain is not None and not all(map(short.takes, kept_keys(message), plain)):
                plain = None
        if short is not None and plain is not None:
            if message.role == "assistant":
                if short.assistant(message, plain, wire):
                    continue
            elif not (message.ids and has_result_of_texts(plain)) and short.user(message, plain, wire):
                continue
        wire += write(message)
    return wire


def write_turn(
    writer: MessageWriter, messages: Sequence[Message], short: PlainWriter | None = None
) -> list[Any] | None:
    """Write the messages of a turn alone; None when they hold media, whose limits count over the whole list."""
    return None if any(map(has_media, messages)) else write_messages(writer, messages, short)


def write_list(
    writer: ListWriter,
    messages: Iterable[Message],
    system: Sequence[SystemBlock] = (),
    short: PlainWriter | None = None,
) -> list[Any]:
    """Write the system prompt, and the messages after it."""
    prompt = writer.prompt(system) if system else []
    return prompt + write_messages(writer, messages, short)


def export_list(writer: ListWriter, messages: Iterable[Message], system: Sequence[SystemBlock] = ()) -> Export:
    """Write a list message by message, with the record of what was changed."""
    wire = write_list(writer, messages, system)
    return Export(wire, None, tuple(writer.changes.repairs))
