"""One message on its way into a conversation, by the rules in `rules.py`.

`step` adds any message: where `move` may not add it as a whole, block by block through the tables of the rules. It
never looks at the whole conversation: only at the open turn, and at the calls of the settled turns by id and by key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from attrs import evolve

from message_history.core.messages.arrived import Arrival
from message_history.core.messages.blocks import (
    SystemBlock,
    ToolResultBlock,
    ToolUseBlock,
    is_blank,
    keyed_call,
    tool_result_block,
    with_meta,
)
from message_history.core.messages.message import CLEAN_ASSISTANT, CLEAN_USER, Message, Role, is_plain
from message_history.core.messages.repairs import Repair, RepairCode, in_words
from message_history.core.messages.replies import as_json
from message_history.core.turns.conversation import (
    Context,
    Conversation,
    context_of,
    make_conversation,
    messages_in,
    parts_of,
    with_keys,
)
from message_history.core.turns.drafts import (
    FEW,
    AssistantDraft,
    OpenTurn,
    UserDraft,
    assistant_message,
    count_of_calls,
    free_id,
    user_message,
    with_id,
)
from message_history.core.turns.matching import Search
from message_history.core.turns.past import news_of_state, quote
from message_history.core.turns.rules import (
    REASONS,
    RESULTS,
    TABLE,
    UNKNOWN_TOOL,
    Action,
    Outcome,
    arrival_of,
    enforce,
    fault_of_call,
    is_nothing,
    placeholder,
    state_of,
)
from message_history.core.turns.stub_results import after_decisions, hides_stub, known_stub, reason_of, stub_repair
from message_history.core.turns.whole import move
from message_history.core.values.json_values import freeze

if TYPE_CHECKING:
    from message_history.core.messages.block_base import Block
    from message_history.core.messages.repairs import Removed
    from message_history.core.messages.replies import ReplyInfo
    from message_history.core.turns.matching import Match


METADATA: Final = "the metadata of a message"


def step(
    conversation: Conversation,
    message: Message,
    *,
    interrupted: bool = False,
    answers: ToolUseBlock | None = None,
    sources: tuple[int | None, int | None] = (None, None),
    elsewhere: bool = False,
) -> Conversation:
    """Add one message to a conversation.

    `interrupted` is True for a truncated reply. `answers` is the call that the results of the message are for, with its
    turn, where that is known. `sources` are the entries of the raw list that the message and the calls of the open turn
    came from. The conversation has another context if anything had to be repaired. The cost is linear in the message;
    logarithmic in the history for a result that answers no call of the open turn.
    """
    policy = context_of(conversation).policy
    as_it_is = not interrupted and answers is None
    if as_it_is and not (elsewhere and policy.has_own_texts and hides_stub(message, policy)):
        moved = move(conversation, message)
        if moved is not None:
            return moved
    transition = Transition(
        conversation, answers=answers, interrupted=interrupted, sources=sources, elsewhere=elsewhere
    )
    transition.apply(message)
    return transition.conversation()


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
        elsewhere: bool = False,
    ) -> None:
        self.past, (self.assistant, self.user), self._context = parts_of(conversation)
        self.repairs: list[Repair] = []
        self.lifted: list[SystemBlock] = []
        self._policy = self._context.policy
        self._answers = answers
        self._interrupted = interrupted
        self._elsewhere = elsewhere
        self._source, self._source_of_calls = sources
        self._role: Role = "user"
        # What the provider said of the replies in the message, until a block of it is in an assistant message.
        self._replies: tuple[ReplyInfo, ...] = ()
        self._new_assistant = self.assistant is None
        self._was_complete = self._is_complete()
        # The position of the last call that this message answered, to see whether its results had to be reordered.
        self._last_answered = -1
        self._content_first = False
        self._reordered = False
        # A user message that stays as it is, opened to look into it.
        self._opened: tuple[Message | None, UserDraft] | None = None

    def apply(self, message: Message) -> None:
        """Add the blocks of the message, one by one."""
        self._role = message.role
        self._replies = message.replies
        if message.shape == CLEAN_ASSISTANT and self.user is not None and not self._interrupted:
            # It begins a turn, and moves as a whole: `TABLE` would do the same.
            self._settle()
            self.assistant, self._replies = message, ()
            return
        if not message.content:
            self._record(RepairCode.EMPTY_MESSAGE_DROPPED, detail=f"an empty {message.role} message")
        arrivals = message.arrivals
        sizes = [(len(self.past), self._size())] if arrivals else []
        simple = message.shape == CLEAN_USER and message.ids and self._answers is None and not arrivals
        for arrived in message.content if not (simple and self._answer_in_order(message)) else ():
            if arrivals:
                sizes.append((len(self.past), self._size()))
            block = self._validate_block(arrived)
            if block is not None:
                state = state_of((self.assistant, self.user))
                self._do(TABLE[state, arrival_of(self._role, block)].action, block)
        if self._reordered:
            self._record(RepairCode.RESULTS_REORDERED, at=self._user_position())
        if self._replies:
            self._drop_replies()
        if arrivals:
            # In a new turn, nothing was there before; the stubs before a text did not arrive with it.
            stubs = count_of_calls(self.assistant) if self._role == "user" and not message.ids else 0
            known = [size if turn == len(self.past) else 0 for turn, size in sizes]
            self._arrive(max(known[0], stubs), [*known[2:], self._size()], arrivals)

    def _size(self) -> int:
        """Return how many blocks the message that grows has."""
        if self._role == "assistant" and self.user is None:
            return len(self._assistant_draft().blocks) if self.assistant is not None else 0
        user = self._user_draft()
        return count_of_calls(self.assistant) + len(user.rest) if user.rest else self._last_answered + 1

    def _arrive(self, before: int, sizes: list[int], arrivals: tuple[Arrival, ...]) -> None:
        """Keep the metadata of a message that was joined to others, or lost all its content."""
        ends = [(sizes[each.end - 1] if each.end else before, each) for each in arrivals]
        moved = [Arrival(end, each.frozen_metadata) for end, each in ends]
        grows = self._role == "assistant" and self.user is None and self.assistant is not None
        if grows:
            self.assistant = self._assistant_draft().arrived(before, moved)
        elif self.user is not None:
            self.user = self._user_draft().arrived(before, moved)
        else:
            removed = tuple(each.frozen_metadata for each in arrivals)
            self._record(RepairCode.EMPTY_MESSAGE_DROPPED, removed, detail=METADATA)

    def _drop_replies(self) -> None:
        """Rule 15, for a reply that has no message of its own."""
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
            context = Context(self._policy, system, context.repairs.extend(self.repairs), context.lineage)
        return make_conversation(self.past, self._turn(), context)

    def _turn(self) -> OpenTurn:
        """Return the open turn, as drafts where this step only added; never drafts before a user's message."""
        assistant, user = self.assistant, self.user
        if isinstance(user, Message):
            return assistant_message(assistant), user
        if self._is_complete() and not self._was_complete:
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
        if self._elsewhere and isinstance(block, ToolResultBlock):
            return known_stub(block, self._policy)
        return block

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
            user = with_keys(assistant, user, len(self.past), self._context.lineage)
        self.past = self.past.append((assistant, user))
        self.assistant = self.user = None
        self._new_assistant, self._was_complete = True, False
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
        """Rule 3: content follows the results."""
        self.user = self._user_draft().add(block)

    def _add_result(self, block: ToolResultBlock) -> None:
        """Rule 5."""
        user = self._user_draft() if self.user is not None else None
        search = Search(self.past, self._assistant_draft(), user, self._context, self._answers)
        match = search.match(block)
        outcome = RESULTS[match.status, match.comparison]
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

    def _answer_in_order(self, message: Message) -> bool:
        """Add results in the order of the calls that wait for them, and what follows; False where `TABLE` decides."""
        draft = self._assistant_draft()
        assistant = draft.message
        if assistant is None or assistant.shape != CLEAN_ASSISTANT or not is_plain(assistant) or len(draft.calls) > FEW:
            return False
        user = self._user_draft()
        last = -1
        for result in message.results:
            position = assistant.ids.index(result.tool_use_id) if result.tool_use_id in assistant.ids else -1
            there = position <= last or (user.answered | user.stubbed) >> position & 1
            if there or known_stub(result, self._policy) is not result:
                return False
            user, last = user.answer(position, result), position
        for block in message.content[len(message.ids) :]:
            user = user.add(block)
        self.user = user
        return True

    def _answer(self, block: ToolResultBlock, match: Match) -> None:
        """Put a result or a stub in its call's place."""
        if match.call is not None and block.tool_use_id != match.call.id:
            named = tool_result_block(match.call.id, block.content, block.is_error, block.meta)
            code = RepairCode.ID_ASSIGNED if block.tool_use_id == "" else RepairCode.DUPLICATE_ID_RENAMED
            detail = f"{_result_text(block)} as {match.call.id!r}"
            self._record(code, (block,), (named,), detail, at=self._user_position())
            block = named
        standing = self._user_draft().latest(match.position)
        # That a state replaces an earlier one is not a repair; that a list says two things of a call is one.
        recorded = standing is not None and reason_of(standing.result) in REASONS.values() and self._source is None
        if standing is not None and not standing.made and not recorded:
            code = RepairCode.STUB_REPLACED
            self._record(code, (standing.result,), (block,), _result_text(block), at=self._user_position())
        if self._role == "assistant":
            self._record(RepairCode.RESULT_REHOMED, detail=_result_text(block), at=self._user_position())
        if match.call is not None and (standing is not None or block.mark is not None):
            block = after_decisions(block, standing.result.mark if standing is not None else None, match.call)
        self._reordered = self._reordered or self._content_first or match.position < self._last_answered
        self._last_answered = match.position
        self.user = self._user_draft().answer(match.position, block)

    def _add_news(self, match: Match) -> None:
        """Rule 14: say in the open turn what became of a call of a settled turn."""
        call = match.call if match.call is not None else keyed_call("")
        news = news_of_state(after_decisions(match.result, match.before, call), call.name, call.key)
        self._add_to_user(news)
        if self._source is not None:
            # Of what came in a list, the news repeats the reason only.
            self._record_quote(RepairCode.LATE_RESULT_QUOTED, match.result, news)

    def _quote(self, match: Match, reason: str, code: RepairCode) -> None:
        """Keep a result as text: what was sent never changes."""
        call = match.call if match.call is not None else keyed_call("", name=UNKNOWN_TOOL)
        result = after_decisions(match.result, match.before, call) if reason == "late" else match.result
        quoted = quote(result, reason, call.name, call.key)
        for part in quoted:
            self._add_to_user(part)
        self._record_quote(code, match.result, *quoted)

    def _record_quote(self, code: RepairCode, result: ToolResultBlock, *added: Block) -> None:
        self._record(code, (result,), added, _result_text(result), at=self._user_position())

    def _assistant_draft(self) -> AssistantDraft:
        if not isinstance(self.assistant, AssistantDraft):
            draft = AssistantDraft.of(self.assistant)
            if self.assistant is None:
                return draft
            self.assistant = draft
        return self.assistant

    def _user_draft(self) -> UserDraft:
        user = self.user
        if isinstance(user, UserDraft):
            return user
        if self._opened is None or self._opened[0] is not user:
            self._opened = user, UserDraft.of(user)
        return self._opened[1]

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
