"""Logs with the bodies of requests as text are read: what was refused is often nowhere else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from message_history.files.files import NotRecognisedError
from message_history.formats.kit.document import parse_document
from message_history.formats.reading import SessionFile, session_in
from message_history.formats.registry import recognise

BODY: dict[str, Any] = {
    "model": "gpt-4o",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": 'Say "{"messages"".'},
        {"role": "assistant", "content": "", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        ]},
        {"role": "user", "content": "Well?"},
    ],
    "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
}  # fmt: skip
SENT = json.dumps(BODY)
STARTED = {"time": "2026-11-23T08:00:00Z", "level": "INFO", "msg": "started"}
FAILED = {"time": "2026-11-23T08:00:02Z", "level": "ERROR", "msg": "failed", "err": '400 Bad Request {"message": "no"}'}
HEAD = "POST /v1/chat/completions HTTP/1.1\r\nHost: api.openai.com\r\nContent-Type: application/json\r\n\r\n"


def records(*values: Any) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


LOGS = {
    "slog": records(STARTED, {**STARTED, "msg": "request", "body": SENT}, FAILED),
    "a record alone": json.dumps({**STARTED, "body": SENT}, indent=2),
    "a list of records": json.dumps([STARTED, {**STARTED, "http": {"request": {"body": SENT}}}]),
    "a body that is not text among other records": records(STARTED, {**STARTED, "request": BODY}, FAILED),
    "Go's log": f"2026/11/23 08:00:01 request: {SENT}\n2026/11/23 08:00:02 400 Bad Request\n",
    "line ends of Windows": f"2026/11/23 08:00:01 request: {SENT}\r\nend\r\n",
    "a dump of HTTP": HEAD + SENT,
}


def session(text: str) -> SessionFile:
    return session_in(text.encode())


@pytest.mark.parametrize("name", LOGS)
def test_a_request_in_a_log_is_read_judged_and_converted_whole(name: str) -> None:
    found = session(LOGS[name])
    assert (found.format.name, found.notes, found.unread) == ("request-logs", (), ())
    (one,) = found.conversations
    assert list(one.file.entries) == BODY["messages"]
    assert one.tools == tuple(BODY["tools"])
    assert [violation.rule for violation in one.violations()] == ["OC-01"]
    assert one.file.container is not None
    assert one.file.container["model"] == "gpt-4o"
    assert "`message-history convert FILE --to openai_chat -o OUT`" in str(found.refusal)


def test_the_newest_request_is_the_main_one_and_those_it_goes_on_from_are_counted() -> None:
    first = {**BODY, "messages": BODY["messages"][:2]}
    other = {"model": "gemini", "contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}
    bodies = [{**STARTED, "body": json.dumps(body)} for body in (other, first, BODY)]
    found = session(records(STARTED, *bodies, FAILED))
    assert [(each.label, len(each.file.entries)) for each in found.conversations] == [("", 4), ("line 2", 1)]
    assert found.conversations[0].omitted == (
        ("other lines of the log", 2),
        ("requests that a later one holds whole", 1),
    )


def test_a_request_that_was_cut_off_is_noted() -> None:
    found = session(records({**STARTED, "body": SENT}, {**STARTED, "body": SENT[:-40]}))
    assert [(note.line, note.detail) for note in found.notes] == [
        (2, "the body of a request, which is cut off or damaged")
    ]
    assert found.skipped == 1


@pytest.mark.parametrize(
    "text",
    [
        records(STARTED, FAILED),
        records(STARTED, {**STARTED, "body": json.dumps({"messages": ["a", "b"], "model": "m"})}),
        records(STARTED, {**STARTED, "body": json.dumps({"messages": [{"role": "user", "content": "q"}]})}),
        f"Send this:\n\n    curl -d '{SENT}'\n",
        "{" * 100_000 + '"messages"',
    ],
    ids=["no body", "no messages", "no model", "a command in a page", "nested"],
)
def test_what_holds_no_request_is_not_taken_for_a_log(text: str) -> None:
    with pytest.raises((NotRecognisedError, ValueError)):
        recognise(parse_document(text.encode()))


def test_a_plain_list_is_not_searched_for_logged_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("message_history_formats.request_logs._requests", None)
    assert recognise(parse_document(json.dumps(BODY["messages"]).encode())).name == "messages"
