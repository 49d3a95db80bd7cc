"""Our own saved form: what stands beside it in a list is read too, and nothing in it is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history import MessageHistory, RepairCode
from message_history.core.messages.message import is_plain
from message_history.dialects._shared import metadata
from message_history.dialects.native import parse as reader

SAVED = MessageHistory().add_user("hi").add_assistant("hello").to_list()
PLAIN: list[tuple[list[Any], list[tuple[str, str]]]] = [
    ([*SAVED, {"role": "user", "content": "more"}], [("user", "hi"), ("assistant", "hello"), ("user", "more")]),
    (
        [{"role": "user", "content": [{"type": "text", "text": "first"}]}, *SAVED[1:]],
        [("user", "first"), ("assistant", "hello")],
    ),
    (
        [*SAVED, {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, SAVED[0]],
        [("user", "hi"), ("assistant", "hello"), ("user", "a"), ("assistant", "b"), ("user", "hi")],
    ),
]


@pytest.mark.parametrize(("entries", "messages"), PLAIN)
def test_plain_messages_beside_it_are_kept(entries: list[Any], messages: list[tuple[str, str]]) -> None:
    history = MessageHistory.from_list(entries)
    assert [(message.role, message.text) for message in history] == messages
    assert history.repairs == ()


def test_a_plain_system_prompt_before_it_is_kept() -> None:
    history = MessageHistory.from_list([{"role": "system", "content": "Be brief."}, *SAVED])
    assert history.system == "Be brief."
    assert len(history) == 2


@pytest.mark.parametrize("key", ["mark", "extra", "carried", "issuer", "signature", "arguments", "new"])
@pytest.mark.parametrize("value", [5, "word", ["x"], {"kind": []}, {"kind": "later"}, True], ids=repr)
def test_keys_of_a_later_version_are_kept(key: str, value: object) -> None:
    entries = [{"role": "user", "content": [{"type": "text", "text": "a", key: value}], "native": 1}]
    history = MessageHistory.from_list(entries)
    assert repr(value) in repr(history.to_list())
    assert MessageHistory.from_list(history.to_list()) == history


def with_mark(**fields: Any) -> list[Any]:
    mark = {"kind": "stub", "reason": "not_recorded", **fields}
    result = {"type": "tool_result", "tool_use_id": "a", "content": [], "mark": mark}
    call = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    return [
        *SAVED[:1],
        {"role": "assistant", "content": [call], "native": 1},
        {"role": "user", "content": [result], "native": 1},
    ]


def test_a_list_of_the_saved_form_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Any] = []
    monkeypatch.setattr(metadata, "read_common", lambda entries, *_: read.append(entries))
    assert MessageHistory.from_list(SAVED).to_list() == SAVED
    assert read == []
    MessageHistory.from_list([{"role": "user", "content": "q", "id": "m1"}])
    assert len(read) == 1


WORDS: Any = st.sampled_from(["a", "approved", "", "\ud83d", None, 5])
TIMES: Any = st.sampled_from([0, 1.5, -3, True, None, "1", 10**400, float("inf")])
FIELDS: Any = {"by": WORDS, "at": TIMES, "until": TIMES, "reason": WORDS, "input": st.just({"a": 1}), "new": WORDS}
DECISIONS = st.lists(
    st.permutations(["state", *FIELDS]).flatmap(
        lambda order: st.fixed_dictionaries({}, optional={key: {"state": WORDS, **FIELDS}[key] for key in order})
    )
    | st.fixed_dictionaries({"state": st.just("approved")}, optional={"by": st.just("a"), "at": st.just(1.5)}),
    max_size=2,
)
MARKS: Any = st.fixed_dictionaries(
    {"kind": st.sampled_from(["decided", "decided", "decided", "approval", 5])},
    optional={"decisions": DECISIONS | st.none(), "key": WORDS, "reason": WORDS, "blocks": st.just(0)},
)
EXTRAS: Any = st.sampled_from([{}, {"openai_chat": {"name": "f"}}, {"anthropic": {}}, None, []])


@given(
    st.fixed_dictionaries({}, optional={"extra": EXTRAS, "mark": MARKS, "is_error": st.booleans(), "new": WORDS}),
    st.permutations([0, 1, 2, 3, 4, 5, 6]),
)
def test_a_result_with_decisions_is_read_at_one_look_as_it_is_key_by_key(
    more: dict[str, Any], order: list[int]
) -> None:
    block = {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "x"}], **more}
    block = dict([pair for _, pair in sorted(zip(order, block.items(), strict=False))])
    call = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    user = {"role": "user", "content": [block], "native": 1}
    entries = [SAVED[0], {"role": "assistant", "content": [call], "native": 1}, user]
    short = MessageHistory.from_list(entries)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "_read_usual", lambda raw: [None] * len(raw))
        long = MessageHistory.from_list(entries)
    assert not is_plain(long[2])
    assert short == long
    assert repr(short.repairs) == repr(long.repairs)
    assert [block.meta for block in short[2].content] == [block.meta for block in long[2].content]
    assert [block.mark and block.mark.key for block in short[2].content] == [
        block.mark and block.mark.key for block in long[2].content
    ]
    if is_plain(short[2]):
        assert json.dumps(short.to_list()) == json.dumps(long.to_list())
        assert set(more) <= {"extra", "mark"} or more.get("is_error") is False


def with_entry(**fields: Any) -> list[Any]:
    return [SAVED[0], {**SAVED[1], **fields}]


def with_reply(**fields: Any) -> list[Any]:
    return with_entry(replies=[{"id": "msg_1", "provider": "anthropic", "extra": {"native": 4}, **fields}])


@pytest.mark.parametrize(
    "entries",
    [
        *[with_mark(**{key: ["kept"]}) for key in ("reason", "tool_use_id", "is_error", "blocks", "open", "new")],
        with_reply(new=["kept"]),
        with_reply(usage={"input_tokens": 4, "new": "kept"}),
        with_reply(new="kept", extra={"native": {"newer": 4}}),
        [{**SAVED[0], "replies": [{"id": "kept"}]}],
    ],
)
def test_what_a_later_version_says_of_a_mark_or_of_a_reply_is_kept(entries: list[Any]) -> None:
    history = MessageHistory.from_list(entries)
    assert "kept" in repr(history.to_list())
    assert history.repairs == ()
    again = MessageHistory.from_list(history.to_list())
    assert again == history
    assert again.to_list() == history.to_list()


@pytest.mark.parametrize(
    "entries",
    [
        *[with_reply(**{key: ["gone"]}) for key in ("id", "model", "stop_reason", "usage", "raw_usage", "extra")],
        with_reply(usage={"input_tokens": ["gone"], "output_tokens": 4}),
        with_entry(replies="gone"),
        with_entry(replies=[["gone"]]),
        with_entry(replies=[{"model": "m"}, "gone"]),
    ],
)
def test_what_no_reply_can_say_is_in_the_repair(entries: list[Any]) -> None:
    history = MessageHistory.from_list(entries)
    assert "gone" not in repr(history.to_list())
    (repair,) = history.repairs
    assert repair.code is RepairCode.ENTRY_DROPPED
    assert "gone" in repr(repair.removed)


def test_replies_of_a_message_without_content_are_in_the_repair() -> None:
    history = MessageHistory.from_list([*with_entry(content=[], replies=[{"id": "kept"}]), SAVED[0]])
    assert "kept" in repr(history.repairs)


def test_a_key_beside_it_leaves_what_its_first_block_carries() -> None:
    history = MessageHistory().add({"role": "user", "content": [{"type": "text", "text": "a"}], "seat": 4})
    for key in ("created_at", "id"):
        (entry,) = history.to_list()
        history = MessageHistory.from_list([{**entry, key: "later"}])
    block = history[0].content[0]
    assert block.carried("anthropic") == {"seat": 4}
    assert block.carried("native") == {"created_at": "later", "id": "later"}


def test_what_json_cannot_carry_in_it_is_told() -> None:
    block = {"type": "text", "text": "a", "extra": {"anthropic": {"x": float("nan")}}, "new": float("inf")}
    history = MessageHistory.from_list([{"role": "user", "content": [block], "native": 1}])
    (repair,) = history.repairs
    assert repair.code is RepairCode.VALUE_CONVERTED
    assert "NaN" in repair.detail
    assert "Infinity" in repair.detail


@pytest.mark.parametrize(
    "block", [{"type": "provider", "dialect": "anthropic", "data": {"type": "zap"}}, {"type": "system", "text": "s"}]
)
@pytest.mark.parametrize("key", ["later", 5, None])
def test_a_key_of_a_later_version_in_a_block_that_only_it_has_is_kept(block: dict[str, Any], key: Any) -> None:
    content = [{"type": "text", "text": "q"}, {**block, key: "kept"}]
    history = MessageHistory.from_list([{"role": "user", "content": content, "native": 1}])
    assert "kept" in str(history.to_list())
    assert history[0].content[1].issuer is None
    assert MessageHistory.from_list(history.to_list()) == history


def test_what_is_next_to_the_keys_of_an_empty_history_is_recorded() -> None:
    (header,) = MessageHistory(name="a").to_list()
    assert MessageHistory.from_list([header]).repairs == ()
    for damaged in ({**header, "parts": [1]}, {**header, "native": []}):
        (repair,) = MessageHistory.from_list([damaged]).repairs
        assert (repair.code, repair.source) == (RepairCode.EMPTY_MESSAGE_DROPPED, 0)
