"""Plain content: what nearly all messages are kept as, and the blocks that it stands for."""

from __future__ import annotations

import copy
import gc
import json
import pickle
import weakref
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from message_history import (
    ImageBlock,
    Message,
    MessageHistory,
    RedactedThinkingBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from message_history.core.messages.message import (
    Role,
    is_plain,
    items_of,
    make_message,
    make_plain_message,
    plain_content,
    plain_message_of_shape,
    with_replies,
)
from message_history.core.messages.parsed import Parsed
from message_history.core.messages.plain import (
    DEEPEST,
    NO_UNICODE,
    NOT_PLAIN,
    UNSENDABLE,
    blocks_of_plain,
    pack,
    pack_decided,
    pack_other,
    plain_of,
    unpack,
)
from message_history.core.messages.replies import ReplyInfo
from message_history.core.messages.sendable import reach
from message_history.core.messages.thinking import has_thinking, invalidate_thinking
from message_history.core.values.json_values import MAX_INT, freeze_mapping
from message_history.core.values.log import SIZE, Log
from message_history.core.values.meta import Decision, Mark, Meta
from message_history.dialects import Anthropic, OpenAIChat
from message_history.dialects._shared.plain_reader import common_message
from message_history.dialects._shared.typed_blocks import call_of_text, read_blocks
from message_history.dialects.anthropic.parse import _BLOCKS as ANTHROPIC_S
from message_history.dialects.anthropic.parse import _KEEP as ANTHROPIC_KEEPS
from message_history.windows import estimate_tokens

LETTERS = st.characters() | st.sampled_from("ab \ud83d\ude00\0")
TEXTS = st.text(LETTERS, max_size=8)
SAID = st.text(LETTERS, min_size=1, max_size=8).filter(lambda text: not text.isspace())
JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
INPUTS: Any = st.dictionaries(TEXTS, JSON, max_size=3)
KEYS: Any = st.dictionaries(st.sampled_from(["caller", "cache_control"]), JSON, max_size=2)
METAS = st.none() | st.builds(lambda keys: Meta(extra=freeze_mapping({"anthropic": keys})[0]), KEYS)
TEXTS_OF_INPUTS = st.builds(json.dumps, INPUTS, ensure_ascii=st.booleans()) | st.sampled_from(
    ["", "{", "[]", '{"a": 1e999}']
)
CALLS = (
    st.builds(ToolUseBlock, SAID, SAID, INPUTS)
    | st.builds(lambda meta: ToolUseBlock("a", "f", {}, meta=meta), METAS)
    | st.builds(lambda text: call_of_text("a", "f", text, keep=True), TEXTS_OF_INPUTS)
)
THINKING = st.builds(ThinkingBlock, TEXTS, st.none() | TEXTS, st.booleans())
TIMES = st.none() | st.floats() | st.integers()
DECISIONS = st.builds(Decision, state=SAID, by=TEXTS, at=TIMES, until=TIMES, reason=TEXTS)
MARKS = st.builds(Mark, kind=st.sampled_from(["decided", "approval"]), decisions=st.tuples(DECISIONS), key=TEXTS)
DECIDED = METAS | st.builds(lambda meta, mark: evolve(meta or Meta(), mark=mark), METAS, MARKS)
CONTENTS = TEXTS | st.lists(st.builds(TextBlock, TEXTS), max_size=3)
RESULTS = st.builds(ToolResultBlock, SAID, CONTENTS, st.booleans(), meta=DECIDED)
BLOCKS = st.lists(
    st.builds(lambda text, meta: TextBlock(text, meta=meta), TEXTS, DECIDED) | CALLS | THINKING | RESULTS, max_size=4
)
TYPED = st.one_of(
    st.fixed_dictionaries({"type": st.just("text"), "text": TEXTS}, optional={"cache_control": JSON}),
    st.fixed_dictionaries(
        {"type": st.just("tool_use"), "id": SAID, "name": SAID, "input": INPUTS},
        optional={"caller": JSON, "cache_control": JSON},
    ),
    st.fixed_dictionaries(
        {"type": st.just("thinking"), "thinking": TEXTS, "signature": TEXTS}, optional={"bound": st.booleans()}
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("tool_result"),
            "tool_use_id": SAID,
            "content": TEXTS | st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": TEXTS}), max_size=3),
        },
        optional={"is_error": st.booleans(), "cache_control": JSON},
    ),
)
OTHER = pack_other({"type": "provider", "dialect": "anthropic", "data": {"type": "new"}})
ROLES: Any = st.sampled_from(["user", "assistant"])


