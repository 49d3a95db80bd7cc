"""The rules of a conversation, and the only place that decides them.

Rule 1. A conversation is a chain of turns. A turn is what the assistant said and what it heard back. The first turn has
        no assistant side: the user leads.
Rule 2. Only the last turn is open. It settles when the assistant speaks after the user has, and never changes again.
Rule 3. Neighbours of one role are one message, block by block. Calls too: parallel calls that come in pieces are one
        turn's calls.
Rule 4. The user's side of a turn with calls starts with one result per call, in call order. While the turn is open,
        a call without a result has a stub there as soon as the user's side exists; a real result takes its place.
Rule 5. A result answers the call that it was made for, where that is known: it is found again in the turn where it
        stood, or else in the open turn, though its id may be another's now. Any other result answers a call of the
        open turn, found by its id among the calls that still wait, in order. If there is none, it is late for a call
        that settled with a stub, or a second result, or an orphan. The late and the second are quoted as text in the
        turn that is open now, equal second ones and orphans are dropped.
Rule 6. Ids need to be unique within a turn only. A call that repeats the id of another is dropped when it is the same
        call, else renamed. A call or result without an id is numbered by its position.
Rule 7. Blank text, calls without a name, an id or an object as input, calls in user messages and results in assistant
        messages do not stand: they are dropped, mended or moved to where they belong.
Rule 8. System messages before the first message are the system prompt; later ones stay where they came, in the user's
        side.
Rule 9. Whatever is taken out, moved or invented is recorded by the step that does it; a stub when its turn settles or
        is closed.

`step` takes one message into a conversation. It moves a message that needs no mending as a whole, and every other
block by block through `TABLE`: what arrives, in which state, and what is done. `arrange` prepares a list that was
recorded elsewhere: it moves results that stand away from their calls. `close` stubs what is still awaited.

This file knows no provider, and never looks at the whole conversation: only at the open turn, and by id at the calls
of the settled ones.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeAlias, final

from attrs import evolve, field, frozen

from message_history.core.blocks import (
    NO_INPUT,
    Block,
    Mark,
    SystemBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    is_blank,
    tool_result_block,
    with_meta,
)
from message_history.core.drafts import (
    AssistantDraft,
    OpenTurn,
    Turn,
    UserDraft,
    assistant_message,
    calls_of,
    is_alike,
    lowest,
    make_stub,
    user_message,
    with_id,
)
from message_history.core.log import Chunk, Log, put
from message_history.core.message import CLEAN_ASSISTANT, CLEAN_USER, Message, Role, bootstrap_message
from message_history.core.past import IdRecord, is_quoted_at, quote, records_of
from message_history.core.repairs import InvariantError, Repair, RepairCode, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history.core.policy import Policy

__all__ = [
    "NOTHING_YET",
    "TABLE",
    "Action",
    "Arrival",
    "Context",
    "Conversation",
    "State",
    "SystemPrompt",
    "advance",
    "awaited",
    "conversation_of",
    "enforce",
    "known_stub",
    "messages_in",
    "parts_of",
    "standing_stubs",
    "state_of",
    "step",
    "stub_awaited",
]

NOTHING_YET: Final[OpenTurn] = (None, None)
UNKNOWN_TOOL: Final = "unknown_tool"


@final
class State(StrEnum):
    """Where a conversation stands: who spoke last."""

    EMPTY = "empty"
    USER = "user"
    ASSISTANT = "assistant"
    CALLING = "calling"
    """The assistant spoke last, and made calls."""


@final
class Arrival(StrEnum):
    """What a block is to the conversation; blocks that do not stand alone never get this far."""

    SYSTEM = "system"
    CONTENT = "user content"
    RESULT = "result"
    INJECTED = "call by the user"
    WORDS = "assistant content"
    CALL = "call"


@final
class Action(StrEnum):
    """What is done with a block."""

    LIFT = "lift to the system prompt"
    ADD_TO_USER = "add to the user's side"
    ANSWER = "answer a call, quote or drop"
    REFUSE = "drop"
    LEAD = "put a user turn first, or drop"
    ADD_TO_ASSISTANT = "add to the assistant's side"
    SETTLE = "settle, then say"


TABLE: Final[dict[tuple[State, Arrival], tuple[Action, tuple[State, ...]]]] = {
    # in this state, this arrives: this is done, and leads to one of these states
    (State.EMPTY, Arrival.SYSTEM): (Action.LIFT, (State.EMPTY,)),
    (State.EMPTY, Arrival.CONTENT): (Action.ADD_TO_USER, (State.USER,)),
    (State.EMPTY, Arrival.RESULT): (Action.ANSWER, (State.EMPTY,)),
    (State.EMPTY, Arrival.INJECTED): (Action.REFUSE, (State.EMPTY,)),
    (State.EMPTY, Arrival.WORDS): (Action.LEAD, (State.ASSISTANT, State.EMPTY)),
    (State.EMPTY, Arrival.CALL): (Action.LEAD, (State.CALLING, State.EMPTY)),
    (State.USER, Arrival.SYSTEM): (Action.ADD_TO_USER, (State.USER,)),
    (State.USER, Arrival.CONTENT): (Action.ADD_TO_USER, (State.USER,)),
    (State.USER, Arrival.RESULT): (Action.ANSWER, (State.USER,)),
    (State.USER, Arrival.INJECTED): (Action.REFUSE, (State.USER,)),
    (State.USER, Arrival.WORDS): (Action.SETTLE, (State.ASSISTANT,)),
    (State.USER, Arrival.CALL): (Action.SETTLE, (State.CALLING,)),
    (State.ASSISTANT, Arrival.SYSTEM): (Action.ADD_TO_USER, (State.USER,)),
    (State.ASSISTANT, Arrival.CONTENT): (Action.ADD_TO_USER, (State.USER,)),
    (State.ASSISTANT, Arrival.RESULT): (Action.ANSWER, (State.USER, State.ASSISTANT)),
    (State.ASSISTANT, Arrival.INJECTED): (Action.REFUSE, (State.ASSISTANT,)),
    (State.ASSISTANT, Arrival.WORDS): (Action.ADD_TO_ASSISTANT, (State.ASSISTANT,)),
    (State.ASSISTANT, Arrival.CALL): (Action.ADD_TO_ASSISTANT, (State.CALLING,)),
    (State.CALLING, Arrival.SYSTEM): (Action.ADD_TO_USER, (State.USER,)),
    (State.CALLING, Arrival.CONTENT): (Action.ADD_TO_USER, (State.USER,)),
    (State.CALLING, Arrival.RESULT): (Action.ANSWER, (State.USER, State.CALLING)),
    (State.CALLING, Arrival.INJECTED): (Action.REFUSE, (State.CALLING,)),
    (State.CALLING, Arrival.WORDS): (Action.ADD_TO_ASSISTANT, (State.CALLING,)),
    (State.CALLING, Arrival.CALL): (Action.ADD_TO_ASSISTANT, (State.CALLING,)),
}


@final
@frozen(eq=False)
class SystemPrompt:
    """The operator's words before the first message.

    Args:
        blocks: the words.
        warned: whether anybody has been told that a list was sent without them.
    """

    blocks: tuple[SystemBlock, ...] = ()
    warned: list[bool] = field(factory=list)


@final
@frozen(eq=False)
class Context:
    """What rarely changes as a conversation goes on.

    Args:
        policy: decides where there is a choice.
        system: the system prompt.
        repairs: what was changed so far, but for the stubs of the open turn.
    """

    policy: Policy
    system: SystemPrompt = field(factory=SystemPrompt)
    repairs: Log[Repair] = field(factory=Log)


Conversation: TypeAlias = tuple[Chunk[Turn], int, Message | AssistantDraft | None, Message | UserDraft | None, Context]
"""The settled turns (their last chunk and their number), both sides of the open turn, and what rarely changes.

