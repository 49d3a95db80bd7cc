"""What can go wrong with a session that is not the fault of its content."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    from collections.abc import Callable


class SessionError(Exception):
    """A session cannot be read or written; the text says why, in one line."""


@final
class SessionConflictError(SessionError):
    """Somebody else has written to the session since it was read; nothing was written. Load it again.

    Args:
        problem: what is wrong, in words.
        session: the session's id, where it has one.
        expected: the revision that was read or written last; 0 for none.
        found: the revision that is there now; None when the session is gone.
    """

    def __init__(
        self, problem: str, *, session: str | None = None, expected: int | None = None, found: int | None = None
    ) -> None:
        super().__init__(problem)
        self.session = session
        self.expected = expected
        self.found = found

    def __reduce__(self) -> tuple[Callable[[], SessionConflictError], tuple[()]]:
        again = partial(SessionConflictError, session=self.session, expected=self.expected, found=self.found)
        return partial(again, str(self)), ()


@final
class SessionLockedError(SessionError):
    """Another process holds the session's lock, or another worker has the turn; nothing was written.

    Args:
        problem: what is wrong, in words.
        worker: who has the turn, if it is that.
        until: until when, in seconds since 1970.
    """

    def __init__(self, problem: str, *, worker: str = "", until: float | None = None) -> None:
        super().__init__(problem)
        self.worker, self.until = worker, until

    def __reduce__(self) -> tuple[Callable[[], SessionLockedError], tuple[()]]:
        return partial(SessionLockedError, str(self), worker=self.worker, until=self.until), ()


@final
class NotAContinuationError(SessionError):
    """The history does not go on from what is stored: it was cut, rewound or changed; nothing was written."""


def refuse_to_shorten(session: object, stored: int) -> NotAContinuationError:
    """Return the error for a history that would delete stored messages by being appended."""
    return NotAContinuationError(
        f"{session}: history does not go on from the {stored} messages that are stored (it was cut, rewound or "
        "changed), so nothing was written; append the whole history and send a window of it, or replace what is "
        "stored with save(history)"
    )
