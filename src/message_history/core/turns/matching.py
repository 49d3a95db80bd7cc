"""Rule 5: which call a result is for, and what it says compared with what is there, for `rules.RESULTS` to judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, final

from attrs import evolve

from message_history.core.turns.drafts import lowest
from message_history.core.turns.naming import Names, Place
from message_history.core.turns.past import is_quoted_at, news_of, records_of
from message_history.core.turns.rules import (
    AnswerStatus,
    CallState,
    Comparison,
    is_same_result,
    may_move,
    state_of_reason,
)
from message_history.core.turns.stub_results import reason_of

if TYPE_CHECKING:
    from message_history.core.messages.blocks import ToolResultBlock, ToolUseBlock
    from message_history.core.turns.conversation import Context
    from message_history.core.turns.drafts import AssistantDraft, UserDraft
    from message_history.core.turns.past import Turn
    from message_history.core.values.log import Log
    from message_history.core.values.meta import Mark


class Match(NamedTuple):
    """What a result was found to be for; see `rules.RESULTS`."""

    status: AnswerStatus
    comparison: Comparison  # of the result with what is there for its call
    result: ToolResultBlock  # the result, with its call's id where the call is known
    call: ToolUseBlock | None = None  # the call, which knows its place, if there is one
    position: int = -1  # the position of a waiting call in its turn
    before: Mark | None = None  # what was recorded last of a call of a settled turn


@final
class Search:
    """The search for the call of one result."""

    __slots__ = ("_answers", "_assistant", "_names", "_past", "_user")

    def __init__(
        self,
        past: Log[Turn],
        assistant: AssistantDraft,
        user: UserDraft | None,
        context: Context,
        answers: ToolUseBlock | None,
    ) -> None:
        self._past = past
        self._assistant = assistant
        self._names = Names(past, assistant, user, context)
        self._user = self._names.user  # the user message of the open turn, if there is one yet
        self._answers = answers  # the call that the result is for, as a history gave it, where that is known

    def match(self, block: ToolResultBlock) -> Match:
        if self._answers is not None:
            place = self._names.find(self._answers)
            return self._match_at(block, place) if place is not None else _unknown(block)
        named = self._assistant.named(block.tool_use_id)
        waiting = ((1 << len(self._assistant.calls)) - 1) & ~self._user.answered & ~self._names.with_news()
        if block.tool_use_id == "" and waiting.bit_count() == 1:
            return self._match_waiting(block, lowest(waiting))
        if named & waiting:
            return self._match_waiting(block, lowest(named & waiting))
        if named and self._repeats(block, named):
            return Match(AnswerStatus.ANSWERED, Comparison.SAME, block)
        return self._match_by_id(block, Place(len(self._past), lowest(named)) if named else None)

    def _match_waiting(self, block: ToolResultBlock, position: int) -> Match:
        answer = self._user.latest(position)
        if not block.is_stub:
            comparison = Comparison.DIFFERENT
        elif answer is None:
            comparison = Comparison.STUB
        else:
            moves = may_move(state_of_reason(reason_of(answer.result)), state_of_reason(reason_of(block)))
            comparison = Comparison.MOVE if moves else Comparison.SAME
        return Match(AnswerStatus.WAITING, comparison, block, self._assistant.calls[position], position)

    def _match_by_id(self, block: ToolResultBlock, answered: Place | None) -> Match:
        """Find the call of a result of a list that no call of the open turn waits for; one there may have the id."""
        record = records_of(self._past, block.tool_use_id)
        if record is None and answered is None:
            return _unknown(block)
        if block.is_stub:
            return Match(AnswerStatus.SETTLED, Comparison.STUB, block)
        late = self._names.oldest(block.tool_use_id) if record is not None and record.stubs else None
        settled = self._names.find(late) if late is not None else None
        if settled is not None and self._names.state_at(settled) is not CallState.ANSWERED:
            return self._match_at(block, settled)
        last = record.call if record is not None else None
        place = answered if answered is not None else Place(*last)  # type: ignore[misc]  # one of the two is there
        return self._match_at(block, place)

    def _match_at(self, block: ToolResultBlock, place: Place) -> Match:
        if place.turn < len(self._past) or self._names.with_news() >> place.number & 1:
            return self._match_settled(block, place)
        if not self._user.answered >> place.number & 1:
            return self._match_waiting(block, place.number)
        return self._match_answered(block, place, AnswerStatus.ANSWERED)

    def _match_settled(self, block: ToolResultBlock, place: Place) -> Match:
        call, state = self._names.call_at(place), self._names.state_at(place)
        block = evolve(block, tool_use_id=call.id)
        if block.is_stub:
            moves = may_move(state, state_of_reason(reason_of(block)))
            status = AnswerStatus.STUBBED if moves else AnswerStatus.SETTLED
            before = self._names.mark_at(place)
            return Match(status, Comparison.MOVE if moves else Comparison.STUB, block, call, before=before)
        if state is not CallState.ANSWERED:
            return Match(AnswerStatus.STUBBED, Comparison.DIFFERENT, block, call, before=self._names.mark_at(place))
        return self._match_answered(block, place, AnswerStatus.SETTLED)

    def _match_answered(self, block: ToolResultBlock, place: Place, status: AnswerStatus) -> Match:
        call, result = self._names.call_at(place), self._names.result_at(place)
        same = block.is_stub or (result is not None and is_same_result(result, block)) or self._is_quoted(block, call)
        return Match(status, Comparison.SAME if same else Comparison.DIFFERENT, block, call)

    def _repeats(self, block: ToolResultBlock, named: int) -> bool:
        """Return whether a result says nothing that the results of its calls in the open turn do not say."""
        while named:
            answer = self._user.latest(lowest(named))
            if answer is not None and is_same_result(answer.result, block):
                return True
            named &= named - 1
        return False

    def _is_quoted(self, block: ToolResultBlock, call: ToolUseBlock) -> bool:
        """Return whether the last quote of a call's results says the same."""
        here, there = self._user.news_of(call.key).quote, news_of(self._past, call.key).quote
        if here is not None:
            return is_quoted_at(self._user.rest, here[1], block)
        user = self._past[there[0]][1] if there is not None else None
        return user is not None and there is not None and is_quoted_at(user.content, there[1], block)


def _unknown(block: ToolResultBlock) -> Match:
    return Match(AnswerStatus.UNKNOWN, Comparison.DIFFERENT, block)
