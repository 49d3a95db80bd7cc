"""`explain`: the rule behind a provider's error, and where a file breaks it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import click
from rich.text import Text

from message_history.cli.options import DIALECT_NAMES, ExitCode, dialect_for, input_format, read_or_report
from message_history.cli.printing import Printer, counted, one_line, visible
from message_history.explaining import explain, subject_of, where
from message_history.violations import check

if TYPE_CHECKING:
    from message_history.dialects import Dialect
    from message_history.explaining import Explanation
    from message_history.storage.files import SavedFile

__all__ = ["explain_error"]

OTHERS: Final = 4
"""How many more rules are named; a text that fits more of them says too little."""


@click.command("explain")
@click.argument("text", metavar="TEXT")
@click.argument("file", required=False, metavar="[FILE]")
@click.option(
    "--dialect",
    type=click.Choice(DIALECT_NAMES),
    help="Whose error it is; by default what the text says, or the dialect of FILE.",
)
@input_format
@click.option("--model", metavar="NAME", help="The model that FILE was sent to; needs --dialect.")
@click.pass_context
def explain_error(
    context: click.Context,
    *,
    text: str,
    file: str | None,
    dialect: str | None,
    format_name: str | None,
    model: str | None,
) -> None:
    """Tell which rule a provider's error TEXT is about, what this library does about it, and where FILE breaks it.

    TEXT is a provider's message with its ids and numbers, as an SDK raised it or a log shows it, whole or in part; - is
    the standard input. FILE is the list that was sent, or the session that it was made of.

    The exit code is 0 when a rule was found, 1 when no rule's text is like this one or a line of FILE was skipped, 2
    when FILE cannot be read.
    """
    if model is not None and dialect is None:
        raise click.UsageError("--model needs --dialect")
    printer = Printer()
    known = dialect_for(dialect, model) if dialect is not None else None
    saved = read_or_report(file, printer, format_name) if file is not None else None
    if isinstance(saved, ExitCode):
        context.exit(saved)
    error = sys.stdin.buffer.read().decode(errors="replace") if text == "-" else text
    own = saved.dialect(as_request=True) if saved is not None else None
    found = explain(error, known or own)
    if found:
        _print_explanations(printer, found)
    else:
        _print_nothing(printer, error)
    if saved is not None and own is not None and file is not None:
        sent_as = known if known is not None and known.name == own.name else own
        _print_places(printer, file, saved, sent_as, error)
    context.exit(ExitCode.DONE if found and (saved is None or not saved.skipped) else ExitCode.FOUND)


def _print_explanations(printer: Printer, found: list[Explanation]) -> None:
    first, *others = found
    printer.line(Text.assemble(_name(first), f": {first.rule.rule}"))
    printer.line(Text(f"  the provider says: {one_line(first.error)}", "dim"))
    printer.line(f"  this library: {first.rule.repair}")
    printer.line(f"  seen: {first.rule.source} ({first.rule.date})")
    for other in others[:OTHERS]:
        printer.line(Text.assemble("or ", _name(other), f": {other.rule.rule}"))


def _print_nothing(printer: Printer, error: str) -> None:
    """Print that no rule explains a text, and what it is about instead, where that is known."""
    subject = subject_of(error)
    if subject is None:
        printer.line(Text("no rule's text is like this one", "bold red"))
    else:
        about = f"not about the form of the messages, but about {subject.name}"
        printer.line(Text.assemble((about, "bold"), f": {subject.hint}"))


def _name(one: Explanation) -> Text:
    return Text.assemble((f"{one.dialect} {one.rule.id}", "bold red"), f" ({one.score:.0%})")


def _print_places(printer: Printer, path: str, saved: SavedFile, dialect: Dialect[Any], error: str) -> None:
    """Print where a file breaks the rules that explain a text, or that it does not."""
    places = where(error, saved.entries, dialect)
    told = f"{dialect.name}, {counted(len(saved.entries), 'message')}, "
    summary = f"this rule is broken in {counted(len(places), 'place')}" if places else "this rule is not broken in it"
    style = "bold red" if places else "bold green"
    printer.line(Text.assemble((f"{visible(path)}: ", "bold"), told, (summary, style)))
    for violation in places:
        printer.violation(saved, violation)
    others = len(check(saved.entries, dialect)) - len(places)
    if others:
        printer.line(f"  and {counted(others, 'violation')} of other rules; `message-history check` shows them")
