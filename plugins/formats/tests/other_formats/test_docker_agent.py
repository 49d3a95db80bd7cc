"""Docker Agent: sessions of every version of its database, with summaries, thinking and sessions of other agents."""

from __future__ import annotations

import json
from typing import Any

from tests.formats.story import ANSWER, CHAT, QUESTION, told, value
from tests.formats.test_databases import STORY, database

from message_history import ThinkingBlock
from message_history.formats.reading import session_in
from other_formats.samples.docker_agent import DOCKER_AGENT

COLUMNS = "id, messages, created_at, tools_approved, title"
ITEMS = "id, session_id, position, item_type, agent_name, message_json, subsession_id, summary_text"


def stored(session: str, place: int, message: Any, *, summary: str | None = None) -> tuple[Any, ...]:
    kind = "message" if message is not None else "subsession" if summary is None else "summary"
    return (f"{session}{place}", session, place, kind, "root", json.dumps(message), None, summary)


def test_a_database_of_the_first_versions_has_the_messages_in_the_session() -> None:
    rows = [("old", json.dumps(DOCKER_AGENT), "2025-10-01", 0, "A file"), ("empty", "", "2025-10-02", 0, "")]
    session = session_in(database({"sessions": (COLUMNS, rows)}))
    (conversation,) = session.conversations
    assert (session.format.name, told(conversation.history()), session.unread) == ("docker-agent", STORY, ())
    assert (conversation.origin.id, conversation.origin.title) == ("old", "A file")


def test_rows_of_items_are_read_before_what_a_session_had_and_the_newest_session_is_the_main_one() -> None:
    rows = [("old", json.dumps(DOCKER_AGENT[:1]), "2025-10-01", 0, ""), ("new", None, "2026-02-01", 0, "")]
    items = [stored("old", n, message) for n, message in enumerate(CHAT)]
    items += [stored("new", n, message) for n, message in enumerate([CHAT[0], None, CHAT[3]])]
    session = session_in(database({"sessions": (COLUMNS, rows), "session_items": (ITEMS, items)}))
    main, other = session.conversations
    assert (main.origin.id, told(main.history())) == ("new", [("user", QUESTION), ("assistant", ANSWER)])
    assert main.omitted == (("places of sessions of other agents", 1),)
    assert (other.label, told(other.history())) == ("session old", STORY)


def test_a_summary_takes_the_place_of_what_was_before_it_as_the_program_sends_it() -> None:
    items = [stored("s", 0, CHAT[0]), stored("s", 1, None, summary="It asked for a file."), stored("s", 2, CHAT[3])]
    tables = {"sessions": (COLUMNS, [("s", None, "2026-02-01", 0, "")]), "session_items": (ITEMS, items)}
    (conversation,) = session_in(database(tables)).conversations
    assert told(conversation.history()) == [("user", "Session Summary: It asked for a file."), ("assistant", ANSWER)]
    assert conversation.omitted == (("messages that a summary takes the place of", 1),)


def test_a_session_of_another_agent_is_a_conversation_of_its_own() -> None:
    inner = {"id": "inner", "title": "Inner", "messages": DOCKER_AGENT}
    outer = [DOCKER_AGENT[0], {"sub_session": inner}, {"sub_session": {"id": "none"}}, DOCKER_AGENT[3], {"odd": 1}]
    session = session_in(value({"id": "outer", "messages": outer}))
    main, other = session.conversations
    assert told(main.history()) == [("user", QUESTION), ("assistant", ANSWER)]
    assert (other.label, other.origin.title, told(other.history())) == ("session inner", "Inner", STORY)
    assert (main.omitted, len(session.unread)) == ((("places of sessions of other agents", 2),), 1)


def test_thinking_comes_with_its_signature_and_parts_are_read() -> None:
    parts = [{"type": "text", "text": QUESTION}]
    messages = [
        {"role": "user", "content": "", "multi_content": parts},
        {"role": "assistant", "content": ANSWER, "reasoning_content": "Hm.", "thinking_signature": "c2ln"},
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": "", "multi_content": parts, "reasoning_content": "Hm again."},
    ]
    wrapped = [{"message": {"agentName": "root", "message": each}} for each in messages]
    history = session_in(value([{"messages": wrapped}, {"title": "no session"}])).conversations[0].history()
    assert told(history) == [("user", QUESTION), ("assistant", ANSWER)] * 1 + [
        ("user", QUESTION),
        ("assistant", QUESTION),
    ]
    (first,) = [block for block in history[1].content if isinstance(block, ThinkingBlock)]
    assert (first.thinking, first.signature) == ("Hm.", "c2ln")
