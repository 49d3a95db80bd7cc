"""The proxy between a client and an upstream: what is broken is healed, all else goes through as it came."""

from __future__ import annotations

import gzip
import json
import threading
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from message_history.dialects import OpenAIChat
from message_history_healing import heal_request
from message_history_proxy.reports import MAX_EXPLAINED, Reports, explanation_headers
from message_history_testing import StrictServer
from proxying.servers import proxy_before, proxy_for, raw_upstream

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator

BROKEN: list[Any] = [
    {"role": "user", "content": "Read a.txt."},
    {"role": "assistant", "content": "Reading.", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    ]},
    {"role": "user", "content": "Well?"},
]  # fmt: skip
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: application/json\r\n\r\n{}"


def urls_of(server: StrictServer) -> dict[str, str]:
    return {
        "anthropic": f"{server.url}/anthropic",
        "openai": f"{server.url}/openai",
        "gemini": f"{server.url}/gemini",
        "mistral": f"{server.url}/mistral",
        "bedrock": f"{server.url}/bedrock",
    }


@pytest.fixture
def strict() -> Iterator[StrictServer]:
    with StrictServer() as server:
        yield server


@pytest.fixture
def proxy(strict: StrictServer) -> Iterator[str]:
    with proxy_for(urls_of(strict)) as url:
        yield url


def body_of(request: bytes) -> bytes:
    return request.partition(b"\r\n\r\n")[2]


def head_of(request: bytes) -> bytes:
    return request.partition(b"\r\n\r\n")[0]


BODIES: list[tuple[str, dict[str, Any]]] = [
    ("/openai/v1/chat/completions", {"model": "gpt-4o", "messages": BROKEN}),
    ("/v1/chat/completions", {"model": "gpt-4o", "messages": BROKEN}),
    ("/mistral/v1/chat/completions", {"model": "of-nobody", "messages": BROKEN}),
    ("/anthropic/v1/messages", {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
    ]}),
    ("/v1/responses", {"model": "gpt-5", "input": [
        {"role": "user", "content": "Go."},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
    ]}),
    ("/v1beta/models/gemini-3-pro-preview:generateContent", {"contents": [
        {"role": "user", "parts": [{"text": "Go."}]},
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
        {"role": "user", "parts": [{"text": "Well?"}]},
    ]}),
    ("/model/anthropic.claude-sonnet-4-5-20250929-v1:0/converse", {"messages": [
        {"role": "user", "content": [{"text": "Go."}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t", "name": "f", "input": {}}}]},
    ], "toolConfig": {"tools": []}}),
]  # fmt: skip


@pytest.mark.parametrize(("path", "body"), BODIES, ids=[path for path, _ in BODIES])
def test_a_broken_request_is_healed_for_every_api(proxy: str, strict: StrictServer, path: str, body: Any) -> None:
    response = httpx.post(f"{proxy}{path}", json=body)
    assert response.status_code == 200, response.text
    assert strict.refusals == []
    assert "result_stubbed=1" in response.headers["message-history-repairs"]
    assert int(response.headers["message-history-repair-count"]) >= 1


def test_a_request_that_is_sound_goes_through_byte_for_byte_with_its_headers() -> None:
    body = json.dumps({"messages": BROKEN[:1], "model": "gpt-4o", "ünïcode": [1.0, None]}, indent=3).encode()
    with (
        raw_upstream(lambda connection, _: connection.sendall(OK)) as (upstream, seen),
        proxy_for({"openai": upstream}) as url,
    ):
        headers = {"Authorization": "Bearer key", "X-Stainless-Lang": "python", "Accept-Encoding": "br"}
        response = httpx.post(f"{url}/v1/chat/completions?a=%2Fb&c", content=body, headers=headers)
    assert response.status_code == 200
    assert not [name for name in response.headers if name.startswith("message-history")]
    (request,) = seen
    assert body_of(request) == body
    assert request.startswith(b"POST /v1/chat/completions?a=%2Fb&c HTTP/1.1\r\n")
    assert b"\r\nauthorization: Bearer key\r\n" in head_of(request)
    assert b"\r\nx-stainless-lang: python\r\n" in head_of(request)
    assert b"\r\naccept-encoding: br\r\n" in head_of(request)
    assert head_of(request).lower().count(b"host:") == 1


@pytest.mark.parametrize("body", [b"{", b"", b"[1, 2]", b'{"messages": 7}', b"\xff\xfe\x00"])
def test_what_cannot_be_read_goes_through_as_it_came(body: bytes) -> None:
    with (
        raw_upstream(lambda connection, _: connection.sendall(OK)) as (upstream, seen),
        proxy_for({"openai": upstream}) as url,
    ):
        assert httpx.post(f"{url}/v1/chat/completions", content=body).status_code == 200
    assert body_of(seen[0]) == body


def test_every_other_path_goes_through() -> None:
    with (
        raw_upstream(lambda connection, _: connection.sendall(OK)) as (upstream, seen),
        proxy_for({"openai": upstream, "anthropic": upstream, "gemini": f"{upstream}/g"}) as url,
    ):
        httpx.get(f"{url}/v1/models?limit=2")
        httpx.post(f"{url}/openai/v1/files", content=b"x" * 100_000)
        httpx.delete(f"{url}/gemini/v1beta/files/a%20b")
        httpx.post(f"{url}/v1/embeddings", content=iter([b"12", b"34"]))
    lines = [request.partition(b"\r\n")[0] for request in seen]
    assert lines[:3] == [
        b"GET /v1/models?limit=2 HTTP/1.1", b"POST /v1/files HTTP/1.1", b"DELETE /g/v1beta/files/a%20b HTTP/1.1",
    ]  # fmt: skip
    assert len(body_of(seen[1])) == 100_000
    assert b"transfer-encoding: chunked" in seen[3].lower()


def test_a_conversation_is_kept_as_it_was_sent(proxy: str, strict: StrictServer) -> None:
    reply = {"role": "assistant", "content": "Not yet."}
    result = {"role": "tool", "tool_call_id": "c1", "content": "contents of a"}
    grown = [*BROKEN[:2], result, BROKEN[2], reply, {"role": "user", "content": "And now?"}]
    for messages in (BROKEN, [*BROKEN, reply, BROKEN[2]], grown):
        response = httpx.post(f"{proxy}/v1/chat/completions", json={"model": "gpt-4o", "messages": messages})
        assert response.status_code == 200
    first, _, last = [request["messages"] for request in strict.requests]
    assert last[: len(first)] == first
    assert "contents of a" in json.dumps(last[len(first) :])


def test_token_counts_are_healed_and_not_taken_for_sent(proxy: str, strict: StrictServer) -> None:
    body = BODIES[3][1]
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "done"}
    assert httpx.post(f"{proxy}/anthropic/v1/messages/count_tokens", json=body).status_code == 404  # it has no counts
    body = {**body, "messages": [*body["messages"], {"role": "user", "content": [result]}]}
    response = httpx.post(f"{proxy}/anthropic/v1/messages", json=body)
    assert response.status_code == 200
    assert strict.requests[-1]["messages"] == body["messages"]


