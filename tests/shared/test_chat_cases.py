"""Reported and recorded lists of Chat Completions: what was refused is found, what was accepted is not touched."""

from __future__ import annotations

from typing import Any

import pytest

from message_history import MessageHistory, RepairCode, Severity, check
from message_history.dialects import Dialect, OpenAIChat, Portable
from tests.shared.material import cases, needs_material, rows

pytestmark = needs_material

NOT_HERE = ("responses",)
"""What other dialects write."""
ASIDE = {
    RepairCode.BOOTSTRAP_ADDED,
    RepairCode.CONTINUATION_ADDED,
    RepairCode.EMPTY_MESSAGE_DROPPED,
    RepairCode.RESULT_STUBBED,
}


def dialect_of(case: dict[str, Any]) -> OpenAIChat:
    """Choose the dialect that a case was sent to."""
    context = str(case.get("context", ""))
    if case["rule"] == "OC-17":
        return OpenAIChat.for_model("o1-mini")
    if "early 2025" in context:
        return OpenAIChat.for_provider("deepseek-r1")
    if "AzureSearch" in context:
        return OpenAIChat.for_provider("azure on your data")
    return OpenAIChat.for_provider(case["api"])


def chat_cases() -> list[Any]:
    """Give the cases of chat endpoints, with the dialect that each was sent to."""
    found = [case for case in cases("openai_cases") if not any(name in case["api"] for name in NOT_HERE)]
    return [pytest.param(case, dialect_of(case), id=case["id"]) for case in found]


def accepted() -> list[Any]:
    """Give the requests that were accepted."""
    found = [row for row in rows("accepted") if row["api"] == "openai_chat"]
    return [pytest.param(row["messages"], OpenAIChat.for_model(row["model"]), id=row["id"]) for row in found]


@pytest.mark.parametrize(("case", "dialect"), chat_cases())
def test_what_was_refused_is_found(case: dict[str, Any], dialect: OpenAIChat) -> None:
    assert case["rule"] in {violation.rule for violation in check(case["messages"], dialect)}


@pytest.mark.parametrize(("case", "dialect"), chat_cases())
def test_what_was_refused_becomes_acceptable(case: dict[str, Any], dialect: OpenAIChat) -> None:
    history = MessageHistory.from_list(case["messages"])
    targets: tuple[Dialect[Any], ...] = (dialect, OpenAIChat(), Portable())
    for target in targets:
        wire = history.for_send(target)
        assert not wire or not check(wire, target)
        assert wire or not history


@pytest.mark.parametrize(("raw", "dialect"), accepted())
def test_what_was_accepted_is_not_minded(raw: list[Any], dialect: OpenAIChat) -> None:
    assert not check(raw, dialect)


@pytest.mark.parametrize(("raw", "dialect"), accepted())
def test_what_was_accepted_goes_out_with_all_that_was_in_it(raw: list[Any], dialect: OpenAIChat) -> None:
    history = MessageHistory.from_list(raw)
    exported = history.export(dialect)
    left = [repair for repair in (*history.repairs, *exported.repairs) if repair.severity is not Severity.LOSSLESS]
    assert not [repair for repair in left if repair.code not in ASIDE]
    assert not check(exported.messages, dialect)
    assert not check(history.for_send(Portable()), Portable())
