"""Sessions in databases: what was saved is what is loaded, and nobody writes over what others have written.

All of it in SQLite and in PostgreSQL.
"""

from __future__ import annotations

import pickle
from itertools import count, islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from message_history import Message, MessageHistory, Policy
from message_history.integrations.strategies import broken_lists, histories, messages
from message_history.sessions import SessionConflictError, SqlSession
from tests.sessions.growing import of_length, steps

_names = count()
FEWER = settings(max_examples=settings().max_examples // 3)


def new(database: str, policy: Policy | None = None) -> SqlSession:
    return SqlSession(database, f"session {next(_names)}", policy=policy)


def again(database: str, session: SqlSession, policy: Policy | None = None) -> SqlSession:
    return SqlSession(database, session.session_id, policy=policy)


def same(left: MessageHistory, right: MessageHistory) -> bool:
    return left == right and left.repairs == right.repairs and ids(left) == ids(right)


def ids(history: MessageHistory) -> list[str]:
    return [call.id for call in history.awaiting]


@FEWER
@given(histories(max_size=12))
def test_what_was_saved_is_what_is_loaded(database: str, history: MessageHistory) -> None:
    session = new(database, history.policy)
    session.save(history)
    assert same(again(database, session, history.policy).load(), history)


@FEWER
@given(broken_lists())
def test_repairs_are_kept_beside_the_messages(database: str, raw: list[Any]) -> None:
    history = MessageHistory.from_list(raw)
    session = new(database)
    session.append(history)
    assert again(database, session).load().repairs == history.repairs


OTHERWISE = ("close", "cut", "answer", "rewind", "system", "trim")


def changed(history: MessageHistory, how: str) -> MessageHistory:
    if how == "close":
        return history.close()
    if how == "cut" and history:
        return history.drop_before(history.safe_cuts()[-1])
    if how == "answer" and history.awaiting:
        return history.add_tool_result(history.awaiting[-1], "done")
    if how == "rewind" and len(history.safe_cuts()) > 1:
        return history.rewind(1)
    if how == "system":
        return history.with_system(f"{history.system or ''}.")
    if how == "trim":
        return history.trim_results(older_than=len(history), text="")
    return history


@FEWER
@given(histories(max_size=6), st.lists(st.one_of(messages(), st.sampled_from(OTHERWISE)), max_size=8), st.booleans())
def test_appending_gives_what_saving_gives_at_every_step(
    database: str, history: MessageHistory, later: list[Message | str], restarts: bool
) -> None:
    writer = new(database, history.policy)
    writer.append(history)
    for step in later:
        if restarts:
            writer = again(database, writer, history.policy)
            history = writer.load()
        history = history.add(step) if isinstance(step, Message) else changed(history, step)
        writer.append(history)
        assert same(again(database, writer, history.policy).load(), history)


def test_two_writers_get_a_conflict_and_nothing_is_written(database: str) -> None:
    one = new(database)
    one.append(of_length(4))
    other = again(database, one)
    history = other.load()
    one.append(of_length(4).add_user("one"))
    with pytest.raises(SessionConflictError, match=r"\(revision 2 is there, not 1\); load it again") as caught:
        other.append(history.add_user("other"))
    conflict = pickle.loads(pickle.dumps(caught.value))
    for error in (caught.value, conflict):
        assert (error.session, error.expected, error.found) == (one.session_id, 1, 2)
        assert str(error) == str(caught.value)
    with pytest.raises(SessionConflictError):
        other.save(history)
    assert again(database, one).load()[-1].text == "one"
    other.append(other.load().add_assistant("other"))
    assert [message.text for message in again(database, one).load()][-2:] == ["one", "other"]


def test_only_rows_for_what_is_new_are_added(database: str) -> None:
    session = new(database)
    for number, history in enumerate(islice(steps(MessageHistory()), 12), 1):
        session.append(history)
        assert session.revision == number
    revision = session.revision
    session.append(history)
    assert session.revision == revision
    assert session.prune() == 2
    assert same(again(database, session).load(), history)
    assert session.prune() == 0
