"""Every reported case and every recorded request, to every dialect: what comes out is acceptable, and goes round."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from message_history import MessageHistory, RepairCode, Severity, check
from message_history.dialects import Anthropic, Bedrock, Dialect, Gemini, Mistral, OpenAIChat, OpenAIResponses
from message_history.dialects.registry import DIALECTS
from tests.shared.material import cases, needs_material, rows
from tests.shared.test_chat_cases import dialect_of

pytestmark = needs_material

APIS: dict[str, Any] = {
    "anthropic": Anthropic,
    "bedrock": Bedrock,
    "gemini": Gemini,
    "mistral": Mistral,
    "openai_chat": OpenAIChat,
    "openai_responses": OpenAIResponses,
}
TARGETS = [dialect for name, dialect in DIALECTS.items() if name != "native"]
ASIDE = {
    RepairCode.BLANK_TEXT_DROPPED,
    RepairCode.BOOTSTRAP_ADDED,
    RepairCode.CONTINUATION_ADDED,
    RepairCode.EMPTY_MESSAGE_DROPPED,
    RepairCode.RESULT_STUBBED,
}
"""What even an accepted request may need: an empty message, a leading assistant, an open end."""
UNSEEN = {
    "AN-T1": "the original is not there",
    "AN-T2": "the request's thinking decides",
    "AN-S5": "only the API can tell",
}
COHERE = "cohere"


def own_dialect(case: dict[str, Any]) -> Dialect[Any] | None:
    """Choose the dialect that a case was sent to; None where there is none."""
    api, rule = str(case.get("api", "anthropic")), case["rule"]
    if api.startswith(COHERE) or rule.startswith("X"):
        return None
    if api == "vertex":
        return Gemini.for_model("gemini-3-pro-preview", vertex=True)
    if api in ("anthropic", "gemini", "bedrock-converse") or api.startswith("mistral ("):
        return {"a": Anthropic(system_in_list=rule in ("AN-A6", "AN-A7", "AN-A8")), "g": Gemini(), "b": Bedrock()}.get(
            api[0], Mistral()
        )
    if "responses" in api:
        return OpenAIResponses.for_provider(api)
    return Mistral() if api == "mistral" else dialect_of(case)


CASES = [
    pytest.param(case, id=case["id"])
    for name in ("anthropic_cases", "openai_cases", "other_cases")
    for case in cases(name)
]
PEERS = [pytest.param(case, id=case["id"]) for case in cases("peer_cases") if isinstance(case.get("input"), list)]
every_case = pytest.mark.parametrize("case", CASES)
RECORDED = [
    pytest.param(row, told, id=f"{row['id']}-{'told' if told else 'by shape'}")
    for row in rows("accepted")
    if row["api"] in APIS
    for told in (True, False)
]
REJECTED = [pytest.param(row, id=row["id"]) for row in rows("rejected")]


def sent(row: dict[str, Any]) -> list[Any]:
    """Give the list of a recorded request, whatever its name."""
    return next(row[key] for key in ("messages", "input", "contents") if key in row)


def goes_round(history: MessageHistory, target: Dialect[Any]) -> None:
    """Hold an export to be acceptable, and the same again once it has been read."""
    wire = history.export(target).messages
    assert wire or not history
    assert not wire or check(wire, target) == []
    again = MessageHistory.from_list(wire, dialect=target)
    assert again.repairs == ()
    assert again.export(target).messages == wire


@every_case
def test_what_was_refused_is_found(case: dict[str, Any]) -> None:
    dialect = own_dialect(case)
    if case["rule"] in UNSEEN or dialect is None:
        pytest.skip(UNSEEN.get(case["rule"], "another form than its API's"))
    found = {violation.rule for violation in check(case["messages"], dialect)}
    assert case["rule"] in found


@every_case
def test_what_was_refused_becomes_acceptable_everywhere(case: dict[str, Any]) -> None:
    history = MessageHistory.from_list(case["messages"])
    for target in TARGETS:
        goes_round(history, target)


@every_case
def test_what_was_refused_becomes_acceptable_to_its_own_api(case: dict[str, Any]) -> None:
    dialect = own_dialect(case)
    if dialect is not None:
        goes_round(MessageHistory.from_list(case["messages"], dialect=dialect), dialect)


@pytest.mark.parametrize("case", PEERS)
def test_what_peers_mend_becomes_acceptable_everywhere(case: dict[str, Any]) -> None:
    history = MessageHistory.from_list(case["input"])
    for target in TARGETS:
        goes_round(history, target)


@pytest.mark.parametrize(("row", "told"), RECORDED)
def test_what_was_accepted_is_not_minded_and_loses_nothing(row: dict[str, Any], told: bool) -> None:
    raw, dialect = sent(row), APIS[row["api"]].for_model(row["model"])
    assert check(raw, dialect) == []
    history = MessageHistory.from_list(raw, dialect=dialect if told else None)
    exported = history.export(dialect)
    left = [repair for repair in (*history.repairs, *exported.repairs) if repair.severity is not Severity.LOSSLESS]
    if row["params"].get("previous_response_id"):
        # The calls of these outputs are on the server: a history holds whole conversations.
        left = [repair for repair in left if repair.code is not RepairCode.ORPHAN_RESULT_DROPPED]
    empty = [repair for repair in left if repair.code is RepairCode.PLACEHOLDER_ADDED and "empty" in repair.detail]
    assert [repair for repair in left if repair.code not in ASIDE and repair not in empty] == []
    assert history.export(dialect).messages == [] or check(exported.messages, dialect) == []


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in rows("accepted")])
def test_what_was_accepted_goes_round_everywhere(row: dict[str, Any]) -> None:
    history = MessageHistory.from_list(sent(row))
    for target in TARGETS:
        goes_round(history, target)


@pytest.mark.parametrize("row", REJECTED)
def test_what_was_rejected_is_found_and_becomes_acceptable(row: dict[str, Any]) -> None:
    raw, dialect = sent(row), APIS[row["api"]].for_model(row["model"])
    # One of them names a response that the server does not have; its list is good.
    assert check(raw, dialect) or row["params"].get("previous_response_id")
    for history in (MessageHistory.from_list(raw), MessageHistory.from_list(raw, dialect=dialect)):
        goes_round(history, dialect)


def test_all_material_is_used() -> None:
    counts = Counter(row["api"] for row in rows("accepted"))
    assert set(counts) - set(APIS) <= {COHERE}
    assert len(CASES) > 100
