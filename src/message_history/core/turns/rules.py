"""The rules of a history, and the only file that decides them.

Rule 1.  The user leads. A placeholder user message goes before an assistant message that comes first; with
         `Policy(leading_assistant="drop")` the assistant message is dropped instead. A window that would begin with a
         system message gets the placeholder too. (`TABLE`, `placeholder`)
Rule 2.  A history is a chain of turns: an assistant message and the user message after it; the first turn has only the
         user message (U, then A U, A U, ...). Only the last turn is open. It settles when the assistant continues after
         a user message, and never changes again. (`TABLE`)
Rule 3.  Messages of one role that follow each other are joined, block by block. Parallel calls that arrive in pieces
         are calls of one turn. (`TABLE`)
Rule 4.  The user message of a turn with calls starts with one result per call, in call order. While the turn is open, a
         call without a result has a stub as soon as the user message exists; a real result replaces the stub.
Rule 5.  A call gets a key when it arrives, made from the conversation's name and the call's position, id, name and
         input. Its stubs, states, quotes and late results have that key, and none is ever given to another call. The
         table `NAMES` says which call a name means, the table `RESULTS` what happens to its result. A late or second
         result is quoted as text in the open user message, so what was sent never changes. (`naming.py` searches)
Rule 6.  Ids must be unique within one turn only. A call that repeats an id of its turn is dropped when its name and
         input are equal too, else it gets a numbered id. A call without an id gets one from its position. A result
         without an id answers the waiting call of the open turn, if there is only one (in a list, see rule 11).
Rule 7.  Blank text, a call without an input, and in a truncated reply a call with an unreadable input are dropped. A
         call without a name is named `unknown_tool`. Calls in user messages are dropped: whoever writes the user's text
         must not be able to call tools. Results and system messages in assistant messages go to the user message.
         (`is_nothing`, `fault_of_call`, `arrival_of`, `TABLE`)
Rule 8.  System messages before the first message become the system prompt. Later ones stay where they are, in the user
         message. (`TABLE`)
Rule 9.  Whatever is removed, moved or added is recorded, by the operation that does it; a stub is recorded when its
         turn settles or is sent. Moves and quotes are lossless, stubs and placeholders synthetic, and what is dropped
         is lossy, even if it only repeats (`repairs.py`). With `Policy(on_violation="raise")`, an operation that would
         need more than lossless repairs raises and changes nothing. (`enforce`)
Rule 10. A signature of thinking covers what came before it. Thinking after a change (a repair of a list, a window,
         another system prompt, a reply that was sent before something else was added) is invalidated: it is kept, and
         not sent to models that verify it. (`behind_change`)
Rule 11. In `from_list` (not in `add` or `extend`), each result first moves to the call with its id that has no answer:
         the one in its turn, else the oldest before it, else the first after it. A call in a user message moves to the
         assistant if it has a result and no assistant message makes it. A call with a result is kept even if its input
         is missing (then `{}`) or unreadable: its tool has run. In a turn with as many results of unknown ids as
         unanswered calls, they pair in order. Nothing else is moved. (`pairing.py` searches)
Rule 12. What is sent has a stub for each call of the open turn that has no result. Where the receiver refuses a list
         that ends with the assistant, a marked user message that says to go on follows. Sending settles nothing.
         (`needs_continuation`, `continuation`)
Rule 13. On request, calls without a real result are removed together with their stubs, unless a person has denied them
         or left them to their provider. Replies in which the model refused are removed together with what they
         answered. (`is_unanswered`, and `rewrites.py`)
Rule 14. Every call has a state. A recorded state replaces the call's stub by one with a reason; in a settled turn it is
         a marked text in the open user message. `MOVES` says which state may follow which; a result may follow any. A
         state recorded before the user message exists says that the turn's other calls have not run yet. A call waits
         for approval from the start if its provider asks a person. One that the provider runs cannot be started here,
         only decided. (`moves_of`, `is_settled`)
Rule 15. What a provider said of a reply (id, model, stop reason, usage) stays with the assistant message that the reply
         became or was joined to. It is not part of the message's value, and is not sent to any provider.
Rule 16. A reply answers what is sent (rule 12), so calls without a result settle with the stubs that were sent for
         them. A reply whose whole content is in the open turn is that reply again, and adds nothing; with another id,
         or other input tokens, it is a new one. A piece of a reply that has not ended is joined to it, and a longer
         form of a reply replaces it. Replies to one version are one message. (`may_be_again`, `replying.py`)
Rule 17. On request, what was said is forgotten; a repair says that it was, and never what. Calls and results keep their
         ids and tools, messages their roles and blocks, and the places are marked. Thinking after it is invalidated
         (rule 10). A changed call has another key: a key is a digest of the call as it was proposed. (`forgetting/`)

`step.py` adds one message by these rules: a message that needs no repair as a whole, every other block by block.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, Never, final

from message_history.core.messages.blocks import (
    NO_INPUT,
    SystemBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    is_blank,
)
from message_history.core.messages.message import Message, Role, bootstrap_message, make_message
from message_history.core.messages.repairs import InvariantError, Repair, RepairCode, Severity
from message_history.core.messages.thinking import invalidate_thinking
from message_history.core.turns.drafts import count_of_calls
from message_history.core.values.meta import Mark, Meta

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence, Sized

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.policy import Policy
    from message_history.core.messages.replies import ReplyInfo
    from message_history.core.turns.drafts import OpenTurn
    from message_history.core.values.meta import Runner

UNKNOWN_TOOL: Final = "unknown_tool"


# Rules 1, 2, 3, 7 and 8: what is done with a block that arrives


@final
class State(StrEnum):
    """The state of a history: which role has the last message."""

    EMPTY = "empty"
    USER = "user"
    ASSISTANT = "assistant"
    CALLING = "calling"
    """The last message is the assistant's, and the turn has calls."""


