"""`from_file`, which imports what reads files when it is called: programs without files do without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike

    from message_history.storage.conversations import Conversation

__all__ = ["from_file"]


def from_file(path: str | PathLike[str], *, format: str | None = None) -> tuple[Conversation, ...]:
    """Read the conversations in a file of any format that is known.

    Args:
        path: the file.
        format: the name of its format, as `message-history formats` lists them; None to recognise it.

    Returns:
        The conversations, the main one first, each with its origin, and `history()`.

    Raises:
        NotRecognisedError: when no format recognises it with certainty.
        UnreadableFileError: when it cannot be read, or holds no conversation.
        KeyError: when there is no such format.

    Complexity: linear in the file.
    """
    from message_history.storage.sessions import reading  # noqa: PLC0415

    return reading.from_file(path, format=format)
