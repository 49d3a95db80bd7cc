"""The 18 broken histories of the field: valid and lossless through every dialect."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from benchmarks.broken_histories import CASES, Case, as_chat, known_results, user_texts

from message_history import Message, MessageHistory, Policy, check
from message_history.dialects import Anthropic, Portable
from message_history.dialects.registry import DIALECTS

NAMES = (
    *("dangling tail", "dangling middle", "orphan head", "leading assistant", "late result"),
    *("user text between call and result", "partial parallel", "duplicate results", "reused ids", "same id twice"),
    *("result before call", "text before result", "consecutive assistants", "split results", "blank assistant"),
    *("wrong id", "calls split over two messages", "user text between parallel results"),
)
EVERY_CASE = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
FORMS = pytest.mark.parametrize("form", [list, as_chat], ids=["typed", "chat"])


def holds_once(wire: list[Any], texts: list[str]) -> bool:
    """Tell whether each text is on the wire, exactly once."""
    written = json.dumps(wire)
    return all(written.count(json.dumps(text)[1:-1]) == 1 for text in texts)


def test_there_are_eighteen() -> None:
    assert tuple(case.name for case in CASES) == NAMES


@EVERY_CASE
def test_each_text_occurs_once_so_that_a_loss_is_seen(case: Case) -> None:
    assert holds_once(case.messages, user_texts(case.messages) + known_results(case.messages))


@EVERY_CASE
def test_each_is_refused_as_it_stands(case: Case) -> None:
    assert check(case.messages, Anthropic()) or check(as_chat(case.messages), Portable())


@EVERY_CASE
@FORMS
@pytest.mark.parametrize("name", DIALECTS)
def test_each_is_valid_and_lossless_through_every_dialect(case: Case, form: Any, name: str) -> None:
    dialect = DIALECTS[name]
    history = MessageHistory.from_list(form(case.messages))
    wire = history.for_send(dialect)
    assert wire
    assert check(wire, dialect) == []
    assert holds_once(wire, user_texts(case.messages) + known_results(case.messages))


@EVERY_CASE
def test_texts_keep_their_order(case: Case) -> None:
    wire = MessageHistory.from_list(case.messages).for_send()
    written = json.dumps(wire)
    places = [written.index(json.dumps(text)[1:-1]) for text in user_texts(case.messages)]
    assert places == sorted(places)


@EVERY_CASE
@FORMS
def test_no_call_is_given_the_result_of_another(case: Case, form: Any) -> None:
    wire = MessageHistory.from_list(form(case.messages)).for_send()
    for assistant, answered in pairwise(wire):
        calls = [block for block in assistant["content"] if block["type"] == "tool_use"]
        results = [block for block in answered["content"] if block["type"] == "tool_result"]
        for call, result in zip(calls, results, strict=True):
            text = json.dumps(result)
            assert call["input"]["city"] in text or Policy().stub_text in text


@EVERY_CASE
def test_one_message_after_another_is_valid_at_every_step(case: Case) -> None:
    history = MessageHistory()
    for message in case.messages:
        history = history.add(message)
        assert not history or check(history.for_send(), Anthropic()) == []
    assert isinstance(history[-1], Message)
