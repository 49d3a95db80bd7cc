from __future__ import annotations

import json
import tomllib
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from message_history import MessageHistory
from message_history.cli.app import app
from message_history.dialects import OpenAIChat
from message_history_measure.endpoints import APIS, ApiName, Endpoint, ProbeError
from message_history_measure.probing import Probe, most_requests, scrubbed, written
from message_history_testing import StrictServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PATHS = {"chat": "/openai/v1", "responses": "/openai/v1", "anthropic": "/anthropic", "gemini": "/gemini"}


def probed(api: ApiName, model: str, budget: int = 300) -> Probe:
    with StrictServer() as server:
        endpoint = Endpoint(APIS[api], server.url + PATHS[api], model=model, budget=budget)
        probe = Probe(api, endpoint)
        probe.run(str)
        assert endpoint.requests == len(server.requests) <= most_requests(api)
        return probe


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        ("gpt-4o", {"leading_assistant": True}),
        ("meta-llama/Llama-3.1-8B-Instruct", {"max_calls": 1, "text_with_calls": False, "leading_assistant": True}),
        ("perplexity/sonar", {"alternate": True, "prefill": False}),
    ],
)
def test_the_fields_of_an_endpoint(model: str, fields: dict[str, Any]) -> None:
    probe = probed("chat", model)

    assert {field: probe.fields.get(field) for field in fields} == fields
    assert probe.losses == []


def test_what_was_refused_is_there_in_the_server_s_words_with_our_rules() -> None:
    probe = probed("chat", "gpt-4o")

    said = {each["asks"]: each for each in probe.refused.values()}
    assert said["a result without a call"] == {
        "asks": "a result without a call",
        "status": 400,
        "words": "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
        "'tool_calls'.",
        "rules": ["OC-02"],
    }
    assert "one id in two messages" in probe.taken


@pytest.mark.parametrize(
    ("api", "model", "fields"),
    [
        ("responses", "gpt-5", {"prefill": True, "leading_assistant": True}),
        ("anthropic", "claude-sonnet-4-5", {"prefill": True, "leading_assistant": True, "system_in_list": False}),
        ("anthropic", "claude-opus-4-7", {"prefill": False, "leading_assistant": True, "system_in_list": False}),
        ("gemini", "gemini-3-pro", {"prefill": True, "signatures_required": True}),
    ],
)
def test_other_apis(api: ApiName, model: str, fields: dict[str, Any]) -> None:
    probe = probed(api, model)

    assert probe.fields == fields
    assert probe.losses == []


def test_what_is_behind_the_budget_is_not_asked() -> None:
    probe = probed("chat", "gpt-4o", budget=5)

    assert probe.unasked == "neighbours of one role, and all after it: the budget of 5 requests is spent"
    assert probe.taken == []


def repeating(messages: list[Any], _: int) -> tuple[int, dict[str, str], str]:
    """Answer as a model that sees all but the results of tools, and repeats it."""
    return 200, {}, json.dumps([each["content"] for each in messages if each["role"] != "tool"])


def test_whether_the_model_repeats_what_it_was_sent_is_a_hint() -> None:
    with answering(repeating) as (url, bodies):
        probe = Probe("chat", endpoint_at(url, []))
        probe.run(str)

    seen = {"a system prompt": True, "an earlier message": True, "text beside a call": True, "a result": False}
    assert probe.repeated == tomllib.loads(written(probe, {"api": "chat"}))["repeated"] == seen
    assert [body["max_tokens"] for body in bodies[-5:]] == [1, 64, 64, 64, 64]


