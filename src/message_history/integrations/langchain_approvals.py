"""LangChain and LangGraph: interrupts of `HumanInTheLoopMiddleware`, and a history that keeps what was decided.

history = read_interrupts(history, result["__interrupt__"])
history = history.record_call(call, "approved")
agent.invoke(Command(resume=resume_value(history, interrupts)), config)

Interrupts of both modes are read: one for all calls of a turn (`batched`), and one for each call (`per_call`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from message_history.core.turns.rules import CallState
from message_history.integrations.decisions import ask, decide, is_denied, record_of, undecided_error

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from message_history.core.turns.calls import CallRecord
    from message_history.history import MessageHistory

__all__ = ["read_decisions", "read_interrupts", "resume_value"]


class _Interrupt(Protocol):
    """An interrupt of LangGraph."""

    @property
    def id(self) -> str: ...

    @property
    def value(self) -> Any: ...


def read_interrupts(history: MessageHistory, interrupts: Iterable[_Interrupt]) -> MessageHistory:
    """Record that the calls of interrupts wait for a person.

    Args:
        history: the history, read from the agent's messages.
        interrupts: the interrupts of the run; those of other middleware are passed over.

    Returns:
        A new history.

    Raises:
        ValueError: for a request whose call is not in the history.

    Complexity: linear in the history, for each call.
    """
    return ask(history, (id for interrupt in interrupts for id in _calls_of(history, interrupt)))


def resume_value(
    history: MessageHistory, interrupts: Iterable[_Interrupt], *, edits: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    """Return what to resume a run with, for `Command(resume=...)`.

    Args:
        history: the history that the decisions were recorded in.
        interrupts: the interrupts of the run.
        edits: by the id of an approved call, the action to take instead: `{"name": ..., "args": {...}}`.

    Returns:
        The answer to each interrupt, by its id: `approve`, `edit`, `reject` with the reason, and `respond` for a call
        that has a result already.

    Raises:
        ValueError: when a call is not decided, or not in the history; or when it was started, as the agent would run
            it again.

    Complexity: linear in the history, for each call.
    """
    answers: dict[str, Any] = {}
    for interrupt in interrupts:
        records = [record_of(history, id) for id in _calls_of(history, interrupt)]
        decisions = [_decision(record, edits or {}) for record in records]
        undecided = [record for record, decision in zip(records, decisions, strict=True) if not decision]
        if undecided:
            raise undecided_error(undecided)
        if _is_single(interrupt.value):
            answers[interrupt.id] = decisions[0]
        elif records:
            answers[interrupt.id] = {"decisions": decisions}
    return answers


def read_decisions(
    history: MessageHistory, interrupts: Iterable[_Interrupt], resume: Mapping[str, Any]
) -> MessageHistory:
    """Record the decisions that a run was resumed with.

    Args:
        history: the history.
        interrupts: the interrupts of the run.
        resume: the decisions, as for `Command(resume=...)`: by interrupt, or of the only one.

    Returns:
        A new history. A call that was edited is approved; what ran instead is in its result, as the middleware says.

    Raises:
        CallStateError: when a call may not be decided any more.
        ValueError: for a request whose call is not in the history.

    Complexity: linear in the history, for each call.
    """
    for interrupt in interrupts:
        answer = resume.get(interrupt.id, resume)
        decisions = [answer] if _is_single(interrupt.value) else answer.get("decisions") or []
        for id, decision in zip(_calls_of(history, interrupt), decisions, strict=False):
            if decision["type"] == "respond":
                history = history.add_tool_result(record_of(history, id).call, decision["message"])
            else:
                approved = decision["type"] in ("approve", "edit")
                history = decide(history, id, approved=approved, reason=decision.get("message", ""))
    return history


def _is_single(value: object) -> bool:
    """Return whether an interrupt asks for one call, which it names."""
    return isinstance(value, dict) and value.get("type") == "tool_approval"


def _calls_of(history: MessageHistory, interrupt: _Interrupt) -> list[str]:
    """Find the calls of an interrupt: it names one, or it lists actions in the order of the calls of a turn."""
    value = interrupt.value
    if _is_single(value):
        return [record_of(history, value["tool_call_id"]).call.id]
    requests = value.get("action_requests") if isinstance(value, dict) else None
    if not isinstance(requests, list):
        return []
    turn = max((record.position for record in history.calls), default=0)
    calls = iter(history.calls.where(turn=turn))
    found = [_next(calls, request) for request in requests]
    missing: Sequence[Any] = [request["name"] for request, id in zip(requests, found, strict=True) if id is None]
    if missing:
        raise ValueError(f"interrupts must belong to the last calls of the history; it has none for {missing}")
    return [id for id in found if id is not None]


def _next(calls: Iterable[CallRecord], request: Mapping[str, Any]) -> str | None:
    for record in calls:
        if record.call.name == request["name"] and record.call.input == request["args"]:
            return record.call.id
    return None


def _decision(record: CallRecord, edits: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the decision on a call; an empty dict if there is no decision."""
    if record.state is CallState.ANSWERED and record.result is not None:
        return {"type": "respond", "message": record.result.text}
    denied = is_denied(record)
    if denied is None:
        return {}
    if denied:
        return {"type": "reject", "message": record.detail} if record.detail else {"type": "reject"}
    edited = edits.get(record.call.id)
    return {"type": "edit", "edited_action": dict(edited)} if edited is not None else {"type": "approve"}
