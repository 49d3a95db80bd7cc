"""What every configuration of Chat Completions must keep: the tests of every dialect, for each provider and model."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from message_history import Message, MessageHistory, RepairCode, check
from message_history.core.messages.blocks import (
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    is_blank,
)
from message_history.core.messages.media_blocks import ImageBlock
from message_history.core.values.json_values import thaw
from message_history.dialects import Dialect, OpenAIChat
from message_history.integrations.strategies import broken_lists, histories, messages
from tests.dialects.chat import every_configuration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from message_history.core.messages.block_base import Block

few = settings(max_examples=settings().max_examples // 4)


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
        closed = history.as_sent(dialect)
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


def sent_text(text: str) -> str:
    """Give text as it may be sent: what no parser takes is replaced."""
    return re.sub("[\\ud800-\\udfff]", "\ufffd", text).replace("\0", "\ufffd")


def texts_in(value: Any) -> Iterator[str]:
    """Give all texts in a wire, and what arguments say."""
    if isinstance(value, str):
        yield value
        try:
            read = json.loads(value)
        except ValueError:
            return
        if isinstance(read, dict):
            yield from texts_in(read)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from texts_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)


def texts_to_send(message: Message) -> Iterator[tuple[Block, str]]:
    """Give what must reach the provider: words, results, calls and media, each with its block."""
    for block in message.content:
        inner = block.content if isinstance(block, ToolResultBlock) else (block,)
        for part in inner:
            if isinstance(part, TextBlock | SystemBlock):
                yield part, part.text
            elif isinstance(part, ThinkingBlock):
                yield part, part.thinking
            elif isinstance(part, ImageBlock):
                yield part, str(part.source.get("url") or part.source.get("data"))
            elif isinstance(part, ToolUseBlock):
                for text in texts_in(thaw(part.input)):
                    yield part, text


@every_configuration
def test_what_is_not_sent_is_in_a_repair(dialect: Dialect[Any]) -> None:
    @few
    @given(histories())
    def law(history: MessageHistory) -> None:
        exported = history.export(dialect)
        written_texts = sent_text("\n".join(texts_in(exported.messages)))
        omitted = [
            block for repair in exported.repairs if repair.code is RepairCode.WITHHELD for block in repair.removed
        ]
        for message in history.as_sent(dialect):
            for block, text in texts_to_send(message):
                if block.mark is not None and block.mark.kind == "bootstrap" and dialect.takes_leading_assistant():
                    continue
                written = json.dumps(text, ensure_ascii=False)[1:-1]  # as a call written as text says it
                sent = sent_text(text) in written_texts or sent_text(written) in written_texts
                assert is_blank(text) or sent or block in omitted, text

    law()


@every_configuration
def test_every_call_and_its_result_is_sent(dialect: Dialect[Any]) -> None:
    @few
    @given(histories())
    def law(history: MessageHistory) -> None:
        wire = history.for_send(dialect)
        calls = [call for message in history.as_sent(dialect) for call in message.calls]
        if isinstance(dialect, OpenAIChat) and dialect.tools == "text":
            texts = "\n".join(texts_in(wire))
            assert texts.count("<tool_call id=") == texts.count("<tool_result id=") == len(calls)
            return
        sent = [call for message in wire for call in message.get("tool_calls", ())]
        answers = [message["tool_call_id"] for message in wire if message["role"] == "tool"]
        assert [call["id"] for call in sent] == answers
        assert len(sent) == len(calls)
        for call, written in zip(calls, sent, strict=True):
            arguments = written["function"]["arguments"]
            read = json.loads(arguments) if isinstance(arguments, str) else arguments
            assert sent_text(json.dumps(read, ensure_ascii=False)) == sent_text(
                json.dumps(thaw(call.input), ensure_ascii=False)
            )

    law()


@every_configuration
def test_placeholders_are_recorded(dialect: Dialect[Any]) -> None:
    @few
    @given(histories())
    def law(history: MessageHistory) -> None:
        exported = history.export(dialect)
        bridges = sum(message == {"role": "assistant", "content": "OK."} for message in exported.messages)
        added = sum(repair.code is RepairCode.PLACEHOLDER_ADDED for repair in exported.repairs)
        alike = sum(message.text == "OK." for message in history)
        assert bridges <= added + alike

    law()
