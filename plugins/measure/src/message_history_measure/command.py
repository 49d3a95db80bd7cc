"""`probe`: what an endpoint takes and refuses."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from message_history.cli.exit_codes import ExitCode
from message_history.cli.options import write_new
from message_history.cli.printing import visible
from message_history.dialects import OpenAIChat
from message_history_measure.endpoints import APIS, ApiName, Endpoint, ProbeError
from message_history_measure.probing import TOKENS, Probe, most_requests, scrubbed, written

if TYPE_CHECKING:
    from collections.abc import Sequence


@click.command("probe")
@click.option("--base-url", required=True, metavar="URL", help="Where the API is, as http://localhost:8000/v1.")
@click.option("--model", required=True, metavar="NAME", help="The model that is asked.")
@click.option("--api", type=click.Choice(get_args(ApiName)), default="chat", show_default=True)
@click.option(
    "--key-env", default="MESSAGE_HISTORY_PROBE_KEY", show_default=True, help="The environment variable with the key."
)
@click.option("--budget", type=click.IntRange(1), default=200, show_default=True, help="How many requests at most.")
@click.option("-o", "--output", metavar="FILE", help="Where the result goes; NAME.probe.toml by default.")
@click.option("--report", metavar="FILE", help="Write what can be attached to an issue: no address, key or ids.")
@click.option("--force", is_flag=True, help="Overwrite what exists.")
@click.option("--yes", is_flag=True, help="Do not ask before requests are sent.")
def probe_endpoint(
    *,
    base_url: str,
    model: str,
    api: ApiName,
    key_env: str,
    budget: int,
    output: str | None,
    report: str | None,
    force: bool,
    yes: bool,
) -> None:
    """Ask an endpoint what it takes of a history, and write the dialect that it speaks.

    Small conversations are sent, each with max_tokens 1, but for four in which the model is asked to repeat a word. The
    result is a TOML file for OpenAIChat.from_probe, --model of other commands, and --dialect-file of the proxy.
    """
    most = min(budget, most_requests(api))
    click.echo(f"at most {most} requests of about {TOKENS} tokens each to {visible(base_url)}", err=True)
    if not yes:
        click.confirm("Send them?", abort=True, err=True)
    key = os.environ.get(key_env, "")
    quoted = OpenAIChat.for_model(model, base_url).provider
    try:
        endpoint = Endpoint(APIS[api], base_url, model=model, key=key, budget=budget)
        probe = Probe(api, endpoint, quoted)
        probe.run(lambda asks: click.echo(f"  {asks}", err=True))
    except ProbeError as error:
        click.echo(f"{visible(base_url)}: {visible(scrubbed_of_key(str(error), key))}", err=True)
        raise SystemExit(ExitCode.FAILED) from None
    head = {"api": api, "model": model, "base_url": base_url, **_when(endpoint)}
    target = Path(output or f"{_file_name(model)}.probe.toml")
    texts = [(target, scrubbed_of_key(written(probe, head), key))]
    if report:
        texts.append((Path(report), scrubbed(written(probe, {"api": api, "model": model, **_when(endpoint)}), key)))
    _write(texts, force=force)
    click.echo(f"{endpoint.requests} requests, {len(probe.refused)} lists refused; written: {visible(str(target))}")
    if probe.unasked:
        click.echo(f"not asked: {visible(probe.unasked)}", err=True)
        raise SystemExit(ExitCode.FOUND)


def scrubbed_of_key(text: str, key: str) -> str:
    """Take the key out of a text: some servers repeat it."""
    return text.replace(key, "[key]") if key else text


def _when(endpoint: Endpoint) -> dict[str, Any]:
    versions = [f"{name}: {value}" for name, value in sorted(endpoint.versions.items())]
    return {"date": f"{datetime.now(UTC):%Y-%m-%d}", "requests": endpoint.requests, "server": versions}


def _file_name(model: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in model)


def _write(texts: Sequence[tuple[Path, str]], *, force: bool) -> None:
    for path, text in texts:
        problem = write_new(path, text.encode(), [], force=force)
        if problem is not None:
            click.echo(f"{visible(str(path))}: {problem}", err=True)
            raise SystemExit(ExitCode.FAILED)
