"""`check`: what a provider would refuse."""

from __future__ import annotations

import click

from message_history.checking import check
from message_history.cli.options import ExitCode, as_request, dialect_named, input_dialect, over_files
from message_history.cli.printing import Printer
from message_history.files import SavedFile, going_on

__all__ = ["check_files"]


@click.command("check")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@input_dialect
@as_request
@click.pass_context
def check_files(context: click.Context, *, files: tuple[str, ...], dialect: str | None, as_request: bool) -> None:
    """Tell what the provider would refuse in each FILE; nothing is written.

    The exit code is 0 when nothing is wrong, 1 when something is, 2 when a file cannot be read.
    """
    printer = Printer()
    named = dialect_named(dialect)

    def work(path: str, file: SavedFile) -> ExitCode:
        rules = named if named is not None else file.dialect(as_request=as_request)
        violations = check(file.entries, rules if as_request else going_on(rules))
        printer.checked(path, file, rules, violations)
        return ExitCode.FOUND if violations else ExitCode.DONE

    context.exit(over_files(files, printer, work))
