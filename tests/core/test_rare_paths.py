"""Paths through the core that few conversations take, each from the outside where that is possible."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import Any

import pytest
from tests.helpers import ASKED, CALL, codes

from message_history import (
    CallState,
    Message,
    MessageHistory,
    RepairCode,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnknownCallError,
)
from message_history.core.messages.blocks import ProviderBlock, SystemBlock
from message_history.core.messages.denials import denial_of_text
from message_history.core.messages.media_blocks import ImageBlock
from message_history.core.messages.message import make_message, with_replies
from message_history.core.messages.policy import Policy
from message_history.core.messages.repairs import in_words
from message_history.core.messages.replies import ReplyInfo, Usage
from message_history.core.values.json_values import freeze
from message_history.core.values.log import Log
from message_history.core.values.meta import Mark, Meta
from message_history.core.views.cuts import begins_turn, newest_opening
from message_history.core.views.windows import trim_results
from message_history.dialects import Anthropic, OpenAIChat
from message_history.history import conversation_of, restored

REPLY = ReplyInfo(id="msg_1", usage=Usage(input_tokens=3))


def test_usage_is_added_to_usage_only() -> None:
    with pytest.raises(TypeError):
        Usage() + 1  # type: ignore[operator]


def test_what_a_followed_list_drops_is_recorded_before_what_comes_after_it() -> None:
    user, answer = {"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}
    followed = MessageHistory().add_user("q").follow([user, answer, None, {"role": "user", "content": "b"}])
    dropped = [each for each in followed.history.repairs if each.code is RepairCode.ENTRY_DROPPED]
    assert [(each.index, each.source, each.removed) for each in dropped] == [(2, 2, (None,))]
    assert [message.text for message in followed.history] == ["q", "a", "b"]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (TextBlock("a  b"), 'text "a b"'),
        (SystemBlock(" "), "blank system text"),
        (CALL, "call '1' of 'f'"),
        (ToolResultBlock("1", "x"), "result of '1': \"x\""),
        (ToolResultBlock("1"), "result of '1'"),
        (ProviderBlock("d", {"type": "t"}), "a block 't' of d"),
        (ProviderBlock("d", {}), "a block of d"),
        (ImageBlock({"type": "url", "url": "https://e.x"}), "an image"),
        (freeze({"a": 1})[0], '{"a": 1}'),
    ],
)
def test_a_block_has_its_words(value: Any, words: str) -> None:
    assert in_words(value) == words


def test_a_long_text_in_words_says_how_long_it_is() -> None:
    assert in_words(TextBlock("word " * 500)).endswith('… (2,500 characters)"')
    assert in_words(TextBlock("x" * 500)).endswith('… (500 characters)"')


def test_what_a_provider_said_stays_when_pairing_takes_a_reply_apart() -> None:
    spoken = with_replies(make_message("assistant", (ToolResultBlock("1", "a"), TextBlock("done"))), (REPLY,))
    emptied = with_replies(make_message("assistant", (ToolResultBlock("1", "a"),)), (REPLY,))
    for message in (spoken, emptied):
        history = MessageHistory.from_list([Message.user("q"), Message.assistant(CALL), Message.user("and?"), message])
        assert history.calls[0].result == ToolResultBlock("1", "a")
        held = [reply for one in history for reply in one.replies]
        assert held == [REPLY] or RepairCode.EMPTY_MESSAGE_DROPPED in codes(history)


def test_a_result_that_comes_before_two_calls_goes_to_the_first_behind_it() -> None:
    early = [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "r"}]}]
    turn = {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}}]}
    answered = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "s"}]}
    history = MessageHistory.from_list([{"role": "user", "content": "q"}, turn, answered, *early, turn])
    assert [record.state for record in history.calls] == [CallState.ANSWERED, CallState.ANSWERED]


@pytest.mark.parametrize("result", [{"tool_use_id": "9"}, {}], ids=["under an id that no call has", "without an id"])
def test_a_call_without_input_stays_where_a_result_is_in_its_place(result: dict[str, str]) -> None:
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f"}]}
    answer = {"role": "user", "content": [{"type": "tool_result", "content": "r", **result}]}
    history = MessageHistory.from_list([{"role": "user", "content": "q"}, call, answer])
    assert history.calls[0].result == ToolResultBlock("1", "r")
    assert codes(history)[0] is RepairCode.INPUT_ASSIGNED


def test_a_result_in_an_assistant_message_answers_its_call() -> None:
    history = ASKED.add(Message("assistant", [ToolResultBlock("1", "a")]))
    assert history.calls[0].state is CallState.ANSWERED
    assert RepairCode.RESULT_REHOMED in codes(history)


def test_a_reply_without_content_of_its_own_is_said_of_the_open_assistant_message() -> None:
    empty = with_replies(make_message("assistant", (TextBlock(" "),)), (REPLY,))
    history = MessageHistory().add_user("q").add_assistant("a").add(empty)
    assert history[-1].replies == (REPLY,)
    assert RepairCode.EMPTY_MESSAGE_DROPPED in codes(MessageHistory().add_user("q").add(empty))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Tool execution was not approved.", ""),
        ("User rejected the tool call for `f` with reason: too dear", "too dear"),
        ("All is well.", None),
    ],
)
def test_a_denial_is_known_by_its_text(text: str, reason: str | None) -> None:
    assert denial_of_text(text, is_error=True) == reason


def test_a_quote_of_a_second_result_with_a_distance_leaves_the_state_alone() -> None:
    second = ASKED.add_tool_result("1", "a").add_assistant("ok").add_user("so").add_tool_result("1", "b")
    saved = second.to_list()
    for block in saved[-1]["content"]:
        if block.get("mark", {}).get("kind") == "quote":
            block["mark"]["distance"] = 4
    loaded = MessageHistory.from_list(saved)
    assert [record.result for record in loaded.calls] == [ToolResultBlock("1", "a")]


def test_a_frozen_list_stays_the_same_value() -> None:
    frozen, _ = freeze([1, [2]])
    assert freeze(frozen)[0] is frozen


USER = {"role": "user", "content": "q"}
CALLING = {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}}]}


def result(id: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "r"}]}


def test_a_result_of_nobody_before_a_reply_is_dropped_from_a_list_that_grows() -> None:
    raw: list[Any] = [USER, {"role": "assistant", "content": "a"}, {"role": "user", "content": "b"}]
    grown = MessageHistory().follow(raw).follow([*raw, result("9"), {"role": "assistant", "content": "c"}, USER])
    assert RepairCode.ORPHAN_RESULT_DROPPED in codes(grown.history)


def test_a_result_without_an_id_is_for_the_only_call_whose_stub_was_sent() -> None:
    raw: list[Any] = [USER, CALLING]
    grown = MessageHistory().follow(raw).follow([*raw, result("")])
    assert RepairCode.LATE_RESULT_QUOTED in codes(grown.history)


def test_an_open_stub_that_was_saved_alone_stays() -> None:
    saved = ASKED.add_user("and?").to_list()
    saved[-1]["content"] = [block for block in saved[-1]["content"] if block["type"] == "tool_result"]
    loaded = MessageHistory.from_list(saved)
    assert loaded.calls[0].state is CallState.UNKNOWN
    assert loaded.awaiting


def test_a_stub_that_was_changed_since_it_was_recorded_stands_as_it_is() -> None:
    sent = ASKED.as_sent()
    saved = sent.to_list()
    saved[-1]["content"][0]["mark"]["reason"] = "interrupted"
    loaded = restored(saved, Policy(), sent.repairs)
    assert loaded[-1].results[0].mark == Mark(kind="stub", reason="interrupted")
    assert loaded.repairs == sent.repairs


def test_what_is_not_sent_of_the_beginning_takes_no_place_in_the_saved_json() -> None:
    dialect = OpenAIChat(leading_assistant=True)
    raw = [{"role": role, "content": "a"} for role in ("assistant", "user", "assistant", "user")]
    history = MessageHistory.from_list(raw, dialect=dialect)
    assert json.loads(history.for_send_json(dialect)) == history.for_send(dialect) == raw


def test_repairs_of_a_version_that_was_sent_are_not_put_before_those_of_another() -> None:
    sent = MessageHistory.from_list([{"role": "user", "content": ["q", " "]}])
    now = MessageHistory().add_user("q").add_user("more")
    reply = {"role": "assistant", "content": [{"type": "text", "text": "a"}]}
    history = now.add_response(reply, dialect=Anthropic(), sent=sent)
    assert [message.text for message in history] == ["q", "a", "more"]


def test_a_call_that_asks_for_approval_waits_for_it_until_it_has_run() -> None:
    call = ToolUseBlock("1", "f", {}, meta=Meta(mark=Mark(kind="approval", reason="client")))
    asked = MessageHistory().add_user("q").add_assistant(call)
    assert asked.calls[0].state is CallState.WAITING
    assert asked.add_user("and?").calls[0].state is CallState.WAITING
    approved = asked.record_call(asked.awaiting[0], CallState.APPROVED)
    done = approved.add_tool_result(approved.awaiting[0], "ok")
    assert done.calls[0].state is CallState.ANSWERED
    assert done[-1].results[0].mark == Mark(kind="approval", reason="approved")


def test_a_log_gives_any_slice() -> None:
    assert Log(range(9))[1:8:3] == [1, 4, 7]


def test_an_assistant_message_begins_no_turn_and_an_empty_history_has_no_opening() -> None:
    assert not begins_turn(Message.assistant("a"))
    assert newest_opening(conversation_of(MessageHistory())) == -1


@pytest.mark.parametrize("is_error", [True, False])
def test_a_text_that_denies_nothing_is_no_denial(is_error: bool) -> None:
    assert denial_of_text("done", is_error=is_error) is None


def test_a_second_result_leaves_its_call_with_the_first() -> None:
    history = ASKED.add_tool_result("1", "first").add_tool_result("1", "second")
    assert codes(history) == [RepairCode.SECOND_RESULT_QUOTED]
    assert history.calls[0].result == ToolResultBlock("1", "first")
    assert history.calls[0].state is CallState.ANSWERED


def test_a_call_that_asks_for_approval_waits_for_it_when_its_run_was_interrupted() -> None:
    call = ToolUseBlock("1", "f", {}, meta=Meta(mark=Mark(kind="approval", reason="client")))
    sent = MessageHistory().add_user("q").add_assistant(call).as_sent(reason="interrupted")
    assert sent[-1].results[0].mark == Mark(kind="stub", reason="interrupted")
    assert sent.calls[0].state is CallState.WAITING


def test_the_text_of_a_stub_is_no_result_for_a_call_that_settled() -> None:
    settled = ASKED.add_tool_result("1", "ok").add_assistant("a").add_user("b")
    again = settled.add_tool_result(settled.calls[0].call, Policy().stub_text, is_error=True)
    # Who gives it says that it is a result.
    assert codes(again) == [RepairCode.SECOND_RESULT_QUOTED]


def test_a_result_of_a_call_that_a_window_took_finds_none() -> None:
    late = ASKED.add_user("go on").add_assistant("a").add_user("b").add_tool_result("1", "late")
    kept = late.add_assistant("c").add_user("d").add_assistant("e").drop_before(4)
    assert not kept.calls
    with pytest.raises(UnknownCallError):
        kept.add_tool_result("1", "late")


def test_both_long_results_of_a_message_are_trimmed_and_it_is_counted_once() -> None:
    history = MessageHistory().add_user("q").add_assistant([CALL, ToolUseBlock("2", "f", {})])
    history = history.add_tool_result("1", "long " * 40).add_tool_result("2", "long " * 40).add_assistant("a")
    trimmed = history.trim_results(older_than=3, text="short")
    assert [result.text for result in trimmed[2].results] == ["short", "short"]


def test_system_messages_that_lead_a_list_are_one_prompt_and_what_follows_keeps_its_place() -> None:
    prompts = [{"role": "system", "content": text} for text in ("Be brief.", "Be kind.")]
    call = {"type": "tool_use", "id": "1", "name": "f", "input": '{"a": '}
    reply = {"id": "msg_1", "type": "message", "role": "assistant", "stop_reason": "max_tokens", "content": [call]}
    raw = [*prompts, {"role": "user", "content": "q"}, reply]
    history = MessageHistory.from_list(raw)
    assert history.system == "Be brief.\n\nBe kind."
    assert [repair.source for repair in history.repairs] == [3, 3]
    assert codes(history) == [RepairCode.VALUE_CONVERTED, RepairCode.INCOMPLETE_CALL_DROPPED]


def test_a_quote_whose_call_a_window_took_answers_no_other_call_with_its_id() -> None:
    stubbed = ASKED.add_user("go on").add_assistant("a").add_user("b").add_assistant(CALL).add_user("c")
    late = stubbed.add_assistant("d").add_user("e").add_tool_result(ASKED.awaiting[0], "late")
    assert [record.state for record in late.calls] == [CallState.ANSWERED, CallState.UNKNOWN]
    kept = late.drop_before(4)
    assert [record.state for record in kept.calls] == [CallState.UNKNOWN]


def test_thinking_behind_a_trimmed_result_is_counted_where_users_go_on() -> None:
    call = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
    thinking = {"type": "thinking", "thinking": "Well.", "signature": "c2lnbmVk"}
    result = {"type": "tool_result", "tool_use_id": "1", "content": "long " * 40}
    raw = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [thinking, call]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": [thinking, {"type": "text", "text": "a"}]},
        {"role": "user", "content": "and?"},
        {"role": "assistant", "content": "b"},
    ]
    _, omitted = trim_results(conversation_of(MessageHistory.from_list(raw)), older_than=3, text="short")
    assert (omitted.results, omitted.invalidated) == (1, 1)


def test_a_key_that_no_call_has_is_named_in_the_refusal() -> None:
    with pytest.raises(UnknownCallError, match="'0af3'"):
        ASKED.record_call(key="0af3", state="denied")


@pytest.mark.parametrize(
    ("metadata", "kept"),
    [
        ({"id": "m1", "at": 3}, {"id": "m1", "at": 3}),
        (MappingProxyType({"id": "m1"}), {"id": "m1"}),
        ({"id": "m1", "tags": ("a", "b")}, {"id": "m1", "tags": ["a", "b"]}),
        ({"id": "m1", "raw": b"text"}, {"id": "m1", "raw": "text"}),
        ({7: "seven"}, {"7": "seven"}),
    ],
    ids=["plain", "a mapping", "a tuple", "bytes", "a number as key"],
)
def test_metadata_of_every_kind_of_mapping_is_kept_with_its_message(metadata: Any, kept: dict[str, Any]) -> None:
    for history in (
        MessageHistory().add_user("q", metadata=metadata),
        MessageHistory().add(Message.user("q"), metadata=metadata),
    ):
        assert [each.metadata for each in history[0].arrivals] == [kept]


def test_no_metadata_is_no_arrival() -> None:
    nothing: list[Any] = [None, {}, MappingProxyType({})]
    for metadata in nothing:
        assert MessageHistory().add_user("q", metadata=metadata)[0].arrivals == ()


@pytest.mark.parametrize("raw", [b"RIFF\0\0\0\0WAVEfmt ", b"JUNK\0\0\0\0WEBPVP8 "], ids=["sound", "no container"])
def test_bytes_that_are_only_half_like_a_webp_image_are_no_image(raw: bytes) -> None:
    with pytest.raises(ValueError, match="media_type"):
        ImageBlock.from_bytes(raw)
