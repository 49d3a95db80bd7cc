"""Recorded and reported error texts lead to the rules that they were filed under."""

from __future__ import annotations

from typing import Any

import pytest

from message_history.dialects import Anthropic
from message_history.explaining import explain
from tests.shared.material import cases, needs_material, rows

pytestmark = needs_material

NO_PROVIDER_S: dict[str, str] = {
    "400 INVALID_ARGUMENT (sibling inlineData": "words of the report, not of the provider",
    "invalid request: all elements in history": "an API that has no dialect here",
}
SAME = 0.02
"""Texts whose scores differ by no more say the same."""
REPORTED = [
    pytest.param(case, id=case["id"])
    for name in ("anthropic_cases", "openai_cases", "other_cases")
    for case in cases(name)
    if case.get("error") and not case["error"].startswith(tuple(NO_PROVIDER_S))
]
FILED_AS: dict[str, set[str]] = {
    "AN-C3": {"AN-C1"},
    "X2": {"BR-B07"},
    "MI-01": {"MS-M03b"},
    "MI-03": {"MS-M06a", "MS-M06b"},
    "MI-06": {"MS-M04"},
    "MI-08": {"MS-M12"},
}
"""Rules of the catalogue that are others' here, or whose report quotes another rule's text."""
RECORDED = [pytest.param(row, id=row["id"]) for row in rows("rejected")]
EXPECTED = {
    "Previous response with id": "OR-10",  # no rule of a list; the nearest says that an item can be gone
    "`tool_use` ids were found without": "AN-C1",
    "of type 'reasoning' was provided without its required following item": "OR-06",
    "No tool output found for tool call": "DS-15",
    "extraneous key [toolResult] is not permitted": "BR-B16",
    "A text block must be included when using documents": "BR-B19",
}


@pytest.mark.parametrize("case", REPORTED)
def test_a_reported_text_leads_to_its_rule(case: dict[str, Any]) -> None:
    found = explain(case["error"])
    first = {one.rule.id for one in found if one.score >= found[0].score - SAME}
    assert first & ({case["rule"]} | FILED_AS.get(case["rule"], set()))


@pytest.mark.parametrize("row", RECORDED)
def test_a_recorded_body_leads_to_its_rule(row: dict[str, Any]) -> None:
    wanted = [rule for part, rule in EXPECTED.items() if part in row["error"]]
    assert [one.rule.id for one in explain(row["error"])[:1]] == wanted


def test_a_provider_is_enough_to_tell_the_same_texts_apart() -> None:
    for case in cases("anthropic_cases"):
        if case["rule"] not in FILED_AS:
            found = explain(case["error"], Anthropic())
            assert case["rule"] in {one.rule.id for one in found if one.dialect == "anthropic"}
            assert found[0].dialect == "anthropic"
