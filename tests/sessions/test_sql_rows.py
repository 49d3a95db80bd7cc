"""The rows of sessions: their columns, what a session has that is not saved yet, and how much is searched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("sqlalchemy")

from sqlalchemy import create_engine, select

from message_history import MessageHistory, ToolUseBlock
from message_history.storage import SqlSession
from message_history.storage.databases import tables
from message_history.storage.databases.rows import MOST_SEARCHED, NEW, calls_since, searched
from tests.dialects.test_openai_responses_approvals import APPROVED, CALLED, QUESTION, REQUEST, RESPONSES

if TYPE_CHECKING:
    from collections.abc import Callable

MAY_BE_NULL = {("message_history_sessions", "system"), ("message_history_calls", "until")}


def test_every_column_but_those_of_what_may_be_missing_has_a_value() -> None:
    found = tables.SESSIONS.metadata.tables.values()
    nullable = {(table.name, column.name) for table in found for column in table.columns if column.nullable}
    assert nullable == MAY_BE_NULL


def test_no_database_is_asked_to_check_a_value() -> None:
    found = tables.SESSIONS.metadata.tables.values()
    kinds = {type(each).__name__ for table in found for each in table.constraints}
    assert kinds == {"PrimaryKeyConstraint", "UniqueConstraint"}


def test_a_session_that_is_not_saved_has_nothing() -> None:
    assert NEW._asdict() == {"number": 0, "revision": 0, "messages": 0, "repairs": 0, "system": None}


@pytest.mark.parametrize("length", [0, 99_999, 100_000, 100_001])
def test_the_first_100_000_characters_of_a_message_are_searched(length: int) -> None:
    assert MOST_SEARCHED == 100_000
    text = "a" * length
    assert searched({"content": [{"type": "text", "text": text}]}) == text[:100_000]


def test_a_call_that_the_provider_has_run_does_not_wait_wherever_it_was_asked_for() -> None:
    """What is new in a history may be the provider's record alone, behind the request and its approval."""
    history = MessageHistory.from_list([QUESTION, REQUEST, APPROVED, CALLED], dialect=RESPONSES)
    assert [message.role for message in history] == ["user", "assistant", "user", "assistant"]
    for first in range(len(history)):
        found = calls_since(history, first, len(history) - 1)
        assert (found.settled, found.waiting) == ([history.calls[0].key], [])


@pytest.mark.parametrize("goes_on", [MessageHistory.as_sent, lambda history: history.add_tool_result("1", "late")])
def test_what_stands_for_a_result_that_may_still_come_is_no_repair_until_it_is_sent(
    empty: str, goes_on: Callable[[MessageHistory], MessageHistory]
) -> None:
    history = MessageHistory().add_user("go").add_assistant(ToolUseBlock("1", "f", {})).add_user("Well?")
    SqlSession(empty, "a").append(history)
    loaded = SqlSession(empty, "a").load()
    assert loaded.repairs == ()
    assert goes_on(loaded) == goes_on(history)
    assert goes_on(loaded).repairs == goes_on(history).repairs


def test_more_messages_under_another_system_prompt_go_behind_the_newest_turns(empty: str) -> None:
    history = MessageHistory().add_user("a").add_assistant("b").add_user("c").add_assistant("d")
    SqlSession(empty, "a").append(history)
    session = SqlSession(empty, "a")
    session.append(session.load(turns=1).with_system("Be brief.").add_user("e").add_assistant("f"))
    assert SqlSession(empty, "a").load() == history.with_system("Be brief.").add_user("e").add_assistant("f")


def test_of_what_is_found_the_newest_come_first_and_a_hundred_unless_said_otherwise(empty: str) -> None:
    history = MessageHistory()
    for _ in range(51):
        history = history.add_user("word").add_assistant("word")
    SqlSession(empty, "a").append(history)
    for limit, expected in ((None, 102), (3, 3), (0, 0)):
        found = SqlSession.search(empty, "word", limit=limit)
        assert [each.position for each in found] == list(range(101, 101 - expected, -1))
    assert len(SqlSession.search(empty, "word")) == 100
    with pytest.raises(ValueError, match="after must be the `cursor` of a search result, not 'x'"):
        SqlSession.search(empty, "word", after="x")


def test_a_title_is_kept_before_the_first_message(empty: str) -> None:
    """A database outlives the version that wrote it."""
    SqlSession(empty, "a").describe(title="Travels")
    engine = create_engine(empty)
    with engine.connect() as connection:
        assert connection.execute(select(tables.TEXTS.c.position)).scalars().all() == [-1]
    engine.dispose()
