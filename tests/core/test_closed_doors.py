"""No door but `add`: whatever a type checker refuses, the interpreter refuses too, and nothing reachable can change."""

from __future__ import annotations

import ast
import copy
import enum
import json
import pickle
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pytest

import message_history
from message_history import (
    Calls,
    DocumentBlock,
    Export,
    ImageBlock,
    InvariantError,
    Message,
    MessageHistory,
    Policy,
    ProviderBlock,
    RedactedThinkingBlock,
    Repair,
    RepairCode,
    Severity,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    Violation,
)
from message_history.core.messages.block_base import Block
from message_history.core.values.json_values import FrozenDict, FrozenList
from message_history.core.values.meta import Mark, Meta
from message_history.dialects import Anthropic, Native, OpenAIChat

if TYPE_CHECKING:
    from collections.abc import Iterator

FORBIDDEN = Path(__file__).parents[1] / "typing" / "forbidden.py"
LEFT_TO_THE_TYPE_CHECKER = {
    "ToolResultBlock('1', 'x', is_error='no')",  # any value is taken for its truth
    "OpenAIChat(system_role='tool')",
    "Repair(code='result_moved', index=0)",
    "class Other(Policy):\n    pass",
    "class Other(Repair):\n    pass",
    "class Other(Anthropic):\n    pass",
}
RAW: list[Any] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "q", "name": "Ann"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "redacted_thinking", "data": "d"},
            {"type": "text", "text": "a", "citations": [{"n": [1]}]},
            {"type": "tool_use", "id": "1", "name": "f", "input": {"list": [1, {"x": [2.5]}], "dict": {"y": None}}},
            {"type": "tool_use", "id": "2", "name": "f", "input": {"when": {1, 2}}},
        ],
        "id": "msg_1",
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "9", "content": [{"type": "text", "text": "orphan"}]},
            {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "image", "source": {"type": "url"}}]},
            {"type": "document", "source": {"type": "text", "data": ["x"]}, "title": "T"},
            {"type": "odd", "payload": {"deep": [[1]]}},
        ],
    },
    {"role": "system", "content": "Be kind."},
    "no message",
    {"role": "assistant", "content": ""},
]


def a_history() -> MessageHistory:
    return MessageHistory.from_list(copy.deepcopy(RAW))


def values() -> dict[str, Any]:
    """One value of every public type, and of those that hang on one."""
    violation = Violation(rule="AN-C1", index=1, path="content[0]", error="e", detail="d")
    repair = Repair(
        code=RepairCode.ENTRY_DROPPED, index=1, source=2, removed=(FrozenDict({"a": [1]}),), added=(TextBlock("x"),)
    )
    meta = Meta(
        extra=FrozenDict({"anthropic": {"k": [1]}}), mark=Mark(kind="stub", reason="pending"), converted=("x: y",)
    )
    return {
        "MessageHistory": a_history(),
        "empty MessageHistory": MessageHistory(),
        "Message": Message.assistant("a", ToolUseBlock("1", "f", {"x": [1, {"y": 2}]})),
        "TextBlock": TextBlock("x"),
        "TextBlock with meta": TextBlock("x", meta=meta),
        "ImageBlock": ImageBlock({"type": "url", "url": "u"}),
        "DocumentBlock": DocumentBlock({"type": "url", "url": "u"}, "T"),
        "ThinkingBlock": ThinkingBlock("hm", "signature", bound=False),
        "RedactedThinkingBlock": RedactedThinkingBlock("data"),
        "ToolUseBlock": ToolUseBlock("1", "f", {"x": [1, {"y": 2}]}),
        "ToolResultBlock": ToolResultBlock("1", [TextBlock("x"), ImageBlock({"type": "url"})], True),
        "SystemBlock": SystemBlock("s"),
        "ProviderBlock": ProviderBlock("anthropic", {"type": "odd", "x": [1]}),
        "Policy": Policy(leading_assistant="drop"),
        "Repair": repair,
        "RepairCode": RepairCode.RESULT_MOVED,
        "Severity": Severity.LOSSY,
        "Violation": violation,
        "Export": Export([{"role": "user"}], "s", (repair,)),
        "InvariantError": InvariantError([repair]),
        "Meta": meta,
        "Mark": Mark(kind="quote", reason="late", blocks=2),
        "FrozenDict": FrozenDict({"x": [1, {"y": None}]}),
        "FrozenList": FrozenDict({"x": [1, {"y": None}]})["x"],
        "Anthropic": Anthropic(prefill=True),
        "OpenAIChat": OpenAIChat(reasoning="reasoning_content"),
        "Native": Native(),
    }


VALUES = values()
# Enums and exceptions are as the standard library makes them.
SEALED = {name: value for name, value in VALUES.items() if not isinstance(value, enum.Enum | Exception)}


def statements() -> Iterator[Any]:
    for function in ast.parse(FORBIDDEN.read_text()).body:
        if isinstance(function, ast.FunctionDef):
            for statement in function.body:
                yield pytest.param(statement, id=ast.unparse(statement).replace("\n    ", " "))


