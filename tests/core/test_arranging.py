"""Displaced results: where each goes when a list is read."""

from __future__ import annotations

from typing import Any

import pytest

from message_history import InvariantError, Message, MessageHistory, Policy, RepairCode, ToolResultBlock, ToolUseBlock

Raw = dict[str, Any]


def user(*blocks: Any) -> Raw:
    return {"role": "user", "content": [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]}


def assistant(*blocks: Any) -> Raw:
    return {**user(*blocks), "role": "assistant"}


def call(id: str, **more: Any) -> Raw:
    return {"type": "tool_use", "id": id, "name": f"tool_{id}", "input": {}, **more}


def result(id: str, text: str = "found") -> Raw:
    return {"type": "tool_result", "tool_use_id": id, "content": text}


def told(raw: list[Any]) -> list[str]:
    """Write what a list becomes, one line a message."""
    lines = []
    for message in MessageHistory.from_list(raw):
        parts = [f"{call.id}()" for call in message.calls]
        parts += ["STUB" if r.is_stub else f"{r.tool_use_id}={r.text}" for r in message.results]
        lines.append(f"{message.role[0]}: {' '.join([*parts, *([message.text] if message.text else [])])}")
    return lines


CASES: dict[str, tuple[list[Any], list[str], list[str]]] = {
    "a result behind another turn goes back to its call": (
        [user("q"), assistant(call("1")), user("wait"), assistant("ok"), user(result("1"))],
        ["u: q", "a: 1()", "u: 1=found wait", "a: ok"],
        ["result_moved"],
    ),
    "a result before its call goes forward to it": (
        [user("q"), user(result("1")), assistant(call("1")), user("on")],
        ["u: q", "a: 1()", "u: 1=found on"],
        ["result_moved"],
    ),
    "the oldest earlier unanswered call is served first": (
        [
            user("q"),
            *[part for n in range(2) for part in (assistant(call("1")), user(f"u{n}"))],
            assistant("ok"),
            user(result("1", "first"), result("1", "second")),
        ],
        ["u: q", "a: 1()", "u: 1=first u0", "a: 1()", "u: 1=second u1", "a: ok"],
        ["result_moved", "result_moved"],
    ),
    "an earlier call is preferred to a later one": (
        [user("q"), assistant(call("1")), user("on"), assistant("ok"), user(result("1")), assistant(call("1"))],
        ["u: q", "a: 1()", "u: 1=found on", "a: ok 1()".replace("ok 1()", "1() ok"), "u: STUB"],
        ["result_moved", "result_stubbed"],
    ),
    "a call keeps the result of its own turn": (
        [user(result("1", "early")), user("q"), assistant(call("1")), user(result("1", "own"))],
        ["u: q", "a: 1()", "u: 1=own"],
        ["orphan_result_dropped"],
    ),
    "reused ids pair turn by turn": (
        [user("q"), *[part for n in "ab" for part in (assistant(call("0")), user(result("0", n)))]],
        ["u: q", "a: 0()", "u: 0=a", "a: 0()", "u: 0=b"],
        [],
    ),
    "assistant words between call and result are joined": (
        [user("q"), assistant(call("1")), assistant("note"), user(result("1"))],
        ["u: q", "a: 1() note", "u: 1=found"],
        [],
    ),
    "results in several messages and any order": (
        [user("q"), assistant(call("1"), call("2")), user(result("2")), user("hm"), user(result("1"))],
        ["u: q", "a: 1() 2()", "u: 1=found 2=found hm"],
        [],
    ),
    "a call in a user message is given to the assistant if its result is there": (
        [user("q", call("9"), "and"), user(result("9"))],
        ["u: q", "a: 9()", "u: 9=found and"],
        ["call_rehomed", "result_moved"],
    ),
    "a call in a user message without a result is dropped": (
        [user("q", call("9"))],
        ["u: q"],
        ["injected_call_dropped"],
    ),
    "a call in a user message that the assistant made too is dropped": (
        [user("q", call("1")), assistant(call("1")), user(result("1"))],
        ["u: q", "a: 1()", "u: 1=found"],
        ["injected_call_dropped"],
    ),
    "a call without input stands if its result is in the list": (
        [user("q"), assistant({"type": "tool_use", "id": "1", "name": "f"}), user(result("1"))],
        ["u: q", "a: 1()", "u: 1=found"],
        ["input_assigned"],
    ),
    "a call without input goes if nothing answers it": (
        [user("q"), assistant("look", {"type": "tool_use", "id": "1", "name": "f"}), user("on")],
        ["u: q", "a: look", "u: on"],
        ["call_without_input_dropped"],
    ),
    "results inside an assistant message, and after it": (
        [user("q"), assistant(call("1"), call("2"), result("1"), "seen"), user(result("2"))],
        ["u: q", "a: 1() 2()", "u: 1=found 2=found", "a: seen"],
        ["result_moved", "result_rehomed"],
    ),
    "a result with an id that no call has answers the call that waits in its place": (
        [user("q"), assistant(call("1")), user(result("x"), "on"), assistant("ok")],
        ["u: q", "a: 1()", "u: 1=found on", "a: ok"],
        ["result_repaired_id"],
    ),
    "as many such results as calls that wait answer them in order": (
        [user("q"), assistant(call("1"), call("2"), call("3")), user(result("x", "a")), user(result("3"), result("y"))],
        ["u: q", "a: 1() 2() 3()", "u: 1=a 2=found 3=found"],
        ["result_repaired_id", "result_repaired_id"],
    ),
    "with more calls than such results, nobody knows": (
        [user("q"), assistant(call("1"), call("2")), user(result("x"))],
        ["u: q", "a: 1() 2()", "u: STUB STUB"],
        ["orphan_result_dropped", "result_stubbed", "result_stubbed"],
    ),
    "with more such results than calls, nobody knows": (
        [user("q"), assistant(call("1")), user(result("x"), result("y"))],
        ["u: q", "a: 1()", "u: STUB"],
        ["orphan_result_dropped", "orphan_result_dropped", "result_stubbed"],
    ),
    "such a result in another turn is not the answer": (
        [user("q"), assistant(call("1")), user("on"), assistant("ok"), user(result("x"))],
        ["u: q", "a: 1()", "u: STUB on", "a: ok"],
        ["orphan_result_dropped", "result_stubbed"],
    ),
    "a call without an id takes that of the result in its place": (
        [user("q"), assistant(call("", name="f")), user(result("x"))],
        ["u: q", "a: x()", "u: x=found"],
        ["id_assigned"],
    ),
    "as many results without ids as calls that wait answer them in order": (
        [user("q"), assistant(call("1"), call("2")), user(result("", "a"), result("", "b"))],
        ["u: q", "a: 1() 2()", "u: 1=a 2=b"],
        ["id_assigned", "id_assigned"],
    ),
    "calls and results without ids go in order": (
        [user("q"), assistant(call("", name="f"), call("", name="g")), user(result("", "a"), result("", "b"))],
        ["u: q", "a: call_1_0() call_1_1()", "u: call_1_0=a call_1_1=b"],
        ["id_assigned", "id_assigned", "id_assigned", "id_assigned"],
    ),
    "a LIMIT that cut the list in mid-pair": (
        [user(result("1")), assistant("a"), user("b"), assistant(call("2"))],
        ["u: [The conversation began before this point.]", "a: a", "u: b", "a: 2()", "u: STUB"],
        ["orphan_result_dropped", "bootstrap_added", "result_stubbed"],
    ),
}


