"""Which call is meant: no operation gives a state or a result to another call, and none forgets what became of one."""

from __future__ import annotations

import pickle
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from tests.helpers import ASKED, CALL

from message_history import (
    AmbiguousCallError,
    CallState,
    CallStateError,
    Message,
    MessageHistory,
    Policy,
    RepairCode,
    ToolResultBlock,
    ToolUseBlock,
    UnknownCallError,
    windows,
)
from message_history.core.messages.blocks import with_meta
from message_history.dialects import Anthropic, OpenAIChat
from message_history.integrations.merging import merged
from message_history.storage import JsonlSession

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

State = CallState


def pay(amount: int, id: str = "call_0") -> ToolUseBlock:
    return ToolUseBlock(id, "pay", {"amount": amount})


def states(history: MessageHistory) -> dict[int, tuple[CallState, str | None]]:
    return {
        each.call.input["amount"]: (each.state, each.result.text if each.result is not None else None)
        for each in history.calls
    }


def keys(history: MessageHistory) -> dict[int, str]:
    return {each.call.input["amount"]: each.key for each in history.calls}


def both_wait() -> MessageHistory:
    """Give a history in which a call of 5 waits in a settled turn, and a call of 5,000 with its id in the open one."""
    history = MessageHistory().add_user("Pay 5.").add_assistant(pay(5)).record_call("call_0", "waiting")
    history = history.add_user("Well?").add_assistant("It waits.").add_user("Pay 5,000.").add_assistant(pay(5000))
    return history.record_call(history.awaiting[0], "waiting")


def reply(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "stop_reason": "end_turn", "content": list(blocks)}


# Keys


def test_an_id_that_names_two_calls_that_wait_raises_and_lists_them() -> None:
    history = both_wait()
    with pytest.raises(AmbiguousCallError, match=r"2 calls: 'pay' in message 1, .*'pay' in message 5") as caught:
        history.record_call("call_0", "approved")
    assert [call.input["amount"] for call in caught.value.calls] == [5, 5000]
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    with pytest.raises(AmbiguousCallError):
        history.add_tool_result("call_0", "paid")


def test_a_call_is_named_by_its_key() -> None:
    history = both_wait()
    five = history.calls[0]
    assert history.calls[five.key] == five
    assert states(history.record_call(key=five.key, state="approved"))[5][0] is State.APPROVED
    assert states(history.add_tool_result(five.call, "paid"))[5] == (State.ANSWERED, "paid")
    with pytest.raises(UnknownCallError, match="has the id or the key 'no key'"):
        history.record_call(key="no key", state="approved")
    with pytest.raises(UnknownCallError):
        history.calls["no key"]
    assert history.calls[0:1] == (five,)
    with pytest.raises(TypeError, match="call must be"):
        history.record_call(state="approved")


def test_two_conversations_give_the_same_call_other_keys() -> None:
    made = [MessageHistory(name=name).add_user("q").add_assistant(pay(5)) for name in ("alice", "bob", "")]
    assert made[0] == made[1] == made[2]
    assert len({history.awaiting[0].key for history in made}) == len({history.calls[0].key for history in made}) == 3
    with pytest.raises(TypeError, match="name must be a str"):
        MessageHistory(name=5)  # type: ignore[arg-type]


def talk() -> MessageHistory:
    """Give a history that proposes the same call under the same id in five turns."""
    history = MessageHistory(name="alice").add_user("0")
    for n in range(5):
        history = history.add_assistant(pay(5)).add_tool_result("call_0", n)
        history = history.add_assistant("ok").add_user(str(n + 1))
    return history.add_assistant([pay(5), pay(6, "call_1")])


REST: dict[str, Callable[[MessageHistory], MessageHistory]] = {
    "window": lambda history: history.window(max_messages=9),
    "drop_before": lambda history: history.drop_before(8),
    "inside": lambda history: history.drop_before(9),
    "drop twice": lambda history: history.drop_before(8).drop_before(4),
    "compact": lambda history: history.compact("before", keep_from=8),
    "pickle": lambda history: pickle.loads(pickle.dumps(history.drop_before(8))),
    "list": lambda history: MessageHistory.from_list(history.drop_before(8).to_list()),
    "system": lambda history: MessageHistory.from_list(history.with_system("Be kind.").drop_before(4).to_list()),
    "trim": lambda history: history.trim_results(older_than=9, text="-"),
}


