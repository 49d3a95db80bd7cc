"""Record what became of a call (rule 14)."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from message_history.core.messages.message import make_message
from message_history.core.messages.repairs import UnknownCallError
from message_history.core.turns.calls import find_calls
from message_history.core.turns.conversation import messages_in, parts_of
from message_history.core.turns.rules import MOVES, REASONS, CallState, moves_of
from message_history.core.turns.step import step
from message_history.core.turns.stub_results import make_stub

if TYPE_CHECKING:
    from message_history.core.messages.blocks import ToolUseBlock
    from message_history.core.turns.calls import CallRecord, Calls
    from message_history.core.turns.conversation import Conversation


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


def record_state(conversation: Conversation, call: ToolUseBlock | str, state: CallState, detail: str) -> Conversation:
    """Record that a call is in another state.

    `detail` is the reason that a person gave for denying it. In the open turn a stub says the state, else news in the
    open user message. Raises `CallStateError` when the state may not follow the one that the call is in.
    """
    calls = find_calls(conversation)
    record = _record_of(calls, call)
    if state not in REASONS or state not in moves_of(record.state, record.call.approval):
        raise CallStateError(record.call, record.state, state)
    past, (_, user), context = parts_of(conversation)
    stub = make_stub(record.call, context.policy, REASONS[state], detail, record.key)
    if user is None and record.position == messages_in(past):
        # Nothing was recorded in this turn: its other calls have not run yet.
        stubs = [
            stub if each.call is record.call else make_stub(each.call, context.policy, "proposed", key=each.key)
            for each in calls.where(turn=record.position)
        ]
        return step(conversation, make_message("user", tuple(stubs)))
    return step(conversation, make_message("user", (stub,)), answers=record.call)


def _record_of(calls: Calls, call: ToolUseBlock | str) -> CallRecord:
    """Find a call by its turn and id, or by its id: in the newest turn with it, else the oldest that is not settled."""
    if not isinstance(call, str):
        found = [each for each in calls if each.call.id == call.id and call.turn in (None, each.position)]
        if found:
            return found[-1]
    id = call if isinstance(call, str) else call.id
    named = [each for each in calls if each.call.id == id]
    if not named:
        raise UnknownCallError(id, [each.call.id for each in calls.unsettled()])
    unsettled = [each for each in named if MOVES[each.state]]
    return named[-1] if named[-1] in unsettled or not unsettled else unsettled[0]