def test_what_was_refused_is_not_taken_for_sent() -> None:
    answers = iter([b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", OK])
    with (
        raw_upstream(lambda connection, _: connection.sendall(next(answers))) as (upstream, seen),
        proxy_for({"openai": upstream}) as url,
    ):
        httpx.post(f"{url}/v1/chat/completions", json={"model": "gpt-4o", "messages": BROKEN[:2]})
        sound = [*BROKEN[:2], {"role": "tool", "tool_call_id": "c1", "content": "r"}]
        httpx.post(f"{url}/v1/chat/completions", json={"model": "gpt-4o", "messages": sound})
    assert json.loads(body_of(seen[1]))["messages"] == sound


def test_repairs_are_told_in_full_on_request(proxy: str) -> None:
    response = httpx.post(f"{proxy}/v1/chat/completions", json={"model": "gpt-4o", "messages": BROKEN})
    number = response.headers["message-history-request"]
    report = httpx.get(f"{proxy}/message-history/repairs/{number}").json()
    assert [repair["code"] for repair in report["repairs"]] == ["result_stubbed"]
    assert report["repairs"][0]["added"][0]["tool_use_id"] == "c1"
    assert report["violations"]
    assert httpx.get(f"{proxy}/message-history/repairs/none").status_code == 404


def test_a_refusal_that_still_comes_is_explained() -> None:
    text = "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1."
    body = gzip.compress(json.dumps({"error": {"message": text}}).encode())
    head = f"HTTP/1.1 400 Bad\r\nContent-Encoding: gzip\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with (
        raw_upstream(lambda connection, _: connection.sendall(head + body)) as (upstream, _),
        proxy_for({"anthropic": upstream}) as url,
    ):
        response = httpx.post(f"{url}/v1/messages", json={"messages": [{"role": "user", "content": "Hi"}]})
        metrics = httpx.get(f"{url}/message-history/metrics").text
    assert response.json()["error"]["message"] == text
    assert response.headers["message-history-explanation"].startswith("Every call is answered by a result")
    assert response.headers["message-history-rule"]
    assert 'message_history_proxy_still_refused_total{api="anthropic"} 1' in metrics


@pytest.mark.parametrize("kind", ["chunked", "long", "stream"])
def test_a_refusal_without_a_length_is_passed_on_whole_and_explained_where_it_is_short(kind: str) -> None:
    text = "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1."
    body = json.dumps({"error": {"message": text}}).encode() + b" " * (2 * 1024 * 1024 if kind == "long" else 0)
    form = b"text/event-stream" if kind == "stream" else b"application/json"
    head = b"HTTP/1.1 400 Bad\r\nTransfer-Encoding: chunked\r\nContent-Type: %s\r\n\r\n" % form

    def answer(connection: socket.socket, _: bytes) -> None:
        half = len(body) // 2
        parts = [b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:half], body[half:], b"")]
        connection.sendall(head + b"".join(parts))

    with proxy_before(answer, "anthropic") as (url, _):
        response = httpx.post(f"{url}/v1/messages", json={"messages": [{"role": "user", "content": "Hi"}]})
    assert (response.status_code, response.content) == (400, body)
    assert ("message-history-rule" in response.headers) == (kind == "chunked")


