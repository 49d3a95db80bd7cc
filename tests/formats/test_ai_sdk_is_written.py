"""Messages of the AI SDK are repaired in their own form, so that the application can go on with them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from message_history.files.files import UnreadableFileError
from message_history.formats.reading import session_in
from message_history.formats.registry import FORMATS

STUB = "[No result is recorded for this call. The tool may or may not have run.]"
USER = {"role": "user", "content": "Rome?"}
AGAIN = {"role": "user", "content": [{"type": "text", "text": "Well?"}]}
CALL = {"type": "tool-call", "toolCallId": "c1", "toolName": "weather", "input": {"city": "Rome"}}
RESULT = {"type": "tool-result", "toolCallId": "c1", "toolName": "weather", "output": {"type": "text", "value": "dry"}}
SEARCH = {**CALL, "toolCallId": "s1", "toolName": "web_search", "providerExecuted": True}
FOUND = {**RESULT, "toolCallId": "s1", "toolName": "web_search"}


def repaired(messages: Any, name: str = "ai-sdk-model") -> Any:
    session = session_in(json.dumps(messages).encode(), chosen=FORMATS[name]).repair_file()
    assert session.after.violations() == []
    return json.loads(session.data)


def assistant(*parts: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(parts), "providerOptions": {"of": "ours"}}


def test_a_call_without_a_result_gets_a_message_with_one_in_the_form_of_the_sdk() -> None:
    stub = {**RESULT, "output": {"type": "error-text", "value": STUB}}
    broken = [USER, assistant(CALL), AGAIN]
    assert repaired(broken) == [*broken[:2], {"role": "tool", "content": [stub]}, AGAIN]


def test_in_versions_before_5_it_gets_one_in_their_form() -> None:
    old = {"type": "tool-call", "toolCallId": "c1", "toolName": "weather", "args": {"city": "Rome"}}
    broken = [USER, assistant(old), AGAIN]
    stub = {"type": "tool-result", "toolCallId": "c1", "toolName": "weather", "result": STUB, "isError": True}
    assert repaired(broken) == [*broken[:2], {"role": "tool", "content": [stub]}, AGAIN]


def test_a_result_of_no_call_is_taken_out_and_the_rest_of_its_message_stays() -> None:
    lost = {**RESULT, "toolCallId": "c9"}
    broken = [USER, assistant(CALL), {"role": "tool", "content": [RESULT, lost]}, AGAIN]
    assert repaired(broken) == [*broken[:2], {"role": "tool", "content": [RESULT]}, AGAIN]


def test_what_the_provider_has_run_itself_stays_where_it_is() -> None:
    searched = assistant(SEARCH, FOUND, CALL)
    fixed = repaired([USER, searched, AGAIN])
    assert fixed[1] == searched
    assert [part["toolCallId"] for part in fixed[2]["content"]] == ["c1"]


def test_a_second_call_with_one_id_gets_another_and_keeps_its_arguments() -> None:
    twice = assistant(CALL, {**CALL, "input": {"city": "Oslo"}}, {**CALL, "toolCallId": "c2"})
    fixed = repaired([USER, twice, {"role": "tool", "content": [RESULT]}, AGAIN])
    parts = [part for message in fixed[1:-1] for part in message["content"]]
    calls = {part["toolCallId"]: part["input"]["city"] for part in parts if part["type"] == "tool-call"}
    results = {part["toolCallId"] for part in parts if part["type"] == "tool-result"}
    assert sorted(calls.values()) == ["Oslo", "Rome", "Rome"]
    assert results == calls.keys()


def test_a_file_in_which_a_person_is_still_asked_is_not_written() -> None:
    asked = {"type": "tool-approval-request", "approvalId": "a1", "toolCallId": "c2"}
    broken = [USER, assistant(CALL, {**CALL, "toolCallId": "c2"}, asked), AGAIN]
    with pytest.raises(UnreadableFileError, match="a call in it waits for a person"):
        repaired(broken)


def test_messages_of_the_interface_get_their_outcome_in_the_part_of_the_call() -> None:
    waiting = {"type": "tool-weather", "toolCallId": "c1", "state": "input-available", "input": {"city": "Rome"}}
    cut_off = {"type": "dynamic-tool", "toolName": "weather", "toolCallId": "c2", "state": "input-streaming"}
    ended = {**waiting, "toolCallId": "c3", "state": "output-available", "output": "dry"}
    broken: list[dict[str, Any]] = [
        {"id": "1", "role": "user", "parts": [{"type": "text", "text": "Rome?"}]},
        {"id": "2", "role": "assistant", "parts": [{"type": "step-start"}, waiting, cut_off, ended]},
        {"id": "3", "role": "user", "parts": [{"type": "text", "text": "Well?"}]},
    ]
    failed = {"state": "output-error", "errorText": STUB}
    parts = [{"type": "step-start"}, {**waiting, **failed}, {**cut_off, "input": {}, **failed}, ended]
    expected = [broken[0], {**broken[1], "parts": parts}, broken[2]]
    assert repaired(broken, "ai-sdk") == expected
    assert repaired({"id": "chat", "messages": broken}, "ai-sdk") == {"id": "chat", "messages": expected}
    rows = session_in(b"".join(json.dumps(row).encode() + b"\n" for row in broken), chosen=FORMATS["ai-sdk"])
    assert [json.loads(row) for row in rows.repair_file().data.splitlines()] == expected


def test_those_of_version_4_get_a_result() -> None:
    waiting: dict[str, Any] = {"state": "call", "toolCallId": "c1", "toolName": "weather", "args": {"city": "Rome"}}
    part = {"type": "tool-invocation", "toolInvocation": waiting}
    ended = {**waiting, "state": "result", "result": STUB}
    for key, made, wanted in (("parts", part, {**part, "toolInvocation": ended}), ("toolInvocations", waiting, ended)):
        reply: dict[str, Any] = {"id": "2", "role": "assistant", "content": "I look.", key: [made]}
        broken = [
            {"id": "1", "role": "user", "content": "Rome?"},
            reply,
            {"id": "3", "role": "user", "content": "Well?"},
        ]
        assert repaired(broken, "ai-sdk") == [broken[0], {**reply, key: [wanted]}, broken[2]]