It is flat, and the log of settled turns is made when somebody asks: `add` costs little more than what `step` makes.
"""


def conversation_of(past: Log[Turn], turn: OpenTurn, context: Context) -> Conversation:
    """Put a conversation together."""
    return past.last, len(past), turn[0], turn[1], context


def parts_of(conversation: Conversation) -> tuple[Log[Turn], OpenTurn, Context]:
    """Give the settled turns, the open turn, and what rarely changes."""
    last, turns, assistant, user, context = conversation
    return Log.view(last, turns), (assistant, user), context


def step(
    conversation: Conversation,
    message: Message,
    *,
    interrupted: bool = False,
    answers: ToolUseBlock | None = None,
    sources: tuple[int | None, int | None] = (None, None),
) -> Conversation:
    """Take one message into a conversation.

    Args:
        conversation: what there is.
        message: what arrives.
        interrupted: True for a reply that was cut off.
        answers: the call that the results of the message are for, with the turn where it stood, if that is known.
        sources: the entries of the raw list that the message and the calls of the open turn came from.

    Returns:
        The conversation with the message in it; its context is another one when anything had to be done for that.

    Complexity: linear in the message; logarithmic in the history for a result that answers no call of the open turn.
    """
    last, turns, assistant, user, context = conversation
    if not interrupted and answers is None:
        # A message that needs no mending, in a turn without drafts, moves whole; `TABLE` would do the same.
        shape = message.shape
        if shape == CLEAN_ASSISTANT:
            if type(user) is Message:
                turn: Turn = (assistant, user)  # type: ignore[assignment]  # next to a message, the other side is none or one
                return put(last, turns, turn), turns + 1, message, None, context
        elif shape == CLEAN_USER and user is None:
            if type(assistant) is Message:
                if message.ids == assistant.ids:
                    return last, turns, assistant, message, context
            elif assistant is None and not message.ids:
                return last, turns, None, message, context
    one = Transition(conversation, answers=answers, interrupted=interrupted, sources=sources)
    one.take(message)
    return one.conversation()


def advance(conversation: Conversation, messages: Iterable[Message]) -> tuple[Conversation, int]:
    """Take messages into a conversation as long as none needs mending and every turn is complete.

    Args:
        conversation: what there is.
        messages: what arrives.

    Returns:
        The conversation with the first of the messages in it, and how many these are.

    Complexity: linear in the messages.
    """
    taken = 0
    for message in messages:
        grown = step(conversation, message)
        if grown[4] is not conversation[4] or (grown[2] is not message and grown[3] is not message):
            break  # It was mended, or did not move whole.
        conversation = grown
        taken += 1
    return conversation, taken


def state_of(turn: OpenTurn) -> State:
    """Tell where a conversation stands.

    Args:
        turn: its open turn.

    Returns:
        The state.
    """
    assistant, user = turn
    if user is not None:
        return State.USER
    if assistant is None:
        return State.EMPTY
    return State.CALLING if _has_calls(assistant) else State.ASSISTANT


def awaited(past: Log[Turn], turn: OpenTurn) -> tuple[ToolUseBlock, ...]:
    """Name the calls of the open turn that have no real result.

    Args:
        past: the settled turns.
        turn: the open turn.

    Returns:
        The calls, in order; each knows its turn.

    Complexity: linear in the calls of the open turn.
    """
    assistant, user = turn
    if assistant is None or isinstance(user, Message):
        return ()
    answered = user.answered if user is not None else 0
    where = messages_in(past)
    return tuple(evolve(call, turn=where) for n, call in enumerate(calls_of(assistant)) if not answered >> n & 1)


def stub_awaited(
    past: Log[Turn], turn: OpenTurn, policy: Policy, reason: str = "not_recorded", *, told: bool = False
) -> tuple[OpenTurn, Sequence[Repair]]:
    """Stub what is awaited; the turn stays open.

    Args:
        past: the settled turns.
        turn: the open turn.
        policy: says what a stub says.
        reason: why there is no result; it replaces the reason `not_recorded` of a stub that stands already.
        told: True when the caller records the stubs now, so that settling does not record them again.

    Returns:
        The closed turn, equal when nothing is awaited or all of it has its stub, and the stubs that are new.

    Complexity: linear in the calls of the open turn.
    """
    assistant, user = turn
    if assistant is None or not _has_calls(assistant) or isinstance(user, Message):
        return turn, ()
    before = after = user if user is not None else UserDraft.of(None)
    new: list[Repair] = []
    for position, call in enumerate(calls_of(assistant)):
        if before.answered >> position & 1:
            continue
        standing = before.latest(position)
        if standing is None:
            stub = make_stub(call, policy, reason)
            after = after.answer(position, stub, made=not told)
            new.append(_stubbed(messages_in(past) + 1, call, stub))
        elif reason != "not_recorded" and _reason(standing.result) == "not_recorded":
            mark = Mark(kind="stub", reason=reason)
            after = after.answer(position, with_meta(standing.result, mark=mark), made=standing.made)
    return (turn if after is user else (assistant, after)), new


def standing_stubs(past: Log[Turn], turn: OpenTurn) -> list[Repair]:
    """Tell which stubs of the open turn were made by closing it, and stand.

    Args:
        past: the settled turns.
        turn: the open turn.

    Returns:
        One repair per stub.

    Complexity: linear in the calls of the open turn.
    """
    assistant, user = turn
    if not isinstance(user, UserDraft) or not user.stubbed & ~user.answered:
        return []
    where = messages_in(past) + 1
    latest = {answer.call: answer for answer in user.answers if not user.answered >> answer.call & 1}
    calls = calls_of(assistant)
    return [_stubbed(where, calls[n], answer.result) for n, answer in sorted(latest.items()) if answer.made]


@final
class Transition:
    """One message on its way into a conversation."""

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
        self._fresh_assistant, self._fresh_user = self.assistant is None, self.user is None
        self._was_complete = self._is_complete()
        # How far the results of this message came, to see whether they had to be reordered.
        self._last_answered = -1
        self._words_first = False
        self._reordered = False

    def take(self, message: Message) -> None:
        """Take the blocks of the message, one by one."""
        self._role = message.role
        if not message.content:
            self._record(RepairCode.EMPTY_MESSAGE_DROPPED, detail=f"an empty {message.role} message")
        for arrived in message.content:
            block = self._validate_block(arrived)
            if block is not None:
                action, _ = TABLE[state_of((self.assistant, self.user)), _arrival(self._role, block)]
                self._do(action, block)
        if self._reordered:
            self._record(RepairCode.RESULTS_REORDERED, at=self._user_side())

    def conversation(self) -> Conversation:
        """Return what there is now; with the policy `raise`, refuse what is more than lossless."""
        enforce(self._policy, self.repairs)
        context = self._context
        if self.repairs or self.lifted:
            system = SystemPrompt((*context.system.blocks, *self.lifted)) if self.lifted else context.system
            context = Context(self._policy, system, context.repairs.extend(self.repairs))
        return conversation_of(self.past, self._turn(), context)

    def _turn(self) -> OpenTurn:
        """Return the open turn: messages where this step began or completed them, drafts where it only added.

        Where the user's side is a message, the assistant's is one too.
        """
        assistant, user = self.assistant, self.user
        if isinstance(user, Message):
            return assistant_message(assistant), user
        if isinstance(user, UserDraft) and self._is_complete() and (self._fresh_user or not self._was_complete):
            return assistant_message(assistant), user_message(assistant, user, self._policy)
        return assistant_message(assistant) if self._fresh_assistant else assistant, user

    def _validate_block(self, block: Block) -> Block | None:
        """Rule 7, for one block alone."""
        block, converted = _without_notes(block)
        if converted:
            self._record(RepairCode.VALUE_CONVERTED, detail="; ".join(converted))
        if isinstance(block, TextBlock | SystemBlock):
            signed = isinstance(block, TextBlock) and block.signature is not None
            if is_blank(block.text) and not signed:
                self._drop(RepairCode.BLANK_TEXT_DROPPED, block)
                return None
        elif isinstance(block, ToolUseBlock) and self._role == "assistant":
            return self._validate_call(block)
        elif isinstance(block, ToolResultBlock):
            return known_stub(block, self._policy)
        return block

    def _validate_call(self, call: ToolUseBlock) -> Block | None:
        if call.input is NO_INPUT or (self._interrupted and not call.readable):
            missing = call.input is NO_INPUT
            code = RepairCode.CALL_WITHOUT_INPUT_DROPPED if missing else RepairCode.INCOMPLETE_CALL_DROPPED
            self._drop(code, call, _named(call))
            return None
        if not is_blank(call.name):
            return call
        named = evolve(call, name=UNKNOWN_TOOL)
        self._record(RepairCode.NAME_ASSIGNED, (call,), (named,), _named(named))
        return named

    def _do(self, action: Action, block: Block) -> None:
        if action is Action.ADD_TO_ASSISTANT:
            self._say(block)
        elif action is Action.SETTLE:
            self._settle()
            self._say(block)
        elif action is Action.LEAD:
            self._lead(block)
        elif action is Action.REFUSE:
            self._drop(RepairCode.INJECTED_CALL_DROPPED, block, f"{block!r:.200}")
        elif isinstance(block, ToolResultBlock):
            self._answer(block)
        elif action is Action.LIFT and isinstance(block, SystemBlock):
            self.lifted.append(block)
        else:
            self._words_first = True
            if self._role == "assistant":
                self._record(RepairCode.SYSTEM_REHOMED, at=self._user_side())
            self._hear(block)

    def _lead(self, block: Block) -> None:
        """Rule 1: the user leads."""
        if self._policy.leading_assistant == "drop":
            self._drop(RepairCode.LEADING_ASSISTANT_DROPPED, block)
            return
        (placeholder,) = bootstrap_message(self._policy.bootstrap_text).content
        self._record(RepairCode.BOOTSTRAP_ADDED, added=(placeholder,), at=0)
        self._hear(placeholder)
        self._settle()
        self._say(block)

    def _settle(self) -> None:
        """Rule 2: the open turn becomes the past, and rule 9 for its stubs."""
        assistant, user = assistant_message(self.assistant), user_message(self.assistant, self.user, self._policy)
        if isinstance(self.user, UserDraft) and assistant is not None and user is not None:
            for position, (call, result) in enumerate(zip(assistant.calls, user.results, strict=True)):
                standing = self.user.latest(position) if result.is_stub else None
                if result.is_stub and (standing is None or standing.made):
                    self.repairs.append(_stubbed(self._user_side(), call, result, self._source_of_calls))
        self.past = self.past.append((assistant, user))
        self.assistant = self.user = None
        self._fresh_assistant = self._fresh_user = True
        self._last_answered, self._words_first = -1, False

    def _say(self, block: Block) -> None:
        """Rule 3, and rule 6 for calls."""
        assistant_draft = self._assistant_draft()
        if isinstance(block, ToolUseBlock):
            if block.id == "":
                numbered = evolve(
                    block, id=_free_id(assistant_draft, f"call_{messages_in(self.past)}", len(assistant_draft.calls))
                )
                self._record(RepairCode.ID_ASSIGNED, (block,), (numbered,), _named(numbered))
                block = numbered
            taken = assistant_draft.named(block.id)
            # A call that was renamed elsewhere may be the same as one here though its id is free.
            if (taken or block.mark is not None) and assistant_draft.holds(block):
                self._drop(RepairCode.DUPLICATE_CALL_DROPPED, block, _named(block))
                return
            if taken:
                renamed = with_id(block, _free_id(assistant_draft, block.id, taken.bit_count() + 1))
                self._record(RepairCode.DUPLICATE_ID_RENAMED, (block,), (renamed,), _named(renamed))
                block = renamed
        self.assistant = assistant_draft.add(block)

    def _hear(self, block: Block) -> None:
        """Rule 3: whatever is no result comes after the results."""
        self.user = self._user_draft().hear(block)

    def _answer(self, block: ToolResultBlock) -> None:
        """Rule 5."""
        settled = self._settled_place(self._answers) if self._answers is not None else None
        if settled is not None:
            self._for_settled(block, *settled)
            return
        assistant_draft, user_draft = self._assistant_draft(), self._user_draft()
        known = assistant_draft.place_of(self._answers) if self._answers is not None else None
        named = assistant_draft.named(block.tool_use_id) if known is None else 1 << known
        waiting = ((1 << len(assistant_draft.calls)) - 1) & ~user_draft.answered
        if block.tool_use_id == "" and waiting.bit_count() == 1:
            self._pair(block, lowest(waiting), RepairCode.ID_ASSIGNED)
        elif named & waiting:
            self._pair(block, lowest(named & waiting), RepairCode.DUPLICATE_ID_RENAMED)
        elif named and self._repeats(block, named):
            self._drop(RepairCode.DUPLICATE_RESULT_DROPPED, block, _told(block))
        else:
            self._unmatched_result(block, assistant_draft.calls[lowest(named)] if named else None)

    def _pair(self, block: ToolResultBlock, position: int, code: RepairCode) -> None:
        """Put a result or a stub in its call's place."""
        call = self._assistant_draft().calls[position]
        standing = self._user_draft().latest(position)
        if block.is_stub and standing is not None:
            self._drop(RepairCode.DUPLICATE_RESULT_DROPPED, block, _told(block))
            return
        if block.tool_use_id != call.id:
            named = tool_result_block(call.id, block.content, block.is_error, block.meta)
            self._record(code, (block,), (named,), f"{_told(block)} as {call.id!r}", at=self._user_side())
            block = named
        if standing is not None and not standing.made:
            replaced = (standing.result,)
            self._record(RepairCode.STUB_REPLACED, replaced, (block,), _told(block), at=self._user_side())
        if self._role == "assistant":
            self._record(RepairCode.RESULT_REHOMED, detail=_told(block), at=self._user_side())
        self._reordered = self._reordered or self._words_first or position < self._last_answered
        self._last_answered = position
        self.user = self._user_draft().answer(position, block)

    def _unmatched_result(self, block: ToolResultBlock, call: ToolUseBlock | None) -> None:
        """Rule 5 for a result that no call of the open turn waits for.

        Args:
            block: the result.
            call: a call of the open turn that has its id, and a result.
        """
        record = records_of(self.past, block.tool_use_id)
        if record is None and call is None:
            self._drop(RepairCode.ORPHAN_RESULT_DROPPED, block, _told(block))
            return
        record = record if record is not None else IdRecord()
        late = record.late + self._user_draft().quoted(block.tool_use_id)[0]
        if block.is_stub:
            self._drop(RepairCode.DUPLICATE_RESULT_DROPPED, block, _told(block))
        elif late < len(record.stubs):
            self._quote(block, "late", self._settled_call(record.stubs[late]))
        elif self._is_quoted_here(block) or (call is None and self._is_told_before(block, record)):
            self._drop(RepairCode.DUPLICATE_RESULT_DROPPED, block, _told(block))
        else:
            self._quote(block, "second", call if call is not None else self._settled_call(record.call))

    def _settled_place(self, call: ToolUseBlock) -> tuple[int, int] | None:
        """Find the settled turn in which a call stood, and its position there."""
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

    def _for_settled(self, block: ToolResultBlock, turn: int, position: int) -> None:
        """Rule 5 for a result whose call is known, and settled."""
        assistant, user = self.past[turn]
        if assistant is not None:
            block = evolve(block, tool_use_id=assistant.calls[position].id)
        standing = user.results[position] if user is not None else block
        if standing.is_stub and not block.is_stub:
            record = records_of(self.past, block.tool_use_id) or IdRecord()
            late = record.late + self._user_draft().quoted(block.tool_use_id)[0]
            if late < len(record.stubs) or not (self._is_quoted_here(block) or self._is_told_before(block, record)):
                self._quote(block, "late", assistant.calls[position] if assistant is not None else None)
                return
        elif not block.is_stub and not _same_result(standing, block):
            self._unmatched_result(block, assistant.calls[position] if assistant is not None else None)
            return
        self._drop(RepairCode.DUPLICATE_RESULT_DROPPED, block, _told(block))

    def _repeats(self, block: ToolResultBlock, named: int) -> bool:
        """Tell whether a result says nothing that the results of its calls in the open turn do not say already."""
        if block.is_stub:
            return True
        while named:
            standing = self._user_draft().latest(lowest(named))
            if standing is not None and _same_result(standing.result, block):
                return True
            named &= named - 1
        return False

    def _is_quoted_here(self, block: ToolResultBlock) -> bool:
        """Tell whether the open turn's last quote for a result's id says the same."""
        _, where = self._user_draft().quoted(block.tool_use_id)
        return where is not None and is_quoted_at(self._user_draft().rest, where, block)

    def _is_told_before(self, block: ToolResultBlock, record: IdRecord) -> bool:
        """Tell whether the last settled call with a result's id, or the last settled quote for it, says the same."""
        if record.call is not None:
            user = self.past[record.call[0]][1]
            if user is not None and _same_result(user.results[record.call[1]], block):
                return True
        if record.quote is None:
            return False
        user = self.past[record.quote[0]][1]
        return user is not None and is_quoted_at(user.content, record.quote[1], block)

    def _settled_call(self, where: tuple[int, int] | None) -> ToolUseBlock | None:
        assistant = self.past[where[0]][0] if where is not None else None
        return assistant.calls[where[1]] if assistant is not None and where is not None else None

    def _quote(self, block: ToolResultBlock, reason: str, call: ToolUseBlock | None) -> None:
        """Keep a result as text: what was sent is never rewritten."""
        quoted = quote(block, reason, call.name if call is not None else UNKNOWN_TOOL)
        for part in quoted:
            self._hear(part)
        code = RepairCode.LATE_RESULT_QUOTED if reason == "late" else RepairCode.SECOND_RESULT_QUOTED
        self._record(code, (block,), tuple(quoted), _told(block), at=self._user_side())

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
        """Tell whether the user's side exists and has a real result for every call."""
        if not isinstance(self.user, UserDraft):
            return self.user is not None
        return self.user.answered.bit_count() == _count_of_calls(self.assistant)

    def _user_side(self) -> int:
        return messages_in(self.past) + (self.assistant is not None)

    def _drop(self, code: RepairCode, block: Block, detail: str = "") -> None:
        """Take a block out."""
        self._record(code, (block,), detail=detail)

    def _record(
        self,
        code: RepairCode,
        removed: tuple[Block, ...] = (),
        added: tuple[Block, ...] = (),
        detail: str = "",
        at: int | None = None,
    ) -> None:
        index = at if at is not None else self._here()
        repair = Repair(code=code, index=index, source=self._source, removed=removed, added=added, detail=detail)
        self.repairs.append(repair)

    def _here(self) -> int:
        """Return the position of the message that this one is or would be part of."""
        where = messages_in(self.past)
        if self._role == "user":
            return self._user_side()
        if self.user is None:
            leads = self.assistant is None and not self.past
            return where + (leads and self._policy.leading_assistant == "bootstrap")
        return self._user_side() + 1


