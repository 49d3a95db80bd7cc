"""The SDK's own types as the judge: every item that is sent is what its parameters say."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history import MessageHistory, check
from message_history.dialects import OpenAIResponses
from message_history.dialects.openai_responses import schema
from message_history.integrations.strategies import broken_lists, histories
from tests.dialects.responses import configurations, lists
from tests.oracles.spoiling import spoil

pytest.importorskip("openai")
pytest.importorskip("pydantic")

from openai.types.responses import Response, ResponseInputItemParam
from pydantic import TypeAdapter, ValidationError

from tests.oracles.closed import closed

PARAMETERS: TypeAdapter[Any] = TypeAdapter(closed(ResponseInputItemParam))


def judge(wire: list[Any]) -> None:
    """Raise when the SDK's types do not allow an item."""
    for item in wire:
        # The API pairs outputs of the local shell by a key that this release's types do not name yet.
        omitted = {"call_id"} if item.get("type") == "local_shell_call_output" else set()
        named = {key: value for key, value in item.items() if key not in omitted}
        assert PARAMETERS.validate_python(named) == named


def is_ours(item: dict[str, Any]) -> bool:
    """Tell whether we write an item: the server's own go back as they came, however spoiled they were."""
    return item.get("type", "message") in schema.MODELLED and not schema.is_searched_by_server(item)


def asks_for_less(item: dict[str, Any]) -> bool:
    """Tell whether the live API takes an item that its types do not: reasoning or parts without an id."""
    is_of_parts = item.get("role") == "assistant" and isinstance(item.get("content"), list)
    return "id" not in item and (item.get("type") == "reasoning" or is_of_parts)


@given(configurations(), histories())
def test_every_export_is_what_the_sdk_takes(dialect: OpenAIResponses, history: MessageHistory) -> None:
    judge(history.for_send(dialect))


@given(configurations(), lists())
def test_every_mended_list_is_what_the_sdk_takes(dialect: OpenAIResponses, raw: list[Any]) -> None:
    wire = MessageHistory.from_list(raw, dialect=dialect).for_send(dialect)
    judge([item for item in wire if is_ours(item) and not (dialect.bare_items and asks_for_less(item))])


@given(broken_lists(OpenAIResponses()))
def test_every_spoiled_list_is_what_the_sdk_takes(raw: list[Any]) -> None:
    judge(MessageHistory.from_list(raw, dialect=OpenAIResponses()).for_send(OpenAIResponses()))


@given(configurations(), lists(), st.data())
def test_a_list_that_is_spoilt_deep_inside_is_what_the_sdk_takes(
    dialect: OpenAIResponses, raw: list[Any], data: st.DataObject
) -> None:
    raw = json.loads(json.dumps(raw))
    spoilable = [item for item in raw if isinstance(item, dict)]
    for _ in range(data.draw(st.integers(1, 3)) if spoilable else 0):
        spoil(data, spoilable)
    check(raw, dialect)
    wire = MessageHistory.from_list(raw, dialect=dialect).for_send(dialect)
    assert not wire or not check(wire, dialect)
    judge([item for item in wire if is_ours(item) and not (dialect.bare_items and asks_for_less(item))])
    assert MessageHistory.from_list(wire, dialect=dialect).for_send(dialect) == wire


def test_a_response_of_the_sdk_is_read_and_goes_back() -> None:
    output = [
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA"},
        {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": "{}"},
    ]
    made: dict[str, Any] = {"id": "resp_1", "object": "response", "status": "completed", "output": output}
    response = Response.model_construct(**Response.model_construct(**made).model_dump())
    parsed = TypeAdapter(list[ResponseInputItemParam]).validate_python(output)
    assert parsed
    history = MessageHistory().add_user("q").add_response(response)
    (call,) = history.awaiting
    wire = history.add_tool_result(call, "r").for_send(OpenAIResponses())
    assert wire[1:3] == output
    judge(wire)


@pytest.mark.parametrize("decision", ["waiting", "approved", "denied"])
def test_an_approval_of_the_sdks_response_is_what_the_sdk_takes(decision: str) -> None:
    output = [
        {"type": "mcp_approval_request", "id": "mcpr_1", "arguments": "{}", "name": "f", "server_label": "s"},
        {"type": "computer_call", "id": "cu_1", "call_id": "call_1", "action": {"type": "screenshot"},
         "pending_safety_checks": [{"id": "cu_sc_1", "code": None, "message": None}], "status": "completed"},
    ]  # fmt: skip
    made: dict[str, Any] = {"id": "resp_1", "object": "response", "status": "completed", "output": output}
    history = MessageHistory().add_user("q").add_response(Response.model_construct(**made))
    assert [record.call.approval for record in history.calls] == ["provider", "client"]
    for call in history.awaiting if decision != "waiting" else ():
        history = history.record_call(call, decision, reason="no" if decision == "denied" else "")
    if decision == "approved":
        shot = {"type": "computer_screenshot", "image_url": "https://example.com/a.png"}
        history = history.add({"type": "computer_call_output", "call_id": "call_1", "output": shot})
    wire = history.for_send(OpenAIResponses())
    assert check(wire, OpenAIResponses()) == []
    assert wire[3]["approve"] is (decision == "approved")
    judge(wire)


@pytest.mark.parametrize(
    "broken",
    [
        [{"role": "tool", "content": "r"}],
        [{"role": "user", "content": [{"type": "text", "text": "q"}]}],
        [{"role": "assistant", "content": [{"type": "output_text", "text": "a"}]}],
        [{"type": "function_call", "call_id": "c"}],
        [{"type": "function_call_output", "call_id": "c", "output": [{"type": "output_text", "text": "r"}]}],
        [{"type": "reasoning", "encrypted_content": "gAAAA"}],
    ],
)
def test_the_judge_refuses_what_is_broken(broken: list[Any]) -> None:
    with pytest.raises(ValidationError):
        judge(broken)
