"""What was added to a conversation since an earlier version of it, as steps that can be taken again elsewhere.

A reply belongs to the version that was sent. What was added since follows the reply: its steps are taken again. So do
the branches of a graph that grew from one version.

Nothing here decides what becomes of a step.
"""

from __future__ import annotations

from itertools import chain, groupby, repeat
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from attrs import evolve

from message_history.core.messages.blocks import ToolResultBlock, ToolUseBlock, placed
from message_history.core.messages.message import Message, is_bootstrap, make_message, piece_of, with_replies
from message_history.core.messages.repairs import RepairCode
from message_history.core.turns.conversation import Context, messages_in, open_turn_of, parts_of
from message_history.core.turns.effects import effects_in
from message_history.core.turns.naming import Names, Place, with_own_keys
from message_history.core.turns.rules import MOVES, REASONS, CallState, state_of_reason
from message_history.core.turns.stub_results import is_final, make_stub, reason_of
from message_history.core.values.keys import OPEN, Origin
from message_history.core.values.log import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.policy import Policy
    from message_history.core.messages.repairs import Repair
    from message_history.core.turns.conversation import Conversation
    from message_history.core.turns.past import Turn
    from message_history.core.values.meta import Mark

Step: TypeAlias = tuple[Message, ToolUseBlock | None]
"""A message that was added. A result is alone, with its call: after the reply, its id may be another call's."""


class Added(NamedTuple):
    """What was added to a conversation since an earlier version of it."""

    steps: list[Step]  # what was added, oldest first
    context: Context  # the context to go on with; its repairs are those of both versions


def added_since(sent: Conversation, now: Conversation) -> Added | None:
    """Find what was added since `sent`, the version as it was sent; None when the conversation did not grow from it."""
    past, _, context = parts_of(sent)
    past_now, _, context_now = parts_of(now)
    if not past_now.starts_with(past):
        return None
    assistant, user = open_turn_of(sent)
    here = messages_in(past)
    shift = 2 if user is not None else 0
    steps: list[Step] = []
    earlier = chain([(assistant, user)], repeat((None, None)))
    names = Names.of(now)
    for number, (then, turn) in enumerate(zip(earlier, _turns_from(now, len(past)), strict=False), len(past)):
        more = _steps_since(then, turn, number, context_now, names)
        if more is None:
            return None
        steps += more
        # What the assistant said since stays where it is: the reply is joined to it.
        shift = shift if steps or number > len(past) else 0
    position = here + (assistant is not None)
    repairs = _repairs_of_both(context.repairs, context_now.repairs, position, shift)
    if position == 0 and user is None and steps and is_bootstrap(steps[0][0]):
        # Nothing was there, so it leads what was added; after something else, nothing has to (rule 1).
        steps = steps[1:]
        repairs = Log(repair for repair in repairs if repair.code is not RepairCode.BOOTSTRAP_ADDED)
    return Added(steps, evolve(context_now, repairs=repairs))


def _steps_since(then: Turn, turn: Turn, number: int, context: Context, names: Names) -> list[Step] | None:
    """Return the steps that a turn took since an earlier version of it.

    `then` is without messages when the turn was not there; `number` is the turn's now. Returns None when the turn did
    not grow from that version.
    """
    (assistant, user), (assistant_now, user_now) = then, turn
    before, content = (side.content if side is not None else () for side in (assistant, assistant_now))
    answers, rest = _answered_since(user, user_now), _content_since(user, user_now)
    if content[: len(before)] != before or answers is None or rest is None:
        return None
    steps: list[Step] = []
    count = len(assistant.ids) if assistant is not None else 0
    calls = [names.call_at(Place(number, n)) for n in range(len(assistant_now.ids) if assistant_now is not None else 0)]
    # A call that is added again may be elsewhere, and is found by its key, or was dropped for one that is the same.
    calls[count:] = [placed(call, Origin(context.lineage, OPEN, 0, call.key)) for call in calls[count:]]
    if assistant_now is not None and len(content) > len(before):
        known = len(assistant.replies) if assistant is not None else 0
        own = with_own_keys(assistant_now, calls)
        more = piece_of(own, own.content[len(before) :])
        steps.append((with_replies(more, assistant_now.replies[known:]), None))
    words = user_now if user_now is not None else make_message("user", ())
    stood = user.results if user is not None else ()
    for n, result in answers:
        passed = _passed(stood[n].mark if n < len(stood) else None, result, calls[n], context.policy)
        steps += [(make_message("user", (stub,)), calls[n]) for stub in passed]
        steps.append((piece_of(words, (result,)), calls[n]))
    for is_news, blocks in groupby(rest, lambda block: _is_news_of(block, names)):
        if is_news:
            effects = effects_in(tuple(blocks), context.policy)
            steps += [(make_message("user", (stub,)), call) for stub, call in effects]
        else:
            steps.append((piece_of(words, tuple(blocks)), None))
    return steps


