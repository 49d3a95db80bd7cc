"""Phoenix: the spans of its own database, as version 20 writes them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import Any

from tests.formats.story import ANSWER, CHAT, LOOKING, QUESTION, told
from tests.formats.test_databases import STORY, Rows, database, fill

from message_history.formats.reading import session_in

COLUMNS = "id, trace_rowid, span_id, parent_id, name, span_kind, start_time, attributes"


def messages(chat: list[dict[str, Any]]) -> list[dict[str, Any]]:
    calls = [[{"tool_call": call} for call in each.get("tool_calls", ())] for each in chat]
    return [{"message": {**each, "tool_calls": made}} for each, made in zip(chat, calls, strict=True)]


def indexed(tables: Rows) -> bytes:
    """Make a database with an index as Phoenix has one, over a function that may not run here."""
    with closing(sqlite3.connect(":memory:")) as connection:
        fill(connection, tables)
        connection.execute("CREATE INDEX by_session ON spans (JSON_EXTRACT(attributes, '$.session.id'))")
        connection.commit()
        return connection.serialize()


def test_the_spans_of_a_database_are_read_the_newest_first() -> None:
    spans: list[dict[str, Any]] = [
        {"input": {"value": QUESTION}, "openinference": {"span": {"kind": "CHAIN"}}},
        {"llm": {"input_messages": messages(CHAT[:1]), "output_messages": messages(CHAT[1:2])}},
        {"llm": {"input_messages": messages(CHAT[:3]), "output_messages": messages(CHAT[3:])}},
    ]
    rows = [
        (n, 1, f"s{n}", None, f"step {n}", "LLM", f"2026-11-23 01:00:0{n}", json.dumps(each))
        for n, each in enumerate(spans)
    ]
    tables: Rows = {"spans": (COLUMNS, rows), "traces": ("id, project_rowid, trace_id", [(1, 1, "t")])}
    session = session_in(indexed(tables))
    main, other = session.conversations
    assert (session.format.name, told(main.history()), session.unread) == ("phoenix", STORY, ())
    assert (main.origin.id, main.origin.title, other.label) == ("s2", "step 2", "span s1")
    assert [words for _, words in told(other.history())][:2] == [QUESTION, LOOKING]
    assert told(main.history())[-1] == ("assistant", ANSWER)


def test_a_database_without_spans_of_a_model_holds_no_conversation() -> None:
    tables: Rows = {"spans": (COLUMNS, []), "traces": ("id, project_rowid, trace_id", [])}
    session = session_in(database(tables))
    assert (session.format.name, session.messages) == ("phoenix", 0)
