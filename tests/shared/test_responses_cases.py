"""Reported and recorded lists of the Responses API: what was refused is found, what was accepted is not touched."""

from __future__ import annotations

from typing import Any

import pytest

from message_history import MessageHistory, RepairCode, Severity, check
from message_history.dialects import OpenAIResponses
from tests.shared.material import cases, needs_material, rows

pytestmark = needs_material

ASIDE = {
    RepairCode.BLANK_TEXT_DROPPED,
    RepairCode.BOOTSTRAP_ADDED,
    RepairCode.CONTINUATION_ADDED,
    RepairCode.EMPTY_MESSAGE_DROPPED,
    RepairCode.RESULT_STUBBED,
}


def refused() -> list[Any]:
    """Give the cases of the Responses API, wherever it is served."""
    return [pytest.param(case, id=case["id"]) for case in cases("openai_cases") if "responses" in case["api"]]


def recorded(name: str) -> list[Any]:
    """Give recorded requests, with the dialect that each was sent to."""
    found = [row for row in rows(name) if row["api"] == "openai_responses"]
    return [pytest.param(row, OpenAIResponses.for_model(row["model"]), id=row["id"]) for row in found]


@pytest.mark.parametrize("case", refused())
def test_what_was_refused_is_found(case: dict[str, Any]) -> None:
    for dialect in (OpenAIResponses(), OpenAIResponses.for_provider(case["api"])):
        assert case["rule"] in {violation.rule for violation in check(case["messages"], dialect)}


@pytest.mark.parametrize("case", refused())
def test_what_was_refused_becomes_acceptable(case: dict[str, Any]) -> None:
    for name in ("", case["api"], "gpt-5", "deepseek"):
        dialect = OpenAIResponses.for_provider(name)
        for history in (
            MessageHistory.from_list(case["messages"]),
            MessageHistory.from_list(case["messages"], dialect=dialect),
        ):
            assert check(history.for_send(dialect), dialect) == []


@pytest.mark.parametrize(("row", "dialect"), recorded("accepted"))
def test_what_was_accepted_is_not_minded(row: dict[str, Any], dialect: OpenAIResponses) -> None:
    assert check(row["input"], dialect) == []


@pytest.mark.parametrize(("row", "dialect"), recorded("accepted"))
def test_what_was_accepted_goes_out_with_all_that_was_in_it(row: dict[str, Any], dialect: OpenAIResponses) -> None:
    history = MessageHistory.from_list(row["input"])
    exported = history.export(dialect)
    assert not exported.messages or check(exported.messages, dialect) == []
    left = [repair for repair in (*history.repairs, *exported.repairs) if repair.severity is not Severity.LOSSLESS]
    if row["params"].get("previous_response_id"):
        # The calls of these outputs are on the server: a history holds whole conversations.
        assert {repair.code for repair in left} == {RepairCode.ORPHAN_RESULT_DROPPED}
    else:
        assert [repair for repair in left if repair.code not in ASIDE] == []


@pytest.mark.parametrize(("row", "dialect"), recorded("rejected"))
def test_what_was_rejected_becomes_acceptable(row: dict[str, Any], dialect: OpenAIResponses) -> None:
    # One of them names a response that the server does not have; its list is good.
    assert check(row["input"], dialect) or row["params"].get("previous_response_id")
    assert check(MessageHistory.from_list(row["input"]).for_send(dialect), dialect) == []
