"""The states of calls: what may be recorded, what the model reads, and what is found again."""

from __future__ import annotations

import pickle
from itertools import product
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.dialects.test_openai_responses_approvals import APPROVED, CALLED, QUESTION, REQUEST, RESPONSES

from message_history import (
    CallState,
    CallStateError,
    Message,
    MessageHistory,
    Policy,
    RepairCode,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    check,
)
from message_history.core.messages.message import STUB_OPENINGS
from message_history.core.messages.policy import KNOWN_WORDINGS
from message_history.core.turns.calls import CallRecord
from message_history.core.turns.rules import MOVES, REASONS
from message_history.core.values.meta import Mark, Meta
from message_history.dialects import Anthropic, Bedrock, Dialect, Gemini, Mistral, OpenAIChat, OpenAIResponses
from message_history.integrations.state import load, save

State = CallState
PAY, LOOK = ToolUseBlock("1", "pay", {"sum": 5}), ToolUseBlock("2", "look", {})
ASKED = MessageHistory().add_user("Pay.").add_assistant([PAY, LOOK])
DIALECTS: list[Dialect[Any]] = [Anthropic(), OpenAIChat(), OpenAIResponses(), Gemini(), Mistral(), Bedrock()]
PATHS: dict[CallState, list[CallState]] = {
    State.PROPOSED: [],
    State.WAITING: [State.WAITING],
    State.APPROVED: [State.WAITING, State.APPROVED],
    State.DENIED: [State.WAITING, State.DENIED],
    State.CANCELLED: [State.CANCELLED],
    State.STARTED: [State.STARTED],
}
RECORDED = [state for state in CallState if state in REASONS and state is not State.PROPOSED]


def states(history: MessageHistory) -> list[CallState]:
    return [record.state for record in history.calls]


def in_state(state: CallState, *, settled: bool = False) -> MessageHistory:
    """Return a history whose first call is in a state; in a settled turn, the model has replied since."""
    history = ASKED
    if state is State.UNKNOWN:
        history = history.as_sent()
    for step in PATHS.get(state, []):
        history = history.record_call("1", step)
    if state is State.ANSWERED:
        history = history.add_tool_result("1", "paid")
    return history.add_tool_result("2", "seen").add_assistant("Go on?").add_user("yes") if settled else history


def test_a_call_is_proposed_until_something_is_recorded() -> None:
    assert states(ASKED) == [State.PROPOSED, State.PROPOSED]
    assert states(ASKED.as_sent()) == [State.UNKNOWN, State.UNKNOWN]
    assert states(ASKED.add_user("Wait.")) == [State.UNKNOWN, State.UNKNOWN]


def test_the_moves_are_a_table_over_all_states() -> None:
    assert set(MOVES) == set(CallState)
    assert not any(
        state in (State.PROPOSED, State.ANSWERED, State.UNKNOWN) for moves in MOVES.values() for state in moves
    )
    assert {state for state in CallState if not MOVES[state]} == {State.DENIED, State.CANCELLED, State.ANSWERED}


@pytest.mark.parametrize("settled", [False, True], ids=["open", "settled"])
@pytest.mark.parametrize(("state", "following"), list(product(CallState, RECORDED)))
def test_a_state_is_recorded_just_where_the_table_allows(state: CallState, following: CallState, settled: bool) -> None:
    history = in_state(state, settled=settled and state is not State.PROPOSED)
    assert history.calls[0].state is state
    if following in MOVES[state]:
        moved = history.record_call("1", following, reason="why")
        assert moved.calls[0].state is following
        assert moved.calls[0].detail == "why"
        assert moved.calls[1].state is (State.PROPOSED if state is State.PROPOSED else history.calls[1].state)
        if settled or state is not State.UNKNOWN:
            assert moved.repairs == history.repairs
    else:
        with pytest.raises(CallStateError, match=rf"'1' of 'pay' is {state}, and may not become {following}") as caught:
            history.record_call("1", following)
        assert (caught.value.call.id, caught.value.state, caught.value.following) == ("1", state, following)
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize("state", [State.PROPOSED, State.ANSWERED, State.UNKNOWN])
def test_what_no_person_records_cannot_be_recorded(state: CallState) -> None:
    with pytest.raises(CallStateError):
        ASKED.record_call("1", state)


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(LookupError, match="'9'"):
        ASKED.record_call("9", "started")
    with pytest.raises(ValueError, match="finished"):
        ASKED.record_call("1", "finished")
    with pytest.raises(TypeError, match="call must be"):
        ASKED.record_call(1, "started")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="nonsense"):
        ASKED.calls.where("nonsense")


