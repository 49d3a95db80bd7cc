"""What branches add to one history is all in the history that they meet in."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history import (
    Message,
    MessageHistory,
    RepairCode,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    check,
)
from message_history.dialects import Native
from message_history.integrations.merging import goes_on, merged
from message_history.integrations.strategies import histories, messages

if TYPE_CHECKING:
    from message_history.core.messages.block_base import Block

CALLING = MessageHistory().add_user("Weather?").add_assistant([ToolUseBlock(id, "f", {}) for id in ("1", "2", "3")])


def held(history: MessageHistory) -> Counter[Block]:
    """Count what a history holds and what it says was removed."""
    blocks: list[object] = [block for message in history for block in message.content]
    removed = [block for repair in history.repairs for block in repair.removed]
    return Counter(block for block in [*blocks, *removed] if isinstance(block, TextBlock))


def test_results_of_branches_meet_in_any_order() -> None:
    branches = [CALLING.add_tool_result(id, f"result {id}") for id in ("1", "2", "3")]
    for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0)):
        history = branches[order[0]]
        for number in order[1:]:
            history = merged(CALLING, history, branches[number])
        assert [result.text for result in history[2].results] == ["result 1", "result 2", "result 3"]
        assert history.awaiting == ()
        assert history.repairs == ()


def search(history: MessageHistory, query: str, *, result: str | None = None) -> MessageHistory:
    """Let a branch make a call, under the id that every branch uses, and answer it."""
    history = history.add_assistant(ToolUseBlock("search_0", "search", {"q": query}))
    return history if result is None else history.add_tool_result(history.awaiting[-1], result)


def answers(history: MessageHistory) -> dict[object, str]:
    """Tell what the calls have been given, by what they ask."""
    turns = [
        zip(assistant.calls, user.results, strict=True) for assistant, user in pairwise(history) if assistant.calls
    ]
    return {call.input["q"]: result.text for turn in turns for call, result in turn if not result.is_stub}


def test_branches_that_call_under_one_id_keep_their_own_results() -> None:
    base = MessageHistory().add_user("q")
    waiting, working = search(base, "cats"), search(base, "dogs", result="about dogs")
    for first, second in ((waiting, working), (working, waiting)):
        history = merged(base, first, second)
        assert answers(history) == {"dogs": "about dogs"}
        assert [call.input["q"] for call in history.awaiting] == ["cats"]
    both = merged(base, search(base, "cats", result="about cats"), working)
    assert answers(both) == {"cats": "about cats", "dogs": "about dogs"}


def test_branches_that_make_the_same_call_share_its_result() -> None:
    base = MessageHistory().add_user("q")
    twice = search(search(base, "dogs"), "cats", result="about cats")
    history = merged(base, search(base, "cats"), twice)
    assert answers(history) == {"cats": "about cats"}
    assert [call.input["q"] for call in history.awaiting] == ["dogs"]


def test_a_call_that_was_renamed_in_its_branch_is_known_for_the_same_as_another() -> None:
    base = search(MessageHistory().add_user("q"), "cats")
    asked = search(base.add_user("And dogs?"), "dogs")
    renamed = search(base, "dogs", result="about dogs")
    assert [call.id for call in renamed[1].calls] == ["search_0", "search_0_2"]
    history = merged(base, asked, renamed)
    assert [call.id for call in history[3].calls] == ["search_0"]
    assert answers(history) == {"dogs": "about dogs"}
    assert MessageHistory.from_list(history.to_list(), open_tail="keep") == history


def test_a_second_result_of_a_call_does_not_go_to_another_with_its_id() -> None:
    base = search(MessageHistory().add_user("q"), "cats")
    one = search(base, "dogs").add_tool_result(base.awaiting[0], "about cats")
    two = base.add_tool_result(base.awaiting[0], "more about cats")
    history = merged(base, one, two)
    assert answers(history) == {"cats": "about cats"}
    assert [call.input["q"] for call in history.awaiting] == ["dogs"]
    assert history[-1].text.endswith("more about cats")


def test_a_stub_of_one_branch_gives_way_to_the_result_of_another() -> None:
    impatient = CALLING.add_tool_result("1", "one").add_user("Hurry up.")
    working = CALLING.add_tool_result("2", "two").add_tool_result("3", "three")
    for first, second in ((impatient, working), (working, impatient)):
        history = merged(CALLING, first, second)
        assert [result.text for result in history[2].results] == ["one", "two", "three"]
        assert history[2].text == "Hurry up."


def test_whole_turns_of_branches_follow_each_other() -> None:
    base = MessageHistory().add_user("hi")
    left = base.add_assistant("left").add_user("go on").add_assistant("left again")
    right = base.add_assistant([ThinkingBlock("hm", "c2ln"), TextBlock("right")])
    history = merged(base, left, right)
    assert [message.text for message in history] == ["hi", "left", "go on", "left again\nright"]
    assert ThinkingBlock("hm", "c2ln", bound=False) in history[-1].content
    assert [message.text for message in merged(base, right, left)] == ["hi", "right\nleft", "go on", "left again"]


def test_repairs_of_a_branch_come_along() -> None:
    base = MessageHistory().add_user("hi").add_assistant("ho")
    left = base.add_user("left")
    right = base.add(Message.user(ToolResultBlock("9", "lost"), TextBlock("right")))
    history = merged(base, left, right)
    assert history[2].text == "left\nright"
    assert [(repair.code, repair.removed[0]) for repair in history.repairs] == [
        (RepairCode.ORPHAN_RESULT_DROPPED, ToolResultBlock("9", "lost"))
    ]


def test_a_history_that_is_cut_rewritten_or_another_did_not_grow() -> None:
    base = CALLING.add_tool_result("1", "one").add_assistant("done").add_user("more").add_assistant("ok")
    for other in (
        base.rewind(),
        base.compact("short", keep_from=4),
        base.with_system("new"),
        MessageHistory(),
        CALLING,
    ):
        assert not goes_on(base, other)
        with pytest.raises(ValueError, match="is not a later version"):
            merged(base, base.add_user("x"), other)


@given(histories(), st.lists(messages(), max_size=3))
def test_what_was_added_to_goes_on(history: MessageHistory, added: list[Message]) -> None:
    grown = history.extend(added)
    same_system = grown.system == history.system
    assert goes_on(history, grown) == same_system
    if same_system:
        again = merged(history, history.add(Message.user()), grown)
        assert [(message.role, message.text) for message in again] == [
            (message.role, message.text) for message in grown
        ]
        recorded = [*(repair.code for repair in grown.repairs), RepairCode.EMPTY_MESSAGE_DROPPED]
        assert Counter(repair.code for repair in again.repairs) == Counter(recorded)


@given(histories(), st.lists(messages(), max_size=3), st.lists(messages(), max_size=3))
def test_branches_are_merged_validly_and_nothing_is_lost(
    history: MessageHistory, left: list[Message], right: list[Message]
) -> None:
    first, second = history.extend(left), history.extend(right)
    if not goes_on(history, first) or not goes_on(history, second):
        return
    met = merged(history, first, second)
    assert check(met.as_sent().to_list(), Native()) == []
    wanted = held(second)
    wanted.subtract(held(history))
    wanted.update(held(first))
    assert not +(Counter({block: n for block, n in wanted.items() if not block.mark}) - held(met))


def test_the_placeholder_that_leads_a_branch_does_not_follow_what_another_branch_added() -> None:
    base = MessageHistory()
    asked, greeted = base.add_user("hi"), base.add_assistant("Hello!")
    both = merged(base, asked, greeted)
    assert [(message.role, message.text) for message in both] == [("user", "hi"), ("assistant", "Hello!")]
    assert not both.repairs
    twice = merged(base, base.add_assistant("Good day."), greeted)
    assert [repair.code for repair in twice.repairs] == [RepairCode.BOOTSTRAP_ADDED]
    assert [message.role for message in twice] == ["user", "assistant"]
