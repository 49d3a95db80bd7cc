"""Several workers and one conversation: who runs a call, whose turn it is, and what waits.

Whether an end has passed says the clock of the session, which for a database is its own: never that of a worker.
"""

from __future__ import annotations

from contextlib import contextmanager, nullcontext, suppress
from datetime import datetime, timedelta
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

from attrs import evolve, frozen

from message_history.core.messages.blocks import ToolUseBlock, keyed_call
from message_history.core.turns.calls import readable_time, seconds
from message_history.core.turns.naming import Names, the_place
from message_history.core.turns.rules import CallState
from message_history.core.turns.states import CallStateError
from message_history.files.errors import SessionConflictError, SessionError, SessionLockedError, refuse_to_shorten
from message_history.files.saved import goes_on, growth
from message_history.history import conversation_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from threading import RLock

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.core.turns.calls import CallRecord
    from message_history.files.saved import Growth
    from message_history.history import MessageHistory

End: TypeAlias = "float | datetime | timedelta"
"""An end: a span of time from now on, by the session's clock, or a time."""
ATTEMPTS: Final = 20
"""How often a claim is tried again while somebody else writes to the session; each time the call is looked up again."""


@final
@frozen(kw_only=True)
class WaitingCall:
    """A call of a stored session that waits for somebody.

    Args:
        session: the session's name, or the path of its file.
        key: the call's key, for `claim` and `record_call`.
        call_id: its id.
        name: the tool.
        state: `waiting`, `approved` or `started`; `unknown` when it was started until a time that has passed.
        by: who decided last, or which worker holds it.
        until: until when, in seconds since 1970; None when nobody said.
    """

    session: str
    key: str
    call_id: str
    name: str
    state: CallState
    by: str = ""
    until: float | None = None


WAITS = (CallState.WAITING, CallState.APPROVED, CallState.STARTED, CallState.UNKNOWN)


def waiting_call(session: str, each: CallRecord, state: CallState) -> WaitingCall:
    """Return a call that waits, as it is listed."""
    call = each.call
    return WaitingCall(
        session=session, key=each.key, call_id=call.id, name=call.name, state=state, by=each.by, until=each.until
    )


def is_waiting(record: CallRecord) -> bool:
    """Return whether a call waits for somebody, and that was recorded."""
    is_done = record.state is CallState.APPROVED and record.call.approval == "provider"
    return record.state in WAITS[:3] and not is_done


def states_of(states: tuple[CallState | str, ...]) -> tuple[CallState, ...]:
    """Return the states that are asked for; all in which a call waits, if none is."""
    return tuple(map(CallState, states)) or WAITS


def by_end(call: WaitingCall) -> tuple[bool, float, str, str]:
    return call.until is None, call.until or 0.0, call.session, call.key


def state_at(record: CallRecord, now: float) -> CallState:
    """Return the state of a call at a time: one that was started until then is unknown."""
    lapsed = record.state is CallState.STARTED and record.until is not None and record.until <= now
    return CallState.UNKNOWN if lapsed else record.state


def end_of(until: End, now: float) -> float:
    """Return an end in seconds since 1970; a span of time begins now."""
    end = now + until.total_seconds() if isinstance(until, timedelta) else seconds("until", until)
    if end is None or end <= now:
        raise ValueError(f"until must be a timedelta, or a time after {readable_time(now)}, not {until!s:.80}")
    return end


def start_of(older_than: End, now: float) -> float:
    """Return a time that is over in seconds since 1970; a span of time ends now."""
    if isinstance(older_than, timedelta):
        time: float | None = now - older_than.total_seconds()
    else:
        time = seconds("older_than", older_than)
    if time is None or time > now:
        raise ValueError(
            f"older_than must be a timedelta, or a time before {readable_time(now)}, not {older_than!s:.80}"
        )
    return time


def check_worker(worker: str) -> None:
    if not isinstance(worker, str):
        raise TypeError(f"worker must be a str, not {type(worker).__name__}: {worker!r:.80}")
    if not worker.strip():
        raise ValueError(f"worker must name who asks, such as the host and the process, not {worker!r:.80}")