@pytest.mark.parametrize(("raw", "expected", "recorded"), CASES.values(), ids=CASES)
def test_where_results_go(raw: list[Any], expected: list[str], recorded: list[str]) -> None:
    assert told(raw) == expected
    repairs = MessageHistory.from_list(raw).repairs
    assert sorted(repair.code.value for repair in repairs) == sorted(recorded)


def test_a_move_tells_from_where_to_where() -> None:
    raw = CASES["a result behind another turn goes back to its call"][0]
    (repair,) = MessageHistory.from_list(raw).repairs
    assert (repair.code, repair.source, repair.index) == (RepairCode.RESULT_MOVED, 4, 2)
    assert "'1'" in repair.detail


def test_a_result_whose_id_was_repaired_is_in_the_repair_as_it_came() -> None:
    history = MessageHistory.from_list([user("q"), assistant(call("1")), user(result("x"))])
    (repair,) = history.repairs
    assert (repair.index, repair.source) == (2, 2)
    assert repair.removed == (ToolResultBlock("x", "found"),)
    assert repair.added == (ToolResultBlock("1", "found"),)
    assert MessageHistory.from_list(history.to_list()) == history


def test_a_second_result_of_an_answered_call_is_no_answer_to_another() -> None:
    raw = [user("q"), assistant(call("1")), user(result("1")), assistant(call("2")), user(result("1", "again"))]
    history = MessageHistory.from_list(raw)
    assert history[4].results[0].is_stub
    assert [repair.code for repair in history.repairs] == [RepairCode.SECOND_RESULT_QUOTED, RepairCode.RESULT_STUBBED]


