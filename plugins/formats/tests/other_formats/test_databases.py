"""Databases and archives are read from a copy in memory, whole, and never written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, told

from message_history.cli.app import app
from message_history.files.files import UnreadableFileError
from message_history.formats.reading import session_in
from message_history.formats.registry import FORMATS
from other_formats.samples.chat_databases import AGNO, LANGCHAIN_ROWS
from other_formats.samples.inspect_logs import INSPECT

if TYPE_CHECKING:
    from pathlib import Path

from tests.formats.packing import checkpoint_of, message_of
from tests.formats.story import CHAT, TEXT_ARGUMENTS
from tests.formats.test_databases import (
    STORY,
    Rows,
    archive,
    assert_read_whole,
    assert_refused_when_damaged,
    database,
    dumped,
)

from other_formats.samples.amazon_q import AMAZON_Q
from other_formats.samples.goose import GOOSE
from other_formats.samples.zed import ZED
from other_formats.test_every_format import DATABASES

ADK_EVENTS = [
    {"author": "user", "content": {"role": "user", "parts": [{"text": QUESTION}]}},
    {
        "author": "a",
        "content": {
            "role": "model",
            "parts": [{"text": LOOKING}, {"function_call": {"id": "c1", "name": "read_file", "args": ARGUMENTS}}],
        },
    },
    {
        "author": "a",
        "content": {
            "role": "user",
            "parts": [{"function_response": {"id": "c1", "name": "read_file", "response": {"result": RESULT}}}],
        },
    },
    {"author": "a", "content": {"role": "model", "parts": [{"text": ANSWER}]}},
]


def hermes_row(n: int, each: dict[str, Any]) -> tuple[Any, ...]:
    calls = dumped(each["tool_calls"]) if "tool_calls" in each else None
    return (n, "s", each["role"], each["content"], calls, each.get("tool_call_id"), 1)


CRUSH_PARTS = [
    ("user", [{"type": "text", "data": {"text": QUESTION}}]),
    (
        "assistant",
        [
            {"type": "reasoning", "data": {"thinking": "hm", "signature": ""}},
            {"type": "text", "data": {"text": LOOKING}},
            {"type": "tool_call", "data": {"id": "c1", "name": "read_file", "input": TEXT_ARGUMENTS}},
            {"type": "finish", "data": {"reason": "tool_use"}},
        ],
    ),
    ("tool", [{"type": "tool_result", "data": {"tool_call_id": "c1", "content": RESULT, "is_error": False}}]),
    ("assistant", [{"type": "text", "data": {"text": ANSWER}}, {"type": "finish", "data": {"reason": "end_turn"}}]),
]
AGENT_ITEMS: list[dict[str, Any]] = [
    {"role": "user", "content": QUESTION},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": LOOKING}]},
    {"type": "function_call", "call_id": "c1", "name": "read_file", "arguments": TEXT_ARGUMENTS},
    {"type": "function_call_output", "call_id": "c1", "output": RESULT},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": ANSWER}]},
]
WEBUI = {
    "history": {
        "currentId": "2",
        "messages": {
            "1": {"id": "1", "parentId": None, "role": "user", "content": QUESTION},
            "2": {"id": "2", "parentId": "1", "role": "assistant", "content": ANSWER, "output": AGENT_ITEMS[1:]},
        },
    },
}

CHECKPOINTS = "thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata"
WRITES = "thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, value"
LANGGRAPH = checkpoint_of(
    messages=[
        message_of("HumanMessage", type="human", content=QUESTION),
        message_of(
            "AIMessage", type="ai", content=LOOKING, tool_calls=[{"id": "c1", "name": "read_file", "args": ARGUMENTS}]
        ),
        message_of("ToolMessage", type="tool", content=RESULT, tool_call_id="c1"),
        message_of("AIMessage", type="ai", content=ANSWER, tool_calls=[]),
    ]
)
FILES: dict[str, Rows] = {
    "langgraph-database": {
        "checkpoints": (CHECKPOINTS, [("t", "", "1", None, "msgpack", LANGGRAPH, b"{}")]),
        "writes": (WRITES, []),
    },
    "openai-agents-database": {
        "agent_sessions": ("session_id, created_at, updated_at", [("s", "t", "t")]),
        "agent_messages": (
            "id, session_id, message_data, created_at",
            [(n, "s", dumped(each), "t") for n, each in enumerate(AGENT_ITEMS)],
        ),
    },
    "open-webui-database": {
        "chat": ("id, user_id, title, chat, updated_at", [("s", "u", "A file", dumped(WEBUI), 1)]),
    },
    "adk-database": {
        "sessions": ("app_name, user_id, id, update_time", [("a", "u", "s", "2026"), ("a", "v", "s", "2025")]),
        "events": (
            "id, app_name, user_id, session_id, invocation_id, timestamp, event_data",
            [(f"e{n}", "a", "u", "s", "i", f"t{n}", dumped(each)) for n, each in enumerate(ADK_EVENTS)],
        ),
    },
    "goose-database": {
        "sessions": ("id, name, description, working_dir, updated_at", [("s", "A file", "", "/", "2026")]),
        "messages": (
            "id, session_id, role, content_json, metadata_json",
            [(n, "s", each["role"], dumped(each["content"]), None) for n, each in enumerate(GOOSE)],
        ),
    },
    "hermes-database": {
        "sessions": ("id, title, source, started_at, system_prompt", [("s", "A file", "cli", 1.0, None)]),
        "messages": (
            "id, session_id, role, content, tool_calls, tool_call_id, active",
            [*(hermes_row(n, each) for n, each in enumerate(CHAT)), (9, "s", "user", "rewound", None, None, 0)],
        ),
    },
    "crush": {
        "sessions": (
            "id, title, prompt_tokens, updated_at, summary_message_id",
            [("s", "A file", 1, 1, None)],
        ),
        "messages": (
            "id, session_id, role, parts, created_at",
            [(f"m{n}", "s", role, dumped(parts), n) for n, (role, parts) in enumerate(CRUSH_PARTS)],
        ),
    },
    "zed-database": {
        "threads": ("id, summary, updated_at, data_type, data", [("s", "A file", "2026", "json", dumped(ZED))]),
    },
    "amazon-q-database": {
        "conversations": ("key, value", [("/tmp", dumped(AMAZON_Q))]),
        "state": ("key, value", []),
    },
}


def test_every_database_is_read_here() -> None:
    assert set(FILES) == DATABASES


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_database_is_read_whole_and_never_written(name: str, tmp_path: Path) -> None:
    assert_read_whole(name, database(FILES[name]), tmp_path)


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_damaged_database_is_refused(name: str) -> None:
    assert_refused_when_damaged(database(FILES[name]))


def samples_of(log: dict[str, Any]) -> list[Any]:
    found: list[Any] = log["samples"]
    return found


def test_a_broken_session_in_a_database_is_found_and_left_alone(tmp_path: Path) -> None:
    tables = dict(FILES["crush"])
    columns, rows = tables["messages"]
    tables["messages"] = (columns, [row for row in rows if row[2] != "tool"])
    file = tmp_path / "crush.db"
    file.write_bytes(database(tables))
    before = file.read_bytes()
    result = CliRunner().invoke(app, ["doctor", "--fix", "--in-place", str(tmp_path)])
    assert result.exit_code == 1
    assert "is read, not written" in result.output
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_bytes() == before


def test_sessions_of_a_database_are_conversations_of_their_own_the_newest_first() -> None:
    tables = dict(FILES["goose-database"])
    columns, rows = tables["sessions"]
    tables["sessions"] = (columns, [*rows, ("t", "Newer", "", "/", "2027")])
    hello = dumped([{"type": "text", "text": "Hello."}])
    tables["messages"] = (tables["messages"][0], [*tables["messages"][1], (99, "t", "user", hello, None)])
    newer, older = session_in(database(tables)).conversations
    assert (newer.origin.title, newer.label) == ("Newer", "")
    assert (older.origin.title, older.label) == ("A file", "session s")


def test_a_summary_of_crush_takes_the_place_of_what_was_before_it() -> None:
    tables = dict(FILES["crush"])
    tables["sessions"] = (tables["sessions"][0], [("s", "A file", 1, 1, "m3")])
    (conversation,) = session_in(database(tables)).conversations
    assert told(conversation.history()) == [("user", ANSWER)]
    assert dict(conversation.omitted)["messages that a summary takes the place of"] == 3


def test_rows_of_langchain_and_sessions_of_agno_are_read_from_their_databases() -> None:
    stored = [(row["id"], row["session_id"], dumped(row["message"])) for row in LANGCHAIN_ROWS]
    runs = dumped(AGNO["runs"])
    columns = "session_id, session_type, runs, created_at"
    for name, tables in (
        ("langchain-rows", {"message_store": ("id, session_id, message", [*stored, (9, "t", "no JSON")])}),
        (
            "agno",
            {"agno_sessions": (columns, [("s", "agent", runs, 2), ("t", "agent", "[]", 1), ("u", "agent", "3", 0)])},
        ),
    ):
        session = session_in(database(tables))
        (conversation, *_) = session.conversations
        assert (session.format.name, told(conversation.history()), len(session.unread)) == (name, STORY, 1)


def test_events_of_adk_with_a_column_for_the_content_are_read() -> None:
    rows = [
        (f"e{n}", "a", "u", "s", "i", f"t{n}", each["author"], dumped(each["content"]), 0)
        for n, each in enumerate(ADK_EVENTS)
    ]
    columns = "id, app_name, user_id, session_id, invocation_id, timestamp, author, content, partial"
    session = session_in(database({**FILES["adk-database"], "events": (columns, rows)}))
    assert told(session.conversations[0].history()) == STORY


def test_an_archive_of_inspect_is_read_sample_by_sample() -> None:
    samples = {f"samples/{n}_epoch_1.json": dumped(each) for n, each in enumerate(samples_of(INSPECT))}
    session = session_in(archive({"header.json": "{}", "summaries.json": "[]", **samples}))
    assert session.format.name == "inspect"
    assert told(session.conversations[0].history()) == STORY


def test_a_database_can_be_asked_for_by_name() -> None:
    with pytest.raises(UnreadableFileError):
        session_in(b"[]", chosen=FORMATS["crush"])
