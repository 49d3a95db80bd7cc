"""The strict server answers and refuses without any SDK, and the fixture fails a test whose request was refused."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from message_history import MessageHistory, Usage
from message_history.testing import StrictServer
from tests.needs import needs_sockets

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_sockets

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
        assert ask(server, [QUESTION])["stop_reason"] == "tool_use"
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
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["message_history.testing.pytest_plugin"]\n')
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
