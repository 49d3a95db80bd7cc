"""Run a command with the SDKs' environment variables pointing here: `python -m message_history_testing COMMAND...`."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any

from message_history_testing import StrictServer, use_tools

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


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
            code = _run(command, {**os.environ, **server.environment, "PATH": _path()})
        except OSError as error:
            parser.error(f"COMMAND {command[0]!r} cannot be run: {error.strerror or error}")
        except KeyboardInterrupt:
            return 130
    for text in server.refusals:
        print(f"refused: {text}", file=sys.stderr)
    many = len(server.requests)
    print(f"{many} request{'s' if many != 1 else ''}, {len(server.refusals)} refused", file=sys.stderr)
    return code or bool(server.refusals)


def _run(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a command until it ends; a signal to end goes to it as well. The exit code is that which a shell shows."""
    with subprocess.Popen(command, env=environment) as process, _signals_to(process):
        try:
            code = process.wait()
        except BaseException:
            process.kill()
            raise
    return code if code >= 0 else 128 - code


@contextmanager
def _signals_to(process: subprocess.Popen[bytes]) -> Iterator[None]:
    if current_thread() is not main_thread():  # Signals come to the main thread alone.
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda number, _: process.send_signal(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


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
