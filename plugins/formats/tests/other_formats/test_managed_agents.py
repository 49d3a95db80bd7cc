"""The events of Claude Managed Agents: calls and results in events of their own, as they came in."""

from __future__ import annotations

from typing import Any

import pytest
from tests.formats.story import ANSWER, QUESTION, RESULT, lines, text, told, value

from message_history.files.files import NotRecognisedError
from message_history.formats.reading import session_in
from other_formats.samples.managed_agents import MANAGED


def event(id: str, kind: str, **about: Any) -> dict[str, Any]:
    return {"type": kind, "id": f"sevt_{id}", "processed_at": f"2026-11-20T09:00:0{id}Z", **about}


def used(id: str, name: str, kind: str = "agent.tool_use", **about: Any) -> dict[str, Any]:
    return event(id, kind, name=name, input={}, **about)


def test_results_of_all_kinds_stand_in_the_order_of_their_calls_and_usage_is_kept() -> None:
    events = [
        event(
            "1", "user.define_outcome", description=QUESTION, outcome_id="o1", rubric={"type": "text", "content": "R"}
        ),
        used("2", "read"),
        used("3", "search", "agent.mcp_tool_use", mcp_server_name="files"),
        used("4", "submit", "agent.custom_tool_use"),
        event("5", "span.model_request_end", model_usage={"input_tokens": 10, "output_tokens": 3}, is_error=False),
        event("6", "user.custom_tool_result", custom_tool_use_id="sevt_4", content=[text("noted")]),
        event("7", "agent.mcp_tool_result", mcp_tool_use_id="sevt_3", content=[], is_error=True),
        event("8", "agent.tool_result", tool_use_id="sevt_2", content=[text(RESULT)]),
        event("9", "agent.message", content=[text(ANSWER)]),
    ]
    session = session_in(lines(*events))
    (conversation,) = session.conversations
    history = conversation.history()
    assert (session.format.name, session.unread, history.repairs) == ("managed-agents", (), ())
    assert told(history) == [
        ("user", QUESTION),
        *(("call", name) for name in ("read", "search", "submit")),
        *(("result", words) for words in (RESULT, "", "noted")),
        ("assistant", ANSWER),
    ]
    usage = history.usage()
    assert (usage.input_tokens, usage.output_tokens) == (10, 3)
    assert conversation.omitted == (("events of type span.model_request_end", 1),)


def test_what_other_agents_did_and_what_is_listed_again_is_counted() -> None:
    waiting = {"type": "user.message", "id": "sevt_3", "processed_at": None, "content": [text("And then?")]}
    redacted = {"type": "redacted"}
    events = [
        *MANAGED[1:2],
        waiting,
        used("4", "ask", session_thread_id="sthr_1"),
        event("5", "agent.thread_message_received", from_session_thread_id="sthr_1", content=[text("Done."), redacted]),
        event("6", "system.message", content=[text("Be brief.")]),
        {**waiting, "processed_at": "2026-11-20T09:00:07Z"},
        event("8", "agent.thread_message_sent", to_session_thread_id="sthr_1", content=[text("Go on.")]),
    ]
    (conversation,) = session_in(value(events)).conversations
    entries = [(entry["role"], [block["text"] for block in entry["content"]]) for entry in conversation.file.entries]
    assert entries == [("user", [QUESTION, "Done."]), ("system", ["Be brief."]), ("user", ["And then?"])]
    assert conversation.omitted == (
        ("blocks that are withheld", 1),
        ("calls of other agents, and their results", 1),
        ("events of type agent.thread_message_sent", 1),
        ("events that are listed again", 1),
    )


def test_what_is_no_event_is_noted_and_events_of_others_are_refused() -> None:
    session = session_in(value([*MANAGED, {"kind": "other"}, "text"]))
    assert [note.detail for note in session.unread] == ["an item that is not an event"] * 2
    for others in (
        [{"type": "agent.message", "id": "1", "text": "Hi"}],
        [{"type": "user.message", "id": "1", "data": {"content": "Hi"}}],
        [{"type": "session.status_running", "id": "1"}],
    ):
        with pytest.raises(NotRecognisedError):
            session_in(value(others))
