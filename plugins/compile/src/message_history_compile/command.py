"""`compile`: conversations in files to what trainers and evaluators take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import click
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.text import Text

from message_history.cli.exit_codes import ExitCode
from message_history.cli.options import NameOf, as_json, input_dialect, input_format
from message_history.cli.printing import counted, visible
from message_history.cli.report import printer_for
from message_history.extras import not_installed
from message_history_compile.counting import CountError
from message_history_compile.plan import Plan
from message_history_compile.processes import run_in_processes
from message_history_compile.running import CompileReport, compile_files
from message_history_compile.targets import TARGETS
from message_history_compile.targets.base import NO_SETTINGS, Settings

if TYPE_CHECKING:
    from message_history.cli.printing import Printer
    from message_history_compile.shards import UnitReport

MEGABYTE: Final = 1024 * 1024
_EXTRAS: Final = {
    "message_history_measure": "templates",
    "pyarrow": "arrow",
    "fsspec": "remote",
    "tokenizers": "tokens",
}


@click.command("compile")
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("--to", "target", type=NameOf(tuple(TARGETS)), required=True, help="Who takes the rows.")
@click.option("--out", required=True, metavar="DIR", help="The folder to write; it must be new, or of the same run.")
@click.option("--template", metavar="PATH", help="For chat-template: a tokenizer's folder, or a Jinja file.")
@click.option("--tokenizer", metavar="PATH", help="A tokenizer's folder or its tokenizer.json: lengths in its tokens.")
@click.option("--split", multiple=True, metavar="NAME=PART", help="A split besides train, such as test=0.1.")
@click.option("--dedupe", is_flag=True, help="Reject rows whose content was there before.")
@click.option("--thinking", type=click.Choice(("keep", "drop")), default="keep", show_default=True)
@click.option(
    "--synthetic",
    type=click.Choice(("mask", "drop", "reject")),
    help="Calls without a result: mark what the library wrote for one, drop the calls, or reject the conversation. "
    "Else they are marked where the target has a field for that, and dropped elsewhere.",
)
@click.option(
    "--media",
    type=click.Choice(("reject", "omit")),
    default="reject",
    show_default=True,
    help="Conversations with images and documents that the target has no place for.",
)
@click.option("--no-text-with-calls", is_flag=True, help="Omit text with calls: some trainers' templates refuse it.")
@click.option("--single-calls", is_flag=True, help="Write parallel calls one after the other, each with its result.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="How many processes work.")
@click.option("--shard-mb", type=click.IntRange(1), default=64, show_default=True, help="Input for one shard.")
@input_dialect
@input_format
@as_json
@click.pass_context
def compile_inputs(
    context: click.Context,
    *,
    inputs: tuple[str, ...],
    target: str,
    out: str,
    template: str | None,
    tokenizer: str | None,
    split: tuple[str, ...],
    dedupe: bool,
    thinking: str,
    synthetic: str | None,
    media: str,
    no_text_with_calls: bool,
    single_calls: bool,
    workers: int,
    shard_mb: int,
    dialect: str | None,
    format_name: str | None,
    as_json: bool,
) -> None:
    """Compile the conversations in each INPUT, a file, a folder, a URL or -, to rows for a trainer or an evaluator.

    Each row is valid in its target's form and has a receipt: where it comes from and each repair. What cannot be
    compiled is in DIR/rejected.jsonl, with the reason. A run that was stopped goes on when it is started again.

    The exit code is 0 when all was compiled, 1 when something was rejected, 2 when nothing could be done.
    """
    printer = printer_for("compile", as_json=as_json)
    try:
        plan = Plan(
            target=target,
            settings=_settings(template),
            thinking=thinking == "keep",
            synthetic=synthetic,  # type: ignore[arg-type]  # click has checked it
            media=media,  # type: ignore[arg-type]
            text_with_calls=not no_text_with_calls,
            single_calls=single_calls,
            split=tuple(map(_split, split)),
            dedupe=dedupe,
            tokenizer=tokenizer,
            dialect=dialect,
            format=format_name,
        )
        with _Bar(printer) as bar:
            report = compile_files(
                inputs,
                plan,
                out,
                unit_bytes=shard_mb * MEGABYTE,
                run=run_in_processes(workers, bar.advance) if workers > 1 else None,
                on_start=bar.start,
                on_report=bar.add,
                on_progress=bar.advance,
            )
    except ModuleNotFoundError as missing:
        extra = _EXTRAS.get((missing.name or "").partition(".")[0])
        if extra is None:
            raise
        printer.error(out, not_installed(missing.name, extra, "message-history-compile"))
        context.exit(printer.finish(ExitCode.FAILED))
    except ImportError as missing:
        # fsspec names the package that a filesystem needs.
        printer.error(out, str(missing))
        context.exit(printer.finish(ExitCode.FAILED))
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    except CountError as error:
        printer.error(out, str(error))
        context.exit(printer.finish(ExitCode.FAILED))
    except OSError as error:
        problem = str(error) if error.errno is None else f"{error.filename or out}: {error.strerror}"
        printer.error(out, problem.removeprefix(f"{out}: "))
        context.exit(printer.finish(ExitCode.FAILED))
    _print(printer, report, out)
    context.exit(printer.finish(ExitCode.FOUND if report.rejected else ExitCode.DONE))


def _settings(template: str | None) -> Settings:
    if template is None:
        return NO_SETTINGS
    from message_history_compile.templates import read_template  # noqa: PLC0415 - an extra

    return read_template(template)


def _split(text: str) -> tuple[str, float]:
    name, equals, part = text.partition("=")
    try:
        return name, float(part if equals else "")
    except ValueError:
        raise ValueError(f"--split must be a name and a part such as test=0.1, not {text!r:.80}") from None


def _print(printer: Printer, report: CompileReport, out: str) -> None:
    rows = sum(report.rows.values())
    counts = {
        "output": out,
        "rows": dict(report.rows),
        "repaired": report.repaired,
        "repairs": dict(report.repairs),
        "rejected": dict(report.rejected),
    }
    printer.add("compiled", counts)
    head = f"{counted(rows, 'row')}, {report.repaired:,} of them repaired, {sum(report.rejected.values()):,} rejected"
    printer.line(Text.assemble((f"{visible(out)}: ", "bold"), (head, "bold green" if rows else "bold red")))
    for name, count in report.rows.items():
        printer.line(Text(f"  {name}: {counted(count, 'row')}"))
    for code, count in report.repairs.items():
        printer.line(Text(f"  repaired: {code}: {count:,}", "dim"))
    for code, count in report.rejected.items():
        printer.line(Text(f"  rejected: {code}: {count:,}", "yellow"))


@final
class _Bar:
    """A progress bar on a screen: bytes, MB/s, rows, what was repaired and what was rejected."""

    def __init__(self, printer: Printer) -> None:
        console = printer.screen
        self._bar = Progress(
            BarColumn(),
            TaskProgressColumn(),
            TransferSpeedColumn(),
            TextColumn("{task.fields[rows]:,} rows"),
            TextColumn("{task.fields[repaired]:,} repaired"),
            TextColumn("{task.fields[rejected]:,} rejected"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task: TaskID = self._bar.add_task("", total=None, rows=0, repaired=0, rejected=0)
        self._counts = {"rows": 0, "repaired": 0, "rejected": 0}

    def __enter__(self) -> _Bar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def start(self, size: int) -> None:
        """Set what there is to read."""
        self._bar.update(self._task, total=size)

    def advance(self, read: int) -> None:
        """Show that so many bytes more were read."""
        self._bar.update(self._task, advance=read)

    def add(self, report: UnitReport) -> None:
        """Show a unit that is done."""
        self._counts["rows"] += sum(report.rows.values())
        self._counts["repaired"] += report.repaired
        self._counts["rejected"] += sum(report.rejected.values())
        self._bar.update(self._task, **self._counts)  # type: ignore[arg-type]  # fields
