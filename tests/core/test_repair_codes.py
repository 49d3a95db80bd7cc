"""One smallest example for each repair code: what came in, and the repair with what was removed and added."""

from __future__ import annotations

import logging
import pickle
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from tests.helpers import assistant, user

from message_history import (
    InvariantError,
    MessageHistory,
    Policy,
    Repair,
    RepairCode,
    Severity,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from message_history.dialects import Anthropic
from message_history.forgetting import erase

if TYPE_CHECKING:
    from collections.abc import Callable

QUESTION = {"role": "user", "content": "q"}
REFUSED = (
    MessageHistory()
    .add_user("q")
    .add_response(
        {
            "object": "response",
            "output": [{"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}],
        }
    )
)


def call(id: str = "1", name: str = "f", **raw: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": raw}


def result(id: str = "1", content: str = "x") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def read(*entries: Any) -> tuple[Repair, ...]:
    return MessageHistory.from_list(entries).repairs


def exported(*entries: Any) -> tuple[Repair, ...]:
    history = MessageHistory.from_list(entries)
    assert history.repairs == ()
    return history.export(Anthropic()).repairs


class Example(NamedTuple):
    """What makes a repair, and what the repair holds."""

    made: Callable[[], tuple[Repair, ...]]
    where: int
    source: int | None
    removed: int = 0
    added: int = 0


CALLING = (QUESTION, assistant(call()))
SETTLED = (*CALLING, QUESTION, assistant(text("a")))
EXAMPLES: dict[RepairCode, Example] = {
    RepairCode.RESULT_MOVED: Example(lambda: read(*SETTLED, user(result())), 2, 4),
    RepairCode.RESULTS_REORDERED: Example(
        lambda: read(QUESTION, assistant(call("1"), call("2")), user(result("2"), result("1"))), 2, 2
    ),
    RepairCode.RESULT_REHOMED: Example(lambda: read(QUESTION, assistant(call(), result(), text("a"))), 2, 1),
    RepairCode.CALL_REHOMED: Example(lambda: read(QUESTION, user(call()), user(result())), 1, 1),
    RepairCode.SYSTEM_REHOMED: Example(
        lambda: MessageHistory().add_user("q").add_assistant(["a", SystemBlock("s")]).repairs, 2, None
    ),
    RepairCode.DUPLICATE_ID_RENAMED: Example(
        lambda: MessageHistory().add_user("q").add_assistant([_call(), _call(x=1)]).repairs, 1, None, 1, 1
    ),
    RepairCode.LATE_RESULT_QUOTED: Example(lambda: _settled().add_tool_result("1", "late").repairs[1:], 4, None, 1, 2),
    RepairCode.SECOND_RESULT_QUOTED: Example(
        lambda: read(*CALLING, user(result()), user(result("1", "y"))), 2, 3, 1, 2
    ),
    RepairCode.STUB_REPLACED: Example(lambda: _reloaded().add_tool_result("1", "x").repairs, 2, None, 1, 1),
    RepairCode.VALUE_CONVERTED: Example(
        lambda: MessageHistory().add_user("q").add_assistant(_call(x=float("nan"))).repairs, 1, None
    ),
    RepairCode.ROLE_ASSUMED: Example(lambda: read({"role": "human", "content": "q"}), 0, 0),
    RepairCode.RESULT_STUBBED: Example(lambda: read(*CALLING), 2, 1, 0, 1),
    RepairCode.BOOTSTRAP_ADDED: Example(lambda: read(assistant(text("a"))), 0, 0, 0, 1),
    RepairCode.CONTINUATION_ADDED: Example(
        lambda: MessageHistory().add_user("q").add_assistant("a").as_sent(Anthropic()).repairs, 2, None, 0, 1
    ),
    RepairCode.ID_ASSIGNED: Example(
        lambda: MessageHistory().add_user("q").add_assistant(_call("")).repairs, 1, None, 1, 1
    ),
    RepairCode.RESULT_REPAIRED_ID: Example(lambda: read(*CALLING, user(result("9"))), 2, 2, removed=1, added=1),
    RepairCode.NAME_ASSIGNED: Example(
        lambda: MessageHistory().add_user("q").add_assistant(_call(name="")).repairs, 1, None, 1, 1
    ),
    RepairCode.INPUT_ASSIGNED: Example(
        lambda: read(QUESTION, assistant({"type": "tool_use", "id": "1", "name": "f"}), user(result())), 1, 1
    ),
    RepairCode.BLANK_TEXT_DROPPED: Example(lambda: read(user(text(" "), text("q"))), 0, 0, 1),
    RepairCode.EMPTY_MESSAGE_DROPPED: Example(lambda: read(QUESTION, assistant()), 1, 1, 1),
    RepairCode.LEADING_ASSISTANT_DROPPED: Example(
        lambda: MessageHistory(policy=Policy(leading_assistant="drop")).add_assistant("a").repairs, 0, None, 1
    ),
    RepairCode.ORPHAN_RESULT_DROPPED: Example(lambda: read(QUESTION, user(result())), 0, 1, 1),
    RepairCode.DUPLICATE_RESULT_DROPPED: Example(lambda: read(*CALLING, user(result()), user(result())), 2, 3, 1),
    RepairCode.DUPLICATE_CALL_DROPPED: Example(
        lambda: read(QUESTION, assistant(call(), call()), user(result())), 1, 1, 1
    ),
    RepairCode.INJECTED_CALL_DROPPED: Example(lambda: read(QUESTION, user(call())), 0, 1, 1),
    RepairCode.CALL_WITHOUT_INPUT_DROPPED: Example(
        lambda: read(QUESTION, assistant(text("a"), {"type": "tool_use", "id": "1", "name": "f"})), 1, 1, 1
    ),
    RepairCode.INCOMPLETE_CALL_DROPPED: Example(
        lambda: read(
            QUESTION,
            {
                "role": "assistant",
                "content": "a",
                "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"x'}}],
                "finish_reason": "length",
            },
        ),
        1,
        1,
        1,
    ),
    RepairCode.ENTRY_DROPPED: Example(lambda: read(QUESTION, 42), 1, 1, 1),
    RepairCode.CHOICE_PASSED_OVER: Example(
        lambda: MessageHistory().add_user("q").add_response({"choices": [*map(_choice, ("a", "b"))]}).repairs,
        1,
        None,
        1,
    ),
    RepairCode.UNANSWERED_CALL_REMOVED: Example(
        lambda: MessageHistory.from_list(CALLING).without_unanswered().repairs[1:], 1, None, 2
    ),
    RepairCode.REFUSAL_REMOVED: Example(lambda: REFUSED.without_refusals().repairs, 1, None, 2),
    RepairCode.UNSETTLED_CALL_OMITTED: Example(
        lambda: (
            MessageHistory()
            .add_user("q")
            .add_assistant([ToolUseBlock("1", "f", {})])
            .add_user("go on")
            .add_assistant("a")
            .add_user("b")
            .drop_before(4)
            .repairs
        ),
        0,
        None,
        1,
    ),
    RepairCode.CONTENT_FORGOTTEN: Example(lambda: erase(MessageHistory().add_user("q"), message=0).repairs, 0, None),
    RepairCode.WITHHELD: Example(lambda: exported({**QUESTION, "name": "Ann"}), 0, None, 1),
    RepairCode.REWRITTEN: Example(lambda: exported(user(text("lone \ud83d"))), 0, None),
    RepairCode.PLACEHOLDER_ADDED: Example(lambda: _omitted().export(Anthropic()).repairs[1:2], 1, None),
}


def _call(id: str = "1", name: str = "f", **raw: Any) -> ToolUseBlock:
    return ToolUseBlock(id, name, raw)


def _choice(words: str) -> dict[str, Any]:
    return {"message": {"role": "assistant", "content": words}, "finish_reason": "stop"}


def _settled() -> MessageHistory:
    return MessageHistory().add_user("q").add_assistant(_call()).add_user("q").add_assistant("a")


def _reloaded() -> MessageHistory:
    saved = MessageHistory.from_list(CALLING).to_list()
    return MessageHistory.from_list(saved)


def _omitted() -> MessageHistory:
    return MessageHistory().add_user("q").add_assistant(ThinkingBlock("unsigned")).add_user("q")


def test_every_code_has_its_example() -> None:
    assert list(EXAMPLES) == [code for code in RepairCode if code in EXAMPLES]
    assert set(EXAMPLES) == set(RepairCode)


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_smallest_example_of_a_code(code: RepairCode) -> None:
    example = EXAMPLES[code]
    (repair,) = [found for found in example.made() if found.code is code]
    assert (repair.index, repair.source) == (example.where, example.source)
    assert (len(repair.removed), len(repair.added)) == (example.removed, example.added)
    if code.severity is Severity.LOSSY and code is not RepairCode.CONTENT_FORGOTTEN:
        assert repair.removed, "what is lost is in the repair"
    recorded = str(repair)
    assert recorded.startswith(f"message {repair.index}")
    assert f": {code.value} ({code.severity.value})" in recorded
    assert pickle.loads(pickle.dumps(repair)) == repair
    assert hash(repair) == hash(pickle.loads(pickle.dumps(repair)))


def test_a_place_is_counted_in_the_history_as_it_became() -> None:
    """Also for what opens a message, before or behind a message that had to be put first."""
    added = MessageHistory().add_user("q").add_assistant(_call("")).repairs
    assert [(repair.code, repair.index) for repair in added] == [(RepairCode.ID_ASSIGNED, 1)]
    led = MessageHistory().add_assistant([" ", _call("")]).repairs
    assert [(repair.code, repair.index) for repair in led] == [
        (RepairCode.BLANK_TEXT_DROPPED, 1),
        (RepairCode.BOOTSTRAP_ADDED, 0),
        (RepairCode.ID_ASSIGNED, 1),
    ]


@pytest.mark.parametrize("code", EXAMPLES)
def test_a_repair_is_made_again_in_just_the_same_way(code: RepairCode) -> None:
    assert EXAMPLES[code].made() == EXAMPLES[code].made()


def test_a_code_is_its_text() -> None:
    assert str(RepairCode.RESULT_MOVED) == "result_moved"
    assert RepairCode("result_moved") is RepairCode.RESULT_MOVED
    assert [code.value for code in RepairCode] == [code.name.lower() for code in RepairCode]


def test_repairs_are_logged_once_with_their_ids(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "message_history")
    history = MessageHistory.from_list([*CALLING, user(result("toolu_9"), result("toolu_10"))])
    logged = [(record.levelno, record.getMessage()) for record in caplog.records]
    assert logged == [(logging.WARNING, repair.outline) for repair in history.repairs]
    assert ["toolu_9" in message for _, message in logged] == [True, False, False]
    before = len(caplog.records)
    _ = history.repairs, history.for_send(), history.to_list()
    assert len(caplog.records) == before
    moved = MessageHistory.from_list([*SETTLED, user(result())])
    (record,) = [record for record in caplog.records if "result_moved" in record.getMessage()]
    assert record.levelno == logging.INFO
    assert moved.repairs


def test_an_invariant_error_names_all_violations() -> None:
    with pytest.raises(InvariantError) as raised:
        MessageHistory.from_list([assistant(text("a")), *CALLING], policy=Policy(on_violation="raise"))
    error = raised.value
    assert [repair.code for repair in error.violations] == [RepairCode.BOOTSTRAP_ADDED, RepairCode.RESULT_STUBBED]
    assert (error.code, error.index) == (RepairCode.BOOTSTRAP_ADDED, 0)
    assert "bootstrap_added" in str(error)
    assert "result_stubbed" in str(error)
    assert isinstance(error, ValueError)


STRICT = Policy(on_violation="raise")


@pytest.mark.parametrize(
    ("change", "advice"),
    [
        (
            lambda: MessageHistory(policy=STRICT).add_user("q").add_assistant(_call()).for_send(),
            "add the result of each call in `awaiting` first",
        ),
        (lambda: MessageHistory(policy=STRICT).add_assistant("a"), "begin with a user message"),
        (
            lambda: MessageHistory(policy=STRICT).add_user("q").add_assistant("a").for_send(),
            "add a user message before you send it",
        ),
        (lambda: MessageHistory(policy=STRICT).add_user(""), "correct what you add"),
    ],
)
def test_an_invariant_error_says_what_to_do(change: Callable[[], object], advice: str) -> None:
    with pytest.raises(InvariantError) as raised:
        change()
    assert str(raised.value).endswith(f'; {advice}, or allow the repair with Policy(on_violation="repair")')


def test_an_invariant_error_is_not_raised_for_lossless_repairs() -> None:
    history = MessageHistory.from_list([*SETTLED, user(result())], policy=Policy(on_violation="raise"))
    assert [repair.code for repair in history.repairs] == [RepairCode.RESULT_MOVED]


def test_what_was_removed_and_added_are_the_blocks_themselves() -> None:
    (repair,) = read(QUESTION, user(result("9", "kept here")))
    assert repair.removed == (ToolResultBlock("9", "kept here"),)
    quoted = EXAMPLES[RepairCode.LATE_RESULT_QUOTED].made()[0]
    assert quoted.removed == (ToolResultBlock("1", "late"),)
    assert isinstance(quoted.added[0], TextBlock)
    assert quoted.added[1] == TextBlock("late")


@pytest.mark.parametrize(("detail", "end"), [("", "(lossy)"), ("why", "(lossy): why")])
def test_a_repair_is_told_with_its_detail_where_it_has_one(detail: str, end: str) -> None:
    repair = Repair(code=RepairCode.ENTRY_DROPPED, index=3, source=1, detail=detail)
    assert str(repair) == f"message 3, entry 1: entry_dropped {end}"


def test_an_outline_tells_how_much_went_and_came_and_nothing_of_it() -> None:
    blank = {"role": "user", "content": [{"type": "text", "text": text} for text in ("", " ")]}
    history = MessageHistory.from_list([blank, {"role": "user", "content": "q"}])
    assert [each.outline.partition("), ")[2] for each in history.repairs] == ["1 removed", "1 removed"]
    call = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
    stubbed = MessageHistory.from_list([{"role": "user", "content": "q"}, {"role": "assistant", "content": [call]}])
    assert stubbed.repairs[-1].outline.endswith("(synthetic), ids '1', 1 added")


@pytest.mark.parametrize("place", range(5))
def test_a_repair_of_what_is_no_message_has_its_place(place: int) -> None:
    chat: list[Any] = [
        {"id": "1", "role": "user", "content": "q"},
        {"id": "2", "role": "assistant", "toolCalls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]},
        {"id": "3", "role": "tool", "toolCallId": "c", "content": "r"},
        {"id": "4", "role": "assistant", "content": "a"},
    ]
    history = MessageHistory.from_list([*chat[:place], {"level": "info"}, *chat[place:]])
    assert [(repair.code, repair.index, repair.source) for repair in history.repairs] == [
        (RepairCode.ENTRY_DROPPED, place, place)
    ]
    assert [message.role for message in history] == ["user", "assistant", "user", "assistant"]
