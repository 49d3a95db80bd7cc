"""Databases and archives are read from a copy in memory, whole, and never written."""

from __future__ import annotations

import gzip
import io
import json
import sqlite3
import zipfile
from contextlib import closing
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from message_history import ToolUseBlock, from_file
from message_history.cli.app import app
from message_history.files import containers
from message_history.files.files import NotRecognisedError, UnreadableFileError
from message_history.formats.reading import session_in
from message_history.formats.registry import FORMATS
from other_formats.samples.amazon_q import AMAZON_Q
from other_formats.samples.chat_databases import AGNO, LANGCHAIN_ROWS
from other_formats.samples.goose import GOOSE
from other_formats.samples.inspect_logs import INSPECT
from other_formats.samples.zed import ZED
from tests.formats.packing import checkpoint_of, message_of
from tests.formats.samples.opencode import OPENCODE
from tests.formats.samples.pi import PI
from tests.formats.story import ANSWER, ARGUMENTS, CHAT, LOOKING, QUESTION, RESULT, TEXT_ARGUMENTS, linked, told
from tests.formats.test_every_format import DATABASES

if TYPE_CHECKING:
    from pathlib import Path

STORY = [
    ("user", QUESTION),
    ("assistant", LOOKING),
    ("call", "read_file"),
    ("result", RESULT),
    ("assistant", ANSWER),
]
Rows = dict[str, tuple[str, list[tuple[Any, ...]]]]


def fill(connection: sqlite3.Connection, tables: Rows) -> None:
    for name, (columns, rows) in tables.items():
        connection.execute(f"CREATE TABLE {name} ({columns})")
        places = ", ".join("?" * len(columns.split(", ")))
        connection.executemany(f"INSERT INTO {name} VALUES ({places})", rows)
    connection.commit()


def database(tables: Rows) -> bytes:
    with closing(sqlite3.connect(":memory:")) as connection:
        fill(connection, tables)
        return connection.serialize()


def dumped(value: Any) -> str:
    return json.dumps(value)


def samples_of(log: dict[str, Any]) -> list[Any]:
    found: list[Any] = log["samples"]
    return found


