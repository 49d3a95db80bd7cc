"""The step table: every state with every arrival, then one test for each row of the table in docs/design.md."""

from __future__ import annotations

import pickle
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from tests.helpers import CALL

import message_history.history as facade
from message_history import (
    InvariantError,
    Message,
    MessageHistory,
    Policy,
    RepairCode,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnknownCallError,
)
from message_history.core.messages.blocks import forgotten
from message_history.core.messages.message import NEEDS_REPAIR, message_of_shape, plain_content
from message_history.core.turns import ingest
from message_history.core.turns import step as step_module
from message_history.core.turns.conversation import NO_TURN, Context, Conversation, make_conversation, parts_of
from message_history.core.turns.rules import TABLE, Arrival, State, state_of
from message_history.core.turns.step import step
from message_history.core.turns.whole import move
from message_history.core.values.log import Log
from message_history.core.values.meta import Meta

if TYPE_CHECKING:
    from message_history.core.messages.block_base import Block
    from message_history.core.messages.policy import Policy as _Policy

RESULT = ToolResultBlock("1", "found")
REACH: dict[State, list[Message]] = {
    State.EMPTY: [],
    State.USER: [Message.user("q")],
    State.ASSISTANT: [Message.user("q"), Message.assistant("a")],
    State.CALLING: [Message.user("q"), Message.assistant(CALL)],
}
ARRIVE: dict[Arrival, Message] = {
    Arrival.SYSTEM: Message.user(SystemBlock("s")),
    Arrival.USER_CONTENT: Message.user("more"),
    Arrival.RESULT: Message.user(RESULT),
    Arrival.USER_CALL: Message.user(ToolUseBlock("9", "f", {})),
    Arrival.ASSISTANT_CONTENT: Message.assistant("words"),
    Arrival.CALL: Message.assistant(ToolUseBlock("2", "f", {})),
}


def reached(state: State, policy: _Policy | None = None) -> Conversation:
    conversation = make_conversation(Log(), NO_TURN, Context(policy or Policy()))
    for message in REACH[state]:
        conversation = step(conversation, message)
    assert state_of(parts_of(conversation)[1]) is state
    return conversation


@pytest.mark.parametrize("message", [Message.user(RESULT), {"role": "user", "content": [{"type": "custom", "x": 1}]}])
def test_a_message_is_asked_once_whether_it_moves_whole(message: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Message] = []

    def counted(conversation: Conversation, message: Message) -> Conversation | None:
        asked.append(message)
        return move(conversation, message)

    for module in (step_module, ingest, facade):
        monkeypatch.setattr(module, "move", counted, raising=False)
    MessageHistory().add(message)
    assert len(asked) == 1


def test_the_table_is_total() -> None:
    assert set(TABLE) == set(product(State, Arrival))


@pytest.mark.parametrize(("state", "arrival"), TABLE, ids=lambda part: part.value)
@pytest.mark.parametrize("leading", ["bootstrap", "drop"])
def test_every_state_with_every_arrival_ends_where_the_table_says(state: State, arrival: Arrival, leading: Any) -> None:
    _, turn, _ = parts_of(step(reached(state, Policy(leading_assistant=leading)), ARRIVE[arrival]))
    assert state_of(turn) in TABLE[state, arrival].asserted