@given(ROLES, BLOCKS)
def test_a_plain_content_stands_for_equal_blocks(role: str, blocks: list[Any]) -> None:
    plain, kept = plain_of(role, blocks)
    made = blocks_of_plain(role, plain, kept)
    assert plain == NOT_PLAIN or (repr(made), made) == (repr(tuple(blocks)), tuple(blocks))
    assert plain != NOT_PLAIN or made == ()


@given(ROLES, st.lists(TYPED, min_size=1, max_size=4))
def test_a_message_that_is_read_at_one_look_is_the_one_that_is_read_block_by_block(role: Role, content: Any) -> None:
    found = common_message({"role": role, "content": content}, (2,), ANTHROPIC_KEEPS)
    if found is not None:
        assert is_plain(found)
        parsed = Parsed()
        read = make_message(role, tuple(read_blocks(content, 0, parsed, ANTHROPIC_S)))
        assert parsed.notes == []
        assert repr(found) == repr(read)
        assert [block.meta for block in found.content] == [block.meta for block in read.content]
        assert (found, hash(found), found.ids) == (read, hash(read), read.ids)
        # The first look may know less: a text of a result that could be a stub's.
        assert found.shape in (read.shape, 0)


WORDS = st.sampled_from(["", " ", "a", "b", "[This call was lost."])
FLAWED = st.one_of(
    st.builds(TextBlock, WORDS),
    st.builds(ToolUseBlock, WORDS, WORDS, st.just({})),
    st.builds(ThinkingBlock, WORDS, WORDS, st.booleans()),
    st.builds(ToolResultBlock, WORDS, WORDS | st.lists(st.builds(TextBlock, WORDS), max_size=2)),
)


@given(ROLES, st.lists(FLAWED, max_size=4))
def test_a_message_of_a_plain_content_knows_what_one_of_its_blocks_knows(role: Role, blocks: list[Any]) -> None:
    plain, kept = plain_of(role, blocks)
    found, expected = make_plain_message(role, plain, kept), make_message(role, blocks_of_plain(role, plain, kept))
    assert (found, found.ids, found.shape) == (expected, expected.ids, expected.shape)


@given(ROLES, BLOCKS, BLOCKS)
def test_messages_are_equal_when_their_blocks_are(role: Role, left: list[Any], right: list[Any]) -> None:
    one, other = Message(role, left), Message(role, right)
    for content in (left, right):
        plain, kept = plain_of(role, content)
        again = plain_message_of_shape(role, plain, (), 0, kept) if plain else Message(role, content)
        assert again == Message(role, content)
        assert hash(again) == hash(Message(role, content))
    for message in (one, other):
        plain_content(message)
    assert (one == other) == (tuple(left) == tuple(right))
    assert one != Message("user" if role == "assistant" else "assistant", left)


@given(BLOCKS)
def test_invalidated_thinking_is_the_same_whether_the_blocks_are_made_or_not(blocks: list[Any]) -> None:
    message = make_message("assistant", tuple(blocks))
    plain, kept = plain_of("assistant", blocks)
    if plain:
        read = plain_message_of_shape("assistant", plain, message.ids, message.shape, kept)
        assert has_thinking(read) == has_thinking(message)
        changed = invalidate_thinking(read)
        assert is_plain(changed)
        assert repr(changed) == repr(invalidate_thinking(message)) == repr(invalidate_thinking(changed))


@given(INPUTS)
def test_an_input_comes_out_as_it_went_in_and_fresh(input: Any) -> None:
    packed = pack(input)
    call = ToolUseBlock("1", "f", input)
    if packed is None:
        # Something in it was not JSON, or half a character.
        assert call.meta is not None or "\\ud" in json.dumps(input)
        return
    assert call.meta is None
    assert repr(unpack(packed)) == repr(input) == repr(call.input)