@pytest.mark.parametrize("cut", REST.values(), ids=REST)
def test_a_key_stays_with_its_call_through_what_keeps_the_newest(
    cut: Callable[[MessageHistory], MessageHistory],
) -> None:
    history = talk()
    kept = cut(history)
    assert len({each.key for each in history.calls}) == 7
    assert [each.key for each in kept.calls] == [each.key for each in history.calls][-len(kept.calls) :]
    assert [call.key for call in kept.awaiting] == [call.key for call in history.awaiting]
    more = [each.add_tool_result(each.awaiting[0], "x").add_assistant(pay(7)).calls[-1].key for each in (kept, history)]
    assert more[0] == more[1]


def test_a_call_that_was_cut_away_is_no_other() -> None:
    history = talk()
    first, last = history.calls[0].call, history.awaiting[0]
    for kept, call in (
        (history.drop_before(8), first),
        (MessageHistory().add_user("q"), first),
        (history.rewind(5), last),
    ):
        with pytest.raises(UnknownCallError):
            kept.add_tool_result(call, "x")
    branch = MessageHistory(name="alice").add_user("0").add_assistant([pay(6), pay(7, "call_0")])
    with pytest.raises(UnknownCallError):
        branch.add_tool_result(first, "x")


def test_a_call_that_was_removed_is_not_its_like_that_moved_up() -> None:
    history = MessageHistory().add_user("q").add_assistant(pay(5)).add_user("on").add_assistant(pay(5))
    gone, stays = (each.call for each in history.add_tool_result(history.awaiting[0], "paid").calls)
    pruned = history.add_tool_result(stays, "paid").without_unanswered()
    assert [each.key for each in pruned.calls] == [stays.key]
    assert pruned.add_tool_result(stays, "paid").calls == pruned.calls
    with pytest.raises(UnknownCallError):
        pruned.add_tool_result(gone, "x")


def test_a_call_with_a_key_of_its_own_is_not_the_like_that_another_history_has_in_its_place() -> None:
    moved = MessageHistory().add_user("q").add_assistant(with_meta(CALL, key="of another place"))
    with pytest.raises(UnknownCallError):
        moved.add_tool_result(ASKED.awaiting[0], "r")


def test_a_call_is_found_by_its_key_though_one_like_it_is_in_its_place() -> None:
    keyed = with_meta(CALL, key="of another place")
    asked = MessageHistory().add_user("q").add_assistant("a").add_user("b").add_assistant(keyed)
    history = MessageHistory().add_user("q").add_assistant(keyed).add_user("b").add_assistant(CALL)
    answered = history.add_tool_result(asked.awaiting[0], "r")
    assert [each.result and each.result.text for each in answered.calls] == ["r", None]


def test_calls_whose_stubs_were_exchanged_are_found_by_the_keys_in_them() -> None:
    question, call, first, again, second, reply = (
        ASKED.add_user("b").add_assistant(CALL).add_user("c").add_assistant("d")
    )
    history = MessageHistory.from_list([question, call, second, again, first, reply])
    answered = history.add_tool_result(ASKED.awaiting[0], "r")
    assert [each.result and each.result.text for each in answered.calls] == [None, "r"]


@pytest.mark.parametrize("ids", ["1", "12"])
def test_a_call_that_waits_has_the_key_that_its_stub_says(ids: str) -> None:
    history = MessageHistory(name="alice").add_user("q").add_assistant([ToolUseBlock(id, "f", {}) for id in ids])
    for id in ids:
        history = history.record_call(id, State.APPROVED)
    nameless = MessageHistory.from_list([*history], open_tail="keep")
    assert [call.key for call in nameless.awaiting] == [call.key for call in history.awaiting]


