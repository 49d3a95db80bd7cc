"""The command line: what Python callers can do, for files. Only here are click and rich imported."""

from __future__ import annotations

import os
import sys

from message_history.extras import not_installed

__all__ = ["main"]


def main() -> None:
    """Run the command `message-history`."""
    try:
        try:
            from message_history.cli.app import app  # noqa: PLC0415 - the extra may not be installed

            app(prog_name="message-history")
        finally:
            sys.stdout.flush()
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package not in ("click", "rich"):
            raise
        sys.stderr.write(f"message-history: {not_installed(package, 'cli')}\n")
        sys.exit(2)
    except OSError as error:
        # An error that names no file is of a descriptor: the output's.
        what = "the output cannot be written" if error.filename is None else error.filename
        sys.stderr.write(f"message-history: {what}: {error.strerror or error}\n")
        # What is still to be written would fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(2)
