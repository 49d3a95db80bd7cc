"""The server: it reads a request, refuses it as its provider would, or has the script answer."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import unquote, urlsplit

from message_history_testing.anthropic import Anthropic
from message_history_testing.bedrock import Bedrock
from message_history_testing.gemini import Gemini
from message_history_testing.mistral import Mistral
from message_history_testing.model import ModelReply, use_tools
from message_history_testing.openai_chat import OpenAIChat
from message_history_testing.openai_responses import OpenAIResponses

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history_testing.model import Script
    from message_history_testing.provider import Provider


class StrictServer:
    """All providers on one port of this machine; a context manager.

    Args:
        script: what the model says.

    Attributes:
        script: the same; it may be replaced at any time.
        requests: the bodies of all requests, in order.
        refusals: the texts with which requests were refused.
        providers: what it knows of each provider.
    """

    def __init__(self, script: Script = use_tools) -> None:
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.refusals: list[str] = []
        self.providers: dict[str, Provider] = {
            "anthropic": Anthropic(),
            "openai_chat": OpenAIChat(),
            "openai_responses": OpenAIResponses(),
            "gemini": Gemini(),
            "mistral": Mistral(),
            "bedrock": Bedrock(),
        }
        server = self

        class Handler(_Handler):
            strict = server

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True

    @property
    def url(self) -> str:
        """Return the address; each provider adds its own path, and Mistral the first part of it too."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment variables with which the SDKs and the examples find the server."""
        keys = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "MISTRAL_API_KEY")
        return {
            "ANTHROPIC_BASE_URL": f"{self.url}/anthropic",
            "OPENAI_BASE_URL": f"{self.url}/openai/v1",
            "GOOGLE_GEMINI_BASE_URL": f"{self.url}/gemini",
            "MISTRAL_SERVER_URL": f"{self.url}/mistral",
            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": f"{self.url}/bedrock",
            **dict.fromkeys(keys, "no-key-is-needed"),
            "AWS_ACCESS_KEY_ID": "none",
            "AWS_SECRET_ACCESS_KEY": "none",
            "AWS_DEFAULT_REGION": "us-east-1",
        }

    def __enter__(self) -> Self:
        Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    strict: StrictServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        path = unquote(urlsplit(self.path).path)
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        provider = next((each for each in self.strict.providers.values() if each.path.search(path)), None)
        if provider is None:
            self._send(404, {}, {"error": {"message": f"no provider is at {path}"}})
            return
        self.strict.requests.append(body)
        text = provider.refusal(path, body)
        if text is not None:
            self.strict.refusals.append(text)
            self._send(400, *provider.error(text))
            return
        reply: object = self.strict.script(replace(provider.request(body), body=body))
        if not isinstance(reply, ModelReply):
            problem = f"the script must return a ModelReply, not {type(reply).__name__}: {reply!r:.80}"
            # SDKs try other codes again.
            self._send(422, {}, {"error": {"message": problem}})
            return
        if provider.streams(path, body):
            self._stream(provider.stream_type, provider.events(reply, body, path))
        else:
            self._send(200, {}, provider.response(reply, body, path))

    def _send(self, status: int, headers: dict[str, str], body: object) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, media_type: str, events: Iterable[bytes]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", media_type)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        # Whoever cancels a stream closes the connection in the midst of it.
        with suppress(ConnectionError):
            for event in events:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""
