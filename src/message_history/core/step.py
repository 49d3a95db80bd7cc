"""One message on its way into a conversation, by the rules in `rules.py`.

`step` adds a message that needs no repair as a whole, and every other block by block through the tables of the rules.
It never looks at the whole conversation: only at the open turn, and by id at the calls of the settled turns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, final

from attrs import evolve

from message_history.core.blocks import (
    Block,
    SystemBlock,
    ToolResultBlock,
    ToolUseBlock,
    is_blank,
    tool_result_block,
    with_meta,
)
from message_history.core.calls import state_of_settled
from message_history.core.conversation import (
    Context,
    Conversation,
    make_conversation,
    messages_in,
    parts_of,
)
from message_history.core.drafts import (
    AssistantDraft,
    OpenTurn,
    UserDraft,
    approved_result,
    assistant_message,
    count_of_calls,
    free_id,
    is_alike,
    lowest,
    reason_of,
    stub_repair,
    user_message,
    with_id,
)
from message_history.core.json_values import freeze
from message_history.core.log import put
from message_history.core.message import CLEAN_ASSISTANT, CLEAN_USER, Message, Role
from message_history.core.past import IdRecord, is_quoted_at, news_of_state, quote, records_of
from message_history.core.repairs import Repair, RepairCode, in_words
from message_history.core.replies import as_json
from message_history.core.rules import (
    REASONS,
    RESULTS,
    TABLE,
    UNKNOWN_TOOL,
    Action,
    CallState,
    Outcome,
    Says,
    Standing,
    arrival_of,
    enforce,
    fault_of_call,
    is_nothing,
    is_same_result,
    known_stub,
    may_move,
    placeholder,
    state_of,
    state_of_reason,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.core.past import Turn
    from message_history.core.repairs import Removed
    from message_history.core.replies import ReplyInfo

__all__ = ["advance", "step"]


def step(
    conversation: Conversation,
    message: Message,
    *,
    interrupted: bool = False,
    answers: ToolUseBlock | None = None,
    sources: tuple[int | None, int | None] = (None, None),
) -> Conversation:
    """Add one message to a conversation.

    Args:
        conversation: the conversation.
        message: the message that arrives.
        interrupted: True for a truncated reply.
        answers: the call that the results of the message are for, with its turn, where that is known.
        sources: the entries of the raw list that the message and the calls of the open turn came from.

    Returns:
        The conversation with the message; its context is another one if anything had to be repaired.

    Raises:
        InvariantError: see `rules.enforce`.

    Complexity: linear in the message; logarithmic in the history for a result that answers no call of the open turn.
    """
    last, turns, assistant, user, context = conversation
    if not interrupted and answers is None:
        # A message that needs no repair moves as a whole into a turn without drafts; `TABLE` would do the same.
        shape = message.shape
        if shape == CLEAN_ASSISTANT:
            if type(user) is Message:
                turn: Turn = (assistant, user)  # type: ignore[assignment]  # beside a message is a message or nothing
                return put(last, turns, turn), turns + 1, message, None, context
        elif shape == CLEAN_USER and user is None:
            if type(assistant) is Message:
                if message.ids == assistant.ids:
                    return last, turns, assistant, message, context
            elif assistant is None and not message.ids:
                return last, turns, None, message, context
    transition = Transition(conversation, answers=answers, interrupted=interrupted, sources=sources)
    transition.apply(message)
    return transition.conversation()


def advance(conversation: Conversation, messages: Sequence[Message], start: int = 0) -> tuple[Conversation, int]:
    """Add messages as long as none needs a repair and every turn is complete.

    Args:
        conversation: the conversation.
        messages: the messages that arrive.
        start: the position of the first of them that is added.

    Returns:
        The conversation with these messages, and the position of the first that was not added.

    Complexity: linear in the messages.
    """
    past, (assistant, user), context = parts_of(conversation)
    settled: list[Turn] = []
    position = start
    if isinstance(assistant, AssistantDraft) or isinstance(user, UserDraft):
        return conversation, start
    # Each message moves as a whole, as in `step`.
    for position in range(start, len(messages)):
        message = messages[position]
        shape = message.shape
        if shape == CLEAN_ASSISTANT and user is not None:
            settled.append((assistant, user))
            assistant, user = message, None
        elif shape == CLEAN_USER and user is None and message.ids == (assistant.ids if assistant is not None else ()):
            user = message
        else:
            break
    else:
        position = len(messages)
    if position == start:
        return conversation, start
    return make_conversation(past.extend(settled), (assistant, user), context), position


class Match(NamedTuple):
    """What a result was found to be for; see `rules.RESULTS`.

    Args:
        standing: how its call stands.
        says: what it says, compared with what is there.
        result: the result, with its call's id where the call is known.
        call: the call, if there is one.
        position: the position of a waiting call in its turn; of a settled one, of its message.
    """

    standing: Standing
    says: Says
    result: ToolResultBlock
    call: ToolUseBlock | None = None
    position: int = -1


@final
class Transition:
    """One message on its way into a conversation, block by block."""

    def __init__(
        self,
        conversation: Conversation,
        *,
        answers: ToolUseBlock | None,
        interrupted: bool,
        sources: tuple[int | None, int | None],
    ) -> None:
        self.past, (self.assistant, self.user), self._context = parts_of(conversation)
        self.repairs: list[Repair] = []
        self.lifted: list[SystemBlock] = []
        self._policy = self._context.policy
        self._answers = answers
        self._interrupted = interrupted
        self._source, self._source_of_calls = sources
        self._role: Role = "user"
        # What the provider said of the replies in the message, until a block of it stands in an assistant message.
        self._replies: tuple[ReplyInfo, ...] = ()
        self._new_assistant, self._new_user = self.assistant is None, self.user is None
        self._was_complete = self._is_complete()
        # The position of the last call that this message answered, to see whether its results had to be reordered.
        self._last_answered = -1
        self._content_first = False
        self._reordered = False

    def apply(self, message: Message) -> None:
        """Add the blocks of the message, one by one."""
        self._role = message.role
        self._replies = message.replies
        if not message.content:
            self._record(RepairCode.EMPTY_MESSAGE_DROPPED, detail=f"an empty {message.role} message")
        for arrived in message.content:
            block = self._validate_block(arrived)
            if block is not None:
                state = state_of((self.assistant, self.user))
                self._do(TABLE[state, arrival_of(self._role, block)].action, block)
        if self._reordered:
            self._record(RepairCode.RESULTS_REORDERED, at=self._user_position())
        if self._replies:
            self._drop_replies()

    def _drop_replies(self) -> None:
        """Rule 15, for a reply of which nothing stands in a message of its own."""
        if self.assistant is not None and self.user is None:
            self.assistant = self._assistant_draft().with_replies(self._replies)
        else:
            removed = tuple(freeze(as_json(reply))[0] for reply in self._replies)
            self._record(RepairCode.EMPTY_MESSAGE_DROPPED, removed, detail="what the provider said of a reply")

    def conversation(self) -> Conversation:
        """Return the conversation as it is now, if the policy allows the repairs."""
        enforce(self._policy, self.repairs)
        context = self._context
        if self.repairs or self.lifted:
            system = (*context.system, *self.lifted) if self.lifted else context.system
            context = Context(self._policy, system, context.repairs.extend(self.repairs))
        return make_conversation(self.past, self._turn(), context)

    def _turn(self) -> OpenTurn:
        """Return the open turn: messages where this step began or completed them, drafts where it only added.

        Where the user's is a message, the assistant's is one too.
        """
        assistant, user = self.assistant, self.user
        if isinstance(user, Message):
            return assistant_message(assistant), user
        if isinstance(user, UserDraft) and self._is_complete() and (self._new_user or not self._was_complete):
            return assistant_message(assistant), user_message(assistant, user, self._policy)
        return assistant_message(assistant) if self._new_assistant else assistant, user

    def _validate_block(self, block: Block) -> Block | None:
        """Rule 7, for one block alone."""
        block, converted = _without_notes(block)
        if converted:
            self._record(RepairCode.VALUE_CONVERTED, detail="; ".join(converted))
        if is_nothing(block):
            self._drop(RepairCode.BLANK_TEXT_DROPPED, block)
            return None
        if isinstance(block, ToolUseBlock) and self._role == "assistant":
            return self._validate_call(block)
        return known_stub(block, self._policy) if isinstance(block, ToolResultBlock) else block

    def _validate_call(self, call: ToolUseBlock) -> ToolUseBlock | None:
        fault = fault_of_call(call, truncated=self._interrupted)
        if fault is not None:
            self._drop(fault, call, _call_text(call))
            return None
        if not is_blank(call.name):
            return call
        named = evolve(call, name=UNKNOWN_TOOL)
        self._record(RepairCode.NAME_ASSIGNED, (call,), (named,), _call_text(named))
        return named

    def _do(self, action: Action, block: Block) -> None:
        if action is Action.ADD_TO_ASSISTANT:
            self._add_to_assistant(block)
        elif action is Action.NEXT_TURN:
            self._settle()
            self._add_to_assistant(block)
        elif action is Action.LEAD:
            self._lead(block)
        elif action is Action.DROP:
            self._drop(RepairCode.INJECTED_CALL_DROPPED, block, in_words(block))
        elif isinstance(block, ToolResultBlock):
            self._add_result(block)
        elif action is Action.LIFT and isinstance(block, SystemBlock):
            self.lifted.append(block)
        else:
            self._content_first = True
            if self._role == "assistant":
                self._record(RepairCode.SYSTEM_REHOMED, at=self._user_position())
            self._add_to_user(block)

    def _lead(self, block: Block) -> None:
        """Rule 1."""
        if self._policy.leading_assistant == "drop":
            self._drop(RepairCode.LEADING_ASSISTANT_DROPPED, block)
            return
        leading = placeholder(self._policy)
        self._record(RepairCode.BOOTSTRAP_ADDED, added=(leading,), at=0)
        self._add_to_user(leading)
        self._settle()
        self._add_to_assistant(block)

    def _settle(self) -> None:
        """Rule 2: the open turn becomes the past; rule 9: its new stubs are recorded."""
        assistant, user = assistant_message(self.assistant), user_message(self.assistant, self.user, self._policy)
        if isinstance(self.user, UserDraft) and assistant is not None and user is not None:
            for position, (call, result) in enumerate(zip(assistant.calls, user.results, strict=True)):
                standing = self.user.latest(position) if result.is_stub else None
                if result.is_stub and (standing is None or standing.made):
                    self.repairs.append(stub_repair(self._user_position(), call, result, self._source_of_calls))
        self.past = self.past.append((assistant, user))
        self.assistant = self.user = None
        self._new_assistant = self._new_user = True
        self._last_answered, self._content_first = -1, False

    def _add_to_assistant(self, block: Block) -> None:
        """Rule 3, and rule 6 for calls."""
        draft = self._assistant_draft()
        if isinstance(block, ToolUseBlock):
            if block.id == "":
                id = free_id(draft, f"call_{messages_in(self.past)}", len(draft.calls))
                numbered = evolve(block, id=id)
                self._record(RepairCode.ID_ASSIGNED, (block,), (numbered,), _call_text(numbered))
                block = numbered
            same_id = draft.named(block.id)
            # A call that was renamed elsewhere may be the same as one here though its id is free.
            if (same_id or block.mark is not None) and draft.holds(block):
                self._drop(RepairCode.DUPLICATE_CALL_DROPPED, block, _call_text(block))
                return
            if same_id:
                renamed = with_id(block, free_id(draft, block.id, same_id.bit_count() + 1))
                self._record(RepairCode.DUPLICATE_ID_RENAMED, (block,), (renamed,), _call_text(renamed))
                block = renamed
        draft = draft.add(block)
        self.assistant = draft.with_replies(self._replies) if self._replies else draft
        self._replies = ()

    def _add_to_user(self, block: Block) -> None:
        """Rule 3: content stands behind the results."""
        self.user = self._user_draft().add(block)

    def _add_result(self, block: ToolResultBlock) -> None:
        """Rule 5."""
        match = self._match(block)
        outcome = RESULTS[match.standing, match.says]
        if outcome in (Outcome.ANSWER, Outcome.HOLD_PLACE):
            self._answer(block, match)
        elif outcome is Outcome.ADD_NEWS:
            self._add_news(match)
        elif outcome is Outcome.QUOTE_LATE:
            self._quote(match, "late", RepairCode.LATE_RESULT_QUOTED)
        elif outcome is Outcome.QUOTE_SECOND:
            self._quote(match, "second", RepairCode.SECOND_RESULT_QUOTED)
        elif outcome is Outcome.DROP_DUPLICATE:
            self._drop(RepairCode.DUPLICATE_RESULT_DROPPED, match.result, _result_text(match.result))
        else:
            self._drop(RepairCode.ORPHAN_RESULT_DROPPED, match.result, _result_text(match.result))

    def _match(self, block: ToolResultBlock) -> Match:
        """Rule 5: find the call of a result."""
        settled = self._settled_place(self._answers) if self._answers is not None else None
        if settled is not None:
            return self._match_settled(block, *settled)
        assistant_draft, user_draft = self._assistant_draft(), self._user_draft()
        known = assistant_draft.place_of(self._answers) if self._answers is not None else None
        named = assistant_draft.named(block.tool_use_id) if known is None else 1 << known
        waiting = ((1 << len(assistant_draft.calls)) - 1) & ~user_draft.answered
        if block.tool_use_id == "" and waiting.bit_count() == 1:
            return self._match_waiting(block, lowest(waiting))
        if named & waiting:
            return self._match_waiting(block, lowest(named & waiting))
        if named and self._repeats(block, named):
            return Match(Standing.ANSWERED, Says.SAME, block)
        return self._match_by_id(block, assistant_draft.calls[lowest(named)] if named else None)

    def _match_waiting(self, block: ToolResultBlock, position: int) -> Match:
        standing = self._user_draft().latest(position)
        if not block.is_stub:
            says = Says.DIFFERENT
        elif standing is None:
            says = Says.STUB
        else:
            moves = may_move(state_of_reason(reason_of(standing.result)), state_of_reason(reason_of(block)))
            says = Says.MOVE if moves else Says.SAME
        return Match(Standing.WAITING, says, block, self._assistant_draft().calls[position], position)

    def _match_by_id(self, block: ToolResultBlock, answered: ToolUseBlock | None) -> Match:
        """Find the call of a result that no call of the open turn waits for.

        Args:
            block: the result.
            answered: a call that has its id, and another result.
        """
        record = records_of(self.past, block.tool_use_id)
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

    def _match_settled(self, block: ToolResultBlock, turn: int, position: int) -> Match:
        """Compare a result with what stands for its call, which is known and settled."""
        call = self._settled_call((turn, position))
        user = self.past[turn][1]
        if call is not None:
            block = evolve(block, tool_use_id=call.id)
        standing = user.results[position] if user is not None else block
        if block.is_stub:
            state = self._settled_state(turn, position)
            if state is CallState.ANSWERED or not may_move(state, state_of_reason(reason_of(block))):
                return Match(Standing.SETTLED, Says.STUB, block, call)
            return Match(Standing.STUBBED, Says.MOVE, block, call, 2 * turn - 1)
        if standing.is_stub:
            record = records_of(self.past, block.tool_use_id) or IdRecord()
            made_good = self._count_of_late(record, block) >= len(record.stubs)
            same = made_good and (self._is_quoted_here(block) or self._is_recorded_before(block, record))
            return Match(Standing.STUBBED, Says.SAME if same else Says.DIFFERENT, block, call, 2 * turn - 1)
        if is_same_result(standing, block):
            return Match(Standing.SETTLED, Says.SAME, block, call)
        return self._match_by_id(block, call)

    def _answer(self, block: ToolResultBlock, match: Match) -> None:
        """Put a result or a stub in its call's place."""
        if match.call is not None and block.tool_use_id != match.call.id:
            named = tool_result_block(match.call.id, block.content, block.is_error, block.meta)
            code = RepairCode.ID_ASSIGNED if block.tool_use_id == "" else RepairCode.DUPLICATE_ID_RENAMED
            detail = f"{_result_text(block)} as {match.call.id!r}"
            self._record(code, (block,), (named,), detail, at=self._user_position())
            block = named
        standing = self._user_draft().latest(match.position)
        # A state is replaced by what follows it, which is no repair; that a list says two things of a call is one.
        recorded = standing is not None and reason_of(standing.result) in REASONS.values() and self._source is None
        if standing is not None and not standing.made and not recorded:
            code = RepairCode.STUB_REPLACED
            self._record(code, (standing.result,), (block,), _result_text(block), at=self._user_position())
        if self._role == "assistant":
            self._record(RepairCode.RESULT_REHOMED, detail=_result_text(block), at=self._user_position())
        if standing is not None and match.call is not None and match.call.approval:
            block = approved_result(block, standing.result)
        self._reordered = self._reordered or self._content_first or match.position < self._last_answered
        self._last_answered = match.position
        self.user = self._user_draft().answer(match.position, block)

    def _settled_place(self, call: ToolUseBlock) -> tuple[int, int] | None:
        """Find the settled turn in which a call stands, and its position there."""
        turn = (call.turn + 1) // 2 if call.turn is not None else 0
        assistant = self.past[turn][0] if 0 < turn < len(self.past) else None
        if assistant is None:
            return None
        place = assistant.ids.index(call.id) if call.id in assistant.ids else None
        if place is None or not is_alike(assistant.calls[place], call):
            # The turn may have been put behind another, or whoever gives the result has changed the input.
            moved = AssistantDraft.of(assistant).place_of(call)
            place = moved if moved is not None or self._assistant_draft().place_of(call) is not None else place
        return (turn, place) if place is not None else None

    def _settled_call(self, where: tuple[int, int] | None) -> ToolUseBlock | None:
        assistant = self.past[where[0]][0] if where is not None else None
        return assistant.calls[where[1]] if assistant is not None and where is not None else None

    def _count_of_late(self, record: IdRecord, block: ToolResultBlock) -> int:
        """Count the late results that were quoted for a result's id."""
        return record.late + self._user_draft().quoted(block.tool_use_id)[0]

    def _repeats(self, block: ToolResultBlock, named: int) -> bool:
        """Return whether a result says nothing that the results of its calls in the open turn do not say."""
        if block.is_stub:
            return True
        while named:
            standing = self._user_draft().latest(lowest(named))
            if standing is not None and is_same_result(standing.result, block):
                return True
            named &= named - 1
        return False

    def _is_quoted_here(self, block: ToolResultBlock) -> bool:
        """Return whether the open turn's last quote for a result's id says the same."""
        _, where = self._user_draft().quoted(block.tool_use_id)
        return where is not None and is_quoted_at(self._user_draft().rest, where, block)

    def _is_recorded_before(self, block: ToolResultBlock, record: IdRecord) -> bool:
        """Return whether the last settled call with a result's id, or the last settled quote for it, says the same."""
        if record.call is not None:
            user = self.past[record.call[0]][1]
            if user is not None and is_same_result(user.results[record.call[1]], block):
                return True
        if record.quote is None:
            return False
        user = self.past[record.quote[0]][1]
        return user is not None and is_quoted_at(user.content, record.quote[1], block)

    def _add_news(self, match: Match) -> None:
        """Rule 14: say in the open turn what became of a call of a settled turn."""
        mark = match.result.mark
        if match.call is not None and mark is not None:
            self._add_to_user(news_of_state(match.call, mark, self._user_position() - match.position))

    def _settled_state(self, turn: int, position: int) -> CallState:
        """Return the state of a call of a settled turn, with the news of the open turn."""
        conversation = make_conversation(self.past, (self.assistant, self.user), self._context)
        return state_of_settled(conversation, turn, position)

    def _quote(self, match: Match, reason: str, code: RepairCode) -> None:
        """Keep a result as text: what was sent never changes."""
        distance = self._user_position() - match.position if match.position > 0 else 0
        name = match.call.name if match.call is not None else UNKNOWN_TOOL
        quoted = quote(match.result, reason, name, distance)
        for part in quoted:
            self._add_to_user(part)
        self._record(code, (match.result,), tuple(quoted), _result_text(match.result), at=self._user_position())

    def _assistant_draft(self) -> AssistantDraft:
        if not isinstance(self.assistant, AssistantDraft):
            draft = AssistantDraft.of(self.assistant)
            if self.assistant is None:
                return draft
            self.assistant = draft
        return self.assistant

    def _user_draft(self) -> UserDraft:
        return self.user if isinstance(self.user, UserDraft) else UserDraft.of(self.user)

    def _is_complete(self) -> bool:
        """Return whether the user message exists and has a real result for every call."""
        if not isinstance(self.user, UserDraft):
            return self.user is not None
        return self.user.answered.bit_count() == count_of_calls(self.assistant)

    def _user_position(self) -> int:
        return messages_in(self.past) + (self.assistant is not None)

    def _drop(self, code: RepairCode, block: Block, detail: str = "") -> None:
        self._record(code, (block,), detail=detail)

    def _record(
        self,
        code: RepairCode,
        removed: tuple[Removed, ...] = (),
        added: tuple[Block, ...] = (),
        detail: str = "",
        at: int | None = None,
    ) -> None:
        index = at if at is not None else self._position()
        repair = Repair(code=code, index=index, source=self._source, removed=removed, added=added, detail=detail)
        self.repairs.append(repair)

    def _position(self) -> int:
        """Return the position of the message that this one is or would be part of."""
        if self._role == "user":
            return self._user_position()
        if self.user is None:
            leads = self.assistant is None and not self.past
            return messages_in(self.past) + (leads and self._policy.leading_assistant == "bootstrap")
        return self._user_position() + 1


def _without_notes(block: Block) -> tuple[Block, tuple[str, ...]]:
    """Take the notes of conversion off a block, and off the blocks in a result."""
    noted = block.meta.converted if block.meta is not None else ()
    if isinstance(block, ToolResultBlock):
        parts = [_without_notes(part) for part in block.content]
        inner = tuple(note for _, notes in parts for note in notes)
        if inner:
            block, noted = evolve(block, content=tuple(part for part, _ in parts)), (*noted, *inner)
    return (with_meta(block, converted=()) if noted else block), noted


def _call_text(call: ToolUseBlock) -> str:
    return f"call {call.id!r:.80} of {call.name!r:.80}"


def _result_text(result: ToolResultBlock) -> str:
    return f"result of {result.tool_use_id!r:.80}"