@pytest.mark.parametrize("wrong", [1, {}, {"dropped": 1, "branches": [1]}, {"dropped": 1, "branches": [[1, 2, 3, 4]]}])
def test_what_is_no_lineage_is_kept_and_changes_no_key(wrong: Any) -> None:
    saved = MessageHistory(name="a").add_user("q").add_assistant(pay(5)).to_list()
    saved[0]["keys"] = wrong
    assert MessageHistory.from_list(saved).awaiting[0].key == MessageHistory.from_list(saved[1:]).awaiting[0].key


def test_a_call_that_is_proposed_anew_after_a_rewind_has_another_key() -> None:
    history = MessageHistory().add_user("a").add_assistant("ok").add_user("b").add_assistant(pay(5))
    found = {history.awaiting[0].key}
    for _ in range(3):
        history = history.rewind().add_user("b").add_assistant(pay(5))
        found |= {history.awaiting[0].key, MessageHistory.from_list(history.to_list()).awaiting[0].key}
    assert len(found) == 4


def test_calls_that_move_up_keep_their_keys_and_those_in_their_places_get_others() -> None:
    history = MessageHistory().add_user("a").add_assistant([pay(1), pay(5, "call_1")])
    history = (
        history.add_tool_result("call_1", "paid").add_assistant(pay(2)).add_user("b").add_assistant(pay(5, "call_1"))
    )
    history = history.add_tool_result("call_1", "paid").add_assistant(pay(9))
    history = history.add_tool_result(history.awaiting[0], "paid")
    before = [(each.call.input["amount"], each.key) for each in history.calls if each.state is State.ANSWERED]
    pruned = history.without_unanswered()
    assert [(each.call.input["amount"], each.key) for each in pruned.calls] == before
    again = pruned.add_assistant("ok").add_user("c").add_assistant(pay(9))
    assert again.awaiting[0].key not in dict(before).values()
    assert [each.key for each in MessageHistory.from_list(again.to_list()).calls] == [each.key for each in again.calls]


def test_a_damaged_line_leaves_the_keys_as_they_were(tmp_path: Path) -> None:
    session = JsonlSession(tmp_path / "a.jsonl")
    history = session.load().add_user("0")
    for _ in range(3):
        history = history.add_assistant(pay(5)).add_tool_result("call_0", "x").add_assistant("ok").add_user("on")
    history = history.add_assistant([pay(5), pay(6, "call_1")])
    session.append(history)
    lines = session.path.read_bytes().splitlines(keepends=True)
    session.path.write_bytes(b"".join(line for n, line in enumerate(lines) if n not in (4, 5)))
    loaded = JsonlSession(session.path).load()
    assert [call.key for call in loaded.awaiting] == [call.key for call in history.awaiting]
    assert loaded.calls[-3].key == history.calls[-3].key
    assert JsonlSession(session.path).load().calls == loaded.calls


# Wrong call approved, answered, paid

CUTS: dict[str, Callable[[MessageHistory], MessageHistory]] = {
    "window": lambda history: history.window(max_messages=len(history) - 4),
    "drop_before": lambda history: history.drop_before(4),
    "compact": lambda history: history.compact("before", keep_from=4),
    "moving": lambda history: windows.MovingWindow(max_messages=5).of(history),
    "extend": lambda history: MessageHistory().extend(list(history)[4:]),
    "list": lambda history: MessageHistory.from_list(history.to_list()[4:]),
}


@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
def test_a_state_of_a_call_that_is_cut_away_is_not_given_to_another(
    cut: Callable[[MessageHistory], MessageHistory],
) -> None:
    history = both_wait()
    approved = history.record_call(history.calls[0].call, "approved")
    assert {amount: state for amount, (state, _) in states(cut(approved)).items()}.get(5000) is State.WAITING
    settled = approved.add_user("ok").add_assistant("so").add_user("and")
    assert {amount: state for amount, (state, _) in states(cut(settled)).items()}.get(5000) is State.WAITING