# Written by hand: the state, the arrival, the state after it, and what was recorded.
EXPECTED: list[tuple[State, Arrival, State, list[str]]] = [
    (State.EMPTY, Arrival.SYSTEM, State.EMPTY, []),
    (State.EMPTY, Arrival.USER_CONTENT, State.USER, []),
    (State.EMPTY, Arrival.RESULT, State.EMPTY, ["orphan_result_dropped"]),
    (State.EMPTY, Arrival.USER_CALL, State.EMPTY, ["injected_call_dropped"]),
    (State.EMPTY, Arrival.ASSISTANT_CONTENT, State.ASSISTANT, ["bootstrap_added"]),
    (State.EMPTY, Arrival.CALL, State.CALLING, ["bootstrap_added"]),
    (State.USER, Arrival.SYSTEM, State.USER, []),
    (State.USER, Arrival.USER_CONTENT, State.USER, []),
    (State.USER, Arrival.RESULT, State.USER, ["orphan_result_dropped"]),
    (State.USER, Arrival.USER_CALL, State.USER, ["injected_call_dropped"]),
    (State.USER, Arrival.ASSISTANT_CONTENT, State.ASSISTANT, []),
    (State.USER, Arrival.CALL, State.CALLING, []),
    (State.ASSISTANT, Arrival.SYSTEM, State.USER, []),
    (State.ASSISTANT, Arrival.USER_CONTENT, State.USER, []),
    (State.ASSISTANT, Arrival.RESULT, State.ASSISTANT, ["orphan_result_dropped"]),
    (State.ASSISTANT, Arrival.USER_CALL, State.ASSISTANT, ["injected_call_dropped"]),
    (State.ASSISTANT, Arrival.ASSISTANT_CONTENT, State.ASSISTANT, []),
    (State.ASSISTANT, Arrival.CALL, State.CALLING, []),
    (State.CALLING, Arrival.SYSTEM, State.USER, []),
    (State.CALLING, Arrival.USER_CONTENT, State.USER, []),
    (State.CALLING, Arrival.RESULT, State.USER, []),
    (State.CALLING, Arrival.USER_CALL, State.CALLING, ["injected_call_dropped"]),
    (State.CALLING, Arrival.ASSISTANT_CONTENT, State.CALLING, []),
    (State.CALLING, Arrival.CALL, State.CALLING, []),
]


def test_the_expectations_cover_the_table() -> None:
    assert {(state, arrival) for state, arrival, _, _ in EXPECTED} == set(TABLE)


@pytest.mark.parametrize(("state", "arrival", "after", "recorded"), EXPECTED)
def test_what_is_done_in_every_state(state: State, arrival: Arrival, after: State, recorded: list[str]) -> None:
    _, turn, context = parts_of(step(reached(state), ARRIVE[arrival]))
    assert state_of(turn) is after
    assert [repair.code.value for repair in context.repairs] == recorded


def test_a_message_moves_whole_just_as_block_by_block() -> None:
    """The first branch of `step` is a short cut: it does what `TABLE` does."""
    arriving = [
        Message.user("q"),
        Message.assistant("a"),
        Message.assistant(TextBlock("look"), CALL, ToolUseBlock("2", "f", {})),
        Message.user(RESULT, ToolResultBlock("2", "x")),
        Message.user(RESULT, ToolResultBlock("2", "x"), TextBlock("and")),
        Message.user(RESULT),
    ]
    for messages in product(arriving, repeat=4):
        whole = MessageHistory()
        blockwise = MessageHistory()
        for message in messages:
            whole = whole.add(message)
            careful = message_of_shape(message.role, message.content, message.ids, NEEDS_REPAIR)
            blockwise = blockwise.add(careful)
        assert whole == blockwise
        assert whole.repairs == blockwise.repairs


def test_results_of_plain_calls_are_added_just_as_block_by_block() -> None:
    """So does the branch for results that come in the order of their calls."""
    asking = Message.assistant(TextBlock("look"), CALL, ToolUseBlock("2", "f", {}))
    arriving = [
        Message.user(RESULT),
        Message.user(ToolResultBlock("2", "x")),
        Message.user(ToolResultBlock("2", "y"), ToolResultBlock("1", "x")),
        Message.user(RESULT, TextBlock("and")),
        Message.user(ToolResultBlock("1", "Nothing known.")),
        Message.user(ToolResultBlock("3", "x")),
        Message.user("wait"),
        Message.assistant("more"),
    ]
    for message in (asking, *arriving):
        assert plain_content(message)
    for messages in product(arriving, repeat=3):
        whole = blockwise = MessageHistory(policy=Policy(stub_text="Nothing known.")).add_user("q").add(asking)
        for message in messages:
            whole = whole.add(message)
            blockwise = blockwise.add(message_of_shape(message.role, message.content, message.ids, NEEDS_REPAIR))
        assert whole == blockwise
        assert whole.repairs == blockwise.repairs
        assert whole.awaiting == blockwise.awaiting


