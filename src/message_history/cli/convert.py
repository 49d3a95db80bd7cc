"""`convert`: a conversation in the form of another provider."""

from __future__ import annotations

from pathlib import Path

import click

from message_history.cli.options import (
    DIALECT_NAMES,
    ExitCode,
    as_request,
    dialect_for,
    dialect_named,
    input_dialect,
    input_format,
    read_or_report,
    write_new,
)
from message_history.cli.printing import Printer
from message_history.storage.files import repair_file

__all__ = ["convert_file"]


@click.command("convert")
@click.argument("file", metavar="FILE")
@click.option("--to", type=click.Choice(DIALECT_NAMES), required=True, help="The dialect to write.")
@click.option(
    "--model", metavar="NAME", help="The model that it is for, as its provider names it; by default any model takes it."
)
@click.option("-o", "--output", metavar="OUT", help="The file to write; the standard output by default.")
@input_dialect
@input_format
@as_request
@click.option("--force", is_flag=True, help="Overwrite an output that exists; never the input.")
@click.pass_context
def convert_file(
    context: click.Context,
    *,
    file: str,
    to: str,
    model: str | None,
    output: str | None,
    dialect: str | None,
    format_name: str | None,
    as_request: bool,
    force: bool,
) -> None:
    """Write FILE in another dialect's form, valid there, and print what was left out or rewritten.

    The output has the form of the input: a list, an object with the same other keys, or JSONL. Without -o it goes to
    the standard output, and everything else to the standard error. `native` keeps everything; the others keep what
    their provider takes.

    The exit code is 0 when a valid list was written, 1 when lines of the input had to be skipped or nothing was left
    to write, 2 when a file cannot be read or written.
    """
    target = dialect_for(to, model)
    printer = Printer()
    saved = read_or_report(file, printer, format_name)
    if isinstance(saved, ExitCode):
        context.exit(saved)
    repaired = repair_file(saved, dialect=dialect_named(dialect), to=target, as_request=as_request)
    if output is None:
        click.echo(repaired.data, nl=False)
    else:
        problem = write_new(Path(output), repaired.data, [Path(file)], force=force)
        if problem is not None:
            printer.error(output, problem)
            context.exit(ExitCode.FAILED)
    printer.repaired(file, saved, repaired, output)
    context.exit(ExitCode.FOUND if saved.skipped or repaired.violations else ExitCode.DONE)
