"""What a mutation run changed, and no other test of the core noticed."""

from __future__ import annotations

import base64
import math
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from tests.dialects.odd_pieces import PIXEL

from message_history import (
    ImageBlock,
    Message,
    MessageHistory,
    Policy,
    ProviderBlock,
    RedactedThinkingBlock,
    RepairCode,
    ReplyInfo,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from message_history.core.messages.arrived import Arrival
from message_history.core.messages.message import with_arrivals, with_content, with_replies
from message_history.core.messages.parsed import Parsed
from message_history.core.messages.thinking import count_of_thinking, invalidate_thinking
from message_history.core.turns.replying import has_begun
from message_history.core.values.json_values import FrozenDict, freeze
from message_history.core.views.costs import Costs
from message_history.windows import MovingWindow

if TYPE_CHECKING:
    from collections.abc import Sequence

THOUGHT, HIDDEN = ThinkingBlock("t", "c2ln"), RedactedThinkingBlock("data")
BOUND: dict[type, Any] = {ThinkingBlock: {"bound": True}, RedactedThinkingBlock: {"bound": True}}


def loaded(blocks: Sequence[Any]) -> Message:
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


@pytest.mark.parametrize(
    ("was", "now", "begun"),
    [
        ([TextBlock("a")], [TextBlock("ab")], True),
        ([TextBlock("ab")], [TextBlock("a")], False),
        ([TextBlock("a")], [TextBlock("b")], False),
        ([TextBlock("a")], [TextBlock("ab"), ToolUseBlock("c", "f", {})], True),
        ([TextBlock("a"), ToolUseBlock("c", "f", {})], [TextBlock("ab")], False),
        ([ThinkingBlock("a")], [ThinkingBlock("ab", "c2ln")], True),
        ([ThinkingBlock("a")], [ThinkingBlock("b", "c2ln")], False),
        ([ThinkingBlock("a", "c2ln")], [ThinkingBlock("ab", "b3Ro")], False),
    ],
)
def test_a_reply_begins_another_that_goes_on_from_it(was: list[Any], now: list[Any], *, begun: bool) -> None:
    assert has_begun(Message("assistant", was), Message("assistant", now)) is begun
    assert not has_begun(Message("user", "a"), Message("user", "ab"))


@pytest.mark.parametrize(
    ("begin", "kind"),
    [(base64.b64decode(PIXEL), "image/png"), (b"GIF89a..", "image/gif"), (b"\xff\xd8\xff\xe0", "image/jpeg")],
)
def test_an_image_of_bytes_is_of_the_type_that_its_first_bytes_say(begin: bytes, kind: str) -> None:
    assert ImageBlock.from_bytes(begin).source["media_type"] == kind


def test_a_policy_shows_and_takes_its_texts_and_nothing_that_is_derived_from_them() -> None:
    assert [name for name in ("has_own_texts", "_reasons", "_denials") if name in repr(Policy())] == []
    with pytest.raises(TypeError, match="has_own_texts"):
        Policy(has_own_texts=True)  # type: ignore[call-arg]


def test_a_window_takes_its_limits_by_name_alone() -> None:
    with pytest.raises(TypeError, match="positional"):
        MovingWindow(10)  # type: ignore[call-arg]


@pytest.mark.parametrize("place", range(5))
def test_a_repair_of_what_is_no_message_has_its_place(place: int) -> None:
    chat: list[Any] = [
        {"id": "1", "role": "user", "content": "q"},
        {"id": "2", "role": "assistant", "toolCalls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]},
        {"id": "3", "role": "tool", "toolCallId": "c", "content": "r"},
        {"id": "4", "role": "assistant", "content": "a"},
    ]
    history = MessageHistory.from_list([*chat[:place], {"level": "info"}, *chat[place:]])
    assert [(repair.code, repair.index, repair.source) for repair in history.repairs] == [
        (RepairCode.ENTRY_DROPPED, place, place)
    ]
    assert [message.role for message in history] == ["user", "assistant", "user", "assistant"]


@pytest.mark.parametrize("again", ["r", "stub"])
def test_what_says_again_what_a_call_of_the_turn_has_is_for_no_earlier_call_of_its_id(again: str) -> None:
    call = ToolUseBlock("c", "f", {})
    asked = MessageHistory().add_user("q").add_assistant([call]).add_user("go on")
    answered = asked.add_assistant([call]).add(Message.user([ToolResultBlock("c", "r")]))
    repeated = answered.add(Message.user([ToolResultBlock("c", "r") if again == "r" else asked[2].content[0]]))
    assert tuple(repeated) == tuple(answered)
    assert [repair.code for repair in repeated.repairs] == ["result_stubbed", "duplicate_result_dropped"]


def test_a_late_result_with_the_id_that_a_call_came_with_is_quoted_behind_its_turn() -> None:
    calls = [ToolUseBlock("x", "f", {"n": 1}), ToolUseBlock("x", "f", {"n": 2})]
    history = MessageHistory().add_user("go").add_assistant(calls)
    history = history.add_tool_result(history.awaiting[1], "two").add_user("on").without_unanswered()
    assert history[1].ids == ("x_2",)
    late = history.add_assistant("so").add({"role": "user", "content": [ToolResultBlock("x", "late")]})
    assert late[-1].text.endswith("late")
    assert late.repairs[-1].code is RepairCode.SECOND_RESULT_QUOTED


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"a": {"b": math.nan}}, "input.a.b: NaN, kept as text"),
        ({"a": [0, (1, -math.inf)]}, "input.a[1][1]: -Infinity, kept as text"),
        ({1: 2}, "input.value: a key of the type int, kept as '1'"),
    ],
)
def test_a_value_that_json_cannot_carry_is_told_with_its_place(given: Any, words: str) -> None:
    history = MessageHistory().add_user("q").add_assistant(ToolUseBlock("1", "f", given))
    assert [repair.detail for repair in history.repairs] == [words]