def test_a_stub_of_the_policy_s_own_words_is_one_also_where_the_whole_turn_comes_at_once() -> None:
    asked: list[dict[str, Any]] = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "f", "input": {}} for id in "12"]},
    ]
    answers = [
        {"type": "tool_result", "tool_use_id": "1", "content": "Nothing known."},
        {"type": "tool_result", "tool_use_id": "2", "content": "x"},
    ]
    own = Policy(stub_text="Nothing known.")
    read = MessageHistory.from_list([*asked, {"role": "user", "content": answers}], policy=own)
    added = MessageHistory.from_list(asked, policy=own).add({"role": "user", "content": answers})
    assert [call.id for call in read.awaiting] == ["1"]
    # Whoever adds a result says that it is one.
    assert not added.awaiting
    assert not MessageHistory.from_list([*asked, {"role": "user", "content": answers}]).awaiting


# The rows of the step table, in its order.


def history(*messages: Message | str, policy: _Policy | None = None) -> MessageHistory:
    grown = MessageHistory(policy=policy)
    for message in messages:
        grown = grown.add_user(message) if isinstance(message, str) else grown.add(message)
    return grown


def calling(*calls: ToolUseBlock) -> MessageHistory:
    return history("q", Message.assistant(*(calls or (CALL,))))


def codes(grown: MessageHistory) -> list[RepairCode]:
    return [repair.code for repair in grown.repairs]


def contents(grown: MessageHistory, position: int = -1) -> tuple[Block, ...]:
    return grown[position].content


@pytest.mark.parametrize("blank", ["", " ", "\n\t", "\u2003"])
def test_row_blank_text_is_dropped(blank: str) -> None:
    grown = history("q", Message.assistant(TextBlock(blank), TextBlock("a")), Message.user(blank))
    assert [message.text for message in grown] == ["q", "a"]
    assert codes(grown) == [RepairCode.BLANK_TEXT_DROPPED] * 2
    assert grown.repairs[0].removed == (TextBlock(blank),)


def test_row_an_empty_message_is_dropped() -> None:
    assert codes(history("q", Message("assistant", ()))) == [RepairCode.EMPTY_MESSAGE_DROPPED]


def test_row_a_leading_assistant_is_bootstrapped() -> None:
    grown = history(Message.assistant("hello"), "q")
    assert [message.role for message in grown] == ["user", "assistant", "user"]
    assert grown[0].content[0].mark is not None
    assert codes(grown) == [RepairCode.BOOTSTRAP_ADDED]


def test_row_leading_assistants_are_dropped_all_of_them() -> None:
    policy = Policy(leading_assistant="drop")
    grown = history(Message.assistant("x"), Message.assistant(CALL), Message.user(RESULT), "q", policy=policy)
    assert [message.text for message in grown] == ["q"]
    assert codes(grown) == [RepairCode.LEADING_ASSISTANT_DROPPED] * 2 + [RepairCode.ORPHAN_RESULT_DROPPED]


def test_row_an_assistant_message_after_the_user_settles_the_turn() -> None:
    before = calling().add_user("never mind")
    after = before.add_assistant("ok")
    assert after[: len(before)] == tuple(before)
    assert not after.awaiting


def test_row_assistant_messages_are_joined_and_their_calls_are_one_turn() -> None:
    grown = history("q", Message.assistant("a"), Message.assistant(CALL), Message.assistant(ToolUseBlock("2", "g", {})))
    assert len(grown) == 2
    assert [call.id for call in grown.awaiting] == ["1", "2"]
    assert not grown.repairs


