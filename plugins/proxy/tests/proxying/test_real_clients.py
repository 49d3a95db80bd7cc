"""Real clients, unmodified, through the proxy against the strict server: 200 broken and growing conversations each."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.following.growing import Form, Raw, versions
from tests.following.prefixes import begins_with

from message_history_testing import ModelReply, ModelRequest, StrictServer
from proxying.servers import proxy_for
from proxying.test_proxy import urls_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MANY = int(os.environ.get("MESSAGE_HISTORY_CONVERSATIONS", "200"))
NPM = os.environ.get("MESSAGE_HISTORY_NPM")
"""A folder with `node_modules` that holds the clients for Node.js; without it, their tests are skipped."""
KEYS: dict[Form, str] = {"chat": "messages", "anthropic": "messages", "responses": "input"}


@pytest.fixture
def servers() -> Iterator[tuple[StrictServer, str]]:
    with StrictServer(lambda _: ModelReply(text="Yes.")) as strict, proxy_for(urls_of(strict)) as proxy:
        yield strict, proxy


def sent_by_conversation(strict: StrictServer, form: Form) -> dict[str, list[Raw]]:
    """Sort what reached the strict server by conversation: each begins with a task of its own."""
    found: dict[str, list[Raw]] = defaultdict(list)
    for request in strict.requests:
        wire = request[KEYS[form]]
        found[json.dumps(wire[0]["content"])].append(wire)
    return found


def judge(strict: StrictServer, form: Form, at_least: int) -> None:
    """Hold that nothing was refused, and that nothing that was sent was rewritten."""
    assert strict.refusals == []
    assert len(strict.requests) >= at_least
    rewritten = 0
    for wires in sent_by_conversation(strict, form).values():
        rewritten += sum(not begins_with(wire, before) for before, wire in pairwise(wires))
    assert rewritten == 0


def run_python(send: Callable[[Raw], Any], form: Form, strict: StrictServer) -> None:
    count = 0
    for seed in range(MANY):
        for raw in versions(seed, form):
            send(raw)
            count += 1
    judge(strict, form, count)
    # What is sound goes through as it is, and in the same order of keys.
    for seed in range(MANY, MANY + 20):
        for raw in versions(seed, form, broken=False):
            send(raw)
            assert json.dumps(strict.requests[-1][KEYS[form]]) == json.dumps(raw)
    assert strict.refusals == []


def test_the_sdk_of_anthropic(servers: tuple[StrictServer, str]) -> None:
    anthropic = pytest.importorskip("anthropic")
    strict, proxy = servers
    with anthropic.Anthropic(api_key="none", base_url=f"{proxy}/anthropic", max_retries=0) as client:

        def send(raw: Raw) -> None:
            client.messages.create(model="claude-haiku-4-5", max_tokens=99, messages=raw)

        run_python(send, "anthropic", strict)


def test_the_sdk_of_openai(servers: tuple[StrictServer, str]) -> None:
    openai = pytest.importorskip("openai")
    strict, proxy = servers
    with openai.OpenAI(api_key="none", base_url=f"{proxy}/openai/v1", max_retries=0) as client:
        run_python(lambda raw: client.chat.completions.create(model="gpt-4o", messages=raw), "chat", strict)


def test_the_sdk_of_openai_with_responses(servers: tuple[StrictServer, str]) -> None:
    openai = pytest.importorskip("openai")
    strict, proxy = servers
    with openai.OpenAI(api_key="none", base_url=f"{proxy}/openai/v1", max_retries=0) as client:
        run_python(lambda raw: client.responses.create(model="gpt-5", input=raw, store=False), "responses", strict)


def test_langchain(servers: tuple[StrictServer, str]) -> None:
    langchain_openai = pytest.importorskip("langchain_openai")
    strict, proxy = servers
    model = langchain_openai.ChatOpenAI(model="gpt-4o", api_key="none", base_url=f"{proxy}/openai/v1", max_retries=0)
    count = 0
    for seed in range(MANY):
        for raw in versions(seed, "chat"):
            model.invoke(raw)
            count += 1
    judge(strict, "chat", count)


NODE = {
    "anthropic": ("anthropic", "@anthropic-ai/sdk"),
    "openai": ("chat", "openai"),
    "openai-responses": ("responses", "openai"),
    "vercel-openai": ("chat", "@ai-sdk/openai"),
    "vercel-anthropic": ("chat", "@ai-sdk/anthropic"),
}


@pytest.mark.skipif(NPM is None, reason="MESSAGE_HISTORY_NPM names no folder with the clients for Node.js")
@pytest.mark.parametrize("client", NODE)
def test_clients_for_node(servers: tuple[StrictServer, str], client: str, tmp_path: Path) -> None:
    strict, proxy = servers
    form, package = NODE[client]
    folder = Path(NPM or "")
    assert (folder / "node_modules" / package).is_dir(), f"npm has not installed {package}"
    script = Path(shutil.copy(Path(__file__).with_name("clients.mjs"), folder / "clients.mjs"))
    raw = tmp_path / "conversations.json"
    raw.write_text(json.dumps([versions(seed, form) for seed in range(MANY)]))  # type: ignore[arg-type]
    ran = subprocess.run(["node", script, client, proxy, raw], capture_output=True, text=True, timeout=600, check=False)
    assert ran.returncode == 0, ran.stderr
    results = json.loads(ran.stdout)
    assert [result for result in results if result.startswith("refused")] == []
    unsent = [result for result in results if result.startswith("unsent")]
    # `ai` refuses some broken lists itself; all others are sent.
    assert client.startswith("vercel") or unsent == []
    assert len(strict.requests) == len(results) - len(unsent) >= MANY
    judge(strict, "anthropic" if client.endswith("anthropic") else form, MANY)  # type: ignore[arg-type]


@pytest.mark.skipif(NPM is None, reason="MESSAGE_HISTORY_NPM names no folder with the clients for Node.js")
def test_a_terminal_agent(tmp_path: Path) -> None:
    """Qwen Code, with no account: its tool loop and a second run that continues the session."""
    agent = Path(NPM or "") / "node_modules" / ".bin" / "qwen"
    assert agent.is_file(), "npm has not installed @qwen-code/qwen-code"
    call = ("list_directory", {"path": str(tmp_path)})

    def reply(request: ModelRequest) -> ModelReply:
        looked = request.calls % 2 == 1
        return ModelReply(text="All is well.") if looked else ModelReply(text="Let me look.", calls=(call,))

    with StrictServer(reply) as strict, proxy_for(urls_of(strict)) as proxy:
        settings = {"OPENAI_BASE_URL": f"{proxy}/openai/v1", "OPENAI_API_KEY": "none", "OPENAI_MODEL": "gpt-4o"}
        for more in ((), ("--continue",)):
            ran = subprocess.run(
                [agent, "-y", "--auth-type", "openai", *more, "-p", "List the files."],
                env={**os.environ, **settings, "HOME": str(tmp_path)},
                cwd=tmp_path,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            assert ran.returncode == 0, ran.stderr
            assert "All is well." in ran.stdout
    assert strict.refusals == []
    assert len(strict.requests) >= 3
    first, second = strict.requests[0]["messages"], strict.requests[1]["messages"]
    assert begins_with(second, first)
    assert second[-1]["role"] == "tool"
