"""The rows of sessions: their columns, what a session has that is not saved yet, and how much is searched."""

from __future__ import annotations

import pytest

pytest.importorskip("sqlalchemy")

from message_history import MessageHistory
from message_history.storage.databases import tables
from message_history.storage.databases.rows import MOST_SEARCHED, NEW, calls_since, searched
from tests.dialects.test_openai_responses_approvals import APPROVED, CALLED, QUESTION, REQUEST, RESPONSES

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
