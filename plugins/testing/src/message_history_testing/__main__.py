"""Run a command with the SDKs' environment variables pointing here: `python -m message_history_testing COMMAND...`."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from message_history_testing import StrictServer, use_tools

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code; 1 when any of its requests was refused."""
    parser = argparse.ArgumentParser(
        prog="python -m message_history_testing",
        usage="%(prog)s [-h] [--script MODULE:FUNCTION] COMMAND ...",
        description="Run a command with the SDKs' environment variables pointing to a server that is as strict as the "
        "providers. The exit code is the command's, or 1 when a request was refused.",
    )
    parser.add_argument(
        "--script", metavar="MODULE:FUNCTION", help="says what the model replies: a function of a request"
    )
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND ...", help="the command to run")
    found = parser.parse_args(arguments)
    command = found.command[1:] if found.command[:1] == ["--"] else found.command
    if not command:
        parser.error("COMMAND is missing: name the program to run, like `python my_agent.py`")
    script = _script(parser, found.script) if found.script else use_tools
    with StrictServer(script) as server:
        try:
            ran = subprocess.run(command, check=False, env={**os.environ, **server.environment, "PATH": _path()})
        except OSError as error:
            parser.error(f"COMMAND {command[0]!r} cannot be run: {error.strerror or error}")
        except KeyboardInterrupt:
            return 130
    for text in server.refusals:
        print(f"refused: {text}", file=sys.stderr)
    many = len(server.requests)
    print(f"{many} request{'s' if many != 1 else ''}, {len(server.refusals)} refused", file=sys.stderr)
    return ran.returncode or bool(server.refusals)


def _path() -> str:
    """Let `python`, and the programs that are installed with this Python, be found first."""
    return os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))


def _script(parser: argparse.ArgumentParser, named: str) -> Any:
    """Import a script; the folder that the command is run in counts, as it does for the command."""
    module, _, function = named.partition(":")
    sys.path.insert(0, str(Path.cwd()))
    try:
        return getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        parser.error(f"--script {named!r} is not a MODULE:FUNCTION that can be imported: {error}")


if __name__ == "__main__":
    sys.exit(main())
