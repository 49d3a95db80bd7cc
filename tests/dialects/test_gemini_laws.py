"""What holds for any history and any list of contents, on every service and model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from message_history import Message, MessageHistory, check
from message_history.integrations.strategies import histories, messages
from tests.dialects.gemini import contents, every_variant, read

if TYPE_CHECKING:
    from message_history.dialects import Gemini


@every_variant
def test_any_contents_become_valid(dialect: Gemini) -> None:
    @given(contents())
    def law(raw: list[Any]) -> None:
        before = repr(raw)
        history = MessageHistory.from_list(raw, dialect=dialect)
        assert repr(raw) == before
        assert MessageHistory.from_list(history.to_list(), open_tail="keep") == history
        wire = history.for_send(dialect)
        assert not wire or check(wire, dialect) == []
        again = MessageHistory.from_list(wire, dialect=dialect)
        assert again.repairs == ()
        assert again.for_send(dialect) == wire
        json.dumps(wire)

    law()


@every_variant
def test_contents_added_one_by_one_become_valid(dialect: Gemini) -> None:
    @given(contents())
    def law(raw: list[Any]) -> None:
        history = MessageHistory()
        for entry in raw:
            history = history.add(entry)
            wire = history.for_send(dialect)
            assert not wire or check(wire, dialect) == []

    law()


@every_variant
def test_any_history_is_valid_and_comes_back(dialect: Gemini) -> None:
    @given(histories())
    def law(history: MessageHistory) -> None:
        wire = history.for_send(dialect)
        assert not wire or check(wire, dialect) == []
        again = MessageHistory.from_list(wire, dialect=dialect)
        assert again.repairs == ()
        assert again.for_send(dialect) == wire

    law()


@every_variant
def test_rendering_is_causal(dialect: Gemini) -> None:
    @given(st.one_of(histories(), contents().map(read)), st.lists(messages(), max_size=3))
    def law(history: MessageHistory, after: list[Message]) -> None:
        closed = history.close(dialect)
        sent = closed.for_send(dialect)
        if not closed or closed[-1].role == "assistant":
            return
        later = closed.add(Message.assistant("reply"))
        for message in after:
            later = later.add(message)
        assert later.for_send(dialect)[: len(sent)] == sent

    law()