def test_row_the_same_call_twice_is_dropped_once() -> None:
    grown = calling(CALL, CALL).add(Message.assistant(CALL))
    assert grown[1].calls == (CALL,)
    assert codes(grown) == [RepairCode.DUPLICATE_CALL_DROPPED] * 2


def test_row_another_call_under_the_same_id_is_renamed_and_results_go_in_order() -> None:
    grown = calling(
        ToolUseBlock("1", "f", {"n": 1}), ToolUseBlock("1", "f", {"n": 2}), ToolUseBlock("1", "f", {"n": 3})
    )
    assert [call.id for call in grown.awaiting] == ["1", "1_2", "1_3"]
    for text in ("first", "second", "third"):
        grown = grown.add(Message.user(ToolResultBlock("1", text)))
    assert [(result.tool_use_id, result.text) for result in grown[-1].results] == [
        ("1", "first"),
        ("1_2", "second"),
        ("1_3", "third"),
    ]
    assert set(codes(grown)) == {RepairCode.DUPLICATE_ID_RENAMED}


def test_row_a_renamed_call_keeps_clear_of_an_id_that_is_taken() -> None:
    grown = calling(ToolUseBlock("1", "f", {}), ToolUseBlock("1_2", "f", {}), ToolUseBlock("1", "f", {"n": 2}))
    assert [call.id for call in grown.awaiting] == ["1", "1_2", "1_3"]


def test_row_one_is_not_true() -> None:
    grown = calling(ToolUseBlock("1", "f", {"n": 1}), ToolUseBlock("1", "f", {"n": True}))
    assert [call.id for call in grown.awaiting] == ["1", "1_2"]


@pytest.mark.parametrize("order", [("1", "2"), ("2", "1")])
@pytest.mark.parametrize("together", [True, False])
def test_row_results_come_first_in_call_order_from_any_number_of_messages(order: Any, together: bool) -> None:
    grown = calling(CALL, ToolUseBlock("2", "g", {}))
    results = [ToolResultBlock(id, f"r{id}") for id in order]
    for message in [Message.user(*results)] if together else [Message.user(result) for result in results]:
        grown = grown.add(message)
    assert [result.text for result in grown[-1].results] == ["r1", "r2"]
    assert not grown.awaiting
    assert codes(grown) == ([RepairCode.RESULTS_REORDERED] if together and order[0] == "2" else [])


def test_row_text_before_results_comes_after_them() -> None:
    grown = calling().add(Message.user("note", RESULT))
    assert contents(grown) == (RESULT, TextBlock("note"))
    assert codes(grown) == [RepairCode.RESULTS_REORDERED]


def test_row_user_text_while_a_call_is_awaited_stubs_it_for_now() -> None:
    grown = calling().add_user("wait")
    (stub,) = grown[-1].results
    assert stub.is_stub
    assert stub.is_error
    assert [call.id for call in grown.awaiting] == ["1"]
    assert not grown.repairs
    answered = grown.add(Message.user(RESULT))
    assert contents(answered) == (RESULT, TextBlock("wait"))
    assert not answered.repairs
    settled = grown.add_assistant("ok")
    assert codes(settled) == [RepairCode.RESULT_STUBBED]
    assert settled[2] == grown[2]


def test_row_a_stub_that_came_in_is_replaced_and_recorded() -> None:
    loaded = MessageHistory.from_list(calling().to_list(), open_tail="stub")
    answered = loaded.add(Message.user(RESULT))
    assert contents(answered) == (RESULT,)
    assert codes(answered) == [RepairCode.RESULT_STUBBED, RepairCode.STUB_REPLACED]