@pytest.mark.parametrize("statement", list(statements()))
def test_what_the_type_checker_refuses_the_interpreter_refuses(statement: ast.stmt) -> None:
    call = ToolUseBlock("1", "f", {"x": 1})
    names: dict[str, Any] = {name: getattr(message_history, name) for name in message_history.__all__}
    names |= {"Anthropic": Anthropic, "OpenAIChat": OpenAIChat, "role": "tool", "policy": Policy(), "call": call}
    names |= {"history": a_history(), "message": Message.user("q"), "result": ToolResultBlock("1", "x")}
    names |= {"repair": a_history().repairs[0]}
    before = {name: repr(value) for name, value in names.items()}
    code = compile(ast.Module([statement], []), str(FORBIDDEN), "exec")
    if ast.unparse(statement) in LEFT_TO_THE_TYPE_CHECKER:
        exec(code, names)
        return
    with pytest.raises((AttributeError, TypeError, ValueError)):
        exec(code, names)
    assert {name: repr(names[name]) for name in before} == before


def test_nothing_is_left_to_the_type_checker_that_is_not_forbidden() -> None:
    known = {ast.unparse(parameter.values[0]) for parameter in statements()}
    assert known >= LEFT_TO_THE_TYPE_CHECKER


@pytest.mark.parametrize("name", SEALED)
def test_no_name_of_a_value_can_be_set_or_deleted(name: str) -> None:
    value = SEALED[name]
    recorded = repr(value)
    slots = {slot for kind in type(value).__mro__ for slot in getattr(kind, "__slots__", ())}
    for attribute in {*dir(value), *slots, "anything", "_anything", "__dict__"} - {"__class__"}:
        with pytest.raises((AttributeError, TypeError)):
            setattr(value, attribute, getattr(value, attribute, None))
        with pytest.raises((AttributeError, TypeError)):
            delattr(value, attribute)
    assert repr(value) == recorded
    assert not hasattr(value, "__dict__")


