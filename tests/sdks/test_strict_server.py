# ruff: noqa: E501 - one broken list a line
"""The strict server refuses broken lists, in the providers' words, by rules of its own and by the dialects'."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from message_history import MessageHistory
from message_history.dialects import Anthropic, Bedrock, Dialect, Gemini, Mistral, OpenAIChat, OpenAIResponses
from message_history_testing import ModelReply, ModelRequest, Moody, StrictServer, weather
from tests.needs import needs_sockets

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = needs_sockets

CLAUDE, NOVA = "claude-opus-4-6", "amazon.nova-pro-v1:0"
# Where each provider takes its list, and under which key.
PLACES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "anthropic": ("/anthropic/v1/messages", "messages", {"model": CLAUDE}),
    "openai_chat": ("/openai/v1/chat/completions", "messages", {"model": "gpt-4.1"}),
    "openai_responses": ("/openai/v1/responses", "input", {"model": "gpt-5"}),
    "gemini": ("/gemini/v1beta/models/gemini-2.5-pro:generateContent", "contents", {}),
    "mistral": ("/mistral/v1/chat/completions", "messages", {"model": "mistral-large-latest"}),
    "bedrock": (f"/bedrock/model/{NOVA}/converse", "messages", {"toolConfig": {"tools": []}}),
}


@pytest.fixture(scope="module")
def server() -> Iterator[StrictServer]:
    with StrictServer() as running:
        yield running


def post(server: StrictServer, provider: str, wire: list[Any], **more: Any) -> tuple[int, dict[str, Any]]:
    path, key, body = PLACES[provider]
    data = json.dumps({**body, key: wire, **more}).encode()
    request = Request(server.url + path, data, {"Content-Type": "application/json"})
    try:
        with urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except HTTPError as error:
        with error:
            return error.code, json.load(error)


def text_of(provider: str, body: dict[str, Any]) -> str:
    """Find the text of a refusal where the provider puts it."""
    if provider in ("mistral", "bedrock"):
        return str(body["message"])
    if provider == "anthropic":
        assert body["type"] == "error"
        assert body["error"]["type"] == "invalid_request_error"
    return str(body["error"]["message"])


SYSTEM = {"role": "system", "content": "be kind"}
USER = {"role": "user", "content": "q"}
A_USE: dict[str, Any] = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]}
A_RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "r"}
C_CALL = {"id": "abcdefghi", "type": "function", "function": {"name": "f", "arguments": "{}"}}
C_USE = {"role": "assistant", "content": "", "tool_calls": [C_CALL]}
C_RESULT = {"role": "tool", "tool_call_id": "abcdefghi", "content": "r"}
R_USE = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
R_RESULT = {"type": "function_call_output", "call_id": "c1", "output": "r"}
R_REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"}
G_USER = {"role": "user", "parts": [{"text": "q"}]}
G_USE = {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}
G_RESULT = {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]}
B_USER = {"role": "user", "content": [{"text": "q"}]}
B_USE = {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}}]}
B_RESULT = {"toolResult": {"toolUseId": "t1", "content": [{"text": "r"}]}}

BROKEN: list[tuple[str, list[Any], str]] = [
    ("anthropic", [], "messages: at least one message is required"),
    ("anthropic", [USER, A_USE, USER], "`tool_use` ids were found without `tool_result` blocks immediately after: t1"),
    ("anthropic", [{**USER, "content": [A_RESULT]}], "unexpected `tool_use_id` found in `tool_result` blocks: t1"),
    ("anthropic", [USER, A_USE, {**USER, "content": [{"type": "text", "text": "q"}, A_RESULT]}], "immediately after: t1"),
    ("anthropic", [{**USER, "content": [{"type": "text", "text": ""}]}], "text content blocks must be non-empty"),
    ("anthropic", [{**USER, "content": " "}], "text content blocks must contain non-whitespace text"),
    ("anthropic", [{**USER, "content": []}], "all messages must have non-empty content"),
    ("anthropic", [USER, {"role": "assistant", "content": "a"}], "does not support assistant message prefill"),
    ("anthropic", [USER, {"role": "assistant", "content": [{"type": "thinking", "thinking": "h", "signature": "x"}]}, USER],
     "messages.1.content.0: Invalid `signature` in `thinking` block"),
    ("anthropic", [USER, {**A_USE, "content": A_USE["content"] * 2}, {**USER, "content": [A_RESULT]}],
     "`tool_use` ids must be unique"),
    ("openai_chat", [], "empty array"),
    ("openai_chat", [USER, C_USE, USER], "did not have response messages: abcdefghi"),
    ("openai_chat", [USER, C_USE], "did not have response messages: abcdefghi"),
    ("openai_chat", [USER, C_RESULT], "must be a response to a preceeding message with 'tool_calls'"),
    ("openai_chat", [USER, {"role": "assistant", "content": None}], "expected a string, got null"),
    ("openai_chat", [USER, {**C_USE, "tool_calls": []}], "Invalid 'messages[1].tool_calls': empty array"),
    ("openai_responses", [USER, R_USE], "No tool output found for function call c1."),
    ("openai_responses", [USER, R_RESULT], "No tool call found for function call output with call_id c1."),
    ("openai_responses", [USER, R_REASONING], "was provided without its required following item"),
    ("openai_responses", [USER, R_REASONING, R_USE, R_RESULT], "could not be verified"),
    ("gemini", [], "contents are required."),
    ("gemini", [{"role": "user", "parts": []}], "contents.parts must not be empty"),
    ("gemini", [G_USER, G_USE, G_USER], "number of function response parts is equal to the number of function call"),
    ("gemini", [G_USER, G_RESULT], "function response turn comes immediately after a function call turn"),
    ("gemini", [G_USE, G_RESULT], "function call turn comes immediately after a user turn"),
    ("mistral", [], "Conversation must have at least one message"),
    ("mistral", [USER, C_USE], "Not the same number of function calls and responses"),
    ("mistral", [USER, C_USE, C_RESULT, SYSTEM], "Unexpected role 'system' after role 'tool'"),
    ("mistral", [USER, {"role": "assistant", "content": "a"}], "Expected last role User or Tool"),
    ("mistral", [USER, {**C_USE, "tool_calls": [{**C_CALL, "id": "call_1"}]}], "must be a-z, A-Z, 0-9, with a length of 9"),
    ("mistral", [USER, {"role": "assistant", "content": ""}, USER], "must have either content or tool_calls"),
    ("bedrock", [], "must start with a user message"),
    ("bedrock", [B_USER, B_USER], "must alternate between user and assistant roles"),
    ("bedrock", [B_USER, B_USE, B_USER], "Expected toolResult blocks at messages.2.content for the following Ids: t1"),
    ("bedrock", [{"role": "user", "content": [B_RESULT]}], "exceeds the number of toolUse blocks of previous turn"),
    ("bedrock", [{"role": "user", "content": [{"text": ""}]}], "The text field in the ContentBlock object"),
    ("bedrock", [{"role": "user", "content": []}], "The content field in the Message object at messages.0 is empty"),
]  # fmt: skip


@pytest.mark.parametrize(("provider", "wire", "text"), BROKEN)
def test_a_broken_list_is_refused_in_the_providers_words(
    server: StrictServer, provider: str, wire: list[Any], text: str
) -> None:
    status, body = post(server, provider, wire)
    assert status == 400
    assert text in text_of(provider, body)
    assert server.refusals[-1] == text_of(provider, body)


def test_converse_asks_for_tools(server: StrictServer) -> None:
    wire = [B_USER, B_USE, {"role": "user", "content": [B_RESULT]}]
    path, key, _ = PLACES["bedrock"]
    data = json.dumps({key: wire}).encode()
    with pytest.raises(HTTPError) as caught:
        urlopen(Request(server.url + path, data, {"Content-Type": "application/json"}), timeout=30)
    with caught.value as error:
        assert "The toolConfig field must be defined" in json.load(error)["message"]
        assert error.headers["x-amzn-ErrorType"] == "ValidationException"


def test_another_path_is_nobodys(server: StrictServer) -> None:
    with pytest.raises(HTTPError) as caught:
        urlopen(Request(f"{server.url}/elsewhere", b"{}"), timeout=30)
    with caught.value as error:
        assert error.code == 404


DIALECTS: dict[str, Dialect[Any]] = {
    "anthropic": Anthropic.for_model(CLAUDE),
    "openai_chat": OpenAIChat.for_model("gpt-4.1"),
    "openai_responses": OpenAIResponses.for_model("gpt-5"),
    "gemini": Gemini.for_model("gemini-2.5-pro"),
    "mistral": Mistral.for_model("mistral-large-latest"),
    "bedrock": Bedrock.for_model(NOVA),
}
every_provider = pytest.mark.parametrize("provider", DIALECTS)


@every_provider
def test_lists_are_taken_and_the_same_lists_with_a_message_lost_are_refused(
    server: StrictServer, provider: str
) -> None:
    """Take what a history sends; of what is left when one message is lost, refuse at least a third."""
    dialect = DIALECTS[provider]
    server.script = Moody(Random(7))
    lost = refused = 0
    for seed in range(8):
        chance = Random(seed)
        history = MessageHistory().add_user("q")
        for _ in range(4):
            sent = history.as_sent(dialect)
            wire = sent.for_send(dialect)
            status, reply = post(server, provider, wire)
            assert status == 200, reply
            if len(wire) > 2:
                where = chance.randrange(len(wire))
                lost += 1
                refused += post(server, provider, wire[:where] + wire[where + 1 :])[0] == 400
            history = history.add_response(reply, sent=sent, dialect=dialect)
            for call in history.awaiting[: chance.randrange(4)]:
                history = history.add_tool_result(call, "r")
    server.script = weather
    assert lost > 15
    assert refused > lost / 3


@pytest.mark.parametrize(("model", "status"), [(CLAUDE, 200), ("a-model-that-no-row-knows", 400)])
def test_a_list_begins_with_the_assistant_where_a_row_says_that_the_model_takes_it(
    server: StrictServer, model: str, status: int
) -> None:
    got, body = post(server, "anthropic", [{"role": "assistant", "content": "a"}, USER], model=model)
    assert got == status
    assert (status == 400) == ('first message must use the "user" role' in json.dumps(body).replace("\\", ""))


def test_a_script_says_what_the_model_says(server: StrictServer) -> None:
    asked: list[ModelRequest] = []

    def script(request: ModelRequest) -> ModelReply:
        asked.append(request)
        return ModelReply(text="Yes.")

    server.script = script
    assert post(server, "anthropic", [USER])[1]["content"] == [{"type": "text", "text": "Yes."}]
    assert [(request.calls, request.body["messages"]) for request in asked] == [(0, [USER])]
    server.script = weather
