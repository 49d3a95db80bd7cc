"""Real programs go on from the sessions that we repaired, and send what we read in them.

Each program has a conversation with the strict server of `message_history_testing`, and writes its own session file.
Then each line of it is taken out in turn, the file is repaired, and the program resumes it: what it sends to its
provider is what we read in the repaired file, and the provider takes it.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from attrs import frozen

from message_history.formats.reading import session_in
from message_history_testing import ModelReply, ModelRequest, StrictServer
from tests.programs.facts import Facts, facts_of

if TYPE_CHECKING:
    from collections.abc import Callable

NPM = os.environ.get("MESSAGE_HISTORY_PROGRAMS")
"""A folder in which the programs' packages are installed from npm."""
pytestmark = pytest.mark.skipif(NPM is None, reason="the programs are not installed")

GO_ON = ("user", "go on")
OWN_WORDS = ("<system-reminder>", "<environment_context>", "This is the Qwen Code.")
"""How texts begin that a program puts into each request itself, and into no file."""
OWN_REPLY = "Got it. Thanks for the context!"
"""Qwen Code's first reply; words of the assistant that follow stand in the same message."""


@frozen
class Program:
    """A program that keeps sessions.

    Args:
        command: its arguments for a prompt, from those that resume a session and the prompt.
        resume: the arguments that resume a session, without its id.
        tool: the name and input of its tool that runs a command.
        environment: its variables, from its folder and the address of the server.
        files: where it keeps sessions, in its folder.
        list: the key of a request's list.
        added: what it adds to a turn that was interrupted.
    """

    command: Callable[[list[str]], list[str]]
    resume: list[str]
    tool: Callable[[str], tuple[str, dict[str, Any]]]
    environment: Callable[[Path, str], dict[str, str]]
    files: str
    list: str
    added: tuple[tuple[str, str], ...] = ()


CODEX_SETTINGS = """
model = "gpt-5.2"
model_provider = "local"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.local]
name = "local"
base_url = "{url}/openai/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
"""


def codex_environment(home: Path, url: str) -> dict[str, str]:
    (home / "config.toml").write_text(CODEX_SETTINGS.format(url=url))
    return {"CODEX_HOME": str(home), "OPENAI_API_KEY": "none"}


PROGRAMS = {
    "codex": Program(
        command=lambda more: ["codex", "exec", *more[:1], "--skip-git-repo-check", *more[1:]],
        resume=["resume"],
        tool=lambda command: ("exec_command", {"cmd": command}),
        environment=codex_environment,
        files="sessions/**/*.jsonl",
        list="input",
    ),
    "claude-code": Program(
        command=lambda more: [
            *("claude", "-p", "--dangerously-skip-permissions", "--model", "claude-sonnet-4-5"),
            *more,
        ],
        resume=["--resume"],
        tool=lambda command: ("Bash", {"command": command, "description": "says something"}),
        environment=lambda home, url: {
            "CLAUDE_CONFIG_DIR": str(home),
            "ANTHROPIC_API_KEY": "none",
            "ANTHROPIC_BASE_URL": f"{url}/anthropic",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "IS_SANDBOX": "1",
        },
        files="projects/**/*.jsonl",
        list="messages",
        added=(("user", "Continue from where you left off."), ("assistant", "No response requested.")),
    ),
    "qwen-code": Program(
        command=lambda more: ["qwen", "--auth-type", "openai", "--yolo", *more[:-1], "-p", more[-1]],
        resume=["--resume"],
        tool=lambda command: (
            "run_shell_command",
            {"command": command, "is_background": False, "description": "says something"},
        ),
        environment=lambda home, url: {
            "HOME": str(home),
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": f"{url}/openai/v1",
            "OPENAI_MODEL": "gpt-4o",
        },
        files=".qwen/projects/**/*.jsonl",
        list="messages",
    ),
}


def run(program: Program, home: Path, url: str, *more: str) -> None:
    """Have the program answer a prompt, with what it is to resume before it."""
    name, *arguments = program.command(list(more))
    work = home.with_name("work")
    work.mkdir(exist_ok=True)
    subprocess.run(
        [Path(str(NPM)) / "node_modules/.bin" / name, *arguments],
        env={**os.environ, **program.environment(home, url)},
        cwd=work,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        timeout=120,
    )


def facts(entries: Any) -> Facts:
    """Give the texts, calls and results of a list, without what a program itself puts into each request."""
    found: Facts = []
    for fact in facts_of(entries):
        if len(fact) > 2:
            found.append(fact)
        elif (text := fact[1].removeprefix(OWN_REPLY)) and not is_own((fact[0], text)):
            found.append((fact[0], text))
    return found


def is_own(fact: tuple[str, str]) -> bool:
    return fact[0] in {"system", "developer"} or fact[1].startswith(OWN_WORDS)


def is_message(line: bytes) -> bool:
    value = json.loads(line)
    return value.get("type") in {"user", "assistant", "tool_result", "response_item"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_goes_on_from_its_session_when_any_line_of_it_was_lost(name: str, tmp_path: Path) -> None:
    if name == "qwen-code":
        pytest.importorskip("message_history_formats")
    program = PROGRAMS[name]
    home = tmp_path / "home"
    home.mkdir()

    def two_calls(request: ModelRequest) -> ModelReply:
        if request.calls < 2:
            return ModelReply(text=f"Look {request.calls}.", calls=(program.tool(f"echo out-{request.calls}"),))
        return ModelReply(text="Done.")

    with StrictServer(two_calls) as server:
        run(program, home, server.url, "say hello")
        (path,) = home.glob(program.files)
        lines = path.read_bytes().splitlines(keepends=True)
        server.script = lambda _: ModelReply(text="Again.")
        for lost in (None, *(n for n, line in enumerate(lines) if is_message(line))):
            path.write_bytes(b"".join(line for n, line in enumerate(lines) if n != lost))
            repaired = session_in(path.read_bytes()).repair_file()
            path.write_bytes(repaired.data)
            read = [facts(each.file.entries) for each in repaired.after.conversations]
            for store in home.glob("*.sqlite*"):  # Codex reads the file again only when its index is gone.
                store.unlink()
            before = len(server.requests)
            run(program, home, server.url, *program.resume, path.stem[-36:], "go on")
            sent = [fact for fact in facts(server.requests[before][program.list]) if fact not in program.added]
            assert sent == [*(read[0] if read else []), GO_ON], f"without line {lost}"
        assert server.refusals == []
