"""All that was recorded of a call is kept in its order, whichever way it took through the states."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest

from message_history import CallState, MessageHistory, ToolResultBlock, ToolUseBlock
from message_history.core.turns.rules import MOVES, REASONS
from message_history.core.turns.stub_results import after_decisions
from message_history.core.values.meta import Decision, Mark, Meta

if TYPE_CHECKING:
    from collections.abc import Iterator

Walk = tuple[tuple[CallState, str], ...]
ASKED = MessageHistory().add_user("q").add_assistant([ToolUseBlock("0", "g", {}), ToolUseBlock("1", "f", {})])
LONGEST = 3


def walks(state: CallState, left: int) -> Iterator[Walk]:
    """Give every way of a call through the states, with nobody or one worker who says so each time."""
    yield ()
    for following in MOVES[state] if left else ():
        for rest in walks(following, left - 1):
            yield from (((following, by), *rest) for by in ("", "w"))


def walked(walk: Walk, settles: int) -> MessageHistory:
    """Record a walk; the turn settles before the step of that number."""
    history = ASKED
    for number, (state, by) in enumerate(walk):
        if number == settles:
            history = history.add_user("and?").add_assistant("Hm.")
        history = history.record_call("1", state, by=by)
    return history


@pytest.mark.parametrize("settles", range(LONGEST + 1))
def test_what_was_recorded_is_kept_in_its_order(settles: int) -> None:
    for walk in walks(CallState.PROPOSED, LONGEST):
        if len(walk) <= settles < LONGEST or walk[:1] == walk[1:2] != ():
            continue  # It does not settle on the way, or says again all that was said, as another branch does.
        history = walked(walk, settles)
        recorded = tuple(Decision(state=REASONS[state], by=by) for state, by in walk)
        other, call = history.calls
        assert call.decisions == recorded, walk
        assert call.state == (walk[-1][0] if walk else CallState.PROPOSED)
        assert other.decisions == ()
        assert MessageHistory.from_list(history.to_list(), open_tail="keep").calls[1].decisions == recorded
        answered = history.add_tool_result(call.call, "r").calls[1]
        assert (answered.state, answered.by) == (CallState.ANSWERED, walk[-1][1] if walk else "")
        # In its own turn, a result takes the place of the stubs that said no more than a state.
        is_kept = settles < LONGEST or any(by for _, by in walk)
        assert answered.decisions == (recorded if is_kept else ()), walk


A, B, C = (Decision(state=state, by="w") for state in ("pending", "approved", "started"))
FEW = [taken for count in (1, 2) for taken in product((A, B, C), repeat=count)]


@pytest.mark.parametrize("is_stub", [True, False])
def test_what_was_recorded_in_two_places_is_joined_and_nothing_is_lost(is_stub: bool) -> None:
    """Of branches that a reply joined, or of a list from elsewhere: each says what the other may say too."""
    for earlier, later in product(FEW, repeat=2):
        mark = Mark(kind="stub" if is_stub else "decided", decisions=later, key="k")
        result = ToolResultBlock("1", "r", meta=Meta(mark=mark))
        joined = after_decisions(result, Mark(kind="stub", decisions=earlier), ToolUseBlock("1", "f", {})).mark
        assert joined is not None
        if later[: len(earlier)] == earlier:
            assert joined.decisions == later
            continue
        assert joined.decisions[: len(earlier)] == earlier
        more = joined.decisions[len(earlier) :]
        unsaid = [each for each in later if each not in earlier]
        # The state that a stub says is the last, also where it was so before.
        again = [later[-1]] if is_stub and later[-1] in earlier else []
        assert [each for each in more if each not in earlier] == unsaid
        assert [each for each in more if each in earlier][-1:] == again
