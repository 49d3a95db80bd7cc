"""What every configuration of Chat Completions must keep: the tests of every dialect, for each provider and model."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from message_history import Message, MessageHistory, RepairCode, check
from message_history.blocks import ImageBlock
from message_history.dialects import Dialect, OpenAIChat
from message_history.integrations.strategies import broken_lists, histories, messages
from tests.dialects.chat import every_configuration

few = settings(max_examples=40)


@every_configuration
def test_every_export_is_valid_and_comes_back(dialect: Dialect[Any]) -> None:
    @few
    @given(histories())
    def law(history: MessageHistory) -> None:
        wire = history.for_send(dialect)
        assert not wire or not check(wire, dialect)
        loaded = MessageHistory.from_list(wire, dialect=dialect)
        assert not loaded.repairs
        assert loaded.for_send(dialect) == wire

    law()


@every_configuration
def test_every_broken_list_becomes_valid(dialect: Dialect[Any]) -> None:
    @few
    @given(broken_lists(OpenAIChat()))
    def law(raw: list[Any]) -> None:
        wire = MessageHistory.from_list(raw, dialect=dialect).for_send(dialect)
        assert not wire or not check(wire, dialect)

    law()


@every_configuration
def test_rendering_is_causal(dialect: Dialect[Any]) -> None:
    @few
    @given(histories(), st.lists(messages(), max_size=3))
    def law(history: MessageHistory, after: list[Message]) -> None:
        closed = history.close(dialect)
        sent = closed.for_send(dialect)
        if not closed or closed[-1].role == "assistant" or "cache_control" in json.dumps(sent):
            return
        later = closed.add(Message.assistant("reply"))
        for message in after:
            later = later.add(message)
        wire = later.for_send(dialect)
        if "cache_control" not in json.dumps(wire):
            assert wire[: len(sent)] == sent

    law()


@every_configuration
def test_what_is_left_out_is_recorded(dialect: Dialect[Any]) -> None:
    @few
    @given(histories())
    def law(history: MessageHistory) -> None:
        exported = history.export(dialect)
        closed = history.close(dialect)
        kept = json.dumps(exported.messages, ensure_ascii=False)
        changed = [block for repair in exported.repairs for block in repair.removed]
        for message in closed:
            for block in message.content:
                if isinstance(block, ImageBlock) and message.role == "user" and block not in changed:
                    source = block.source
                    assert str(source.get("url") or source.get("data")) in kept

    law()


@every_configuration
def test_placeholders_are_recorded(dialect: Dialect[Any]) -> None:
    @few
    @given(histories())
    def law(history: MessageHistory) -> None:
        exported = history.export(dialect)
        bridges = sum(message == {"role": "assistant", "content": "OK."} for message in exported.messages)
        added = sum(repair.code is RepairCode.PLACEHOLDER_ADDED for repair in exported.repairs)
        said = sum(message.text == "OK." for message in history)
        assert bridges <= added + said

    law()
