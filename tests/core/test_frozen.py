"""Frozen JSON: nothing can be changed, nothing is lost, nothing costs more than its size."""

from __future__ import annotations

import copy
import datetime as dt
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history import ToolUseBlock
from message_history.core.values.json_values import (
    MAX_DEPTH,
    MAX_REPEATED,
    FrozenDict,
    FrozenList,
    freeze,
    freeze_mapping,
    json_text,
    thaw,
)
from message_history.integrations.strategies import json_values


@given(json_values())
def test_json_comes_back_as_it_was(value: Any) -> None:
    frozen, converted = freeze(value)
    assert not converted
    assert thaw(frozen) == value
    assert frozen == value
    hash(frozen)
    assert pickle.loads(pickle.dumps(frozen)) == frozen
    assert json.loads(json_text(value)) == value


@given(st.dictionaries(st.text(max_size=2), json_values(), max_size=3))
def test_a_frozen_mapping_is_equal_to_its_dict(value: dict[str, Any]) -> None:
    frozen = FrozenDict(value)
    assert frozen == value
    assert dict(frozen) == value
    assert list(frozen) == list(value)
    assert frozen != {**value, "more": 1}
    assert copy.deepcopy(frozen) is copy.copy(frozen) is frozen


def test_no_way_to_change_anything() -> None:
    plain = {"a": {"b": [1, {"c": 2}]}}
    frozen, _ = freeze_mapping(plain)
    plain["a"]["b"].append(3)
    assert frozen == {"a": {"b": [1, {"c": 2}]}}
    inner: Any = frozen["a"]
    for change in (
        lambda: frozen.__setitem__("a", 1),  # type: ignore[index]
        lambda: frozen.update(a=1),  # type: ignore[attr-defined]
        lambda: inner["b"].append(1),
        lambda: inner["b"].__setitem__(0, 1),
        lambda: inner["b"][1].pop("c"),
        lambda: setattr(frozen, "_view", {}),
        lambda: frozen._view.__setitem__("a", 1),  # type: ignore[index]
        lambda: delattr(frozen, "_view"),
    ):
        with pytest.raises((AttributeError, TypeError)):
            change()


class Silent:
    """An object that says nothing of itself."""


class Loud:
    """An object that raises when asked for its text."""

    def __str__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
        (b"text", "text"),
        (b"\xff\x00", "/wA="),
        (dt.date(2026, 11, 20), "2026-11-20"),
        ({3, 1, 2}, [1, 2, 3]),
        (frozenset({"b", "a"}), ["a", "b"]),
        ((1, 2), [1, 2]),
        ({1: "a", None: "b"}, {"1": "a", "null": "b"}),
        ({None: 1, "null": 2}, {"null": 2}),
        (Silent(), "<test_frozen.Silent>"),
        (Loud(), "<test_frozen.Loud>"),
        (complex(1, 2), "(1+2j)"),
    ],
)
def test_what_is_no_json_is_kept_in_a_json_form(value: Any, kept: Any) -> None:
    frozen, converted = freeze({"x": value})
    found = thaw(frozen)["x"]
    if isinstance(found, str):
        assert found == str(kept).replace("test_frozen", type(value).__module__)
    elif not isinstance(value, dict):
        assert found == kept
    assert json.loads(json.dumps(found)) == found
    assert bool(converted) == (not isinstance(value, tuple))


def test_keys_that_would_fall_together_are_both_kept() -> None:
    frozen, converted = freeze({1: "number", "1_2": "taken", 1.5: "float"})
    assert frozen == {"1": "number", "1_2": "taken", "1.5": "float"}
    frozen, converted = freeze({"1": "text", 1: "number"})
    assert frozen == {"1": "text", "1_2": "number"}
    assert len(converted) == 1


def test_a_key_that_is_a_value_of_json_is_named_as_json_names_it() -> None:
    assert freeze({None: 1, True: 2, False: 3, 4: 5})[0] == {"null": 1, "true": 2, "false": 3, "4": 5}


def test_a_number_of_too_many_digits_is_kept_as_hexadecimal() -> None:
    frozen, converted = freeze([10**5000])
    assert frozen == [hex(10**5000)]
    assert converted


def nested(depth: int) -> Any:
    value: Any = "core"
    for _ in range(depth):
        value = [value]
    return value


def test_nesting_beyond_the_limit_becomes_json_text_in_which_nothing_is_lost() -> None:
    frozen, converted = freeze(nested(5_000))
    inner: Any = frozen
    for _ in range(MAX_DEPTH):
        inner = inner[0]
    assert isinstance(inner, str)
    assert inner == "[" * (5_000 - MAX_DEPTH) + '"core"' + "]" * (5_000 - MAX_DEPTH)
    assert len(converted) == 1


def test_cycles_end() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    assert freeze({"x": cycle})[0] == {"x": ["[cycle]"]}
    assert json_text(cycle) == '["[cycle]"]'


@pytest.mark.parametrize("limit", [1_000, pytest.param(MAX_REPEATED, marks=pytest.mark.heavy)])
def test_bombs_end(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("message_history.core.values.json_values.MAX_REPEATED", limit)
    bomb: list[Any] = []
    for _ in range(80):
        bomb = [bomb, bomb]
    frozen, converted = freeze({"x": bomb})
    assert converted
    assert len(json_text(frozen)) < 30 * limit
    assert "[repeated]" in json_text(bomb)


@pytest.mark.parametrize(("limit", "second"), [(3, [1, 2, 3]), (2, "[repeated]")])
def test_what_repeats_is_kept_as_far_as_the_limit(limit: int, second: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("message_history.core.values.json_values.MAX_REPEATED", limit)
    shared = [1, 2, 3]
    assert freeze([shared, shared])[0] == [shared, second]


def test_a_shared_container_is_no_cycle() -> None:
    shared = {"a": 1}
    assert freeze([shared, shared])[1] == ()
    assert json_text([shared, shared]) == '[{"a": 1}, {"a": 1}]'


def test_a_frozen_list_is_equal_to_lists_and_tuples() -> None:
    frozen = freeze([1, [2]])[0]
    assert isinstance(frozen, FrozenList)
    assert frozen == [1, [2]]
    assert frozen == (1, (2,))
    assert frozen != [1]
    assert repr(frozen) == "[1, [2]]"


@pytest.mark.parametrize("rest", [{}, {"b": "text"}, {"b": None}, {"ü": "ß"}], ids=["alone", "text", "null", "letters"])
def test_what_is_inside_the_input_of_a_call_may_be_changed_and_the_call_stays(rest: dict[str, Any]) -> None:
    call = ToolUseBlock("1", "f", {"a": [1], "o": {"n": [2]}, **rest})
    taken = call.input
    taken["a"].append(3)
    taken["o"]["n"].append(4)
    taken["new"] = 5
    assert taken == {"a": [1, 3], "o": {"n": [2, 4]}, **rest, "new": 5}
    assert call.input == {"a": [1], "o": {"n": [2]}, **rest}
