"""Run the examples of Markdown files and compare what they print with what the files say.

A `python` block is run, all blocks of a file in one namespace; what it prints must be the `text` block right after
it. In a `console` block every line that begins with `$ message-history` is run in a copy of `samples`, and the lines
after it must be what it prints. `--update` writes what is printed into the files instead. The SDKs of the providers
reach the strict server of `message_history_testing`.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from stand_ins import providers

ROOT = Path(__file__).parents[1]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
SDK = re.compile(r"^(?:import|from) (?:anthropic|openai|google|mistralai|boto3)\b", re.MULTILINE)
COMMAND = "$ message-history "


def rewritten(text: str) -> str:
    """Run the examples of a Markdown text.

    Args:
        text: the text.

    Returns:
        The text as it should be: with what the examples print.
    """
    parts: list[str] = []
    done = 0
    # A module of its own, where dataclasses and type hints look for the names of an example.
    sys.modules["__example__"] = module = ModuleType("__example__")
    namespace: dict[str, Any] = vars(module)
    printed: str | None = None
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "samples", Path(folder) / "samples", ignore=shutil.ignore_patterns("*.repaired.*"))
        for block in FENCE.finditer(text):
            between = text[done : block.start()]
            language, content = block[1], block[2]
            if language == "text" and printed is not None and not between.strip():
                content = printed
            elif printed:
                raise ValueError(f"an example prints this, and no text block follows it:\n{printed}")
            printed = None
            if language == "python":
                with providers() if SDK.search(content) else contextlib.nullcontext():
                    printed = run_python(content, namespace)
            elif language == "console":
                content = run_commands(content, folder)
            parts += [between, f"```{language}\n{content}```\n"]
            done = block.end()
    return "".join((*parts, text[done:]))


def run_python(code: str, namespace: dict[str, Any]) -> str:
    """Run a block of Python and give what it prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        exec(compile(code, "<example>", "exec", dont_inherit=True), namespace)  # noqa: S102 - the project's own examples
    return out.getvalue()


def run_commands(console: str, folder: str) -> str:
    """Run the commands of a console block and give it with what they print."""
    parts: list[str] = []
    environment = {key: value for key, value in os.environ.items() if key not in ("FORCE_COLOR", "TTY_COMPATIBLE")}
    for line in console.splitlines():
        if not line.startswith("$ "):
            continue
        if not line.startswith(COMMAND):
            raise ValueError(f"only message-history can be run in an example: {line}")
        command, _, wanted = line.partition("; echo ")
        ran = subprocess.run(  # noqa: S603 - the project's own examples
            [sys.executable, "-m", "message_history", *shlex.split(command[len(COMMAND) :])],
            check=False,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            env={**environment, "PYTHONIOENCODING": "utf-8", "PYTHONUNBUFFERED": "1"},
        )
        parts += [f"{line}\n", ran.stdout, f"{ran.returncode}\n" if wanted == "$?" else ""]
    return "".join(parts)


def main(arguments: list[str]) -> int:
    """Check the files, or update them.

    Args:
        arguments: the files; `--update` among them.

    Returns:
        The exit code: 1 when a file is stale or an example fails.
    """
    stale = 0
    for name in arguments:
        if name == "--update":
            continue
        path = Path(name)
        text = path.read_text(encoding="utf-8")
        try:
            fresh = rewritten(text)
        except Exception:  # noqa: BLE001 - an example may raise anything
            traceback.print_exc()
            fresh = ""
        if fresh == text:
            print(f"{name}: the examples print what it says")
        elif fresh and "--update" in arguments:
            path.write_text(fresh, encoding="utf-8")
            print(f"{name}: updated")
        else:
            stale = 1
            print(f"{name}: STALE; run: python docs/run_examples.py --update {name}")
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
