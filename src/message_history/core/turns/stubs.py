"""The waiting calls of the open turn, the stubs in place of their results, and the open turn as it is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from message_history.core.messages.blocks import ToolResultBlock, placed
from message_history.core.messages.message import Message
from message_history.core.messages.repairs import Repair, RepairCode
from message_history.core.turns.conversation import (
    context_of,
    length_of,
    make_conversation,
    messages_in,
    parts_of,
)
from message_history.core.turns.drafts import UserDraft, assistant_message, calls_of, count_of_calls, tells
from message_history.core.turns.naming import Names, Place
from message_history.core.turns.rules import continuation, enforce, is_settled, needs_continuation, state_of_reason
from message_history.core.turns.step import step
from message_history.core.turns.stub_results import make_stub, reason_of, stub_repair
from message_history.core.values.keys import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from message_history.core.messages.blocks import ToolUseBlock
    from message_history.core.turns.conversation import Conversation


def awaited(conversation: Conversation) -> tuple[ToolUseBlock, ...]:
    """Return the calls of the open turn that wait for a result, in order; each knows its turn."""
    past, (assistant, user), context = parts_of(conversation)
    if assistant is None or isinstance(user, Message):
        return ()
    calls = calls_of(assistant)
    answered = user.answered | _settled(user, calls) if user is not None else 0
    waiting = [
        placed(call, Origin(context.lineage, len(past), n, _key_of(user, n)))
        for n, call in enumerate(calls)
        if not answered >> n & 1
    ]
    if user is None or not any(user.rest.summaries(tells)):
        return tuple(waiting)
    # A turn can be open again, where those that came after it were taken out: it may say itself what became of a call.
    names = Names.of(conversation)
    states = [(call, names.state_at(Place(len(past), call.origin.number))) for call in waiting if call.origin]
    return tuple(call for call, state in states if not is_settled(state, call.approval))


def _key_of(user: UserDraft | None, call: int) -> str:
    """Return the key that the stub of a call says."""
    standing = user.latest(call) if user is not None and user.stubbed >> call & 1 else None
    return standing.result.mark.key if standing is not None and standing.result.mark is not None else ""


def _settled(user: UserDraft, calls: Sequence[ToolUseBlock]) -> int:
    """Return the calls, as bits, that will have no result: those that are denied or cancelled, or the provider's."""
    if not user.stubbed:
        return 0
    latest = {answer.call: answer.result for answer in user.answers if answer.result.is_stub}
    return sum(
        1 << call for call, stub in latest.items() if is_settled(state_of_reason(reason_of(stub)), calls[call].approval)
    )


def stub_awaited(
    conversation: Conversation, reason: str = "not_recorded", *, recorded: bool = False
) -> tuple[Conversation, Sequence[Repair]]:
    """Add a stub for each awaited call that has none; the turn stays open.

    `reason` replaces the reason `not_recorded` of an existing stub. `recorded` is True when the caller records
    the stubs now, so that settling does not record them again. Returns the same conversation if every call has its stub
    already, and the repairs for the stubs that are new.
    """
    past, (assistant, user), context = parts_of(conversation)
    if assistant is None or not count_of_calls(assistant) or isinstance(user, Message):
        return conversation, ()
    before = after = user if user is not None else UserDraft.of(None)
    new: list[Repair] = []
    for position, call in enumerate(calls_of(assistant)):
        if before.answered >> position & 1:
            continue
        standing = before.latest(position)
        if standing is None:
            stub = make_stub(call, context.policy, reason)
            after = after.answer(position, stub, made=not recorded)
            new.append(stub_repair(messages_in(past) + 1, call, stub))
        elif reason != "not_recorded" and reason_of(standing.result) == "not_recorded":
            after = after.answer(position, make_stub(call, context.policy, reason), made=standing.made)
    return (conversation if after is user else make_conversation(past, (assistant, after), context)), new


