"""Recorded requests and transcripts through the core: no crash, valid out, nothing lost of what was accepted."""

from __future__ import annotations

from typing import Any

import pytest

from message_history import MessageHistory, Repair, RepairCode, Severity, check
from message_history.dialects import Anthropic, Dialect, OpenAIChat
from tests.shared.material import needs_material, rows

pytestmark = needs_material
APIS: dict[str, Any] = {"anthropic": Anthropic, "openai_chat": OpenAIChat}


def chat_rows(name: str) -> list[Any]:
    return [
        pytest.param(row["messages"], APIS[api].for_model(row.get("model", "")), id=row["id"])
        for row in rows(name)
        if (api := row.get("api") or row["format"]) in APIS
    ]


def is_expected(repair: Repair, history: MessageHistory) -> bool:
    """Tell whether even an accepted request may need this: an empty message, a leading assistant, an open end."""
    if repair.severity is Severity.LOSSLESS or repair.code in EMPTY:
        return True
    at_the_end = repair.index >= len(history) - 1
    return repair.code is RepairCode.BOOTSTRAP_ADDED or (repair.code is RepairCode.RESULT_STUBBED and at_the_end)


EMPTY = (RepairCode.EMPTY_MESSAGE_DROPPED, RepairCode.BLANK_TEXT_DROPPED)


@pytest.mark.parametrize(("raw", "dialect"), chat_rows("accepted"))
@pytest.mark.parametrize("told", [True, False], ids=["told", "by shape"])
def test_an_accepted_request_stays_what_it_is(raw: Any, dialect: Dialect[Any], told: bool) -> None:
    history = MessageHistory.from_list(raw, dialect=dialect if told else None)
    assert not [repair for repair in history.repairs if not is_expected(repair, history)]
    assert not check(history.for_send(dialect), dialect)
    assert MessageHistory.from_list(history.to_list(), open_tail="keep") == history


@pytest.mark.parametrize(("raw", "dialect"), [*chat_rows("rejected"), *chat_rows("transcripts")])
def test_a_rejected_request_or_transcript_becomes_valid(raw: Any, dialect: Dialect[Any]) -> None:
    history = MessageHistory.from_list(raw)
    for target in (dialect, Anthropic(), OpenAIChat()):
        wire = history.for_send(target)
        assert not check(wire, target)
        assert MessageHistory.from_list(wire, dialect=target).for_send(target) == wire


@pytest.mark.parametrize(("raw", "dialect"), chat_rows("transcripts"))
def test_a_transcript_cut_anywhere_loads(raw: Any, dialect: Dialect[Any]) -> None:
    del dialect
    for cut in range(1, len(raw), 3):
        for part in (raw[:cut], raw[cut:]):
            history = MessageHistory.from_list(part)
            assert history or history.repairs or all(entry["role"] == "system" for entry in part)
            assert not history or not check(history.for_send(), Anthropic())
