"""Record what became of a call (rule 14)."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from attrs import evolve

from message_history.core.messages.message import make_message
from message_history.core.turns.calls import readable_time
from message_history.core.turns.conversation import parts_of
from message_history.core.turns.drafts import count_of_calls
from message_history.core.turns.naming import Names, Place, the_place
from message_history.core.turns.rules import REASONS, CallState, moves_of
from message_history.core.turns.step import step
from message_history.core.turns.stub_results import make_stub, says_more

if TYPE_CHECKING:
    from message_history.core.messages.blocks import ToolUseBlock
    from message_history.core.turns.calls import CallRecord
    from message_history.core.turns.conversation import Conversation
    from message_history.core.values.meta import Decision


@final
class CallStateError(ValueError):
    """A state was recorded for a call that may not follow the one that it is in; nothing has changed.

    Args:
        call: the call.
        state: the state that it is in.
        following: the state that was to be recorded.
        record: the call as a session found it that was to claim it, with the worker that holds it and the end.
    """

    def __init__(
        self, call: ToolUseBlock, state: CallState, following: CallState, record: CallRecord | None = None
    ) -> None:
        allowed = ", ".join(map(str, moves_of(state, call.approval))) or "nothing, as that is final"
        why = f"and may not become {following}: what may follow is {allowed}"
        why += "; add a result with add_tool_result" if following is CallState.ANSWERED else ""
        why = _held(record) if record is not None else why
        super().__init__(f"state: the call {call.id!r:.80} of {call.name!r:.80} is {state}, {why}")
        self.call, self.state, self.following, self.record = call, state, following, record

    def __reduce__(self) -> tuple[type[CallStateError], tuple[object, ...]]:
        return CallStateError, (self.call, self.state, self.following, self.record)


def _held(record: CallRecord) -> str:
    """Say who holds a call that may not be claimed, and until when."""
    who = f"{record.by!r:.80}" if record.by else "a worker"
    end = f"until {readable_time(record.until)}" if record.until is not None else "without an end"
    if record.state is CallState.STARTED:
        return f"and {who} holds it {end}: wait for its result"
    held = f"as {who} held it {end}, and no result came" if record.decisions else "as nobody recorded whether it ran"
    return f"{held}: ask the tool for its key, then add the result, or claim it with asked=error.record"


def record_state(
    conversation: Conversation, call: ToolUseBlock | str, state: CallState, decision: Decision
) -> Conversation:
    """Record that a call is in another state; see `MessageHistory.record_call`.

    Complexity: linear in the open turn; else logarithmic in the conversation; linear for a key of an older result.
    """
    names = Names.of(conversation)
    place = the_place(names, call)
    meant, standing = names.call_at(place), names.state_at(place)
    if state not in REASONS or state not in moves_of(standing, meant.approval):
        raise CallStateError(meant, standing, state)
    past, (assistant, user), context = parts_of(conversation)
    decision = evolve(decision, state=REASONS[state])
    decisions = (decision,) if says_more(decision) else ()
    detail = decision.reason if state is CallState.DENIED else ""
    stub = make_stub(meant, context.policy, REASONS[state], detail, meant.key, decisions=decisions)
    if user is None and count_of_calls(assistant):
        # Nothing was recorded in this turn: its other calls have not run yet.
        places = [Place(len(past), number) for number in range(count_of_calls(assistant))]
        others = {each: make_stub(names.call_at(each), context.policy, "proposed") for each in places}
        if place in others:
            return step(conversation, make_message("user", tuple({**others, place: stub}.values())))
        conversation = step(conversation, make_message("user", tuple(others.values())))
    return step(conversation, make_message("user", (stub,)), answers=meant)