def test_a_state_of_a_call_whose_line_is_lost_is_not_given_to_another(tmp_path: Path) -> None:
    history = both_wait()
    session = JsonlSession(tmp_path / "a.jsonl")
    session.append(history.record_call(history.calls[0].call, "approved"))
    lines = session.path.read_bytes().splitlines(keepends=True)
    session.path.write_bytes(b"".join(line for n, line in enumerate(lines) if n not in (2, 3)))
    assert states(JsonlSession(session.path).load())[5000][0] is State.WAITING


def test_the_denial_of_a_call_is_not_undone_by_the_approval_of_one_that_is_removed() -> None:
    history = both_wait()
    five, large = history.calls
    history = history.record_call(five.call, "approved").record_call(large.call, "denied", reason="too much")
    pruned = history.without_unanswered()
    assert [(each.state, each.detail) for each in pruned.calls] == [(State.DENIED, "too much")]


@pytest.mark.parametrize("dialect", [Anthropic(), OpenAIChat()], ids=lambda dialect: dialect.name)
def test_a_result_for_a_call_of_two_under_one_id_is_its_own(dialect: Any) -> None:
    history = MessageHistory().add_user("q").add_assistant([pay(5, "1"), pay(5000, "1")])
    first, second = history.awaiting
    settled = history.add_user("hurry").add_assistant("ok")
    assert states(settled.add_tool_result(first, "paid 5")) == {
        5: (State.ANSWERED, "paid 5"),
        5000: (State.UNKNOWN, None),
    }
    assert states(settled.record_call(second, "started"))[5][0] is State.UNKNOWN
    sent = history.add_user("hurry")
    later = sent.add_tool_result(first, "paid 5")
    answered = later.add_response(reply({"type": "text", "text": "ok"}), sent=sent, dialect=Anthropic())
    assert states(answered) == {5: (State.ANSWERED, "paid 5"), 5000: (State.UNKNOWN, None)}
    del dialect


def test_a_second_result_goes_to_the_call_that_it_was_given_for() -> None:
    history = MessageHistory().add_user("q")
    for amount in (5, 5000):
        history = history.add_assistant(pay(amount))
        if amount == 5:
            history = history.add_tool_result("call_0", "paid")
        history = history.add_user("on")
    history = history.add_assistant("ok").add_user("so")
    again = history.add_tool_result(history.calls[0].call, "paid again")
    assert again.repairs[-1].code is RepairCode.SECOND_RESULT_QUOTED
    assert states(again) == {5: (State.ANSWERED, "paid"), 5000: (State.UNKNOWN, None)}


def test_a_late_result_of_a_list_passes_a_denied_call_over() -> None:
    history = MessageHistory().add_user("q").add_assistant(pay(5)).record_call("call_0", "denied").add_assistant("ok")
    history = history.add_user("q").add_assistant(pay(5000)).add_user("on").add_assistant("ok").add_user("so")
    late = history.add(Message.user(ToolResultBlock("call_0", "paid 5000")))
    assert states(late) == {5: (State.DENIED, None), 5000: (State.ANSWERED, "paid 5000")}


def test_a_result_by_call_and_one_by_id_find_their_own() -> None:
    history = MessageHistory().add_user("q")
    for amount in (1, 2):
        history = history.add_assistant(pay(amount)).add_user("on")
    history = history.add_assistant("ok").add_user("so")
    history = history.add_tool_result(history.calls[1].call, "paid 2").add_tool_result("call_0", "paid 1")
    assert states(history) == {1: (State.ANSWERED, "paid 1"), 2: (State.ANSWERED, "paid 2")}


