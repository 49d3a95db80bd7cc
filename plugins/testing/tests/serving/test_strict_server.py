"""The strict server answers and refuses without any SDK, and the fixture fails a test whose request was refused."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from tests.needs import needs_sockets

from message_history import MessageHistory, Usage
from message_history_testing import ModelReply, ModelRequest, StrictServer
from message_history_testing.__main__ import main

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_sockets
jsonschema = pytest.importorskip("jsonschema")

QUESTION = {"role": "user", "content": "weather?"}
CALL = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]}


def post(server: StrictServer, path: str, body: dict[str, Any]) -> bytes:
    with urlopen(Request(f"{server.url}/{path}", json.dumps(body).encode())) as answer:
        found: bytes = answer.read()
    return found


def ask(server: StrictServer, messages: list[Any]) -> Any:
    body = {"model": "claude-sonnet-4-5", "max_tokens": 10, "messages": messages}
    return json.loads(post(server, "anthropic/v1/messages", body))


def test_a_sound_list_is_answered_and_a_broken_one_is_refused_with_the_providers_text() -> None:
    with StrictServer() as server:
        assert ask(server, [QUESTION])["stop_reason"] == "end_turn"
        with pytest.raises(HTTPError) as refused:
            ask(server, [QUESTION, CALL, QUESTION])
        with refused.value as error:
            assert "`tool_use` ids were found without `tool_result` blocks" in error.read().decode()
        assert len(server.requests) == 2
        assert len(server.refusals) == 1


@pytest.mark.parametrize(
    ("path", "body", "model"),
    [
        ("anthropic/v1/messages", {"model": "claude-sonnet-4-5", "max_tokens": 10, "messages": [QUESTION]}, None),
        ("openai/v1/chat/completions", {"model": "gpt-4o", "messages": [QUESTION]}, None),
        ("openai/v1/responses", {"model": "gpt-5", "input": "weather?"}, None),
        ("mistral/v1/chat/completions", {"model": "mistral-large", "messages": [QUESTION]}, None),
        (
            "gemini/v1beta/models/gemini-3-pro:generateContent",
            {"contents": [{"role": "user", "parts": [{"text": "weather?"}]}]},
            "gemini-3-pro",
        ),
    ],
)
def test_every_reply_says_its_model_and_usage(path: str, body: dict[str, Any], model: str | None) -> None:
    with StrictServer() as server:
        history = MessageHistory().add_user("weather?").add_response(json.loads(post(server, path, body)))
    assert history[-1].replies[-1].model == (model or body["model"])
    assert history.usage() == Usage(input_tokens=1, output_tokens=1)


def test_a_stream_of_chat_completions_says_its_usage_when_asked() -> None:
    body = {"model": "gpt-4o", "messages": [QUESTION], "stream": True}
    with StrictServer() as server:
        assert b"usage" not in post(server, "openai/v1/chat/completions", body)
        asked = {**body, "stream_options": {"include_usage": True}}
        assert b'"usage"' in post(server, "openai/v1/chat/completions", asked)


SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 6},
        "when": {"type": "string", "format": "date"},
        "unit": {"enum": ["C", "F"]},
        "days": {"type": "integer", "minimum": 3},
        "wind": {"anyOf": [{"type": "number", "exclusiveMaximum": 0}, {"type": "null"}]},
        "where": {"$ref": "#/$defs/place"},
        "tags": {"type": "array", "items": {"type": ["boolean", "null"]}, "minItems": 2},
        "all": {"allOf": [{"type": "object"}, {"required": ["x"], "properties": {"x": {"const": 7}}}]},
        "step": {"type": "integer", "multipleOf": 5, "exclusiveMinimum": 10},
    },
    "required": ["city", "when", "unit", "days", "wind", "where", "tags", "all", "step"],
    "$defs": {"place": {"type": "object", "properties": {"in": {"$ref": "#/$defs/place"}, "n": {"maximum": 2}}}},
    "additionalProperties": False,
}


def test_the_tools_of_a_request_are_called_with_inputs_that_their_schemas_take() -> None:
    tool = {"name": "forecast", "input_schema": SCHEMA}
    with StrictServer() as server:
        body = {"model": "claude-sonnet-4-5", "max_tokens": 10, "messages": [QUESTION], "tools": [tool]}
        reply = json.loads(post(server, "anthropic/v1/messages", body))
        (call,) = [block for block in reply["content"] if block["type"] == "tool_use"]
        jsonschema.validate(call["input"], SCHEMA)
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": "sunny"}
        turn = [{"role": "assistant", "content": reply["content"]}, {"role": "user", "content": [result]}]
        answer = json.loads(post(server, "anthropic/v1/messages", {**body, "messages": [QUESTION, *turn]}))
    assert call["name"] == "forecast"
    assert answer["stop_reason"] == "end_turn"


def test_a_script_sees_the_request() -> None:
    seen: list[ModelRequest] = []

    def script(request: ModelRequest) -> ModelReply:
        seen.append(request)
        return ModelReply(text="Yes.")

    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    with StrictServer(script) as server:
        post(server, "openai/v1/chat/completions", {"model": "gpt-4o", "messages": [QUESTION], "tools": [tool]})
    assert seen[0].body["messages"] == [QUESTION]
    assert [tool.name for tool in seen[0].tools] == ["f"]


def test_a_script_that_returns_no_reply_is_named_in_the_answer() -> None:
    with StrictServer(lambda _: "Yes.") as server, pytest.raises(HTTPError) as refused:  # type: ignore[arg-type,return-value]
        post(server, "openai/v1/chat/completions", {"model": "gpt-4o", "messages": [QUESTION]})
    with refused.value as error:
        assert "the script must return a ModelReply, not str: 'Yes.'" in error.read().decode()


@pytest.mark.parametrize(
    ("path", "body", "text"),
    [
        (
            "openai/v1/responses",
            {"model": "gpt-5", "input": [QUESTION, {"type": "function_call", "name": "f", "arguments": "{}"}]},
            "Missing required parameter: input[1].call_id",
        ),
        ("openai/v1/chat/completions", {"model": "gpt-4o", "messages": [{"content": "x"}]}, "role"),
        ("anthropic/v1/messages", {"model": "claude-sonnet-4-5", "messages": [{"role": "user"}]}, "content"),
    ],
)
def test_what_is_missing_is_named_and_never_an_error_of_the_server(path: str, body: dict[str, Any], text: str) -> None:
    with StrictServer() as server, pytest.raises(HTTPError) as refused:
        post(server, path, body)
    with refused.value as error:
        assert error.code == 400
        assert text in error.read().decode()


def test_a_list_may_begin_with_the_assistant_where_the_model_s_row_says_so() -> None:
    messages = [{"role": "assistant", "content": "Hello!"}, QUESTION]
    with StrictServer() as server:
        body = {"model": "claude-sonnet-5", "max_tokens": 10, "messages": messages}
        assert json.loads(post(server, "anthropic/v1/messages", body))["stop_reason"] == "end_turn"


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["--help"], 0, "[--script MODULE:FUNCTION] COMMAND ..."),
        ([], 2, "COMMAND is missing"),
        (["no-such-program"], 2, "cannot be run"),
        (["--script", "nothing:here", "true"], 2, "MODULE:FUNCTION"),
    ],
)
def test_the_command_says_how_it_is_used(
    arguments: list[str], code: int, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == code
    assert text in "".join(capsys.readouterr())


def test_the_command_runs_a_script_of_one_s_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "moods.py").write_text(
        "from message_history_testing import ModelReply\ndef grumpy(_): return ModelReply(text='No.')\n"
    )
    (tmp_path / "agent.py").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    assert main(["--script", "moods:grumpy", sys.executable, "agent.py"]) == 0
    assert capfd.readouterr().out == "No.\n"


WAITING = """
import pathlib, signal, sys, time
def stop(*_):
    pathlib.Path("stopped").touch()
    sys.exit(7)