def test_row_a_late_result_is_quoted_and_the_past_stays_as_sent() -> None:
    settled = calling().add_user("wait").add_assistant("ok")
    late = settled.add(Message.user(RESULT))
    assert late[:4] == tuple(settled)
    heading, quoted = contents(late)
    assert heading.mark is not None
    assert (heading.mark.kind, heading.mark.reason, heading.mark.tool_use_id) == ("quote", "late", "1")
    assert quoted == TextBlock("found")
    assert codes(late)[-1] is RepairCode.LATE_RESULT_QUOTED
    assert late.repairs[-1].removed == (RESULT,)
    again = late.add(Message.user(RESULT))
    assert again == late
    assert codes(again)[-1] is RepairCode.DUPLICATE_RESULT_DROPPED


def test_row_a_late_result_is_quoted_beside_what_is_awaited_now() -> None:
    settled = calling().add_user("wait").add_assistant([TextBlock("ok"), ToolUseBlock("2", "g", {})])
    late = settled.add(Message.user(RESULT)).add(Message.user(ToolResultBlock("2", "two")))
    assert [type(block).__name__ for block in contents(late)] == ["ToolResultBlock", "TextBlock", "TextBlock"]
    assert late[-1].results[0].text == "two"


def test_row_late_results_of_a_repeated_id_go_to_the_oldest_stub_first() -> None:
    grown = MessageHistory()
    for name in ("first", "second"):
        grown = grown.add_user("go").add(Message.assistant(ToolUseBlock("call_0", name, {}))).add_user("on")
        grown = grown.add_assistant("ok")
    for result in ("a", "b"):
        grown = grown.add(Message.user(ToolResultBlock("call_0", result)))
    assert [block.mark.name for block in contents(grown) if block.mark is not None] == ["first", "second"]


def test_row_a_call_knows_its_turn_so_a_repeated_id_cannot_mispair() -> None:
    first = calling(ToolUseBlock("call_0", "slow", {}))
    (slow,) = first.awaiting
    grown = first.add_user("on").add_assistant([ToolUseBlock("call_0", "fast", {})])
    grown = grown.add_tool_result(slow, "slow result")
    assert [call.name for call in grown.awaiting] == ["fast"]
    assert contents(grown)[1].mark is not None
    assert contents(grown)[2] == TextBlock("slow result")
    grown = grown.add_tool_result(grown.awaiting[0], "fast result")
    assert grown[-1].results[0].text == "fast result"
    assert grown.add_tool_result(slow, "slow result") == grown


def test_row_a_call_is_known_again_when_its_id_has_gone_to_another_call_of_its_turn() -> None:
    ask = MessageHistory().add_user("q")
    held = ask.add(Message.assistant(ToolUseBlock("call_0", "find", {"q": "cats"}))).awaiting[0]
    grown = ask.add(Message.assistant(ToolUseBlock("call_0", "find", {"q": "dogs"})))
    grown = grown.add(Message.assistant(ToolUseBlock("call_0", "find", {"q": "cats"})))
    answered = grown.add_tool_result(held, "about cats")
    assert [call.input["q"] for call in answered.awaiting] == ["dogs"]
    assert answered[-1].results[1] == ToolResultBlock("call_0_2", "about cats")
    late = grown.add_user("on").add_assistant("ok").add_tool_result(held, "about cats")
    assert [block.mark.tool_use_id for block in contents(late) if block.mark is not None] == ["call_0_2"]


def test_row_a_second_result_of_a_known_call_is_not_for_another_that_waits() -> None:
    grown = calling(ToolUseBlock("call_0", "find", {"q": "cats"}), ToolUseBlock("call_0", "find", {"q": "dogs"}))
    cats, dogs = grown.awaiting
    grown = grown.add_tool_result(cats, "about cats").add_tool_result(cats, "more about cats")
    assert [call.input["q"] for call in grown.awaiting] == ["dogs"]
    assert contents(grown)[-1] == TextBlock("more about cats")
    assert grown.add_tool_result(dogs, "about dogs")[-1].results[1].text == "about dogs"


