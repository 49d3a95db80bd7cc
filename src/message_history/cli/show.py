"""`show`: a transcript or a page to read, with what is wrong marked where it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from message_history.cli.options import (
    ExitCode,
    dialect_named,
    input_dialect,
    input_format,
    main_of,
    session_or_report,
    write_new,
)
from message_history.cli.printing import Printer
from message_history.cli.transcript import transcript
from message_history.pages import changes_page, transcript_page
from message_history.storage.files import UnreadableFileError, located, read_bytes, repair_file
from message_history.storage.formats.message_lists import MESSAGE_LISTS
from message_history.storage.sessions.examining import changes
from message_history.storage.sessions.reading import Conversation, SessionFile

if TYPE_CHECKING:
    from message_history.core.repairs import Repair
    from message_history.dialects import Dialect

__all__ = ["show_file"]


@click.command("show")
@click.argument("file", metavar="FILE")
@input_dialect
@input_format
@click.option("--full", is_flag=True, help="Print long texts whole.")
@click.option("--html", "output", metavar="OUT", help="Write a page for the browser to OUT instead: one file.")
@click.option("--diff", is_flag=True, help="Show what a repair changes, before and after.")
@click.option("--force", is_flag=True, help="Overwrite an OUT that exists; never FILE.")
@click.pass_context
def show_file(
    context: click.Context,
    *,
    file: str,
    dialect: str | None,
    format_name: str | None,
    full: bool,
    output: str | None,
    diff: bool,
    force: bool,
) -> None:
    """Print FILE as a transcript, with each repair marked where it happened.

    With --html, write it as a page instead: one file that loads nothing, with search, the violations in the words of
    the provider, and what each repair removed. With --diff, show the messages before and after their repair.

    The exit code is 0, 1 when lines had to be skipped, 2 when the file cannot be read or OUT cannot be written.
    """
    if full and (diff or output is not None):
        raise click.UsageError("--full is for the printed transcript; a page has every text, and a diff is shortened")
    printer = Printer()
    named = dialect_named(dialect)
    session = session_or_report(file, printer, format_name)
    if isinstance(session, ExitCode):
        context.exit(session)
    saved = main_of(file, session, printer)
    if output is not None:
        page = _page(Path(file).name, session, named, diff=diff)
        problem = write_new(Path(output), page, [Path(file)], force=force)
        if problem is not None:
            printer.error(output, problem)
            context.exit(ExitCode.FAILED)
        printer.remark(file, f"written: {output}")
    elif diff:
        after, _ = _repaired(session, named)
        for line in changes(session, after):
            printer.diff_line(line)
    else:
        history = saved.history(dialect=named)
        repairs = tuple(located(history.repairs, len(saved.system_entries())))
        for text in transcript(history, repairs, saved, full=full):
            printer.line(text)
    context.exit(ExitCode.FOUND if saved.skipped else ExitCode.DONE)


def _page(name: str, session: SessionFile, dialect: Dialect[Any] | None, *, diff: bool) -> bytes:
    main = session.conversations[0]
    violations = main.violations(dialect)
    if not diff:
        return transcript_page(name, main.file, violations, dialect=dialect if dialect is not None else main.known)
    after, repairs = _repaired(session, dialect)
    return changes_page(name, main.file, after.conversations[0].file, violations, repairs)


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