def standing_stubs(conversation: Conversation) -> list[Repair]:
    """Return one repair for each stub that is in the open turn because it was sent."""
    past, (assistant, user), _ = parts_of(conversation)
    if not isinstance(user, UserDraft) or not user.stubbed & ~user.answered:
        return []
    position = messages_in(past) + 1
    latest = {answer.call: answer for answer in user.answers if not user.answered >> answer.call & 1}
    calls = calls_of(assistant)
    return [stub_repair(position, calls[n], answer.result) for n, answer in sorted(latest.items()) if answer.made]


def unrecorded_stubs(conversation: Conversation) -> frozenset[str]:
    """Return the ids of the calls of the open turn whose stubs only the user's text made, and nobody recorded."""
    _, (assistant, user), _ = parts_of(conversation)
    if not isinstance(user, UserDraft):
        return frozenset()
    answered = {answer.call for answer in user.answers}
    return frozenset(call.id for n, call in enumerate(calls_of(assistant)) if n not in answered)


def reopen_stubs(conversation: Conversation, ids: Collection[str]) -> Conversation:
    """Take back what `unrecorded_stubs` returned as a conversation was saved: they are recorded once they are final."""
    past, (assistant, user), context = parts_of(conversation)
    if not ids or not isinstance(user, UserDraft):
        return conversation
    made = [
        n
        for n, call in enumerate(calls_of(assistant))
        if call.id in ids and (found := user.latest(n)) is not None and found.result == make_stub(call, context.policy)
    ]
    reopened = user.without(made)
    if not reopened.answers and not reopened.rest:
        return conversation
    return make_conversation(past, (assistant, reopened), context)


def stand_stubs(conversation: Conversation, repairs: Sequence[Repair]) -> tuple[Conversation, int]:
    """Return a conversation that was saved with stubs that sending it had made: a result may still undo them.

    `repairs` is what was recorded when it was saved; the last ones are those of the stubs. Returns how many of them are
    final, too.
    """
    past, (assistant, user), context = parts_of(conversation)
    final = len(repairs)
    if not isinstance(user, UserDraft):
        return conversation, final
    position = messages_in(past) + 1
    calls = {call.id: (n, call) for n, call in enumerate(calls_of(assistant))}
    while final:
        repair = repairs[final - 1]
        stub = repair.added[0] if len(repair.added) == 1 else None
        n, call = calls.get(stub.tool_use_id, (0, None)) if isinstance(stub, ToolResultBlock) else (0, None)
        if call is None or not isinstance(stub, ToolResultBlock) or repair != stub_repair(position, call, stub):
            break
        found = user.latest(n)
        if (found.result if found is not None else make_stub(call, context.policy)) != stub:
            break
        user = user.without((n,)).answer(n, stub, made=True)
        final -= 1
    return make_conversation(past, (assistant, user), context), final


def repairs_of(conversation: Conversation) -> tuple[Repair, ...]:
    """Return what was repaired, oldest first, with the stubs of the open turn."""
    return (*context_of(conversation).repairs, *standing_stubs(conversation))


def as_sent(
    conversation: Conversation, may_end: Callable[[Message], bool] | None, reason: str = "not_recorded"
) -> tuple[Conversation, Sequence[Repair]]:
    """Rule 12: return a conversation as it is sent.

    `may_end` says whether the receiver accepts a list that ends with an assistant message; None to add stubs only.
    Returns the same conversation if nothing had to be added, and what was added.
    """
    closed, stubs = stub_awaited(conversation, reason)
    context = context_of(conversation)
    enforce(context.policy, stubs)
    _, (assistant, user), _ = parts_of(closed)
    if may_end is None or not needs_continuation(assistant_message(assistant), user, may_end):
        return closed, stubs
    message = continuation(context.policy)
    added = Repair(code=RepairCode.CONTINUATION_ADDED, index=length_of(conversation), added=message.content)
    enforce(context.policy, (added,))
    past, turn, _ = parts_of(step(closed, message))
    repaired = evolve(context, repairs=context.repairs.append(added))
    return make_conversation(past, turn, repaired), (added,)
