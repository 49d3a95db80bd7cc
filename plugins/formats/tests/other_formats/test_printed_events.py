"""What agents print while they work: pieces are joined, what was not completed is kept, repetitions are none."""

from __future__ import annotations

import json
from typing import Any

from tests.formats.story import LOOKING, RESULT, lines, text, told

from message_history import MessageHistory
from message_history.formats.reading import session_in
from other_formats.samples.agent_streams import CLAUDE_STREAM, CURSOR_STREAM
from other_formats.samples.codex_stream import CODEX_STREAM
from other_formats.samples.gemini_stream import GEMINI_STREAM
from other_formats.samples.opencode_events import OPENCODE_EVENTS
from other_formats.samples.pi_stream import PI_STREAM


def printed(*rows: Any) -> list[tuple[str, str]]:
    session = session_in(lines(*rows))
    assert session.unread == ()
    return told(session.conversations[0].history())


def item(kind: str, event: str = "item.completed", **about: Any) -> dict[str, Any]:
    return {"type": event, "item": {"id": "item_9", "type": kind, **about}}


def test_a_codex_command_that_was_not_completed_is_a_call_without_a_result() -> None:
    rows = [*CODEX_STREAM[:2], item("command_execution", "item.started", command="make", status="in_progress")]
    session = session_in(lines(*rows))
    assert [block["type"] for entry in session.conversations[0].file.entries for block in entry["content"]] == [
        "tool_use"
    ]


def test_codex_items_of_all_kinds_are_read() -> None:
    search: dict[str, Any] = {"server": "github", "tool": "search", "arguments": {"q": "a"}}
    rows = [
        *CODEX_STREAM[:2],
        item("reasoning", text="A thought."),
        item("plan", text="First this."),
        item("file_change", changes=[{"path": "a", "kind": "add"}], status="failed"),
        item("mcp_tool_call", **search, result={"content": [text("found")]}, status="completed"),
        item("mcp_tool_call", **search, result={"content": [{"type": "resource", "uri": "u"}]}, status="completed"),
        item(
            "mcp_tool_call",
            **search,
            result={"content": [{"type": "image", "mimeType": "image/png", "data": "QQ=="}]},
            status="completed",
        ),
        item("mcp_tool_call", **search, result={"content": [], "structured_content": {"n": 1}}, status="completed"),
        item("mcp_tool_call", **search, result=None, status="completed"),
        item("mcp_tool_call", **search, error={"message": "no"}, status="failed"),
        item("collab_tool_call", tool="wait", agents_states={"x": {"status": "completed"}}, status="completed"),
        item("todo_list", items=[]),
        item("error", message="shown"),
        {"type": "request_user_input", "call_id": "q1", "questions": [{"question": "Which?"}]},
    ]
    found = printed(*rows)
    assert ("assistant", "First this.") in found
    assert [name for kind, name in found if kind == "call"] == [
        "file_change",
        *["mcp__github__search"] * 6,
        *("wait", "request_user_input"),
    ]
    assert [words for kind, words in found if kind == "result"][:8] == [
        "failed",
        "found",
        '{"type": "resource", "uri": "u"}',
        "",
        '{"n": 1}',
        "completed",
        "no",
        '{"x": {"status": "completed"}}',
    ]


def test_what_is_not_known_of_a_printed_stream_is_said() -> None:
    odd = {"type": "odd", "session_id": "s", "sessionID": "s", "message": 1}
    for rows in (CODEX_STREAM, PI_STREAM, CLAUDE_STREAM, CURSOR_STREAM):
        assert len(session_in(lines(*rows, odd)).unread) == 1
    assert len(session_in(lines(*CODEX_STREAM, item("odd"))).unread) == 1


def test_what_a_subagent_says_is_a_conversation_of_its_own() -> None:
    inner = {
        "type": "assistant",
        "session_id": "s",
        "parent_tool_use_id": "c1",
        "message": {"role": "assistant", "content": [text("inside")]},
    }
    main, side = session_in(lines(*CLAUDE_STREAM[:-1], inner, CLAUDE_STREAM[-1])).conversations
    assert ("assistant", "inside") not in told(main.history())
    assert side.label == "sidechain c1"
    assert told(side.history()) == [("assistant", "inside")]


def test_a_result_alone_is_the_reply() -> None:
    row = {"type": "result", "subtype": "success", "is_error": False, "session_id": "s", "result": "The reply."}
    assert printed(row) == [("assistant", "The reply.")]


def test_a_call_of_cursor_keeps_its_name_and_its_failure() -> None:
    about = {"type": "tool_call", "subtype": "completed", "session_id": "s"}
    mcp = {"mcpToolCall": {"args": {"toolName": "search", "args": {"q": "a"}}, "result": {"rejected": {"why": "no"}}}}
    function = {"function": {"name": "plain", "arguments": '{"q": 1}'}, "result": {"success": {"a": "b", "n": 1}}}
    rows = [
        *CURSOR_STREAM[:2],
        {**about, "call_id": "c1", "tool_call": mcp},
        {**about, "call_id": "c2", "tool_call": function},
    ]
    assert printed(*rows)[1:] == [
        ("call", "search"),
        ("result", '{"rejected": {"why": "no"}}'),
        ("call", "plain"),
        ("result", '{"a": "b", "n": 1}'),
    ]