def _passed(
    before: Mark | None, result: ToolResultBlock, call: ToolUseBlock, policy: Policy
) -> Iterator[ToolResultBlock]:
    """Yield a stub for each state that a call has passed through: its last one may not follow the first at once."""
    mark = result.mark
    if before is None or mark is None or not result.is_stub:
        return
    known, reason = before.recorded(), before.reason
    for number, decision in enumerate(mark.decisions[:-1], 1):
        if decision not in known:
            reason = decision.state
            yield make_stub(call, policy, reason, "", mark.key, decisions=mark.decisions[:number])
    if state_of_reason(mark.reason) not in MOVES[state_of_reason(reason)]:
        # Every state that may be left reaches any other by way of this one.
        yield make_stub(call, policy, REASONS[CallState.APPROVED], "", mark.key)


def _is_news_of(block: Block, names: Names) -> bool:
    """Return whether a block tells of the state of a call that is there: whether it may move so is asked again."""
    mark = block.mark
    return mark is not None and mark.kind == "state" and names.find_key(mark.key) is not None


def _turns_from(conversation: Conversation, start: int) -> Iterator[Turn]:
    """Yield the turns from one on, including the open one."""
    past, _, _ = parts_of(conversation)
    for position in range(start, len(past)):
        yield past[position]
    yield open_turn_of(conversation)


def _answered_since(then: Message | None, now: Message | None) -> list[tuple[int, ToolResultBlock]] | None:
    """Return the results that are new in a user message, by call; None when it is another message."""
    before, results = then.results if then is not None else (), now.results if now is not None else ()
    new: list[tuple[int, ToolResultBlock]] = []
    for call, result in enumerate(results):
        old = before[call] if call < len(before) else None
        if old is None or (old.is_stub and not (result.is_stub and (result == old or not _is_news(result)))):
            new.append((call, result))
        elif not old.is_stub and old != result:
            return None
    gone = before[len(results) :]
    return new if all(result.is_stub for result in gone) else None


def _is_news(stub: ToolResultBlock) -> bool:
    """Return whether a stub says more of its call than that it has no result."""
    return is_final(stub) and reason_of(stub) != "proposed"


def _content_since(then: Message | None, now: Message | None) -> tuple[Block, ...] | None:
    """Return the new blocks after a user message's results; None when it is another message."""
    before = then.content[len(then.results) :] if then is not None else ()
    rest = now.content[len(now.results) :] if now is not None else ()
    if before and rest[: len(before)] != before and is_continuation(before[-1]):
        # It was added only to be sent.
        before = before[:-1]
    return rest[len(before) :] if rest[: len(before)] == before else None


def is_continuation(block: Block) -> bool:
    """Return whether a block was made to be sent after the assistant's."""
    return block.mark is not None and block.mark.kind == "continuation"


def _repairs_of_both(sent: Log[Repair], now: Log[Repair], position: int, shift: int) -> Log[Repair]:
    """Join the repairs of both versions.

    The open turn's user message was at `position` when it was sent; what was added to it is now `shift` messages
    further back. The repairs of the version that was sent come first, then the newer ones, without those of results
    that replaced stubs of the turn that was sent: after the reply, they replace none.
    """
    closing = bool(sent) and sent[-1].code is RepairCode.CONTINUATION_ADDED
    shared = len(sent) - (closing and (len(now) < len(sent) or now[len(sent) - 1] != sent[-1]))
    if shared and (len(now) < shared or now[shared - 1] != sent[shared - 1]):
        return now
    undone = (RepairCode.STUB_REPLACED, RepairCode.RESULTS_REORDERED)
    return sent.extend(
        evolve(repair, index=repair.index + shift) if repair.index >= position else repair
        for repair in now[shared:]
        if not (repair.code in undone and repair.index == position)
    )