def test_what_is_no_plain_json_is_not_packed() -> None:
    class Text(str):
        __slots__ = ()

    deep: Any = {}
    for _ in range(200):
        deep = {"a": deep}
    wide: Any = [1] * 10
    for _ in range(20):
        wide = [wide] * 10
    bad: list[Any] = [(1,), {1}, b"x", Text("x"), {Text("x"): 1}, {1: 2}, MAX_INT, float("nan"), deep, wide, object()]
    assert [pack({"ok": [1], "more": value}) for value in bad] == [None] * len(bad)


def test_an_input_may_be_wide_or_deep_as_long_as_it_is_not_very_much_so() -> None:
    deepest: Any = {}
    for _ in range(DEEPEST):
        deepest = {"a": deepest}
    wide = {"rows": [{"cells": [n, None]} for n in range(2 * DEEPEST)]}
    packed = [pack(value) for value in (wide, deepest, {"a": deepest})]
    assert [unpack(value) if value is not None else None for value in packed] == [wide, deepest, None]


def test_one_object_in_two_places_of_an_input_is_two_in_an_export() -> None:
    shared: Any = {"x": [1]}
    call = {"type": "tool_use", "id": "a", "name": "f", "input": {"one": shared, "two": shared}}
    history = MessageHistory.from_list([{"role": "user", "content": "q"}, {"role": "assistant", "content": [call]}])
    for dialect in (Anthropic(), OpenAIChat()):
        history.for_send(dialect)
    sent: Any = history.for_send()[1]
    input = sent["content"][0]["input"]
    input["one"]["x"].append(2)
    assert input["two"] == {"x": [1]}
    shared["x"].append(3)
    assert history[1].calls[0].input == {"one": {"x": [1]}, "two": {"x": [1]}}


def test_no_part_of_an_export_is_shared_with_another_one() -> None:
    raw = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": i, "name": "f", "input": {}} for i in "ab"]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": i, "content": ""} for i in "ab"]},
    ]
    history = MessageHistory.from_list(raw)

    def containers(value: Any) -> list[Any]:
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return [value] * isinstance(value, dict | list) + [one for item in inner for one in containers(item)]

    found = [*containers(history.to_list()), *containers(history.to_list()), *containers(history.for_send())]
    assert len({id(one) for one in found}) == len(found)


def test_a_block_is_made_once_and_kept() -> None:
    history = MessageHistory.from_list([{"role": "user", "content": "q"}])
    assert history[0].content is history[0].content
    assert history[0].content[0] is history[0].content[0]


def test_the_result_of_a_call_that_was_decided_is_plain_however_it_came() -> None:
    history = MessageHistory().add_user("Pay.").add_assistant(ToolUseBlock("1", "pay", {"sum": 5}))
    history = history.record_call("1", "approved", by="ann", at=1_790_000_000.5).record_call("1", "started", until=5)
    history = history.add_tool_result("1", "paid").add_assistant("Done.")
    assert plain_content(history[2]) == (("1", "paid"),)
    for same in (history, MessageHistory.from_list(history.to_list()), pickle.loads(pickle.dumps(history))):
        assert same == history
        assert is_plain(same[2])
        assert reach(same[2]) == 1
        assert same.to_list() == history.to_list()
        assert same[2].results[0].mark == history[2].results[0].mark
        assert [(each.state, each.by, each.at, each.until) for each in same.calls[0].decisions] == [
            ("approved", "ann", 1_790_000_000.5, None),
            ("started", "", None, 5),
        ]
        assert "ann" not in repr([same.for_send(dialect) for dialect in (Anthropic(), OpenAIChat())])


@pytest.mark.parametrize("decision", [object(), 7, {}, {"state": ""}, {"reason": 1}, {"state": "started", "at": "now"}])
def test_a_mark_that_is_not_as_it_is_written_is_not_packed(decision: object) -> None:
    written = {"state": "approved", "by": "ann"}
    assert pack_decided({"kind": "decided", "decisions": [written]}) is not None
    assert pack_decided({"kind": "decided", "decisions": [written, decision]}) is None


def test_the_result_of_a_call_whose_arguments_were_edited_is_not_plain() -> None:
    history = MessageHistory().add_user("Pay.").add_assistant(ToolUseBlock("1", "pay", {"sum": 5}))
    history = history.record_call("1", "approved", by="ann", input={"sum": 4}).add_tool_result("1", "paid")
    assert plain_content(history[2]) == NOT_PLAIN
    assert MessageHistory.from_list(history.to_list()).calls[0].input == {"sum": 4}


