"""The SDK's own types as the judge: every export is what its parameters say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings

from message_history import MessageHistory
from message_history.dialects import Dialect, OpenAIChat
from message_history.integrations.strategies import broken_lists, histories
from tests.dialects.chat import ALL

pytest.importorskip("openai")
pytest.importorskip("pydantic")

from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter, ValidationError

PARAMETERS: TypeAdapter[Any] = TypeAdapter(list[ChatCompletionMessageParam])
MODELLED = {name: dialect for name, dialect in ALL.items() if name != "ollama native"}
"""Ollama's own API is not OpenAI's: its arguments are objects."""


def exhausted(value: object) -> Iterator[object]:
    """Walk through a value: pydantic looks into an `Iterable` only as it is read."""
    yield value
    if isinstance(value, Mapping):
        for item in value.values():
            yield from exhausted(item)
    elif not isinstance(value, str | bytes) and hasattr(value, "__iter__"):
        for item in value:
            yield from exhausted(item)


def judge(wire: list[Any]) -> None:
    """Raise when the SDK's types do not allow a list."""
    for _ in exhausted(PARAMETERS.validate_python(wire)):
        pass


@pytest.mark.parametrize("dialect", MODELLED.values(), ids=MODELLED.keys())
def test_every_export_is_what_the_sdk_takes(dialect: Dialect[Any]) -> None:
    @settings(max_examples=settings().max_examples // 3)
    @given(histories())
    def law(history: MessageHistory) -> None:
        judge(history.for_send(dialect))

    law()


@given(broken_lists(OpenAIChat()))
def test_every_mended_list_is_what_the_sdk_takes(raw: list[Any]) -> None:
    judge(MessageHistory.from_list(raw).for_send(OpenAIChat()))


@pytest.mark.parametrize(
    "broken",
    [
        [{"role": "tool", "content": "r"}],
        [{"role": "user", "content": [{"type": "image", "source": {}}]}],
        [{"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function"}]}],
        [{"role": "tool", "tool_call_id": "c1", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}],
    ],
)
def test_the_judge_refuses_what_is_broken(broken: list[Any]) -> None:
    with pytest.raises(ValidationError):
        judge(broken)
