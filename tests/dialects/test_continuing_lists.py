"""Lists that go on from state at the provider: `previous_response_id` and Conversations of the Responses API."""

from __future__ import annotations

from typing import Any

import pytest

from message_history import MessageHistory, RepairCode, check
from message_history.dialects import OpenAIResponses
from message_history.dialects.registry import DIALECTS

CONTINUING = OpenAIResponses(continues=True)
Q: dict[str, Any] = {"role": "user", "content": "q"}


def output(call_id: str = "c1", kind: str = "function_call", raw: Any = "r") -> dict[str, Any]:
    return {"type": f"{kind}_output", "call_id": call_id, "output": raw}


SHELL = [{"stdout": "a", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]
LISTS: list[list[Any]] = [
    [Q],
    [output()],
    [output("c1"), output("c2")],
    [output(), Q],
    [output(kind="custom_tool_call"), output("c2"), Q],
    [output(kind="shell_call", raw=SHELL)],
    [{**output(kind="apply_patch_call"), "status": "completed"}],
    [{"role": "assistant", "content": "a"}, Q],
    [{"role": "developer", "content": "s"}, output()],
    [output(), {"role": "assistant", "content": "a"}, Q],
    [
        output(),
        {"type": "function_call", "call_id": "c2", "name": "f", "arguments": "{}"},
        output("c2"),
        Q,
    ],
]


@pytest.mark.parametrize("raw", LISTS)
@pytest.mark.parametrize("model", ["", "gpt-5"])
def test_it_is_sent_as_it_came_without_bootstrap_stub_or_loss(raw: list[Any], model: str) -> None:
    fields: dict[str, Any] = {"developer": True, "interleaved": bool(model), "bare_items": bool(model)}
    dialect = OpenAIResponses(continues=True, **fields)
    assert check(raw, dialect) == []
    history = MessageHistory.from_list(raw, dialect=dialect)
    exported = history.export(dialect)
    assert (history.repairs, exported.repairs, exported.messages) == ((), (), raw)
    assert check(exported.messages, dialect) == []


@pytest.mark.parametrize("raw", LISTS)
def test_it_is_saved_and_sent_to_others_like_any_history(raw: list[Any]) -> None:
    history = MessageHistory.from_list(raw, dialect=CONTINUING)
    again = MessageHistory.from_list(history.to_list())
    assert again == history
    assert again.for_send(CONTINUING) == history.for_send(CONTINUING)
    assert history[0].role == "user"
    for dialect in DIALECTS.values():
        assert check(history.for_send(dialect), dialect) == []


@pytest.mark.parametrize("raw", LISTS)
def test_what_was_sent_stays_what_it_was(raw: list[Any]) -> None:
    history = MessageHistory.from_list(raw, dialect=CONTINUING)
    sent = history.for_send(CONTINUING)
    later = history.add_assistant("done").add_user("more")
    assert later.for_send(CONTINUING)[: len(sent)] == sent
    assert later.for_send_json(CONTINUING).startswith(history.for_send_json(CONTINUING)[:-1])


def test_a_result_that_the_provider_waits_for_is_what_the_tool_gave_everywhere() -> None:
    history = MessageHistory.from_list([output(raw="sunny")], dialect=CONTINUING)
    assert history[-1].results[0].text == "sunny"
    assert history.awaiting == ()
    for dialect in DIALECTS.values():
        assert "sunny" in repr(history.for_send(dialect))


def test_without_continues_a_result_of_no_call_is_dropped_and_recorded() -> None:
    for dialect in (OpenAIResponses(), OpenAIResponses(continues=False)):
        history = MessageHistory.from_list([output()], dialect=dialect)
        assert [repair.code for repair in history.repairs] == [RepairCode.ORPHAN_RESULT_DROPPED]


def refer(id: str) -> dict[str, Any]:
    return {"type": "item_reference", "id": id}


REFERRING: list[list[Any]] = [
    [Q, refer("fc_1"), output()],
    [Q, refer("rs_1"), refer("fc_1"), output(), Q],
    [Q, refer("rs_1"), refer("fc_1"), refer("fc_2"), output("c1"), output("c2"), Q],
    [Q, refer("fc_1"), output(), refer("fc_2"), output("c2"), Q],
    [Q, refer("ctc_1"), output(kind="custom_tool_call"), refer("msg_1"), Q],
]


@pytest.mark.parametrize("raw", REFERRING)
def test_results_of_calls_that_the_list_only_refers_to_are_kept(raw: list[Any]) -> None:
    stored = OpenAIResponses(store=True)
    history = MessageHistory.from_list(raw, dialect=stored)
    exported = history.export(stored)
    assert (exported.messages, exported.repairs, history.repairs) == (raw, (), ())
    assert MessageHistory.from_list(history.to_list()) == history
    later = history.add_assistant("done").add_user("more").for_send(stored)
    assert later[: len(raw)] == raw
    for dialect in (*DIALECTS.values(), OpenAIResponses(store=True, reasons=True), OpenAIResponses(store=False)):
        wire = history.for_send(dialect)
        assert check(wire, dialect) == []
        assert len([item for item in raw if "output" in item]) <= repr(wire).count("'r'") + repr(wire).count('"r"')


def test_a_result_behind_a_reference_to_words_is_of_no_call() -> None:
    for raw in ([Q, refer("msg_1"), output()], [Q, refer("fc_1"), output("c1"), output("c2")]):
        history = MessageHistory.from_list(raw, dialect=OpenAIResponses(store=True))
        assert [repair.code for repair in history.repairs] == [RepairCode.ORPHAN_RESULT_DROPPED]


def test_a_second_output_of_a_call_that_the_provider_holds_is_found() -> None:
    assert [violation.rule for violation in check([output(), output()], CONTINUING)] == ["DS-16"]