@pytest.mark.parametrize(
    "block",
    [
        TextBlock("x", meta=Meta(signature="s")),
        TextBlock("x", meta=Meta(mark=Mark(kind="decided", decisions=(Decision(state="approved"),)))),
        ImageBlock({"type": "url", "url": "u"}),
        RedactedThinkingBlock("x"),
        ThinkingBlock("x"),
        ToolUseBlock("1", "f", None),
        ToolResultBlock("1", "x"),
    ],
)
def test_a_message_with_more_than_texts_and_calls_is_not_plain(block: Any) -> None:
    message = Message.assistant("x", block)
    assert plain_content(message) == NOT_PLAIN
    assert reach(message) == UNSENDABLE
    assert not is_plain(message)


@pytest.mark.parametrize(
    ("role", "content"),
    [
        ("user", [" "]),
        ("user", ["a\0"]),
        ("user", ["x", ToolResultBlock("a", "y")]),
        ("user", [ToolResultBlock("a", " ")]),
        ("user", [ToolResultBlock("no-identifier", "x")]),
        ("assistant", [" "]),
        ("assistant", ["a\0"]),
        ("assistant", ["x", ToolUseBlock("a", "1f", {})]),
        ("assistant", [ToolUseBlock("a", "", {})]),
        ("assistant", [ToolUseBlock("", "f", {})]),
        ("assistant", [ToolUseBlock("a", "f", {}), "x"]),
        ("assistant", [ToolUseBlock("a", "f", {"x": ["\ud800"]})]),
        ("assistant", [ToolUseBlock("a", "f", {"\ud800": 1})]),
        ("assistant", ["x", ToolUseBlock("a", "f", {}), ThinkingBlock("y", "c2ln")]),
        ("assistant", [ToolUseBlock("a", "é", {})]),
        ("assistant", ["x", ThinkingBlock("y", "c2ln")]),
        ("assistant", [ThinkingBlock("y", "c2ln", bound=False), "x"]),
        ("assistant", [ThinkingBlock("y", "no base64"), "x"]),
        ("assistant", [ThinkingBlock("y", ""), "x"]),
        ("assistant", [ThinkingBlock(" ", "c2ln"), "x"]),
        ("assistant", [ThinkingBlock("y\0", "c2ln"), "x"]),
        ("assistant", []),
    ],
)
def test_what_needs_a_second_look_has_no_reach(role: Role, content: Any) -> None:
    assert reach(Message(role, content)) == UNSENDABLE


@pytest.mark.parametrize(
    "content", [["\ud800"], [" ", ToolResultBlock("a", "\ud800")], [ToolResultBlock("\ud800", "x")]]
)
def test_a_text_that_is_no_unicode_is_known_as_such(content: Any) -> None:
    assert reach(Message.user(*content)) == NO_UNICODE
    assert len({NO_UNICODE, UNSENDABLE}) == 2


def test_thinking_that_is_no_unicode_is_known_as_such() -> None:
    for thinking in (
        ThinkingBlock("\ud800", "c2ln"),
        ThinkingBlock("y", "\ud800"),
        ThinkingBlock("\ud800", "c2ln", bound=False),
    ):
        assert reach(Message.assistant(thinking, "x")) == NO_UNICODE


def test_an_id_may_begin_with_a_digit_and_the_longest_word_is_the_reach() -> None:
    calls = [ToolUseBlock("1a", "find", {}), ToolUseBlock("2", "f", {})]
    assert reach(Message.assistant("é", *calls)) == len("find")
    assert reach(Message.user(ToolResultBlock("1_23", "x"), "é")) == len("1_23")


def test_halves_of_a_character_are_one_in_every_form() -> None:
    history = MessageHistory.from_list([{"role": "user", "content": "\ud83d\ude00"}])
    assert history[0].text == "\U0001f600"
    assert history == MessageHistory().add_user("\U0001f600")
    assert "\U0001f600" in repr(history.to_list())
    assert "\U0001f600" in repr(history.for_send())
    assert "\U0001f600" in repr(history.for_send(OpenAIChat()))


