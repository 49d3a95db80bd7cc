"""Every example runs with the real SDK against the strict server, and both type checkers take it as it is."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from message_history import MessageHistory, ToolUseBlock
from message_history_testing import ModelReply, ModelRequest, StrictServer, weather
from tests.needs import needs_sockets
from tests.pyright import strict_errors
from tests.sdks.events import needs_sdk

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

pytestmark = needs_sockets

ROOT = Path(__file__).parents[2]
EXAMPLES = {
    "anthropic_agent": "anthropic",
    "openai_chat_agent": "openai_chat",
    "openai_responses_agent": "openai_responses",
    "gemini_agent": "gemini",
    "mistral_agent": "mistral",
    "bedrock_agent": "bedrock",
    "streaming_agent": "anthropic",
    "concurrent_agent": "anthropic",
}
SERVER = "plugins/testing/src/message_history_testing"
CHECKED = [
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "examples").glob("*.py")),
    SERVER,
    "tests/sdks/calls.py",
]


def run(*command: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if not key.endswith(("_API_KEY", "_BASE_URL"))}
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT, timeout=300, env=environment)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs_as_it_says(name: str) -> None:
    needs_sdk(EXAMPLES[name])
    text = (ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8")
    usage = r"^`python (-m message_history_testing --script \S+) python (examples/\w+\.py)`\.$"
    (command,) = re.findall(usage, text, re.MULTILINE)
    ran = run(sys.executable, *command[0].split(), sys.executable, "-W", "error", command[1])
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "It is sunny in Paris and in Rome.\n"
    assert re.search(r"^[2-9] requests, 0 refused$", ran.stderr, re.MULTILINE)


def test_every_example_is_listed_here_and_in_the_docs() -> None:
    # The one that waits for a person needs no provider; tests/sessions/test_approvals.py runs it.
    scripts = {path.stem for path in (ROOT / "examples").glob("*_agent.py")} - {"approval_agent"}
    assert scripts == set(EXAMPLES)
    page = (ROOT / "docs" / "responses.md").read_text(encoding="utf-8")
    assert scripts <= set(re.findall(r"examples/(\w+)\.py", page))


def test_the_server_tells_of_refusals(tmp_path: Path) -> None:
    script = tmp_path / "refused.py"
    script.write_text(
        "import os, urllib.error, urllib.request\n"
        "url = os.environ['ANTHROPIC_BASE_URL'] + '/v1/messages'\n"
        "try:\n"
        '    urllib.request.urlopen(url, b\'{"model": "claude-opus-4-6", "messages": []}\')\n'
        "except urllib.error.HTTPError as error:\n"
        "    print(error.code)\n"
        "    error.close()\n"
    )
    ran = run(sys.executable, "-m", "message_history_testing", sys.executable, str(script))
    assert (ran.returncode, ran.stdout) == (1, "400\n")
    assert ran.stderr == "refused: messages: at least one message is required\n1 request, 1 refused\n"


def test_python_is_the_one_that_the_server_runs_in() -> None:
    ran = run(sys.executable, "-m", "message_history_testing", "python", "-c", "import sys; print(sys.prefix)")
    assert (ran.stdout, ran.stderr) == (f"{sys.prefix}\n", "0 requests, 0 refused\n")


def test_mypy_takes_the_examples_without_a_cast() -> None:
    for sdk in EXAMPLES.values():
        needs_sdk(sdk)
    if importlib.util.find_spec("mypy_boto3_bedrock_runtime") is None:
        pytest.skip("the types of boto3 are not installed")
    checked = run(sys.executable, "-m", "mypy", "--strict", *CHECKED)
    assert checked.returncode == 0, checked.stdout


def test_pyright_takes_the_examples_without_a_cast() -> None:
    for sdk in EXAMPLES.values():
        needs_sdk(sdk)
    if shutil.which("pyright", path=str(Path(sys.executable).parent)) is None:
        pytest.skip("pyright is not installed")
    checked = run(
        sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "plugins/testing/src/message_history_testing"
    )
    assert checked.returncode == 0, checked.stdout
    files = [path for path in CHECKED if path.endswith(".py")]
    # The SDKs of Bedrock and Gemini leave parts of their types out.
    assert strict_errors(files, without_types={"bedrock_agent.py", "gemini_agent.py", "calls.py"}) == []


def test_pyright_refuses_each_use_that_mypy_refuses() -> None:
    needs_sdk("anthropic")
    if shutil.which("pyright", path=str(Path(sys.executable).parent)) is None:
        pytest.skip("pyright is not installed")
    assert strict_errors(["tests/typing/forbidden.py"], without_types=()) == []


def test_no_example_casts() -> None:
    for path in [*(ROOT / "examples").glob("*.py"), ROOT / "tests" / "sdks" / "calls.py"]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\bcast\b|type: ignore|pyright: ignore|: Any\b", text), path.name


class CountDown:
    """Cancel after so many events."""

    def __init__(self, left: int) -> None:
        self.left = left

    def __call__(self) -> bool:
        self.left -= 1
        return self.left < 0


def test_a_stream_that_is_cancelled_anywhere_leaves_what_can_be_sent() -> None:
    anthropic = pytest.importorskip("anthropic")
    from examples import streaming_agent  # noqa: PLC0415

    with StrictServer(weather) as server:
        client = anthropic.Anthropic(api_key="none", base_url=f"{server.url}/anthropic", max_retries=0)
        texts = set()
        for last in range(40):
            asked = MessageHistory().add_user("What's the weather?")
            history = streaming_agent.agent(client, asked, CountDown(last))
            texts.add(history[-1].text)
            answer = streaming_agent.agent(client, history.add_user("Go on."), lambda: False)
            assert answer[-1].role == "assistant"
        client.close()
        assert server.refusals == []
        assert len(texts) > 3


def test_the_concurrent_example_runs_no_tool_twice_when_a_reply_has_no_content() -> None:
    anthropic = pytest.importorskip("anthropic")
    from examples.concurrent_agent import Agent  # noqa: PLC0415

    ran: list[str] = []

    class Watched(Agent):
        async def run(self, call: ToolUseBlock) -> None:
            ran.append(str(call.input["city"]))
            await asyncio.sleep(0.1)
            await super().run(call)

    replies = iter((ModelReply(calls=(("weather", {"city": "Rome"}),)), ModelReply(), ModelReply()))

    def script(_: ModelRequest) -> ModelReply:
        return next(replies, ModelReply(text="Well."))

    async def words() -> AsyncIterator[str]:
        for number in range(2):
            await asyncio.sleep(0.03)
            yield f"steering {number}"

    async def main(server: StrictServer) -> MessageHistory:
        async with anthropic.AsyncAnthropic(
            api_key="none", base_url=f"{server.url}/anthropic", max_retries=0
        ) as client:
            return await Watched(client, MessageHistory().add_user("Rome, please.")).main(words())

    with StrictServer(script) as server:
        history = asyncio.run(main(server))
        assert server.refusals == []
    assert ran == ["Rome"]
    assert repr(list(history)).count("It is sunny in Rome.") == 1


def test_the_concurrent_example_never_changes_what_was_sent() -> None:
    anthropic = pytest.importorskip("anthropic")
    from examples.concurrent_agent import Agent  # noqa: PLC0415

    cities = ("Rome", "Paris", "Oslo", "Bern", "Kyiv", "Lima", "Cairo", "Tunis", "Delhi", "Seoul")

    def script(request: ModelRequest) -> ModelReply:
        calls = tuple(("weather", {"city": city}) for city in cities)
        return ModelReply(text="Well.", calls=calls if request.calls < 30 else ())

    async def words() -> AsyncIterator[str]:
        for number in range(6):
            await asyncio.sleep(0.02)
            yield f"steering {number}"

    async def main(server: StrictServer) -> MessageHistory:
        async with anthropic.AsyncAnthropic(
            api_key="none", base_url=f"{server.url}/anthropic", max_retries=0
        ) as client:
            return await Agent(client, MessageHistory().add_user("All ten, please.")).main(words())

    with StrictServer(script) as server:
        history = asyncio.run(main(server))
        lists = [request["messages"] for request in server.requests]
        assert server.refusals == []
    assert len(lists) > 3
    for earlier, later in pairwise(lists):
        assert later[: len(earlier)] == earlier
    text = repr(list(history))
    assert all(f"steering {number}" in text for number in range(6))
    assert [text.count(f"It is sunny in {city}.") for city in cities] == [3] * 10
