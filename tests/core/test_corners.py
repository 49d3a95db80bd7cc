"""Corners of the core that no larger test comes by."""

from __future__ import annotations

import json
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
)
from message_history.core.messages.block_base import Block
from message_history.core.values.json_values import FrozenDict, freeze, json_text
from message_history.core.values.log import SIZE, Log
from message_history.core.views.json_cache import json_array, json_of_settled
from message_history.dialects import Anthropic, OpenAIChat
from message_history.plain_json import compact_items


def test_a_call_cannot_stand_in_a_result() -> None:
    with pytest.raises(TypeError, match="ToolUseBlock cannot be in a result"):
        ToolResultBlock("1", [CALL])


def test_a_bare_block_is_refused() -> None:
    with pytest.raises(TypeError, match="make a TextBlock"):
        Block()


@pytest.mark.parametrize("blank", ["", "  ", "\n\t"])
def test_a_blank_system_prompt_is_none(blank: str) -> None:
    history = MessageHistory().add_user("q")
    assert history.with_system(blank) is history
    assert history.with_system("Be brief.").with_system(blank).system is None


def test_marks_that_are_no_news_leave_the_states_alone() -> None:
    history = MessageHistory().add_assistant(CALL).add_tool_result("1", "a")
    assert history.calls[0].state is CallState.ANSWERED
    second = history.add_assistant("ok").add_user("so").add_tool_result("1", "b")
    assert codes(second)[-1] is RepairCode.SECOND_RESULT_QUOTED
    assert [(record.state, record.result) for record in second.calls] == [
        (CallState.ANSWERED, ToolResultBlock("1", "a"))
    ]


def test_a_call_of_another_turn_is_found_by_its_id() -> None:
    moved = ASKED.record_call(ToolUseBlock("1", "f", {}, turn=99), "waiting")
    assert moved.calls[0].state is CallState.WAITING


def test_a_second_result_of_the_first_turn_is_quoted_and_an_error_is_another() -> None:
    history = ASKED.add_tool_result("1", "a").add_tool_result("1", "b")
    assert codes(history) == [RepairCode.SECOND_RESULT_QUOTED]
    again = history.add_tool_result("1", "b", is_error=True)
    assert codes(again) == [RepairCode.SECOND_RESULT_QUOTED] * 2


def test_a_stub_for_a_settled_call_says_nothing_new() -> None:
    stub = ASKED.as_sent()[-1].results[0]
    settled = ASKED.add_tool_result("1", "a").add_assistant("ok").add_user("so")
    assert codes(settled.add(Message.user(stub))) == [RepairCode.DUPLICATE_RESULT_DROPPED]


def test_a_result_given_for_a_settled_stub_is_late_once() -> None:
    history = ASKED.as_sent().add_assistant("ok").add_user("so")
    (record,) = history.calls
    late = history.add_tool_result(record.call, "a")
    assert codes(late)[-1] is RepairCode.LATE_RESULT_QUOTED
    assert codes(late.add_tool_result(record.call, "a"))[-1] is RepairCode.DUPLICATE_RESULT_DROPPED


@pytest.mark.parametrize("given", [0, "1"])
def test_another_late_result_is_a_second_one(given: Any) -> None:
    history = ASKED.as_sent().add_assistant("ok").add_user("so")
    call = given or history.calls[0].call
    late = history.add_tool_result(call, "a").add_tool_result(call, "b")
    assert codes(late)[-2:] == [RepairCode.LATE_RESULT_QUOTED, RepairCode.SECOND_RESULT_QUOTED]
    (record,) = late.calls
    assert record.result is not None
    assert record.result.text == "a"
    assert codes(late.add_tool_result(call, "b"))[-1] is RepairCode.DUPLICATE_RESULT_DROPPED


def test_late_results_of_calls_with_one_id_are_each_their_calls() -> None:
    history = ASKED.as_sent().add_assistant("ok").add_user("more").add_assistant(ToolUseBlock("1", "f", {"n": 2}))
    history = history.as_sent().add_assistant("ok").add_user("so")
    older, newer = [record.call for record in history.calls]
    history = history.add_tool_result(newer, "a").add_tool_result(newer, "b").add_tool_result(older, "c")
    assert [record.result and record.result.text for record in history.calls] == ["c", "a"]
    assert codes(history)[-3:] == [
        RepairCode.LATE_RESULT_QUOTED,
        RepairCode.SECOND_RESULT_QUOTED,
        RepairCode.LATE_RESULT_QUOTED,
    ]


def test_another_result_given_for_an_answered_call_of_a_settled_turn() -> None:
    history = ASKED.add_tool_result("1", "a").add_assistant("ok").add_user("so")
    call = history.calls[0].call
    assert codes(history.add_tool_result(call, "a")) == [RepairCode.DUPLICATE_RESULT_DROPPED]
    assert codes(history.add_tool_result(call, "b")) == [RepairCode.SECOND_RESULT_QUOTED]


def test_a_reason_replaces_that_of_a_stub_of_which_nothing_is_known() -> None:
    stub = ASKED.as_sent().as_sent(reason="pending")[-1].results[0]
    assert stub == ASKED.as_sent(reason="pending")[-1].results[0]
    assert ASKED.as_sent(reason="pending").as_sent(reason="interrupted")[-1].results[0] == stub


