"""Histories that tests save, and the writer that they kill."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from message_history import MessageHistory, ToolUseBlock

if TYPE_CHECKING:
    from collections.abc import Iterator

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "deep"
"""Whether to run what takes minutes."""


def same(left: MessageHistory, right: MessageHistory) -> bool:
    """Return whether two histories are equal, with equal repairs, and wait for the same calls."""
    return left == right and left.repairs == right.repairs and ids(left) == ids(right)


def ids(history: MessageHistory) -> list[str]:
    """Give the ids of the calls that wait."""
    return [call.id for call in history.awaiting]


def turn_starts(history: MessageHistory) -> list[int]:
    """Give the positions of the user messages that answer no call: `load(turns=...)` begins with one."""
    return [n for n, message in enumerate(history) if message.role == "user" and not message.results]


def steps(history: MessageHistory, number: int = 0) -> Iterator[MessageHistory]:
    """Grow a history without end, as an agent does: two calls in a turn, results one by one, blank text in between.

    Args:
        history: where it begins.
        number: what the first turn is called.

    Yields:
        The history after each step.
    """
    while True:
        yield (history := history.add_user(f"q{number}"))
        yield (history := history.add_assistant([ToolUseBlock(f"{number}a", "r", {}), ToolUseBlock("b", "r", {})]))
        yield (history := history.add_tool_result("b", f"b{number}"))
        yield (history := history.add_tool_result(f"{number}a", ""))
        yield (history := history.add_user(" "))
        yield (history := history.add_assistant(f"a{number}"))
        number += 1


def of_length(messages: int) -> MessageHistory:
    """Give a history of some length."""
    return next(history for history in steps(MessageHistory()) if len(history) == messages)


def write_for_ever(path: Path, acknowledge: int, piece: int | None = None) -> None:
    """Append to a session until killed; say each time how many messages are saved.

    Args:
        path: the session file.
        acknowledge: the file descriptor to say it on.
        piece: how many bytes to write at once, so that it can be killed within a line; None for all.
    """
    from message_history.files import disk  # noqa: PLC0415
    from message_history.storage import JsonlSession  # noqa: PLC0415 - this runs in a process of its own

    if piece is not None:
        write = disk._write
        disk._write = (
            lambda descriptor, data: [  # type: ignore[assignment]
                write(descriptor, data[n : n + piece]) for n in range(0, len(data), piece)
            ]
        )

    session = JsonlSession(path, fsync="never")
    for history in steps(session.load(), number=len(session.load())):
        session.append(history)
        os.write(acknowledge, f"{len(history)}\n".encode())


if __name__ == "__main__":
    write_for_ever(Path(sys.argv[1]), 1)
