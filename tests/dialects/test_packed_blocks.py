"""Blocks of a provider that are kept packed: what is read and written of them is what the long way reads and writes."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from message_history import MessageHistory, TextBlock
from message_history.core.messages.message import items_of, make_message
from message_history.core.messages.sendable import reach
from message_history.core.messages.thinking import any_thinking, count_of_thinking, has_thinking, invalidate_thinking
from message_history.dialects import Anthropic, OpenAIChat
from message_history.dialects.anthropic import parse
from message_history.dialects.anthropic.plain_writer import write_common

THOUGHT: Any = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
WHITE: Any = {"type": "text", "text": "\n\n"}
SAID = st.sampled_from(
    [WHITE, WHITE, THOUGHT, {"type": "text", "text": "a"}, {"type": "text", "text": ""}, {**WHITE, "citations": []}]
)
FOUND: list[Any] = [
    {"type": "tool_reference", "tool_name": "search"},
    {"type": "tool_reference", "tool_name": "search", "note": 1},
    {"type": "tool_reference"},
    {"type": "tool_reference", "tool_name": "x" * 300},
    {"type": "tool_reference", "tool_name": 1},
    {"type": "tool_reference", "tool_name": "lone \ud83d"},
    {"type": "search_result", "source": "s", "title": "t", "content": [{"type": "text", "text": "found"}]},
    {"type": "text", "text": "r"},
    {"type": "text", "text": ""},
    WHITE,
]
PARTS = st.sampled_from(FOUND)
KEYS: Any = st.sampled_from([{}, {"caller": {"type": "direct"}}])


@st.composite
def turns(draw: st.DrawFn) -> list[Any]:
    """Draw a turn with a call or none, and user messages that are joined."""
    said = draw(st.lists(SAID, max_size=4))
    asked = [{"role": "user", "content": text} for text in draw(st.lists(st.sampled_from("uv "), max_size=3))]
    if draw(st.booleans()):
        return [{"role": "assistant", "content": said}, *asked]
    call = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}, **draw(KEYS)}
    after = draw(st.lists(SAID, max_size=1))
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": draw(st.lists(PARTS, max_size=3))}
    results = [{"role": "user", "content": [result]}] if draw(st.integers(0, 4)) else []
    return [{"role": "assistant", "content": [*said, call, *after]}, *results, *asked]


LISTS = st.lists(turns(), max_size=4).map(
    lambda drawn: [{"role": "user", "content": "q"}, *(entry for turn in drawn for entry in turn)]
)


def known(history: MessageHistory) -> object:
    exports = [history.export(dialect) for dialect in (Anthropic(), Anthropic(prefill=True), OpenAIChat())]
    sent = [(exported.messages, repr(exported.repairs)) for exported in exports]
    return json.dumps([history.to_list(), sent, history.for_send()]), repr(history.repairs), repr(list(history))


@given(LISTS)
def test_packed_blocks_are_read_and_written_as_the_long_way_does(raw: list[Any]) -> None:
    short = MessageHistory.from_list(raw, dialect=Anthropic())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parse, "read_each", lambda raw, *_: [None] * len(raw))
        patch.setattr("message_history.core.turns.whole._may_join", lambda _: False)
        long = MessageHistory.from_list(raw, dialect=Anthropic())
    saved, pickled = MessageHistory.from_list(short.to_list()), pickle.loads(pickle.dumps(short))
    assert short == long == saved == pickled
    again = MessageHistory.from_list(raw, dialect=Anthropic())
    assert known(again) == known(long)
    assert (saved.to_list(), pickled.to_list()) == (long.to_list(), long.to_list())
    assert (saved.for_send(), pickled.for_send()) == (long.for_send(), long.for_send())


OF_OTHERS: list[Any] = [
    {"type": "provider", "dialect": dialect, "data": {"type": kind, "tool_name": "search"}}
    for dialect, kind in (("anthropic", "made_up"), ("gemini", "tool_reference"), ("gemini", "made_up"))
]


@pytest.mark.parametrize("part", [*FOUND, *OF_OTHERS], ids=str)
def test_each_part_of_a_result_is_written_as_the_long_way_does(part: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [part]}
    raw: list[Any] = [{"role": "user", "content": "q"}, {"role": "assistant", "content": [call]}]
    raw = [*raw, {"role": "user", "content": [result]}]
    saved = [{**entry, "native": 1} for entry in raw]
    history = MessageHistory.from_list(raw, dialect=Anthropic()) if part in FOUND else MessageHistory.from_list(saved)
    short = history.export(Anthropic())
    monkeypatch.setattr("message_history.dialects.anthropic.plain_writer._are_own", lambda *_: False)
    long = MessageHistory.from_list(history.to_list()).export(Anthropic())
    assert (short.messages, repr(short.repairs)) == (long.messages, repr(long.repairs))


@given(LISTS)
@example([{"role": "user", "content": "q"}, {"role": "assistant", "content": [THOUGHT]}])
def test_thinking_next_to_packed_blocks_is_found_and_invalidated(raw: list[Any]) -> None:
    messages = list(MessageHistory.from_list(raw, dialect=Anthropic()))
    for message in [*messages, *map(invalidate_thinking, messages)]:
        blocks = make_message(message.role, message.content)
        assert has_thinking(message) is has_thinking(blocks) is any_thinking([message]) is any_thinking([blocks])
        assert count_of_thinking(message) == count_of_thinking(blocks)
        assert invalidate_thinking(message) == invalidate_thinking(blocks)


def test_recorded_blocks_go_the_short_way() -> None:
    found = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "tool_reference", "tool_name": "f"}]}
    call = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}, "caller": {"type": "direct"}}
    raw: list[Any] = [
        {"role": "user", "content": "one"},
        {"role": "user", "content": "two"},
        {"role": "assistant", "content": [WHITE, THOUGHT, {"type": "text", "text": "a"}, call]},
        {"role": "user", "content": [found]},
    ]
    for history in (MessageHistory.from_list(raw), pickle.loads(pickle.dumps(MessageHistory.from_list(raw)))):
        assert all(items_of(message) and reach(message) >= 0 for message in history)
        assert history.for_send()[1:] == raw[2:]
        assert write_common(list(history), []) is None
        assert history[0].content == (TextBlock("one"), TextBlock("two"))


def test_keys_of_streams_and_agents_next_to_calls_and_results_are_packed_and_come_back() -> None:
    function = {"name": "f", "arguments": "{}"}
    calls = [{"id": f"c{n}", "type": "function", "index": n, "function": function} for n in range(2)]
    raw: list[Any] = [{"role": "user", "content": "q"}]
    contents: tuple[Any, ...] = (None, "", [])
    for content in contents:
        raw.append({"role": "assistant", "content": content, "tool_calls": calls})
        raw += [{"role": "tool", "tool_call_id": f"c{n}", "tool_call_ids": [f"c{n}"], "content": "r"} for n in range(2)]
    history = MessageHistory.from_list(raw)
    assert all(map(items_of, history))
    sent = history.for_send(OpenAIChat())
    assert [entry.get("tool_calls") for entry in sent] == [entry.get("tool_calls") for entry in raw]
    assert [block.extra("openai_chat") for message in history for block in message.results] == [
        {"tool_call_ids": [f"c{n}"]} for _ in range(3) for n in range(2)
    ]
