"""What the commands share: options, exit codes, and the walk over several files."""

from __future__ import annotations

import os
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from message_history.cli.exit_codes import ExitCode
from message_history.dialects.registry import DIALECTS
from message_history.files.disk import replace
from message_history.files.files import NotRecognisedError, TooLargeError, UnreadableFileError, content_of
from message_history.files.opening import MAX_BYTES
from message_history.formats.large_files import parts_of
from message_history.formats.reading import session_in
from message_history.formats.registry import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from message_history.cli.printing import Printer
    from message_history.dialects import Dialect
    from message_history.files.conversations import Conversation
    from message_history.files.files import SavedFile
    from message_history.formats.kit.base import Format
    from message_history.formats.reading import SessionFile

DIALECT_NAMES: Final = tuple(sorted(DIALECTS))


class NameOf(click.Choice[str]):
    """One of some names; the error for another value says which is nearest."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            near = get_close_matches(str(value), self.choices, 1)
            self.fail(f"{error.message}{f' Did you mean {near[0]!r}?' if near else ''}", param, ctx)


input_dialect = click.option(
    "--dialect", type=NameOf(DIALECT_NAMES), help="The dialect of the input; found by shape by default."
)
input_format = click.option(
    "--format",
    "format_name",
    type=NameOf(sorted(FORMATS)),
    metavar="NAME",
    help="The format of the file, as `message-history formats` lists them; recognised by default.",
)
input_model = click.option(
    "--model",
    metavar="NAME",
    help="The model that FILE was sent to, or the file that `probe` wrote of it; needs --dialect.",
)
as_json = click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print one JSON object instead; to the standard error when the result goes to the standard output.",
)
as_request = click.option(
    "--as-request",
    is_flag=True,
    help="Take the list as a request that is sent as it is: unlike a conversation that goes on, it may not end "
    "with the assistant where the API refuses that.",
)


STDIN: Final = "-"
"""The name of the standard input among files, and of the standard output among outputs."""


def content_named(path: str) -> bytes:
    """Read a file, or the standard input for `-`.

    Raises `UnreadableFileError` when it cannot be read, or is too large.
    """
    if path != STDIN:
        return content_of(path)
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise TooLargeError(f"it is larger than {MAX_BYTES:,} bytes")
    return data


def write_result(
    output: str, data: bytes, source: str, printer: Printer, *, taken: Sequence[Path] = (), force: bool
) -> bool:
    """Write to a file, no more open than `source`, or to the standard output for `-`; return whether it was."""
    if output == STDIN:
        from message_history.cli.printing import escaped_json  # noqa: PLC0415 - imports rich

        # Whoever redirects the output gets every byte; a screen gets the same JSON, escaped.
        click.echo(escaped_json(data.decode()) if is_screen() else data, nl=False)
        return True
    problem = write_new(Path(output), data, [Path(source), *taken], force=force)
    if problem is not None:
        printer.error(output, problem)
    return problem is None


def is_screen() -> bool:
    return sys.stdout.isatty()


def dialect_named(name: str | None, model: str | None = None, option: str = "--dialect") -> Dialect[Any] | None:
    """Return the dialect that an option names, for a model; None for no name."""
    if name is not None:
        return dialect_for(name, model)
    if model is not None:
        raise click.UsageError(f"--model needs {option}")
    return None


def format_named(name: str | None) -> Format | None:
    return FORMATS[name] if name is not None else None


def dialect_for(name: str, model: str | None) -> Dialect[Any]:
    dialect = DIALECTS[name]
    if model is None:
        return dialect
    is_probe = model.endswith(".probe.toml")
    make = getattr(dialect, "from_probe" if is_probe else "for_model", None)
    if make is None:
        knows = "reads no probe" if is_probe else "is the same for every model"
        raise click.UsageError(f"{name} {knows}; leave out --model")
    try:
        chosen: Dialect[Any] = make(model)
    except (OSError, TypeError, ValueError) as error:
        raise click.UsageError(f"--model {model}: {error}") from error
    return chosen


def write_new(target: Path, data: bytes, taken: Sequence[Path], *, force: bool) -> str | None:
    """Write a file, but none of those taken.

    `taken` are the inputs, first the one that it was made of, and what was written before. Returns why it was not
    written; None when it was.
    """
    try:
        if target.exists() and any(path.exists() and target.samefile(path) for path in taken):
            return "this is an input, or the output of another input; it is not overwritten"
        if target.is_dir():
            return "the output is a folder"
        if os.path.lexists(target) and not force:
            return "the output exists; --force overwrites it"
        replace(target, [data], sync=False, follow=False, like=taken[0] if taken else None)
    except OSError as error:
        return f"cannot be written: {error.strerror or error}"
    return None


def session_or_report(path: str, printer: Printer, format_name: str | None = None) -> SessionFile | ExitCode:
    """Read a file and report what is skipped, unused or unreadable; the exit code if it holds no conversation."""
    return next(_reported(path, printer, _whole(path, format_named(format_name))))


def _whole(path: str, chosen: Format | None) -> Iterator[SessionFile]:
    yield session_in(content_named(path), chosen=chosen)


def _reported(path: str, printer: Printer, sessions: Iterator[SessionFile]) -> Iterator[SessionFile | ExitCode]:
    """Report what is skipped, unused or unreadable in a file or its parts; they are read one after the other."""
    try:
        for session in sessions:
            _report_unused(path, printer, session)
            if not session.messages:
                printer.error(path, "it holds no messages")
            yield session if session.messages else ExitCode.FAILED
    except NotRecognisedError as error:
        printer.error(path, str(error))
        yield ExitCode.FOUND
    except UnreadableFileError as error:
        printer.error(path, str(error))
        yield ExitCode.FAILED


def _report_unused(path: str, printer: Printer, session: SessionFile) -> None:
    for note in session.notes:
        printer.line_note(path, note)
    for note in session.unread:
        printer.remark(path, f"place {note.line}: {note.detail}: not read")
    for conversation in session.conversations:
        if conversation.omitted:
            what = ", ".join(f"{times:,} {kind}" for kind, times in conversation.omitted)
            printer.remark(conversation.named(path), f"not in the conversation: {what}")


def read_or_report(path: str, printer: Printer, format_name: str | None = None) -> SavedFile | ExitCode:
    """Read the main conversation of a file; see `session_or_report`. The others are reported."""
    session = session_or_report(path, printer, format_name)
    return session if isinstance(session, ExitCode) else main_of(path, session, printer)


def main_of(path: str, session: SessionFile, printer: Printer) -> SavedFile:
    main, *others = session.conversations
    if others:
        printer.remark(path, f"{main.label or 'the main conversation'} only; left out: {_listed(others)}")
    return main.file


def _listed(conversations: Sequence[Conversation]) -> str:
    labels = [conversation.label for conversation in conversations[:3]]
    return ", ".join(labels) + (f" and {len(conversations) - 3} more" if len(conversations) > 3 else "")


def over_files(
    paths: Sequence[str],
    printer: Printer,
    work: Callable[[str, SessionFile], ExitCode],
    format_name: str | None = None,
    *,
    finish: Callable[[str], None] | None = None,
) -> ExitCode:
    """Do the same for each file, with a progress bar, past those that cannot be read; return the highest exit code.

    `finish` is called after each file; with it, `work` is called for each part of a large file.
    """
    worst, chosen = ExitCode.DONE, format_named(format_name)
    for path in printer.progress(paths):
        may_part = finish is not None and path != STDIN
        sessions = parts_of(path, chosen=chosen) if may_part else _whole(path, chosen)
        for session in _reported(path, printer, sessions):
            if isinstance(session, ExitCode):
                code = session
            else:
                incomplete = bool(session.skipped or session.unread)
                code = max(work(path, session), ExitCode.FOUND if incomplete else ExitCode.DONE)
            worst = max(worst, code)
        if finish is not None:
            finish(path)
    return worst