def test_calls_are_filtered_by_state_and_turn() -> None:
    history = in_state(State.WAITING, settled=True).add_assistant(ToolUseBlock("3", "look", {}))
    assert [record.call.id for record in history.calls.where(State.WAITING)] == ["1"]
    assert history.calls.where("waiting") == history.calls.where(State.WAITING)
    assert [record.call.id for record in history.calls.where(State.WAITING, State.ANSWERED)] == ["1", "2"]
    assert [record.call.id for record in history.calls.where(turn=5)] == ["3"]
    assert [record.call.id for record in history.calls.unsettled()] == ["1", "3"]
    assert history.calls.where() == history.calls
    assert {record.call.turn for record in history.calls} == {1, 5}
    assert all(isinstance(record, CallRecord) for record in history.calls)


TEXTS = {
    State.WAITING: ("waits for approval", False),
    State.APPROVED: ("was approved", False),
    State.DENIED: ("was denied", True),
    State.STARTED: ("may have taken effect", True),
    State.CANCELLED: ("cancelled before it started", True),
    State.PROPOSED: ("has not run yet", False),
}


@pytest.mark.parametrize("state", TEXTS)
def test_the_model_reads_in_which_state_a_call_is(state: CallState) -> None:
    history = in_state(state).record_call("2", "started")
    result = history[-1].results[0]
    text, is_error = TEXTS[state]
    assert text in result.text
    assert result.is_error is is_error
    assert Policy().stub_text not in result.text


def test_every_text_of_a_stub_is_looked_at() -> None:
    texts = [getattr(Policy(), field.name) for field in attrs.fields(Policy) if field.name.endswith("_text")]
    assert [text for text in texts if not text.startswith(STUB_OPENINGS)] == [
        Policy().bootstrap_text,
        Policy().continuation_text,
    ]


WORDINGS = {
    # Every text of a stub that a version of this library ever wrote. Lists elsewhere hold them: add, never remove.
    "[No result is recorded for this call. The tool may or may not have run.]": State.UNKNOWN,
    "[This call has not run yet.]": State.PROPOSED,
    "[This call has not run yet. It waits for approval.]": State.WAITING,
    "[This call was approved. It has not run yet.]": State.APPROVED,
    "[This call was denied and did not run. Do not repeat it unless you are asked to.]": State.DENIED,
    "[This call was started, and no result is recorded. It may have taken effect: check it.]": State.STARTED,
    "[This call was cancelled before it started.]": State.CANCELLED,
}
CONFIGURED = Policy(
    stub_text="[nobody knows]",
    proposed_text="[not yet]",
    waiting_text="[ask]",
    approved_text="[go]",
    denied_text="[no]",
    started_text="[going]",
    cancelled_text="[off]",
)


@pytest.mark.parametrize("is_error", [False, True])
@pytest.mark.parametrize("policy", [Policy(), CONFIGURED], ids=["default", "configured"])
@pytest.mark.parametrize("text", WORDINGS)
def test_a_stub_from_elsewhere_is_known_by_every_wording(text: str, policy: Policy, is_error: bool) -> None:
    raw = [*ASKED.for_send()[:-1], ASKED.for_send()[-1]]
    content = [
        {"type": "tool_result", "tool_use_id": "1", "content": text, "is_error": is_error},
        {"type": "tool_result", "tool_use_id": "2", "content": "seen"},
    ]
    history = MessageHistory.from_list([*raw[:2], {"role": "user", "content": content}], policy=policy)
    assert states(history) == [WORDINGS[text], State.ANSWERED]


