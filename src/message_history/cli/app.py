"""The command `message-history` and its subcommands, each in a file of its own."""

from __future__ import annotations

import re
import warnings
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

import click

from message_history import plugins
from message_history.extras import not_installed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from importlib.metadata import Distribution

EXTRAS: Final = {
    "core": ("attrs",),
    "cli": ("click", "rich"),
    "sessions": ("filelock",),
    "sql": ("sqlalchemy",),
    "async": ("aiosqlite", "greenlet"),
    "postgres": ("psycopg",),
    "fast": ("msgspec",),
    "images": ("pillow",),
    **{
        name: (f"message-history-{name}",)
        for name in ("compile", "formats", "healing", "measure", "pages", "proxy", "testing")
    },
}
"""The packages that each extra needs."""


class Place(NamedTuple):
    """Where a command is, and the sentence that `--help` shows of it."""

    function: str
    sentence: str


COMMANDS: Final = {
    "check": Place(
        "check_files",
        "Find what the provider would refuse in each FILE; nothing is written. - reads the standard input.",
    ),
    "convert": Place(
        "convert_file", "Write FILE in another dialect's form, valid there, and print what was omitted or rewritten."
    ),
    "doctor": Place("examine_folders", "Check every session in each FOLDER, and repair what is broken with --fix."),
    "explain": Place(
        "explain_error",
        "Explain a provider's error TEXT: what is demanded, what causes it, what to do, and where FILE breaks it.",
    ),
    "forget": Place(
        "forget_in_sessions",
        "Forget what is found in each SESSION, with backups and older rows, and print a receipt that does not say it.",
    ),
    "formats": Place(
        "list_formats",
        "List the formats that are read, with where their files are and what in them is not conversation.",
    ),
    "repair": Place(
        "repair_files",
        "Write a list that the provider accepts, for each FILE, and print each repair. The input stays as it is.",
    ),
    "show": Place(
        "show_file", "Print FILE, - for the standard input, as a transcript, with each repair marked where it happened."
    ),
}
"""The commands, each in a module of its name, which is imported when the command is used."""


class Elsewhere(NamedTuple):
    """The extra that brings a command of another distribution, and the sentence that `--help` shows of it."""

    extra: str
    sentence: str


ELSEWHERE: Final = {
    "compile": Elsewhere(
        "compile",
        "Compile the conversations in each INPUT, a file, a folder, a URL or -, to rows for a trainer or an evaluator.",
    ),
    "probe": Elsewhere("measure", "Ask an endpoint what it takes of a history, and write the dialect that it speaks."),
    "proxy": Elsewhere("proxy", "Heal requests on their way to a provider: point an agent's base URL at it."),
}


