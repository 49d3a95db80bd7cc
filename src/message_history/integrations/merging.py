"""Two versions that grew from one: what one of them added is added to the other.

Branches of a graph run at the same time, each on the history that the step began with. What a branch added follows
what the others did, step by step; nothing here decides what becomes of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from attrs import evolve

from message_history.core.messages.repairs import RepairCode
from message_history.core.turns.conversation import context_of
from message_history.core.turns.growth import added_since, is_continuation
from message_history.core.turns.ingest import Ingest
from message_history.core.turns.rules import behind_change
from message_history.core.turns.stub_results import is_final
from message_history.history import conversation_of, history_of

if TYPE_CHECKING:
    from message_history.core.turns.conversation import Conversation
    from message_history.core.turns.growth import Step
    from message_history.history import MessageHistory


def goes_on(base: MessageHistory, history: MessageHistory) -> bool:
    """Return whether a history grew from another by additions only.

    The cost is linear in what was added, with one comparison for 512 turns of what the two share.
    """
    before, now = conversation_of(base), conversation_of(history)
    same_system = context_of(before).system == context_of(now).system
    return history is base or (same_system and added_since(before, now) is not None)


def merged(base: MessageHistory, history: MessageHistory, branch: MessageHistory) -> MessageHistory:
    """Add what a branch added.

    `history` may have come from another branch than the one that began with `base`. The branch's messages, results and
    repairs go after those of `history`, and thinking among them is marked as no longer bound to what comes before it.
    Raises `ValueError` when the branch did not grow from the base.
    """
    added = added_since(conversation_of(base), conversation_of(branch)) if goes_on(base, branch) else None
    if added is None:
        raise ValueError("this history is not a later version of `base`; was it cut since?")
    if history is base:
        return branch
    ahead = len(history) - len(base)
    known, recorded = context_of(conversation_of(base)).repairs, context_of(conversation_of(branch)).repairs
    since = recorded[len(known) :] if recorded.starts_with(known) else ()
    new = [repair for repair in since if repair.code not in _RECORDED_ANEW]
    now = conversation_of(history)
    ingest = Ingest(context_of(now), now)
    ingest.record_all(evolve(repair, index=repair.index + ahead * (repair.index >= len(base))) for repair in new)
    for message, call in _without_common_continuation(added.steps, conversation_of(base), now):
        if all(map(is_final, message.results)):
            ingest.add(behind_change(message), None, keep_thinking=True, answers=call)
    return history_of(ingest.finish(allowed=len(new), logged=since))


def _without_common_continuation(steps: list[Step], base: Conversation, now: Conversation) -> list[Step]:
    """Leave out the "go on" that both branches have sent: their replies answer the same one."""
    others = added_since(base, now)
    is_common = others is not None and bool(steps) and others.steps[:1] == steps[:1]
    return steps[1:] if is_common and all(map(is_continuation, steps[0][0].content)) else steps


_RECORDED_ANEW: Final = (RepairCode.RESULT_STUBBED, RepairCode.STUB_REPLACED, RepairCode.BOOTSTRAP_ADDED)
"""Another branch may have the results that were stubbed: what is still without one gets its stub here. So it is with a
message of the assistant that came first in its branch."""
