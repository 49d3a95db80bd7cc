"""Two versions that grew from one: what one of them added is added to the other.

Branches of a graph run at the same time, each on the history that the step began with. What a branch added is taken
step by step behind what the others did; nothing here decides what becomes of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from attrs import evolve

from message_history.core.ingest import Ingest
from message_history.core.repairs import RepairCode
from message_history.core.rules import enforce
from message_history.history import history_of
from message_history.replies import added_since

if TYPE_CHECKING:
    from message_history.history import MessageHistory

__all__ = ["goes_on", "merged"]


def goes_on(base: MessageHistory, history: MessageHistory) -> bool:
    """Tell whether a history grew from another by additions only.

    Args:
        base: the earlier one.
        history: the later one.

    Returns:
        False when it was cut, rewritten or given another system prompt since.

    Complexity: linear in what was added; one comparison for 512 turns of what the two share.
    """
    same_system = base._context.system.blocks == history._context.system.blocks
    return history is base or (same_system and added_since(base._state, history._state) is not None)


def merged(base: MessageHistory, history: MessageHistory, branch: MessageHistory) -> MessageHistory:
    """Add what a branch added.

    Args:
        base: the history that the branch began with.
        history: the history that takes it; it may have come from another branch.
        branch: the history that the branch ended with.

    Returns:
        The history with the branch's messages, results and repairs behind its own. Thinking among them is marked as
        no longer bound to what comes before it.

    Raises:
        ValueError: when the branch did not grow from the base.
        InvariantError: see `MessageHistory.add`.

    Complexity: linear in what the branch added and in the open turn.
    """
    added = added_since(base._state, branch._state) if goes_on(base, branch) else None
    if added is None:
        raise ValueError("this history did not grow from `base`: it is another, or was cut since")
    if history is base:
        return branch
    ahead = len(history) - len(base)
    told = base._context.repairs
    since = branch._context.repairs[len(told) :] if branch._context.repairs.starts_with(told) else ()
    new = [repair for repair in since if repair.code not in _TOLD_ANEW]
    ingest = Ingest(history._context, history._conversation)
    ingest.told(evolve(repair, index=repair.index + ahead * (repair.index >= len(base))) for repair in new)
    for message, call in added.steps:
        if not any(result.is_stub for result in message.results):
            ingest.take(message, None, bind=True, answers=call)
    enforce(history.policy, ingest.repairs[len(new) :])
    return history_of(ingest.conversation())


_TOLD_ANEW: Final = (RepairCode.RESULT_STUBBED, RepairCode.STUB_REPLACED)
"""Another branch may have the results that were stubbed: what is still without one gets its stub here."""
