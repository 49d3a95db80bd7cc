"""Data sets of plain texts, lists under other names, and what small variants of known formats hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from message_history.cli.app import app
from message_history.files.files import NotRecognisedError
from message_history.formats.reading import session_in
from message_history.formats.registry import FORMATS
from tests.formats.story import ANSWER, CHAT, QUESTION, lines, told, value

if TYPE_CHECKING:
    from pathlib import Path

PAIR = [("user", QUESTION), ("assistant", ANSWER)]


@pytest.mark.parametrize(
    "row",
    [{"chosen": "a", "rejected": "b"}, {"prompt": QUESTION}, {"prompt": QUESTION, "completion": 1}, {"output": "a"}],
)
def test_texts_that_are_no_pair_are_not_recognised(row: dict[str, Any]) -> None:
    with pytest.raises(NotRecognisedError):
        session_in(lines(row))


@pytest.mark.parametrize("item", [{"type": "reasoning", "summary": []}, {"type": "item_reference", "id": "a"}])
def test_a_role_of_no_dialect_is_named_among_items_without_a_role(item: dict[str, Any]) -> None:
    with pytest.raises(NotRecognisedError, match="no dialect knows the role 'bot' of entry 2"):
        session_in(value([item, {"role": "user", "content": "a"}, {"role": "bot", "content": "b"}]))


def test_lists_under_other_names_are_conversations_and_other_keys_are_counted() -> None:
    rows = lines({"id": "d", "dialogue": CHAT, "scores": [1]}, {"dialogue": CHAT[:1]}, {"other": 1})
    session = session_in(rows, chosen=FORMATS["named-lists"])
    first, second = session.conversations
    assert (first.origin.id, first.omitted) == ("d", (("other keys next to the messages", 2),))
    assert (second.label, len(session.unread)) == ("item 2, dialogue", 1)


@pytest.mark.parametrize("answered", [CHAT[3], {"message": CHAT[3]}, {"messages": CHAT[3:]}, CHAT[3:]])
def test_a_test_s_row_goes_on_from_what_is_asked_to_what_is_expected(answered: Any) -> None:
    row = {"inputs": {"messages": CHAT[:1]}, "outputs": answered, "metadata": {"split": "a"}}
    session = session_in(lines(row, row))
    assert [told(each.history()) for each in session.conversations] == [PAIR, PAIR]
    assert session.conversations[0].omitted == (("other keys next to the messages", 1),)


@pytest.mark.parametrize(
    "whole",
    [
        {"history": CHAT, "deep": {"deeper": {"message": CHAT[0]}}},
        {"history": CHAT, "nodes": [{"text": "a"}]},
        {"history": CHAT, "state": {"nodes": [[{"text": "a"}]]}},
        {"history": [*CHAT, {"role": "narrator", "content": "a"}]},
        {"history": []},
    ],
)
def test_lists_beside_others_that_would_be_lost_are_not_recognised(whole: dict[str, Any]) -> None:
    with pytest.raises(NotRecognisedError):
        session_in(value(whole))


def test_rows_with_a_message_each_are_one_conversation_unless_they_have_parents() -> None:
    rows = [{"agent": "root", "message": message} for message in CHAT]
    for data in (value(rows), lines(*rows)):
        (found,) = session_in(data).conversations
        assert told(found.history()) == told(session_in(value(CHAT)).conversations[0].history())
        assert found.omitted == (("other keys next to the messages", 4),)
    for other in ({"parentId": "a"}, {"metadata": {"message": CHAT[0]}}, {"message": {"text": "a"}}):
        with pytest.raises(NotRecognisedError):
            session_in(value([*rows, {"message": CHAT[0], **other}]))


def test_the_texts_that_codex_showed_are_read_where_no_items_are_in_its_file(tmp_path: Path) -> None:
    events = [
        {"type": "user_message", "message": QUESTION},
        {"type": "agent_reasoning", "text": "A thought."},
        {"type": "agent_message", "message": ANSWER},
        {"type": "token_count", "info": None},
    ]
    rows = [{"type": "session_meta", "payload": {"id": "s", "cwd": "/"}}]
    data = lines(*rows, *({"timestamp": "t", "type": "event_msg", "payload": event} for event in events))
    (found,) = session_in(data).conversations
    assert (found.origin.format, told(found.history())) == ("codex", PAIR)
    assert sum(times for _, times in found.omitted) == 2
    file = tmp_path / "a.jsonl"
    file.write_bytes(data)
    assert CliRunner().invoke(app, ["doctor", "--fix", "--in-place", str(tmp_path)]).exit_code == 0
    assert file.read_bytes() == data