OPENCODE_MESSAGES: list[Any] = json.loads(json.dumps(OPENCODE))["messages"]


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
BUBBLES: list[dict[str, Any]] = [
    {"type": 1, "text": "", "richText": dumped({"root": {"children": [{"children": [{"text": QUESTION}]}]}})},
    {"type": 2, "thinking": {"text": "hm", "signature": "s"}, "capabilityType": 30},
    {"type": 2, "text": LOOKING},
    {
        "type": 2,
        "text": "",
        "capabilityType": 15,
        "toolFormerData": {
            "name": "read_file",
            "toolCallId": "c1",
            "rawArgs": TEXT_ARGUMENTS,
            "result": RESULT,
            "status": "completed",
        },
    },
    {"type": 2, "text": "", "capabilityType": 22},
    {"type": 2, "text": ANSWER},
]
COMPOSER = {
    "composerId": "s",
    "name": "A file",
    "lastUpdatedAt": 2,
    "fullConversationHeadersOnly": [{"bubbleId": f"b{n}", "type": each["type"]} for n, each in enumerate(BUBBLES)],
}
AGENT_MESSAGES = [
    {"role": "user", "content": [{"type": "text", "text": QUESTION}]},
    {
        "role": "assistant",
        "content": [
            {"type": "reasoning", "text": "hm"},
            {"type": "text", "text": LOOKING},
            {"type": "tool-call", "toolCallId": "c1", "toolName": "read_file", "args": ARGUMENTS},
        ],
    },
    {
        "role": "tool",
        "content": [{"type": "tool-result", "toolCallId": "c1", "toolName": "read_file", "result": RESULT}],
    },
    {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]},
]
AGENT_BLOBS = [(f"{n:064x}", dumped(each).encode()) for n, each in enumerate(AGENT_MESSAGES)]
AGENT_ROOT = b"".join(b"\x0a\x20" + bytes.fromhex(id) for id, _ in AGENT_BLOBS) + b"\x10\x96\x01" + b"\x4a\x02/a"
AGENT_ABOUT = {"agentId": "s", "name": "A file", "latestRootBlobId": "f" * 64}


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
FILES: dict[str, Rows] = {
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
    "langgraph-database": {
        "checkpoints": (CHECKPOINTS, [("t", "", "1", None, "msgpack", LANGGRAPH, b"{}")]),
        "writes": (WRITES, []),
    },
    "adk-database": {
        "sessions": ("app_name, user_id, id, update_time", [("a", "u", "s", "2026"), ("a", "v", "s", "2025")]),
        "events": (
            "id, app_name, user_id, session_id, invocation_id, timestamp, event_data",
            [(f"e{n}", "a", "u", "s", "i", f"t{n}", dumped(each)) for n, each in enumerate(ADK_EVENTS)],
        ),
    },
    "cursor-database": {
        "cursorDiskKV": (
            "key, value",
            [
                ("composerData:s", dumped(COMPOSER).encode()),
                ("composerData:empty", dumped({"composerId": "empty", "fullConversationHeadersOnly": []})),
                *((f"bubbleId:s:b{n}", dumped(each)) for n, each in enumerate(BUBBLES)),
                ("bubbleId:s:gone", dumped({"type": 1, "text": "Said, and rewound."})),
                ("checkpointId:s:1", "{}"),
            ],
        ),
    },
    "cursor-agent-database": {
        "blobs": ("id, data", [*AGENT_BLOBS, ("f" * 64, AGENT_ROOT), ("e" * 64, AGENT_BLOBS[0][1])]),
        "meta": ("key, value", [("0", dumped(AGENT_ABOUT).encode().hex())]),
    },
    "opencode-database": {
        "session": ("id, title, time_created", [("s", "A file", 1), ("empty", "nothing yet", 2)]),
        "message": (
            "id, session_id, time_created, data",
            [(f"m{n}", "s", n, dumped(each["info"])) for n, each in enumerate(OPENCODE_MESSAGES)],
        ),
        "part": (
            "id, message_id, data",
            [
                (f"p{n}-{m}", f"m{n}", dumped(part))
                for n, each in enumerate(OPENCODE_MESSAGES)
                for m, part in enumerate(each["parts"])
            ],
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
    "openclaw-database": {
        "transcript_events": (
            "session_id, seq, event_json, event_zstd",
            [
                ("s", n, dumped(row), None)
                for n, row in enumerate([{"type": "session", "id": "s", "cwd": "/"}, *linked("message", PI)])
            ],
        ),
    },
}


def test_every_database_is_read_here() -> None:
    assert set(FILES) == DATABASES


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_database_is_read_whole_and_never_written(name: str, tmp_path: Path) -> None:
    data = database(FILES[name])
    session = session_in(data)
    assert (session.format.name, session.unread) == (name, ())
    history = session.conversations[0].history()
    assert told(history) == STORY
    assert history.repairs == ()
    (called,) = (block for message in history for block in message.content if isinstance(block, ToolUseBlock))
    assert (called.id, called.input) == ("c1", ARGUMENTS)
    with pytest.raises(UnreadableFileError, match="is read, not written"):
        session.repair_file()
    file = tmp_path / "state.db"
    file.write_bytes(data)
    for command in (["repair", str(file)], ["doctor", "--fix", "--in-place", str(tmp_path)]):
        CliRunner().invoke(app, command)
        assert list(tmp_path.iterdir()) == [file]
        assert file.read_bytes() == data


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_damaged_database_is_refused(name: str) -> None:
    data = database(FILES[name])
    for damaged in (data[: len(data) // 2], data[:100] + bytes(200) + data[300:], data[:16]):
        with pytest.raises(UnreadableFileError):
            session_in(damaged)


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


def test_what_is_only_in_the_journal_beside_a_database_is_read_too(tmp_path: Path) -> None:
    file = tmp_path / "state.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        fill(connection, FILES["goose-database"])
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.suffix != ".db-shm"}
        (conversation,) = from_file(file)
        assert told(conversation.history()) == STORY
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.suffix != ".db-shm"} == before


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


def test_entries_of_openclaw_that_are_packed_are_noted() -> None:
    tables = dict(FILES["openclaw-database"])
    columns, rows = tables["transcript_events"]
    tables["transcript_events"] = (columns, [*rows, ("s", 99, None, b"packed")])
    session = session_in(database(tables))
    assert len(session.unread) == 1
    assert session.unread[0].detail.startswith("an entry that cannot be read: it is ")


def test_bubbles_of_cursor_that_were_rewound_are_counted_and_lost_ones_noted() -> None:
    columns, rows = FILES["cursor-database"]["cursorDiskKV"]
    session = session_in(database({"cursorDiskKV": (columns, [row for row in rows if row[0] != "bubbleId:s:b2"])}))
    (main,) = session.conversations
    assert (main.origin.id, main.origin.title) == ("s", "A file")
    assert dict(main.omitted) == {"bubbles that were rewound": 1, "marks of a compaction": 1}
    assert [note.detail for note in session.unread] == ["a bubble that is not in the database"]


def test_older_chats_of_cursor_are_read_and_failed_tools_say_why() -> None:
    tool = {"name": "f", "toolCallId": "c1", "params": "{}", "error": dumped({"modelVisibleErrorMessage": "no file"})}
    inline = {"conversation": [BUBBLES[0], {"type": 2, "toolFormerData": tool}, {"type": 2, "errorDetails": {"x": 1}}]}
    plain = {"tabs": [{"tabId": "t", "chatTitle": "Old", "bubbles": [{"type": "user", "rawText": QUESTION}]}]}
    tables: Rows = {
        "cursorDiskKV": ("key, value", [("composerData:s", dumped(inline))]),
        "ItemTable": ("key, value", [("workbench.panel.aichat.view.aichat.chatdata", dumped(plain))]),
    }
    first, second = session_in(database(tables)).conversations
    assert told(first.history()) == [("user", QUESTION), ("call", "f"), ("result", "no file")]
    assert (told(second.history()), second.origin.title) == ([("user", QUESTION)], "Old")


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


def test_messages_of_earlier_states_of_cursor_s_agent_are_counted() -> None:
    (main,) = session_in(database(FILES["cursor-agent-database"])).conversations
    assert dict(main.omitted)["messages of earlier states"] == 1


def test_events_of_adk_with_a_column_for_the_content_are_read() -> None:
    rows = [
        (f"e{n}", "a", "u", "s", "i", f"t{n}", each["author"], dumped(each["content"]), 0)
        for n, each in enumerate(ADK_EVENTS)
    ]
    columns = "id, app_name, user_id, session_id, invocation_id, timestamp, author, content, partial"
    session = session_in(database({**FILES["adk-database"], "events": (columns, rows)}))
    assert told(session.conversations[0].history()) == STORY


@pytest.mark.parametrize(
    ("tables", "why"),
    [
        ({"cursorDiskKV": ("key, value", [("composerData:1", "{}")])}, "database of Cursor"),
        ({"ItemTable": ("key, value", [])}, "database of Cursor"),
        ({"checkpoints": ("thread_id, checkpoint_id, checkpoint", [])}, "database of LangGraph"),
        ({"people": ("name", [("Ada",)])}, "of no program that is known, with the tables people"),
    ],
)
def test_a_database_whose_form_is_not_known_is_named(tables: Rows, why: str, tmp_path: Path) -> None:
    data = database(tables)
    with pytest.raises(NotRecognisedError, match=why):
        session_in(data)
    file = tmp_path / "state.vscdb"
    file.write_bytes(data)
    result = CliRunner().invoke(app, ["repair", str(file)])
    assert result.exit_code == 1
    assert why in " ".join(result.output.split())
    assert list(tmp_path.iterdir()) == [file]


def test_a_database_that_was_copied_without_its_journal_is_named() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("PRAGMA user_version = 1")
        data = connection.serialize()
    with pytest.raises(NotRecognisedError, match="without a table: what a program wrote last stands in a file beside"):
        session_in(data)


def archive(files: dict[str, str]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as opened:
        for name, content in files.items():
            opened.writestr(name, content)
    return written.getvalue()


def test_an_archive_of_inspect_is_read_sample_by_sample() -> None:
    samples = {f"samples/{n}_epoch_1.json": dumped(each) for n, each in enumerate(samples_of(INSPECT))}
    session = session_in(archive({"header.json": "{}", "summaries.json": "[]", **samples}))
    assert session.format.name == "inspect"
    assert told(session.conversations[0].history()) == STORY


def test_other_archives_and_compressed_files_are_named() -> None:
    for data, why in (
        (
            archive({"conversations.json": "[]"}),
            "it is an archive: unpack it, and read what is in it",
        ),
        (gzip.compress(dumped(CHAT).encode()), "it is compressed with gzip: unpack it"),
        (archive({"header.json": "{}", "samples/1.json": "no JSON"}), "a file in it is no JSON"),
        (b"PK\x03\x04 and then nothing", "it is a damaged archive"),
    ):
        with pytest.raises(NotRecognisedError, match=why):
            session_in(data)


def test_a_database_can_be_asked_for_by_name() -> None:
    with pytest.raises(UnreadableFileError):
        session_in(b"[]", chosen=FORMATS["crush"])


def test_a_damaged_database_is_closed_when_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[sqlite3.Connection] = []

    def connect(name: str) -> sqlite3.Connection:
        opened.append(sqlite3.connect(name))
        return opened[-1]

    monkeypatch.setattr(containers, "_module", lambda: SimpleNamespace(connect=connect, Error=sqlite3.Error))
    data = database({"people": ("name", [("Ada",)])})
    for damaged in (data[:100] + b"\xff" * 1000 + data[1100:], containers.SQLITE + b"\0" * 100):
        with pytest.raises(containers.UnopenedError, match="damaged"):
            containers.open_container(damaged)
    assert len(opened) == 2
    for connection in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")
