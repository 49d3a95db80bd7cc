"""Stubs: which calls have one, what undoes it, and what is none."""

from __future__ import annotations

from itertools import combinations

import pytest
from tests.helpers import ASKED, CALL, codes

from message_history import (
    CallState,
    Message,
    MessageHistory,
    Policy,
    RepairCode,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from message_history.history import restored


def test_a_result_after_a_stub_of_its_own_call_is_in_order() -> None:
    stub = ASKED.add_user("go on")[2].results[0]
    history = ASKED.add(Message.user([stub, ToolResultBlock("1", "r")]))
    assert history.calls[0].state is CallState.ANSWERED
    assert codes(history) == [RepairCode.STUB_REPLACED]


def test_a_result_beside_others_that_is_added_with_the_text_of_a_stub_is_a_result() -> None:
    said = ToolResultBlock("1", Policy().stub_text, is_error=True)
    history = ASKED.add(Message.user([TextBlock(" "), said]))
    assert history.calls[0].state is CallState.ANSWERED
    assert not history[2].results[0].is_stub


@pytest.mark.parametrize("answered", [subset for count in range(3) for subset in combinations("123", count)])
def test_each_call_without_a_result_is_sent_with_a_stub_whichever_others_have_one(answered: tuple[str, ...]) -> None:
    history = MessageHistory().add_user("q").add_assistant([ToolUseBlock(id, "f", {}) for id in "123"])
    for id in answered:
        history = history.add_tool_result(id, f"r{id}")
    sent = history.as_sent(reason="interrupted")
    waiting = [id for id in "123" if id not in answered]
    results = {result.tool_use_id: result for result in sent[-1].results}
    assert [id for id, result in results.items() if result.mark and result.mark.reason == "interrupted"] == waiting
    assert [repair.ids for repair in sent.repairs] == [(id,) for id in waiting]
    assert [call.id for call in history.awaiting] == waiting
    assert all(results[id].text == f"r{id}" for id in answered)


def test_more_calls_than_are_looked_through_one_by_one_get_their_results_in_any_order() -> None:
    history = MessageHistory().add_user("q").add_assistant([ToolUseBlock(f"{n}", "f", {}) for n in range(12)])
    history = history.as_sent(reason="interrupted")
    for n in (11, 3, 0, *range(4, 11), 2, 1):
        assert f"{n}" in [call.id for call in history.awaiting]
        history = history.add_tool_result(f"{n}", f"r{n}")
        assert history.add_tool_result(f"{n}", f"r{n}")[-1] == history[-1]
    assert [result.text for result in history[-1].results] == [f"r{n}" for n in range(12)]
    assert not history.awaiting


@pytest.mark.parametrize("first", ["1", "2"])
def test_stubs_that_were_saved_as_they_were_sent_are_undone_by_results(first: str) -> None:
    asked = MessageHistory().add_user("q").add_assistant([" ", CALL, ToolUseBlock("2", "f", {})])
    sent = asked.as_sent()
    loaded = restored(sent.to_list(), Policy(), sent.repairs)
    assert loaded.repairs == sent.repairs
    done = loaded.add_tool_result(first, "r")
    assert done == sent.add_tool_result(first, "r")
    assert codes(done) == [RepairCode.BLANK_TEXT_DROPPED, RepairCode.RESULT_STUBBED]
    whole = done.add_tool_result("2" if first == "1" else "1", "r")
    assert codes(whole) == [RepairCode.BLANK_TEXT_DROPPED]


def test_the_text_of_a_stub_that_is_no_error_is_known_in_a_list_of_messages() -> None:
    waiting = Message.user([ToolResultBlock("1", "[This call was approved. It has not run yet.]")])
    history = MessageHistory.from_list([*ASKED, waiting])
    assert history.calls[0].state is CallState.APPROVED
    assert history[2].results[0].is_stub


def test_a_policy_with_words_of_its_own_knows_the_reason_of_a_denial_in_the_usual_ones() -> None:
    denied = ASKED.record_call("1", CallState.DENIED, reason="too dear")
    told = ToolResultBlock("1", denied[2].results[0].text, is_error=True)
    history = MessageHistory.from_list([*ASKED, Message.user([told])], policy=Policy(denied_text="No."))
    assert [(each.state, each.detail) for each in history.calls] == [(CallState.DENIED, "too dear")]
