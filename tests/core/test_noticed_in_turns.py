"""What a mutation run changed in the rules of turns, and no other quick test noticed."""

from __future__ import annotations

from itertools import combinations

import pytest
from tests.helpers import codes

from message_history import (
    CallState,
    InvariantError,
    Message,
    MessageHistory,
    Policy,
    RepairCode,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnknownCallError,
)
from message_history.core.messages.message import make_message, with_replies
from message_history.core.messages.replies import ReplyInfo
from message_history.dialects import Anthropic

CALL = ToolUseBlock("1", "f", {})
ASKED = MessageHistory().add_user("q").add_assistant(CALL)


def test_what_a_provider_said_is_kept_once_where_a_reply_holds_a_result_too() -> None:
    said = ReplyInfo(id="msg_1")
    reply = with_replies(make_message("assistant", (TextBlock("a"), ToolResultBlock("1", "r"))), (said,))
    history = ASKED.add(reply)
    assert history[1].replies == (said,)
    assert codes(history) == [RepairCode.RESULT_REHOMED]


def test_a_result_after_a_stub_of_its_own_call_is_in_order() -> None:
    stub = ASKED.add_user("go on")[2].results[0]
    history = ASKED.add(Message.user([stub, ToolResultBlock("1", "r")]))
    assert history.calls[0].state is CallState.ANSWERED
    assert codes(history) == [RepairCode.STUB_REPLACED]


def test_a_reply_whose_call_is_like_one_that_was_made_meanwhile_has_a_key_of_its_own() -> None:
    sent = MessageHistory().add_user("q")
    now = sent.add_user("more").add_assistant(CALL)
    later = sent.add_assistant("Hm.").add_user("more").add_assistant(CALL)
    reply = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}}],
    }
    for grown in (now, later):
        both = grown.add_response(reply, dialect=Anthropic(), sent=sent)
        assert len(both.calls) == len({record.key for record in both.calls}) == 2


@pytest.mark.parametrize("last", [CallState.DENIED, CallState.CANCELLED])
def test_a_late_result_in_a_list_is_for_the_call_that_must_not_run_before_one_that_has_run(last: CallState) -> None:
    denied = ASKED.record_call("1", last).add_user("so").add_assistant(CALL).add_tool_result("1", "r")
    late = denied.add_assistant("a").add(Message.user([ToolResultBlock("1", "late")]))
    assert codes(late)[-1] is RepairCode.LATE_RESULT_QUOTED
    assert [record.result and record.result.text for record in late.calls] == ["late", "r"]


def test_a_list_that_needs_what_a_strict_policy_allows_is_held_by_that_policy_from_then_on() -> None:
    strict = Policy(on_violation="raise")
    talk = [Message.user("b"), Message.assistant("a"), Message.user([ToolResultBlock("1", "r")])]
    history = MessageHistory.from_list([Message.user("q"), Message.assistant(CALL), *talk], policy=strict)
    assert codes(history) == [RepairCode.RESULT_MOVED]
    assert history.policy == strict
    with pytest.raises(InvariantError):
        history.add_assistant(CALL).add_user("go on").add_assistant("a")


def test_a_call_of_another_version_that_had_more_calls_is_unknown() -> None:
    more = ASKED.add_assistant(ToolUseBlock("2", "f", {})).awaiting[1]
    for here in (ASKED, ASKED.add_tool_result("1", "r").add_assistant("a").add_user("b")):
        with pytest.raises(UnknownCallError):
            here.add_tool_result(more, "r")


def test_what_was_quoted_in_a_settled_turn_is_known_of_its_call() -> None:
    late = ASKED.add_user("go on").add_assistant("a").add_user("b").add_tool_result("1", "late")
    settled = late.add_assistant("c").add_user("d")
    assert codes(settled.add_tool_result("1", "late"))[-1] is RepairCode.DUPLICATE_RESULT_DROPPED
    second = settled.add_tool_result("1", "other")
    assert codes(second)[-1] is RepairCode.SECOND_RESULT_QUOTED
    assert [record.result and record.result.text for record in second.calls] == ["late"]


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


def test_a_prompt_alone_with_something_said_of_it_is_the_prompt() -> None:
    history = MessageHistory.from_list([{"role": "system", "content": "Be brief.", "metadata": {"a": 1}}])
    assert history.system == "Be brief."
    assert [(repair.code, repair.source) for repair in history.repairs] == [(RepairCode.EMPTY_MESSAGE_DROPPED, 0)]


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


def test_what_a_strict_policy_refuses_of_a_list_is_told_whole() -> None:
    raw = [Message.user("q"), Message.user([ToolResultBlock("8", "r")]), Message.user([ToolResultBlock("9", "r")])]
    with pytest.raises(InvariantError) as refused:
        MessageHistory.from_list(raw, policy=Policy(on_violation="raise"))
    assert [repair.ids for repair in refused.value.violations] == [("8",), ("9",)]


def test_messages_of_a_user_that_follow_each_other_in_a_list_are_one_each_time() -> None:
    raw = [*map(Message.user, "ab"), Message.assistant("c"), *map(Message.user, "def"), Message.assistant("g")]
    assert [message.text for message in MessageHistory.from_list(raw)] == ["a\nb", "c", "d\ne\nf", "g"]