def test_a_numbered_id_is_free_beyond_every_number() -> None:
    ids = ["a", "a_2", "a_999999999999999999", "a_1000000000000000000"]
    history = MessageHistory().add_user("q").add_assistant([ToolUseBlock(id, "f", {}) for id in ids])
    history = history.add_assistant(ToolUseBlock("a", "f", {"n": 2}))
    assert history[-1].calls[-1].id == "a_1000000000000000001"


def test_many_calls_whose_ids_clash_with_numbered_ones_are_renamed_in_linear_time() -> None:
    calls = [ToolUseBlock(f"a_{n}", "f", {}) for n in range(2, 400)]
    calls += [ToolUseBlock("a", "f", {"n": n}) for n in range(400)]
    ids = [call.id for call in MessageHistory().add_user("q").add_assistant(calls)[-1].calls]
    assert len(set(ids)) == len(calls)


def test_a_saved_stub_alone_stays_when_nothing_else_was_added() -> None:
    saved = ASKED.as_sent().to_list()
    again = MessageHistory.from_list(saved, open_tail="keep")
    assert again == ASKED.as_sent()


def test_a_chunk_that_was_copied_keeps_the_text_of_what_it_shares() -> None:
    base = MessageHistory().add_user("a").add_assistant("b")
    longer = base.add_user("c").add_assistant("d").add_user("e").add_assistant("f").add_user("g")
    for dialect in (Anthropic(), OpenAIChat()):
        longer.for_send_json(dialect)
    fork = base.add_user("x").add_assistant("y").add_user("z")
    for dialect in (Anthropic(), OpenAIChat()):
        assert json.loads(fork.for_send_json(dialect)) == fork.for_send(dialect)


def test_a_turn_that_cannot_be_written_alone_is_tried_once() -> None:
    class Writer:
        tries = 0

        def write_turn(self, assistant: Message | None, user: Message | None) -> list[Any] | None:
            del user
            self.tries += 1
            return None if assistant is not None else [{}]

        def omits(self, placeholder: Message) -> bool:
            del placeholder
            return False

    writer = Writer()
    past: Log[Any] = Log([(None, Message.user("a")), (Message.assistant("b"), Message.user("c"))])
    assert json_of_settled(past, writer, compact_items) is None
    assert json_of_settled(past, writer, compact_items) is None
    assert writer.tries == 2


def test_what_a_fork_adds_is_encoded_as_well_behind_what_both_share() -> None:
    class Writer:
        def write_turn(self, assistant: Message | None, user: Message | None) -> list[Any]:
            return [each.text for each in (assistant, user) if each is not None]

        def omits(self, placeholder: Message) -> bool:
            del placeholder
            return False

    def turn(text: str) -> tuple[Message, Message]:
        return Message.assistant(text), Message.user(text)

    writer = Writer()
    for shared in (1, 3, SIZE - 2, SIZE + 3):
        begun: Log[Any] = Log([turn(str(n)) for n in range(shared)])
        first = begun.append(turn("first"))
        assert json_of_settled(first, writer, compact_items) is not None
        fork = begun.append(turn("fork"))
        for log, last in ((fork, "fork"), (first, "first"), (begun, None)):
            texts = [text for text in (*map(str, range(shared)), last) if text is not None for _ in range(2)]
            found = json_of_settled(log, writer, compact_items)
            assert found is not None
            assert json.loads(b"[" + b",".join(filter(None, found)) + b"]") == texts


def test_an_array_holds_nothing_empty() -> None:
    assert json_array([b"", b"1", b"", b"2,3"]) == b"[1,2,3]"


def test_json_text_of_sets_and_frozen_values_is_in_order() -> None:
    assert json_text({"b", "a"}) == '["a", "b"]'
    value = FrozenDict(a=1)
    assert list(value.values()) == [1]
    assert freeze(value)[0] == value


def test_a_log_that_differs_in_an_older_chunk_is_no_beginning() -> None:
    log = Log(range(SIZE + 2))
    other = Log([-1, *range(1, SIZE + 2)])
    assert log.starts_with(Log(range(SIZE + 2)))
    assert not log.starts_with(other)
    assert repr(Log([1])) == "Log([1])"


def test_a_reply_to_a_version_whose_continuation_was_replaced() -> None:
    history = MessageHistory().add_user("q").add_assistant("a")
    sent = history.as_sent(Anthropic())
    reply = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "text", "text": "b"}],
        "stop_reason": "end_turn",
    }
    both = history.add_user("more").add_response(reply, sent=sent)
    assert [message.text for message in both][-2:] == ["b", "more"]


def test_a_text_beside_other_blocks_of_a_result_is_trimmed_as_a_whole() -> None:
    history = ASKED.add(Message.user(ToolResultBlock("1", [TextBlock("long " * 50)])))
    partly = ASKED.add_assistant(ToolUseBlock("2", "f", {})).add_tool_result("2", "long " * 50)
    assert history.trim_results(older_than=3)[-1].results[0].text.startswith("[This result was left out")
    trimmed = partly.trim_results(older_than=9)
    assert [result.is_stub for result in trimmed[-1].results] == [True, False]
    assert trimmed[-1].results[1].text.startswith("[This result was left out")


def test_a_truncated_call_whose_input_is_no_object_stays_unreadable() -> None:
    arguments = "[1"
    entries = [
        {"role": "user", "content": "q"},
        {
            "role": "assistant",
            "content": None,
            "finish_reason": "length",
            "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": arguments}}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "x"},
    ]
    (call,) = MessageHistory.from_list(entries)[1].calls
    assert call.input == {"_raw": arguments}