def _arrival(role: Role, block: Block) -> Arrival:
    if isinstance(block, ToolResultBlock):
        return Arrival.RESULT
    if isinstance(block, SystemBlock):
        return Arrival.SYSTEM
    if isinstance(block, ToolUseBlock):
        return Arrival.CALL if role == "assistant" else Arrival.INJECTED
    return Arrival.WORDS if role == "assistant" else Arrival.CONTENT


def enforce(policy: Policy, repairs: Sequence[Repair]) -> None:
    """Refuse what the policy says not to repair.

    Args:
        policy: decides.
        repairs: what would be done.

    Raises:
        InvariantError: with the policy `raise`, when any of it is more than lossless.
    """
    if policy.on_violation == "raise":
        violations = [repair for repair in repairs if repair.severity is not Severity.LOSSLESS]
        if violations:
            raise InvariantError(violations)


def messages_in(past: Log[Turn]) -> int:
    """Count the settled messages: two a turn, but for the first, which has no assistant side.

    Args:
        past: the settled turns.

    Returns:
        The position of the first message of the open turn.
    """
    return max(2 * len(past) - 1, 0)


def _without_notes(block: Block) -> tuple[Block, tuple[str, ...]]:
    """Take the notes of conversion off a block, and off what a result holds."""
    noted = block.meta.converted if block.meta is not None else ()
    if isinstance(block, ToolResultBlock):
        parts = [_without_notes(part) for part in block.content]
        inner = tuple(note for _, notes in parts for note in notes)
        if inner:
            block, noted = evolve(block, content=tuple(part for part, _ in parts)), (*noted, *inner)
    return (with_meta(block, converted=()) if noted else block), noted


