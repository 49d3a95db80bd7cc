"""`proxy`: heal requests on their way to a provider."""

from __future__ import annotations

import click

from message_history.cli.exit_codes import ExitCode
from message_history.cli.options import as_json
from message_history.cli.report import printer_for
from message_history_proxy.serving import prepare, serve
from message_history_proxy.settings import SettingsError, load_settings


@click.command("proxy")
@click.option("--host", help="The address to listen on.  [default: 127.0.0.1]")
@click.option("--port", type=int, help="The port to listen on.  [default: 8787]")
@click.option(
    "--upstream",
    "upstreams",
    multiple=True,
    metavar="NAME=URL",
    help="Where requests for NAME are forwarded to: anthropic, openai, gemini, mistral, bedrock or a name of yours.",
)
@click.option(
    "--dialect-file",
    "dialect_files",
    multiple=True,
    metavar="NAME=FILE",
    help="What `message-history probe` wrote of the server that NAME forwards to: its rules hold there.",
)
@click.option("--config", "config", type=click.Path(dir_okay=False), help="A TOML file with the settings.")
@click.option("--store", metavar="URL", help="A database that keeps what was sent: sqlite:///FILE or postgresql://...")
@click.option("--max-body-bytes", type=int, help="Refuse larger requests.  [default: 67108864]")
@as_json
@click.option("--no-follow", is_flag=True, help="Heal each request by itself, whatever was sent before.")
def run_proxy(
    *,
    host: str | None,
    port: int | None,
    upstreams: tuple[str, ...],
    dialect_files: tuple[str, ...],
    config: str | None,
    store: str | None,
    max_body_bytes: int | None,
    as_json: bool,
    no_follow: bool,
) -> None:
    """Heal requests on their way to a provider: point an agent's base URL at it.

    It listens on this machine alone, logs no content, and forwards keys to the upstream and nowhere else. What each
    agent needs is in docs/proxy.md.
    """
    named = _pairs(upstreams, "--upstream takes NAME=URL, like openai=http://127.0.0.1:9000")
    files = _pairs(dialect_files, "--dialect-file takes NAME=FILE, like openai=served.probe.toml")
    flags = {"host": host, "port": port, "store": store, "max_body_bytes": max_body_bytes}
    try:
        flags["follow"] = False if no_follow else None
        settings = load_settings(config, flags=flags, upstreams=named, dialect_files=files)
        prepared = prepare(settings)
    except SettingsError as error:
        raise click.UsageError(str(error)) from None
    printer = printer_for("proxy", as_json=as_json)
    # The server prints more after this, so nothing is written to the standard output.
    printer.result_on_stdout()
    printer.add("listening", prepared.address)
    printer.add("upstreams", {upstream.name: upstream.url for upstream in settings.upstreams.values()})
    printer.line(f"message-history proxy on {prepared.address}")
    for upstream in settings.upstreams.values():
        printer.line(f"  /{upstream.name} -> {upstream.url}")
    printer.finish(ExitCode.DONE)
    serve(prepared)


def _pairs(options: tuple[str, ...], usage: str) -> dict[str, str]:
    pairs = dict(pair.partition("=")[::2] for pair in options)
    if not all(pairs.values()):
        raise click.UsageError(usage)
    return pairs
