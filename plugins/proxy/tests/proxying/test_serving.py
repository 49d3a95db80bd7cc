"""What the command hands to the server, in one process: the port, the flags, and what the log holds."""

from __future__ import annotations

import logging
import signal
import socket
import sys
from typing import TYPE_CHECKING, Any, final

import pytest
from click.testing import CliRunner
from tests.cli.test_json_reports import report_of

from message_history.cli.app import app
from message_history_proxy import command, serving
from message_history_proxy.serving import Prepared, make_server, prepare, serve
from message_history_proxy.settings import UPSTREAMS, Settings, SettingsError

if TYPE_CHECKING:
    from pathlib import Path


def test_nothing_of_a_request_is_logged_by_the_server_and_its_answers_name_no_server() -> None:
    config = make_server(Settings(host="127.0.0.2", port=1234)).config
    assert (config.host, config.port) == ("127.0.0.2", 1234)
    assert (config.access_log, config.log_level) == (False, "critical")
    assert (config.server_header, config.date_header) == (False, False)
    assert (config.lifespan, config.ws, config.timeout_graceful_shutdown) == ("on", "none", 5)


@pytest.mark.parametrize("port", [0, 65_535])
def test_a_port_is_taken_before_anything_is_served(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    create = socket.create_server

    def recorded(address: tuple[str, int], **options: Any) -> socket.socket:
        asked.append((address, options))
        return create((address[0], 0), **options)

    monkeypatch.setattr("message_history_proxy.serving.socket.create_server", recorded)
    prepared = prepare(Settings(port=port))
    with prepared.listening as listening:
        assert asked == [(("127.0.0.1", port), {"family": socket.AF_INET, "backlog": 2048})]
        assert prepared.address == f"http://127.0.0.1:{listening.getsockname()[1]}"
        assert (listening.family, listening.proto) == (socket.AF_INET, socket.IPPROTO_TCP)
        with socket.create_connection(listening.getsockname(), timeout=10):
            pass


def test_an_address_of_ipv6_is_listened_on_and_written_in_brackets() -> None:
    try:
        prepared = prepare(Settings(host="::1", port=0))
    except SettingsError:
        pytest.skip("this machine has no IPv6")
    with prepared.listening as listening:
        assert listening.family == socket.AF_INET6
        assert prepared.address == f"http://[::1]:{listening.getsockname()[1]}"


def test_a_port_that_is_taken_is_told_with_its_host_and_the_reason() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SettingsError) as told:
            prepare(Settings(port=port))
    why = "Address already in use; choose another port or host"
    assert str(told.value) == f"cannot listen on port {port} of 127.0.0.1: {why}"


