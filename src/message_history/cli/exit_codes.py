"""The exit codes of the commands."""

from __future__ import annotations

from enum import IntEnum
from typing import final


@final
class ExitCode(IntEnum):
    """How a command ended."""

    DONE = 0
    FOUND = 1
    """Something is wrong with a file, or a part of it could not be read."""
    FAILED = 2
    """A file cannot be read or written, or the command was used wrongly."""