signal.signal(signal.SIGTERM, stop)
pathlib.Path("ready").touch()
time.sleep(60)
"""
SLEEPING = "import pathlib, time; pathlib.Path('ready').touch(); time.sleep(60)"


@pytest.mark.skipif(sys.platform == "win32", reason="a signal ends a program there without a word")
@pytest.mark.parametrize(("agent", "code"), [(WAITING, 7), (SLEEPING, 143)], ids=["cleans up", "does not"])
def test_the_command_ends_when_it_is_told_to_end(tmp_path: Path, agent: str, code: int) -> None:
    """Service managers and containers send SIGTERM: the command gets it too, and nothing goes on running."""
    (tmp_path / "agent.py").write_text(agent)
    command = [sys.executable, "-m", "message_history_testing", sys.executable, "agent.py"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not (tmp_path / "ready").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=30)[1] == "0 requests, 0 refused\n"
    assert process.returncode == code
    assert (tmp_path / "stopped").exists() == (agent is WAITING)


AGENT = """
import json, os
from urllib.request import Request, urlopen

body = {"model": "claude-sonnet-4-5", "max_tokens": 10, "messages": [{"role": "user", "content": "hi"}]}
asked = Request(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", json.dumps(body).encode())
print(json.load(urlopen(asked))["content"][-1]["text"])
"""

TESTS = """
import json, os
from urllib.request import Request, urlopen

def post(messages):
    body = {"model": "claude-sonnet-4-5", "max_tokens": 10, "messages": messages}
    return urlopen(Request(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", json.dumps(body).encode())).status

def test_sound(strict_server):
    assert post([{"role": "user", "content": "hi"}]) == 200

def test_broken(strict_server):
    try:
        post([{"role": "user", "content": []}])
    except OSError:
        pass  # An agent that swallows the error is found all the same.
"""


@pytest.mark.heavy
def test_the_fixture_fails_a_test_whose_request_was_refused(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["message_history_testing.pytest_plugin"]\n')
    (tmp_path / "test_agent.py").write_text(TESTS)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert "2 passed, 1 error" in ran.stdout, ran.stdout
    assert "the provider would have refused" in ran.stdout