def test_a_reply_of_pi_that_was_cut_off_is_kept_as_far_as_it_came() -> None:
    assert printed(*PI_STREAM[:5])[1:3] == [("assistant", LOOKING), ("call", "read_file")]


def test_a_text_of_cursor_that_is_repeated_twice_stands_once() -> None:
    def row(words: str, **about: Any) -> dict[str, Any]:
        message = {"role": "assistant", "content": [text(words)]}
        return {"type": "assistant", "session_id": "s", "message": message, **about}

    end = {"timestamp_ms": 3, "model_call_id": "m"}
    again = [row("Do", timestamp_ms=1), row("ne.", timestamp_ms=2), row("Done.", **end), row("Done.")]
    later = [row("More.", timestamp_ms=4), row("More.")]
    assert printed(*CURSOR_STREAM[:10], *again, *later)[-1] == ("assistant", "Done.More.")


def test_the_text_that_a_tool_of_cursor_gave_is_its_result_where_nothing_else_is_beside_it() -> None:
    call = {"type": "tool_call", "subtype": "completed", "session_id": "s", "call_id": "c1"}
    for beside, words in (
        ({"path": "a.txt", "range": {"end": 3}, "rules": []}, "three lines"),
        ({"path": "b.txt"}, None),
    ):
        given = {"content": "three lines", **beside}
        asked = {
            "startedAtMs": "1",
            "more": {},
            "readToolCall": {"args": {"path": "a.txt"}, "result": {"success": given}},
        }
        (found,) = [
            each for kind, each in printed(*CURSOR_STREAM[:2], {**call, "tool_call": asked}) if kind == "result"
        ]
        assert found == (words or json.dumps(given))


def test_events_of_opencode_change_and_remove_what_came_before() -> None:
    def event(kind: str, **about: Any) -> dict[str, Any]:
        return {"type": f"message.{kind}", "properties": about}

    later = {"id": "m3", "role": "user", "sessionID": "t", "time": {"created": 1}}
    rows = [
        *OPENCODE_EVENTS,
        event("part.updated", part={"id": "p1", "messageID": "m1", "type": "text", "text": "Say"}),
        event("part.delta", messageID="m1", partID="p1", field="text", delta=" it."),
        event("part.delta", messageID="m1", partID="p9", field="text", delta="More."),
        event("part.removed", messageID="m2", partID="p5"),
        event("updated", info={"id": "m4", "role": "user", "sessionID": "s"}),
        event("removed", messageID="m4"),
        event("updated", info=later),
        event("part.updated", part={"id": "p8", "messageID": "m3", "type": "text", "text": "Another session."}),
    ]
    session = session_in(lines(*rows))
    main, other = session.conversations
    assert told(main.history())[:2] == [("user", "Say it."), ("user", "More.")]
    assert told(main.history())[-1][0] == "result"
    assert (main.origin.title, main.label, other.label) == ("A file", "", "session t")
    assert told(other.history()) == [("user", "Another session.")]
    assert ("server.connected events", 1) in main.omitted
    lost = event("part.updated", part={"id": "p7", "messageID": "m7", "type": "text", "text": "a"})
    assert len(session_in(lines(*rows, lost, {"no": "event"})).unread) == 2


def test_of_opencodes_events_in_a_list_those_that_say_nothing_are_in_repairs() -> None:
    history = MessageHistory.from_list(OPENCODE_EVENTS)
    silent = [n for n, event in enumerate(OPENCODE_EVENTS) if "part" not in event["properties"]]
    steps = [n for n, event in enumerate(OPENCODE_EVENTS) if "step-" in str(event)]
    assert [repair.source for repair in history.repairs] == sorted([*silent, *steps])
    kept = [arrival.metadata["properties"]["part"]["id"] for message in history for arrival in message.arrivals]
    assert kept == ["p1", "p3", "p4", "p5"]


def test_an_error_of_gemini_stands_behind_what_the_tool_gave_unless_it_repeats_it() -> None:
    about = {"type": "tool_result", "timestamp": "t", "tool_id": "c1", "status": "error"}
    for output, message, words in (
        ("a", "b", "a\nb"),
        ("a b", "b", "a b"),
        (None, "b", "b"),
        ({"a": 1}, None, '{"a": 1}'),
    ):
        rows = [*GEMINI_STREAM[:5], {**about, "output": output, "error": {"type": "x", "message": message}}]
        assert printed(*rows)[-1] == ("result", words)


def test_what_a_run_of_pi_gave_is_the_result_where_no_message_has_it() -> None:
    run = {"type": "tool_execution_end", "toolCallId": "c1", "toolName": "read_file", "isError": False}
    ended = {**run, "result": {"content": [{"type": "text", "text": RESULT}], "details": {}}}
    other = {**run, "toolCallId": "c9", "result": None}
    *begun, reply, end = [row for row in PI_STREAM if row["type"] != "message_start"]
    called = begun[:-1]
    for rows in ([*called, ended, other, reply, end], [*called, other, ended], [*called, ended, begun[-1], reply, end]):
        (conversation,) = session_in(lines(*rows)).conversations
        history = conversation.history()
        assert told(history)[1:4] == [("assistant", LOOKING), ("call", "read_file"), ("result", RESULT)]
        assert history.repairs == ()
        assert dict(conversation.omitted)["tool_execution_end events"] == 1
