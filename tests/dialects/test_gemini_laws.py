"""What holds for any history and any list of contents, on every service and model."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from message_history import Message, MessageHistory, Severity, TextBlock, ToolResultBlock, ToolUseBlock, check
from message_history.core.messages.blocks import is_blank
from message_history.dialects import Anthropic, Gemini, OpenAIChat
from message_history.integrations.strategies import histories, json_values, messages
from tests.dialects.gemini import VARIANTS, contents, every_variant, read


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


@given(st.one_of(contents(), st.lists(json_values(), max_size=4)), st.sampled_from(VARIANTS))
def test_checking_takes_anything(raw: list[Any], dialect: Gemini) -> None:
    before = repr(raw)
    found = check(raw, dialect)
    assert {violation.rule for violation in found} <= {rule.id for rule in Gemini.rules}
    assert repr(raw) == before


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
        closed = history.as_sent(dialect)
        sent = closed.for_send(dialect)
        if not closed or closed[-1].role == "assistant":
            return
        later = closed.add(Message.assistant("reply"))
        for message in after:
            later = later.add(message)
        assert later.for_send(dialect)[: len(sent)] == sent

    law()


def told(history: MessageHistory) -> list[str]:
    """List what a conversation is about: words, inputs, what tools gave."""
    found: list[str] = []
    for message in history:
        for block in message.content:
            if isinstance(block, TextBlock) and not is_blank(block.text):
                found.append(block.text)
            elif isinstance(block, ToolUseBlock):
                found.append(json.dumps(dict(block.input), default=dict, sort_keys=True))
            elif isinstance(block, ToolResultBlock):
                found += [part.text for part in block.content if isinstance(part, TextBlock)]
    return found


@every_variant
def test_words_inputs_and_results_come_back_unless_a_repair_says_why_not(dialect: Gemini) -> None:
    @given(st.one_of(histories(), contents().map(read)))
    def law(history: MessageHistory) -> None:
        exported = history.export(dialect)
        if any(repair.severity is Severity.LOSSY or "surrogate" in repair.detail for repair in exported.repairs):
            return
        back = "\n".join(told(MessageHistory.from_list(exported.messages, dialect=dialect)))
        assert [item for item in told(history.as_sent(dialect)) if item not in back] == []

    law()


@given(contents())
def test_contents_become_valid_lists_of_other_providers(raw: list[Any]) -> None:
    history = read(raw)
    for other in (Anthropic(), OpenAIChat()):
        wire = history.for_send(other)
        assert not wire or check(wire, other) == []