def test_row_an_equal_second_result_is_dropped() -> None:
    grown = calling().add(Message.user(RESULT)).add(Message.user(RESULT))
    assert contents(grown) == (RESULT,)
    assert codes(grown) == [RepairCode.DUPLICATE_RESULT_DROPPED]
    later = grown.add_assistant("ok").add(Message.user(RESULT))
    assert len(later) == 4
    assert codes(later)[-1] is RepairCode.DUPLICATE_RESULT_DROPPED


@pytest.mark.parametrize("settled", [False, True])
def test_row_a_different_second_result_is_quoted(settled: bool) -> None:
    grown = calling().add(Message.user(RESULT))
    grown = grown.add_assistant("ok") if settled else grown
    other = ToolResultBlock("1", "other")
    quoted = grown.add(Message.user(other))
    assert contents(quoted)[-1] == TextBlock("other")
    assert codes(quoted) == [RepairCode.SECOND_RESULT_QUOTED]
    assert contents(quoted, 2)[0] == RESULT
    assert quoted.add(Message.user(other)) == quoted


def test_row_an_orphan_is_dropped_and_its_message_if_that_empties_it() -> None:
    ghost = ToolResultBlock("ghost", "x")
    grown = history("q", Message.assistant("a"), Message.user(ghost))
    assert len(grown) == 2
    assert grown.repairs[0].removed == (ghost,)
    assert contents(grown.add(Message.user(ghost, "text"))) == (TextBlock("text"),)
    assert len(history(Message.user(ghost))) == 0


def test_row_a_result_in_an_assistant_message_splits_it() -> None:
    grown = history("q", Message.assistant("look", CALL, RESULT, "seen"))
    assert [message.role for message in grown] == ["user", "assistant", "user", "assistant"]
    assert contents(grown, 2) == (RESULT,)
    assert codes(grown) == [RepairCode.RESULT_REHOMED]


def test_row_a_call_in_a_user_message_is_dropped() -> None:
    grown = history(Message.user("q", CALL), Message.user(RESULT))
    assert contents(grown) == (TextBlock("q"),)
    assert codes(grown) == [RepairCode.INJECTED_CALL_DROPPED, RepairCode.ORPHAN_RESULT_DROPPED]


def test_row_an_unreadable_input_is_kept_and_dropped_when_the_reply_was_cut_off() -> None:
    raw = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"path": "/a'}}],
    }
    grown = history("q").add(raw)
    (call,) = grown.awaiting
    assert call.input == {"_raw": '{"path": "/a'}
    assert not call.readable
    assert not grown.repairs
    cut = history("q").add_assistant([TextBlock("look"), call], interrupted=True)
    assert not cut.awaiting
    assert cut[-1].text == "look"
    assert codes(cut) == [RepairCode.INCOMPLETE_CALL_DROPPED]
    assert not history("q").add({**raw, "finish_reason": "length"}).awaiting
    assert [call.id for call in history("q").add_assistant([CALL], interrupted=True).awaiting] == ["1"]