@pytest.mark.parametrize("dialect", [Anthropic(), OpenAIChat()], ids=lambda dialect: dialect.name)
def test_a_result_that_is_put_into_a_followed_list_answers_the_call_before_it(dialect: Any) -> None:
    def asks(amount: int) -> dict[str, Any]:
        made = MessageHistory().add_user("q").add_assistant(pay(amount)).add_user("x").for_send(dialect)
        return dict(made[1])

    def user(text: str) -> dict[str, Any]:
        return {"role": "user", "content": text}

    result: dict[str, Any] = {
        "anthropic": user(""),
        "openai_chat": {"role": "tool", "tool_call_id": "call_0", "content": "paid 2"},
    }.get(dialect.name, {}) or {}
    if dialect.name == "anthropic":
        result["content"] = [{"type": "tool_result", "tool_use_id": "call_0", "content": "paid 2"}]
    raw = [user("q"), asks(1), user("u1"), asks(2), user("u2")]
    followed = MessageHistory().follow(raw, dialect=dialect).follow([*raw[:4], result, raw[4]])
    assert states(followed.history) == {1: (State.UNKNOWN, None), 2: (State.ANSWERED, "paid 2")}
    # So it is where a reply and a call with its id came meanwhile.
    both = MessageHistory().follow(raw, dialect=dialect).follow([*raw[:4], result, raw[4], asks(3)])
    assert states(both.history)[2] == (State.ANSWERED, "paid 2")
    first = MessageHistory().follow(raw, dialect=dialect).follow([*raw[:2], result, *raw[2:]])
    assert states(first.history) == {1: (State.ANSWERED, "paid 2"), 2: (State.UNKNOWN, None)}


@pytest.mark.parametrize("dialect", [Anthropic(), OpenAIChat()], ids=lambda dialect: dialect.name)
def test_results_of_a_followed_list_under_one_id_are_for_their_calls_in_order(dialect: Any) -> None:
    called: dict[str, Any]
    if dialect.name == "anthropic":
        called = {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "call_0", "name": "pay", "input": each.input} for each in (pay(1), pay(2))
            ],
        }
        content = [{"type": "tool_result", "tool_use_id": "call_0", "content": f"paid {n}"} for n in (1, 2)]
        results: list[dict[str, Any]] = [{"role": "user", "content": content}]
    else:
        functions = [{"name": "pay", "arguments": f'{{"amount": {n}}}'} for n in (1, 2)]
        made = [{"id": "call_0", "type": "function", "function": each} for each in functions]
        called = {"role": "assistant", "tool_calls": made}
        results = [{"role": "tool", "tool_call_id": "call_0", "content": f"paid {n}"} for n in (1, 2)]
    said = [{"role": "user", "content": "u"}, {"role": "assistant", "content": "a"}, {"role": "user", "content": "v"}]
    begun = [{"role": "user", "content": "q"}, called]
    for count in range(4):
        followed = MessageHistory().follow([*begun, *said[:count]], dialect=dialect)
        for raw in ([*begun, *results, *said[:count]], [*begun, *results, *said]):
            assert states(followed.follow(raw).history) == {n: (State.ANSWERED, f"paid {n}") for n in (1, 2)}


def test_an_equal_late_result_of_a_followed_list_adds_nothing() -> None:
    call = {"id": "call_0", "type": "function", "function": {"name": "pay", "arguments": "{}"}}
    raw: list[dict[str, Any]] = [{"role": "user", "content": "q"}, {"role": "assistant", "tool_calls": [call]}]
    raw.append({"role": "user", "content": "u"})
    result = {"role": "tool", "tool_call_id": "call_0", "content": "paid"}
    sent = MessageHistory().follow(raw, dialect=OpenAIChat())
    once = sent.follow([*raw, result])
    for both in (once.follow([*raw, result, result]), sent.follow([*raw, result, result])):
        assert both.history == once.history
    put_in = once.follow([*raw[:2], result, *raw[2:], result])
    assert put_in.history == once.history
    assert [repair.code for repair in put_in.new_repairs] == [RepairCode.DUPLICATE_RESULT_DROPPED]


def test_branches_that_are_merged_keep_to_their_calls_and_to_the_moves() -> None:
    base = both_wait()
    small, large = (each.call for each in base.calls)
    said, approved = base.add_user("Hurry."), base.record_call(large, "approved")
    for one, other in ((said, approved), (approved, said)):
        assert states(merged(base, one, other)) == {5: (State.WAITING, None), 5000: (State.APPROVED, None)}
    denied, approved = base.record_call(small, "denied"), base.record_call(small, "approved")
    assert states(merged(base, denied, approved))[5][0] is State.DENIED
    assert states(merged(base, approved, denied))[5][0] is State.DENIED


