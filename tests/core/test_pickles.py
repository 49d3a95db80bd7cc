"""A pickle holds plain messages in short; what comes out of one went through the laws, as all that is read."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given

from message_history import MessageHistory, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock, Usage, check
from message_history.core.messages.message import plain_content, with_replies
from message_history.core.messages.replies import ReplyInfo
from message_history.dialects import Native
from message_history.dialects.native.pickled import from_pickle
from message_history.history import restored, unpickled
from message_history.integrations.strategies import histories

CALL: Any = ("assistant", ("I look.", ("one", "read", {"path": "a.py"}), ("two", "list", {})))
RESULTS: Any = ("user", (("one", "print()"), ("two", ("a", "b")), "And?"))
MARK: Any = {"kind": "decided", "decisions": [{"state": "approved", "by": "ann"}]}
ODD: dict[str, Any] = {
    "no text": ("user", ("q", 1)),
    "a list": ("user", ["q"]),
    "another role": ("system", ("q",)),
    "a role that is none": ([], ("q",)),
    "one item": ("user",),
    "three items": ("user", ("q",), 1),
    "a result without content": ("user", (("one",),)),
    "an id that is none": ("user", ((1, "x"),)),
    "content that is none": ("user", (("one", 1),)),
    "content with a number": ("user", (("one", ("a", 1)),)),
    "a call of a user": ("user", (("one", "f", {}),)),
    "a call without an input": ("assistant", (("one", "f", None),)),
    "an input that is not JSON": ("assistant", (("one", "f", {"a": {1}}),)),
    "a call whose name is none": ("assistant", (("one", 1, {}),)),
    "thinking without a signature": ("assistant", (("a", None),)),
    "thinking of three": ("assistant", ((("a", "b", "c"),),)),
    "nothing": ("assistant", ((),)),
    "a call in a list": ("assistant", (["one", "f", {}],)),
    "decisions of a text": ("user", ("q",), {"keys": ({"mark": MARK},)}),
    "decisions of a call": ("assistant", (("one", "f", {}),), {"keys": ({"mark": MARK},)}),
    "decisions with more": ("user", (("one", "x"),), {"keys": ({"mark": MARK, "new": 1},)}),
    "decisions of a later version": ("user", (("one", "x"),), {"keys": ({"mark": {**MARK, "new": 1}},)}),
    "decisions that are none": ("user", (("one", "x"),), {"keys": ({"mark": {**MARK, "decisions": []}},)}),
    "keys that are none": ("user", (("one", "x"),), {"keys": ([1],)}),
}


def entries_of(history: MessageHistory) -> list[Any]:
    """Return what a history's pickle holds of its messages."""
    return list(history.__reduce__()[1][0])


def test_plain_messages_are_to_pickle_and_others_in_the_saved_form() -> None:
    history = (
        MessageHistory()
        .with_system("Be brief.")
        .add_user("q")
        .add_assistant([ThinkingBlock("t", "c2ln"), ToolUseBlock("one", "read", {"path": "a.py"})])
        .add_user([ToolResultBlock("one", "print()", is_error=True)])
        .add_assistant("done")
    )
    system, question, call, result, answer = entries_of(history)
    assert question == ("user", ("q",))
    assert call == ("assistant", (("t", "c2ln"), ("one", "read", {"path": "a.py"})))
    assert answer == ("assistant", ("done",))
    assert [system, result] == [history.to_list()[0], history.to_list()[3]]
    assert pickle.loads(pickle.dumps(history)) == history


def test_what_a_provider_said_of_a_reply_is_in_a_pickle() -> None:
    history = MessageHistory().add_user("q").add_assistant("a").add_user("more")
    answer = with_replies(history[1], (ReplyInfo(id="msg", usage=Usage(input_tokens=3)),))
    history = MessageHistory().add_user("q").add(answer).add_user("more")
    assert pickle.loads(pickle.dumps(history))[1].replies == answer.replies


@given(histories())
def test_a_pickle_is_read_as_the_saved_form(history: MessageHistory) -> None:
    again = pickle.loads(pickle.dumps(history))
    saved = restored(history.to_list(), history.policy, history.repairs)
    assert again == saved == history
    for found, expected in zip(again, saved, strict=True):
        assert (found.ids, found.shape, plain_content(found)) == (
            expected.ids,
            expected.shape,
            plain_content(expected),
        )
        assert found.content == expected.content


def test_an_input_that_is_unpickled_is_not_shared() -> None:
    saved: list[Any] = [("user", ("q",)), ("assistant", (("one", "f", {"a": [1]}),))]
    history = unpickled(saved, None, ())
    saved[1][1][0][2]["a"].append(2)
    assert history[1].calls[0].input == {"a": [1]}


@pytest.mark.parametrize("name", ODD)
def test_what_no_history_writes_stays_an_entry_that_the_laws_judge(name: str) -> None:
    odd = ODD[name]
    assert from_pickle([odd]) == [odd]
    history = unpickled([("user", ("q",)), CALL, odd, RESULTS], None, ())
    assert not check(history.to_list(), Native())
    assert history[0].text == "q"
    assert history.repairs


@pytest.mark.parametrize(
    ("role", "items"),
    [
        ("user", ()),
        ("user", (" ",)),
        ("user", ("q", ("one", "late"))),
        ("user", (("", "x"),)),
        ("user", (("one", "a"), ("one", "b"))),
        ("user", (("one", "[This call was not answered."),)),
        ("user", (("one", ("[This call was not answered.",)),)),
        ("assistant", (("", "f", {}),)),
        ("assistant", (("one", " ", {}),)),
        ("assistant", (("one", "f", {}), ("one", "g", {}))),
        ("assistant", ("", TextBlock("x").text)),
    ],
)
def test_a_message_that_needs_repair_is_repaired(role: str, items: tuple[Any, ...]) -> None:
    (message,) = from_pickle([(role, items)])
    assert message.role == role
    assert not message.shape
    history = unpickled([("user", ("q",)), CALL, (role, items), RESULTS], None, ())
    assert not check(history.to_list(), Native())


def test_a_blank_text_of_a_user_is_dropped_behind_other_words() -> None:
    history = unpickled([("user", ("q",)), ("user", (" ",)), ("user", ("r",)), ("assistant", ("a",))], None, ())
    assert history[0].content == (TextBlock("q"), TextBlock("r"))
    assert not check(history.to_list(), Native())


def test_a_pickle_without_its_beginning_is_repaired() -> None:
    history = unpickled([CALL, RESULTS], None, ())
    assert history[0].role == "user"
    assert history.repairs
    assert [result.text for result in history[2].results] == ["print()", "a\nb"]
