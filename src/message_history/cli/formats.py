"""`formats`: the formats of files that are read."""

from __future__ import annotations

import click
from rich.text import Text

from message_history.cli.printing import Printer
from message_history.storage.formats.registry import FORMATS

__all__ = ["list_formats"]


@click.command("formats")
def list_formats() -> None:
    """List the formats that are read, with where their files are and what in them is no conversation."""
    printer = Printer()
    for each in FORMATS.values():
        written = "read and repaired" if each.repair is not None else "read"
        printer.line(Text.assemble((each.name, "bold"), f": {each.title} ({written})"))
        printer.line(Text(f"  files: {each.files}", "dim"))
        printer.line(Text(f"  not in the conversation: {each.omits}", "dim"))
