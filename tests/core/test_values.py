"""Values are equal when their class and their compared fields are, and show all that is shown of them."""

from __future__ import annotations

import math
import pickle
from importlib import import_module
from inspect import Parameter, isfunction, signature
from pkgutil import walk_packages
from typing import Any

import attrs
import pytest

from message_history import (
    DocumentBlock,
    ImageBlock,
    MessageHistory,
    Policy,
    ProviderBlock,
    RedactedThinkingBlock,
    Repair,
    RepairCode,
    ReplyInfo,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    Usage,
    core,
)
from message_history.core.messages.block_base import Block
from message_history.core.values.meta import Mark, Meta

MARK = Mark(kind="stub")
IMAGE = {"type": "url", "url": "https://example.org/a.png"}
PAIRS: list[tuple[Any, Any]] = [
    (TextBlock("a"), TextBlock("b")),
    (TextBlock("a"), TextBlock("a", meta=Meta(mark=MARK))),
    (ThinkingBlock("a", "c2ln"), ThinkingBlock("a", "c2ln", bound=False)),
    (RedactedThinkingBlock("a"), RedactedThinkingBlock("b")),
    (ToolUseBlock("1", "f", {"a": [1]}), ToolUseBlock("1", "f", {"a": [1.0]})),
    (ToolResultBlock("1", "a"), ToolResultBlock("1", "a", is_error=True)),
    (SystemBlock("a"), SystemBlock("b")),
    (ProviderBlock("gemini", {"a": 1}), ProviderBlock("gemini", {"a": 2})),
    (ImageBlock(IMAGE), ImageBlock({**IMAGE, "url": "https://example.org/b.png"})),
    (DocumentBlock(IMAGE), DocumentBlock(IMAGE, "title")),
    (MARK, Mark(kind="quote")),
    (Meta(signature="a"), Meta(signature="b")),
    (Policy(), Policy(on_violation="raise")),
    (Repair(code=RepairCode.RESULT_MOVED, index=1), Repair(code=RepairCode.RESULT_MOVED, index=2)),
    (Usage(input_tokens=1), Usage(input_tokens=2)),
    (ReplyInfo(id="a"), ReplyInfo(id="b")),
]


@pytest.mark.parametrize(("value", "other"), PAIRS, ids=lambda value: type(value).__name__)
def test_values_are_equal_when_their_fields_are(value: Any, other: Any) -> None:
    again = pickle.loads(pickle.dumps(value))
    assert again == value
    assert hash(again) == hash(value)
    assert other != value
    assert value != attrs.astuple(value, recurse=False)
    assert len({value, again, other}) == 2


def test_values_of_different_classes_are_not_equal() -> None:
    assert TextBlock("a") != SystemBlock("a")
    assert len({TextBlock("a"), SystemBlock("a")}) == 2


def test_a_field_that_is_not_compared_makes_no_difference() -> None:
    call = ToolUseBlock("1", "f", {})
    elsewhere = attrs.evolve(call, turn=3)
    assert elsewhere == call
    assert hash(elsewhere) == hash(call)


def classes_of_attrs() -> list[type]:
    """Find every class of the core that attrs made."""
    modules = [import_module(each.name) for each in walk_packages(core.__path__, f"{core.__name__}.")]
    return [
        kind
        for module in modules
        for kind in vars(module).values()
        if isinstance(kind, type) and attrs.has(kind) and kind.__module__ == module.__name__
    ]


def test_methods_are_compiled_only_where_no_base_has_them() -> None:
    """To compile them was a tenth of the import, and what compares by identity must not compare otherwise."""
    found: dict[str, set[str]] = {}
    for kind in classes_of_attrs():
        for name, method in vars(kind).items():
            if isfunction(method) and method.__code__.co_filename.startswith("<attrs generated") and "init" not in name:
                found.setdefault(kind.__name__, set()).add(name)
    whole = {"__eq__", "__hash__", "__repr__"}
    shown: dict[str, set[str]] = {name: {"__repr__"} for name in ("_Call", "_Edit", "_Found", "_TurnSoFar")}
    assert found == {"CallRecord": whole, "Omitted": whole, "_Tail": {"__eq__", "__repr__"}, **shown}


def test_what_has_many_fields_takes_them_by_name_alone() -> None:
    kinds = {
        kind.__name__: {parameter.kind for parameter in signature(kind).parameters.values()}
        for kind in classes_of_attrs()
    }
    assert {name for name, found in kinds.items() if found == {Parameter.KEYWORD_ONLY}} == {
        *("Block", "Decision", "Mark", "Meta", "Omitted", "Policy", "Repair", "ReplyInfo", "Usage")
    }
    assert {name for name, found in kinds.items() if len(found) == 2} == {
        kind.__name__ for kind in classes_of_attrs() if issubclass(kind, Block) and kind is not Block
    }


def test_only_where_a_thing_is_and_what_was_found_of_it_is_no_part_of_its_value() -> None:
    fields = [(kind.__name__, field) for kind in classes_of_attrs() for field in attrs.fields(kind)]
    assert {f"{name}.{field.name}" for name, field in fields if not field.eq} == {
        *("ToolUseBlock.turn", "ToolUseBlock.origin", "Mark.key", "Meta.key"),
        *("Policy.has_own_texts", "Policy._reasons", "Policy._denials"),
        *("AssistantDraft.message", "AssistantDraft.arrivals", "UserDraft.arrivals"),
    }
    assert {f"{name}.{field.name}" for name, field in fields if not field.repr and field.name != "meta"} == {
        *("Policy.has_own_texts", "Policy._reasons", "Policy._denials"),
        *("ReplyInfo.frozen_usage", "ReplyInfo.frozen_extra"),
    }


@pytest.mark.parametrize(("kind", "of"), [(TextBlock, ("a",)), (ToolUseBlock, ("1", "f", {}))])
def test_a_signature_is_read_where_it_is_kept(kind: Any, of: tuple[Any, ...]) -> None:
    assert kind(*of, meta=Meta(signature="c2ln")).signature == "c2ln"
    assert kind(*of, meta=Meta(mark=MARK)).signature is kind(*of).signature is None


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
