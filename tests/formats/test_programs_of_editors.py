"""What files of editors and their agents hold beside the story that every format is tested with."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from message_history import from_file
from message_history.cli.app import app
from message_history.files.files import NotRecognisedError, content_of
from message_history.formats.examining import find_files
from message_history.formats.reading import session_in
from tests.formats.samples.gemini_cli import GEMINI_CLI
from tests.formats.samples.opencode import OPENCODE
from tests.formats.story import (
    ANSWER,
    ARGUMENTS,
    LOOKING,
    QUESTION,
    RESULT,
    TOOL_USE,
    lines,
    told,
    value,
)

if TYPE_CHECKING:
    from pathlib import Path

STORY = [("user", QUESTION), ("assistant", LOOKING), ("call", "read_file"), ("result", RESULT), ("assistant", ANSWER)]


def test_a_list_whose_results_name_their_call_by_another_key_is_not_recognised_and_not_written(tmp_path: Path) -> None:
    odd = {"type": "tool_result", "toolUseID": "c1", "run": {"status": "done", "result": RESULT}}
    content = value({"messages": [{"role": "assistant", "content": [TOOL_USE]}, {"role": "user", "content": [odd]}]})
    file = tmp_path / "thread.json"
    file.write_bytes(content)
    with pytest.raises(NotRecognisedError):
        session_in(content)
    result = CliRunner().invoke(app, ["doctor", "--fix", "--in-place", str(tmp_path)])
    assert result.exit_code == 1
    assert file.read_bytes() == content


def test_a_list_with_calls_as_programs_write_them_is_not_taken_for_an_api_s() -> None:
    asked = {"type": "toolRequest", "id": "c1", "toolCall": {"status": "success", "value": {"name": "f"}}}
    rows = [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": [asked, {"type": "brandNew"}]}]
    for data in (value({"conversation": rows, "id": "s"}), value(rows)):
        with pytest.raises(NotRecognisedError, match="would be lost"):
            session_in(data)


def test_a_damaged_result_of_the_messages_api_is_still_recognised() -> None:
    damaged = {"type": "tool_result", "content": RESULT}
    rows = [{"role": "user", "content": [damaged]}]
    assert session_in(value(rows)).format.name == "messages"


def test_a_transcript_of_vs_code_holds_calls_that_no_reply_asks_for_and_is_not_written(tmp_path: Path) -> None:
    about = {"sessionId": "s", "producer": "copilot-agent", "vscodeVersion": "1.119.0"}
    rows = [
        {"type": "session.start", "data": about},
        {"type": "user.message", "data": {"content": QUESTION}},
        {
            "type": "tool.execution_start",
            "data": {"toolCallId": "c1", "toolName": "read_file", "arguments": ARGUMENTS},
        },
        {"type": "tool.execution_complete", "data": {"toolCallId": "c1", "result": {"content": RESULT}}},
        {"type": "tool.execution_start", "data": {"toolCallId": "c2", "toolName": "f", "arguments": {}}},
    ]
    file = tmp_path / "s.jsonl"
    file.write_bytes(lines(*rows))
    words = told(session_in(lines(*rows)).conversations[0].history())
    assert words[:3] == [("user", QUESTION), ("call", "read_file"), ("result", RESULT)]
    assert CliRunner().invoke(app, ["doctor", "--fix", "--in-place", str(tmp_path)]).exit_code == 0
    assert file.read_bytes() == lines(*rows)


def test_a_chat_of_gemini_cli_without_a_header_is_recognised() -> None:
    session = session_in(lines(*GEMINI_CLI, {"$set": {"lastUpdated": "u"}}))
    assert session.format.name == "gemini-cli"
    assert told(session.conversations[0].history()) == STORY


def opencode_storage(folder: Path) -> Path:
    """Write opencode's sample as the files of its older storage."""
    root = folder / "storage"
    exported: list[dict[str, Any]] = json.loads(json.dumps(OPENCODE))["messages"]
    for n, each in enumerate(exported):
        message = {**each["info"], "id": f"m{n}", "sessionID": "s", "time": {"created": n}}
        files = {
            f"message/s/{9 - n}.json": message,
            **{f"part/m{n}/{m}.json": {**part, "messageID": f"m{n}"} for m, part in enumerate(each["parts"])},
        }
        for name, content in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(value(content))
    (root / "session" / "p").mkdir(parents=True)
    (root / "session" / "p" / "s.json").write_bytes(value({"id": "s", "title": "A file", "time": {"updated": 5}}))
    (root / "message" / "later").mkdir()
    hello = {"id": "h", "role": "user", "time": {"created": 1}}
    (root / "message" / "later" / "h.json").write_bytes(value(hello))
    (root / "part" / "h.json").write_bytes(value({"messageID": "h", "type": "text", "text": "Hello."}))
    return root


def test_the_storage_of_opencode_is_joined_and_so_is_one_session_in_it(tmp_path: Path) -> None:
    root = opencode_storage(tmp_path)
    for path in (root, root / "message" / "s"):
        first, *others = from_file(path)
        assert told(first.history()) == STORY
        assert (first.origin.format, first.origin.id, first.origin.title) == ("opencode", "s", "A file")
        assert [told(each.history()) for each in others] == ([[("user", "Hello.")]] if path == root else [])
    before = {file: file.read_bytes() for file in root.rglob("*.json")}
    result = CliRunner().invoke(app, ["check", str(root)])
    assert (result.exit_code, "messages, no violations" in result.output) == (0, True)
    result = CliRunner().invoke(app, ["repair", str(root)])
    assert (result.exit_code, "a folder is read, not written" in result.output) == (1, True)
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before


def test_a_folder_of_other_events_is_searched_file_by_file(tmp_path: Path) -> None:
    events = tmp_path / "events"
    events.mkdir()
    (events / "1.json").write_bytes(value({"name": "a click"}))
    assert find_files([tmp_path]) == ([events / "1.json"], [])


def test_a_file_of_opencode_s_storage_that_is_damaged_is_reported(tmp_path: Path) -> None:
    root = opencode_storage(tmp_path)
    (root / "message" / "s" / "0.json").write_bytes(b'{"id": "m9", "ro')
    (note,) = session_in(content_of(root)).unread
    assert note.detail == "a message without a role"


def test_databases_are_found_in_folders_by_their_first_bytes(tmp_path: Path) -> None:
    for name in ("a.db", "b.sqlite", "c.vscdb"):
        (tmp_path / name).write_bytes(b"no database")
    found = tmp_path / "store.db"
    found.write_bytes(b"SQLite format 3\0 and more")
    assert find_files([tmp_path]) == ([found], [])
