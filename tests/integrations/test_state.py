"""A history as one JSON value: nothing of it is lost."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history import InvariantError, Message, MessageHistory, Policy, RepairCode, ToolResultBlock, ToolUseBlock
from message_history.integrations.state import SAVED, is_saved, load, save
from message_history.integrations.strategies import histories, messages


@given(histories(), messages())
def test_a_saved_history_is_the_same_as_a_pickled_one(history: MessageHistory, message: Message) -> None:
    for again in (load(save(history)), load(json.loads(json.dumps(save(history))))):
        assert again == history
        assert again.repairs == history.repairs
        assert again.policy == history.policy
        assert again.awaiting == history.awaiting
        assert save(again) == save(history)
        pickled = pickle.loads(pickle.dumps(history))
        assert again.add(message) == pickled.add(message) == history.add(message)
        assert again.add(message).repairs == pickled.add(message).repairs


def test_the_value_is_one_text() -> None:
    saved = save(MessageHistory().add_user("hi"))
    assert list(saved) == [SAVED]
    assert is_saved(saved)
    assert not is_saved({**saved, "more": 1})
    assert json.loads(saved[SAVED])["messages"][0]["role"] == "user"


def test_text_that_utf8_cannot_hold_and_long_integers_are_safe() -> None:
    history = MessageHistory().add_user("a \ud83d b").add_assistant(ToolUseBlock("1", "f", {"n": 10**400}))
    text = save(history)[SAVED]
    assert text.encode().decode() == text
    assert load(save(history)) == history


def test_the_policy_travels_and_a_broken_list_is_still_refused() -> None:
    strict = Policy(on_violation="raise", stub_text="[nothing]")
    history = MessageHistory(policy=strict).add_user("hi").add_assistant(ToolUseBlock("1", "f", {}))
    again = load(save(history))
    assert again.policy == strict
    assert [call.id for call in again.awaiting] == ["1"]
    with pytest.raises(InvariantError):
        again.add(Message.user(ToolResultBlock("unknown", "x")))


def test_a_value_of_a_later_version_is_read_as_far_as_it_is_known() -> None:
    state = json.loads(save(MessageHistory(policy=Policy(stub_text="[nothing]")).add_user("hi"))[SAVED])
    state |= {"version": 9, "more": 1, "repairs": [{"code": "new_kind", "index": 0}]}
    state["policy"]["new_choice"] = True
    again = load({SAVED: json.dumps(state)})
    assert [message.text for message in again] == ["hi"]
    assert again.policy == Policy(stub_text="[nothing]")
    assert again.repairs == ()


def test_a_list_and_a_history_are_taken_as_well() -> None:
    history = MessageHistory().add_user("hi")
    assert load(history) is history
    assert load(history.to_list()) == history
    dropped = load([{"role": "assistant", "content": "hi"}], policy=Policy(leading_assistant="drop"))
    assert [repair.code for repair in dropped.repairs] == [RepairCode.LEADING_ASSISTANT_DROPPED]
    assert dropped.policy == Policy(leading_assistant="drop")


@pytest.mark.parametrize("value", [None, 1, "text", {"a": 1}, {SAVED: "{}", "b": 1}])
def test_anything_else_is_a_type_error(value: Any) -> None:
    with pytest.raises(TypeError):
        load(value)


@pytest.mark.parametrize("text", ["", "[]", "{}", "nonsense", '{"messages": 1}'])
def test_a_spoiled_text_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the JSON decoder's own and ours
        load({SAVED: text})


@given(st.data())
def test_named_tuple_duck_typing_gives_the_saved_value(data: st.DataObject) -> None:
    """Serializers of checkpoints take apart what has `_asdict`."""
    history = data.draw(histories())
    assert history._asdict() == {"_saved": save(history)[SAVED]}
    assert load(history._asdict()) == history
    again = MessageHistory(**history._asdict())  # type: ignore[arg-type]
    assert again == history
    assert again.repairs == history.repairs
