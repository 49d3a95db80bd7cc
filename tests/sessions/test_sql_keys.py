"""The keys of calls in databases: the same in the whole session, in its newest turns and in a fork."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from message_history import CallState, MessageHistory, ToolUseBlock
from message_history.storage import JsonlSession, SqlSession

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("sqlalchemy")


def pay(amount: int, id: str = "call_0") -> ToolUseBlock:
    return ToolUseBlock(id, "pay", {"amount": amount})


def test_sessions_name_their_conversations_and_forks_theirs(tmp_path: Path) -> None:
    found: list[str] = []
    for session in (JsonlSession(tmp_path / "a.jsonl"), JsonlSession(tmp_path / "b.jsonl")):
        session.append(session.load().add_user("q").add_assistant(pay(5)))
        found.append(JsonlSession(session.path).load().awaiting[0].key)
    url = f"sqlite:///{tmp_path / 'chats.db'}"
    for name in ("alice", "bob"):
        sql = SqlSession(url, name)
        sql.append(sql.load().add_user("q").add_assistant(pay(5)))
        found.append(SqlSession(url, name).load().awaiting[0].key)
    assert len(set(found)) == 4
    fork = SqlSession(url, "bob").fork("carol")
    for loaded in (fork.load(), SqlSession(url, "carol").load()):
        assert loaded.awaiting[0].key == found[-1]
        added = loaded.add_assistant(pay(6, "call_1"))
        assert added.awaiting[1].key != SqlSession(url, "bob").load().add_assistant(pay(6, "call_1")).awaiting[1].key


def test_newest_turns_of_a_session_have_the_keys_of_the_whole(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'chats.db'}"
    session = SqlSession(url, "alice")
    history = session.load().add_user("0")
    for _ in range(4):
        history = history.add_assistant(pay(5)).add_tool_result("call_0", "x").add_assistant("ok").add_user("on")
    history = history.add_assistant(pay(5))
    session.append(history)
    part = SqlSession(url, "alice")
    newest = part.load(turns=2)
    assert [each.key for each in newest.calls] == [each.key for each in history.calls][-2:]
    grown = newest.add_tool_result(newest.awaiting[0], "paid").add_assistant(pay(7))
    part.append(grown)
    whole = SqlSession(url, "alice").load()
    assert [each.key for each in whole.calls][-3:] == [each.key for each in grown.calls][-3:]
    assert whole.calls[0].key == history.calls[0].key


def test_a_state_of_a_call_whose_turn_was_not_loaded_is_not_given_to_another(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'chats.db'}"
    history = MessageHistory().add_user("Pay 5.").add_assistant(pay(5)).record_call("call_0", "waiting")
    history = history.add_user("Well?").add_assistant("It waits.").add_user("Pay 5,000.").add_assistant(pay(5000))
    history = history.record_call(history.awaiting[0], "waiting").record_call(history.calls[0].call, "approved")
    SqlSession(url, "a").append(history)
    newest = SqlSession(url, "a").load(turns=1)
    assert [each.state for each in newest.calls] == [CallState.WAITING]
