"""Results that come late or twice: which call each is for, and how it is quoted."""

from __future__ import annotations

import pytest
from tests.helpers import ASKED, CALL, codes

from message_history import (
    CallState,
    Message,
    MessageHistory,
    RepairCode,
    ToolResultBlock,
    ToolUseBlock,
)


@pytest.mark.parametrize("last", [CallState.DENIED, CallState.CANCELLED])
def test_a_late_result_in_a_list_is_for_the_call_that_must_not_run_before_one_that_has_run(last: CallState) -> None:
    denied = ASKED.record_call("1", last).add_user("so").add_assistant(CALL).add_tool_result("1", "r")
    late = denied.add_assistant("a").add(Message.user([ToolResultBlock("1", "late")]))
    assert codes(late)[-1] is RepairCode.LATE_RESULT_QUOTED
    assert [record.result and record.result.text for record in late.calls] == ["late", "r"]


def test_what_was_quoted_in_a_settled_turn_is_known_of_its_call() -> None:
    late = ASKED.add_user("go on").add_assistant("a").add_user("b").add_tool_result("1", "late")
    settled = late.add_assistant("c").add_user("d")
    assert codes(settled.add_tool_result("1", "late"))[-1] is RepairCode.DUPLICATE_RESULT_DROPPED
    second = settled.add_tool_result("1", "other")
    assert codes(second)[-1] is RepairCode.SECOND_RESULT_QUOTED
    assert [record.result and record.result.text for record in second.calls] == ["late"]


def test_a_late_result_is_known_before_anything_else_is_said() -> None:
    late = ASKED.add_user("go on").add_assistant("a").add_user("b").add_tool_result("1", "late").add_assistant("c")
    assert codes(late.add_tool_result("1", "late"))[-1] is RepairCode.DUPLICATE_RESULT_DROPPED
    assert codes(late.add_tool_result("1", "other"))[-1] is RepairCode.SECOND_RESULT_QUOTED


def test_of_a_followed_list_the_second_late_result_of_a_call_is_quoted_as_the_second() -> None:
    raw = [Message.user("q"), Message.assistant(CALL)]
    followed = MessageHistory().follow(raw)
    for text in ("late", "late", "other"):
        raw = [*raw, Message.user([ToolResultBlock("1", text)])]
        followed = followed.follow(raw)
    assert codes(followed.history) == [
        RepairCode.RESULT_STUBBED,
        RepairCode.LATE_RESULT_QUOTED,
        RepairCode.DUPLICATE_RESULT_DROPPED,
        RepairCode.SECOND_RESULT_QUOTED,
    ]


def test_a_second_late_result_before_a_reply_is_for_the_last_of_the_calls_that_have_theirs() -> None:
    raw = [Message.user("q"), Message.assistant(CALL)]
    followed = MessageHistory().follow(raw)
    raw += [Message.user([ToolResultBlock("1", "late")]), Message.assistant(CALL)]
    raw += [Message.user([ToolResultBlock("1", "r")]), Message.assistant("a"), Message.user("c")]
    followed = followed.follow(raw)
    late = followed.follow([*raw, Message.user([ToolResultBlock("1", "x")]), Message.assistant("d")]).history
    assert [each.result and each.result.text for each in late.calls] == ["late", "r"]
    marks = [block.mark for message in late for block in message.content if block.mark is not None]
    assert (marks[-1].kind, marks[-1].reason, marks[-1].key) == ("quote", "second", late.calls[-1].key)


def test_a_stub_alone_in_its_message_is_known_when_its_result_comes() -> None:
    stubbed = ASKED.as_sent().add_assistant(CALL).add(Message.user([ToolResultBlock("1", "r")])).add_assistant("a")
    late = stubbed.add(Message.user([ToolResultBlock("1", "late")]))
    assert [each.result and each.result.text for each in late.calls] == ["late", "r"]


def test_a_late_result_in_the_turn_of_its_call_is_its_result() -> None:
    raw = [Message.user("q"), Message.assistant(CALL)]
    late = MessageHistory().follow(raw).follow([*raw, Message.user([ToolResultBlock("1", "late")])]).history
    assert not late.awaiting
    second = late.add_tool_result("1", "other")
    assert codes(second)[-1] is RepairCode.SECOND_RESULT_QUOTED
    assert [each.result and each.result.text for each in second.calls] == ["late"]
    assert codes(late.add_tool_result("1", "late"))[-1] is RepairCode.DUPLICATE_RESULT_DROPPED


def test_a_result_that_is_given_for_an_older_call_is_not_that_of_the_call_that_waits() -> None:
    history = ASKED.add_user("b").add_assistant(CALL)
    late = history.add_tool_result(history.calls[0].call, "late")
    assert [each.result and each.result.text for each in late.calls] == ["late", None]


def test_a_late_result_says_that_the_arguments_were_edited_and_by_whom() -> None:
    edited = ASKED.record_call("1", CallState.APPROVED, by="ann", input={"n": 2})
    settled = edited.add_user("b").add_assistant("a").add_user("c")
    late = settled.add_tool_result("1", "late")
    assert late[-1].text.endswith("late\n[A person edited the arguments of this call.]")
    assert [each.by for each in late.calls[0].decisions] == ["ann"]
    marks = [block.mark for block in late[-1].content if block.mark is not None and block.mark.kind == "quote"]
    assert [[each.by for each in mark.decisions] for mark in marks] == [["ann"]]


def test_an_id_whose_calls_are_all_answered_means_the_last_of_them() -> None:
    late = ASKED.add_user("b").add_assistant("a").add_user("c").add_tool_result("1", "late")
    answered = late.add_assistant(CALL).add(Message.user([ToolResultBlock("1", "r")])).add_assistant("d").add_user("e")
    second = answered.add_tool_result("1", "x")
    marks = [block.mark for block in second[-1].content if block.mark is not None]
    assert [(mark.reason, mark.key) for mark in marks] == [("second", answered.calls[-1].key)]
    assert codes(answered.add_tool_result("1", "r"))[-1] is RepairCode.DUPLICATE_RESULT_DROPPED


def test_a_late_result_with_the_id_that_a_call_came_with_is_quoted_behind_its_turn() -> None:
    calls = [ToolUseBlock("x", "f", {"n": 1}), ToolUseBlock("x", "f", {"n": 2})]
    history = MessageHistory().add_user("go").add_assistant(calls)
    history = history.add_tool_result(history.awaiting[1], "two").add_user("on").without_unanswered()
    assert history[1].ids == ("x_2",)
    late = history.add_assistant("so").add({"role": "user", "content": [ToolResultBlock("x", "late")]})
    assert late[-1].text.endswith("late")
    assert late.repairs[-1].code is RepairCode.SECOND_RESULT_QUOTED