def test_the_texts_of_this_version_are_among_the_known_wordings() -> None:
    texts = [getattr(Policy(), field.name) for field in attrs.fields(Policy) if field.name.endswith("_text")]
    assert set(texts) - {Policy().bootstrap_text, Policy().continuation_text} == set(WORDINGS) == set(KNOWN_WORDINGS)


@pytest.mark.parametrize("state", [*RECORDED, State.UNKNOWN])
def test_a_configured_text_is_known_by_its_mark(state: CallState) -> None:
    history = MessageHistory(policy=CONFIGURED).add_user("Pay.").add_assistant([PAY, LOOK])
    for step in PATHS.get(state, []):
        history = history.record_call("1", step)
    history = history.as_sent()
    assert history[-1].results[0].text in attrs.asdict(CONFIGURED).values()
    # Another policy reads it: the mark decides.
    assert MessageHistory.from_list(history.to_list()).calls[0].state is state
    assert load(save(history)) == history
    assert load(save(history)).policy == CONFIGURED


def test_a_configured_text_of_an_error_is_known_by_its_text_too() -> None:
    history = MessageHistory(policy=CONFIGURED).add_user("Pay.").add_assistant(PAY).record_call("1", "denied")
    wire = history.for_send()
    assert MessageHistory.from_list(wire, policy=CONFIGURED).calls[0].state is State.DENIED
    assert MessageHistory.from_list(wire).calls[0].state is State.ANSWERED


def test_a_denial_is_an_answer_where_unanswered_calls_are_removed() -> None:
    history = in_state(State.WAITING).record_call("1", "denied", reason="no").add_user("?")
    pruned = history.without_unanswered()
    assert [record.call.id for record in pruned.calls] == ["1"]
    assert pruned.calls[0].detail == "no"
    assert (
        in_state(State.APPROVED).add_tool_result("2", "seen").without_unanswered().calls.where(turn=1)[0].call.id == "2"
    )


def test_a_denial_carries_the_reason() -> None:
    history = in_state(State.WAITING).record_call("1", "denied", reason="too much")
    assert history[-1].results[0].text.endswith("Reason: too much")
    assert history.calls[0].detail == "too much"
    late = in_state(State.WAITING, settled=True).record_call("1", "denied", reason="too much")
    assert late[-1].text.endswith("Reason: too much]")


def test_a_policy_has_other_texts() -> None:
    policy = Policy(waiting_text="[hold on]")
    history = MessageHistory(policy=policy).add_user("q").add_assistant(PAY).record_call("1", "waiting")
    assert history[-1].results[0].text == "[hold on]"


@pytest.mark.parametrize("state", RECORDED)
@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_a_state_survives_an_export_and_is_known_by_its_text(dialect: Dialect[Any], state: CallState) -> None:
    history = in_state(State.WAITING if state is not State.WAITING else State.PROPOSED)
    history = (
        history.record_call("1", state, reason="why" if state is State.DENIED else "")
        if (state in MOVES[history.calls[0].state])
        else ASKED.record_call("1", state)
    )
    wire = history.for_send(dialect)
    assert check(wire, dialect) == []
    again = MessageHistory.from_list(wire, dialect=dialect)
    assert again.calls[0].state is state
    assert again.for_send(dialect) == wire


@pytest.mark.parametrize("state", [*RECORDED, State.UNKNOWN, State.ANSWERED])
@pytest.mark.parametrize("settled", [False, True], ids=["open", "settled"])
def test_a_state_is_saved_and_loaded_with_its_key(state: CallState, settled: bool) -> None:
    history = in_state(state, settled=settled)
    for again in (
        MessageHistory.from_list(history.to_list(), open_tail="keep"),
        pickle.loads(pickle.dumps(history)),
        load(save(history)),
    ):
        assert again == history
        assert again.calls == history.calls
    assert again.repairs == history.repairs


def test_histories_whose_calls_are_in_other_states_are_not_equal() -> None:
    assert in_state(State.WAITING) != in_state(State.APPROVED)
    assert in_state(State.WAITING, settled=True).record_call("1", "approved") != in_state(State.WAITING, settled=True)


