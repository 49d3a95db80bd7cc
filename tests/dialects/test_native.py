"""Our own saved form: what stands beside it in a list is read too, and nothing in it is lost."""

from __future__ import annotations

from typing import Any

import pytest

from message_history import MessageHistory, RepairCode

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
