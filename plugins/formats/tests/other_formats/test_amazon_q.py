"""Conversations of Amazon Q and of Kiro: what is cancelled, compacted, waiting or shown, and their databases."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.formats.story import ANSWER, LOOKING, QUESTION, RESULT, told, value
from tests.formats.test_databases import database

from message_history import ImageBlock
from message_history.files.files import NotRecognisedError
from message_history.formats.reading import session_in
from other_formats.samples.amazon_q import AMAZON_Q, AMAZON_Q_TOOL

if TYPE_CHECKING:
    from message_history.files.conversations import Conversation

CANCELLED = {"tool_use_id": "c1", "content": [{"Text": "Tool use was cancelled by the user"}], "status": "Error"}
ASKED, ANSWERED = AMAZON_Q["history"]


def read(**changed: Any) -> Conversation:
    (conversation,) = session_in(value({**AMAZON_Q, **changed})).conversations
    return conversation


def answered(*content: Any, status: str = "Success") -> dict[str, Any]:
    results = [{"tool_use_id": "c1", "content": content, "status": status}]
    return {**ANSWERED, "user": {"content": {"ToolUseResults": {"tool_use_results": results}}}}


def test_a_conversation_has_its_tools_and_counts_what_is_no_part_of_it() -> None:
    conversation = read()
    assert conversation.tools == ({**AMAZON_Q_TOOL, "input_schema": {"type": "object"}},)
    assert (conversation.origin.id, conversation.omitted) == ("s", (("contexts of messages", 1),))


def test_what_was_said_as_calls_were_cancelled_follows_their_results() -> None:
    content = {"CancelledToolUses": {"prompt": "Wait.", "tool_use_results": [CANCELLED]}}
    entries = read(history=[ASKED, {**ANSWERED, "user": {"content": content}}]).file.entries
    assert [block["type"] for block in entries[2]["content"]] == ["tool_result", "text"]
    assert entries[2]["content"][0]["is_error"] is True
    assert entries[2]["content"][1]["text"] == "Wait."


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ([{"Json": {"exit_status": "0"}}], '{"exit_status": "0"}'),
        ([{"Text": ""}], ""),
        ([{"Text": "a"}, {"Json": [1]}], [{"type": "text", "text": "a"}, {"type": "text", "text": "[1]"}]),
        ([], ""),
        ([{"Table": 1}], '{"Table": 1}'),
    ],
)
def test_results_are_texts_or_json(content: list[Any], found: Any) -> None:
    assert read(history=[ASKED, answered(*content)]).file.entries[2]["content"][0]["content"] == found


def test_the_summary_of_what_was_compacted_comes_first_as_the_users() -> None:
    assert told(read(latest_summary=["Long ago.", {}]).history())[:2] == [("user", "Long ago."), ("user", QUESTION)]
    assert told(read(latest_summary=["Long ago.", {}], history=[]).history()) == [("user", "Long ago.")]


def test_a_message_that_waits_to_be_sent_is_the_last() -> None:
    waiting = answered({"Text": RESULT})["user"]
    assert told(read(history=[ASKED], next_message=waiting).history())[-1] == ("result", RESULT)
    assert told(read(next_message={"content": {"Prompt": {"prompt": "And?"}}}).history())[-1] == ("user", "And?")


@pytest.mark.parametrize(("numbers", "is_image"), [([104, 105], True), ([999], False), (None, False)])
def test_images_are_of_numbers(numbers: list[int] | None, is_image: bool) -> None:
    shown = {**ASKED["user"], "images": [{"format": "Png", "source": {"Bytes": numbers}}]}
    first = read(history=[{**ASKED, "user": shown}, ANSWERED]).history()[0].content[0]
    assert isinstance(first, ImageBlock) is is_image


def test_what_is_of_an_unknown_form_is_counted() -> None:
    strange = [{"user": {"content": {"Poem": {}}}, "assistant": {}}, 3, [ASKED["user"]]]
    session = session_in(value({**AMAZON_Q, "history": [ASKED, *strange, ANSWERED], "next_message": {"content": 1}}))
    assert [note.detail for note in session.unread] == [
        *["an entry that is not a pair of messages"] * 3,
        "a message of an unknown kind",
    ]
    assert told(session.conversations[0].history())[-1] == ("assistant", ANSWER)


@pytest.mark.parametrize(
    "changed", [{"conversation_id": 1}, {"history": {}}, {"history": [{"user": "a", "assistant": "b"}]}]
)
def test_other_objects_with_a_history_are_none(changed: dict[str, Any]) -> None:
    with pytest.raises(NotRecognisedError):
        session_in(value({**AMAZON_Q, **changed}))


def test_the_databases_of_kiro_keep_many_conversations_of_a_directory() -> None:
    other = {**AMAZON_Q, "conversation_id": "t", "history": [{**ASKED, "assistant": ANSWERED["assistant"]}]}
    columns = "key, conversation_id, value, created_at, updated_at"
    rows = [
        ("/tmp", "s", json.dumps(AMAZON_Q), 1, 2),
        ("/tmp", "t", json.dumps(other), 1, 3),
        ("/tmp", "u", "{}", 1, 1),
        ("/tmp", "v", json.dumps({**AMAZON_Q, "conversation_id": "v", "history": []}), 1, 1),
    ]
    old = ("key, value", [("/tmp", json.dumps(AMAZON_Q))])
    session = session_in(database({"conversations_v2": (columns, rows), "conversations": old}))
    assert session.format.name == "amazon-q-database"
    assert [(each.origin.id, each.origin.label) for each in session.conversations] == [
        ("t", ""),
        ("s", "conversation s"),
    ]
    assert told(session.conversations[1].history())[1] == ("assistant", LOOKING)
    assert [note.detail for note in session.unread] == ["a conversation of an unknown form"]
