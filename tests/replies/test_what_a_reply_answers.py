"""A reply answers what `for_send` gives, is added once, and says with `sent` when it answers an earlier version."""

from __future__ import annotations

from typing import Any

import pytest

from message_history import CallState, InvariantError, MessageHistory, Policy, RepairCode, ThinkingBlock, check
from message_history.dialects import Anthropic, Dialect, OpenAIChat
from message_history.dialects.caching import PromptCache
from message_history.integrations.merging import merged
from tests.campaigns.targets import TARGETS


def call(id: str, **raw: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "look", "input": raw}


def reply(*content: dict[str, Any] | str, **beside: Any) -> dict[str, Any]:
    blocks = [{"type": "text", "text": part} if isinstance(part, str) else part for part in content]
    said = {"type": "message", "role": "assistant", "content": blocks, "stop_reason": "end_turn", **beside}
    return {key: value for key, value in said.items() if value is not None}


def texts(history: MessageHistory) -> list[str]:
    return [message.text for message in history]


ASKED = MessageHistory().add_user("q")
WAITING = ASKED.add_response(reply("I look.", call("1"), id="msg_1"))


# What was sent


@pytest.mark.parametrize("dialect", TARGETS, ids=lambda dialect: dialect.name)
def test_a_reply_answers_the_stubs_that_were_sent(dialect: Dialect[Any]) -> None:
    wire = WAITING.for_send(dialect)
    after = WAITING.add_response(reply("Again.", call("2"), id="msg_2"))
    assert after.for_send(dialect)[: len(wire)] == wire
    assert [waiting.id for waiting in after.awaiting] == ["2"]
    assert [repair.code for repair in after.repairs] == [RepairCode.RESULT_STUBBED]


def test_thinking_after_a_stub_that_was_sent_is_valid() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    after = WAITING.add_response(reply(thinking, call("2"), id="msg_2"))
    assert after[3].content[0] == ThinkingBlock("hm", "s", meta=after[3].content[0].meta)
    assert check(after.for_send(), Anthropic()) == []


def test_a_result_that_comes_after_the_reply_is_late() -> None:
    (first,) = WAITING.awaiting
    after = WAITING.add_response(reply("Again.", id="msg_2")).add_tool_result(first, "found")
    assert after.calls[0].state is CallState.ANSWERED
    assert after[2].results[0].is_stub


def test_what_is_no_answer_leaves_the_calls_waiting() -> None:
    assert WAITING.add_response(reply(id="msg_2")).awaiting == WAITING.awaiting


def test_a_policy_to_raise_does_so_for_stubs() -> None:
    strict = MessageHistory(policy=Policy(on_violation="raise")).add_user("q").add_response(reply(call("1"), id="a"))
    with pytest.raises(InvariantError):
        strict.add_response(reply("Again.", id="b"))
    assert strict.add_response(reply(call("1"), id="a")) == strict


def test_go_on_was_sent_where_the_dialect_or_the_model_says_so() -> None:
    half = ASKED.add_assistant("half an")
    joined, answered = ["q", "half an\nanswer"], ["q", "half an", "[Please continue.]", "answer"]
    assert texts(half.add_response(reply("answer"))) == joined
    assert texts(half.add_response(reply("answer"), dialect=Anthropic(prefill=True))) == joined
    assert texts(half.add_response(reply("answer"), dialect=Anthropic())) == answered
    assert texts(half.add_response(reply("answer", model="claude-opus-5"))) == answered
    assert texts(half.add_response(reply("answer", model="claude-3-haiku-20240307"))) == joined
    assert texts(half.add_response(reply("answer", model="a-model-that-nobody-knows"))) == joined
    assert texts(half.add_response(reply("answer", model="gpt-5"))) == joined
    assert texts(half.add_response(reply("answer", model="claude-opus-5"), sent=half)) == answered


def test_a_paused_turn_is_joined() -> None:
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}
    paused = ASKED.add_response(reply(search, id="msg_1", model="claude-opus-5", stop_reason="pause_turn"))
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    done = paused.add_response(reply(found, "Done.", id="msg_2", model="claude-opus-5"))
    assert [message.role for message in done] == ["user", "assistant"]


