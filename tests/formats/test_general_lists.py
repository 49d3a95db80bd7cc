"""A list that no program is known by is written only when all of it is certainly a provider's."""

from __future__ import annotations

from typing import Any

import pytest

from message_history import RepairCode
from message_history.files.files import NotRecognisedError
from message_history.formats import registry
from message_history.formats.reading import session_in
from tests.formats.story import ANSWER, CHAT, QUESTION, lines, told, value


def test_a_message_whose_role_is_damaged_is_held_whole_in_its_repair() -> None:
    session = session_in(lines(*CHAT, {"role": "usr", "content": "And b.txt?"}))
    assert session.format.name == "messages"
    assert [each.code for each in session.conversations[0].history().repairs] == [RepairCode.ENTRY_DROPPED]


@pytest.mark.parametrize("installed", [True, False])
def test_what_is_not_recognised_says_which_extra_reads_more(installed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda _: object() if installed else None)
    with pytest.raises(NotRecognisedError) as caught:
        session_in(b'[{"who": "me"}]')
    assert str(caught.value).endswith("; pip install 'message-history[formats]' brings more formats") is not installed


def test_a_file_of_tasks_is_like_no_format() -> None:
    with pytest.raises(NotRecognisedError) as refused:
        session_in(value([{"task": "Sweep the floor."}, {"plan": "By noon."}]))
    assert list(refused.value.nearest) == []


@pytest.mark.parametrize(
    "file",
    [
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,aGk="}},
        {"type": "file", "file": {"path": "a.png", "meta": {"_type": "gradio.FileData"}}, "alt_text": None},
    ],
)
def test_a_file_of_an_api_is_not_taken_for_cline_s(file: dict[str, Any]) -> None:
    asked = [file, {"type": "text", "text": QUESTION}]
    session = session_in(value([{"role": "user", "content": asked}, {"role": "assistant", "content": ANSWER}]))
    assert session.format.name == "messages"
    assert told(session.conversations[0].history()) == [("user", QUESTION), ("assistant", ANSWER)]


@pytest.mark.parametrize(
    ("bare", "codes"),
    [
        ({"role": "assistant", "id": "m1", "timestamp": 1}, [RepairCode.EMPTY_MESSAGE_DROPPED]),
        ({"role": "assistant", "model": "m", "usage": {"total": 3}}, [RepairCode.EMPTY_MESSAGE_DROPPED]),
        ({"role": "tool", "tool_call_id": "c9"}, [RepairCode.ORPHAN_RESULT_DROPPED]),
    ],
)
def test_a_message_that_lost_its_content_is_an_empty_one(bare: dict[str, Any], codes: list[RepairCode]) -> None:
    session = session_in(value([*CHAT[:1], bare, *CHAT[1:]]))
    (conversation,) = session.conversations
    assert (session.format.name, session.unread) == ("messages", ())
    assert [each.code for each in conversation.history().repairs] == codes
    # Heads alone may be anything, as the users of a program.
    for alone in ([bare, bare], [{"role": "user", "id": 1, "name": "Ada"}, {"role": "assistant", "id": 2}]):
        with pytest.raises(NotRecognisedError):
            session_in(value(alone))


def test_records_of_another_program_are_none_of_codex_s() -> None:
    records = [{"record_type": "object", "id": "1"}, {"record_type": "state", "of": "1"}]
    with pytest.raises(NotRecognisedError):
        session_in(lines(*records))
    with pytest.raises(NotRecognisedError):
        session_in(lines({"id": "1", "timestamp": "t", "instructions": "Mix.", "tools": [], "recipe": "x"}))


PAIRS = [["human", QUESTION], ["ai", ANSWER]]


@pytest.mark.parametrize(
    "pairs",
    [
        [["Hi", "Hello"], ["Who are you?", "Nobody."]],
        [*PAIRS, ["Oracle", "42"]],
        [*PAIRS, ["human"]],
        [*PAIRS, "And then?"],
        [["human", QUESTION], ["human", "Well?"]],
    ],
)
def test_pairs_are_read_only_where_all_are_of_a_known_role(pairs: list[Any]) -> None:
    for whole in (pairs, {"messages": pairs}):
        with pytest.raises(NotRecognisedError):
            session_in(value(whole))


@pytest.mark.parametrize(
    ("whole", "why"),
    [
        ({"wind": 1}, "it holds no list of messages, but an object without `messages`, with the key 'wind'$"),
        (dict.fromkeys("abcdefghij"), "with the keys 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h' and 2 more$"),
        ({}, "it holds no list of messages, but an empty object$"),
        (
            {"messages": {"m1": "Hi"}},
            "its `messages` are not a list, but an object without `messages`, with the key 'm1'",
        ),
        ([{"wind": 1, "rain": 2}], "the first is an object without `messages`, with the keys 'wind', 'rain'$"),
        (["Hi"], "no entry in it is a message; the first is a text$"),
        ({"id": "1", "choices": []}, "but one reply of an API alone, with the keys 'id', 'choices'$"),
        (
            {"role": "assistant", "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn", "usage": {}},
            "but it is one reply of an API alone, without the messages that it answers; ",
        ),
    ],
)
def test_a_refusal_names_the_keys_that_there_are(whole: Any, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda _: object())
    with pytest.raises(NotRecognisedError, match=why):
        session_in(value(whole))
