"""What the commands share: options, exit codes, and the walk over several files."""

from __future__ import annotations

import os
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final, final

import click

from message_history.dialects.registry import DIALECTS
from message_history.storage.files import UnreadableFileError
from message_history.storage.sessions.disk import replace
from message_history.storage.sessions.reading import read_session

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from message_history.cli.printing import Printer
    from message_history.dialects import Dialect
    from message_history.storage.files import SavedFile
    from message_history.storage.sessions.reading import Conversation, SessionFile

__all__ = [
    "DIALECT_NAMES",
    "ExitCode",
    "as_request",
    "dialect_for",
    "dialect_named",
    "input_dialect",
    "main_of",
    "over_files",
    "read_or_report",
    "session_or_report",
    "write_new",
]

DIALECT_NAMES: Final = tuple(sorted(DIALECTS))


@final
class ExitCode(IntEnum):
    """What a command tells the shell."""

    DONE = 0
    FOUND = 1
    """Something is wrong with a file, or a part of it could not be read."""
    FAILED = 2
    """A file cannot be read or written, or the command was used wrongly."""


input_dialect = click.option(
    "--dialect", type=click.Choice(DIALECT_NAMES), help="The dialect of the input; found by shape by default."
)
as_request = click.option(
    "--as-request",
    is_flag=True,
    help="Take the list as a request that is sent as it stands: unlike a conversation that goes on, it may not end "
    "with the assistant where the API refuses that.",
)


def dialect_named(name: str | None) -> Dialect[Any] | None:
    """Give the dialect with a name; None for None."""
    return DIALECTS[name] if name is not None else None


def dialect_for(name: str, model: str | None) -> Dialect[Any]:
    """Give the dialect with a name, for a model.

    Args:
        name: the dialect's name.
        model: the model's name; None for the strictest of all.

    Returns:
        The dialect.

    Raises:
        click.UsageError: when the dialect knows no models.
    """
    dialect = DIALECTS[name]
    if model is None:
        return dialect
    for_model = getattr(dialect, "for_model", None)
    if for_model is None:
        raise click.UsageError(f"{name} is the same for every model; leave out --model")
    chosen: Dialect[Any] = for_model(model)
    return chosen


def write_new(target: Path, data: bytes, taken: Sequence[Path], *, force: bool) -> str | None:
    """Write a file that is none of those taken.

    Args:
        target: where.
        data: what.
        taken: files that stay as they are: the inputs, and what was written before.
        force: whether to overwrite another file.

    Returns:
        Why it was not written; None when it was.
    """
    try:
        if target.exists() and any(path.exists() and target.samefile(path) for path in taken):
            return "this is an input, or the output of another input; it is not overwritten"
        if target.is_dir():
            return "the output is a folder"
        if os.path.lexists(target) and not force:
            return "the output exists; --force overwrites it"
        replace(target, [data], sync=False, follow=False)
    except OSError as error:
        return f"cannot be written: {error.strerror or error}"
    return None


def session_or_report(path: str, printer: Printer) -> SessionFile | None:
    """Read a file; tell of lines that were skipped, and of a file that cannot be read.

    Args:
        path: the file.
        printer: tells.

    Returns:
        What it holds; None when it holds no conversation.
    """
    try:
        session = read_session(path)
    except UnreadableFileError as error:
        printer.error(path, str(error))
        return None
    for note in session.notes:
        printer.line_note(path, note)
    for conversation in session.conversations:
        if conversation.omitted:
            lines = "line of messages was" if conversation.omitted == 1 else "lines of messages were"
            what = f"{conversation.omitted:,} {lines} rewound or compacted: not in the conversation"
            printer.remark(conversation.named(path), what)
    if not session.messages:
        printer.error(path, "it holds no messages")
        return None
    return session


def read_or_report(path: str, printer: Printer) -> SavedFile | None:
    """Read the main conversation of a file; see `session_or_tell`. The others are told of."""
    session = session_or_report(path, printer)
    return main_of(path, session, printer) if session is not None else None


def main_of(path: str, session: SessionFile, printer: Printer) -> SavedFile:
    """Give the main conversation of a file, and tell of the others."""
    main, *others = session.conversations
    if others:
        printer.remark(path, f"{main.label or 'the main conversation'} only; left out: {_listed(others)}")
    return main.file


def _listed(conversations: Sequence[Conversation]) -> str:
    labels = [conversation.label for conversation in conversations[:3]]
    return ", ".join(labels) + (f" and {len(conversations) - 3} more" if len(conversations) > 3 else "")


def over_files(paths: Sequence[str], printer: Printer, work: Callable[[str, SessionFile], ExitCode]) -> ExitCode:
    """Do the same for several files, with a progress bar; one that cannot be read does not end the run.

    Args:
        paths: the files.
        printer: tells.
        work: what to do.

    Returns:
        The highest of the exit codes.
    """
    worst = ExitCode.DONE
    for path in printer.progress(paths):
        session = session_or_report(path, printer)
        if session is None:
            code = ExitCode.FAILED
        else:
            code = max(work(path, session), ExitCode.FOUND if session.skipped else ExitCode.DONE)
        worst = max(worst, code)
    return worst
