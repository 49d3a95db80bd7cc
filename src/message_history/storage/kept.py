"""What a session is to a program, wherever it is kept, and the beginning of one for a store of somebody's own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from threading import RLock
from time import time
from typing import TYPE_CHECKING, Any, Protocol

from attrs import frozen

from message_history.core.messages.policy import DEFAULT_POLICY, Policy
from message_history.files.errors import SessionConflictError, SessionError
from message_history.files.own_lines import FORMAT_VERSION, Journal, whole_lines
from message_history.history import MessageHistory, restored
from message_history.storage.working import SharedSession

if TYPE_CHECKING:
    from collections.abc import Callable

    from message_history.files.saved import Growth
    from message_history.storage.working import End


class Session(Protocol):
    """A stored history: what a program may count on, whichever store it is in.

    `JsonlSession` and `SqlSession` are sessions; `AsyncSqlSession` is one to be awaited. The tests of
    `message_history.testing.conformance.SessionConformance` say whether another class is.
    """

    def load(self) -> MessageHistory:
        """Load all that is stored, with its repairs and the keys of its calls; an empty history when there is nothing.

        Raises:
            SessionError: when the store cannot be read.
        """

    def append(self, history: MessageHistory) -> None:
        """Store what is new in a history; once this returns, nothing of it is lost.

        Raises:
            NotAContinuationError: when stored messages are missing or other; then nothing is written.
            SessionConflictError: when somebody else has written since this session read or wrote, or when it has not
                read and another history is stored; then nothing is written.
            SessionError: when the store cannot be written to; then it is as it was.
        """

    def save(self, history: MessageHistory) -> None:
        """Replace what is stored, at one stroke.

        Raises:
            SessionConflictError: see `append`.
            SessionError: see `append`.
        """

    def update(self, change: Callable[[MessageHistory], MessageHistory], *, attempts: int = 5) -> MessageHistory:
        """Load, change and append, and do so again when somebody else has written meanwhile.

        Raises:
            SessionConflictError: when somebody else was faster each time.
            SessionError: see `append`.
        """

    def delete(self) -> bool:
        """Delete all that is stored, whatever others have written; return False when there was nothing.

        Raises:
            SessionError: when it cannot be deleted.
        """


@frozen
class Held:
    """What a session knows of its store."""

    history: MessageHistory
    version: Any  # what the store calls the version that was read or written last; None for nothing


class BytesSession(SharedSession, ABC):
    """A session that a store keeps as one value of bytes: write `read`, `write` and `remove`, and the rest is there.

    The bytes are those of a session file. Each append writes them all: for a store that can add to what is there,
    write the methods of `Session` instead.

    Args:
        name: the session's name; the keys of its calls are made of it.
        policy: decides where there is a choice.
        clock: says the time, in seconds since 1970, for `claim`: the same for all who share the store.
    """

    def __init__(self, name: str, *, policy: Policy | None = None, clock: Callable[[], float] = time) -> None:
        self._name = self._named = name
        self._policy = policy if policy is not None else DEFAULT_POLICY
        self._clock = clock
        self._mutex = RLock()
        self._held: Held | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._name!r})"

    @property
    def name(self) -> str:
        """Return the session's name."""
        return self._name

    @abstractmethod
    def read(self) -> tuple[bytes, object] | None:
        """Read what is stored, and its version; None when there is nothing.

        A version is anything but None that is another one after each write, also after the session was deleted and
        made anew.
        """

    @abstractmethod
    def write(self, data: bytes, version: object) -> object:
        """Store the bytes in the place of a version, which is None for nothing, and return the new version.

        Return None when another version is there: then nothing is written. Both must be one step for the store.
        """

    @abstractmethod
    def remove(self) -> bool:
        """Remove what is stored; return whether there was anything."""

    def load(self) -> MessageHistory:
        """Load the history; see `JsonlSession.load`.

        Raises:
            SessionError: when the store cannot be read, or holds no session.

        Complexity: linear in the history.
        """
        with self._mutex:
            self._held = self._found()
            return self._held.history

    def delete(self) -> bool:
        """Delete the session, whatever others have written to it; return False when there was none."""
        with self._mutex:
            self._held = None
            return self.remove()

    def _history(self, data: bytes) -> MessageHistory:
        journal = Journal()
        for number, line in enumerate(data.splitlines(keepends=True), 1):
            journal.take(number, line)
        if not journal.recognised or (journal.version or 0) > FORMAT_VERSION:
            raise SessionError(f"{self._name!r}: what is stored is not a session that this version can read")
        return restored(journal.entries(), self._policy, [*journal.repairs, *journal.standing])

    def _current(self) -> Held:
        if self._held is None:
            self._held = self._found()
        return self._held

    def _found(self) -> Held:
        found = self.read()
        if found is None:
            return Held(MessageHistory(policy=self._policy, name=self._name), None)
        return Held(self._history(found[0]), found[1])

    def _replace(self, held: Held, history: MessageHistory) -> None:
        self._put(held, history, None)

    def _put(self, held: Held, history: MessageHistory, found: Growth | None) -> None:
        # If this fails, nobody knows what is stored: it must be read again.
        self._held = None
        version = self.write(b"".join(whole_lines(history)), held.version)
        self._held = Held(history, version) if version is not None else held
        if version is None:
            raise self._conflict(held)

    def _other(self, held: Held) -> SessionConflictError:
        self._held = None
        there = f"it holds another history, of {len(held.history)} messages"
        return SessionConflictError(f"{self._name!r}: {there}; load it first", session=self._name)

    def _conflict(self, _: object = None) -> SessionConflictError:
        return SessionConflictError(
            f"{self._name!r}: somebody else has written to it; load it again", session=self._name
        )

    def _now(self) -> float:
        return self._clock()

    def _hold(self, worker: str, token: str, until: End) -> None:
        raise SessionError(f"{self._name!r}: this store keeps no turns; claim calls, or use SqlSession")

    def _release(self, token: str) -> None:
        """There is no turn to release."""