@final
@frozen
class Turn:
    """A turn of a conversation that one worker has to itself.

    Args:
        history: the history as it was loaded.
    """

    history: MessageHistory

    def answer(self, id: str) -> Message | None:
        """Return the message that answers what the user wrote under an id; None when nothing does yet."""
        position = self._position(id)
        answers = () if position is None else self.history[position + 1 : position + 2]
        return answers[0] if answers else None

    def add_user(self, content: str | Block | list[Block], *, id: str) -> MessageHistory:
        """Return the history with what the user writes, once: an id that is there already adds nothing.

        Args:
            content: see `MessageHistory.add_user`.
            id: the client's name for the message, the same when it sends it again; kept in its `arrivals`.
        """
        if self._position(id) is not None:
            return self.history
        return self.history.add_user(content, metadata={"id": id})

    def _position(self, id: str) -> int | None:
        if not id:
            raise ValueError(f"id must be the client's name for the message, not {id!r:.80}")
        for position in range(len(self.history) - 1, -1, -1):
            message = self.history[position]
            if message.role == "user" and any(each.metadata.get("id") == id for each in message.arrivals):
                return position
        return None


class SharedSession:
    """What workers that share a conversation ask of its session."""

    _turn: str | None = None

    if TYPE_CHECKING:
        _mutex: RLock
        _held: Any
        _named: object

        def load(self) -> MessageHistory: ...
        def _current(self) -> Any: ...
        def _replace(self, held: Any, history: MessageHistory) -> None: ...
        def _put(self, held: Any, history: MessageHistory, found: Growth | None) -> None: ...
        def _other(self, held: Any) -> SessionConflictError: ...
        def _conflict(self, held: Any) -> SessionConflictError: ...
        def _now(self) -> float: ...
        def _hold(self, worker: str, token: str, until: End) -> None: ...
        def _release(self, token: str) -> None: ...

    def update(self, change: Callable[[MessageHistory], MessageHistory], *, attempts: int = 5) -> MessageHistory:
        """Load, change and append, and do so again when somebody else has written meanwhile.

        Args:
            change: takes the loaded history and returns the one to be appended; it may be called several times.
            attempts: how often to try.

        Returns:
            The history that was appended.

        Raises:
            SessionConflictError: when somebody else was faster each time.
            SessionError: see `append`.

        Complexity: that of `load`, `change` and `append`, for each attempt.
        """
        for left in reversed(range(attempts)):
            loaded = self.load()
            history = change(loaded)
            try:
                self._append(history, loaded)
            except SessionConflictError:
                if not left:
                    raise
            else:
                return history
        raise ValueError(f"attempts must be 1 or more, not {attempts!r:.80}")

    def save(self, history: MessageHistory) -> None:
        """Replace what is saved, or the turns of it that were loaded, with a history, at one stroke.

        A file that loses stored messages by that, or whose messages change, is kept as it was, as `NAME.bak`. Rows of
        a database that do not count any more stay until `drop_old_rows`.

        Args:
            history: the history.

        Raises:
            SessionConflictError: when somebody else has written to the session since this one read or wrote it.
            SessionLockedError: when another writer is not done in time.
            SessionError: when the file or the database cannot be written to; then it is as it was.

        Complexity: linear in the history.
        """
        with self._mutex, self._writing():
            self._replace(self._current(), history)

    def append(self, history: MessageHistory) -> None:
        """Save what is new in a history.

        A history that goes on from what is saved costs one line or row for each new message, and one for the last
        message if that has grown. With another system prompt a file is written anew.

        Args:
            history: what `load` gave or what was saved last, with all that was added to it.

        Raises:
            NotAContinuationError: when stored messages are missing or other: append the whole history and send a
                window of it, or replace what is stored with `save`.
            SessionConflictError: when somebody else has written to the session since this one read or wrote it, or
                when this one has not read it and it holds another history.
            SessionLockedError: when another writer is not done in time.
            SessionError: when the file or the database cannot be written to; then it is as it was.

        Complexity: linear in what is new, unless the history was changed before its last message.
        """
        self._append(history, None)

    def _append(self, history: MessageHistory, since: MessageHistory | None) -> None:
        """Append; threads and tasks may share a session, so what one loaded may not be what is saved now."""
        with self._mutex, self._writing():
            unread = self._held is None
            held = self._current()
            if since is not None and held.history != since:
                raise self._conflict(held)
            found = growth(held.history, history)
            if unread and found is None and held.history:
                raise self._other(held)
            if found is None and not goes_on(held.history, history):
                raise refuse_to_shorten(self._named, len(held.history))
            self._put(held, history, found)

    def _writing(self) -> AbstractContextManager[None]:
        """Hold the session while something is written to it; a database holds itself."""
        return nullcontext()

    def claim(
        self,
        call: ToolUseBlock | str | None = None,
        *,
        key: str | None = None,
        worker: str,
        until: End,
        asked: CallRecord | None = None,
    ) -> CallRecord:
        """Start a call as the only worker: record and save `started`, or be refused.

        Run the tool with the record's `input` and `key`, then add its result with `update`.

        Args:
            call: the call, as in `record_call`.
            key: its key, instead of `call`.
            worker: who runs it: a name that no other worker has.
            until: the end of the claim: a `timedelta` from now on, by the session's clock, or a time. Let it be later
                than the tool can possibly end.
            asked: for a call that is unknown: the `record` of the error that said so, by a worker who has found out
                since that the tool did not run. It holds as long as nobody has recorded more of the call.

        Returns:
            The call, started by this worker.

        Raises:
            CallStateError: when another worker holds the call, which it names with the end; when the call is unknown,
                as a claim has lapsed without a result; or when it may not be started. Its `record` is the call.
            AmbiguousCallError: for an id that could mean several calls.
            UnknownCallError: for a call that is not in the session.
            SessionError: see `append`.

        Complexity: that of `load`.
        """
        check_worker(worker)
        meant = keyed_call(key) if call is None and key is not None else call
        if not isinstance(meant, ToolUseBlock | str):
            raise TypeError(f"call must be a ToolUseBlock or an id, not {type(meant).__name__}: {meant!r:.80}")
        found = ""

        def start(history: MessageHistory) -> MessageHistory:
            nonlocal found
            names, now = Names.of(conversation_of(history)), self._now()
            record = history.calls[found := names.call_at(the_place(names, meant)).key]
            record = evolve(record, state=state_at(record, now))
            if record.state is CallState.STARTED or (record.state is CallState.UNKNOWN and not _is_it(record, asked)):
                raise CallStateError(record.call, record.state, CallState.STARTED, record)
            return history.record_call(record.call, CallState.STARTED, by=worker, at=now, until=end_of(until, now))

        return self.update(start, attempts=ATTEMPTS).calls[found]

    @contextmanager
    def turn(self, worker: str, *, until: End) -> Iterator[Turn]:
        """Have the conversation for one worker, for one request: `with session.turn("web 1", until=...) as turn:`.

        Others who ask for the turn are refused at once. What this session appends meanwhile is stored only while it
        has the turn. Store the user's words together with the reply, in one `append`: then a request that fails
        leaves nothing, and can be sent again.

        Args:
            worker: who asks.
            until: when the turn ends if nobody gives it back, as the process was killed; see `claim`.

        Returns:
            A context manager that gives a `Turn`, with the history loaded.

        Raises:
            SessionLockedError: when another worker has the turn; its `worker` and `until` say who, and until when.
            SessionError: see `load`.

        Complexity: that of `load`.
        """
        token = token_hex(16)
        try:
            yield self._begin(worker, token, until)
        finally:
            self._end(token)

    def _begin(self, worker: str, token: str, until: End) -> Turn:
        check_worker(worker)
        self._hold(worker, token, until)
        self._turn = token
        return Turn(self.load())

    def _end(self, token: str) -> None:
        if self._turn == token:
            self._turn = None
        # What cannot be given back ends by itself.
        with suppress(SessionError):
            self._release(token)


def _is_it(record: CallRecord, asked: CallRecord | None) -> bool:
    """Return whether an unknown call is as it was when somebody asked the outside about it."""
    known = (record.key, CallState.UNKNOWN, record.decisions)
    return asked is not None and (asked.key, asked.state, asked.decisions) == known


def refused_turn(what: object, worker: str, until: float) -> SessionLockedError:
    problem = f"{what}: {worker!r:.80} has the turn until {readable_time(until)}; try again when it is over"
    return SessionLockedError(problem, worker=worker, until=until)


def lost_turn(what: object) -> SessionLockedError:
    """Return the error for what was to be stored by a worker that has the turn no more."""
    return SessionLockedError(f"{what}: the turn has ended, and another worker took it; nothing was written")
