"""The proxy's HTTP side as a target of fuzzing: whatever bytes arrive, it answers or passes on, and never fails."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
from functools import cache
from typing import TYPE_CHECKING, Any, final
from unittest.mock import patch
from urllib.parse import unquote

import h11
import httpx

from message_history_proxy.app import create_app
from message_history_proxy.settings import Settings, Upstream

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.applications import Starlette

__all__ = ["TARGETS"]

UNHEALED: list[str] = []


@final
class _Unhealed(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR:
            UNHEALED.append(record.getMessage())


def _answer(request: httpx.Request) -> httpx.Response:
    """Refuse what came with what came, so that refusals are read too."""
    kept = [pair for pair in request.headers.raw if pair[0].lower() in (b"content-type", b"content-encoding")]
    return httpx.Response(400, headers=kept, stream=httpx.ByteStream(request.content))


@final
class _Client(httpx.AsyncClient):
    def __init__(self, **options: Any) -> None:
        async def answer(request: httpx.Request) -> httpx.Response:
            await request.aread()
            return _answer(request)

        super().__init__(transport=httpx.MockTransport(answer), **options)


@cache
def _app() -> tuple[Starlette, asyncio.Runner]:
    logging.getLogger("message_history_proxy").addHandler(_Unhealed())
    logging.getLogger("message_history").addHandler(logging.NullHandler())
    logging.getLogger("message_history").propagate = False
    upstreams = {name: Upstream(name=name, url=f"http://{name}.test") for name in ("openai", "anthropic", "gemini")}
    with patch("message_history_proxy.app.httpx.AsyncClient", _Client):
        return create_app(Settings(upstreams=upstreams, max_body_bytes=100_000)), asyncio.Runner()


def _parsed(data: bytes) -> tuple[h11.Request, bytes, bool] | None:
    """Parse a request as the server does; None for what that refuses."""
    connection, head, body = h11.Connection(h11.SERVER), None, b""
    try:
        connection.receive_data(data)
        while True:
            event = connection.next_event()
            if isinstance(event, h11.Request):
                head = event
            elif isinstance(event, h11.Data):
                body += event.data
            else:
                return None if head is None else (head, body, isinstance(event, h11.EndOfMessage))
    except h11.RemoteProtocolError:
        return None


async def _statuses(app: Starlette, head: h11.Request, body: bytes, *, whole: bool) -> list[int]:
    raw_path, _, query = head.target.partition(b"?")
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": head.method.decode(),
        "path": unquote(raw_path.decode("ascii", "replace")),
        "raw_path": raw_path,
        "root_path": "",
        "query_string": query,
        "headers": [(bytes(name), bytes(value)) for name, value in head.headers],
    }
    waiting: list[dict[str, Any]] = [{"type": "http.request", "body": body, "more_body": not whole}]
    sent: list[Any] = []

    async def receive() -> Any:
        if waiting:
            return waiting.pop()
        if whole:
            await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return [message["status"] for message in sent if message["type"] == "http.response.start"]


def ask(data: bytes) -> None:
    """Send bytes to the proxy: it answers once, with no error of its own, unless the client leaves."""
    parsed = _parsed(data)
    if parsed is None:
        return
    app, runner = _app()
    head, body, whole = parsed
    statuses = runner.run(_statuses(app, head, body, whole=whole))
    assert len(statuses) == 1 or not (whole or statuses)
    assert all(status < 500 for status in statuses), statuses
    assert not UNHEALED, UNHEALED.pop()


def _request(path: str, body: bytes, *headers: str) -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


_CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
_CHAT = {"model": "m", "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "tool_calls": [_CALL]}]}
_BODY = json.dumps(_CHAT).encode()
_CLAUDE = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": [{"type": "tool_result"}]}]}
_GEMINI = {"contents": [{"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}]}
_CHUNKED = (
    b'POST /v1/messages HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n2\r\n1}\r\n0\r\n\r\n'
)
SEEDS = (
    _request("/v1/chat/completions", _BODY),
    _request("/openai/v1/chat/completions?a=b", gzip.compress(_BODY, mtime=0), "Content-Encoding: gzip"),
    _request("/v1/messages", json.dumps(_CLAUDE).encode(), "anthropic-version: 1", "Content-Type: application/json"),
    _request("/gemini/v1beta/models/m:generateContent", json.dumps(_GEMINI).encode()),
    _request("/v1/responses", json.dumps({"input": [{"type": "function_call"}]}).encode()),
    _CHUNKED,
    b"GET /message-history/repairs/1-1 HTTP/1.1\r\nHost: [::1]:80\r\nOrigin: x\r\n\r\n",
)
TARGETS: dict[str, tuple[Callable[[bytes], object], tuple[bytes, ...]]] = {"proxy": (ask, SEEDS)}
