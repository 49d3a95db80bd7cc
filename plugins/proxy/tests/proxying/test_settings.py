"""The proxy's settings: a file, over it the environment, over that the flags; and the command that reads them."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest
from attrs import asdict, fields_dict
from click.testing import CliRunner
from tests.cli.test_json_reports import report_of
from tests.needs import needs_processes

from message_history.cli.app import app
from message_history_proxy import command
from message_history_proxy.settings import UPSTREAMS, Settings, SettingsError, Upstream, load_settings

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


VALUES: dict[str, tuple[Any, str]] = {
    "host": ("::1", "::1"),
    "port": (1, "1"),
    "store": ("postgresql://h/d", "postgresql://h/d"),
    "max_body_bytes": (2, "2"),
    "max_conversations": (3, "3"),
    "max_memory_bytes": (4, "4"),
    "connect_timeout": (0.5, "0.5"),
    "read_timeout": (6.0, "6"),
    "upload_timeout": (7.25, "7.25"),
    "own_hosts": ("a.test, b", "a.test, b"),
    "follow": (False, "no"),
}


def test_every_setting_has_its_default() -> None:
    settings = load_settings(environment={})
    assert settings == Settings()
    assert asdict(settings, recurse=False) == {
        "host": "127.0.0.1",
        "port": 8787,
        "upstreams": UPSTREAMS,
        "store": None,
        "max_body_bytes": 67_108_864,
        "max_conversations": 10_000,
        "max_memory_bytes": 536_870_912,
        "connect_timeout": 10.0,
        "read_timeout": 600.0,
        "upload_timeout": 60.0,
        "own_hosts": "",
        "follow": True,
    }


@pytest.mark.parametrize("name", VALUES)
def test_every_setting_can_be_given_in_a_file_in_the_environment_and_as_a_flag(name: str, tmp_path: Path) -> None:
    value, text = VALUES[name]
    variable = f"MESSAGE_HISTORY_PROXY_{name.upper()}"
    for quoted in (json.dumps(text), json.dumps(value)):
        (tmp_path / "proxy.toml").write_text(f"{name} = {quoted}\n")
        given = load_settings(tmp_path / "proxy.toml", {}), load_settings(None, {variable: text})
        for settings in (*given, load_settings(None, {}, {name: value, "host": VALUES["host"][0]})):
            assert getattr(settings, name) == value
            assert type(getattr(settings, name)) is type(value)
    # A flag that was not given changes nothing.
    assert load_settings(None, {}, dict.fromkeys(VALUES)) == Settings()


def test_all_settings_are_among_those_that_are_given_here() -> None:
    assert {*VALUES, "upstreams"} == set(fields_dict(Settings))


@pytest.mark.parametrize("port", [0, 1, 65_534, 65_535])
def test_a_port_is_any_that_there_is(port: int) -> None:
    assert load_settings(None, {}, {"port": port}).port == port


@pytest.mark.parametrize("port", [-2, -1, 65_536, 65_537])
def test_a_port_is_none_that_there_is_not(port: int) -> None:
    for flags, variables in (({"port": port}, {}), ({}, {"MESSAGE_HISTORY_PROXY_PORT": str(port)})):
        with pytest.raises(SettingsError, match=f"^port must be between 0 and 65535, not {port}$"):
            load_settings(None, variables, flags)


@pytest.mark.parametrize("store", ["sqlite:///a.db", "postgres://h/d", "postgresql://h/d", "postgresql+psycopg://h/d"])
def test_a_store_is_a_database_that_the_proxy_knows(store: str) -> None:
    assert load_settings(None, {}, {"store": store}).store == store


@pytest.mark.parametrize("store", ["mysql://h/d", "", "sqlite3:///a.db", "a.db", "+sqlite:///a.db"])
def test_another_store_is_refused_without_its_url(store: str) -> None:
    with pytest.raises(SettingsError, match=r"^store must be sqlite:///FILE or postgresql://\.\.\.$"):
        load_settings(None, {}, {"store": store})


@pytest.mark.parametrize(
    ("text", "follow"),
    [(text, True) for text in ("1", "true", "TRUE", "yes", "Yes")]
    + [(text, False) for text in ("0", "false", "False", "no", "NO")],
)
def test_what_is_true_or_false_can_be_written_in_words_and_numbers(text: str, follow: bool) -> None:
    assert load_settings(None, {"MESSAGE_HISTORY_PROXY_FOLLOW": text}).follow is follow


@pytest.mark.parametrize("kind", ["true", "[1]", "{a = 1}", '"many"'])
@pytest.mark.parametrize("name", [name for name, (value, _) in VALUES.items() if isinstance(value, int | float)])
def test_a_number_is_no_other_kind_of_value(name: str, kind: str, tmp_path: Path) -> None:
    (tmp_path / "proxy.toml").write_text(f"{name} = {kind}\n")
    if name == "follow" and kind == "true":
        assert load_settings(tmp_path / "proxy.toml", {}).follow
        return
    with pytest.raises(SettingsError, match=f"^{name} must be of the kind (int|float|bool)$"):
        load_settings(tmp_path / "proxy.toml", {})


@pytest.mark.parametrize("name", [name for name, (value, _) in VALUES.items() if isinstance(value, str)])
def test_a_text_is_no_list_and_no_truth(name: str, tmp_path: Path) -> None:
    for kind in ("true", "[]", "{}"):
        (tmp_path / "proxy.toml").write_text(f"{name} = {kind}\n")
        with pytest.raises(SettingsError, match=f"^{name} must be of the kind str$"):
            load_settings(tmp_path / "proxy.toml", {})


def test_what_is_not_known_is_told_with_what_is(tmp_path: Path) -> None:
    known = ", ".join(sorted(fields_dict(Settings)))
    with pytest.raises(SettingsError) as told:
        load_settings(None, {}, {"colour": 1})
    assert str(told.value) == f"'colour' is not a setting; known are {known}"
    with pytest.raises(SettingsError) as told:
        load_settings(None, {}, dialect_files={"nobody": "a.toml"})
    assert str(told.value) == f"nobody is not an upstream; known are {', '.join(sorted(UPSTREAMS))}"
    (tmp_path / "proxy.toml").write_text('[upstreams.x]\nurl = "http://x"\nz = 1\nkey = "k"')
    with pytest.raises(SettingsError) as told:
        load_settings(tmp_path / "proxy.toml", {})
    assert str(told.value) == "upstreams.x has the unknown key 'key'; known are url, provider and dialect_file"


def test_an_upstream_that_is_known_keeps_what_is_not_given(tmp_path: Path) -> None:
    text = '[upstreams.groq]\nurl = "https://a.test"\n[upstreams.openai]\nprovider = "vllm"\n'
    (tmp_path / "proxy.toml").write_text(text + '[upstreams.mine]\nurl = "https://b.test//"\n')
    upstreams = load_settings(tmp_path / "proxy.toml", {}).upstreams
    assert upstreams["groq"] == Upstream(name="groq", url="https://a.test", provider="groq")
    assert upstreams["openai"] == Upstream(name="openai", url="https://api.openai.com", provider="vllm")
    assert upstreams["mine"] == Upstream(name="mine", url="https://b.test")
    assert {name: each for name, each in upstreams.items() if name not in {"groq", "openai", "mine"}} == {
        name: each for name, each in UPSTREAMS.items() if name not in {"groq", "openai"}
    }
    variables = {"MESSAGE_HISTORY_PROXY_UPSTREAM_MINE": "http://c.test", "PROXY_UPSTREAM_NOBODY": "http://d.test"}
    upstreams = load_settings(None, variables, upstreams={"yours": "http://e.test"}).upstreams
    assert [*upstreams] == [*UPSTREAMS, "mine", "yours"]
    assert upstreams["mine"] == Upstream(name="mine", url="http://c.test")
    assert upstreams["yours"] == Upstream(name="yours", url="http://e.test")


def test_the_environment_of_the_process_is_read_where_none_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MESSAGE_HISTORY_PROXY_PORT", "1234")
    assert load_settings().port == 1234
    assert load_settings(environment={}).port == 8787


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
