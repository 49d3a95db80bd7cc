"""Rule 5: which call a result is for, and what it says compared with what is there.

What becomes of the result is for `rules.RESULTS` to say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, final

from attrs import evolve

from message_history.core.turns.conversation import make_conversation
from message_history.core.turns.drafts import AssistantDraft, is_alike, lowest
from message_history.core.turns.past import IdRecord, is_quoted_at, records_of
from message_history.core.turns.rules import CallState, Says, Standing, is_same_result, may_move, state_of_reason
from message_history.core.turns.stub_results import reason_of

if TYPE_CHECKING:
    from message_history.core.messages.blocks import ToolResultBlock, ToolUseBlock
    from message_history.core.turns.conversation import Context
    from message_history.core.turns.drafts import UserDraft
    from message_history.core.turns.past import Turn
    from message_history.core.values.log import Log


class Match(NamedTuple):
    """What a result was found to be for; see `rules.RESULTS`.

    Args:
        says: what it says, compared with what is there.
        result: the result, with its call's id where the call is known.
        position: the position of a waiting call in its turn; of a settled one, of its message.
    """

    standing: Standing
    says: Says
    result: ToolResultBlock
    call: ToolUseBlock | None = None
    position: int = -1


@final
class Search:
    """The search for the call of one result.

    Args:
        answers: the call that the result is for, with its turn, where that is known.
    """

    __slots__ = ("_answers", "_assistant", "_context", "_past", "_user")

    def __init__(
        self,
        past: Log[Turn],
        assistant: AssistantDraft,
        user: UserDraft,
        context: Context,
        answers: ToolUseBlock | None,
    ) -> None:
        self._past = past
        self._assistant = assistant
        self._user = user
        self._context = context
        self._answers = answers

    def match(self, block: ToolResultBlock) -> Match:
        known = None
        if self._answers is not None:
            settled = self._settled_place(self._answers)
            if settled is not None:
                return self._match_settled(block, *settled)
            known = self._assistant.place_of(self._answers)
        named = self._assistant.named(block.tool_use_id) if known is None else 1 << known
        waiting = ((1 << len(self._assistant.calls)) - 1) & ~self._user.answered
        if block.tool_use_id == "" and waiting.bit_count() == 1:
            return self._match_waiting(block, lowest(waiting))
        if named & waiting:
            return self._match_waiting(block, lowest(named & waiting))
        if named and self._repeats(block, named):
            return Match(Standing.ANSWERED, Says.SAME, block)
        return self._match_by_id(block, self._assistant.calls[lowest(named)] if named else None)

    def _match_waiting(self, block: ToolResultBlock, position: int) -> Match:
        standing = self._user.latest(position)
        if not block.is_stub:
            says = Says.DIFFERENT
        elif standing is None:
            says = Says.STUB
        else:
            moves = may_move(state_of_reason(reason_of(standing.result)), state_of_reason(reason_of(block)))
            says = Says.MOVE if moves else Says.SAME
        return Match(Standing.WAITING, says, block, self._assistant.calls[position], position)

    def _match_by_id(self, block: ToolResultBlock, answered: ToolUseBlock | None) -> Match:
        """Find the call of a result that no call of the open turn waits for.

        `answered` is a call that has its id, and another result.
        """
        record = records_of(self._past, block.tool_use_id)
        if record is None:
            if answered is None:
                return Match(Standing.UNKNOWN, Says.DIFFERENT, block)
            record = IdRecord()
        if block.is_stub:
            return Match(Standing.SETTLED, Says.STUB, block)
        late = self._count_of_late(record, block)
        if late < len(record.stubs):
            where = record.stubs[late]
            return Match(Standing.STUBBED, Says.DIFFERENT, block, self._settled_call(where), 2 * where[0] - 1)
        same = self._is_quoted_here(block) or (answered is None and self._is_recorded_before(block, record))
        says = Says.SAME if same else Says.DIFFERENT
        if answered is not None:
            return Match(Standing.ANSWERED, says, block, answered)
        return Match(Standing.SETTLED, says, block, self._settled_call(record.call))

    def _match_settled(self, block: ToolResultBlock, turn: int, position: int, call: ToolUseBlock) -> Match:
        """Compare a result with what stands for its call, which is known and settled."""
        user = self._past[turn][1]
        block = evolve(block, tool_use_id=call.id)
        standing = user.results[position] if user is not None else block
        if block.is_stub:
            state = self._settled_state(turn, position)
            if state is CallState.ANSWERED or not may_move(state, state_of_reason(reason_of(block))):
                return Match(Standing.SETTLED, Says.STUB, block, call)
            return Match(Standing.STUBBED, Says.MOVE, block, call, 2 * turn - 1)
        if standing.is_stub:
            record = records_of(self._past, block.tool_use_id) or IdRecord()
            if not self._is_made_good(record, block, turn, position):
                return Match(Standing.STUBBED, Says.DIFFERENT, block, call, 2 * turn - 1)
            same = self._is_quoted_here(block) or self._is_recorded_before(block, record)
            return Match(Standing.SETTLED, Says.SAME if same else Says.DIFFERENT, block, call)
        if is_same_result(standing, block):
            return Match(Standing.SETTLED, Says.SAME, block, call)
        return self._match_by_id(block, call)

    def _settled_place(self, call: ToolUseBlock) -> tuple[int, int, ToolUseBlock] | None:
        """Find the settled turn in which a call stands, its position there, and the call as it stands."""
        turn = (call.turn + 1) // 2 if call.turn is not None else 0
        assistant = self._past[turn][0] if 0 < turn < len(self._past) else None
        if assistant is None:
            return None
        place = assistant.ids.index(call.id) if call.id in assistant.ids else None
        if place is None or not is_alike(assistant.calls[place], call):
            # The turn may have been put behind another, or whoever gives the result has changed the input.
            moved = AssistantDraft.of(assistant).place_of(call)
            place = moved if moved is not None or self._assistant.place_of(call) is not None else place
        return (turn, place, assistant.calls[place]) if place is not None else None

    def _settled_state(self, turn: int, position: int) -> CallState:
        """Return the state of a call of a settled turn, with the news of the open turn."""
        from message_history.core.turns.calls import state_of_settled  # noqa: PLC0415 - few results are late

        conversation = make_conversation(self._past, (self._assistant, self._user), self._context)
        return state_of_settled(conversation, turn, position)

    def _is_made_good(self, record: IdRecord, block: ToolResultBlock, turn: int, position: int) -> bool:
        """Return whether a late result stands for a call of a settled turn that settled with a stub."""
        late = self._count_of_late(record, block)
        if len(record.stubs) == 1 or late == 0:
            return late > 0
        # Which of the calls with this id the late results are for, only their marks say.
        return self._settled_state(turn, position) is CallState.ANSWERED

    def _settled_call(self, where: tuple[int, int] | None) -> ToolUseBlock | None:
        assistant = self._past[where[0]][0] if where is not None else None
        return assistant.calls[where[1]] if assistant is not None and where is not None else None

    def _count_of_late(self, record: IdRecord, block: ToolResultBlock) -> int:
        """Count the late results that were quoted for a result's id."""
        return record.late + self._user.quoted(block.tool_use_id)[0]

    def _repeats(self, block: ToolResultBlock, named: int) -> bool:
        """Return whether a result says nothing that the results of its calls in the open turn do not say."""
        if block.is_stub:
            return True
        while named:
            standing = self._user.latest(lowest(named))
            if standing is not None and is_same_result(standing.result, block):
                return True
            named &= named - 1
        return False

    def _is_quoted_here(self, block: ToolResultBlock) -> bool:
        """Return whether the open turn's last quote for a result's id says the same."""
        _, where = self._user.quoted(block.tool_use_id)
        return where is not None and is_quoted_at(self._user.rest, where, block)

    def _is_recorded_before(self, block: ToolResultBlock, record: IdRecord) -> bool:
        """Return whether the last settled call with a result's id, or the last settled quote for it, says the same."""
        if record.call is not None:
            user = self._past[record.call[0]][1]
            if user is not None and is_same_result(user.results[record.call[1]], block):
                return True
        if record.quote is None:
            return False
        user = self._past[record.quote[0]][1]
        return user is not None and is_quoted_at(user.content, record.quote[1], block)