@contextmanager
def answering(answer: Callable[[list[Any], int], tuple[int, dict[str, str], str]]) -> Iterator[tuple[str, list[Any]]]:
    """Serve one answer after the other."""
    bodies: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            status, headers, text = answer(bodies[-1]["messages"], len(bodies))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        Thread(target=http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield f"http://127.0.0.1:{http.server_address[1]}/v1", bodies
        http.shutdown()


def endpoint_at(url: str, waits: list[float]) -> Endpoint:
    return Endpoint(APIS["chat"], url, model="m", key="sk-secret-0001", budget=300, wait=waits.append)


def test_a_server_that_is_busy_is_asked_again_and_a_list_only_once() -> None:
    waits: list[float] = []
    busy = {1: (429, {"Retry-After": "7"}, ""), 2: (503, {}, "")}
    with answering(lambda _, n: busy.get(n, (200, {}, "{}"))) as (url, bodies):
        endpoint = endpoint_at(url, waits)
        answers = [endpoint.ask([{"role": "user", "content": "x"}]) for _ in range(2)]

    assert [answer.taken for answer in answers] == [True, True]
    assert (waits, len(bodies), endpoint.requests) == ([7.0, 4.0], 3, 3)


def test_a_template_that_raises_on_the_server_is_a_refusal() -> None:
    waits: list[float] = []
    with answering(lambda *_: (500, {"Server": "llama.cpp"}, '{"error": {"message": "No user query"}}')) as (
        url,
        bodies,
    ):
        endpoint = endpoint_at(url, waits)
        answer = endpoint.ask([])

    assert answer == (False, 500, "No user query")
    assert len(bodies) == 2
    assert endpoint.versions["server"] == "llama.cpp"


@pytest.mark.parametrize("status", [401, 403, 404, 413, 429, 503])
def test_what_is_no_refusal_of_a_list_ends_the_probe(status: int) -> None:
    refused = pytest.raises(ProbeError, match=f"{status}, which is not a refusal of a list: wrong key")
    with answering(lambda *_: (status, {}, "wrong key")) as (url, _), refused:
        Probe("chat", endpoint_at(url, [])).run(str)


def test_a_model_that_takes_nothing_is_no_result() -> None:
    refused = pytest.raises(ProbeError, match="not even a user message is taken: no such model")
    with answering(lambda *_: (400, {}, '{"detail": "no such model"}')) as (url, _), refused:
        Probe("chat", endpoint_at(url, [])).run(str)


def test_an_address_that_is_none_or_nobody_is_at() -> None:
    with pytest.raises(ProbeError, match="'ftp://x' is not an address"):
        endpoint_at("ftp://x", [])
    with pytest.raises(ProbeError, match="cannot be reached"):
        endpoint_at("http://127.0.0.1:9/v1", []).ask([])


def command(*arguments: str, key: str = "") -> Any:
    return CliRunner().invoke(app, ["probe", *arguments], env={"MESSAGE_HISTORY_PROBE_KEY": key})


def test_the_command_writes_a_dialect(tmp_path: Path) -> None:
    file, report = tmp_path / "sonar.probe.toml", tmp_path / "report.toml"
    with StrictServer() as server:
        url = f"{server.url}/openai/v1"
        done = command(
            "--base-url",
            url,
            "--model",
            "perplexity/sonar",
            "--yes",
            "-o",
            str(file),
            "--report",
            str(report),
            key="k-123456",
        )

    assert done.exit_code == 0, done.output
    assert "at most 161 requests of about 120 tokens each" in done.output
    dialect = OpenAIChat.from_probe(file)
    assert (dialect.alternate, dialect.prefill, dialect.bridge) == (True, False, True)
    found = tomllib.loads(file.read_text(encoding="utf-8"))
    assert (found["api"], found["base_url"], found["model"]) == ("chat", url, "perplexity/sonar")
    assert "k-123456" not in file.read_text(encoding="utf-8")
    told = report.read_text(encoding="utf-8")
    assert "127.0.0.1" not in told
    assert tomllib.loads(told)["fields"] == found["fields"]


def test_the_file_is_a_model_for_other_commands(tmp_path: Path) -> None:
    file, saved, out = (tmp_path / name for name in ("sonar.probe.toml", "chat.json", "out.json"))
    with StrictServer() as server:
        command("--base-url", f"{server.url}/openai/v1", "--model", "perplexity/sonar", "--yes", "-o", str(file))
    raw = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}, {"role": "system", "content": "s"}]
    saved.write_text(json.dumps(raw), encoding="utf-8")

    done = CliRunner().invoke(app, ["convert", str(saved), "--to", "openai_chat", "--model", str(file), "-o", str(out)])

    assert done.exit_code == 0, done.output
    wire = json.loads(out.read_text(encoding="utf-8"))
    assert OpenAIChat.from_probe(file).violations(wire) == []
    assert wire == MessageHistory.from_list(raw).for_send(OpenAIChat.from_probe(file))


def test_the_command_asks_first_and_says_what_is_wrong(tmp_path: Path) -> None:
    with answering(lambda *_: (401, {}, "wrong key sk-secret-0001")) as (url, bodies):
        where = ("--base-url", url, "--model", "m", "-o", str(tmp_path / "x.toml"))
        assert command(*where).exit_code == 1
        assert bodies == []
        done = command(*where, "--yes", key="sk-secret-0001")

    assert done.exit_code == 2
    assert "401, which is not a refusal of a list: wrong key [key]" in done.output


def test_a_probe_that_ran_out_of_budget_says_so(tmp_path: Path) -> None:
    with StrictServer() as server:
        where = ("--base-url", f"{server.url}/openai/v1", "--model", "gpt-4o", "-o", str(tmp_path / "x.probe.toml"))
        done = command(*where, "--yes", "--budget", "5")
        again = command(*where, "--yes", "--budget", "5")

    assert done.exit_code == 1
    assert "not asked: neighbours of one role" in done.output
    assert again.exit_code == 2
    assert "--force overwrites it" in again.output


def test_a_file_that_is_no_probe(tmp_path: Path) -> None:
    file = tmp_path / "x.probe.toml"
    file.write_text('api = "gemini"\n[fields]\n', encoding="utf-8")

    with pytest.raises(ValueError, match="is not what `message-history probe --api chat` writes"):
        OpenAIChat.from_probe(file)


def test_toml_holds_whatever_a_server_says() -> None:
    probe = Probe("chat", Endpoint(APIS["chat"], "http://x", model="m", budget=1))
    words = 'a "b" \\ \n \x7f \x00 \ud83d é \U0001f600'
    probe.refused["x"] = {"asks": "a", "status": 400, "words": words, "rules": ["OC-01"]}

    assert tomllib.loads(written(probe, {"api": "chat"}))["refused"][0]["words"] == words.replace("\ud83d", "?")


def test_a_report_says_nothing_of_an_account() -> None:
    private = (
        "org-AbCdEf123456 proj_abcdef99 req_011CS 203.0.113.7 jo@example.org http://10.0.0.1:80/v1 /home/jo/model.gguf "
        "123e4567-e89b-12d3-a456-426614174000 AIzaSyA-1234567890_abcdefghij key-secret "
        'File "/opt/jo/server/app.py" POST /v1/chat/completions C:\\Users\\jo\\app.py'
    )

    left = scrubbed(f"messages[1].tool_calls[0]: {private}", "key-secret")

    kept = ["messages[1].tool_calls[0]:", "req_011CS", "File", '""', "POST", "/v1/chat/completions"]
    assert left.replace("[left out]", "").split() == kept