@final
class Arrival(StrEnum):
    """The kind of a block that arrives."""

    SYSTEM = "system message"
    USER_CONTENT = "user content"
    RESULT = "result"
    USER_CALL = "call in a user message"
    ASSISTANT_CONTENT = "assistant content"
    CALL = "call"


@final
class Action(StrEnum):
    """What is done with a block."""

    LIFT = "lift to the system prompt"
    ADD_TO_USER = "add to the user message"
    MATCH = "find its call, see `RESULTS`"
    DROP = "drop"
    LEAD = "add a leading user message, or drop"
    ADD_TO_ASSISTANT = "add to the assistant message"
    NEXT_TURN = "settle the turn, begin the next"


class Row(NamedTuple):
    """One row of `TABLE`."""

    action: Action
    # The states that this may lead to. `step` does not read it: it is an assertion for the reader and the drawing, and
    # a test holds it.
    asserted: tuple[State, ...]


TABLE: Final[dict[tuple[State, Arrival], Row]] = {
    (State.EMPTY, Arrival.SYSTEM): Row(Action.LIFT, (State.EMPTY,)),
    (State.EMPTY, Arrival.USER_CONTENT): Row(Action.ADD_TO_USER, (State.USER,)),
    (State.EMPTY, Arrival.RESULT): Row(Action.MATCH, (State.EMPTY,)),
    (State.EMPTY, Arrival.USER_CALL): Row(Action.DROP, (State.EMPTY,)),
    (State.EMPTY, Arrival.ASSISTANT_CONTENT): Row(Action.LEAD, (State.ASSISTANT, State.EMPTY)),
    (State.EMPTY, Arrival.CALL): Row(Action.LEAD, (State.CALLING, State.EMPTY)),
    (State.USER, Arrival.SYSTEM): Row(Action.ADD_TO_USER, (State.USER,)),
    (State.USER, Arrival.USER_CONTENT): Row(Action.ADD_TO_USER, (State.USER,)),
    (State.USER, Arrival.RESULT): Row(Action.MATCH, (State.USER,)),
    (State.USER, Arrival.USER_CALL): Row(Action.DROP, (State.USER,)),
    (State.USER, Arrival.ASSISTANT_CONTENT): Row(Action.NEXT_TURN, (State.ASSISTANT,)),
    (State.USER, Arrival.CALL): Row(Action.NEXT_TURN, (State.CALLING,)),
    (State.ASSISTANT, Arrival.SYSTEM): Row(Action.ADD_TO_USER, (State.USER,)),
    (State.ASSISTANT, Arrival.USER_CONTENT): Row(Action.ADD_TO_USER, (State.USER,)),
    (State.ASSISTANT, Arrival.RESULT): Row(Action.MATCH, (State.USER, State.ASSISTANT)),
    (State.ASSISTANT, Arrival.USER_CALL): Row(Action.DROP, (State.ASSISTANT,)),
    (State.ASSISTANT, Arrival.ASSISTANT_CONTENT): Row(Action.ADD_TO_ASSISTANT, (State.ASSISTANT,)),
    (State.ASSISTANT, Arrival.CALL): Row(Action.ADD_TO_ASSISTANT, (State.CALLING,)),
    (State.CALLING, Arrival.SYSTEM): Row(Action.ADD_TO_USER, (State.USER,)),
    (State.CALLING, Arrival.USER_CONTENT): Row(Action.ADD_TO_USER, (State.USER,)),
    (State.CALLING, Arrival.RESULT): Row(Action.MATCH, (State.USER, State.CALLING)),
    (State.CALLING, Arrival.USER_CALL): Row(Action.DROP, (State.CALLING,)),
    (State.CALLING, Arrival.ASSISTANT_CONTENT): Row(Action.ADD_TO_ASSISTANT, (State.CALLING,)),
    (State.CALLING, Arrival.CALL): Row(Action.ADD_TO_ASSISTANT, (State.CALLING,)),
}


