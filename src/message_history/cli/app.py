"""The command `message-history` and its subcommands, each in a file of its own."""

from __future__ import annotations

import logging

import click

from message_history.cli.check import check_files
from message_history.cli.convert import convert_file
from message_history.cli.doctor import examine_folders
from message_history.cli.explain import explain_error
from message_history.cli.formats import list_formats
from message_history.cli.proxy import run_proxy
from message_history.cli.repair import repair_files
from message_history.cli.show import show_file

__all__ = ["app"]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="message-history", message="%(prog)s %(version)s")
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
    # What the library logs, the commands print.
    logging.getLogger("message_history").addHandler(logging.NullHandler())


app.add_command(check_files)
app.add_command(repair_files)
app.add_command(show_file)
app.add_command(convert_file)
app.add_command(explain_error)
app.add_command(examine_folders)
app.add_command(run_proxy)
app.add_command(list_formats)
