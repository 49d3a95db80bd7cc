"""Run a command with the SDKs' environment variables pointing here: `python -m message_history.testing COMMAND...`."""

from __future__ import annotations

import os
import subprocess
import sys

from message_history.testing import StrictServer


def main(command: list[str]) -> int:
    """Run the command and return its exit code; 1 when any of its requests was refused."""
    with StrictServer() as server:
        ran = subprocess.run(command, check=False, env={**os.environ, **server.urls()})
    for text in server.refusals:
        print(f"refused: {text}", file=sys.stderr)
    print(f"{len(server.requests)} requests, {len(server.refusals)} refused", file=sys.stderr)
    return ran.returncode or bool(server.refusals)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