def test_pieces_of_a_reply_that_has_not_ended_are_joined() -> None:
    history = ASKED
    blocks: list[dict[str, Any] | str] = ["I look.", call("1"), call("2")]
    for n, block in enumerate(blocks):
        history = history.add_response(reply(block, id="msg_1", stop_reason="tool_use" if n == 2 else None))
    assert [waiting.id for waiting in history.awaiting] == ["1", "2"]
    after = history.add_response(reply(call("3"), id="msg_1"))
    assert [waiting.id for waiting in after.awaiting] == ["3"]


# The same reply again


@pytest.mark.parametrize("id", ["msg_1", None])
def test_a_reply_that_is_there_adds_nothing(id: str | None) -> None:
    said = reply("I look.", call("1"), call("2"), id=id)
    once = ASKED.add_response(said)
    assert once.add_response(said) is once
    answered = once.add_tool_result("2", "found")
    assert answered.add_response(said) is answered
    loaded = MessageHistory.from_list(answered.to_list())
    assert loaded.add_response(said) is loaded
    assert answered.add_response(said, sent=ASKED) is answered


def test_calls_that_were_numbered_by_position_are_known_again() -> None:
    part = {"functionCall": {"name": "search", "args": {"q": "cats"}}}
    said = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]}
    once = ASKED.add_response(said)
    assert once.add_response(said) is once


def test_another_id_or_text_makes_it_a_new_one() -> None:
    polled = ASKED.add_response(reply(call("call_0"), id="a")).add_tool_result("call_0", "not yet")
    assert len(polled.add_response(reply(call("call_0"), id="b"))) == 4
    assert len(polled.add_response(reply("So.", call("call_0"), id="a"))) == 4
    assert len(polled.add_response(reply(call("call_0", n=1)))) == 4
    counted = ASKED.add_response(reply(call("call_0"), usage={"input_tokens": 1})).add_tool_result("call_0", "")
    assert len(counted.add_response(reply(call("call_0"), usage={"input_tokens": 9}))) == 4


def test_a_server_without_ids_that_says_when_it_replied_is_told_apart() -> None:
    def polls(time: str) -> dict[str, Any]:
        message = {"role": "assistant", "tool_calls": [{"function": {"name": "poll", "arguments": "{}"}}]}
        return {"choices": [{"message": message, "finish_reason": "tool_calls"}], "created_at": time}

    polled = ASKED.add_response(polls("1"))
    answered = polled.add_tool_result(polled.awaiting[0], "not yet")
    assert answered.add_response(polls("1")) is answered
    assert len(answered.add_response(polls("2"))) == 4


def test_the_same_call_after_stubs_that_the_caller_has_sent_is_a_new_one() -> None:
    called = ASKED.add_response(reply(call("1")))
    assert called.add_response(reply(call("1"))) is called
    assert len(called.as_sent().add_response(reply(call("1")))) == 4


def test_the_same_words_after_other_words_of_the_user_are_a_new_reply() -> None:
    assert texts(ASKED.add_response(reply("ok")).add_user("Sure?").add_response(reply("ok"))) == [
        *("q", "ok", "Sure?", "ok")
    ]


def test_usage_that_comes_with_the_reply_again_is_kept() -> None:
    once = ASKED.add_response(reply("ok", id="msg_1"))
    again = once.add_response(reply("ok", id="msg_1", usage={"input_tokens": 3, "output_tokens": 1}))
    assert again == once
    assert again.usage().input_tokens == 3
    assert len(again[-1].replies) == 1


def test_one_id_for_all_replies_is_told_apart_by_the_input() -> None:
    first = ASKED.add_response(reply(call("1"), id="x", usage={"input_tokens": 5})).add_tool_result("1", "a")
    assert len(first.add_response(reply(call("1"), id="x", usage={"input_tokens": 9}))) == 4


# Several replies to one version


def test_two_branches_both_wait_in_the_order_of_arrival() -> None:
    both = ASKED.add_response(reply("a", call("1")), sent=ASKED).add_response(reply("b", call("2")), sent=ASKED)
    assert [waiting.id for waiting in both.awaiting] == ["1", "2"]
    assert texts(both) == ["q", "a\nb"]
    after = (
        ASKED.add_response(reply("a", call("1"))).add_tool_result("1", "A").add_response(reply(call("2")), sent=ASKED)
    )
    assert [waiting.id for waiting in after.awaiting] == ["2"]
    assert after[2].results[0].text == "A"


