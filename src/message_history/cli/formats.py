"""`formats`: the formats of files that are read."""

from __future__ import annotations

import click
from rich.text import Text

from message_history.cli.exit_codes import ExitCode
from message_history.cli.options import as_json
from message_history.cli.report import printer_for
from message_history.formats.registry import FORMATS


@click.command("formats")
@as_json
def list_formats(*, as_json: bool) -> None:
    """List the formats that are read, with where their files are and what in them is not conversation."""
    printer = printer_for("formats", as_json=as_json)
    listed = [
        {"name": each.name, "title": each.title, "repaired": each.repair is not None, "unwritten": each.unwritten}
        | {"files": each.files, "omits": each.omits}
        for each in FORMATS.values()
    ]
    printer.add("formats", listed)
    for each in FORMATS.values():
        written = "read and repaired" if each.repair is not None else "read only"
        printer.line(Text.assemble((each.name, "bold"), f": {each.title} ({written})"))
        printer.line(Text(f"  files: {each.files}", "dim"))
        printer.line(Text(f"  not in the conversation: {each.omits}", "dim"))
        if each.unwritten:
            printer.line(Text(f"  read only: {each.unwritten}", "dim"))
    printer.finish(ExitCode.DONE)
