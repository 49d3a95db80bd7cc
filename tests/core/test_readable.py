"""Objects that raise are copied as far as they can be read; everything else stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.dialects.test_hostile_values import Guarded, Unreadable

from message_history import MessageHistory
from message_history.core.values.readable import made_readable, read_anyway
from message_history.dialects.registry import DIALECTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.dialects import Dialect


def test_what_raises_for_another_reason_is_raised() -> None:
    def names(raw: Sequence[Any]) -> list[str]:
        return [entry["name"] for entry in raw]

    assert read_anyway(names, [{"name": "a"}, Guarded(name="b")]) == ["a", "b"]
    with pytest.raises(KeyError):
        read_anyway(names, [{}])


def test_where_nothing_raises_there_is_nothing_to_do() -> None:
    assert made_readable([{"a": [1, {"b": None}]}, "text", object()]) is None


def test_what_a_dict_stores_is_read_though_it_raises() -> None:
    assert made_readable([{"a": ({"b": Guarded(c=1)}, 2)}]) == [{"a": [{"b": {"c": 1}}, 2]}]


def test_a_mapping_that_shows_nothing_is_the_name_of_its_type() -> None:
    readable = made_readable([{"a": [1]}, Unreadable()])
    assert readable == [{"a": [1]}, f"<{Unreadable.__module__}.Unreadable>"]


def test_what_is_very_deep_stays_as_it_is() -> None:
    deep: dict[str, Any] = {"a": Unreadable()}
    for _ in range(300):
        deep = {"a": deep}
    assert made_readable([deep]) is None


def test_what_holds_itself_twice_is_copied_once() -> None:
    knot: list[Any] = [Unreadable()]
    knot += [knot, knot]
    readable = made_readable([knot, knot])
    assert readable is not None
    assert readable[0] is readable[1]
    assert readable[0][1] is knot


class Incomparable:
    """A value that nothing can be compared with."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    def __hash__(self) -> int:
        raise RuntimeError


class Closed:
    """A value that answers no question."""

    def __getattr__(self, name: str) -> object:
        raise RuntimeError(name)


class Undecided:
    """A value that is neither true nor false."""

    def __bool__(self) -> bool:
        raise RuntimeError


class Untyped:
    """A value that does not say what kind of entry it is."""

    @property
    def type(self) -> str:
        raise RuntimeError


class Endless:
    """A value that does not say whether there is anything in it."""

    @property
    def __iter__(self) -> object:
        raise RuntimeError


@pytest.mark.parametrize("value", [Incomparable(), Closed(), Undecided(), Untyped(), Endless()], ids=type)
def test_only_what_raises_becomes_the_name_of_its_type(value: object) -> None:
    sound, name = object(), f"<{__name__}.{type(value).__name__}>"
    assert made_readable([sound, value, [value]]) == [sound, name, [name]]


@pytest.mark.parametrize("value", [Incomparable(), Closed()], ids=type)
@pytest.mark.parametrize("dialect", [None, *DIALECTS.values()])
def test_an_object_that_raises_is_the_name_of_its_type(value: object, dialect: Dialect[Any] | None) -> None:
    places: list[Any] = [
        {"role": value, "content": "q"},
        {"role": "user", "content": value},
        {"role": "user", "content": [value, {"type": value}, {"type": "text", "text": value}]},
        {"role": "user", "parts": [value, {"text": value}, {"functionCall": value}]},
        {"role": "assistant", "tool_calls": [{"id": value, "function": {"name": value, "arguments": value}}]},
        {"type": value, "call_id": value},
        {"role": value, "content": [value], "parts": [value], "choices": [value], "output": value, "message": value},
        {"choices": [{"message": {"role": value, "content": value}}], "object": value, "id": value},
        {"role": value, "content": []},
    ]
    for entry in places:
        before = dict(entry)
        history = MessageHistory.from_list([{"role": "user", "content": "q"}, entry], dialect=dialect)
        assert history.add(entry).to_list()
        assert entry.keys() == before.keys()
    assert f"<{__name__}.{type(value).__name__}>" in str(
        MessageHistory().add({"role": "user", "content": [{"type": "text", "text": value}]}).to_list()
    )
