"""The twelve laws, each as a property; the numbers and names are those of docs/design.md."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from collections import Counter
from threading import Barrier, Thread
from typing import Any, Literal

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history import (
    Message,
    MessageHistory,
    ProviderBlock,
    RedactedThinkingBlock,
    RepairCode,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    check,
)
from message_history.core.messages.block_base import Block
from message_history.core.messages.blocks import is_blank, with_meta
from message_history.core.turns.pairing import pair_results
from message_history.dialects import Anthropic, Dialect, Native, OpenAIChat
from message_history.integrations.strategies import broken_lists, histories, json_values, messages, texts

Thinking = ThinkingBlock | RedactedThinkingBlock
DIALECTS: list[Dialect[Any]] = [Anthropic(), OpenAIChat()]
dialects = st.sampled_from(DIALECTS)
lists = st.one_of(broken_lists(Anthropic()), broken_lists(OpenAIChat()), broken_lists(Native()))


def blocks_in(history: MessageHistory) -> list[Block]:
    return [block for message in history for block in message.content]


def test_law_1_leading_user() -> None:
    @given(histories())
    def law(history: MessageHistory) -> None:
        assert not history or history[0].role == "user"

    law()


@given(histories())
def test_law_2_alternation(history: MessageHistory) -> None:
    roles = [message.role for message in history]
    assert roles == (["user", "assistant"] * len(roles))[: len(roles)]


@given(histories())
def test_law_3_pairing(history: MessageHistory) -> None:
    calls: list[str] = []
    for message in history:
        results = [block.tool_use_id for block in message.content if isinstance(block, ToolResultBlock)]
        leading = [block for block in message.content[: len(results)] if isinstance(block, ToolResultBlock)]
        assert results == calls
        assert len(leading) == len(results)
        calls = [block.id for block in message.content if isinstance(block, ToolUseBlock)]
        assert not calls or message.role == "assistant"
        assert len(set(calls)) == len(calls)


@given(histories())
def test_law_4_substance(history: MessageHistory) -> None:
    for message in history:
        assert message.content
        for block in message.content:
            if isinstance(block, TextBlock | SystemBlock):
                assert not is_blank(block.text) or block.meta is not None
            if isinstance(block, ToolUseBlock):
                assert block.id
                assert block.name.strip()
    assert not check(history.to_list()[bool(history.system) :], Native())


def unmarked(block: Block) -> Block:
    """Give a block without what a history may change on it: marks, notes of conversion, and bound."""
    block = with_meta(block, mark=None, converted=())
    if isinstance(block, ToolResultBlock) and any(part.meta is not None for part in block.content):
        block = attrs.evolve(block, content=tuple(map(unmarked, block.content)))
    return attrs.evolve(block, bound=True) if isinstance(block, Thinking) else block


@given(histories(), st.lists(messages(), max_size=5))
def test_law_5_conservation_at_every_add(history: MessageHistory, arriving: list[Message]) -> None:
    came_in = Counter(map(unmarked, blocks_in(history)))
    for message in arriving:
        before = history
        history = history.add(message)
        came_in.update(map(unmarked, message.content))
        there = Counter(map(unmarked, blocks_in(history)))
        new = history.repairs[len(before.repairs) :] if len(history.repairs) > len(before.repairs) else ()
        removed = [block for repair in history.repairs for block in repair.removed if isinstance(block, Block)]
        gone = came_in - there - Counter(map(unmarked, removed))
        stubs = [block for block in gone if isinstance(block, ToolResultBlock) and block.text.startswith("[No result")]
        lifted = [block for block in gone if isinstance(block, SystemBlock) and block.text in (history.system or "")]
        assert not [block for block in gone if block not in (*stubs, *lifted)], (message, new)


@given(lists)
def test_law_5_conservation_of_a_list(raw: list[Any]) -> None:
    history = MessageHistory.from_list(raw)
    held = json.dumps(history.to_list()) + repr([repair.removed for repair in history.repairs])
    for entry in raw:
        content = entry.get("content") if isinstance(entry, dict) else None
        for block in content if isinstance(content, list) else []:
            if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
                assert json.dumps(block["text"])[1:-1] in held or repr(block["text"])[1:-1] in held


@given(histories(), dialects, st.lists(messages(), max_size=4))
def test_law_6_stable_prefix(history: MessageHistory, dialect: Dialect[Any], after: list[Message]) -> None:
    sent = history.for_send(dialect)
    if not history or sent[-1]["role"] == "assistant" or json.dumps(sent).count("cache_control") > 4:
        return  # a paused turn, and more cache marks than allowed, are declared exceptions
    later = history.as_sent(dialect).add(Message.assistant("reply"))
    for message in after:
        later = later.add(message)
        wire = later.for_send(dialect)
        if json.dumps(wire).count("cache_control") < 4:
            assert wire[: len(sent)] == sent


@given(histories(), dialects)
def test_law_6_for_send_is_the_closed_history_s(history: MessageHistory, dialect: Dialect[Any]) -> None:
    closed = history.as_sent(dialect)
    assert history.for_send(dialect) == closed.for_send(dialect)
    assert closed.as_sent(dialect) is closed
    assert closed.awaiting == history.awaiting


@given(histories())
def test_law_7_idempotence_of_the_saved_form(history: MessageHistory) -> None:
    saved = json.loads(json.dumps(history.to_list()))
    loaded = MessageHistory.from_list(saved)
    assert loaded == history
    assert hash(loaded) == hash(history)
    assert not loaded.repairs
    assert loaded.to_list() == saved
    assert loaded.awaiting == history.awaiting
    assert loaded.system == history.system


@given(histories(), st.lists(messages(), max_size=4), texts())
def test_law_7_equal_histories_behave_equally(history: MessageHistory, after: list[Message], text: str) -> None:
    other = MessageHistory.from_list(history.to_list(), open_tail="keep", policy=history.policy)
    for message in after:
        for call, same in zip(history.awaiting, other.awaiting, strict=True):
            history, other = history.add_tool_result(call, text), other.add_tool_result(same, text)
            assert history == other
        history, other = history.add(message), other.add(message)
        assert history == other
        assert history.as_sent(reason="cancelled") == other.as_sent(reason="cancelled")
        assert history.without_unanswered() == other.without_unanswered()


@given(histories(), dialects)
def test_law_7_an_export_comes_back_as_it_is(history: MessageHistory, dialect: Dialect[Any]) -> None:
    sent = history.for_send(dialect)
    loaded = MessageHistory.from_list(sent, dialect=dialect)
    assert not loaded.repairs
    assert loaded.for_send(dialect) == sent


@given(lists, dialects)
def test_law_8_identity_of_what_is_valid(raw: list[Any], dialect: Dialect[Any]) -> None:
    valid = MessageHistory.from_list(raw).for_send(dialect)
    if valid:
        assert MessageHistory.from_list(valid).for_send(dialect) == valid
        assert not MessageHistory.from_list(valid, dialect=dialect).repairs


def test_law_8_text_content_counts_as_one_block_and_arguments_stay_byte_for_byte() -> None:
    arguments = '{ "city":"Paris" ,"n": 1.0}'
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}
    raw = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
        {"role": "assistant", "content": "done"},
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
    ]
    history = MessageHistory.from_list(raw)
    assert not history.repairs
    assert history.for_send(OpenAIChat()) == raw


def test_law_9_determinism() -> None:
    script = (
        "import json, logging; logging.disable(50)\n"
        "from message_history import *; from message_history.dialects import *\n"
        "raw = [{'role': 'user', 'content': [{'type': 'tool_result', 'tool_use_id': 'x', 'content': {'b', 'a', 1}}]},"
        "{'role': 'assistant', 'content': [{'type': 'tool_use', 'id': i, 'name': 'f', 'input': {'s': {3, 1, 2, 'z'}}}"
        " for i in ('x', 'x', 'y:z', '')]}, {'role': 'user', 'content': ['t', object(), {1, 2}]}]\n"
        "h = MessageHistory.from_list(raw)\n"
        "print(json.dumps(h.to_list()), json.dumps(h.for_send()), h.for_send(OpenAIChat()), h.repairs)"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(seen) == 1


@given(lists)
def test_law_10_inputs_are_never_changed(raw: list[Any]) -> None:
    before = copy.deepcopy(raw)
    history = MessageHistory.from_list(raw)
    for message in history.for_send(Anthropic()):
        message["content"].clear()
    for entry in history.to_list():
        entry.clear()
    assert raw == before
    assert history == MessageHistory.from_list(before)


@given(histories(), messages(), messages())
def test_law_10_older_versions_stay_as_they_were(history: MessageHistory, one: Message, other: Message) -> None:
    saved, recorded = history.to_list(), history.repairs
    first = history.add(one)
    first_saved = first.to_list()
    second = history.add(other)
    assert history.add(one) == first
    assert second == history.add(other)
    assert (history.to_list(), history.repairs, first.to_list()) == (saved, recorded, first_saved)


def test_law_10_two_threads_may_add_to_the_same_version() -> None:
    base = MessageHistory().add_user("start")
    for n in range(600):
        base = base.add_assistant(f"a{n}").add_user(f"u{n}")
    grown: list[MessageHistory] = [base] * 8
    barrier = Barrier(len(grown))

    def grow(number: int) -> None:
        barrier.wait()
        history = base
        for n in range(700):
            history = history.add_assistant(f"{number} a{n}").add_user(f"{number} u{n}")
        grown[number] = history

    threads = [Thread(target=grow, args=(number,)) for number in range(len(grown))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, history in enumerate(grown):
        expected = [f"{number} {kind}{n}" for n in range(700) for kind in "au"]
        assert [message.text for message in history[len(base) :]] == expected
        assert history[: len(base)] == tuple(base)


anything = st.one_of(
    json_values(),
    st.binary(max_size=4),
    st.dates(),
    st.sets(st.integers(0, 3)),
    st.complex_numbers(),
    st.just(float("nan")),
    st.dictionaries(st.one_of(st.integers(), st.none(), st.booleans()), st.just(1), max_size=2),
)
odd_blocks = st.dictionaries(
    st.sampled_from(("type", "text", "id", "name", "input", "tool_use_id", "content", "source", "signature")),
    st.one_of(st.sampled_from(("text", "tool_use", "tool_result", "thinking", "image")), anything),
    max_size=5,
)
odd_entries = st.dictionaries(
    st.sampled_from(
        ("role", "content", "tool_calls", "tool_call_id", "name", "native", "stop_reason", "function_call")
    ),
    st.one_of(
        st.sampled_from(("user", "assistant", "tool", "system", "narrator")),
        anything,
        st.lists(st.one_of(odd_blocks, anything), max_size=3),
    ),
    max_size=4,
)


@given(st.lists(st.one_of(odd_entries, anything), max_size=5), st.sampled_from((None, *DIALECTS, Native())))
def test_law_11_totality(raw: list[Any], dialect: Dialect[Any] | None) -> None:
    history = MessageHistory.from_list(raw, dialect=dialect)
    for target in DIALECTS:
        assert not check(wire, target) if (wire := history.for_send(target)) else True
    assert MessageHistory.from_list(json.loads(json.dumps(history.to_list())), open_tail="keep") == history


@pytest.mark.parametrize("raw", ["text", b"bytes", {"role": "user"}, None, 7, 1.5, object()])
def test_law_11_what_is_no_list_is_a_type_error(raw: Any) -> None:
    with pytest.raises(TypeError, match="raw must be a list of messages"):
        MessageHistory.from_list(raw)


@given(st.lists(messages(), max_size=6))
def test_law_12_fold(arriving: list[Message]) -> None:
    history = MessageHistory()
    arranged = pair_results(arriving, range(len(arriving)), (), history.policy)
    for message, _, _, _ in arranged:
        history = history.add(message)
    loaded = MessageHistory.from_list(arriving)
    assert [invalidate_thinking(message) for message in loaded] == [
        invalidate_thinking(message) for message in history.as_sent()
    ]


def invalidate_thinking(message: Message) -> Message:
    blocks = [attrs.evolve(b, bound=False) if isinstance(b, Thinking) else b for b in message.content]
    return Message(message.role, blocks)


@given(histories(), st.lists(messages(), max_size=4))
def test_law_11_no_stub_settles_untold_behind_a_pickle(history: MessageHistory, after: list[Message]) -> None:
    grown = history
    for message in (*after, Message.assistant("and so it goes on"), Message.user("fine")):
        history, grown = history.add(message), pickle.loads(pickle.dumps(grown.add(message)))
    assert grown == history
    assert untold_stubs(grown) <= untold_stubs(history)


def untold_stubs(history: MessageHistory) -> int:
    """Count the stubs of which no repair tells: a list may hold some that were told when it was made."""
    stubs = sum(result.is_stub for message in history for result in message.results)
    return stubs - sum(repair.code is RepairCode.RESULT_STUBBED for repair in history.repairs)


REASONS: list[Literal["not_recorded", "interrupted", "cancelled"]] = ["not_recorded", "interrupted", "cancelled"]


@given(histories(), st.lists(st.sampled_from(REASONS), min_size=1, max_size=3))
def test_a_pickle_is_equal_also_when_it_is_closed_for_another_reason(
    history: MessageHistory, reasons: list[Any]
) -> None:
    for reason in reasons:
        history = pickle.loads(pickle.dumps(history)).as_sent(reason=reason)
        assert pickle.loads(pickle.dumps(history)) == history
        history = history.add_user("more")
        assert pickle.loads(pickle.dumps(history)) == history


@given(histories())
def test_a_pickle_is_equal_and_keeps_the_repairs(history: MessageHistory) -> None:
    other = pickle.loads(pickle.dumps(history))
    assert other == history
    assert other.repairs == history.repairs
    assert other.policy == history.policy
    assert copy.deepcopy(history) is copy.copy(history) is history


@given(histories())
def test_a_provider_block_goes_back_where_it_came_from_only(history: MessageHistory) -> None:
    foreign = [b for b in blocks_in(history) if isinstance(b, ProviderBlock) and b.dialect == "gemini"]
    wire = json.dumps(history.for_send(Anthropic()))
    assert not any(json.dumps(dict(block.data)) in wire for block in foreign if block.type == "future")
