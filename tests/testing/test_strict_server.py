"""The strict server answers and refuses without any SDK, and the fixture fails a test whose request was refused."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from message_history.testing import StrictServer

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = {"role": "user", "content": "weather?"}
CALL = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]}


def ask(server: StrictServer, messages: list[Any]) -> Any:
    body = {"model": "claude-sonnet-4-5", "max_tokens": 10, "messages": messages}
    request = Request(f"{server.url}/anthropic/v1/messages", json.dumps(body).encode())
    with urlopen(request) as answer:
        return json.load(answer)


def test_a_sound_list_is_answered_and_a_broken_one_is_refused_with_the_providers_text() -> None:
    with StrictServer() as server:
        assert ask(server, [QUESTION])["stop_reason"] == "tool_use"
        with pytest.raises(HTTPError) as refused:
            ask(server, [QUESTION, CALL, QUESTION])
        assert "`tool_use` ids were found without `tool_result` blocks" in refused.value.read().decode()
        assert len(server.requests) == 2
        assert len(server.refusals) == 1


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
