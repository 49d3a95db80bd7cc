"""Record what became of a call (rule 14)."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from attrs import evolve

from message_history.core.messages.message import make_message
from message_history.core.turns.conversation import parts_of
from message_history.core.turns.drafts import count_of_calls
from message_history.core.turns.naming import Names, Place, the_place
from message_history.core.turns.rules import REASONS, CallState, moves_of
from message_history.core.turns.step import step
from message_history.core.turns.stub_results import make_stub, says_more

if TYPE_CHECKING:
    from message_history.core.messages.blocks import ToolUseBlock
    from message_history.core.turns.conversation import Conversation
    from message_history.core.values.meta import Decision


@final
class CallStateError(ValueError):
    """A state was recorded for a call that may not follow the one that it is in; nothing has changed.

    Args:
        call: the call.
        state: the state that it is in.
        following: the state that was to be recorded.
    """

    def __init__(self, call: ToolUseBlock, state: CallState, following: CallState) -> None:
        allowed = ", ".join(map(str, moves_of(state, call.approval))) or "nothing, as that is final"
        super().__init__(
            f"state: the call {call.id!r:.80} of {call.name!r:.80} is {state}, and may not become {following}: "
            f"what may follow is {allowed}"
            + ("; add a result with add_tool_result" if following is CallState.ANSWERED else "")
        )
        self.call, self.state, self.following = call, state, following

    def __reduce__(self) -> tuple[type[CallStateError], tuple[ToolUseBlock, CallState, CallState]]:
        return CallStateError, (self.call, self.state, self.following)


def record_state(
    conversation: Conversation, call: ToolUseBlock | str, state: CallState, decision: Decision
) -> Conversation:
    """Record that a call is in another state; see `MessageHistory.record_call`.

    Complexity: linear in the open turn; else logarithmic in the conversation.
    """
    names = Names.of(conversation)
    place = the_place(names, call)
    meant, standing = names.call_at(place), names.state_at(place)
    if state not in REASONS or state not in moves_of(standing, meant.approval):
        raise CallStateError(meant, standing, state)
    past, (assistant, user), context = parts_of(conversation)
    decision = evolve(decision, state=REASONS[state])
    decisions = (decision,) if says_more(decision) else ()
    stub = make_stub(meant, context.policy, REASONS[state], decision.reason, meant.key, decisions=decisions)
    if user is None and count_of_calls(assistant):
        # Nothing was recorded in this turn: its other calls have not run yet.
        places = [Place(len(past), number) for number in range(count_of_calls(assistant))]
        others = {each: make_stub(names.call_at(each), context.policy, "proposed") for each in places}
        if place in others:
            return step(conversation, make_message("user", tuple({**others, place: stub}.values())))
        conversation = step(conversation, make_message("user", tuple(others.values())))
    return step(conversation, make_message("user", (stub,)), answers=meant)
