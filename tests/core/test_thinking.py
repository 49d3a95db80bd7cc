"""The thinking of messages that were loaded, and of those that were made: counted, invalidated and shown alike."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from message_history import (
    Message,
    MessageHistory,
    RedactedThinkingBlock,
    ReplyInfo,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from message_history.core.messages.arrived import Arrival
from message_history.core.messages.message import with_arrivals, with_content, with_replies
from message_history.core.messages.thinking import count_of_thinking, invalidate_thinking
from message_history.core.values.json_values import FrozenDict

THOUGHT, HIDDEN = ThinkingBlock("t", "c2ln"), RedactedThinkingBlock("data")
BOUND: dict[type, Any] = {ThinkingBlock: {"bound": True}, RedactedThinkingBlock: {"bound": True}}


def loaded(blocks: list[Any]) -> Message:
    """Return a message of the assistant as it is loaded: of plain values, of which blocks are made later."""
    history = MessageHistory.from_list(MessageHistory().add_user("q").add_assistant(list(blocks)).to_list())
    return history[1]


def test_loaded_messages_are_equal_where_what_they_hold_is() -> None:
    texts = [loaded([TextBlock("ab")]), loaded([TextBlock("cd")]), loaded([TextBlock("ab"), TextBlock("cd")])]
    assert [[one == other for other in texts] for one in texts] == [
        [True, False, False],
        [False, True, False],
        [False, False, True],
    ]
    assert loaded([TextBlock("ab")]) == texts[0] == Message("assistant", "ab")
    assert texts[0] != Message("user", "ab")


@pytest.mark.parametrize(
    ("blocks", "count"),
    [
        ([TextBlock("ab")], 0),
        ([TextBlock("abc"), ToolUseBlock("a", "f", {})], 0),
        ([THOUGHT, TextBlock("ab")], 1),
        ([THOUGHT, HIDDEN, THOUGHT, TextBlock("ab"), ToolUseBlock("a", "f", {})], 3),
    ],
)
def test_the_thinking_of_a_loaded_message_is_counted_as_that_of_a_made_one(blocks: list[Any], count: int) -> None:
    assert count_of_thinking(loaded(blocks)) == count_of_thinking(Message("assistant", blocks)) == count


@pytest.mark.parametrize("replies", [(), (ReplyInfo(id="r"),)])
@pytest.mark.parametrize("metadata", [(), (Arrival(1, FrozenDict({"id": "m"})),)])
@pytest.mark.parametrize("blocks", [[THOUGHT, TextBlock("ab")], [THOUGHT, HIDDEN], [TextBlock("ab"), HIDDEN, THOUGHT]])
@pytest.mark.parametrize("make", [loaded, lambda blocks: Message("assistant", blocks)], ids=["loaded", "made"])
def test_invalidated_thinking_changes_nothing_else(make: Any, blocks: Any, metadata: Any, replies: Any) -> None:
    message = with_arrivals(with_replies(make(blocks), replies), metadata)
    changed = invalidate_thinking(message)
    assert (message.replies, message.arrivals) == (changed.replies, changed.arrivals) == (replies, metadata)
    assert [attrs.evolve(block, **BOUND.get(type(block), {})) for block in changed.content] == blocks
    assert count_of_thinking(changed) == 0 < count_of_thinking(message)
    same = with_content(message, message.content[::-1])
    assert (same.replies, [each.metadata for each in same.arrivals]) == (replies, [each.metadata for each in metadata])


@pytest.mark.parametrize(("bound", "shown"), [(True, ""), (False, ", bound=False")])
def test_thinking_shows_that_it_is_invalidated(bound: bool, shown: str) -> None:
    assert repr(ThinkingBlock("t", "c2ln", bound)) == f"ThinkingBlock('t', 'c2ln'{shown})"
