"""What holds for every list of items and every model: valid, the same again, its beginning kept."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given

from message_history import Message, MessageHistory, check
from message_history.dialects import OpenAIResponses
from message_history.integrations.strategies import histories
from tests.dialects.responses import configurations, lists


@given(configurations(), lists())
def test_every_list_becomes_valid_and_comes_back(dialect: OpenAIResponses, raw: list[Any]) -> None:
    before = json.dumps(raw)
    history = MessageHistory.from_list(raw, dialect=dialect)
    wire = history.for_send(dialect)
    assert json.dumps(raw) == before
    assert not wire or not check(wire, dialect)
    loaded = MessageHistory.from_list(wire, dialect=dialect)
    assert not loaded.repairs
    assert loaded.for_send(dialect) == wire
    assert MessageHistory.from_list(history.to_list(), open_tail="keep").for_send(dialect) == wire


@given(lists())
def test_a_list_is_known_by_its_shape(raw: list[Any]) -> None:
    wire = MessageHistory.from_list(raw).for_send(OpenAIResponses())
    assert not wire or not check(wire, OpenAIResponses())


@given(configurations(), histories())
def test_every_history_becomes_valid_and_comes_back(dialect: OpenAIResponses, history: MessageHistory) -> None:
    wire = history.for_send(dialect)
    assert not wire or not check(wire, dialect)
    loaded = MessageHistory.from_list(wire, dialect=dialect)
    assert not loaded.repairs
    assert loaded.for_send(dialect) == wire


@given(configurations(), lists(), lists())
def test_what_was_sent_stays_the_beginning(dialect: OpenAIResponses, raw: list[Any], after: list[Any]) -> None:
    history = MessageHistory.from_list(raw, dialect=dialect).as_sent(dialect)
    sent = history.for_send(dialect)
    if not history:
        return
    later = history.add(Message.assistant("reply"))
    for message in MessageHistory.from_list(after, dialect=dialect):
        later = later.add(message)
    assert later.for_send(dialect)[: len(sent)] == sent
