"""Threads of LangGraph are read from its checkpoints: the newest state, and what tasks have written since."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest
from tests.formats.packing import Extension, checkpoint_of, message_of, packed
from tests.formats.story import QUESTION, RESULT, told
from tests.formats.test_databases import Rows, database

from message_history.formats.reading import session_in
from message_history_formats._message_pack import MAX_DEPTH, unpack
from other_formats.test_databases import CHECKPOINTS, WRITES

ASKED = message_of("HumanMessage", type="human", id="h1", content=QUESTION)
CALLS: list[dict[str, Any]] = [{"id": id, "name": "look", "args": {}} for id in ("c1", "c2")]
CALLING = message_of("AIMessage", type="ai", id="a1", content="", tool_calls=CALLS)
LOOKED = message_of("ToolMessage", type="tool", id="t1", content=RESULT, tool_call_id="c1")


def threads(checkpoints: list[tuple[Any, ...]], writes: list[tuple[Any, ...]] | None = None) -> bytes:
    """Make a database of (id, parent, checkpoint) and (id of the checkpoint, number, channel, value)."""
    tables: Rows = {
        "checkpoints": (
            CHECKPOINTS,
            [("t", "", id, parent, "msgpack", whole, b"{}") for id, parent, whole in checkpoints],
        ),
        "writes": (
            WRITES,
            [("t", "", id, "task", n, channel, "msgpack", packed(value)) for id, n, channel, value in writes or []],
        ),
    }
    return database(tables)


def test_a_result_that_a_task_wrote_before_another_crashed_is_in_the_conversation() -> None:
    states = [("1", None, checkpoint_of(messages=[ASKED])), ("2", "1", checkpoint_of(messages=[ASKED, CALLING]))]
    session = session_in(threads(states, [("2", 0, "messages", [LOOKED]), ("2", -1, "__error__", "boom")]))
    (conversation,) = session.conversations
    assert told(conversation.history())[:4] == [
        ("user", QUESTION),
        ("call", "look"),
        ("call", "look"),
        ("result", RESULT),
    ]
    assert [each.rule for each in conversation.violations()] == ["AN-C1"]
    assert dict(conversation.omitted) == {"earlier checkpoints": 1}


def test_a_channel_that_records_changes_is_put_together_from_its_writes() -> None:
    again = message_of("HumanMessage", type="human", id="h1", content="Asked in other words.")
    states = [
        ("1", None, checkpoint_of(messages=Extension(7, [ASKED, LOOKED]))),
        ("2", "1", checkpoint_of(plan="p")),
        ("3", "2", checkpoint_of(plan="p")),
    ]
    writes = [
        ("1", 0, "messages", again),
        ("2", 0, "messages", [message_of("RemoveMessage", type="remove", id="t1", content="")]),
        ("2", 1, "plan", "another"),
        ("2", 2, "messages", [{"role": "assistant", "content": "Done."}, ["user", "Good."], "Bye."]),
    ]
    (conversation,) = session_in(threads(states, writes)).conversations
    assert told(conversation.history()) == [
        ("user", "Asked in other words."),
        ("assistant", "Done."),
        ("user", "Good."),
        ("user", "Bye."),
    ]


def test_a_mark_that_removes_all_removes_what_was_before_it() -> None:
    cleared = [message_of("RemoveMessage", type="remove", id="__remove_all__", content=""), ASKED]
    whole = checkpoint_of(messages=[ASKED, CALLING, LOOKED])
    (conversation,) = session_in(threads([("1", None, whole)], [("1", 0, "messages", cleared)])).conversations
    assert told(conversation.history()) == [("user", QUESTION)]


def test_messages_under_another_key_of_a_state_are_read_and_other_keys_counted() -> None:
    class_of_an_application = message_of("Question", type="human", content=QUESTION)
    states = [("1", None, checkpoint_of(talk=[class_of_an_application], plan=Extension(2, ["m", "Plan", {"a": 1}])))]
    (conversation,) = session_in(threads(states)).conversations
    assert told(conversation.history()) == [("user", QUESTION)]
    assert conversation.omitted == (("state: plan", 1),)


def test_checkpoints_of_older_versions_in_json_are_read() -> None:
    asked = {"lc": 2, "type": "constructor", "id": ["m", "HumanMessage"], "kwargs": {"content": QUESTION}}
    whole = json.dumps({"channel_values": {"messages": [asked]}}).encode()
    tables: Rows = {"checkpoints": (CHECKPOINTS, [("t", "", "1", None, "json", whole, b"{}")]), "writes": (WRITES, [])}
    (conversation,) = session_in(database(tables)).conversations
    assert told(conversation.history()) == [("user", QUESTION)]


def test_checkpoints_that_are_pickled_are_not_opened() -> None:
    tables: Rows = {"checkpoints": (CHECKPOINTS, [("t", "", "1", None, "pickle", b"x", b"{}")]), "writes": (WRITES, [])}
    session = session_in(database(tables))
    assert [each.detail for each in session.unread] == ["the checkpoint 1 cannot be unpacked: it is packed as 'pickle'"]


def test_what_cannot_be_unpacked_is_said() -> None:
    states = [("1", None, checkpoint_of(messages=[ASKED, 3])), ("2", "1", b"\xc1")]
    session = session_in(threads(states, [("2", 0, "messages", Extension(0, ["m", "n", "a"]))]))
    assert told(session.conversations[0].history()) == [("user", QUESTION), ("user", "a")]
    assert [each.detail for each in session.unread] == [
        "the checkpoint 2 cannot be unpacked: the byte 0xc1 begins nothing",
        "an entry that is not a message",
    ]


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"\x05", 5),
        (b"\xff", -1),
        (b"\xcd\x01\x00", 256),
        (b"\xa2hi", "hi"),
        (b"\xc4\x02hi", "aGk="),
        (b"\x92\xc2\xc3", [False, True]),
        (b"\x82\xa1a\xc0\x01\x02", {"a": None, "1": 2}),
        (b"\xd4\x07\x05", (7, 5)),
        (b"\xc7\x02\x05\xa1a", (5, "a")),
        (packed({"a": [1.5, "b", b"hi"]}), {"a": [1.5, "b", "aGk="]}),
    ],
)
def test_packed_values_are_unpacked(data: bytes, value: object) -> None:
    assert unpack(data, lambda code, inner: (code, inner)) == value


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "ends too soon"),
        (b"\xa5hi", "ends too soon"),
        (b"\x01\x02", "follows its end"),
        (b"\xd5\x00\x01\x02", "follows the end of an extension"),
        (b"\xc1", "begins nothing"),
        (b"\x91" * (MAX_DEPTH + 2), "too deep"),
        (struct.pack(">BI", 0xDD, 2**32 - 1), "ends too soon"),
    ],
)
def test_what_is_no_packed_value_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        unpack(data, lambda _, inner: inner)


def test_keys_of_keys_are_refused() -> None:
    with pytest.raises(ValueError, match="a key holds other values"):
        unpack(b"\x81" * 40 + b"\0" * 80, lambda _, inner: inner)