def test_thinking_of_the_second_of_two_replies_is_invalidated() -> None:
    def thinks(text: str) -> dict[str, Any]:
        return reply({"type": "thinking", "thinking": text, "signature": text}, text)

    both = ASKED.add_response(thinks("a"), sent=ASKED).add_response(thinks("b"), sent=ASKED)
    assert [block.bound for block in both[-1].content if isinstance(block, ThinkingBlock)] == [True, False]


def test_a_repair_behind_two_replies_stays_where_it_is() -> None:
    blank = {"role": "user", "content": [{"type": "text", "text": " "}, {"type": "text", "text": "r"}]}
    first = ASKED.add_response(reply("a"), sent=ASKED).add(blank)
    after = first.add_response(reply("b"), sent=ASKED)
    assert [repair.index for repair in after.repairs] == [repair.index for repair in first.repairs] == [2]


def test_branches_that_both_went_on_from_a_text_meet_after_one_go_on() -> None:
    base = ASKED.add_assistant("half")
    left, right = (base.add_response(reply(call(id)), dialect=Anthropic()) for id in ("1", "2"))
    both = merged(base, merged(base, base, left), right)
    assert [waiting.id for waiting in both.awaiting] == ["1", "2"]


# A reply that grows


def test_a_reply_that_grew_takes_the_place_of_its_beginning() -> None:
    eager = ASKED.add_response(reply("I pay.", call("1"), id="msg_1", stop_reason=None), sent=ASKED)
    started = eager.record_call(eager.awaiting[0], "started")
    whole = reply("I pay. And more.", call("1"), call("2"), "So.", id="msg_1")
    for after in (started.add_response(whole, sent=ASKED), started.add_response(whole)):
        assert texts(after)[1] == "I pay. And more.\nSo."
        assert [waiting.id for waiting in after.awaiting] == ["1", "2"]
        assert after.calls[0].state is CallState.STARTED
        assert len(after[1].replies) == 1


def test_the_first_of_two_replies_grows_in_its_place() -> None:
    both = ASKED.add_response(reply("I p", id="a", stop_reason=None), sent=ASKED)
    both = both.add_response(reply("You", id="b"), sent=ASKED)
    after = both.add_response(reply("I pay.", call("1"), id="a"), sent=ASKED)
    assert texts(after)[1] == "I pay.\nYou"
    assert {info.id for info in after[1].replies} == {"a", "b"}


def test_a_call_that_was_cut_off_at_first_is_whole_and_no_repair() -> None:
    half = {**call("1"), "input": '{"a'}
    first = ASKED.add_response(reply("I look.", half, id="a", stop_reason="interrupted"), sent=ASKED)
    assert first.awaiting == ()
    assert first.repairs[-1].code is RepairCode.INCOMPLETE_CALL_DROPPED
    whole = first.add_response(reply("I look.", call("1", a=1), id="a"), sent=ASKED)
    assert whole.repairs == ()
    assert [waiting.id for waiting in whole.awaiting] == ["1"]


# Other system prompts, saved versions


def test_another_system_prompt_in_between_invalidates_thinking_in_either_order() -> None:
    said = reply({"type": "thinking", "thinking": "hm", "signature": "s"}, "ok")
    before = ASKED.add_response(reply({"type": "thinking", "thinking": "ha", "signature": "t"}, "so")).add_user("r")
    first = before.with_system("new").add_response(said, sent=before)
    assert first == before.add_response(said, sent=before).with_system("new")
    assert check(first.for_send(), Anthropic()) == check(before.for_send(), Anthropic()) == []


def test_go_on_is_recorded_once_after_a_load() -> None:
    sent = ASKED.add_assistant("half").as_sent(OpenAIChat())
    loaded = MessageHistory.from_list(sent.to_list())
    restored = sent.add_user("More.")
    for history in (sent, restored):
        after = history.add_response(reply("ok"), sent=sent)
        assert [repair.code for repair in after.repairs] == [RepairCode.CONTINUATION_ADDED]
    assert [repair.code for repair in loaded.add_response(reply("ok"), sent=loaded).repairs] == []


# Usage, merges, cache marks


def test_usage_does_not_shrink_with_what_is_removed() -> None:
    used = {"usage": {"input_tokens": 3, "output_tokens": 1}, "service_tier": "standard"}
    called = ASKED.add_response(reply(call("1"), id="a", **used)).add_user("u")
    assert called.without_unanswered().usage() == called.usage() != MessageHistory().usage()
    refused = ASKED.add_response(reply("No.", id="a", **used) | {"stop_reason": "refusal"}).add_user("u")
    assert refused.without_refusals().usage() == refused.usage() == called.usage()
    assert MessageHistory.from_list(called.to_list()).usage() == called.usage()


