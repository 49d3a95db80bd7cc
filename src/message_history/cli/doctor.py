"""`doctor`: all sessions in a folder, checked and repaired."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import click
from rich.text import Text

from message_history.cli.exit_codes import ExitCode
from message_history.cli.options import as_json, format_named, input_format
from message_history.cli.printing import counted, one_line, visible
from message_history.cli.report import printer_for
from message_history.files.errors import SessionError
from message_history.formats.examining import (
    Examined,
    brought_in,
    changes,
    examine,
    find_files,
    held,
    repair_beside,
    repair_in_place,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from message_history.cli.printing import Printer
    from message_history.formats.examining import RepairedFile
    from message_history.formats.kit.base import Format

SOUND: Final = "sound"
BROKEN: Final = "broken"
REPAIRED: Final = "repaired"
UNREADABLE: Final = "unreadable"
NOT_RECOGNISED: Final = "not recognised"
STYLES: Final = {
    SOUND: "green",
    BROKEN: "bold red",
    REPAIRED: "bold yellow",
    UNREADABLE: "bold red",
    NOT_RECOGNISED: "bold red",
}
MOST_LINES: Final = 40
"""How many lines of one file's diff are shown."""


class Row(NamedTuple):
    """What the table says of one file."""

    state: str
    format: str
    messages: int
    wrong: int
    path: str
    what: str


@click.command("doctor")
@click.argument("folders", nargs=-1, required=True, metavar="FOLDER...")
@click.option(
    "--fix", is_flag=True, help="Write a repaired copy next to each broken file: NAME.repaired.jsonl, or .json."
)
@click.option("--in-place", is_flag=True, help="With --fix: replace the broken file itself, and keep it as NAME.bak.")
@click.option(
    "--force", is_flag=True, help="With --fix: overwrite a copy that is there already, and keep it as NAME.bak."
)
@input_format
@as_json
@click.option("--diff/--no-diff", default=True, help="With --fix: show what changes; shown by default.")
@click.option("--all", "everything", is_flag=True, help="List sound sessions too.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    help="Examine files in N processes at once; 1 by default. Files are repaired one by one.",
)
@click.pass_context
def examine_folders(
    context: click.Context,
    *,
    folders: tuple[str, ...],
    fix: bool,
    in_place: bool,
    force: bool,
    format_name: str | None,
    as_json: bool,
    diff: bool,
    everything: bool,
    jobs: int,
) -> None:
    """Check every session in each FOLDER, and repair what is broken with --fix.

    Sessions are found by what is in the files, in all formats that `message-history formats` lists. A file that is
    like one of them and not certainly in it is not recognised, and no file is written over it or next to it. Other JSON
    files are passed over. Stop the programs that write to the sessions before you repair them in place.

    The exit code is 0 when nothing is wrong or all was repaired, 1 when something is wrong, 2 when a file cannot be
    read or written.
    """
    if (in_place or force) and not fix:
        raise click.UsageError("--in-place and --force are for --fix")
    printer = printer_for("doctor", as_json=as_json)
    paths, problems = find_files(folders)
    rows: list[Row] = []
    in_their_place: list[RepairedFile] = []
    codes = [ExitCode.FAILED for _ in problems]
    for path, problem in problems:
        printer.error(str(path), problem)
    others = 0
    by_name = {str(path): path for path in paths}
    examined = _examine_all(list(by_name.values()), format_named(format_name), jobs)
    for name, found in zip(printer.progress(list(by_name)), examined, strict=True):
        if found.nearest or (found.nearest is not None and name in folders):
            like = f"like {', '.join(found.nearest)}" if found.nearest else ""
            row, code = Row(NOT_RECOGNISED, "", 0, 0, name, like), ExitCode.FOUND
        elif found.session is not None:
            state, code, repaired = _outcome(found, printer, fix=fix, in_place=in_place, force=force, diff=diff)
            in_their_place += [repaired] if in_place and repaired is not None else []
            row = Row(state, found.session.format.name, found.session.messages, found.wrong, name, _first(found))
        elif found.problem is not None:
            printer.error(name, found.problem)
            row, code = Row(UNREADABLE, "", 0, 0, name, found.problem), ExitCode.FAILED
        else:
            others += 1
            continue
        codes.append(code)
        rows.append(row)
        printer.examined(name, row.state, found.session, row.what)
    codes += [_look_again(repaired, printer) for repaired in in_their_place]
    _print(printer, rows, others, everything=everything)
    context.exit(printer.finish(max(codes, default=ExitCode.DONE)))


def _examine_all(paths: Sequence[Path], chosen: Format | None, jobs: int) -> Iterator[Examined]:
    """Yield what is found out about each file, in order."""
    look = partial(examine, chosen=chosen)
    if jobs == 1 or len(paths) < 2:
        yield from map(look, paths)
        return
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - one process does without
    from multiprocessing import get_context  # noqa: PLC0415 - as above

    # A process that shows its progress has a thread, and may not be forked.
    with ProcessPoolExecutor(min(jobs, len(paths)), get_context("spawn")) as pool:
        yield from pool.map(look, paths)


