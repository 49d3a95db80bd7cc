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

from message_history import MessageHistory, ToolUseBlock, from_file
from message_history.cli.app import app
from message_history.dialects.native.render import message_to_json
from message_history.files import containers
from message_history.files.files import NotRecognisedError, UnreadableFileError
from message_history.formats.reading import session_in
from tests.formats.samples.opencode import OPENCODE
from tests.formats.samples.pi import PI
from tests.formats.story import ANSWER, ARGUMENTS, CHAT, LOOKING, QUESTION, RESULT, TEXT_ARGUMENTS, linked, told
from tests.formats.test_every_format import DATABASES

if TYPE_CHECKING:
    from pathlib import Path
Rows = dict[str, tuple[str, list[tuple[Any, ...]]]]


STORY = [
    ("user", QUESTION),
    ("assistant", LOOKING),
    ("call", "read_file"),
    ("result", RESULT),
    ("assistant", ANSWER),
]


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


OPENCODE_MESSAGES: list[Any] = json.loads(json.dumps(OPENCODE))["messages"]
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
OWN = list(enumerate(map(message_to_json, MessageHistory.from_list(CHAT))))
FILES: dict[str, Rows] = {
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
    "message-history-database": {
        "message_history_sessions": (
            "number, id, revision, messages, repairs, system",
            [(1, "s", 4, len(OWN), 0, None), (2, "empty", 1, 0, 0, None)],
        ),
        "message_history_messages": (
            "session, position, revision, starts_turn, body",
            [
                *((1, n, 3, 0, dumped(each)) for n, each in OWN),
                (1, len(OWN), 3, 0, dumped({"role": "assistant", "content": "Cut off again."})),
                (1, 0, 1, 0, dumped({"role": "user", "content": "An older version."})),
            ],
        ),
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


def assert_read_whole(name: str, data: bytes, folder: Path) -> None:
    session = session_in(data)
    assert (session.format.name, session.unread) == (name, ())
    history = session.conversations[0].history()
    assert told(history) == STORY
    assert history.repairs == ()
    (called,) = (block for message in history for block in message.content if isinstance(block, ToolUseBlock))
    assert (called.id, called.input) == ("c1", ARGUMENTS)
    with pytest.raises(UnreadableFileError, match="is read, not written"):
        session.repair_file()
    file = folder / "state.db"
    file.write_bytes(data)
    for command in (["repair", str(file)], ["doctor", "--fix", "--in-place", str(folder)]):
        CliRunner().invoke(app, command)
        assert list(folder.iterdir()) == [file]
        assert file.read_bytes() == data


def assert_refused_when_damaged(data: bytes) -> None:
    for damaged in (data[: len(data) // 2], data[:100] + bytes(200) + data[300:], data[:16]):
        with pytest.raises(UnreadableFileError):
            session_in(damaged)


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_database_is_read_whole_and_never_written(name: str, tmp_path: Path) -> None:
    assert_read_whole(name, database(FILES[name]), tmp_path)


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_damaged_database_is_refused(name: str) -> None:
    assert_refused_when_damaged(database(FILES[name]))


def test_what_is_only_in_the_journal_beside_a_database_is_read_too(tmp_path: Path) -> None:
    file = tmp_path / "state.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        fill(connection, FILES["opencode-database"])
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.suffix != ".db-shm"}
        (conversation,) = from_file(file)
        assert told(conversation.history()) == STORY
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.suffix != ".db-shm"} == before


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


def test_what_is_gone_or_damaged_of_our_own_sessions_is_noted() -> None:
    tables = dict(FILES["message-history-database"])
    columns, rows = tables["message_history_messages"]
    kept = [(*row[:4], "{") if row[1:3] == (1, 3) else row for row in rows if row[1:3] != (2, 3)]
    session = session_in(database({**tables, "message_history_messages": (columns, kept)}))
    assert [note.detail for note in session.unread] == ["a message that is not JSON", "a message that is gone"]


def test_messages_of_earlier_states_of_cursor_s_agent_are_counted() -> None:
    (main,) = session_in(database(FILES["cursor-agent-database"])).conversations
    assert dict(main.omitted)["messages of earlier states"] == 1


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
    with pytest.raises(NotRecognisedError, match="without a table: what a program wrote last is in a file next to"):
        session_in(data)


def archive(files: dict[str, str]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as opened:
        for name, content in files.items():
            opened.writestr(name, content)
    return written.getvalue()


def test_other_archives_and_compressed_files_are_named() -> None:
    for data, why in (
        (
            archive({"conversations.json": "[]"}),
            "it is an archive: unpack it, and read what is in it",
        ),
        (gzip.compress(dumped(CHAT).encode()), "it is compressed with gzip: unpack it"),
        (archive({"header.json": "{}", "samples/1.json": "no JSON"}), "a file in it is not JSON"),
        (b"PK\x03\x04 and then nothing", "it is a damaged archive"),
    ):
        with pytest.raises(NotRecognisedError, match=why):
            session_in(data)


def test_a_damaged_database_is_closed_when_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[sqlite3.Connection] = []

    def connect(name: str) -> sqlite3.Connection:
        opened.append(sqlite3.connect(name))
        return opened[-1]

    monkeypatch.setattr(containers, "_module", lambda: SimpleNamespace(**{**vars(sqlite3), "connect": connect}))
    data = database({"people": ("name", [("Ada",)])})
    for damaged in (data[:100] + b"\xff" * 1000 + data[1100:], containers.SQLITE + b"\0" * 100):
        with pytest.raises(containers.UnopenedError, match="damaged"):
            containers.open_container(damaged)
    assert len(opened) == 2
    for connection in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")
