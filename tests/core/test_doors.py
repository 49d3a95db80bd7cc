"""What is given is looked at where it comes in: a value of the wrong kind never gets further."""

from __future__ import annotations

import re
from datetime import date
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest

from message_history import (
    DocumentBlock,
    Message,
    MessageHistory,
    RedactedThinkingBlock,
    RepairCode,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from message_history.core.messages.blocks import ProviderBlock
from message_history.core.values.json_values import freeze, short_repr

if TYPE_CHECKING:
    from collections.abc import Callable

WRONG: dict[str, Callable[[Any], object]] = {
    "text": TextBlock,
    "a system message's text": SystemBlock,
    "thinking": ThinkingBlock,
    "signature": lambda value: ThinkingBlock("x", value),
    "bound": lambda value: ThinkingBlock("x", bound=value),
    "data": RedactedThinkingBlock,
    "redacted bound": lambda value: RedactedThinkingBlock("x", value),
    "title": lambda value: DocumentBlock({}, value),
    "id": lambda value: ToolUseBlock(value, "f", {}),
    "name": lambda value: ToolUseBlock("1", value, {}),
    "tool_use_id": ToolResultBlock,
    "dialect": lambda value: ProviderBlock(value, {}),
    "meta": lambda value: TextBlock("x", meta=value),
    "a call's meta": lambda value: ToolUseBlock("1", "f", {}, meta=value),
}


@pytest.mark.parametrize("value", [["x"], {}, 5, b"x"], ids=repr)
@pytest.mark.parametrize("place", WRONG)
def test_no_block_takes_a_value_of_the_wrong_kind(place: str, value: object) -> None:
    with pytest.raises(TypeError, match=place.rsplit(maxsplit=1)[-1]):
        WRONG[place](value)


class Sly(str):
    """Text that says of itself what it is not."""

    __slots__ = ()

    def isspace(self) -> bool:
        return False

    def __bool__(self) -> bool:
        return True


def texts_in(value: object) -> list[object]:
    if isinstance(value, dict):
        return [text for pair in value.items() for item in pair for text in texts_in(item)]
    if isinstance(value, list | tuple):
        return [text for item in value for text in texts_in(item)]
    return [value] if isinstance(value, str) else []


def test_what_derives_from_text_is_taken_as_its_text() -> None:
    sly = Sly("x")
    blocks = (
        *(TextBlock(sly), ThinkingBlock(sly, sly), RedactedThinkingBlock(sly), DocumentBlock({sly: sly}, sly)),
        *(ToolUseBlock(sly, sly, {sly: [sly]}), SystemBlock(sly), ProviderBlock(sly, {})),
    )
    history = MessageHistory().add_user(sly).add_assistant(blocks).add_tool_result(sly, sly).add_user([sly, Sly(" ")])
    held = texts_in(history.to_list())
    assert "x" in held
    assert {type(text) for text in held} == {str}
    assert {type(block.id) for message in history for block in message.calls} == {str}
    assert Message.user(Sly("")) == Message.user("")
    assert [message.text for message in MessageHistory().add_user(Sly(" "))] == []


@pytest.mark.parametrize(
    "raw", [{"x": float("nan")}, date(2026, 11, 20), b"\xff", {1, 2}, object()], ids=lambda raw: type(raw).__name__
)
def test_a_result_that_json_cannot_carry_is_told(raw: object) -> None:
    history = MessageHistory().add_user("q").add_assistant(ToolUseBlock("1", "f", {})).add_tool_result("1", raw)
    assert [repair.code for repair in history.repairs] == [RepairCode.VALUE_CONVERTED]
    plain = MessageHistory().add_user("q").add_assistant(ToolUseBlock("1", "f", {})).add_tool_result("1", {"x": 1})
    assert plain.repairs == ()


def test_numbers_too_long_to_print_are_shown_short() -> None:
    for value in (10**5_000, -(10**5_000), [10**5_000], {"x": 10**5_000}):
        assert len(short_repr(value)) < 120
    (repair,) = MessageHistory.from_list([{"role": 10**5_000, "content": "x"}]).repairs
    assert repair.code is RepairCode.ENTRY_DROPPED


class _Plain:
    """A value with the `repr` that shows its address."""


class _Unshown:
    """A value whose `repr` raises."""

    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize("role", ["z" * 100, [[[[["deep"]]]]], 10**5000, MappingProxyType({"a": "b"})], ids=type)
@pytest.mark.parametrize("key", ["content", "parts"])
def test_a_message_of_a_role_that_nobody_knows_is_held_whole_in_its_repair(role: object, key: str) -> None:
    (repair,) = MessageHistory.from_list([{"role": role, key: ["q"]}]).repairs
    assert repair.code is RepairCode.ENTRY_DROPPED
    assert repair.removed == (freeze({"role": role, key: ["q"]})[0],)


@pytest.mark.parametrize("value", [_Plain(), _Unshown()])
def test_no_address_is_shown(value: object) -> None:
    assert short_repr([value]) == f"[<{__name__}.{type(value).__name__}>]"
    (repair,) = MessageHistory.from_list([{"role": value, "content": "q"}]).repairs
    assert hex(id(value)) not in repair.detail


def test_what_a_system_block_of_an_added_message_carries_is_kept_and_never_sent() -> None:
    block = {
        "type": "system",
        "text": "s",
        "extra": {"anthropic": {"k": "secret-1"}},
        "carried": {"x": {"k": "secret-2"}},
    }
    history = MessageHistory().add_user("q").add({"role": "user", "native": 1, "content": [block]})
    assert {"secret-1", "secret-2"} <= set(re.findall(r"secret-\d", str(history.to_list())))
    assert "secret" not in str(history.for_send())
    assert MessageHistory.from_list(history.to_list()) == history