def test_row_a_call_without_input_is_dropped_unless_no_argument_calls_omit_it() -> None:
    anthropic = {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f"}]}
    assert codes(history("q").add(anthropic)) == [RepairCode.CALL_WITHOUT_INPUT_DROPPED]
    for arguments in ({}, {"arguments": ""}, {"arguments": None}):
        chat = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", **arguments}}]}
        grown = history("q").add(chat)
        assert grown.awaiting[0].input == {}
        assert not grown.repairs


def test_row_ids_are_numbered_by_position_and_a_result_without_one_pairs_if_one_call_waits() -> None:
    grown = calling(ToolUseBlock("", "f", {}))
    assert [call.id for call in grown.awaiting] == ["call_1_0"]
    answered = grown.add(Message.user(ToolResultBlock("", "r")))
    assert answered[-1].results[0].tool_use_id == "call_1_0"
    assert codes(answered) == [RepairCode.ID_ASSIGNED] * 2
    two = calling(CALL, ToolUseBlock("2", "g", {})).add(Message.user(ToolResultBlock("", "r")))
    assert codes(two) == [RepairCode.ORPHAN_RESULT_DROPPED]


def test_row_a_call_without_a_name_is_an_unknown_tool() -> None:
    grown = calling(ToolUseBlock("1", " ", {}))
    assert grown.awaiting[0].name == "unknown_tool"
    assert codes(grown) == [RepairCode.NAME_ASSIGNED]


def test_row_leading_system_messages_are_lifted_and_later_ones_stay() -> None:
    grown = MessageHistory()
    for text in ("Be brief.", "Be kind."):
        grown = grown.add({"role": "system", "content": text})
    grown = grown.add_user("q").add({"role": "system", "content": "Now in French."})
    assert grown.system == "Be brief.\n\nBe kind."
    assert contents(grown) == (TextBlock("q"), SystemBlock("Now in French."))
    assert not grown.repairs


def test_row_a_system_message_while_a_call_is_awaited_comes_after_the_result() -> None:
    grown = calling().add(Message.user(SystemBlock("hurry"))).add(Message.user(RESULT))
    assert contents(grown) == (RESULT, SystemBlock("hurry"))


def test_row_signed_blank_text_is_not_blank() -> None:
    signed = TextBlock("", meta=Meta(signature="c2ln"))
    assert contents(history("q", Message.assistant(signed))) == (signed,)


def test_an_error_result_that_says_what_a_stub_says_is_read_back_as_a_stub() -> None:
    recorded = ToolResultBlock("1", Policy().stub_text, True)
    grown = MessageHistory.from_list([*calling(), Message.user(recorded)], open_tail="keep")
    assert grown[-1].results[0].is_stub
    assert [call.id for call in grown.awaiting] == ["1"]


def test_the_policy_raise_names_everything_and_changes_nothing() -> None:
    strict = history("q", policy=Policy(on_violation="raise"))
    bad = Message.assistant(TextBlock(" "), ToolUseBlock("1", "", {}), ToolResultBlock("ghost", "x"))
    with pytest.raises(InvariantError) as caught:
        strict.add(bad)
    assert [violation.code for violation in caught.value.violations] == [
        RepairCode.BLANK_TEXT_DROPPED,
        RepairCode.NAME_ASSIGNED,
        RepairCode.ORPHAN_RESULT_DROPPED,
    ]
    assert (caught.value.code, caught.value.index) == (RepairCode.BLANK_TEXT_DROPPED, 1)
    assert "'ghost'" in str(caught.value)
    assert len(strict) == 1
    reordered = strict.add(Message.assistant(CALL)).add(Message.user("note", RESULT))
    assert codes(reordered) == [RepairCode.RESULTS_REORDERED]


def test_the_policy_raise_refuses_to_send_what_must_be_stubbed_first() -> None:
    strict = history("q", Message.assistant(CALL), policy=Policy(on_violation="raise"))
    with pytest.raises(InvariantError, match="result_stubbed"):
        strict.for_send()
    with pytest.raises(InvariantError, match="result_stubbed"):
        MessageHistory.from_list(strict.to_list(), policy=strict.policy, open_tail="stub")
    assert MessageHistory.from_list(strict.to_list(), policy=strict.policy) == strict


def test_thinking_behind_a_change_on_ingest_is_marked_unbound() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "sig"}
    turn = [
        {"role": "assistant", "content": [thought, {"type": "text", "text": "a"}]},
        {"role": "user", "content": "b"},
    ]
    loaded = MessageHistory.from_list(
        [{"role": "user", "content": "q"}, *turn, {"role": "user", "content": " "}, *turn]
    )
    bound = [block.bound for message in loaded for block in message.content if isinstance(block, ThinkingBlock)]
    assert bound == [True, False]