@pytest.mark.parametrize(
    ("missing", "extra"),
    [("sqlalchemy", "sql"), ("sqlalchemy.exc", "sql"), ("psycopg", "postgres"), ("psycopg.pq", "postgres")],
)
def test_a_package_that_the_store_needs_is_told_with_its_extra(
    missing: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ModuleNotFoundError(f"No module named {missing!r}", name=missing)

    monkeypatch.setattr(serving, "create_app", fail)
    with pytest.raises(SettingsError, match=rf"^the store: {missing} is not .*'message-history\[{extra}\]'"):
        prepare(Settings(port=0))


@pytest.mark.parametrize("missing", ["nobody_knows_it", "sql.alchemy", None])
def test_another_package_that_is_missing_is_not_taken_for_one_of_the_store(
    missing: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ModuleNotFoundError("it is missing", name=missing)

    monkeypatch.setattr(serving, "create_app", fail)
    with pytest.raises(ModuleNotFoundError, match=r"^it is missing$"):
        prepare(Settings(port=0))


@final
class Stopping:
    """A server that logs as the proxy and the library do, instead of serving."""

    def __init__(self) -> None:
        self.served: list[Any] = []

    def run(self, sockets: list[socket.socket]) -> None:
        self.served = sockets
        logging.getLogger("message_history").warning("a repair that quotes a message")
        logging.getLogger("message_history.core").warning("another one")
        logging.getLogger("message_history_proxy").info("1-1: healed")
        logging.getLogger("message_history_proxy").debug("not of interest")

    def handle_exit(self, *_: object) -> None:
        pass


def test_repairs_are_kept_out_of_the_log_and_the_proxy_s_own_lines_are_in_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    signals: dict[int, Any] = {}
    monkeypatch.setattr("message_history_proxy.serving.signal.signal", signals.__setitem__)
    loggers = [logging.getLogger(name) for name in ("message_history", "message_history_proxy")]
    root = logging.StreamHandler(sys.stderr)
    for logger in (*loggers, logging.getLogger()):
        monkeypatch.setattr(logger, "handlers", [])
    for logger in loggers:
        monkeypatch.setattr(logger, "propagate", logger.propagate)
        monkeypatch.setattr(logger, "level", logger.level)
        logger.setLevel(logging.NOTSET)
    monkeypatch.setattr(loggers[1], "propagate", False)
    logging.getLogger().addHandler(root)
    server, listening = Stopping(), socket.socket()
    try:
        serve(Prepared(server, listening))  # type: ignore[arg-type]
    finally:
        levels = [logger.getEffectiveLevel() for logger in loggers]
        for logger in loggers:
            logger.setLevel(logging.NOTSET)
        listening.close()
    assert server.served == [listening]
    assert signals == {signal.SIGINT: server.handle_exit, signal.SIGTERM: server.handle_exit}
    assert capsys.readouterr().err == "1-1: healed\n"
    assert levels[1] == logging.INFO


def ran(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[Settings, Any]:
    """Return the settings that the command serves, and what it printed."""
    taken: list[Settings] = []
    served: list[Prepared] = []

    def take(settings: Settings) -> Prepared:
        taken.append(settings)
        return prepare(Settings(port=0))

    monkeypatch.setattr(command, "prepare", take)
    monkeypatch.setattr(command, "serve", served.append)
    result = CliRunner().invoke(app, ["proxy", *arguments])
    assert result.exit_code == 0, result.output
    served[0].listening.close()
    return taken[0], result


def test_no_flag_leaves_each_setting_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    settings, _ = ran(monkeypatch)
    assert settings == Settings()


def test_each_flag_is_its_setting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    probe = tmp_path / "served.toml"
    probe.write_text('api = "chat"\nmodel = "m"\n[fields]\nalternate = true\n')
    (tmp_path / "proxy.toml").write_text("read_timeout = 7\nport = 1\n")
    flags = ["--host", "127.0.0.3", "--port", "9001", "--store", "sqlite:///a.db", "--max-body-bytes", "7"]
    more = ["--upstream", "openai=http://a.test/?b=c", "--upstream", "mine=http://b.test"]
    last = ["--dialect-file", f"mine={probe}", "--config", str(tmp_path / "proxy.toml"), "--no-follow"]
    settings, _ = ran(monkeypatch, *flags, *more, *last)
    assert (settings.host, settings.port, settings.store) == ("127.0.0.3", 9001, "sqlite:///a.db")
    assert (settings.max_body_bytes, settings.follow, settings.read_timeout) == (7, False, 7.0)
    assert settings.upstreams["openai"].url == "http://a.test/?b=c"
    assert settings.upstreams["openai"].dialect is None
    mine = settings.upstreams["mine"].dialect
    assert mine is not None
    assert mine.alternate


def test_each_upstream_is_shown_with_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    _, result = ran(monkeypatch)
    first, *lines = result.stderr.splitlines()
    assert first.startswith("message-history proxy on http://127.0.0.1:")
    assert lines == [f"  /{upstream.name} -> {upstream.url}" for upstream in UPSTREAMS.values()]
    assert result.stdout == ""
    _, result = ran(monkeypatch, "--json", "--upstream", "mine=http://b.test")
    upstreams = {name: upstream.url for name, upstream in UPSTREAMS.items()} | {"mine": "http://b.test"}
    report = report_of(result.stderr)
    assert (report["upstreams"], report["exit_code"]) == (upstreams, 0)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--upstream", "openai"], "--upstream takes NAME=URL"),
        (["--upstream", "openai=http://a.test", "--upstream", "mine="], "--upstream takes NAME=URL"),
        (["--dialect-file", "openai"], "--dialect-file takes NAME=FILE"),
        (["--port", "65536"], "port must be between 0 and 65535, not 65536"),
        (["--store", "mysql://h/d"], "store must be sqlite:///FILE or postgresql://..."),
    ],
)
def test_wrong_usage_serves_nothing(arguments: list[str], why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[Prepared] = []
    monkeypatch.setattr(command, "serve", served.append)
    result = CliRunner().invoke(app, ["proxy", *arguments])
    assert (result.exit_code, served) == (2, [])
    assert why in " ".join(result.output.replace("│", " ").split())
