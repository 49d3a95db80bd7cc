"""`convert`: a conversation in the form of another provider, or as a session that another program goes on with."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from message_history.cli.exit_codes import ExitCode
from message_history.cli.options import (
    DIALECT_NAMES,
    STDIN,
    NameOf,
    as_json,
    as_request,
    dialect_for,
    dialect_named,
    input_dialect,
    input_format,
    read_or_report,
    write_result,
)
from message_history.cli.report import printer_for
from message_history.files.files import FileForm
from message_history.files.repaired_lists import RepairedList, located, repair_file
from message_history.formats.registry import writers
from message_history.violations import check

if TYPE_CHECKING:
    from message_history.dialects import Dialect
    from message_history.files.files import SavedFile
    from message_history.formats.kit.base import Writer

WRITERS: Final = writers()


@click.command("convert")
@click.argument("file", metavar="FILE")
@click.option(
    "--to",
    type=NameOf((*DIALECT_NAMES, *WRITERS)),
    required=True,
    help="The dialect to write, or the program that is to go on with the session.",
)
@click.option(
    "--model",
    metavar="NAME",
    help="The model that it is for, as its provider names it, or the file that `probe` wrote; by default any takes it.",
)
@click.option("--list-only", is_flag=True, help="Write the list of messages without what is around it.")
@click.option("--folder", default=".", help="The project in which a program goes on; the current folder.")
@click.option("--at", type=click.DateTime(), help="The time, in UTC, of messages that do not say theirs; now.")
@click.option("-o", "--output", metavar="OUT", help="The file to write; the standard output by default.")
@input_dialect
@input_format
@as_request
@as_json
@click.option("--force", is_flag=True, help="Overwrite an output that exists; never the input.")
@click.pass_context
def convert_file(
    context: click.Context,
    *,
    file: str,
    to: str,
    model: str | None,
    list_only: bool,
    folder: str,
    at: datetime | None,
    output: str | None,
    dialect: str | None,
    format_name: str | None,
    as_request: bool,
    as_json: bool,
    force: bool,
) -> None:
    """Write FILE in another dialect's form, valid there, and print what was omitted or rewritten.

    A list and JSONL keep their form. A request becomes a request of the other provider: the messages, the system
    prompt, the tools and the choice among them. What only one provider understands, as the model and its parameters,
    is omitted and listed, and so is what else the other provider requires. `native` keeps all of the messages; the
    others keep what their provider takes.

    For a program, the conversation becomes a session that the program goes on with, and the command says where the
    program looks for it. What has no place there is listed.

    FILE may be -, for the standard input. Without -o the output goes to the standard output, and all else to the
    standard error.

    The exit code is 0 when a valid list was written, 1 when lines of the input had to be skipped or nothing was left
    to write, 2 when a file cannot be read or written.
    """
    if to in WRITERS and (model or list_only or as_request):
        raise click.UsageError(f"--model, --list-only and --as-request are for dialects; leave them out for {to}")
    target = None if to in WRITERS else dialect_for(to, model)
    printer = printer_for("convert", as_json=as_json)
    target_name = output if output is not None else STDIN
    if target_name == STDIN:
        printer.result_on_stdout()
    saved = read_or_report(file, printer, format_name)
    if isinstance(saved, ExitCode):
        context.exit(printer.finish(saved))
    own = dialect_named(dialect)
    if target is not None:
        repaired = repair_file(saved, dialect=own, to=target, as_request=as_request, model=model, list_only=list_only)
    else:
        repaired, where = _written(saved, own, WRITERS[to], folder, at)
        printer.remark(file, where)
    if not write_result(target_name, repaired.data, file, printer, force=force):
        context.exit(printer.finish(ExitCode.FAILED))
    printer.repaired(file, saved, repaired, None if target_name == STDIN else target_name)
    context.exit(printer.finish(ExitCode.FOUND if saved.skipped or repaired.violations else ExitCode.DONE))


def _written(
    saved: SavedFile, dialect: Dialect[Any] | None, write: Writer, folder: str, at: datetime | None
) -> tuple[RepairedList, str]:
    """Write the session of a program; say also where the program looks for it."""
    history = saved.history(dialect=dialect)
    new = write(history, str(Path(folder).resolve()), at.replace(tzinfo=UTC) if at else datetime.now(UTC))
    repaired = RepairedList(
        value=new.rows,
        form=FileForm.LINES,
        dialect=new.dialect,
        history=history,
        repairs=tuple(located((*history.repairs, *new.export.repairs), len(saved.system_entries()))),
        violations=tuple(check(new.export.messages, new.dialect)),
        omitted=new.omitted,
    )
    return repaired, f"the program looks for it at {new.path}, and goes on with: {new.resume}"