def _outcome(
    found: Examined, printer: Printer, *, fix: bool, in_place: bool, force: bool, diff: bool
) -> tuple[str, ExitCode, RepairedFile | None]:
    """Repair a session that is broken, if that is wanted, and return its state then and the exit code for it."""
    if not found.wrong:
        return SOUND, ExitCode.DONE, None
    found = held(found) if fix else found
    refusal = found.session.refusal if found.session is not None else None
    if refusal is not None and fix:
        printer.error(str(found.path), refusal)
    if refusal is not None or not fix:
        return BROKEN, ExitCode.FOUND, None
    repaired = _repaired(found, printer, in_place=in_place, force=force, diff=diff)
    if repaired is None:
        return BROKEN, ExitCode.FAILED, None
    return *((REPAIRED, ExitCode.DONE) if repaired.is_whole else (BROKEN, ExitCode.FOUND)), repaired


def _look_again(repaired: RepairedFile, printer: Printer) -> ExitCode:
    """Say what has reached a file that was replaced, and that it had other names."""
    if repaired.names > 1:
        others = f"{counted(repaired.names - 1, 'other name')} of it (hard links) still lead to what it was"
        printer.remark(str(repaired.target), others)
    after = brought_in(repaired)
    if after.late:
        printer.remark(str(after.target), after.late)
    return ExitCode.FOUND if after.late and after.stamp == repaired.stamp else ExitCode.DONE


def _repaired(found: Examined, printer: Printer, *, in_place: bool, force: bool, diff: bool) -> RepairedFile | None:
    try:
        repaired = repair_in_place(found) if in_place else repair_beside(found, force=force)
    except SessionError as error:
        path, _, why = str(error).partition(": ")
        printer.error(path, why)
        return None
    backup = str(repaired.backup) if repaired.backup is not None else None
    printer.written(str(found.path), str(repaired.target), backup)
    if diff:
        lines = list(changes(repaired.before, repaired.after))
        for line in lines[:MOST_LINES]:
            printer.diff_line(line, "  ")
        if len(lines) > MOST_LINES:
            printer.line(Text(f"  ... {len(lines) - MOST_LINES:,} more lines", "dim"))
    return repaired


def _first(found: Examined) -> str:
    session = found.session
    if session is None or not found.wrong:
        return ""
    if found.violations:
        first = found.violations[0][0]
        of_first = (each for conversation, each in found.violations if conversation is first)
        conversation, violation = first, min(of_first, key=lambda each: -1 if each.index is None else each.index)
        place = "the list" if violation.index is None else conversation.file.place_of(violation.index)
        label = f"{conversation.label}, " if conversation.label and not conversation.label.startswith("line") else ""
        return f"{label}{place}: {violation.rule}: {violation.detail}"
    note = session.notes[0]
    return f"line {note.line}: {note.detail}"


def _print(printer: Printer, rows: Sequence[Row], others: int, *, everything: bool) -> None:
    shown = [row for row in rows if row.state != UNREADABLE and (everything or row.state != SOUND)]
    if shown:
        head = ("state", "format", "messages", "wrong", "session")
        cells = [
            head,
            *((row.state, row.format, f"{row.messages:,}", f"{row.wrong:,}", visible(row.path)) for row in shown),
        ]
        widths = [max(len(row[n]) for row in cells) for n in range(4)]
        for n, cell in enumerate(cells):
            printer.line(_row(cell, widths, "bold" if n == 0 else STYLES[cell[0]]))
            if n and shown[n - 1].what:
                printer.line(Text(f"{'':{widths[0]}}  {one_line(shown[n - 1].what)}", "dim"))
    printer.line(_summary(rows, others))


def _row(cells: Sequence[str], widths: Sequence[int], style: str) -> Text:
    state, format, messages, wrong, path = cells
    state, format = state.ljust(widths[0]), format.ljust(widths[1])
    return Text.assemble((state, style), f"  {format}  {messages:>{widths[2]}}  {wrong:>{widths[3]}}  {path}")


def _summary(rows: Iterable[Row], others: int) -> Text:
    states = Counter(row.state for row in rows)
    found = sum(states.values()) - states[UNREADABLE] - states[NOT_RECOGNISED]
    parts = [f"{states[state]:,} {state}" for state in (SOUND, BROKEN, REPAIRED) if states[state]]
    parts += [f"{counted(states[UNREADABLE], 'file')} unreadable"] if states[UNREADABLE] else []
    parts += [f"{counted(states[NOT_RECOGNISED], 'file')} not recognised"] if states[NOT_RECOGNISED] else []
    parts += [f"{counted(others, 'other file')}"] if others else []
    style = "bold red" if states[BROKEN] + states[UNREADABLE] + states[NOT_RECOGNISED] else "bold green"
    sessions = f"{found:,} {'session' if found == 1 else 'sessions'}"
    return Text.assemble((sessions, style), *([f": {', '.join(parts)}"] if parts else []))