def state_of(turn: OpenTurn) -> State:
    """Return the state of a history with this open turn."""
    assistant, user = turn
    if user is not None:
        return State.USER
    if assistant is None:
        return State.EMPTY
    return State.CALLING if count_of_calls(assistant) else State.ASSISTANT


def arrival_of(role: Role, block: Block) -> Arrival:
    """Return the kind of a block in a message of a role."""
    if isinstance(block, ToolResultBlock):
        return Arrival.RESULT
    if isinstance(block, SystemBlock):
        return Arrival.SYSTEM
    if isinstance(block, ToolUseBlock):
        return Arrival.CALL if role == "assistant" else Arrival.USER_CALL
    return Arrival.ASSISTANT_CONTENT if role == "assistant" else Arrival.USER_CONTENT


def placeholder(policy: Policy) -> Block:
    """Rule 1: return the marked text of the user message that leads when the list has no other."""
    return bootstrap_message(policy.bootstrap_text).content[0]


def is_nothing(block: Block) -> bool:
    """Rule 7: return whether a block is blank text; text that carries a signature is not blank."""
    if not isinstance(block, TextBlock | SystemBlock):
        return False
    return is_blank(block.text) and not (isinstance(block, TextBlock) and block.signature is not None)


def fault_of_call(call: ToolUseBlock, *, truncated: bool) -> RepairCode | None:
    """Rule 7: return why a call of the assistant is dropped, or None."""
    if call.frozen_input is NO_INPUT:
        return RepairCode.CALL_WITHOUT_INPUT_DROPPED
    return RepairCode.INCOMPLETE_CALL_DROPPED if truncated and not call.readable else None


# Rule 5: what becomes of a result


