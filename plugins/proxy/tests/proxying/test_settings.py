"""The proxy's settings: a file, over it the environment, over that the flags; and the command that reads them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from tests.cli.test_json_reports import report_of
from tests.needs import needs_processes

from message_history.cli.app import app
from message_history_proxy import command
from message_history_proxy.settings import UPSTREAMS, SettingsError, load_settings

if TYPE_CHECKING:
    from pathlib import Path

    from message_history_proxy.serving import Prepared

FILE = """
port = 9000
store = "sqlite:///a.db"
follow = false
max_body_bytes = 1000

[upstreams.openai]
url = "https://gateway.example.org/"

[upstreams.local]
url = "http://127.0.0.1:8000"
provider = "vllm"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "proxy.toml"
    path.write_text(FILE)
    return path


def test_it_listens_on_this_machine_alone_and_knows_the_providers() -> None:
    settings = load_settings(environment={})
    assert settings.host == "127.0.0.1"
    assert settings.upstreams == UPSTREAMS
    assert settings.follow


def test_a_file_is_read(file: Path) -> None:
    settings = load_settings(file, {})
    assert (settings.port, settings.store, settings.follow) == (9000, "sqlite:///a.db", False)
    assert settings.upstreams["openai"].url == "https://gateway.example.org"
    assert settings.upstreams["local"].provider == "vllm"
    assert settings.upstreams["anthropic"] == UPSTREAMS["anthropic"]


def test_the_environment_goes_before_the_file_and_flags_before_both(file: Path) -> None:
    environment = {
        "MESSAGE_HISTORY_PROXY_PORT": "9001",
        "MESSAGE_HISTORY_PROXY_MAX_BODY_BYTES": "2000",
        "MESSAGE_HISTORY_PROXY_FOLLOW": "true",
        "MESSAGE_HISTORY_PROXY_UPSTREAM_OPENAI": "http://127.0.0.1:1",
        "MESSAGE_HISTORY_PROXY_UPSTREAM_GROQ": "http://127.0.0.1:2",
    }
    settings = load_settings(file, environment, {"port": 9002, "host": None}, {"openai": "http://127.0.0.1:3"})
    assert (settings.port, settings.max_body_bytes, settings.follow) == (9002, 2000, True)
    assert settings.upstreams["openai"].url == "http://127.0.0.1:3"
    assert (settings.upstreams["groq"].url, settings.upstreams["groq"].provider) == ("http://127.0.0.1:2", "groq")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("colour = 1", "'colour' is not a setting; known are"),
        ("port = true", "port must be of the kind int"),
        ('port = "many"', "port must be of the kind int"),
        ('follow = "perhaps"', "follow must be of the kind bool"),
        ("[upstreams.x]", "upstreams.x needs a url"),
        ('[upstreams.x]\nurl = "ftp://x"', "must begin with http"),
        ('[upstreams.x]\nurl = "http://x"\nkey = "k"', "unknown key 'key'"),
        ("upstreams = 1", "upstreams must be tables"),
        ("port =", "is not a TOML file"),
        ("port = 99999", "port must be between 0 and 65535, not 99999"),
        ("port = -1", "port must be between 0 and 65535, not -1"),
        ('store = "mysql://u:secret@h/d"', r"^store must be sqlite:///FILE or postgresql://\.\.\.$"),
    ],
)
def test_what_cannot_be_used_is_refused(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "proxy.toml"
    path.write_text(text)
    with pytest.raises(SettingsError, match=why):
        load_settings(path, {})


def test_the_dialect_of_an_upstream_is_read_from_what_probe_wrote(tmp_path: Path) -> None:
    probe = tmp_path / "served.probe.toml"
    probe.write_text('api = "chat"\nmodel = "m"\n[fields]\nalternate = true\n')
    path = tmp_path / "proxy.toml"
    path.write_text(f'[upstreams.local]\nurl = "http://127.0.0.1:8000"\ndialect_file = "{probe}"\n')
    settings = load_settings(path, {}, dialect_files={"openai": str(probe)})
    for name in ("local", "openai"):
        dialect = settings.upstreams[name].dialect
        assert dialect is not None
        assert dialect.alternate
    assert settings.upstreams["groq"].dialect is None
    other = tmp_path / "other.toml"
    other.write_text('api = "anthropic"\n[fields]\n')
    with pytest.raises(SettingsError, match=r"dialect_file .*other\.toml: .* is not what"):
        load_settings(path, {}, dialect_files={"openai": str(other)})


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read: No such file"):
        load_settings(tmp_path / "none.toml", {})


def run(*arguments: str, **more: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "message_history", "proxy", *arguments]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, **more})


def test_the_report_says_where_it_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared: list[Prepared] = []
    monkeypatch.setattr(command, "serve", prepared.append)
    result = CliRunner().invoke(app, ["proxy", "--port", "0", "--json"])
    with prepared[0].listening as listening:
        assert report_of(result.stderr)["listening"] == f"http://127.0.0.1:{listening.getsockname()[1]}"


@needs_processes
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_the_command_serves_until_it_is_stopped(sent: signal.Signals) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with run("--port", str(port), "--upstream", "openai=http://127.0.0.1:9") as running:
        deadline = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/message-history/health", timeout=5) as response:
                    assert response.status == 200
                break
            except OSError:
                assert time.monotonic() < deadline, "it did not start"
                assert running.poll() is None, "it did not start"
                time.sleep(0.1)
        running.send_signal(sent)
        _, said = running.communicate(timeout=20)
    assert running.returncode == 0
    assert said.endswith("xai -> https://api.x.ai\n")
    assert f"message-history proxy on http://127.0.0.1:{port}" in said
    assert "/openai -> http://127.0.0.1:9" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--upstream", "openai"], "--upstream takes NAME=URL"),
        (["--upstream", "openai=x"], "must begin with http"),
        (["--dialect-file", "a.toml"], "--dialect-file takes NAME=FILE"),
        (["--dialect-file", "nobody=a.toml"], "nobody is not an upstream"),
        (["--dialect-file", "openai=none.toml"], "none.toml"),
    ],
)
def test_wrong_usage_is_told(arguments: list[str], why: str) -> None:
    with run(*arguments) as running:
        _, said = running.communicate(timeout=60)
    assert running.returncode == 2
    assert why in said


@needs_processes
def test_a_port_that_is_taken_is_one_line_and_nothing_is_said_to_listen() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with run("--port", str(port)) as running:
            _, said = running.communicate(timeout=60)
    assert running.returncode == 2
    assert f"cannot listen on port {port} of 127.0.0.1: Address already in use; choose another port or host" in said
    assert "message-history proxy on" not in said
    assert "Traceback" not in said


def test_a_store_whose_package_is_missing_is_one_line(tmp_path: Path) -> None:
    # A folder that comes first and holds a module which fails as a missing one does, wherever sqlalchemy is installed.
    missing = "raise ModuleNotFoundError('no sqlalchemy', name='sqlalchemy')"
    (tmp_path / "sqlalchemy.py").write_text(missing, encoding="utf-8")
    with run("--port", "0", "--store", "sqlite:///a.db", PYTHONPATH=str(tmp_path)) as running:
        _, said = running.communicate(timeout=60)
    assert running.returncode == 2
    assert "the store: sqlalchemy is not installed; run: pip install 'message-history[sql]'" in said
    assert "Traceback" not in said
