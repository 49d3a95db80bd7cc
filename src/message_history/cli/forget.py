"""`forget`: what somebody asked for goes out of sessions, with a receipt that does not say what it was."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click
from attrs import asdict, evolve

from message_history.cli.exit_codes import ExitCode
from message_history.cli.options import STDIN, as_json, content_named
from message_history.cli.printing import counted, visible
from message_history.cli.report import printer_for
from message_history.files.errors import SessionError
from message_history.files.files import UnreadableFileError
from message_history.files.opening import content
from message_history.forgetting import REDACTED, redact
from message_history.forgetting.finding import Finder
from message_history.history import MessageHistory
from message_history.storage import JsonlSession
from message_history.storage.forgetting import forget

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from message_history.cli.printing import Printer
    from message_history.storage.forgetting import Receipt

OF_SQLITE: Final = b"SQLite format 3\0"
PASSWORD: Final = re.compile("://([^:/@]*):[^@]*@")


@click.command("forget")
@click.argument("sessions", nargs=-1, required=True, metavar="SESSION...")
@click.option("--find", "texts", multiple=True, metavar="TEXT", help="Forget this text; - reads the standard input.")
@click.option("--pattern", "patterns", multiple=True, metavar="REGEX", help="Forget what matches, as in Python.")
@click.option("--replace", default=REDACTED, show_default=True, metavar="TEXT", help="The text that takes its place.")
@click.option("--session", "names", multiple=True, metavar="NAME", help="Which of a database's; all by default.")
@as_json
@click.pass_context
def forget_in_sessions(
    context: click.Context,
    *,
    sessions: tuple[str, ...],
    texts: tuple[str, ...],
    patterns: tuple[str, ...],
    replace: str,
    names: tuple[str, ...],
    as_json: bool,
) -> None:
    """Forget what is found in each SESSION, with backups and older rows, and print a receipt that does not say it.

    SESSION is a file of `JsonlSession`, a SQLite file of `SqlSession`, or the URL of a database. It is changed in
    place, and nothing brings back what is forgotten. Files of other programs are refused. What is given with `--find -`
    is in no shell's history; --find, --pattern and --session may be given several times.

    The exit code is 0 when all is done, 2 when a session cannot be read or written.
    """
    find: list[str | re.Pattern[str]] = [*map(_text, texts), *map(_pattern, patterns)]
    if not find:
        raise click.UsageError("say what is to be forgotten, with --find or --pattern")
    change = partial(redact, find=find, replace=replace)
    try:
        change(MessageHistory())
    except ValueError:
        # Its text may quote what is to be forgotten.
        problem = "must match neither an empty text nor the word 'redacted', nor what --replace puts in its place"
        raise click.UsageError(f"--find and --pattern {problem}") from None
    printer, worst = printer_for("forget", as_json=as_json), ExitCode.DONE
    shown, receipts = Finder(find, replace).text, list[dict[str, Any]]()
    for path in printer.progress(sessions):
        name = shown(PASSWORD.sub("://\\1:***@", path))
        try:
            done = [_shown(each, shown) for each in _done(path, names, change)]
        except (OSError, SessionError, ValueError) as error:
            printer.error(name, shown(getattr(error, "strerror", None) or str(error)).removeprefix(f"{name}: "))
            worst = ExitCode.FAILED
            continue
        receipts += [{"path": name, **asdict(each)} for each in done]
        _print(printer, done)
    printer.add("forgotten", receipts)
    context.exit(printer.finish(worst))


def _text(text: str) -> str:
    try:
        return content_named(STDIN).decode().removesuffix("\n").removesuffix("\r") if text == STDIN else text
    except (UnicodeDecodeError, UnreadableFileError):
        raise click.UsageError("--find -: the standard input is not text in UTF-8") from None


def _pattern(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise click.UsageError(f"--pattern: {error.msg} at position {error.pos}") from None


def _done(where: str, names: Sequence[str], change: Callable[[MessageHistory], MessageHistory]) -> list[Receipt]:
    if "://" in where or content(where, len(OF_SQLITE)) == OF_SQLITE:
        from message_history.storage.databases.forgetting import in_sessions  # noqa: PLC0415 - the extra may not be there

        return in_sessions(where, names, change)
    if names:
        raise SessionError("--session names one of a database's sessions, and this is a file of one session")
    session = JsonlSession(where)
    # What is not a session is refused before there is a lock.
    session.load()
    return [forget(session, change)]


def _shown(receipt: Receipt, shown: Callable[[str], str]) -> Receipt:
    """Return a receipt in which no name says what was forgotten."""
    looked, deleted = tuple(map(shown, receipt.looked_through)), tuple(map(shown, receipt.deleted))
    return evolve(receipt, session=shown(receipt.session), looked_through=looked, deleted=deleted)


def _print(printer: Printer, receipts: Sequence[Receipt]) -> None:
    for each in receipts:
        places = f"{counted(each.places, 'place')}, in {counted(len(each.changed), 'message')}"
        printer.line(f"{visible(each.session)}: forgotten in {places}")
        for item in each.deleted:
            printer.line(f"  deleted: {visible(item)}")
    for label in ("looked_through", "outside"):
        for item in dict.fromkeys(item for each in receipts for item in getattr(each, label)):
            printer.line(f"  {label.replace('_', ' ')}: {visible(item)}")