@final
class AnswerStatus(StrEnum):
    """What there is already for the call that a result is for."""

    WAITING = "waits"
    """In the open turn, without a result; it may have a stub."""
    ANSWERED = "answered"
    """In the open turn, with a result."""
    STUBBED = "settled with a stub"
    """In a settled turn, with a stub, and without a late result; or in the open turn, when a raw list that
    `MessageHistory.follow` follows was sent with a stub for it at the end."""
    SETTLED = "settled"
    """In a settled turn, with a result, or with a stub and a late result."""
    IN_PLACE = "unknown; another waits in its place"
    """There is no such call; in a list, the result is in the place of another call's: see `status_of_unknown`."""
    UNKNOWN = "unknown"
    """There is no such call."""


@final
class Comparison(StrEnum):
    """A result, compared with what there is already for its call."""

    STUB = "stub"
    """Nothing: it is a stub, and no stub was recorded for the call before."""
    MOVE = "new state"
    """That the call goes to a state which may follow its own by `MOVES`: it is a stub that replaces another."""
    SAME = "same"
    """Nothing new: an equal result, or a stub for a state that may not follow."""
    DIFFERENT = "different"
    """What it is: a real result that is not equal."""


@final
class Outcome(StrEnum):
    """What happens to a result."""

    ANSWER = "it is the call's result"
    REPAIR_ID = "it gets the id of the call that waits, and is its result"
    HOLD_PLACE = "it holds the place until a result arrives"
    ADD_NEWS = "news of the state in the open user message"
    QUOTE_LATE = "quoted as a late result"
    QUOTE_SECOND = "quoted as a second result"
    DROP_DUPLICATE = "dropped: nothing new"
    DROP_ORPHAN = "dropped: no call"


NAMES: Final = {
    "a key": "the call that has it, wherever it is by now",
    "a call that a history gave": "that call, by its key; none where it was cut away",
    "a call made by hand": "the call of its turn with its id; else as an id, among those with its name and input",
    "an id that a person or a program gives": "the one call with it that is not settled; several raise; else the last",
    "the id of a result in a list": "the first call of the open turn with it that waits; else the oldest that settled "
    "with a stub, and one that must not run last; else the last",
    "the place of a result that was put into a list": "the call that it answers in the whole list",
}
"""What each kind of name of a call finds."""

# Complete on purpose: what the search never finds, as a new state of an answered call, has its row too. A stub whose
# call is found by its id, and has settled, is `SETTLED` and `STUB`.
RESULTS: Final[dict[tuple[AnswerStatus, Comparison], Outcome]] = {
    (AnswerStatus.WAITING, Comparison.STUB): Outcome.HOLD_PLACE,
    (AnswerStatus.WAITING, Comparison.MOVE): Outcome.HOLD_PLACE,
    (AnswerStatus.WAITING, Comparison.SAME): Outcome.DROP_DUPLICATE,
    (AnswerStatus.WAITING, Comparison.DIFFERENT): Outcome.ANSWER,
    (AnswerStatus.ANSWERED, Comparison.STUB): Outcome.DROP_DUPLICATE,
    (AnswerStatus.ANSWERED, Comparison.MOVE): Outcome.DROP_DUPLICATE,
    (AnswerStatus.ANSWERED, Comparison.SAME): Outcome.DROP_DUPLICATE,
    (AnswerStatus.ANSWERED, Comparison.DIFFERENT): Outcome.QUOTE_SECOND,
    (AnswerStatus.STUBBED, Comparison.STUB): Outcome.DROP_DUPLICATE,
    (AnswerStatus.STUBBED, Comparison.MOVE): Outcome.ADD_NEWS,
    (AnswerStatus.STUBBED, Comparison.SAME): Outcome.DROP_DUPLICATE,
    (AnswerStatus.STUBBED, Comparison.DIFFERENT): Outcome.QUOTE_LATE,
    (AnswerStatus.SETTLED, Comparison.STUB): Outcome.DROP_DUPLICATE,
    (AnswerStatus.SETTLED, Comparison.MOVE): Outcome.DROP_DUPLICATE,
    (AnswerStatus.SETTLED, Comparison.SAME): Outcome.DROP_DUPLICATE,
    (AnswerStatus.SETTLED, Comparison.DIFFERENT): Outcome.QUOTE_SECOND,
    (AnswerStatus.IN_PLACE, Comparison.STUB): Outcome.DROP_ORPHAN,
    (AnswerStatus.IN_PLACE, Comparison.MOVE): Outcome.DROP_ORPHAN,
    (AnswerStatus.IN_PLACE, Comparison.SAME): Outcome.DROP_ORPHAN,
    (AnswerStatus.IN_PLACE, Comparison.DIFFERENT): Outcome.REPAIR_ID,
    (AnswerStatus.UNKNOWN, Comparison.STUB): Outcome.DROP_ORPHAN,
    (AnswerStatus.UNKNOWN, Comparison.MOVE): Outcome.DROP_ORPHAN,
    (AnswerStatus.UNKNOWN, Comparison.SAME): Outcome.DROP_ORPHAN,
    (AnswerStatus.UNKNOWN, Comparison.DIFFERENT): Outcome.DROP_ORPHAN,
}