def test_a_stub_with_an_id_that_no_call_has_says_nothing_of_another_call() -> None:
    stub = {**result("x", Policy().stub_text), "is_error": True}
    history = MessageHistory.from_list([user("q"), assistant(call("1")), user(stub)])
    assert RepairCode.ORPHAN_RESULT_DROPPED in [repair.code for repair in history.repairs]


def test_a_result_with_an_unknown_id_raises_where_the_policy_says_so() -> None:
    with pytest.raises(InvariantError, match="result_repaired_id"):
        MessageHistory.from_list(
            [user("q"), assistant(call("1")), user(result("x"))], policy=Policy(on_violation="raise")
        )


def test_a_stub_gives_way_to_a_real_result_found_elsewhere() -> None:
    sent = MessageHistory.from_list([user("q"), assistant(call("1")), user("on"), assistant("ok")]).to_list()
    loaded = MessageHistory.from_list([*sent, user(result("1"))])
    assert loaded[2].results[0].text == "found"
    moved, dropped = loaded.repairs
    assert (moved.code, dropped.code) == (RepairCode.RESULT_MOVED, RepairCode.DUPLICATE_RESULT_DROPPED)
    assert len(loaded) == 4


@pytest.mark.parametrize("before", [20, 21, 22])
def test_one_damaged_turn_leaves_the_others_alone(before: int) -> None:
    turns = [part for n in range(50) for part in (assistant(call(str(n))), user(result(str(n))))]
    end = 2 * before
    raw = [user("q"), *turns[:end], assistant(call("x")), user("on"), *turns[end:], user(result("x"))]
    history = MessageHistory.from_list(raw)
    assert [repair.code for repair in history.repairs] == [RepairCode.RESULT_MOVED]
    assert history[end + 2].results[0].text == "found"


def test_the_same_message_twice_in_a_list_is_mended_like_two_that_are_equal() -> None:
    question, asked = Message.user("q"), Message.assistant(ToolUseBlock("1", "f", {}))
    answered = Message.user(ToolResultBlock("1", "r"))
    for raw in ([question, question], [question, asked, asked], [question, asked, answered, answered]):
        copies = [Message(message.role, message.content) for message in raw]
        assert MessageHistory.from_list(raw) == MessageHistory.from_list(copies)
        assert MessageHistory.from_list(raw).repairs == MessageHistory.from_list(copies).repairs


def test_messages_of_a_user_that_follow_each_other_in_a_list_are_one_each_time() -> None:
    raw = [*map(Message.user, "ab"), Message.assistant("c"), *map(Message.user, "def"), Message.assistant("g")]
    assert [message.text for message in MessageHistory.from_list(raw)] == ["a\nb", "c", "d\ne\nf", "g"]
