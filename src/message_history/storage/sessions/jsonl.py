"""A session in a file: loaded, appended to as it grows, and whole after a crash."""

from __future__ import annotations

import json
import logging
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from threading import RLock
from time import time
from typing import TYPE_CHECKING, Any, Final, Literal, final

from attrs import evolve

from message_history.core.messages.policy import DEFAULT_POLICY, Policy
from message_history.core.turns.conversation import context_of
from message_history.files.disk import (
    append,
    back_up,
    backups_of,
    file_of,
    remove,
    replace,
    stamp_of,
)
from message_history.files.errors import SessionConflictError, SessionError
from message_history.files.opening import MAX_LINE, content
from message_history.files.own_lines import new_lines, whole_lines
from message_history.files.saved import goes_on
from message_history.history import MessageHistory, conversation_of
from message_history.storage.about import described
from message_history.storage.sessions.leftovers import finish, forgetting_file
from message_history.storage.sessions.locking import locked, remove_lock
from message_history.storage.sessions.reading import SHORT, Held, LoadReport, as_session_error, read_session_file
from message_history.storage.working import (
    SharedSession,
    by_end,
    end_of,
    is_waiting,
    lost_turn,
    refused_turn,
    state_at,
    states_of,
    waiting_call,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime

    from message_history.core.turns.rules import CallState
    from message_history.files.saved import Growth
    from message_history.storage.about import SessionInfo
    from message_history.storage.working import End, WaitingCall

logger = logging.getLogger("message_history")
_LATER: Final = "a later version wrote it"

WASTE: Final = 1024 * 1024
"""A file is rewritten when more than half of it, and more than this many bytes, does not count any more."""


@final
class JsonlSession(SharedSession):
    """A session in a file of JSON lines.

    Several processes may use one file: each operation that writes holds its lock, and none overwrites what another
    has written since.

    Args:
        path: the file, or a link to it; it need not exist.
        policy: decides where there is a choice.
        fsync: when to wait until data is on the disk: `always`, so that not even a power failure loses a message for
            which `append` has returned; at `rewrites` only; or `never`. A killed process loses nothing with any.
        lock_timeout: how many seconds to wait for another process.
        clock: says the time, in seconds since 1970, for `claim` and `turn`: the same for all who share the file.

    Raises:
        ValueError: for any other `fsync`.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        policy: Policy | None = None,
        fsync: Literal["always", "rewrites", "never"] = "always",
        lock_timeout: float = 10.0,
        clock: Callable[[], float] = time,
    ) -> None:
        if fsync not in ("always", "rewrites", "never"):
            raise ValueError(f"fsync must be 'always', 'rewrites' or 'never', not {fsync!r}")
        if not isinstance(path, str | PathLike):
            raise TypeError(f"path must be a str or a PathLike, not {type(path).__name__}")
        # The working folder may change.
        self._path = self._named = Path(path).absolute()
        self._policy = policy if policy is not None else DEFAULT_POLICY
        self._fsync = fsync
        self._timeout = lock_timeout
        self._clock = clock
        self._mutex = RLock()
        self._locks: dict[Path, Any] = {}  # held by one thread at a time: see `_mutex`
        self._held: Held | None = None
        self._report = LoadReport(missing=True)

    def __repr__(self) -> str:
        return f"JsonlSession({str(self._path)!r}, {self._report})"

    @property
    def path(self) -> Path:
        """Return the absolute path of the file."""
        return self._path

    @property
    def report(self) -> LoadReport:
        """Return what the last load has found."""
        return self._report

    def load(self) -> MessageHistory:
        """Load the history, as far as the file holds it.

        What a crash or an editor has damaged is skipped, recorded in `report` and on the logger, and removed from the
        file; before that, the file is kept as it was, in a backup. A file that a later version wrote stays as it is.

        Returns:
            The history; an empty one when there is no file. Calls in its `awaiting` may have run already: ask before
            running one again.

        Raises:
            SessionError: when the file cannot be opened, or holds no line of a session: read it with `from_file`.

        Complexity: linear in the file.
        """
        with self._mutex:
            if self._is_forgetting():
                with self._locked():
                    finish(self._path)
            self._held, self._report = read_session_file(self._path, self._policy)
            self._refuse_foreign(self._held)
            if self._held.later:
                self._report = evolve(self._report, problem=_LATER)
            elif not self._report.clean:
                try:
                    # Somebody may be writing just now: what still looks damaged once we hold the lock is damaged.
                    with self._locked():
                        self._held, self._report = self._repaired()
                except SessionError as error:
                    self._report = evolve(self._report, problem=str(error).removeprefix(f"{self._path}: "))
            self._log_report()
            return self._held.history

    def _replace(self, held: Held, history: MessageHistory) -> None:
        if not goes_on(held.history, history):
            back_up(self._path, sync=self._fsync != "never")
        self._held = self._rewritten(history, held)

    def _put(self, held: Held, history: MessageHistory, found: Growth | None) -> None:
        if found is None or held.stamp is None or held.later or _is_wasteful(held.stamp.size, held.live):
            self._held = self._rewritten(history, held)
        elif found == (len(history), _final(history)):
            self._held = evolve(held, history=history)
        else:
            self._held = self._appended(history, held, found)

    @staticmethod
    def waiting(
        folder: str | PathLike[str], *states: CallState | str, clock: Callable[[], float] = time
    ) -> list[WaitingCall]:
        """List the calls of all sessions in a folder that wait for somebody; see `SqlSession.waiting`.

        Args:
            folder: the folder of the files `*.jsonl`; nothing in it is changed, and what is not a session is skipped.
            states: the states that are asked for; none for all in which a call waits.
            clock: says the time, in seconds since 1970.

        Returns:
            The calls, those first whose time is over first.

        Raises:
            SessionError: when a file cannot be opened.

        Complexity: linear in the files.
        """
        wanted, now = states_of(states), clock()
        found: list[WaitingCall] = []
        for path in sorted(Path(folder).glob("*.jsonl")):
            calls = filter(is_waiting, read_session_file(path.absolute(), DEFAULT_POLICY)[0].history.calls)
            found += [waiting_call(str(path), each, state_at(each, now)) for each in calls]
        return sorted((each for each in found if each.state in wanted), key=by_end)

    def describe(
        self,
        *,
        owner: str | None = None,
        title: str | None = None,
        labels: Iterable[str] | None = None,
        created: float | datetime | None = None,
    ) -> SessionInfo:
        """Say whose the session is, and what else it is listed by; what is not passed stays as it is.

        It is kept in the file's header, so the file is written anew, and others who have it loaded must load it again.
        The file need not exist.

        Args:
            owner: whose it is; an empty text for nobody's.
            title: its title.
            labels: its labels, all of them anew.
            created: when it was begun; for a new file otherwise the session's clock says it.

        Returns:
            What is said of it now.

        Raises:
            SessionError: see `append`.

        Complexity: linear in the file.
        """
        changes = described(owner, title, labels, created, None)
        with self._mutex, self._writing():
            held = self._current()
            first = {"created": self._now()} if held.stamp is None else {}
            held = self._rewritten(held.history, evolve(held, about={**held.about, **first, **changes}))
            if self._held is not None:
                self._held = held
        return self.info()

    def info(self) -> SessionInfo:
        """Return what is said of the session: its owner, title, labels and times.

        Raises:
            SessionError: when the file cannot be opened.
        """
        from message_history.storage.sessions.folder import info_in, info_of  # noqa: PLC0415 - few sessions are listed

        stamp = stamp_of(self._path)
        try:
            found = info_of(self._path, stamp.seconds) if stamp is not None else None
        except OSError as error:
            raise as_session_error(self._path, error) from error
        return found if found is not None else info_in(self._path, {}, None)

    @staticmethod
    def sessions(
        folder: str | PathLike[str],
        *,
        owner: str | None = None,
        label: str | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> list[SessionInfo]:
        """List the sessions of a folder, those that were written to last first; see `SqlSession.sessions`.

        Args:
            folder: the folder of the files `*.jsonl`; what is not a session is skipped.
            owner: list this owner's sessions; an empty text for those that are nobody's.
            label: list those with this label.
            after: the `cursor` of the last session of the page before.
            limit: how many at most.

        Returns:
            What their headers say of them, and when the files were written to.

        Raises:
            SessionError: when a file cannot be opened.

        Complexity: linear in the number of files; only headers are read, up to the end of the page.
        """
        from message_history.storage.sessions.folder import sessions  # noqa: PLC0415 - as above

        try:
            return list(sessions(folder, owner, label, after, limit))
        except OSError as error:
            raise as_session_error(Path(folder), error) from error

    def delete(self) -> bool:
        """Delete the session: its file, the backups of it, its turn and its lock, and a link to it.

        Returns:
            False when there was none.

        Raises:
            SessionLockedError: when another process is not done in time.
            SessionError: when a file cannot be deleted, or is not a session.

        Complexity: linear in the file, which is read first, so that no other file is deleted.
        """
        with self._mutex, self._locked():
            self._held = None
            held, _ = read_session_file(self._path, self._policy)
            self._refuse_foreign(held)
            # The file itself at the end: after a crash it can be deleted again.
            file = file_of(self._path)
            kept = [*backups_of(file), self._turn_file]
            remove([*kept, file, self._path], sync=self._fsync != "never")
            self._report = LoadReport(missing=True)
            remove_lock(file)
            return held.stamp is not None or bool(kept[:-1])

    def _now(self) -> float:
        return self._clock()

    @property
    def _turn_file(self) -> Path:
        file = file_of(self._path)
        return file.with_name(f"{file.name}.turn")

    def _holder(self) -> tuple[str, str, float]:
        """Return who has the turn, with what token and until when; the lock is held."""
        try:
            worker, token, until = json.loads(content(self._turn_file, SHORT))
            return str(worker), str(token), float(until)
        except (FileNotFoundError, ValueError, TypeError):
            return "", "", 0.0

    def _hold(self, worker: str, token: str, until: End) -> None:
        with self._mutex, self._locked():
            now, (holder, _, ends) = self._now(), self._holder()
            if ends > now:
                raise refused_turn(self._path, holder, ends)
            held = json.dumps([worker, token, end_of(until, now)]).encode()
            replace(self._turn_file, [held], sync=False)

    def _release(self, token: str) -> None:
        with self._mutex, self._locked():
            if self._holder()[1] == token:
                self._turn_file.unlink()

    def _is_forgetting(self) -> bool:
        try:
            return forgetting_file(self._path).exists()
        except OSError as error:
            raise as_session_error(self._path, error) from error

    def _current(self) -> Held:
        """Return what is in the file, without damage, if it is what this session knows; the lock is held."""
        if self._held is not None and stamp_of(self._path) != self._held.stamp:
            raise self._conflict()
        if self._held is not None and self._held.sound:
            return self._held
        held, self._report = self._repaired()
        self._log_report()
        # A file that nobody has loaded counts as unread until something is written to it.
        if self._held is not None:
            self._held = held
        return held

    def _other(self, held: Held) -> SessionConflictError:
        there = f"it holds another history, of {len(held.history)} messages"
        return SessionConflictError(f"{self._path}: {there}; load it, or save over it")

    def _conflict(self, _: object = None) -> SessionConflictError:
        return SessionConflictError(f"{self._path}: somebody else has written to it; load it again")

    def _repaired(self) -> tuple[Held, LoadReport]:
        held, report = read_session_file(self._path, self._policy)
        self._refuse_foreign(held)
        if held.later:
            return held, evolve(report, problem=_LATER)
        if held.sound:
            return held, report
        backup = back_up(self._path, sync=self._fsync != "never")
        return self._rewritten(held.history, held), evolve(report, backup=backup)

    def _rewritten(self, history: MessageHistory, held: Held) -> Held:
        if held.later:
            raise SessionError(f"{self._path}: a later version wrote it; it is not changed")
        sync = self._fsync != "never"
        sizes: list[int] = []
        lines = _bounded(whole_lines(history, held.about), sizes)
        stamp = replace(self._path, lines, sync=sync)
        return Held(history, stamp, last_size=sizes[-1], live=sum(sizes), about=held.about, final=_final(history))

    def _appended(self, history: MessageHistory, held: Held, new: Growth) -> Held:
        # Only the last line's `standing` counts: what was in an earlier one, and final once loaded, is recorded again.
        lines = list(_bounded(new_lines(history, new._replace(repair=held.final))))
        # If this fails, what is in the file must be read again.
        self._held = None
        stamp = append(self._path, b"".join(lines), sync=self._fsync == "always")
        size = len(lines[len(history) - 1 - new.message]) if new.message < len(history) else held.last_size
        replaced = held.last_size if new.message < len(held.history) else 0
        live = held.live - replaced + sum(map(len, lines))
        return Held(history, stamp, last_size=size, live=live, about=held.about, final=_final(history))

    def _refuse_foreign(self, held: Held) -> None:
        if not held.own:
            raise SessionError(
                f"{self._path}: it holds no session of this library, and nothing was changed; read it with "
                "message_history.from_file, and keep the session in a file of its own"
            )

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the lock; what the system says meanwhile becomes our own error."""
        try:
            with locked(self._path, self._timeout, self._locks):
                yield
        except OSError as error:
            raise as_session_error(self._path, error) from error

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._locked():
            if self._turn is not None and self._holder()[1] != self._turn:
                raise lost_turn(self._path)
            if self._is_forgetting():
                finish(self._path)
            yield

    def _log_report(self) -> None:
        if not (self._report.clean or self._report.missing):
            logger.warning("%s: %s", self._path, self._report)


def _final(history: MessageHistory) -> int:
    return len(context_of(conversation_of(history)).repairs)


def _is_wasteful(size: int, live: int) -> bool:
    return size - live > max(WASTE, size // 2)


def _bounded(lines: Iterable[bytes], sizes: list[int] | None = None) -> Iterator[bytes]:
    """Refuse to write a line that would not be read again; note the sizes."""
    for line in lines:
        if len(line) > MAX_LINE:
            raise SessionError(f"a message of {len(line):,} bytes cannot be saved: the limit is {MAX_LINE:,}")
        if sizes is not None:
            sizes.append(len(line))
        yield line
