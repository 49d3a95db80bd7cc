"""What goes wrong: each a clear answer or an untouched pass-through, never a hang."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import sys
import threading
import time
import zlib
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx
import pytest

from message_history_proxy.serving import prepare
from message_history_proxy.settings import Settings
from proxying.servers import proxy_before, proxy_for
from proxying.test_proxy import BROKEN, OK, body_of, head_of

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from collections.abc import Callable

CHAT = {"model": "gpt-4o", "messages": BROKEN}
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/event-stream\r\n\r\n"


def fine(connection: socket.socket, _: bytes) -> None:
    connection.sendall(OK)


def connect(url: str) -> socket.socket:
    parts = urlsplit(url)
    return socket.create_connection((parts.hostname or "", parts.port or 0), timeout=10)


def read_all(connection: socket.socket) -> bytes:
    data = b""
    while more := connection.recv(65536):
        data += more
    return data


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


def test_an_upstream_that_breaks_off_in_mid_stream_ends_the_response_unfinished() -> None:
    def answer(connection: socket.socket, _: bytes) -> None:
        connection.sendall(CHUNKED + b"5\r\nfirst\r\n")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.close()

    def stream(got: list[bytes]) -> None:
        with httpx.stream("POST", f"{url}/v1/responses", json={"input": "x"}) as response:
            got.extend(response.iter_raw())

    with proxy_before(answer) as (url, _):
        with pytest.raises(httpx.RemoteProtocolError):
            stream([])
        assert httpx.get(f"{url}/message-history/health").status_code == 200
        assert 'errors_total{reason="upstream_broke_off"} 1' in httpx.get(f"{url}/message-history/metrics").text


def test_an_upstream_that_breaks_off_in_a_refusal_ends_it_unfinished_with_its_status() -> None:
    def answer(connection: socket.socket, _: bytes) -> None:
        connection.sendall(CHUNKED.replace(b"200 OK", b"400 No").replace(b"event-stream", b"plain") + b"5\r\nfirst\r\n")
        connection.shutdown(socket.SHUT_RDWR)

    def stream(got: list[Any]) -> None:
        with httpx.stream("POST", f"{url}/v1/responses", json={"input": "x"}) as response:
            got.append(response.status_code)
            got.extend(response.iter_raw())

    with proxy_before(answer) as (url, _):
        got: list[Any] = []
        with pytest.raises(httpx.RemoteProtocolError):
            stream(got)
    assert got[0] == 400


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200", b"garbage\r\n\r\n"], ids=["nothing", "half", "garbage"])
def test_an_upstream_that_does_not_answer_is_a_502(answer: bytes) -> None:
    def reply(connection: socket.socket, _: bytes) -> None:
        connection.sendall(answer)
        connection.shutdown(socket.SHUT_RDWR)

    with proxy_before(reply) as (url, _):
        response = httpx.post(f"{url}/v1/chat/completions", json=CHAT)
    assert response.status_code == 502
    assert response.json()["error"]["type"] == "upstream_unreachable"


def test_an_upstream_that_is_not_there_is_a_502() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with proxy_for({"openai": f"http://127.0.0.1:{port}"}) as url:
        response = httpx.post(f"{url}/v1/chat/completions", json=CHAT, headers={"authorization": "Bearer secret"})
    assert response.status_code == 502
    assert "secret" not in response.text


def test_an_upstream_that_is_silent_is_a_504() -> None:
    with proxy_before(lambda *_: time.sleep(3), read_timeout=0.3) as (url, _):
        assert httpx.post(f"{url}/v1/chat/completions", json=CHAT).status_code == 504


def test_a_client_that_leaves_cancels_upstream() -> None:
    closed = threading.Event()

    def answer(connection: socket.socket, _: bytes) -> None:
        connection.sendall(CHUNKED)
        try:
            while True:
                connection.sendall(b"4\r\nmore\r\n")
                time.sleep(0.01)
        except OSError:
            closed.set()

    with proxy_before(answer) as (url, _):
        with httpx.stream("POST", f"{url}/v1/responses", json={"input": "x"}) as response:
            next(response.iter_raw())
        assert closed.wait(10)


def test_a_client_that_leaves_before_the_answer_cancels_upstream() -> None:
    closed = threading.Event()

    def answer(connection: socket.socket, _: bytes) -> None:
        if connection.recv(1) == b"":
            closed.set()

    with proxy_before(answer) as (url, seen):
        content = json.dumps(CHAT).encode()
        with connect(url) as client:
            head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(content)}\r\n\r\n"
            client.sendall(head.encode() + content)
            wait_for(lambda: seen)
        assert closed.wait(10)


def test_a_slow_client_holds_the_upstream_back() -> None:
    sent = 0

    def answer(connection: socket.socket, request: bytes) -> None:
        del request
        nonlocal sent
        connection.sendall(CHUNKED)
        piece = b"x" * 65536
        for _ in range(2_000):
            connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
            sent += len(piece)
        connection.sendall(b"0\r\n\r\n")

    with (
        proxy_before(answer) as (url, _),
        httpx.stream("POST", f"{url}/v1/responses", json={"input": "x"}) as response,
    ):
        chunks = response.iter_raw()
        next(chunks)
        time.sleep(0.5)
        held = sent
        time.sleep(0.3)
        assert sent == held < 60_000_000, "it is buffered, not held back"
        assert sum(map(len, chunks)) > 130_000_000


def test_half_a_body_does_not_reach_the_upstream() -> None:
    with proxy_before(fine) as (url, seen):
        with connect(url) as client:
            client.sendall(b'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{"mess')
        time.sleep(0.2)
        assert httpx.post(f"{url}/v1/chat/completions", json=CHAT).status_code == 200
    assert len(seen) == 1


@pytest.mark.parametrize("recorded", [True, False])
def test_a_body_of_100_mb_is_refused_with_the_limit(recorded: bool) -> None:
    with proxy_before(fine) as (url, seen):
        chunk = b"x" * 1_000_000
        with connect(url) as client:
            size = b"Content-Length: 100000000" if recorded else b"Transfer-Encoding: chunked"
            client.sendall(b"POST /v1/messages HTTP/1.1\r\nHost: x\r\n" + size + b"\r\n\r\n")
            for _ in range(100):
                client.sendall(chunk if recorded else b"%x\r\n%s\r\n" % (len(chunk), chunk))
            client.sendall(b"" if recorded else b"0\r\n\r\n")
            answer = read_all(client)
    assert answer.startswith(b"HTTP/1.1 413")
    assert b"max_body_bytes" in answer
    assert seen == []


def test_a_body_of_20_mb_is_healed() -> None:
    large = [*BROKEN, {"role": "assistant", "content": "ok"}, {"role": "user", "content": "y" * 20_000_000}]
    with proxy_before(fine) as (url, seen):
        response = httpx.post(f"{url}/v1/chat/completions", json={**CHAT, "messages": large}, timeout=60)
        assert response.status_code == 200
    assert len(json.loads(body_of(seen[0]))["messages"]) == 6


def test_a_body_without_a_list_of_messages_may_be_of_any_size() -> None:
    with proxy_before(fine, max_body_bytes=1_000) as (url, seen):
        assert httpx.post(f"{url}/v1/files", content=b"x" * 3_000_000).status_code == 200
    assert len(body_of(seen[0])) == 3_000_000


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "gzip, gzip", "identity"])
def test_a_compressed_body_is_healed(encoding: str) -> None:
    content = json.dumps(CHAT).encode()
    for name in encoding.split(", "):
        if name == "br":
            content = pytest.importorskip("brotli").compress(content)
        elif name == "zstd":
            content = zstd.compress(content)
        elif name != "identity":
            content = gzip.compress(content) if name == "gzip" else zlib.compress(content)
    with proxy_before(fine) as (url, seen):
        httpx.post(f"{url}/v1/chat/completions", content=content, headers={"content-encoding": encoding})
    assert len(json.loads(body_of(seen[0]))["messages"]) == 4
    assert b"content-encoding" not in head_of(seen[0])


def test_a_sound_compressed_body_stays_compressed() -> None:
    content = gzip.compress(json.dumps({**CHAT, "messages": BROKEN[:1]}).encode())
    with proxy_before(fine) as (url, seen):
        httpx.post(f"{url}/v1/chat/completions", content=content, headers={"content-encoding": "gzip"})
    assert body_of(seen[0]) == content
    assert b"content-encoding: gzip" in head_of(seen[0])


@pytest.mark.parametrize(
    ("encoding", "content"),
    [("gzip", b"no gzip"), ("gzip", gzip.compress(b"{}" * 9, mtime=0)[:-9]), ("zstd", b"?"), ("br", b"no brotli")],
)
def test_what_cannot_be_decompressed_goes_through_as_it_came(encoding: str, content: bytes) -> None:
    with proxy_before(fine) as (url, seen):
        response = httpx.post(f"{url}/v1/chat/completions", content=content, headers={"content-encoding": encoding})
    assert response.status_code == 200
    assert body_of(seen[0]) == content


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd"])
def test_a_body_that_swells_beyond_the_limit_is_refused(encoding: str) -> None:
    content = b"x" * 50_000_000
    if encoding == "br":
        content = pytest.importorskip("brotli").compress(content, quality=1)
    else:
        content = gzip.compress(content) if encoding == "gzip" else zstd.compress(content)
    with proxy_before(fine, max_body_bytes=1_000_000) as (url, seen):
        headers = {"content-encoding": encoding}
        response = httpx.post(f"{url}/v1/chat/completions", content=content, headers=headers)
    assert response.status_code == 413
    assert "max_body_bytes" in response.text
    assert seen == []


def test_an_upload_that_stalls_is_ended() -> None:
    with proxy_before(fine, upload_timeout=0.2) as (url, seen):
        for path in (b"/v1/messages", b"/v1/files"):
            with connect(url) as client:
                client.sendall(b"POST " + path + b" HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{")
                answer = read_all(client)
            assert answer.startswith(b"HTTP/1.1 408")
            assert b"upload_timeout" in answer
    assert [each.split()[1] for each in seen] == [b"/v1/files"], "a list of messages is not sent in part"


def test_a_length_beside_chunks_is_not_sent_on() -> None:
    head = b"POST /v1/files HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
    with proxy_before(fine) as (url, seen), connect(url) as client:
        client.sendall(head + b"7\r\nseven b\r\n0\r\n\r\n")
        assert client.recv(65536).startswith(b"HTTP/1.1 200")
    assert b"content-length" not in head_of(seen[0])
    assert b"seven b" in seen[0]


@pytest.mark.parametrize(
    "host", ["attacker.example", "127.0.0.1.attacker.example:80", "[::1.example", "", "localhost@x"]
)
def test_the_proxy_s_own_paths_are_not_for_names_of_others(host: str) -> None:
    with proxy_before(fine) as (url, _):
        for path in ("repairs", "repairs/1", "health", "metrics", "nothing"):
            assert httpx.get(f"{url}/message-history/{path}", headers={"host": host}).status_code == 403
            assert httpx.get(f"{url}/message-history/{path}", headers={"origin": url}).status_code == 403


@pytest.mark.parametrize("host", ["localhost:8787", "LOCALHOST", "127.0.0.1", "[::1]:80", "Proxy.internal"])
def test_the_proxy_s_own_paths_answer_addresses_and_names_that_are_configured(host: str) -> None:
    with proxy_before(fine, own_hosts="other, proxy.internal") as (url, _):
        assert httpx.get(f"{url}/message-history/health", headers={"host": host}).status_code == 200


def test_answers_are_sent_without_delay() -> None:
    async def option() -> int:
        accepted: asyncio.Future[asyncio.BaseTransport] = asyncio.get_running_loop().create_future()

        class Accepting(asyncio.Protocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                accepted.set_result(transport)

        listening = prepare(Settings(port=0)).listening
        server = await asyncio.get_running_loop().create_server(Accepting, sock=listening)
        with connect(f"http://127.0.0.1:{listening.getsockname()[1]}"):
            transport = await accepted
            found: int = transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            transport.close()
        server.close()
        await server.wait_closed()
        await asyncio.sleep(0)  # it closes what it accepted in its next round
        return found

    assert asyncio.run(option())


def test_one_connection_takes_many_requests_and_what_is_no_http_is_refused() -> None:
    content = json.dumps(CHAT).encode()
    request = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(content), content)
    with proxy_before(fine) as (url, seen):
        with connect(url) as client:
            client.sendall(request * 20)  # all at once, before any answer
            got = b""
            while got.count(b"HTTP/1.1 200") < 20:
                got += client.recv(65536)
        for nonsense in (b"\x16\x03\x01\x00garbage\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"POST\r\n\r\n"):
            with connect(url) as client:
                client.sendall(nonsense)
                assert read_all(client).startswith((b"HTTP/1.1 400", b""))
        head = (
            b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        with connect(url) as client:
            client.sendall(head + b"0\r\n\r\n")
            assert client.recv(65536).startswith(b"HTTP/1.1 ")
        assert httpx.get(f"{url}/message-history/health").status_code == 200
    assert len([each for each in seen if each.startswith(b"POST /v1/chat/completions")]) >= 20
    assert not [each for each in seen if b"transfer-encoding" in each.lower() and b"content-length" in each.lower()]


def test_deeply_nested_json_goes_through() -> None:
    content = b'{"messages": ' + b"[" * 50_000 + b"]" * 50_000 + b"}"
    with proxy_before(fine) as (url, seen):
        assert httpx.post(f"{url}/v1/chat/completions", content=content).status_code == 200
    assert body_of(seen[0]) == content


ODD: list[list[Any]] = [[None], [1, "x"], [[]], [{}], [{"role": {}}], [{"role": "user", "content": {"a": 1}}]]


@pytest.mark.parametrize("messages", ODD)
def test_no_list_of_any_json_makes_it_fail(messages: list[Any]) -> None:
    with proxy_before(fine) as (url, seen):
        for path in ("/v1/chat/completions", "/v1/messages", "/v1/responses", "/model/m/converse"):
            body = {"messages": messages, "input": messages}
            assert httpx.post(f"{url}{path}", json=body, timeout=60).status_code == 200
        assert "not_healed" not in httpx.get(f"{url}/message-history/metrics").text
    assert len(seen) == 4


def test_a_path_of_no_upstream_is_a_404() -> None:
    with proxy_for({"gemini": "http://127.0.0.1:9", "bedrock": "http://127.0.0.1:9"}) as url:
        response = httpx.post(f"{url}/v1/messages", json=CHAT)
    assert response.status_code == 404
    assert "/bedrock, /gemini" in response.json()["error"]["message"]


def test_a_path_that_no_url_can_have_goes_through_as_it_came() -> None:
    with proxy_before(fine) as (url, seen), connect(url) as client:
        client.sendall(b"POST /v1/files#a?b#c HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}")
        assert client.recv(65536).startswith(b"HTTP/1.1 200")
    assert seen[0].split()[1] == b"/v1/files#a?b#c"