def test_an_outline_tells_how_much_went_and_came_and_nothing_of_it() -> None:
    blank = {"role": "user", "content": [{"type": "text", "text": text} for text in ("", " ")]}
    history = MessageHistory.from_list([blank, {"role": "user", "content": "q"}])
    assert [each.outline.partition("), ")[2] for each in history.repairs] == ["1 removed", "1 removed"]
    call = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
    stubbed = MessageHistory.from_list([{"role": "user", "content": "q"}, {"role": "assistant", "content": [call]}])
    assert stubbed.repairs[-1].outline.endswith("(synthetic), ids '1', 1 added")


def test_a_result_shows_that_it_is_an_error() -> None:
    assert repr(ToolResultBlock("1", "x", is_error=True)) == "ToolResultBlock('1', 'x', True)"
    assert repr(ToolResultBlock("1", "x")) == "ToolResultBlock('1', 'x')"


@pytest.mark.parametrize(("bound", "shown"), [(True, ""), (False, ", bound=False")])
def test_thinking_shows_that_it_is_invalidated(bound: bool, shown: str) -> None:
    assert repr(ThinkingBlock("t", "c2ln", bound)) == f"ThinkingBlock('t', 'c2ln'{shown})"


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ((), "()"),
        ("a", "'a'"),
        ([TextBlock("a"), TextBlock("b")], "(TextBlock('a'), TextBlock('b'))"),
        ([ProviderBlock("d", {})], "(ProviderBlock('d', {}),)"),
    ],
)
def test_a_result_shows_all_that_it_holds_and_one_text_as_that(content: Any, shown: str) -> None:
    assert repr(ToolResultBlock("1", content)) == f"ToolResultBlock('1', {shown})"


def test_no_blocks_cost_nothing_whatever_a_message_costs() -> None:
    costs = Costs(lambda _: 7)
    assert (costs.of_blocks(()), costs.of_blocks((TextBlock("a"),))) == (0, 7)


@pytest.mark.parametrize(("role", "is_shown"), [("robot", True), (7, True), ("r" * 200, False), (b"r", False)])
def test_a_role_that_the_words_do_not_show_whole_is_kept(role: Any, is_shown: bool) -> None:
    parsed = Parsed([], [])
    parsed.role_assumed(0, role, "role {} taken as the user's")
    assert parsed.notes[0].removed == (() if is_shown else (freeze(role)[0],))


def test_a_truncated_reply_that_another_parser_read_is_truncated_behind_what_was_there() -> None:
    parsed, more = Parsed(), Parsed()
    parsed.add(Message.user("q"), 0)
    more.add(Message.assistant("a"), 1)
    more.add(Message.assistant(ToolUseBlock("1", "f", {})), 2, interrupted=True)
    parsed.extend(more)
    assert [parsed.sources[position] for position in parsed.interrupted] == [2]
