"""`check`: what a provider would refuse."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import click

from message_history.cli.exit_codes import ExitCode
from message_history.cli.options import (
    as_json,
    as_request,
    dialect_named,
    input_dialect,
    input_format,
    input_model,
    over_files,
)
from message_history.cli.printing import counted, visible
from message_history.cli.report import printer_for

if TYPE_CHECKING:
    from message_history.formats.reading import SessionFile

MANY: Final = 20
"""Of a file with more conversations, the sound ones are counted only."""


@click.command("check")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@input_dialect
@input_model
@input_format
@as_request
@as_json
@click.pass_context
def check_files(
    context: click.Context,
    *,
    files: tuple[str, ...],
    dialect: str | None,
    model: str | None,
    format_name: str | None,
    as_request: bool,
    as_json: bool,
) -> None:
    """Find what the provider would refuse in each FILE; nothing is written. - reads the standard input.

    Of a file with more than 20 conversations those with violations are listed, and all are counted. With a dialect or a
    model, what no rule knows in the assistant's messages is listed too; it is not a violation.

    The exit code is 0 when nothing is wrong, 1 when something is, 2 when a file cannot be read.
    """
    printer = printer_for("check", as_json=as_json)
    named = dialect_named(dialect, model)

    tally = _Tally()

    def work(path: str, session: SessionFile) -> ExitCode:
        tally.conversations += len(session.conversations)
        broken = tally.broken
        for conversation in session.conversations:
            violations = conversation.violations(named, as_request=as_request)
            rules = named if named is not None else conversation.dialect(as_request=as_request)
            is_judged = named is not None or conversation.is_judged
            if violations or as_json or tally.conversations <= MANY:
                printer.checked(path, conversation, rules, violations, is_judged=is_judged)
            if named is not None and (unknown := named.unknown(conversation.file.entries)):
                printer.unknown(path, conversation, named, unknown)
            tally.breaking.update({violation.rule for violation in violations})
            tally.broken += bool(violations)
        return ExitCode.FOUND if tally.broken > broken else ExitCode.DONE

    def finish(path: str) -> None:
        nonlocal tally
        if tally.conversations > MANY:
            count = counted(tally.conversations, "conversation")
            printer.line(f"{visible(path)}: {count}, {tally.summary()}")
        tally = _Tally()

    context.exit(printer.finish(over_files(files, printer, work, format_name, finish=finish)))


class _Tally:
    """What was found in one file."""

    def __init__(self) -> None:
        self.conversations = self.broken = 0
        self.breaking: Counter[str] = Counter()

    def summary(self) -> str:
        most = sorted(self.breaking.items(), key=lambda rule: (-rule[1], rule[0]))
        counts = ", ".join(f"{rule} in {count:,}" for rule, count in most)
        return f"{self.broken:,} with violations: {counts}" if self.broken else "no violations"
