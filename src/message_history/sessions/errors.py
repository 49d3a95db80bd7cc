"""What can go wrong with a session that is not the fault of its content."""

from __future__ import annotations

from typing import final

__all__ = ["SessionConflictError", "SessionError", "SessionLockedError"]


class SessionError(Exception):
    """A session cannot be read or written; the text says why, in one line."""


@final
class SessionConflictError(SessionError):
    """Somebody else has written to the session since it was read; nothing was written. Load it again."""


@final
class SessionLockedError(SessionError):
    """Another process holds the session's lock; nothing was written."""
