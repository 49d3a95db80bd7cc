"""A history that was saved and loaded is the one that was saved: in its words, its repairs and its strictness."""

from __future__ import annotations

import enum
import json
import pickle
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from message_history import (
    DocumentBlock,
    ImageBlock,
    InvariantError,
    Message,
    MessageHistory,
    Policy,
    ProviderBlock,
    RedactedThinkingBlock,
    Repair,
    RepairCode,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from message_history.core.values.meta import Mark, Meta
from message_history.dialects import GeminiInteractions, OpenAIChat
from message_history.storage import JsonlSession

if TYPE_CHECKING:
    from pathlib import Path

Change = Callable[[MessageHistory], MessageHistory]

CALLING = MessageHistory().add_user("q").add_assistant([ToolUseBlock("1", "f", {}), ToolUseBlock("2", "f", {"a": 1})])
CAME_IN = [
    *CALLING.for_send(),
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": id, "is_error": True, "content": Policy().stub_text} for id in "12"
        ],
    },
]
HISTORIES: dict[str, MessageHistory] = {
    "calls that wait": CALLING,
    "one result": CALLING.add_tool_result("2", "b"),
    "user text": CALLING.add_user("more"),
    "sent": CALLING.as_sent(),
    "sent with user text": CALLING.add_user("more").as_sent(reason="interrupted"),
    "sent as pending": CALLING.as_sent(reason="pending"),
    "sent as cancelled": CALLING.add_user("more").as_sent(reason="cancelled"),
    "one sent, one answered": CALLING.add_tool_result("1", "a").as_sent(),
    "read from another's list": MessageHistory.from_list(CALLING.for_send()),
    "stubs that came in": MessageHistory.from_list(CAME_IN),
    "stubs that came in, and text": MessageHistory.from_list([*CAME_IN, {"role": "user", "content": "more"}]),
    "a recorded state": CALLING.record_call("1", "denied", reason="no"),
}
CHANGES: dict[str, Change] = {
    "nothing": lambda history: history,
    "assistant": lambda history: history.add_assistant("z"),
    "user and assistant": lambda history: history.add_user("k").add_assistant("z"),
    "result": lambda history: history.add_tool_result("1", "r"),
    "result, user and assistant": lambda history: history.add_tool_result("1", "r").add_user("k").add_assistant("z"),
    "sent": lambda history: history.as_sent(OpenAIChat()),
    "sent, and a late result": lambda history: history.as_sent().add_assistant("z").add_tool_result("1", "late"),
    "without the unanswered": lambda history: history.without_unanswered(),
}


def through_a_session(history: MessageHistory, folder: Path) -> MessageHistory:
    JsonlSession(folder / "s.jsonl", policy=history.policy).append(history)
    return JsonlSession(folder / "s.jsonl", policy=history.policy).load()


def through_its_state(history: MessageHistory, _: object) -> MessageHistory:
    fields: dict[str, Any] = history._asdict()
    return MessageHistory(**fields)


KEEPERS: dict[str, Callable[[MessageHistory, Any], MessageHistory]] = {
    "pickle": lambda history, _: pickle.loads(pickle.dumps(history)),
    "state": through_its_state,
    "session": through_a_session,
    "list": lambda history, _: MessageHistory.from_list(
        json.loads(json.dumps(history.to_list())), policy=history.policy
    ),
}


def outcome(change: Change, history: MessageHistory) -> object:
    try:
        return change(history)
    except InvariantError as error:
        return str(error)


@pytest.mark.parametrize("keeper", KEEPERS)
@pytest.mark.parametrize("name", HISTORIES)
def test_a_loaded_history_goes_on_as_the_saved_one(name: str, keeper: str, tmp_path: Path) -> None:
    history = HISTORIES[name]
    loaded = KEEPERS[keeper](history, tmp_path)
    for change in CHANGES.values():
        expected, found = change(history), change(loaded)
        assert found == expected
        assert found.for_send() == expected.for_send()
        marks = [[block.mark for message in each for block in message.content] for each in (expected, found)]
        assert marks[0] == marks[1]
        if keeper != "list":
            assert found.repairs == expected.repairs
    if keeper == "list":
        assert loaded.repairs == ()