def reachable(value: Any, path: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Walk all that public names and indices lead to."""
    yield path, value
    assert depth < 30, path
    if isinstance(value, tuple | MessageHistory):
        for n, item in enumerate(value):
            yield from reachable(item, f"{path}[{n}]", depth + 1)
    if isinstance(value, FrozenDict):
        for key, item in value.items():
            yield from reachable(item, f"{path}[{key!r}]", depth + 1)
    if isinstance(value, str | int | float | None):
        return
    for name in dir(value):
        if name.startswith("_") or callable(found := getattr(value, name)):
            continue
        # A plain dict is a copy of its own at each access.
        if type(found) is not dict or getattr(value, name) is found:
            yield from reachable(found, f"{path}.{name}", depth + 1)


def test_nothing_that_can_be_reached_from_a_history_can_be_changed() -> None:
    history = a_history().add_assistant("b").add_user([ToolResultBlock("2", "late"), "q"])
    history = history.add_assistant(ToolUseBlock("3", "g", {"z": {"deep": [1]}}))
    seen: set[type] = set()
    for path, value in reachable(history, "history"):
        kind = type(value)
        seen.add(kind)
        plain = kind in (str, int, float, bool, type(None), tuple, FrozenDict, FrozenList, MessageHistory, Calls)
        frozen = attrs.has(kind) and kind.__setattr__ is not object.__setattr__
        named = issubclass(kind, tuple) and hasattr(kind, "_fields")
        assert plain or frozen or named or issubclass(kind, enum.Enum), f"{path} is a {kind}"
        assert kind not in (list, dict, set, bytearray)
    assert seen >= {FrozenDict, FrozenList, Message, TextBlock, ToolUseBlock, ToolResultBlock, Repair, Policy, Meta}


def test_a_nested_input_cannot_be_changed() -> None:
    raw: dict[str, Any] = {"list": [1, {"x": [2]}], "dict": {"y": {"z": 1}}}
    history = MessageHistory().add_user("q").add_assistant(ToolUseBlock("1", "f", raw))
    raw["list"][1]["x"].append(3)
    raw["dict"]["y"]["z"] = 2
    del raw["dict"]
    call: Any = history[1].calls[0]
    assert call.input == {"list": [1, {"x": [2]}], "dict": {"y": {"z": 1}}}
    changes = [
        "call.frozen_input.update(a=1)",
        "call.frozen_input['a'] = 1",
        "del call.frozen_input['list']",
        "call.frozen_input |= {'a': 1}",
        "call.frozen_input['list'].append(1)",
        "call.frozen_input['list'][0] = 1",
        "call.frozen_input['list'][1]['x'].append(3)",
        "call.frozen_input['list'][1]['x'] += [3]",
        "call.frozen_input['dict']['y']['z'] = 2",
        "call.frozen_input['dict'].clear()",
        "call.frozen_input._view['a'] = 1",
    ]
    for change in changes:
        with pytest.raises((AttributeError, TypeError)):
            exec(change, {"call": call})
    assert call.input == {"list": [1, {"x": [2]}], "dict": {"y": {"z": 1}}}


def test_what_is_sent_and_saved_is_fresh_every_time() -> None:
    history = a_history()
    wanted = repr(history.to_list()), repr(history.for_send()), repr(history.for_send(OpenAIChat()))
    for sent in (history.to_list(), history.for_send(), history.for_send(OpenAIChat()), history.export().messages):
        todo: list[Any] = [sent]
        while todo:
            held = todo.pop()
            if isinstance(held, dict):
                todo += held.values()
                held.clear()
            elif isinstance(held, list):
                todo += held
                held.clear()
    assert (repr(history.to_list()), repr(history.for_send()), repr(history.for_send(OpenAIChat()))) == wanted


@pytest.mark.parametrize("name", VALUES)
def test_equal_values_are_equal_in_every_way(name: str) -> None:
    value, again = VALUES[name], values()[name]
    if name == "InvariantError":
        assert value.violations == again.violations
        return
    assert value == again
    assert value != "another"
    assert repr(value) == repr(again)
    if name == "Export":
        with pytest.raises(TypeError):
            hash(value)
    else:
        assert hash(value) == hash(again)
        assert len({value, again}) == 1


@pytest.mark.parametrize("name", VALUES)
def test_every_value_can_be_read_by_a_person(name: str) -> None:
    recorded = repr(VALUES[name])
    assert recorded
    assert "\n" not in recorded
    assert not re.search(r"0x[0-9a-f]{6}", recorded), "no memory address"
    assert "object at" not in recorded


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_every_value_survives_a_pickle(name: str, protocol: int) -> None:
    value = VALUES[name]
    again = pickle.loads(pickle.dumps(value, protocol))
    assert type(again) is type(value)
    assert repr(again) == repr(value)
    if name == "InvariantError":
        assert again.violations == value.violations
    else:
        assert again == value
    if isinstance(value, MessageHistory):
        assert again.repairs == value.repairs
        assert again.policy == value.policy
        assert again.system == value.system


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_every_value_can_be_copied(name: str, copied: Any) -> None:
    value = VALUES[name]
    again = copied(value)
    assert repr(again) == repr(value)
    assert name == "InvariantError" or again == value
    if isinstance(value, MessageHistory | FrozenDict):
        assert again is value


def test_values_that_differ_are_not_equal() -> None:
    distinct = [value for name, value in VALUES.items() if name != "InvariantError"]
    for n, one in enumerate(distinct):
        for other in distinct[n + 1 :]:
            assert one != other


def test_blocks_of_another_making_do_not_get_in() -> None:
    with pytest.raises(TypeError, match="cannot be subclassed"):

        class Mutable(Block):  # type: ignore[misc, unused-ignore]
            pass

    with pytest.raises(TypeError, match="cannot be subclassed"):
        type("Mutable", (TextBlock,), {})
    with pytest.raises(TypeError, match="cannot be subclassed"):
        type("Mutable", (Message,), {})
    with pytest.raises(TypeError, match="cannot be subclassed"):
        type("Mutable", (MessageHistory,), {})


def test_the_history_has_no_list_to_reach_for() -> None:
    public = {name for name in dir(MessageHistory) if not name.startswith("_")}
    assert not public & {"messages", "append", "insert", "pop", "remove", "clear", "sort", "reverse", "extend_list"}
    assert not [name for name in public if isinstance(getattr(MessageHistory(), name), list)]


def test_what_is_added_stays_the_caller_s() -> None:
    raw = copy.deepcopy(RAW)
    MessageHistory.from_list(raw)
    MessageHistory().extend(raw[1:4])
    assert raw == RAW
    assert json.dumps(raw, default=sorted) == json.dumps(RAW, default=sorted)


@pytest.mark.parametrize(
    ("value", "args"),
    [
        (TextBlock("a"), ("b",)),
        (ToolUseBlock("1", "f", {}), ("2", "g", {"x": 1})),
        (ToolResultBlock("1", "a"), ("2", "b")),
        (Message.user("a"), ("user", "b")),
        (ToolUseBlock("1", "f", {"x": 1}).frozen_input, ({"y": 2},)),
    ],
)
def test_calling_init_again_changes_nothing(value: Any, args: tuple[Any, ...]) -> None:
    before = repr(value)
    with pytest.raises(AttributeError):
        value.__init__(*args)
    assert repr(value) == before


def test_an_input_is_a_plain_dict_of_the_tools_own() -> None:
    raw = {"path": "a.txt", "lines": [1, {"deep": [None, True, 2.5]}], "text": "ä"}
    history = MessageHistory().add_user("q").add_assistant(ToolUseBlock("1", "f", raw))
    (call,) = history.awaiting
    assert type(call.input) is dict
    assert type(call.input["lines"]) is list
    assert json.loads(json.dumps(call.input)) == raw
    arguments = call.input
    arguments["lines"].append(3)
    arguments.pop("path")
    assert call.input == raw
    assert history.for_send()[1]["content"][0]["input"] == raw
    assert ToolUseBlock("1", "f", None).input == {}
