"""What frameworks keep in several forms: stores, memories and states, of old and new versions."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.formats.story import ANSWER, ARGUMENTS, QUESTION, RESULT, told, value
from tests.formats.test_databases import STORY, database

from message_history.formats.reading import session_in
from other_formats.samples.llama_index import LLAMA_INDEX, LLAMA_INDEX_MEMORY, LLAMA_INDEX_STATE


def test_a_chat_store_that_was_persisted_as_text_is_read() -> None:
    session = session_in(value(json.dumps({"store": {"u": LLAMA_INDEX}, "class_name": "SimpleChatStore"})))
    assert (session.format.name, told(session.conversations[0].history())) == ("llama-index", STORY)


def test_the_main_conversation_of_a_memory_is_the_one_of_its_key() -> None:
    store: dict[str, Any] = {"another": LLAMA_INDEX[:1], "own": LLAMA_INDEX, "odd": "no list"}
    session = session_in(value({"chat_store": {"store": store}, "chat_store_key": "own"}))
    assert [(each.origin.id, each.label) for each in session.conversations] == [("own", ""), ("another", "another")]
    assert told(session.conversations[0].history()) == STORY


def test_a_context_of_earlier_versions_is_read_and_what_is_no_message_in_it_is_noted() -> None:
    waiting = [*json.loads(LLAMA_INDEX_STATE["scratchpad"]), {"value": {"words": "of another kind"}}]
    state = {**LLAMA_INDEX_STATE, "scratchpad": json.dumps(waiting)}
    session = session_in(value({"globals": state, "queues": {}}))
    assert told(session.conversations[0].history()) == STORY
    assert len(session.unread) == 1


def test_a_context_whose_memory_is_elsewhere_has_the_messages_of_its_run() -> None:
    state = {"scratchpad": LLAMA_INDEX_STATE["scratchpad"], "max_iterations": "20"}
    session = session_in(value({"state": {"state_data": {"_data": state}}}))
    assert told(session.conversations[0].history()) == STORY[1:]
    # A memory in a store of another kind, or in a pickle, has nothing to read.
    for memory in ("no JSON", json.dumps({"value": {**LLAMA_INDEX_MEMORY, "chat_store": 3}}), json.dumps([])):
        found = session_in(value({"globals": {**state, "memory": memory}}))
        assert told(found.conversations[0].history()) == STORY[1:]


def test_a_database_of_memories_is_read_by_sessions_without_what_was_moved_out() -> None:
    rows = [(n, "own", n, each["role"], "active", json.dumps(each)) for n, each in enumerate(LLAMA_INDEX, 2)]
    old = json.dumps({"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Old."}]})
    rows += [(1, "own", 1, "user", "archived", old), (9, "next", 9, "user", "active", old)]
    columns = "id, key, timestamp, role, status, data"
    session = session_in(database({"llama_index_memory": (columns, rows), "others": ("id", [])}))
    main, other = session.conversations
    assert (session.format.name, told(main.history()), told(other.history())) == (
        "llama-index",
        STORY,
        [("user", "Old.")],
    )
    assert (main.omitted, main.origin.id, other.label) == (
        (("messages out of the context", 1),),
        "own",
        "session next",
    )


OLD_TURN: dict[str, Any] = {
    "query": QUESTION,
    "expected_tool_use": [{"tool_name": "read_file", "tool_input": ARGUMENTS, "mock_tool_output": RESULT}],
    "expected_intermediate_agent_responses": [{"author": "agent", "text": "Half done."}],
    "reference": ANSWER,
}
OLD_STORY = [
    ("user", QUESTION),
    ("call", "read_file"),
    ("result", RESULT),
    ("assistant", "Half done."),
    ("assistant", ANSWER),
]


@pytest.mark.parametrize(
    ("whole", "id"),
    [
        ([OLD_TURN], None),
        ([{"name": "one", "data": [OLD_TURN], "initial_session": {"state": {}}}], "one"),
    ],
)
def test_sets_for_evaluation_of_adk_s_first_versions_are_read(whole: list[Any], id: str | None) -> None:
    session = session_in(value(whole))
    (conversation,) = session.conversations
    assert (session.format.name, session.unread, session.violations()) == ("adk", (), [])
    assert (told(conversation.history()), conversation.origin.id) == (OLD_STORY, id)


def test_a_turn_of_adk_without_an_answer_is_counted_and_what_is_no_turn_is_noted() -> None:
    bare = {"query": "And b.txt?", "expected_tool_use": [], "reference": ""}
    session = session_in(value([OLD_TURN, bare, {"words": "of another kind"}]))
    (conversation,) = session.conversations
    assert told(conversation.history()) == [*OLD_STORY, ("user", "And b.txt?")]
    assert (conversation.omitted, len(session.unread)) == ((("events without content", 1),), 1)
    turns = [{"user_content": {"parts": [{"text": QUESTION}]}, "final_response": None, "intermediate_data": None}]
    session = session_in(value({"eval_set_id": "e", "eval_cases": [{"eval_id": "1", "conversation": turns}]}))
    assert (told(session.conversations[0].history()), session.unread) == ([("user", QUESTION)], ())