def test_the_reach_is_the_longest_id_or_name() -> None:
    calls = [ToolUseBlock("abc", "f", {"x": "\ud7ff"}), ToolUseBlock("b", "search", {"deep": [[1.5, None, {}]]})]
    assert reach(Message.assistant(ThinkingBlock("", "c2ln"), "é", *calls)) == 6
    assert reach(Message.user(ToolResultBlock("abcdefgh", ["x", "y"]), ToolResultBlock("a"), "z")) == 8
    assert reach(Message.user("z")) == 0


def test_a_message_can_be_pickled_copied_and_referred_to_weakly_before_and_after_its_blocks_are_made() -> None:
    raw = [{"role": "user", "content": "q"}, {"role": "assistant", "content": [{"type": "text", "text": "a"}]}]
    message = MessageHistory.from_list(raw)[1]
    for _ in range(2):
        assert pickle.loads(pickle.dumps(message)) == copy.deepcopy(message) == message == Message.assistant("a")
        assert weakref.ref(message)() is message
        assert message.text == "a"


def test_a_loaded_history_has_no_blocks_until_somebody_asks() -> None:
    raw = [
        {"role": "user", "content": f"no block {n}"} if n % 2 == 0 else {"role": "assistant", "content": "a"}
        for n in range(9)
    ]
    history = MessageHistory.from_list(raw)
    for send in (history.for_send, history.to_list, history.for_send_json, lambda: history.export(OpenAIChat())):
        send()
    gc.collect()
    assert not [one for one in gc.get_objects() if type(one) is TextBlock and one.text.startswith("no block")]
    assert history[0].text == "no block 0"


def test_versions_of_a_log_that_are_extended_by_several_items_at_once_do_not_see_each_other_s() -> None:
    start: Log[int] = Log(range(SIZE - 3))
    shared = start.extend([-1, -2])
    assert list(start.extend([-1, -3])) == [*start, -1, -3]
    assert list(start.extend(range(3 * SIZE))) == [*start, *range(3 * SIZE)]
    assert list(shared.extend([])) == list(shared) == [*start, -1, -2]
    assert list(shared.extend(range(SIZE)).extend(range(2))) == [*shared, *range(SIZE), *range(2)]
    assert list(Log(range(SIZE)).extend([1])) == [*range(SIZE), 1]
    assert list(start) == list(range(SIZE - 3))


@given(ROLES, BLOCKS)
def test_the_tokens_of_a_plain_content_are_those_of_its_blocks(role: Role, blocks: list[Any]) -> None:
    made = make_message(role, tuple(blocks))
    expected = estimate_tokens(made)
    plain_content(made)
    assert estimate_tokens(made) == expected


@pytest.mark.parametrize(
    ("role", "items", "plain"),
    [
        ("user", (("1", ("a", "b")),), True),
        ("user", (("1", ("a", OTHER)),), False),
        ("assistant", (("t", "c2ln"), "a"), True),
        ("assistant", (OTHER, "a"), False),
    ],
)
def test_only_what_holds_a_packed_block_of_a_provider_is_not_plain(role: Role, items: Any, *, plain: bool) -> None:
    message = make_plain_message(role, items)
    for each in (message, with_replies(message, (ReplyInfo(id="msg_1"),))):
        assert is_plain(each) is plain
        assert items_of(each) == items


@pytest.mark.parametrize("decisions", [(), (Decision(state="approved", until=float("inf")),)])
def test_a_result_with_decisions_that_the_short_form_cannot_hold_is_not_plain(decisions: tuple[Decision, ...]) -> None:
    result = ToolResultBlock("1", "r", meta=Meta(mark=Mark(kind="decided", decisions=decisions)))
    assert plain_of("user", [result]) == (NOT_PLAIN, ())


@pytest.mark.parametrize(("text", "plain"), [('{"a": 1}', True), ('{"a": 2}', False)])
def test_a_call_is_plain_where_its_text_is_that_of_its_input(text: str, *, plain: bool) -> None:
    call = ToolUseBlock("1", "f", {"a": 1}, meta=Meta(arguments=text))
    assert plain_of("assistant", [call]) == (((("1", "f", text),) if plain else NOT_PLAIN), ())
