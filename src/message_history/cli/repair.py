"""`repair`: a valid list next to the file that is not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import click
from attrs import evolve, frozen

from message_history.cli.exit_codes import ExitCode
from message_history.cli.options import (
    DIALECT_NAMES,
    STDIN,
    NameOf,
    as_json,
    as_request,
    dialect_named,
    input_dialect,
    input_format,
    main_of,
    over_files,
    write_result,
)
from message_history.cli.report import printer_for
from message_history.files.files import FileForm, UnreadableFileError
from message_history.files.repaired_lists import repair_file
from message_history.files.written_like import written_like
from message_history.formats.message_lists import MESSAGE_LISTS

if TYPE_CHECKING:
    from message_history.cli.printing import Printer
    from message_history.dialects import Dialect
    from message_history.formats.reading import SessionFile


@click.command("repair")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    help="Where to write: a file, a folder, or - for the standard output. By default NAME.repaired.json next to the "
    "input, and the standard output for the standard input.",
)
@click.option("--to", type=NameOf(DIALECT_NAMES), help="The dialect to write; the input's own by default.")
@click.option(
    "--model", metavar="NAME", help="The model that the list is for, or the file that `probe` wrote of it; needs --to."
)
@input_dialect
@input_format
@as_request
@as_json
@click.option("--force", is_flag=True, help="Overwrite an output that exists; never an input.")
@click.pass_context
def repair_files(
    context: click.Context,
    *,
    files: tuple[str, ...],
    output: str | None,
    to: str | None,
    model: str | None,
    dialect: str | None,
    format_name: str | None,
    as_request: bool,
    as_json: bool,
    force: bool,
) -> None:
    """Write a list that the provider accepts, for each FILE, and print each repair. The input stays as it is.

    FILE may be -, for the standard input.

    The output has the form of the input: a list, an object with the same other keys, JSONL, or the session file of
    a program, whose sound lines stay as they are.

    The exit code is 0 when a valid list was written, 1 when lines of the input had to be skipped or nothing was left
    to write, 2 when a file cannot be read or written.
    """
    folder = output not in (None, STDIN) and (len(files) > 1 or Path(output).is_dir())
    if folder and not Path(str(output)).is_dir():
        raise click.UsageError(f"-o must name a folder that exists when there are several files: {output}")
    if len(files) > 1 and (output == STDIN or STDIN in files):
        raise click.UsageError("- works with one file only")
    printer = printer_for("repair", as_json=as_json)
    if output == STDIN or (output is None and files == (STDIN,)):
        printer.result_on_stdout()
    repairing = _Repairing(
        printer=printer,
        output=output,
        in_folder=folder,
        taken=[Path(file) for file in files],
        dialect=dialect_named(dialect),
        to=dialect_named(to, model, "--to"),
        model=model,
        as_request=as_request,
        force=force,
    )
    context.exit(printer.finish(over_files(files, printer, repairing.file, format_name)))


@final
@frozen(kw_only=True)
class _Repairing:
    """The repair of several files."""

    printer: Printer
    output: str | None  # where to write; None for next to each file
    in_folder: bool  # whether that is a folder
    taken: list[Path]  # the files that stay as they are: the inputs, and what was written
    dialect: Dialect[Any] | None  # the dialect of the input; None to find it by shape
    to: Dialect[Any] | None  # the dialect to write; None for the input's own
    model: str | None  # the model that a request is to name; None for its own
    as_request: bool  # whether the list is sent as it is
    force: bool

    def file(self, path: str, session: SessionFile) -> ExitCode:
        if Path(path).is_dir():
            problem = "a folder is read, not written; `message-history convert` writes a conversation of it"
            self.printer.error(path, problem)
            return ExitCode.FOUND
        if session.format is not MESSAGE_LISTS and self.dialect is None and self.to is None:
            return self._session(path, session)
        if session.unread:
            self.printer.error(path, session.refusal or "it is not written")
            return ExitCode.FOUND
        return self._list(path, session)

    def _session(self, path: str, session: SessionFile) -> ExitCode:
        try:
            repaired = session.repair_file()
        except UnreadableFileError as error:
            self.printer.error(path, str(error))
            return ExitCode.FOUND
        target = self._write(path, repaired.data, FileForm.LINES)
        if target is None:
            return ExitCode.FAILED
        self.printer.session_repaired(path, session, repaired, _named(target))
        return ExitCode.FOUND if repaired.after.violations() else ExitCode.DONE

    def _list(self, path: str, session: SessionFile) -> ExitCode:
        file = main_of(path, session, self.printer)
        repaired = repair_file(file, dialect=self.dialect, to=self.to, as_request=self.as_request, model=self.model)
        data = repaired.data if self.to is not None else written_like(repaired.data, session.data)
        if self.to is None and session.format is MESSAGE_LISTS and self._is_sound(session):
            # What is sound stays as it was written.
            repaired, data = evolve(repaired, form=file.form, repairs=()), session.data
        target = self._write(path, data, repaired.form)
        if target is None:
            return ExitCode.FAILED
        self.printer.repaired(path, file, repaired, _named(target))
        return ExitCode.FOUND if repaired.violations else ExitCode.DONE

    def _is_sound(self, session: SessionFile) -> bool:
        """Return whether a provider would accept the list of a file as it is."""
        return not session.notes and not session.conversations[0].violations(self.dialect, as_request=self.as_request)

    def _write(self, path: str, data: bytes, form: FileForm) -> str | None:
        """Write the output of one file, and return where; None when it was not written."""
        target = _target(path, self.output, form, in_folder=self.in_folder)
        if not write_result(target, data, path, self.printer, taken=self.taken, force=self.force):
            return None
        self.taken.append(Path(target))
        return target


def _named(target: str) -> str | None:
    return None if target == STDIN else target


def _target(path: str, output: str | None, form: FileForm, *, in_folder: bool) -> str:
    if output is not None and not in_folder:
        return output
    if path == STDIN:
        return STDIN
    suffix = Path(path).suffix or ".json"
    if form is not FileForm.LINES and suffix == ".jsonl":
        suffix = ".json"
    named = Path(path).with_name(f"{Path(path).stem}.repaired{suffix}")
    return str(named if output is None else Path(output) / named.name)