def is_same_result(left: ToolResultBlock, right: ToolResultBlock) -> bool:
    """Return whether two results say the same."""
    return left.is_error == right.is_error and left.content == right.content


# Rule 14: the states of a call


@final
class CallState(StrEnum):
    """What became of a call."""

    PROPOSED = "proposed"
    """The model made the call; it has not run."""
    WAITING = "waiting"
    """It waits for a person's approval; it has not run."""
    APPROVED = "approved"
    """It may run, and has not started."""
    DENIED = "denied"
    """It must not run, and has not."""
    CANCELLED = "cancelled"
    """It was cancelled before it started; it has not run and will not."""
    STARTED = "started"
    """It was started, and no result is recorded: it may have taken effect."""
    ANSWERED = "answered"
    """Its result is in the history."""
    UNKNOWN = "unknown"
    """It has no result, and nobody recorded whether it ran: it may have taken effect."""

    @classmethod
    def _missing_(cls, value: object) -> Never:
        raise ValueError(f"state must be one of {', '.join(cls)}, not {value!r:.40}")


_DECISIONS: Final = (CallState.APPROVED, CallState.DENIED, CallState.CANCELLED)
MOVES: Final[dict[CallState, tuple[CallState, ...]]] = {
    CallState.PROPOSED: (CallState.WAITING, *_DECISIONS, CallState.STARTED),
    CallState.WAITING: _DECISIONS,
    CallState.APPROVED: (CallState.STARTED, CallState.DENIED, CallState.CANCELLED),
    CallState.DENIED: (),
    CallState.CANCELLED: (),
    # Somebody checked whether it took effect, or repeats it with the same idempotency key.
    CallState.STARTED: (CallState.APPROVED, CallState.STARTED),
    CallState.ANSWERED: (),
    CallState.UNKNOWN: (CallState.WAITING, *_DECISIONS, CallState.STARTED),
}
"""From each state, those that may be recorded next. `ANSWERED` is reached by a result, from any state; `PROPOSED` by a
call, `UNKNOWN` by a stub that nobody recorded."""

REASONS: Final[dict[CallState, str]] = {
    CallState.PROPOSED: "proposed",
    CallState.WAITING: "pending",
    CallState.APPROVED: "approved",
    CallState.DENIED: "denied",
    CallState.CANCELLED: "cancelled",
    CallState.STARTED: "started",
}
"""The reason of the stub for each state."""

_STATES: Final = {reason: state for state, reason in REASONS.items()}


def state_of_reason(reason: str) -> CallState:
    """Return the state of a call whose stub has a reason."""
    return _STATES.get(reason, CallState.UNKNOWN)


