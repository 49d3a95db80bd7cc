"""What frameworks ask a person and what was decided, as the states of calls; shared by the files for each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from message_history.core.messages.repairs import UnknownCallError
from message_history.core.turns.rules import CallState

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history.core.turns.calls import CallRecord
    from message_history.history import MessageHistory


def record_of(history: MessageHistory, id: str) -> CallRecord:
    """Find the newest call with an id. Raises `UnknownCallError` when no call has it."""
    found = [record for record in history.calls if record.call.id == id]
    if not found:
        raise UnknownCallError(id, [record.call.id for record in history.calls.unsettled()])
    return found[-1]


def ask(history: MessageHistory, ids: Iterable[str]) -> MessageHistory:
    """Record that calls wait for a person; those for which more is recorded stay as they are.

    Raises `UnknownCallError` for a call that is not in the history.
    """
    for id in ids:
        record = record_of(history, id)
        if record.state in (CallState.PROPOSED, CallState.UNKNOWN):
            history = history.record_call(record.call, CallState.WAITING)
    return history


def decide(history: MessageHistory, id: str, *, approved: bool, reason: str = "") -> MessageHistory:
    """Record what a person decided; what is recorded already is not recorded again.

    `reason` is what the person gave for denying it. Raises `CallStateError` when the call may not be approved or denied
    any more. Raises `UnknownCallError` for a call that is not in the history.
    """
    record = record_of(history, id)
    state = CallState.APPROVED if approved else CallState.DENIED
    if record.state is state:
        return history
    return history.record_call(record.call, state, reason="" if approved else reason)


def is_denied(record: CallRecord) -> bool | None:
    """Return whether a call must not run; None where nobody knows.

    A call that was started may have taken effect: a framework that got it back as approved would run it again.
    """
    if record.state in (CallState.DENIED, CallState.CANCELLED):
        return True
    return False if record.state is CallState.APPROVED else None


def undecided_error(records: Iterable[CallRecord]) -> ValueError:
    """Return the error for calls that nobody has decided; one that was started is unknown."""
    calls = ", ".join(f"{record.call.id!r:.80} of {record.call.name!r:.80} is {_state(record)}" for record in records)
    return ValueError(f"not every call is decided: {calls}; record `approved` or `denied`, or add its result, for each")


def _state(record: CallRecord) -> str:
    if record.state is not CallState.STARTED:
        return str(record.state)
    return "unknown (it was started and may have taken effect: ask the tool before it runs again)"