def _has_calls(assistant: Message | AssistantDraft | None) -> bool:
    return _count_of_calls(assistant) > 0


def _count_of_calls(assistant: Message | AssistantDraft | None) -> int:
    if assistant is None:
        return 0
    return len(assistant.calls) if isinstance(assistant, AssistantDraft) else len(assistant.ids)


def _free_id(assistant_draft: AssistantDraft, base: str, number: int) -> str:
    while assistant_draft.named(f"{base}_{number}"):
        number += 1
    return f"{base}_{number}"


def _named(call: ToolUseBlock) -> str:
    return f"call {call.id!r:.80} of {call.name!r:.80}"


def _told(result: ToolResultBlock) -> str:
    return f"result of {result.tool_use_id!r:.80}"


def known_stub(block: ToolResultBlock, policy: Policy) -> ToolResultBlock:
    """Know our own stub again after a provider's format has lost its mark.

    Args:
        block: a result.
        policy: says what a stub says.

    Returns:
        The result, marked if it is an error that says just what a stub says.
    """
    if not block.is_error or block.is_stub or len(block.content) != 1 or block.text != policy.stub_text:
        return block
    return with_meta(block, mark=Mark(kind="stub", reason="not_recorded"))


def _reason(stub: ToolResultBlock) -> str:
    return stub.mark.reason if stub.mark is not None else ""


def _stubbed(where: int, call: ToolUseBlock, stub: ToolResultBlock, source: int | None = None) -> Repair:
    detail = f"{_named(call)}, {_reason(stub)}"
    return Repair(code=RepairCode.RESULT_STUBBED, index=where, source=source, added=(stub,), detail=detail)


def _same_result(left: ToolResultBlock, right: ToolResultBlock) -> bool:
    return left.is_error == right.is_error and left.content == right.content