def test_a_call_that_two_branches_made_has_the_result_of_either() -> None:
    base = MessageHistory().add_user("q").add_assistant(pay(1))
    asked = base.add_user("And 2?").add_assistant(pay(2))
    other = base.add_assistant(pay(2))
    done = other.add_tool_result(other.awaiting[1], "paid 2")
    assert states(merged(base, asked, done))[2] == (State.ANSWERED, "paid 2")


@pytest.mark.parametrize("by", ["", "person"])
@pytest.mark.parametrize("first", ["", "waiting", "approved", "started"])
def test_a_call_that_moved_twice_while_a_reply_was_on_its_way_is_where_it_moved_to(first: str, by: str) -> None:
    history = MessageHistory().add_user("q").add_assistant(pay(5))
    sent = (history.record_call("call_0", first, by=by) if first else history).add_user("Hurry.")
    grown: list[tuple[MessageHistory, tuple[str, ...]]] = [(sent, ())]
    for before, through in grown:
        for state in ("waiting", "approved", "denied", "cancelled", "started") if len(through) < 3 else ():
            with suppress(CallStateError):
                moved = before.record_call("call_0", state, by=by and f"{by} {len(through)}")
                grown.append((moved, (*through, state)))
    assert len(grown) > 8
    for moved, through in grown:
        (record,) = moved.calls
        answered = moved.add_response(reply({"type": "text", "text": "ok"}), sent=sent, dialect=Anthropic())
        for again in (answered, merged(sent, sent.add_user("Well?"), moved)):
            assert (again.calls[0].state, again.calls[0].by) == (record.state, record.by), through
            assert again.calls[0].decisions[-1:] == record.decisions[-1:]