@pytest.mark.parametrize("keeper", KEEPERS)
@pytest.mark.parametrize("grown", ["calls", "one result", "user text"])
def test_a_loaded_history_that_raises_is_as_strict_as_it_was(grown: str, keeper: str, tmp_path: Path) -> None:
    calls = [ToolUseBlock("1", "f", {}), ToolUseBlock("2", "f", {"a": 1})]
    history = MessageHistory(policy=Policy(on_violation="raise")).add_user("q").add_assistant(calls)
    if grown == "one result":
        history = history.add_tool_result("1", "x")
    elif grown == "user text":
        history = history.add_user("more")
    loaded = KEEPERS[keeper](history, tmp_path)
    for change in CHANGES.values():
        assert outcome(change, loaded) == outcome(change, history)
    with pytest.raises(InvariantError):
        loaded.add_user("more").add_assistant("z")


def test_a_stub_with_other_words_keeps_them_when_it_is_loaded_under_another_policy() -> None:
    history = MessageHistory(policy=Policy(stub_text="[nothing known]")).add_user("q")
    history = history.add_assistant([ToolUseBlock("1", "f", {})]).add_user("more")
    assert MessageHistory.from_list(history.to_list()) == history


def test_a_stub_that_was_open_when_its_list_was_saved_is_recorded_when_its_turn_settles() -> None:
    saved = CALLING.add_user("more").to_list()
    history = MessageHistory.from_list(saved).add_assistant("z")
    assert [repair.code for repair in history.repairs] == [RepairCode.RESULT_STUBBED] * 2


@pytest.mark.parametrize(("one", "other"), [(1, True), (1, 1.0), (0, False), (0.0, -0.0), ([1], [True])])
def test_what_json_tells_apart_is_not_equal(one: Any, other: Any) -> None:
    def holding(value: Any) -> list[MessageHistory]:
        start = MessageHistory().add_user("q")
        return [
            start.add_assistant([ToolUseBlock("1", "f", {"a": value})]),
            start.add_user(ImageBlock({"type": "url", "url": "u", "a": {"b": value}})),
            MessageHistory.from_list([{"role": "user", "content": "q", "unknown": value}]),
        ]

    for left, right, again in zip(holding(one), holding(other), holding(one), strict=True):
        assert left != right
        assert left == again
        assert hash(left) == hash(again)


def test_calls_whose_inputs_json_tells_apart_are_two_calls() -> None:
    calls = [{"type": "tool_use", "id": "1", "name": "f", "input": {"a": value}} for value in (1, True)]
    history = MessageHistory.from_list([{"role": "user", "content": "q"}, {"role": "assistant", "content": calls}])
    assert [call.input for call in history[1].calls] == [{"a": 1}, {"a": True}]