@final
class Commands(click.Group):
    """The commands of the program."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*COMMANDS, *plugins.entry_points_of(plugins.COMMANDS)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None when no command has this name."""
        if cmd_name in COMMANDS:
            place = COMMANDS[cmd_name]
            found: click.Command = getattr(import_module(f"message_history.cli.{cmd_name}"), place.function)
            return found
        if cmd_name in plugins.entry_points_of(plugins.COMMANDS):
            added: click.Command | None = plugins.plugin(plugins.COMMANDS, cmd_name)
            return added
        if cmd_name in ELSEWHERE:
            raise click.UsageError(not_installed(cmd_name, ELSEWHERE[cmd_name].extra))
        close = () if ctx.resilient_parsing else get_close_matches(cmd_name, self.list_commands(ctx), 1)
        for name in close:
            raise click.UsageError(f"No such command '{cmd_name}'. Did you mean '{name}'?")
        return None

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; the text of an error shows nothing that could steer the terminal."""
        try:
            with _warnings_in_lines():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            ctx.exit(130)
        except click.MissingParameter:
            # It quotes nothing of the command line, and lists the choices in lines.
            raise
        except click.UsageError as error:
            from message_history.cli.printing import visible  # noqa: PLC0415 - imports rich

            raise click.UsageError(visible(_text_of(error)), error.ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands; only those whose sentences nobody knows here are imported for it."""
        known = {name: command.sentence for name, command in ELSEWHERE.items()}
        known |= {name: place.sentence for name, place in COMMANDS.items()}
        with _warnings_in_lines():
            listed = [
                click.Command(name, help=known[name]) if name in known else self.get_command(ctx, name)
                for name in self.list_commands(ctx)
            ]
        there = [command for command in listed if command is not None]
        with formatter.section("Commands"):
            formatter.write_dl([(command.name or "", command.get_short_help_str(200)) for command in there])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda context, _, asked: _print_version(context) if asked else None,
    help="Show the versions of the program, of Python and of what is installed for it, and exit.",
)
def app() -> None:
    """Find and repair what LLM providers refuse in saved conversations.

    FILE is a JSON list of messages, a JSON object that holds one, JSONL with one message or one conversation per line,
    or in one of the formats of other programs that `message-history formats` lists. A line that cannot be read is
    reported and skipped.

    \b
    Exit codes:
      0  done; for `check`: nothing is wrong
      1  `check` found something; or `explain` knows no such
         error; or a line was skipped; or a repaired list
         would still be refused; or a file is in no format
         that is recognised with certainty
      2  wrong usage, or a file cannot be read or written
    """  # noqa: D301 - click reads \b
    import logging  # noqa: PLC0415 - `--help` does without

    # What the library logs, the commands print.
    logging.getLogger("message_history").addHandler(logging.NullHandler())


def _text_of(error: click.UsageError) -> str:
    """Return the text of an error; which option is near another is said by its letters, without the dashes."""
    if isinstance(error, click.NoSuchOption) and error.possibilities:
        name = error.option_name[2:]
        error.possibilities[:] = [each for each in error.possibilities if get_close_matches(name, [each[2:]])]
    return error.format_message()


@contextmanager
def _warnings_in_lines() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.showwarning = _shown_as_line(warnings.showwarning)
        yield


def _shown_as_line(show: Callable[..., None]) -> Callable[..., None]:
    """Print which plug-in is left out as a line, and not where the library says so."""

    def shown(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if not issubclass(category, plugins.PluginWarning):
            return show(message, category, *where, **more)
        from message_history.cli.printing import visible  # noqa: PLC0415 - imports rich

        return click.echo(visible(str(message)), err=True)

    return shown


def _print_version(context: click.Context) -> None:
    if context.resilient_parsing:
        return
    from importlib.metadata import version  # noqa: PLC0415 - only this option needs these two
    from platform import platform, python_implementation, python_version  # noqa: PLC0415

    click.echo(f"message-history {version('message-history')}")
    click.echo(f"{python_implementation()} {python_version()}, {platform()}")
    for extra, packages in EXTRAS.items():
        versions = [f"{package} {found}" if (found := _version_of(package)) else "" for package in packages]
        click.echo(f"  {extra}: {', '.join(versions) if all(versions) else 'not installed'}")
    for added in _distributions():
        click.echo(f"  {added.name} {added.version}: {', '.join(_uses(added)) or 'nothing else'}")
    context.exit()


def _distributions() -> list[Distribution]:
    """Return the distributions that add dialects, formats or commands."""
    groups = (plugins.DIALECTS, plugins.FORMATS, plugins.COMMANDS)
    entries = [each for group in groups for each in plugins.entry_points_of(group).values()]
    return list({each.dist.name: each.dist for each in entries if each.dist}.values())


def _uses(added: Distribution) -> list[str]:
    """Name what is installed of all that a distribution can use."""
    names = dict.fromkeys(re.split(r"[^\w.-]", each)[0] for each in added.requires or ())
    return [f"{name} {found}" for name in names if name != added.name and (found := _version_of(name))]


def _version_of(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    try:
        return version(package)
    except PackageNotFoundError:
        return None