def test_the_output_of_a_tool_sets_no_state() -> None:
    history = MessageHistory().add_user("q").add_assistant(pay(5)).record_call("call_0", "started")
    text = Policy().approved_text
    for done in (
        history.add_tool_result("call_0", text),
        history.add(Message.user(ToolResultBlock("call_0", text))),
        history.add({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_0", "content": text}]}),
        MessageHistory.from_list(history.add_tool_result("call_0", text).to_list()),
    ):
        assert not done.awaiting
        assert states(done) == {5: (State.ANSWERED, text)}


def test_news_of_an_old_call_leaves_a_fresh_one_as_it_is() -> None:
    history = MessageHistory().add_user("q").add_assistant(pay(5)).record_call("call_0", "waiting")
    history = history.add_user("Well?").add_assistant("It waits.").add_user("q").add_assistant(pay(6, "call_1"))
    moved = history.record_call(history.calls[0].call, "approved")
    assert states(moved) == {5: (State.APPROVED, None), 6: (State.PROPOSED, None)}


# What happened stays known


def happened() -> MessageHistory:
    history = MessageHistory().add_user("Pay.").add_assistant(pay(5)).record_call("call_0", "waiting")
    history = history.add_user("Well?").add_assistant("It waits.").add_user("Hurry!").record_call("call_0", "approved")
    return history.record_call("call_0", "started").add_tool_result("call_0", "paid").add_assistant("Done.")


def test_what_a_rewind_takes_leaves_what_became_of_the_calls() -> None:
    history = happened()
    cut = windows.rewind(history)
    back, omitted = cut.history, cut.omitted
    assert states(back) == {5: (State.ANSWERED, "paid")}
    assert not omitted.unsettled
    assert back.for_send()[:4] == history.for_send()[:4]
    assert states(MessageHistory.from_list(back.to_list())) == {5: (State.ANSWERED, "paid")}


def test_a_rewind_names_the_calls_that_it_takes() -> None:
    history = MessageHistory().add_user("a").add_assistant("b").add_user("c").add_assistant(pay(5))
    history = history.record_call("call_0", "started")
    cut = windows.rewind(history)
    back, omitted = cut.history, cut.omitted
    assert [each.state for each in omitted.unsettled] == [State.STARTED]
    assert [repair.code for repair in back.repairs] == [RepairCode.UNSETTLED_CALL_OMITTED]


def test_a_window_names_the_calls_that_it_takes() -> None:
    history = both_wait()
    history = history.record_call(history.calls[0].call, "approved").add_user("x").add_assistant("y").add_user("z")
    for cut in (windows.drop_before(history, 4), windows.compact(history, "all")):
        found = [(each.call.input["amount"], each.state) for each in cut.omitted.unsettled]
        assert found == [(5, State.APPROVED), (5000, State.WAITING)][: len(found)]
        assert any(repair.code is RepairCode.UNSETTLED_CALL_OMITTED for repair in cut.history.repairs)
    strict = MessageHistory(policy=Policy(on_violation="raise")).add_user("q").add_assistant(pay(5))
    strict = strict.record_call("call_0", "started").add_assistant("a").add_user("b").add_assistant("c")
    assert strict.drop_before(4).repairs[-1].code is RepairCode.UNSETTLED_CALL_OMITTED


def test_calls_that_were_answered_late_or_denied_later_are_not_unanswered() -> None:
    assert happened().without_unanswered() == happened()
    history = MessageHistory().add_user("Pay.").add_assistant(pay(5)).add_user("Well?").add_assistant("Hm.")
    denied = history.add_user("No.").record_call("call_0", "denied", reason="no")
    assert denied.without_unanswered() == denied


def test_a_refusal_that_is_removed_takes_no_result_with_it() -> None:
    refusal = {**reply({"type": "text", "text": "I cannot."}), "stop_reason": "refusal", "model": "m"}
    history = MessageHistory().add_user("Pay.").add_assistant(pay(5)).add_user("Well?").add_assistant("Hm.")
    history = history.add_user("Bad words.").add_tool_result("call_0", "paid").add_response(refusal)
    assert states(history) == {5: (State.ANSWERED, "paid")}
    kept = history.without_refusals()
    assert states(kept) == {5: (State.ANSWERED, "paid")}
    assert "Bad words." not in str(kept.to_list())


def test_a_refusal_that_is_removed_leaves_the_whole_text_of_late_results() -> None:
    refusal = {**reply({"type": "text", "text": "I cannot."}), "stop_reason": "refusal", "model": "m"}
    history = MessageHistory().add_user("Pay.").add_assistant([pay(5), pay(6, "call_1")]).add_user("Well?")
    history = history.add_assistant(pay(7))
    for each in reversed(history.calls):
        history = history.add_tool_result(each.call, f"paid {each.call.input['amount']}")
    kept = history.add_response(refusal).without_refusals()
    assert states(kept) == {amount: (State.ANSWERED, f"paid {amount}") for amount in (5, 6, 7)}


def test_the_reason_of_a_denial_stays_when_a_result_comes() -> None:
    history = MessageHistory().add_user("Pay.").add_assistant(pay(5)).record_call("call_0", "denied", reason="no")
    for answered in (
        history.add_tool_result("call_0", "paid"),
        history.add_assistant("a").add_tool_result("call_0", "paid"),
    ):
        for same in (answered, MessageHistory.from_list(answered.to_list())):
            (record,) = same.calls
            assert (record.state, record.detail) == (State.ANSWERED, "no")


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


def test_a_call_of_another_version_that_had_more_calls_is_unknown() -> None:
    more = ASKED.add_assistant(ToolUseBlock("2", "f", {})).awaiting[1]
    for here in (ASKED, ASKED.add_tool_result("1", "r").add_assistant("a").add_user("b")):
        with pytest.raises(UnknownCallError):
            here.add_tool_result(more, "r")


@pytest.mark.parametrize("again", ["r", "stub"])
def test_what_says_again_what_a_call_of_the_turn_has_is_for_no_earlier_call_of_its_id(again: str) -> None:
    call = ToolUseBlock("c", "f", {})
    asked = MessageHistory().add_user("q").add_assistant([call]).add_user("go on")
    answered = asked.add_assistant([call]).add(Message.user([ToolResultBlock("c", "r")]))
    repeated = answered.add(Message.user([ToolResultBlock("c", "r") if again == "r" else asked[2].content[0]]))
    assert tuple(repeated) == tuple(answered)
    assert [repair.code for repair in repeated.repairs] == ["result_stubbed", "duplicate_result_dropped"]