def moves_of(state: CallState, runner: Runner = "") -> tuple[CallState, ...]:
    """Return the states that may be recorded for a call; `runner` runs it once it is approved."""
    moves = MOVES[state]
    return moves if runner != "provider" else tuple(move for move in moves if move is not CallState.STARTED)


def is_settled(state: CallState, runner: Runner = "") -> bool:
    """Return whether a call in a state waits for nothing more; one that its provider runs is settled once approved."""
    return not MOVES[state] or (runner == "provider" and state is CallState.APPROVED)


def may_move(state: CallState, following: CallState) -> bool:
    """Return whether a state may follow another."""
    return following in MOVES[state]


# Rules 9 to 13


def enforce(policy: Policy, repairs: Sequence[Repair]) -> None:
    """Rule 9: raise `InvariantError` for repairs that the policy does not allow."""
    if policy.on_violation == "raise":
        violations = [repair for repair in repairs if repair.severity is not Severity.LOSSLESS]
        if violations:
            raise InvariantError(violations)


def behind_change(message: Message) -> Message:
    """Rule 10: return a message as it is when something before it has changed."""
    return invalidate_thinking(message)


def is_doubtful(call: ToolUseBlock, *, truncated: bool) -> bool:
    """Rule 11: return whether a call is kept only if it has a result."""
    return fault_of_call(call, truncated=truncated) is not None


def may_be_rehomed(call: ToolUseBlock, results: Collection[str], made: Collection[str]) -> bool:
    """Rule 11: return whether a call in a user message is the assistant's; `results` has the ids that no call has."""
    return call.id in results and call.id not in made


def status_of_unknown(waiting: Sized, unknown: Sized) -> AnswerStatus:
    """Rule 11: return whether results whose ids no call has are in their calls' places: a turn has as many of both."""
    return AnswerStatus.IN_PLACE if len(waiting) == len(unknown) else AnswerStatus.UNKNOWN


def needs_continuation(assistant: Message | None, user: object, may_end: Callable[[Message], bool]) -> bool:
    """Rule 12: return whether a user message must follow before a history is sent.

    Args:
        assistant: the assistant message of the open turn.
        user: its user message, with its stubs.
        may_end: says whether the receiver accepts a list that ends with an assistant message.
    """
    return assistant is not None and user is None and not may_end(assistant)


def continuation(policy: Policy) -> Message:
    """Rule 12: return the user message that says to go on, in marked text."""
    return _continuation(policy.continuation_text)


@lru_cache(maxsize=8)
def _continuation(text: str) -> Message:
    return make_message("user", (TextBlock(text, meta=Meta(mark=Mark(kind="continuation"))),))


def is_unanswered(call: ToolUseBlock, state: CallState) -> bool:
    """Rule 13: return whether a call is removed on request: it has no real result, and no decision is its result."""
    # A person has denied the call, or approved one that its provider runs.
    is_decided = state is CallState.DENIED or (state is CallState.APPROVED and is_settled(state, call.approval))
    return not is_decided and state is not CallState.ANSWERED


# Rule 16


def may_be_again(known: Sequence[ReplyInfo], info: ReplyInfo | None) -> bool:
    """Rule 16: return whether a reply may be one that is there already, by what the provider said of both."""
    if info is None or (info.id is None and not known):
        return True
    return any(info.id in (None, reply.id) and _may_have_one_input(reply, info) for reply in known)


def _may_have_one_input(left: ReplyInfo, right: ReplyInfo) -> bool:
    """Return whether two replies may answer one request: servers that give all replies one id count its tokens."""
    usages = left.usage, right.usage
    return None in usages or len({usage.input_tokens for usage in usages if usage is not None}) == 1


def is_piece(known: Sequence[ReplyInfo], info: ReplyInfo | None) -> bool:
    """Rule 16: return whether a reply goes on from the last one, which has not ended."""
    if not known or info is None or info.id is None:
        return False
    return known[-1].id == info.id and not known[-1].has_ended