def test_of_a_refusal_that_quotes_the_request_the_beginning_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    explained: list[str] = []

    def explain(text: str, _: object) -> list[Any]:
        explained.append(text)
        return []

    monkeypatch.setattr("message_history_proxy.reports.explain", explain)
    assert explanation_headers("messages: at least one message is required " + "x" * 1_000_000, OpenAIChat()) == []
    assert len(explained[0]) == MAX_EXPLAINED


def test_the_newest_repairs_are_listed_for_whom_the_agent_does_not_show_headers(proxy: str) -> None:
    for _ in range(2):
        httpx.post(f"{proxy}/v1/chat/completions", json={"model": "gpt-4o", "messages": BROKEN})
    newest, first = httpx.get(f"{proxy}/message-history/repairs").json()["requests"]
    assert (first["dialect"], first["repairs"], first["new"]) == ("openai_chat", "result_stubbed=1", "result_stubbed=1")
    assert (newest["repairs"], newest["new"], newest["still_refused"]) == ("result_stubbed=1", "", 0)
    assert httpx.get(f"{proxy}/message-history/repairs/{newest['request']}").status_code == 200


def test_what_is_meant_for_the_proxy_goes_to_no_upstream() -> None:
    with proxy_before(lambda connection, _: connection.sendall(OK)) as (url, seen):
        for path in ("/message-history", "/message-history/", "/message-history/helth"):
            response = httpx.post(f"{url}{path}", headers={"authorization": "Bearer secret"})
            assert response.status_code == 404
            assert "/repairs" in response.json()["error"]
    assert seen == []


def test_reports_hold_their_repairs_and_no_conversation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("message_history_proxy.reports.MAX_BYTES", 3_000)
    reports = Reports()
    for n in range(9):
        body = json.dumps({"messages": [{"role": "user", "content": "x" * 1_000_000}, *BROKEN]}).encode()
        reports.keep(str(n), heal_request(body, api="openai_chat"))
    kept = [each["request"] for each in reports.newest()]
    assert kept == ["8", "7", "6", "5", "4", "3", "2", "1", "0"][: len(kept)]
    assert 1 <= len(kept) < 9
    assert sum(len(reports.report(number) or b"") for number in kept) <= 3_000
    assert reports.report("0") is None


def test_a_log_says_what_was_healed_and_still_refused_and_holds_no_content(
    proxy: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "message_history_proxy")
    chat = {"model": "gpt-4o", "messages": BROKEN}
    number = httpx.post(f"{proxy}/v1/chat/completions", json=chat).headers["message-history-request"]
    httpx.post(f"{proxy}/v1/chat/completions", json=chat)
    logged = [record.message for record in caplog.records if record.name == "message_history_proxy"]
    assert logged == [f"{number}: healed (openai_chat): result_stubbed=1"]


def test_metrics_and_health(proxy: str) -> None:
    httpx.post(f"{proxy}/v1/chat/completions", json={"model": "gpt-4o", "messages": BROKEN})
    assert httpx.get(f"{proxy}/message-history/health").json()["status"] == "ok"
    text = httpx.get(f"{proxy}/message-history/metrics").text
    assert 'message_history_proxy_requests_total{api="openai_chat",status="200"} 1' in text
    assert 'message_history_proxy_repairs_total{code="result_stubbed"} 1' in text
    assert "message_history_proxy_added_latency_seconds_count 1" in text
    assert "message_history_proxy_conversations 1" in text


def test_a_stream_is_passed_on_as_it_comes_and_byte_for_byte() -> None:
    pieces = [b"data: {}\n\n", b": comment\n\n", b"data: [DONE]\n\n"]

    def answer(connection: socket.socket, _: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/event-stream\r\n\r\n")
        for piece in pieces:
            connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
            seen_by_client.wait(5)  # the next piece comes only when the client has this one
            seen_by_client.clear()
        connection.sendall(b"0\r\n\r\n")

    seen_by_client = threading.Event()
    with proxy_before(answer) as (url, _):
        got: list[bytes] = []
        with httpx.stream("POST", f"{url}/v1/responses", json={"input": "Hi", "stream": True}) as response:
            for chunk in response.iter_raw():
                got.append(chunk)
                seen_by_client.set()
    assert got == pieces
    assert response.headers["content-type"] == "text/event-stream"
