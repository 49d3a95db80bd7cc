"""Files that are not conversations, however much they look like one, are not recognised and never written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from message_history.cli.app import app
from message_history.files.files import NotRecognisedError, UnreadableFileError
from message_history.formats.reading import session_in
from message_history.formats.registry import FORMATS
from tests.formats.every_sample import SAMPLES
from tests.formats.samples.pi import PI
from tests.formats.story import ANSWER, CHAT, QUESTION, lines, told, value

if TYPE_CHECKING:
    from pathlib import Path

PAGE = b"# Guide\n\nSend a message:\n\n```json\n%s\n```\n\nThen read the answer.\n\nThat is all.\n"
EVENTS: list[dict[str, Any]] = [
    {"type": "ToolCallStartEvent", "event_kind": "start", "tool_call_id": "c1", "title": "Reading", "content": []},
    {"type": "ToolCallProgressEvent", "event_kind": "progress", "tool_call_id": "c1", "message": "Half of it is read."},
]
REPLIES: list[dict[str, Any]] = [
    {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [{"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 3, "output_tokens": 5},
    },
    {
        "id": "resp_1",
        "object": "response",
        "created_at": 1742025348,
        "output": [
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": ANSWER}],
            }
        ],
        "usage": {"input_tokens": 3, "output_tokens": 5, "total_tokens": 8},
    },
    {
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "Words without a signature."}, {"type": "text", "text": ANSWER}],
        "api": "openai-completions",
        "usage": {"input": 3, "output": 5},
        "stopReason": "stop",
    },
]


def is_left_alone(data: bytes, folder: Path) -> bool:
    """Return whether no command writes a file, or anything beside it."""
    file = folder / "a.json"
    file.write_bytes(data)
    for command in (["doctor", "--fix", "--in-place", str(folder)], ["repair", str(file)], ["doctor", str(file)]):
        CliRunner().invoke(app, command)
    return file.read_bytes() == data and list(folder.iterdir()) == [file]


@pytest.mark.parametrize("quoted", [*CHAT[:2], {"type": "user", "message": {"role": "user", "content": QUESTION}}])
def test_a_page_that_quotes_messages_is_no_session(quoted: dict[str, Any], tmp_path: Path) -> None:
    page = PAGE % json.dumps(quoted).encode()
    with pytest.raises(NotRecognisedError):
        session_in(page)
    assert is_left_alone(page, tmp_path)


@pytest.mark.heavy
def test_a_page_that_quotes_a_whole_session_is_not_recognised_as_one() -> None:
    for sample in SAMPLES:
        if not FORMATS[sample.format].of_text and b"\n" in sample.data.strip():
            prose = b"\n".join([b"Words of a page."] * 200)
            with pytest.raises(UnreadableFileError):
                session_in(prose + b"\n" + sample.data)


def test_a_session_with_some_lines_of_a_log_in_it_is_one() -> None:
    sample = next(each for each in SAMPLES if each.format == "pi")
    session = session_in(b"a line of a log\n" + sample.data)
    assert (session.format.name, session.skipped) == ("pi", 1)


def test_events_with_the_id_of_a_call_are_no_messages(tmp_path: Path) -> None:
    for number, data in enumerate((value(EVENTS), lines(*EVENTS))):
        with pytest.raises(NotRecognisedError):
            session_in(data)
        folder = tmp_path / str(number)
        folder.mkdir()
        assert is_left_alone(data, folder)


def test_a_message_of_chat_completions_that_lost_its_role_is_one() -> None:
    lost = {"content": ANSWER, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f"}}]}
    session = session_in(value([CHAT[0], lost]))
    assert (session.format.name, session.unread) == ("messages", ())


def test_a_file_of_which_no_message_would_be_left_is_not_written() -> None:
    session = session_in(value(EVENTS[:1]), chosen=FORMATS["messages"])
    with pytest.raises(UnreadableFileError):
        session.repair_file()
    blank = session_in(value([{"role": "user", "content": [{"type": "text", "text": ""}]}]))
    with pytest.raises(UnreadableFileError, match="it would hold no messages"):
        blank.repair_file()


@pytest.mark.parametrize("reply", REPLIES, ids=["messages", "responses", "pi"])
def test_a_reply_of_an_api_is_no_conversation(reply: dict[str, Any], tmp_path: Path) -> None:
    data = value(reply)
    with pytest.raises(NotRecognisedError, match="messages"):
        session_in(data)
    assert is_left_alone(data, tmp_path)
    assert session_in(data, chosen=FORMATS["messages"]).messages == 1


@pytest.mark.parametrize("data", [b"[]", b'{"messages": []}', b'{"messages":[],"model":"m"}\n'])
def test_an_empty_list_is_left_as_it_is_written(data: bytes, tmp_path: Path) -> None:
    assert session_in(data).repair_file().data == data
    assert is_left_alone(data, tmp_path)


def test_white_space_behind_the_last_answer_of_a_conversation_that_goes_on_is_sound() -> None:
    rows = [{"messages": [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": f"{ANSWER} \n"}]}]
    for data in (lines(*rows, *rows), value(rows[0])):
        session = session_in(data)
        assert session.violations() == []
        assert session.repair_file().data == data


def test_a_line_of_claude_code_without_a_link_follows_the_line_before() -> None:
    rows = [
        {"type": "user", "uuid": "u1", "sessionId": "s", "message": {"role": "user", "content": QUESTION}},
        {"type": "assistant", "uuid": "a1", "sessionId": "s", "message": {"role": "assistant", "content": ANSWER}},
        {"type": "user", "uuid": "u2", "parentUuid": "a1", "message": {"role": "user", "content": "And now?"}},
    ]
    (conversation,) = session_in(lines(*rows)).conversations
    assert told(conversation.history()) == [("user", QUESTION), ("assistant", ANSWER), ("user", "And now?")]
    (rest,) = session_in(lines(rows[0], {**rows[1], "parentUuid": None}, rows[2])).conversations
    assert told(rest.history())[-2:] == [("assistant", ANSWER), ("user", "And now?")]
    assert dict(rest.omitted)["lines of messages that were rewound or compacted"] == 1


def test_the_reply_of_a_logged_request_is_the_last_turn() -> None:
    asked = {"role": "user", "content": QUESTION}
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": ANSWER}]}
    item: dict[str, Any]
    for item in (
        {"request": {"input": QUESTION, "instructions": "Be brief."}, "response": {"output": [said]}},
        {"request": {"body": {"input": [asked]}}, "response": {"status_code": 200, "body": {"output": [said]}}},
        {"messages": [asked], "response": {"choices": [{"message": {"role": "assistant", "content": ANSWER}}, {}]}},
    ):
        for data in (value(item), lines(item, item)):
            session = session_in(data)
            assert (session.format.name, session.unread) == ("exchanges", ())
            history = session.conversations[-1].history()
            assert told(history) == [("user", QUESTION), ("assistant", ANSWER)]
            assert history.repairs == ()
    assert dict(session.conversations[0].omitted) == {"other choices": 1}


def test_a_request_without_a_reply_is_read_among_logged_exchanges_and_no_other_line() -> None:
    sample = next(each for each in SAMPLES if each.format == "exchanges")
    session = session_in(sample.data * 2 + lines({"messages": CHAT[:1], "response": None}, {"note": "x"}))
    failed = session.conversations[2]
    assert told(failed.history()) == [("user", QUESTION)]
    assert dict(failed.omitted) == {"requests without a reply": 1}
    assert [note.detail for note in session.unread] == ["an item without a request"]


def test_events_with_the_id_of_a_session_are_not_like_lines_of_claude_code() -> None:
    event = {"traceSchema": "openclaw-trajectory", "schemaVersion": 1, "type": "prompt.submitted", "sessionId": "s"}
    with pytest.raises(NotRecognisedError) as refused:
        session_in(lines({**event, "data": {"prompt": QUESTION}}))
    assert "claude-code" not in refused.value.nearest


@pytest.mark.parametrize("first", [0, 1, 2])
def test_the_end_of_a_session_of_pi_is_read_without_its_header(first: int) -> None:
    about = {"api": "a", "provider": "p"}
    messages: list[dict[str, Any]] = [{**each, **about} if each["role"] == "assistant" else each for each in PI]
    rows = [
        {"type": "message", "id": str(n), "parentId": str(n - 1), "message": message}
        for n, message in enumerate(messages)
    ]
    session = session_in(lines(*rows[first:]))
    assert (session.format.name, session.unread, session.messages) == ("pi", (), 4 - first)
