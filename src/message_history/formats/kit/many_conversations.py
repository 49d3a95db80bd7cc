"""Collects the conversations of a file that holds many."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from message_history.formats.kit.base import Collector, Reading
from message_history.formats.kit.raw_blocks import BLOCKS

if TYPE_CHECKING:
    from message_history.files.conversations import Conversation


@final
class Conversations:
    """The conversations of a file, and what could not be read of it."""

    def __init__(self) -> None:
        self._found: list[Conversation] = []
        self._collectors: list[Collector] = []

    def __len__(self) -> int:
        return len(self._found)

    def collector(self) -> Collector:
        """Begin what may become a conversation; what it notes as unread counts even if it becomes none."""
        self._collectors.append(Collector())
        return self._collectors[-1]

    def add(self, conversation: Conversation) -> None:
        """Add a conversation; the first is the main one."""
        self._found.append(conversation)

    def reading(self, others: Collector | None = None) -> Reading:
        """Make the reading of the file.

        Args:
            others: what was omitted between the conversations; it is all that is said of a file without any.

        Returns:
            The conversations, and all that could not be read.
        """
        if others is not None and not self._found:
            self.add(others.conversation(BLOCKS))
        unread = tuple(note for collector in self._collectors for note in collector.unread)
        return Reading(conversations=tuple(self._found), unread=unread)
