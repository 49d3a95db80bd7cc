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
from message_history.core.messages.arrived import Arrival
from message_history.core.messages.message import make_message, with_arrivals, with_replies
from message_history.core.messages.replies import ReplyInfo
from message_history.core.turns.states import CallStateError
from message_history.core.values.json_values import FrozenDict
from message_history.core.values.meta import Mark, Meta
from message_history.dialects import Anthropic
from message_history.history import restored

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


def test_more_calls_than_are_looked_through_one_by_one_get_their_results_in_any_order() -> None:
    history = MessageHistory().add_user("q").add_assistant([ToolUseBlock(f"{n}", "f", {}) for n in range(12)])
    history = history.as_sent(reason="interrupted")
    for n in (11, 3, 0, *range(4, 11), 2, 1):
        assert f"{n}" in [call.id for call in history.awaiting]
        history = history.add_tool_result(f"{n}", f"r{n}")
        assert history.add_tool_result(f"{n}", f"r{n}")[-1] == history[-1]
    assert [result.text for result in history[-1].results] == [f"r{n}" for n in range(12)]
    assert not history.awaiting


def test_a_call_that_its_provider_runs_is_approved_and_not_started_here() -> None:
    call = ToolUseBlock("1", "f", {}, meta=Meta(mark=Mark(kind="approval", reason="provider")))
    asked = MessageHistory().add_user("q").add_assistant(call)
    with pytest.raises(CallStateError, match=r"what may follow is approved, denied, cancelled$"):
        asked.record_call("1", CallState.STARTED)
    approved = asked.record_call("1", CallState.APPROVED)
    assert approved.calls[0].state is CallState.APPROVED
    assert not approved.calls.unsettled()


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


def test_what_is_said_of_messages_of_results_ends_where_each_does() -> None:
    history = ASKED.add_assistant(ToolUseBlock("2", "f", {}))
    for n, block in enumerate((ToolResultBlock("1", "r"), ToolResultBlock("2", "s"), TextBlock("t"))):
        history = history.add(with_arrivals(make_message("user", (block,)), (Arrival(1, FrozenDict({"n": n})),)))
    assert [(each.end, each.metadata) for each in history[-1].arrivals] == [(n + 1, {"n": n}) for n in range(3)]


def test_a_prompt_alone_is_the_prompt() -> None:
    history = MessageHistory.from_list([{"role": "system", "content": "Be brief."}])
    assert (history.system, len(history), history.repairs) == ("Be brief.", 0, ())


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


@pytest.mark.parametrize(("id", "texts"), [(None, ["q", "a"]), ("msg_1", ["q", "a", "[Please continue.]", "a"])])
def test_a_reply_with_an_id_is_not_what_was_said_without_a_provider(id: str | None, texts: list[str]) -> None:
    reply = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "a"}]}
    said = MessageHistory().add_user("q").add_assistant("a")
    history = said.add_response({**reply, "id": id} if id else reply, dialect=Anthropic())
    assert [message.text for message in history] == texts


def test_an_id_whose_calls_are_all_answered_means_the_last_of_them() -> None:
    late = ASKED.add_user("b").add_assistant("a").add_user("c").add_tool_result("1", "late")
    answered = late.add_assistant(CALL).add(Message.user([ToolResultBlock("1", "r")])).add_assistant("d").add_user("e")
    second = answered.add_tool_result("1", "x")
    marks = [block.mark for block in second[-1].content if block.mark is not None]
    assert [(mark.reason, mark.key) for mark in marks] == [("second", answered.calls[-1].key)]
    assert codes(answered.add_tool_result("1", "r"))[-1] is RepairCode.DUPLICATE_RESULT_DROPPED


@pytest.mark.parametrize("before", [MessageHistory(), MessageHistory().add_user(["q", "and?"])])
def test_what_is_said_of_a_blank_beginning_of_a_reply_ends_before_the_rest(before: MessageHistory) -> None:
    said = (Arrival(1, FrozenDict({"n": 0})), Arrival(2, FrozenDict({"n": 1})))
    reply = with_arrivals(make_message("assistant", (TextBlock(" "), TextBlock("a"))), said)
    history = before.add(reply)
    assert [(each.end, each.metadata) for each in history[-1].arrivals] == [(0, {"n": 0}), (1, {"n": 1})]
