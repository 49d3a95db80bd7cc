"""opencode's version 2: messages in rows with a type, as its own server reads them."""

from __future__ import annotations

import json
from typing import Any

from message_history import ImageBlock, ThinkingBlock
from message_history.formats.reading import session_in
from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, THOUGHT, told
from tests.formats.test_databases import FILES, STORY, database

TOOL = {"type": "tool", "id": "c1", "name": "read_file"}
DONE = {"status": "completed", "input": ARGUMENTS, "structured": {}, "content": [{"type": "text", "text": RESULT}]}
ROWS: list[tuple[str, Any]] = [
    ("model-switched", {"model": {"id": "m", "providerID": "p"}}),
    ("user", {"text": QUESTION}),
    ("assistant", {"content": [{"type": "text", "text": LOOKING}, {**TOOL, "state": DONE}]}),
    ("assistant", {"content": [{"type": "text", "text": ANSWER}]}),
]


def stored(rows: list[tuple[str, Any]], *, has_order: bool = True) -> bytes:
    columns = "id, session_id, type, time_created, data" + (", seq" if has_order else "")
    written = [
        (f"msg_{n}", "s", kind, 1 if has_order else n, json.dumps(data), *([n] if has_order else []))
        for n, (kind, data) in enumerate(rows)
    ]
    session = ("id, title, time_created", [("s", "A file", 1)])
    return database({"session": session, "session_message": (columns, written[::-1])})


def test_the_rows_of_version_2_are_read_in_their_order() -> None:
    for has_order in (True, False):
        session = session_in(stored(ROWS, has_order=has_order))
        (conversation,) = session.conversations
        assert (session.format.name, session.unread) == ("opencode-database", ())
        assert told(conversation.history()) == STORY
        assert (conversation.origin.title, conversation.omitted) == ("A file", (("model-switched messages", 1),))


def test_a_session_is_read_from_the_version_that_has_more_of_it() -> None:
    first = FILES["opencode-database"]
    (id, *_), *_ = first["session"][1]
    for rows, expected in (([("user", {"text": "Copied."})], STORY), ([("user", {"text": "New."})] * 9, [])):
        written = [(f"msg_{n}", id, kind, n, json.dumps(data)) for n, (kind, data) in enumerate(rows)]
        tables = {**first, "session_message": ("id, session_id, type, time_created, data", written)}
        history = session_in(database(tables)).conversations[0].history()
        assert told(history) == (expected or [("user", "New.")] * 9)


def test_version_2_keeps_its_sessions_in_a_table_of_its_own_with_copies_of_those_of_the_first() -> None:
    columns = "id, title, time_created"
    first = FILES["opencode-database"]
    (id, *_), *_ = first["session"][1]
    copied = [(f"a{n}", id, kind, n, json.dumps(data)) for n, (kind, data) in enumerate([*ROWS, ("idle", {}), ROWS[1]])]
    later = [(f"b{n}", "later", kind, n, json.dumps(data)) for n, (kind, data) in enumerate(ROWS)]
    tables: dict[str, Any] = {
        "session_v2": (columns, [(id, "A file", 1), ("later", None, 2)]),
        "session_message": ("id, session_id, type, seq, data", [*later, *copied]),
    }
    for file in (tables, {**first, **tables}):
        session = session_in(database(file))
        newest, other = session.conversations
        assert (session.format.name, session.unread) == ("opencode-database", ())
        assert (newest.origin.id, newest.origin.title, told(newest.history())) == ("later", None, STORY)
        assert (other.origin.id, other.origin.title) == (id, "A file")
        assert told(other.history()) == [*STORY, ("user", QUESTION)]
    # What version 2 has not copied yet stays in the tables of the first.
    tables = {
        **tables,
        "session_v2": (columns, [("later", None, 2)]),
        "session_message": (tables["session_message"][0], later),
    }
    assert [told(each.history()) for each in session_in(database({**first, **tables})).conversations] == [STORY, STORY]


def test_a_summary_is_sent_as_opencode_does_with_what_came_after_it() -> None:
    failed = ("compaction", {"status": "failed", "reason": "auto", "error": {"message": "too long"}})
    summary = ("compaction", {"reason": "auto", "summary": "It asked.", "recent": "Recent words."})
    rows = [("system", {"text": "Be brief."}), *ROWS, summary, failed, ("user", {"text": "And b.txt?"})]
    history = (main := session_in(stored(rows)).conversations[0]).history()
    (_, checkpoint), last = told(history)
    assert "<summary>\nIt asked.\n</summary>" in checkpoint
    assert "<recent-context>\nRecent words." in checkpoint
    assert (last, history.system) == (("user", "And b.txt?"), "Be brief.")
    assert dict(main.omitted) == {"messages that a summary takes the place of": 4, "compaction messages": 1}


def test_every_kind_of_row_and_part_is_read_or_noted() -> None:
    states: list[dict[str, Any]] = [
        {"status": "error", "input": {}, "error": {"type": "unknown", "message": "no such file"}},
        {"status": "error", "input": {}, "error": "stopped", "content": [{"type": "text", "text": "half"}]},
        {"status": "completed", "input": {}, "structured": {"lines": 3}},
        {"status": "running", "input": {}},
    ]
    content: list[Any] = [
        {"type": "reasoning", "text": THOUGHT, "native": {"anthropic": {"signature": "c2ln"}}},
        {"type": "reasoning", "text": THOUGHT, "state": {"signature": "c2ln"}},
        *({**TOOL, "id": f"c{n}", "state": state} for n, state in enumerate(states)),
        {"type": "odd"},
    ]
    files = [
        {"mime": "image/png", "data": "aGk="},
        {"mime": "image/png", "uri": "https://example.com/a.png"},
        {"mime": "text/plain", "name": "a.txt"},
    ]
    rows = [
        ("synthetic", {"text": "Made."}),
        ("skill", {"text": "A skill."}),
        ("shell", {"command": "ls", "output": "a.txt"}),
        ("shell", {"command": "ls", "output": {"output": "b.txt"}}),
        ("user", {"text": QUESTION, "files": files}),
        ("assistant", {"content": content, "error": {"message": "refused"}}),
        ("of-a-later-version", {"text": "words"}),
        ("user", None),
    ]
    session = session_in(stored(rows))
    (conversation,) = session.conversations
    assert len(session.unread) == 3
    assert conversation.omitted == (("errors of replies", 1),)
    history = conversation.history()
    assert told(history)[:6] == [
        ("user", "Made."),
        ("user", "A skill."),
        ("user", "Shell command: ls\n\na.txt"),
        ("user", "Shell command: ls\n\nb.txt"),
        ("user", QUESTION),
        ("user", "[attached: a.txt]"),
    ]
    results = [words for kind, words in told(history) if kind == "result"]
    assert results[:3] == ["no such file", "stoppedhalf", json.dumps({"lines": 3})]
    assert sum(isinstance(block, ImageBlock) for message in history for block in message.content) == 2
    thoughts = [block for message in history for block in message.content if isinstance(block, ThinkingBlock)]
    assert [block.signature for block in thoughts] == ["c2ln", "c2ln"]
