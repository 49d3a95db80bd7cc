"""Values are equal when their class and their compared fields are, and show all that is shown of them."""

from __future__ import annotations

import pickle
from typing import Any

import attrs
import pytest

from message_history import (
    DocumentBlock,
    ImageBlock,
    Policy,
    ProviderBlock,
    RedactedThinkingBlock,
    Repair,
    RepairCode,
    ReplyInfo,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    Usage,
)
from message_history.core.values.meta import Mark, Meta

MARK = Mark(kind="stub")
IMAGE = {"type": "url", "url": "https://example.org/a.png"}
PAIRS: list[tuple[Any, Any]] = [
    (TextBlock("a"), TextBlock("b")),
    (TextBlock("a"), TextBlock("a", meta=Meta(mark=MARK))),
    (ThinkingBlock("a", "c2ln"), ThinkingBlock("a", "c2ln", bound=False)),
    (RedactedThinkingBlock("a"), RedactedThinkingBlock("b")),
    (ToolUseBlock("1", "f", {"a": [1]}), ToolUseBlock("1", "f", {"a": [1.0]})),
    (ToolResultBlock("1", "a"), ToolResultBlock("1", "a", is_error=True)),
    (SystemBlock("a"), SystemBlock("b")),
    (ProviderBlock("gemini", {"a": 1}), ProviderBlock("gemini", {"a": 2})),
    (ImageBlock(IMAGE), ImageBlock({**IMAGE, "url": "https://example.org/b.png"})),
    (DocumentBlock(IMAGE), DocumentBlock(IMAGE, "title")),
    (MARK, Mark(kind="quote")),
    (Meta(signature="a"), Meta(signature="b")),
    (Policy(), Policy(on_violation="raise")),
    (Repair(code=RepairCode.RESULT_MOVED, index=1), Repair(code=RepairCode.RESULT_MOVED, index=2)),
    (Usage(input_tokens=1), Usage(input_tokens=2)),
    (ReplyInfo(id="a"), ReplyInfo(id="b")),
]


@pytest.mark.parametrize(("value", "other"), PAIRS, ids=lambda value: type(value).__name__)
def test_values_are_equal_when_their_fields_are(value: Any, other: Any) -> None:
    again = pickle.loads(pickle.dumps(value))
    assert again == value
    assert hash(again) == hash(value)
    assert other != value
    assert value != attrs.astuple(value, recurse=False)
    assert len({value, again, other}) == 2


def test_values_of_different_classes_are_not_equal() -> None:
    assert TextBlock("a") != SystemBlock("a")
    assert len({TextBlock("a"), SystemBlock("a")}) == 2


def test_a_field_that_is_not_compared_makes_no_difference() -> None:
    call = ToolUseBlock("1", "f", {})
    elsewhere = attrs.evolve(call, turn=3)
    assert elsewhere == call
    assert hash(elsewhere) == hash(call)