def test_a_key_is_another_for_the_same_call_in_another_turn() -> None:
    history = MessageHistory().add_user("q")
    for _ in range(3):
        history = history.add_assistant(PAY).add_tool_result("1", "paid").add_user("again")
    assert len({record.key for record in history.calls}) == 3
    assert history.calls == MessageHistory.from_list(history.to_list()).calls


def test_a_key_stays_when_older_turns_are_dropped() -> None:
    history = MessageHistory().add_user("a").add_assistant(PAY).add_tool_result("1", "paid").add_assistant("ok")
    history = history.add_user("b").add_assistant(PAY).record_call(PAY, "started")
    assert history.drop_before(4).calls[-1].key == history.calls[-1].key


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_what_was_sent_stays_when_a_settled_call_changes_its_state(dialect: Dialect[Any]) -> None:
    history = in_state(State.WAITING, settled=True)
    sent = history.as_sent(dialect).add_assistant("So.")
    moved = sent.add_user("ok").record_call("1", "approved").record_call("1", "started").add_tool_result("1", "paid")
    before, after = sent.for_send(dialect), moved.for_send(dialect)
    assert after[: len(before) - 1] == before[:-1]
    assert check(after, dialect) == []
    assert states(moved) == [State.ANSWERED, State.ANSWERED]
    assert moved.calls[0].result == ToolResultBlock("1", "paid")


def test_a_late_result_is_known_for_the_call_that_it_was_added_for() -> None:
    history = MessageHistory().add_user("q")
    for _ in range(2):
        history = history.add_assistant(PAY)
        history = history.record_call(history.awaiting[0], "started").add_user("go on")
    history = history.add_assistant("ok").add_user("so")
    second = history.add_tool_result(history.calls[1].call, "second")
    assert states(second) == [State.STARTED, State.ANSWERED]
    both = second.add_tool_result(history.calls[0].call, "first")
    assert [record.result.text for record in both.calls if record.result is not None] == ["first", "second"]


def test_a_denied_or_cancelled_call_is_not_awaited() -> None:
    assert [call.id for call in in_state(State.DENIED).awaiting] == ["2"]
    assert [call.id for call in in_state(State.CANCELLED).awaiting] == ["2"]
    assert [call.id for call in in_state(State.WAITING).awaiting] == ["1", "2"]


def test_a_recorded_state_needs_no_repair_and_passes_a_policy_that_raises() -> None:
    history = MessageHistory(policy=Policy(on_violation="raise")).add_user("q").add_assistant([PAY, LOOK])
    history = history.record_call("1", "waiting").record_call("2", "started").add_tool_result("2", "seen")
    history = history.add_user("Hurry.").add_assistant("It waits for you.").add_user("Ok.").record_call("1", "approved")
    assert history.repairs == ()


def test_a_stub_that_nobody_recorded_says_nothing_of_its_neighbours() -> None:
    history = ASKED.add_user("Wait.").record_call("1", "waiting")
    assert states(history) == [State.WAITING, State.UNKNOWN]


def test_a_raw_stub_moves_a_call_only_as_the_table_says() -> None:
    stub = in_state(State.WAITING)[-1].results[0]
    denied = in_state(State.DENIED)
    again = denied.add(Message.user(stub))
    assert again.calls[0].state is State.DENIED
    assert [repair.code for repair in again.repairs] == [RepairCode.DUPLICATE_RESULT_DROPPED]


def test_what_a_person_decides_while_a_reply_is_under_way_follows_the_reply() -> None:
    history = in_state(State.WAITING).add_tool_result("2", "seen").add_user("Well?")
    sent = history.as_sent(Anthropic())
    later = history.record_call("1", "approved").add_user("Yes.")
    both = later.add_response(
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "text", "text": "Hm."}],
            "stop_reason": "end_turn",
        },
        sent=sent,
    )
    assert both.for_send()[: len(sent)] == sent.for_send()
    assert both.calls[0].state is State.APPROVED
    assert not both.repairs