@pytest.mark.parametrize("call", ["nope", ToolUseBlock("nope", "f", {})])
def test_a_result_by_hand_for_a_call_that_does_not_exist_is_an_error_that_names_the_open_ones(
    call: ToolUseBlock | str, caplog: pytest.LogCaptureFixture
) -> None:
    asked = history("q", Message.assistant([ToolUseBlock("a", "f", {}), ToolUseBlock("b", "f", {})]))
    with pytest.raises(UnknownCallError, match="'nope'; calls without a result: 'a', 'b'") as caught:
        asked.add_tool_result(call, "x")
    assert (caught.value.id, caught.value.awaiting) == ("nope", ("a", "b"))
    assert pickle.loads(pickle.dumps(caught.value)).awaiting == ("a", "b")
    assert not caplog.records
    with pytest.raises(UnknownCallError, match="'nope'; no call waits for one"):
        history("q").add_tool_result(call, "x")
    assert codes(asked.add(Message.user(ToolResultBlock("nope", "x")))) == [RepairCode.ORPHAN_RESULT_DROPPED]


def test_a_late_or_second_result_by_hand_is_no_error() -> None:
    settled = calling().add_user("wait").add_assistant("ok")
    assert codes(settled.add_tool_result("1", "late"))[-1] is RepairCode.LATE_RESULT_QUOTED
    answered = calling().add_tool_result("1", "one")
    assert codes(answered.add_tool_result("1", "two"))[-1] is RepairCode.SECOND_RESULT_QUOTED


def test_lists_from_elsewhere_are_stubbed_at_their_end_and_our_own_keep_it_open() -> None:
    asked = history("q", Message.assistant(CALL))
    assert MessageHistory.from_list(asked.to_list()) == asked
    assert MessageHistory.from_list(asked.to_list()).awaiting == asked.awaiting
    assert not MessageHistory.from_list(asked.to_list()).repairs
    elsewhere = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}}]},
    ]
    assert codes(MessageHistory.from_list(elsewhere)) == [RepairCode.RESULT_STUBBED]


def test_row_metadata_is_an_arrival_of_its_own_text() -> None:
    grown = (
        history("q", Message.assistant(CALL))
        .add({"role": "user", "content": "on", "id": "m1"})
        .add_user("so", metadata={"id": "m2"})
    )
    assert [(each.end, each.metadata.get("id")) for each in grown[2].arrivals] == [(1, None), (2, "m1"), (3, "m2")]
    assert grown == history("q", Message.assistant(CALL)).add_user("on").add_user("so")
    assert "m1" not in str(grown.for_send())


def test_row_a_decision_is_in_the_mark_of_the_call_s_stub() -> None:
    decided = history("q", Message.assistant(CALL)).record_call(
        "1", "denied", by="Ada", at=1, until=2, reason="no", input={"sum": 6}
    )
    late = history("q", Message.assistant(CALL)).add_user("on").add_assistant("ok")
    for grown in (decided, late.record_call("1", "denied", by="Ada", at=1, until=2, reason="no", input={"sum": 6})):
        (record,) = grown.calls
        assert (record.by, record.detail, record.until, record.input) == ("Ada", "no", 2, {"sum": 6})
        assert record.call.input == CALL.input
        sent = str(grown.for_send())
        assert "Ada" not in sent
        assert "A person edited" in sent


def test_row_what_was_forgotten_keeps_its_place() -> None:
    gone = forgotten(TextBlock("a secret"), "asked")
    grown = MessageHistory().add_user(gone).add_assistant("ok")
    assert grown.repairs == ()
    assert [block.mark.kind for message in grown for block in message.content if block.mark] == ["forgotten"]
    assert grown.for_send()[0]["content"] == [{"type": "text", "text": "[This was removed.]"}]
    assert MessageHistory.from_list(grown.to_list()) == grown
