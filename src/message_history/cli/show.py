"""`show`: a transcript or a page to read, with what is wrong marked where it is."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from message_history.cli.exit_codes import ExitCode
from message_history.cli.options import (
    STDIN,
    as_json,
    dialect_named,
    input_dialect,
    input_format,
    main_of,
    session_or_report,
    write_result,
)
from message_history.cli.report import printer_for
from message_history.cli.transcript import transcript
from message_history.extras import needs_extra
from message_history.files.conversations import Conversation
from message_history.files.files import UnreadableFileError, read_bytes
from message_history.files.repaired_lists import located, repair_file
from message_history.formats.examining import changes
from message_history.formats.message_lists import MESSAGE_LISTS
from message_history.formats.reading import SessionFile

if TYPE_CHECKING:
    from message_history.core.messages.repairs import Repair
    from message_history.dialects import Dialect


@click.command("show")
@click.argument("file", metavar="FILE")
@input_dialect
@input_format
@as_json
@click.option("--full", is_flag=True, help="Print long texts whole.")
@click.option(
    "--html", "output", metavar="OUT", help="Write a page for the browser to OUT instead; - is the standard output."
)
@click.option("--diff", is_flag=True, help="Show what a repair changes, before and after.")
@click.option("--force", is_flag=True, help="Overwrite an OUT that exists; never FILE.")
@click.pass_context
def show_file(
    context: click.Context,
    *,
    file: str,
    dialect: str | None,
    format_name: str | None,
    as_json: bool,
    full: bool,
    output: str | None,
    diff: bool,
    force: bool,
) -> None:
    """Print FILE, - for the standard input, as a transcript, with each repair marked where it happened.

    With --html, write it as a page instead: one file that loads nothing, with search, the violations in the words of
    the provider, and what each repair removed; this needs the extra `pages`. With --diff, show the messages before and
    after their repair.

    The exit code is 0, 1 when lines had to be skipped, 2 when the file cannot be read or OUT cannot be written.
    """
    if full and (diff or output is not None):
        raise click.UsageError("--full is for the printed transcript; a page has every text, and a diff is shortened")
    if output is not None:
        _pages()  # or nothing is read or written
    printer = printer_for("show", as_json=as_json)
    if output == STDIN:
        printer.result_on_stdout()
    named = dialect_named(dialect)
    session = session_or_report(file, printer, format_name)
    if isinstance(session, ExitCode):
        context.exit(printer.finish(session))
    saved = main_of(file, session, printer)
    if output is not None:
        page = _page(Path(file).name, session, named, diff=diff)
        if not write_result(output, page, file, printer, force=force):
            context.exit(printer.finish(ExitCode.FAILED))
        printer.written(file, None if output == STDIN else output)
    elif diff:
        after, repairs = _repaired(session, named)
        printer.shown(file, saved, [], repairs)
        for line in changes(session, after):
            printer.diff_line(line)
    else:
        history = saved.history(dialect=named)
        repairs = tuple(located(history.repairs, len(saved.system_entries())))
        printer.shown(file, saved, history.to_list(), repairs)
        for text in transcript(history, repairs, saved, full=full):
            printer.line(text)
    context.exit(printer.finish(ExitCode.FOUND if saved.skipped else ExitCode.DONE))


def _page(name: str, session: SessionFile, dialect: Dialect[Any] | None, *, diff: bool) -> bytes:
    main, pages = session.conversations[0], _pages()
    violations = main.violations(dialect)
    if not diff:
        known = dialect if dialect is not None else main.known
        page: bytes = pages.transcript_page(name, main.file, violations, dialect=known)
    else:
        after, repairs = _repaired(session, dialect)
        page = pages.changes_page(name, main.file, after.conversations[0].file, violations, repairs)
    return page


def _pages() -> Any:
    """Import what writes pages, a distribution of its own."""
    try:
        with needs_extra("pages"):
            return import_module("message_history_pages")
    except ModuleNotFoundError as error:
        raise click.UsageError(f"--html: {error}") from None


def _repaired(session: SessionFile, dialect: Dialect[Any] | None) -> tuple[SessionFile, tuple[Repair, ...]]:
    """Repair a session in its own form, or the list in it in a dialect that the caller names."""
    main = session.conversations[0]
    try:
        if dialect is not None and session.format is MESSAGE_LISTS:
            repaired = repair_file(main.file, dialect=dialect)
            after = Conversation(file=read_bytes(repaired.data))
            return SessionFile(format=session.format, conversations=(after,), data=repaired.data), repaired.repairs
        whole = session.repair_file()
    except UnreadableFileError as error:
        raise click.ClickException(str(error)) from error
    return whole.after, dict(whole.repairs).get(main.label, ())