def test_a_quote_is_still_attributed_when_a_reply_went_before_it() -> None:
    history = MessageHistory().add_user("q")
    for _ in range(2):
        history = history.add_assistant(PAY)
        history = history.record_call(history.awaiting[0], "started").add_user("go on")
    sent = history.as_sent(Anthropic())
    later = history.add_tool_result(history.calls[0].call, "first")
    reply = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "text", "text": "Hm."}],
        "stop_reason": "end_turn",
    }
    both = later.add_response(reply, sent=sent)
    assert states(both) == [State.ANSWERED, State.STARTED]


def test_a_quote_that_names_no_call_of_the_history_answers_none() -> None:
    history = MessageHistory().add_user("q").add_assistant(PAY).add_user("go on").add_assistant("ok").add_user("so")
    saved = history.add_tool_result("1", "late").to_list()
    saved[-1]["content"][1]["mark"]["key"] = "another"
    assert states(MessageHistory.from_list(saved)) == [State.UNKNOWN]


def test_news_of_a_call_that_a_window_dropped_is_text_and_no_more() -> None:
    history = in_state(State.WAITING, settled=True).record_call("1", "approved").add_assistant("ok").add_user("next")
    cut = len(history) - 1
    assert states(history.drop_before(cut)) == []


MOVE = st.tuples(st.sampled_from(["1", "2", "a", "b"]), st.sampled_from(list(CallState)))
OPERATION = st.one_of(
    MOVE,
    st.just("user"),
    st.just("reply"),
    st.sampled_from(["call 1", "call 2", "call a", "call b"]),
    st.sampled_from(["result 1", "result 2", "result a", "result b"]),
    st.just("reload"),
)


@given(st.lists(OPERATION, max_size=25))
def test_a_call_that_ended_stays_ended_and_keys_stay(operations: list[Any]) -> None:
    """Random sessions: only the table moves a call, and everything survives a reload."""
    history = MessageHistory().add_user("q")
    for operation in operations:
        before = {record.key: record.state for record in history.calls}
        if isinstance(operation, tuple):
            try:
                history = history.record_call(operation[0], operation[1])
            except (CallStateError, LookupError):
                continue
        elif operation == "reload":
            again = MessageHistory.from_list(history.to_list(), open_tail="keep")
            assert (again, again.calls) == (history, history.calls)
            history = again
        elif operation in ("user", "reply"):
            history = history.add_user("more") if operation == "user" else history.add_assistant("ok")
        else:
            kind, id = operation.split()
            message = (
                Message.assistant(ToolUseBlock(id, "f", {}))
                if kind == "call"
                else Message.user(ToolResultBlock(id, "x"))
            )
            history = history.add(message)
        after = {record.key: record.state for record in history.calls}
        assert before.keys() <= after.keys()
        for key, state in before.items():
            if after[key] is not state:
                recorded = after[key] in MOVES[state]
                assert recorded or after[key] in (State.ANSWERED, State.UNKNOWN) or state is State.PROPOSED
                assert state is not State.ANSWERED
        for dialect in DIALECTS:
            assert check(history.for_send(dialect), dialect) == []


def test_text_beside_a_stub_is_no_state() -> None:
    result = ToolResultBlock("1", [TextBlock(Policy().waiting_text), TextBlock("more")])
    assert ASKED.add(Message.user(result)).calls[0].state is State.ANSWERED


def test_a_call_that_its_provider_has_run_is_answered() -> None:
    asked = MessageHistory.from_list([QUESTION, REQUEST, APPROVED], dialect=RESPONSES)
    ran = MessageHistory.from_list([QUESTION, REQUEST, APPROVED, CALLED], dialect=RESPONSES)
    assert (asked.calls[0].state, ran.calls[0].state) == (CallState.APPROVED, CallState.ANSWERED)


def test_a_call_that_its_provider_runs_is_approved_and_not_started_here() -> None:
    call = ToolUseBlock("1", "f", {}, meta=Meta(mark=Mark(kind="approval", reason="provider")))
    asked = MessageHistory().add_user("q").add_assistant(call)
    with pytest.raises(CallStateError, match=r"what may follow is approved, denied, cancelled$"):
        asked.record_call("1", CallState.STARTED)
    approved = asked.record_call("1", CallState.APPROVED)
    assert approved.calls[0].state is CallState.APPROVED
    assert not approved.calls.unsettled()