def test_two_halves_of_a_surrogate_pair_that_were_joined_are_saved_as_they_are() -> None:
    pair, whole = "\ud83d" + "\ude00", "\U0001f600"
    histories = [
        MessageHistory().add_user(pair),
        MessageHistory().add_user([TextBlock(f"a{pair}b"), SystemBlock(pair), ImageBlock({pair: pair, "b": [pair]})]),
        MessageHistory().add({"role": "user", "content": [{"type": "text", "text": pair, "unknown": pair}]}),
        MessageHistory()
        .add_user("q")
        .add_assistant([ThinkingBlock(pair, "s"), ToolUseBlock(pair, pair, {pair: pair})])
        .add_tool_result(pair, pair),
        MessageHistory.from_list(
            [
                {"role": "user", "content": "q"},
                {"role": "assistant", "content": [{"type": "tool_use", "id": pair, "name": "f", "input": {"a": pair}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": pair, "content": pair}]},
            ]
        ),
        MessageHistory.from_list(
            [
                {"role": "user", "content": "q"},
                {
                    "role": "assistant",
                    "tool_calls": [
                        {"id": "1", "type": "function", "function": {"name": "f", "arguments": f'{{"a": "{pair}"}}'}}
                    ],
                },
                {"role": "tool", "tool_call_id": "1", "content": pair},
            ]
        ),
    ]
    for history in histories:
        saved = json.dumps(history.to_list())
        assert MessageHistory.from_list(json.loads(saved)) == history
        assert json.loads(history.for_send_json()) == history.for_send()
        assert whole in json.dumps(history.for_send(), ensure_ascii=False)
    assert MessageHistory().add_user("\ud83d").to_list()[0]["content"][0]["text"] == "\ud83d"


class _Text(str):
    __slots__ = ()


class _Number(int):
    pass


class _Object(dict[Any, Any]):
    pass


class _Choice(enum.StrEnum):
    A = "a"


def _plain(value: Any) -> bool:
    if isinstance(value, dict):
        return type(value) is dict and all(type(key) is str and _plain(item) for key, item in value.items())
    if isinstance(value, list):
        return type(value) is list and all(map(_plain, value))
    return type(value) in (str, int, float, bool, type(None))


def test_to_list_holds_plain_values_only_whatever_was_given() -> None:
    text = _Text("t")
    history = MessageHistory().with_system(text).add_user(text).add_user(TextBlock(text))
    history = history.add_assistant(
        [
            ThinkingBlock(text, text),
            RedactedThinkingBlock(text),
            ToolUseBlock(_Text("1"), text, _Object({text: _Choice.A, "b": _Number(1)})),
            ToolUseBlock(_Text("2"), text, {}),
        ]
    )
    history = history.add_tool_result(_Text("1"), text).add_user(
        [ImageBlock({text: text}), DocumentBlock({text: text}, text), ProviderBlock(text, {text: text})]
    )
    policy = Policy(bootstrap_text=text, continuation_text=text, stub_text=text)
    raw = [{_Text("role"): _Text("user"), _Text("content"): [{_Text("type"): _Text("text"), "text": text, "x": text}]}]
    for each in (
        history,
        history.as_sent(reason=_Text("pending")),  # type: ignore[arg-type]
        history.record_call(_Text("2"), "denied", reason=text),
        history.trim_results(older_than=len(history), text=text),
        MessageHistory(policy=policy).add_assistant(text).as_sent(),
        MessageHistory.from_list(raw),
    ):
        assert _plain(each.to_list())


@pytest.mark.parametrize(
    "value",
    [
        TextBlock("a"),
        ToolUseBlock("1", "f", {"a": 1}),
        ToolResultBlock("1", "x"),
        ImageBlock({"type": "url"}),
        DocumentBlock({"type": "url"}),
        ThinkingBlock("t"),
        RedactedThinkingBlock("d"),
        SystemBlock("s"),
        ProviderBlock("anthropic", {"type": "x"}),
        Message.user("q"),
        Mark(kind="stub"),
        Meta(issuer="anthropic"),
        Repair(code=RepairCode.RESULT_STUBBED, index=1),
        Policy(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_no_value_can_be_changed_by_setting_its_state(value: Any) -> None:
    before = repr(value), value.__getstate__()
    for state in (dict.fromkeys(value.__getstate__(), "other"), ("other",) * 8):
        with pytest.raises(AttributeError):
            value.__setstate__(state)
    assert (repr(value), value.__getstate__()) == before
    assert pickle.loads(pickle.dumps(value)) == value


class _Raises:
    """An object of which nothing can be read."""

    role = "user"

    def model_dump(self, **_: Any) -> Any:
        raise RuntimeError("no")

    @property
    def content(self) -> Any:
        raise RuntimeError("no")


class _Endless:
    def __iter__(self) -> Any:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    "value", [dict, list, str, int, object, _Raises, _Raises(), _Endless(), type, {}, [], {"type": {}}, {"type": []}]
)
@pytest.mark.parametrize("dialect", [None, GeminiInteractions(), OpenAIChat()], ids=["by shape", "steps", "chat"])
def test_an_entry_that_cannot_be_read_does_not_stop_the_list(value: Any, dialect: Any) -> None:
    for entry in (
        value,
        {"content": value},
        {"role": "user", "content": value},
        {"role": "user", "content": [value]},
        {"role": "user", "content": [{"type": value}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": value, "name": value, "input": value}]},
        {"type": "ai", "data": value},
        {"lc": 1, "type": "constructor", "id": ["langchain", "AIMessage"], "kwargs": value},
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            history = MessageHistory.from_list([entry, {"role": "user", "content": "heard"}], dialect=dialect)
        assert "heard" in json.dumps(history.to_list())
