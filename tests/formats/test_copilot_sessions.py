"""Sessions of Copilot CLI are read as the program goes on with them, and repaired so that it can."""

from __future__ import annotations

import json

import pytest

from message_history.files.files import UnreadableFileError
from message_history.formats.reading import session_in
from tests.formats.copilot_events import BROKEN, EVENTS, done, events, reply, user
from tests.formats.story import ANSWER, LOOKING, QUESTION, RESULT, lines, told


@pytest.mark.parametrize("name", EVENTS)
def test_only_what_the_program_cannot_go_on_with_is_broken(name: str) -> None:
    data = lines(*EVENTS[name])
    session = session_in(data)
    repaired = session.repair_file()
    assert bool(session.violations()) == (name in BROKEN)
    assert (repaired.data != data) == (name in BROKEN)
    assert repaired.after.violations() == []
    assert repaired.after.repair_file().data == repaired.data
    assert set(data.splitlines()) - set(repaired.data.splitlines()) == set(moved_or_removed(name, data))


def moved_or_removed(name: str, data: bytes) -> list[bytes]:
    rows = data.splitlines()
    if name == "a result that came late":
        return [rows[4]]
    return [rows[2]] if name == "a result of no call" else []


def test_a_call_that_was_never_answered_gets_an_event_right_behind_it() -> None:
    name = "a call that was never answered, and the session went on"
    rows = [json.loads(row) for row in session_in(lines(*EVENTS[name])).repair_file().data.splitlines()]
    made = rows[3]
    assert made["type"] == "tool.execution_complete"
    assert (made["data"]["toolCallId"], made["data"]["success"]) == ("c1", False)
    assert made["data"]["error"]["message"]
    assert (made["parentId"], made["timestamp"]) == (rows[2]["id"], rows[2]["timestamp"])
    assert len({row["id"] for row in rows}) == len(rows)


def test_a_compaction_takes_the_place_of_what_was_before_it_began() -> None:
    (main,) = session_in(lines(*EVENTS["a compaction while the user wrote"])).conversations
    assert told(main.history()) == [
        ("user", "Files were read."),
        ("user", "And b.txt?"),
        ("assistant", "One line."),
        ("user", "Thanks."),
    ]
    assert dict(main.omitted)["messages that a summary takes the place of"] == 4


def test_a_subagent_has_a_conversation_of_its_own() -> None:
    main, subagent = session_in(lines(*EVENTS["a subagent between a call and its result"])).conversations
    assert [words for _, words in told(main.history())] == [QUESTION, LOOKING, "read_file", RESULT, ANSWER]
    assert subagent.label == "subagent c1"
    assert [words for _, words in told(subagent.history()) if words != "[Conversation starts here.]"]


def test_results_with_images_and_attachments_keep_what_the_file_holds() -> None:
    image = {"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="}
    attachments = [
        {"type": "file", "path": "/a.txt", "displayName": "a.txt"},
        {"type": "selection", "filePath": "/b.txt", "text": "selected words"},
        {"type": "blob", "mimeType": "image/png", "data": "iVBORw0KGgo="},
    ]
    shown = {"content": "a picture", "binaryResultsForLlm": [image]}
    rows = events(
        ("user.message", {"content": QUESTION, "attachments": attachments, "transformedContent": "more words"}),
        reply(LOOKING, "c1"),
        ("tool.execution_complete", {"toolCallId": "c1", "success": True, "result": shown}),
    )
    (conversation,) = session_in(lines(*rows)).conversations
    asked, _, answered = conversation.file.entries
    assert [block.get("text") for block in asked["content"]] == [
        QUESTION,
        "[attached: /a.txt]",
        "[attached: /b.txt]",
        "selected words",
        None,
    ]
    assert [block["type"] for block in answered["content"][0]["content"]] == ["text", "image"]
    assert dict(conversation.omitted)["texts of the user as they were sent, with what the program added"] == 1


def test_a_line_that_the_program_cannot_open_is_left_out() -> None:
    rows = lines(*events(user(QUESTION), reply(ANSWER)))
    assert session_in(rows + b'{"type": "user.mess').repair_file().data == rows


def test_a_session_in_which_calls_share_an_id_is_not_written() -> None:
    rows = lines(*events(user(QUESTION), reply(LOOKING, "c1"), done("c1"), reply("More.", "c1"), user("And?")))
    session = session_in(rows)
    assert session.violations()
    with pytest.raises(UnreadableFileError, match="several calls have the id 'c1'"):
        session.repair_file()


@pytest.mark.parametrize(
    "result",
    [
        RESULT,
        {"content": RESULT},
        {"textResultForLlm": RESULT, "resultType": "success"},
        {"result_type": "success", "text_result_for_llm": RESULT},
    ],
)
def test_the_words_of_a_result_are_read_where_any_version_has_them(result: object) -> None:
    given = ("tool.execution_complete", {"toolCallId": "c1", "success": True, "result": result})
    session = session_in(lines(*events(user(QUESTION), reply(LOOKING, "c1"), given, reply(ANSWER))))
    assert session.violations() == []
    assert told(session.conversations[0].history())[3] == ("result", RESULT)


def test_a_result_of_an_unknown_form_is_kept_whole() -> None:
    given = ("tool.execution_complete", {"toolCallId": "c1", "success": True, "result": {"lines": [RESULT]}})
    session = session_in(lines(*events(user(QUESTION), reply(LOOKING, "c1"), given)))
    assert told(session.conversations[0].history())[3] == ("result", json.dumps({"lines": [RESULT]}))
