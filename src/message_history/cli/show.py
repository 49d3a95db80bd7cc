"""`show`: a transcript to read, with what is wrong marked where it is."""

from __future__ import annotations

import click

from message_history.cli.options import ExitCode, dialect_named, input_dialect, read_or_report
from message_history.cli.printing import Printer
from message_history.cli.transcript import transcript
from message_history.storage.files import located

__all__ = ["show_file"]


@click.command("show")
@click.argument("file", metavar="FILE")
@input_dialect
@click.option("--full", is_flag=True, help="Print long texts whole.")
@click.pass_context
def show_file(context: click.Context, *, file: str, dialect: str | None, full: bool) -> None:
    """Print FILE as a transcript, with each repair marked where it happened; nothing is written.

    The exit code is 0, 1 when lines had to be skipped, 2 when the file cannot be read.
    """
    printer = Printer()
    saved = read_or_report(file, printer)
    if saved is None:
        context.exit(ExitCode.FAILED)
    history = saved.history(dialect=dialect_named(dialect))
    repairs = tuple(located(history.repairs, len(saved.system_entries())))
    for line in transcript(history, repairs, saved, full=full):
        printer.line(line)
    context.exit(ExitCode.FOUND if saved.skipped else ExitCode.DONE)