def test_a_merge_logs_nothing_that_a_branch_has_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "message_history")
    blank = {"role": "user", "content": [{"type": "text", "text": " "}]}
    left = WAITING.add(blank).add_response(reply("l"), sent=WAITING).add_user("l")
    right = WAITING.add(blank).add_user("r")
    logged = len(caplog.records)
    both = merged(WAITING, merged(WAITING, WAITING, left), right)
    assert [repair.code for repair in both.repairs].count(RepairCode.BLANK_TEXT_DROPPED) == 2
    assert len(caplog.records) == logged


@pytest.mark.parametrize("first", [None, "r1", "r2"])
@pytest.mark.parametrize("second", [None, "r1"])
@pytest.mark.parametrize("ended", [True, False])
def test_a_reply_replaces_its_beginning_before_text_that_came_since_where_its_id_says_so(
    first: str | None, second: str | None, ended: bool
) -> None:
    usage = {"usage": {"input_tokens": 1, "output_tokens": 1}}
    beginning = reply("Hello", id=first, stop_reason="end_turn" if ended else None, **usage)
    now = ASKED.add_response(beginning, sent=ASKED).add_assistant("and more")
    after = now.add_response(reply("Hello you", id=second, **usage), sent=ASKED)
    goes_on = first == second == "r1" and not ended
    expected = ["Hello you", "and more"] if goes_on else ["Hello", "and more", "Hello you"]
    assert after[1].text.split("\n") == expected


def test_cache_marks_are_those_of_the_version_that_is_sent() -> None:
    cache = PromptCache(min_tokens=0)
    text = ASKED.add_assistant("half")
    for history in (WAITING, WAITING.add_user("Hurry."), WAITING.add_tool_result("1", "found"), text, ASKED):
        assert history.for_send(cache=cache) == history.as_sent(Anthropic()).for_send(cache=cache)
    marked = WAITING.add_tool_result("1", "found").for_send(cache=cache)
    assert "cache_control" in str(marked[-1])
    assert "cache_control" not in str(WAITING.for_send(cache=cache)[-1])


@pytest.mark.parametrize(("id", "texts"), [(None, ["q", "a"]), ("msg_1", ["q", "a", "[Please continue.]", "a"])])
def test_a_reply_with_an_id_is_not_what_was_said_without_a_provider(id: str | None, texts: list[str]) -> None:
    reply = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "a"}]}
    said = MessageHistory().add_user("q").add_assistant("a")
    history = said.add_response({**reply, "id": id} if id else reply, dialect=Anthropic())
    assert [message.text for message in history] == texts


def test_thinking_of_a_reply_that_grows_stays_valid_unless_something_was_said_before_it() -> None:
    thought = {"type": "thinking", "thinking": "t", "signature": "c2ln"}
    begun, whole = reply(thought, id="msg_1", stop_reason=None), reply(thought, "done", id="msg_1")
    grown = ASKED.add_response(begun).add_response(whole)
    after = (
        ASKED.add_response(reply("other", id="msg_0")).add_response(begun, sent=ASKED).add_response(whole, sent=ASKED)
    )
    for history, is_bound in ((grown, True), (after, False)):
        assert history[-1].text.endswith("done")
        assert [block.bound for block in history[-1].content if isinstance(block, ThinkingBlock)] == [is_bound]


def test_what_was_said_of_replies_on_both_sides_of_one_that_grows_counts_once() -> None:
    counted = {"usage": {"input_tokens": 3, "output_tokens": 1}}
    history = ASKED.add_response(reply("first", **counted), sent=ASKED)
    history = history.add_response(reply("second", id="msg_1", stop_reason=None), sent=ASKED)
    history = history.add_response(reply("third", usage={"input_tokens": 3, "output_tokens": 2}), sent=ASKED)
    grown = history.add_response(reply("second of all", id="msg_1", **counted), sent=ASKED)
    assert texts(grown) == ["q", "first\nsecond of all\nthird"]
    assert grown.usage().output_tokens == 4


def test_a_reply_among_others_that_comes_again_with_its_usage_is_there_already() -> None:
    history = ASKED
    for text in ("first", "second", "third"):
        history = history.add_response(reply(text), sent=ASKED)
    assert texts(history.add_response(reply("second", usage={"input_tokens": 3}), sent=ASKED)) == texts(history)
