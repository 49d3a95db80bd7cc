"""The proxy: it reads a request, heals its list of messages, forwards it, and passes the response on as it comes."""

from __future__ import annotations

import itertools
import logging
import secrets
import time
from collections import Counter
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, Never, final

import anyio
import anyio.to_thread
import httpx
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Mount, Route

from message_history_healing.conversations import MemoryConversations, NoConversations
from message_history_healing.healer import Healer, Healing
from message_history_proxy.encodings import BodyTooLargeError, CannotReadError, decompressed
from message_history_proxy.forwarding import (
    forwarded_request_headers,
    forwarded_response_headers,
    header,
    target_of,
)
from message_history_proxy.metrics import Metrics
from message_history_proxy.own_paths import OwnPaths
from message_history_proxy.refusals import REFUSED, beginning_of, text_in
from message_history_proxy.reports import Reports, codes_of, explanation_headers, json_bytes, repair_headers

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request
    from starlette.types import Message, Receive, Scope, Send

    from message_history_healing.conversations import Conversations
    from message_history_proxy.forwarding import Headers, Target
    from message_history_proxy.settings import Settings
    from message_history_proxy.store import DatabaseConversations

logger = logging.getLogger("message_history_proxy")

OWN: Final = "/message-history"
"""The paths of the proxy's own endpoints begin with this."""
OWN_PATHS: Final = ("/health", "/metrics", "/repairs", "/repairs/{request}")
METHODS: Final = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
INLINE: Final = 32 * 1024
"""A larger body is healed in a thread, so that streams go on meanwhile."""
DRAIN_SECONDS: Final = 30


def create_app(settings: Settings, conversations: Conversations | None = None) -> Starlette:
    """Make the proxy as an ASGI application.

    The settings say where what was sent is kept, unless `conversations` is given. `/message-history/health`,
    `/message-history/metrics`, `/message-history/repairs` and `/message-history/repairs/{request}` are its own, every
    path without that beginning is an upstream's.
    """
    proxy = _Proxy(settings, conversations)

    async def health(_: Request) -> JSONResponse:
        return JSONResponse({"status": "ok", "upstreams": sorted(settings.upstreams)})

    async def metrics(_: Request) -> PlainTextResponse:
        return PlainTextResponse(proxy.metrics.text(), media_type="text/plain; version=0.0.4")

    async def newest(_: Request) -> JSONResponse:
        return JSONResponse({"requests": proxy.reports.newest()})

    async def repairs(request: Request) -> Any:
        report = proxy.reports.report(request.path_params["number"])
        if report is None:
            return JSONResponse({"error": "no request of this number is kept"}, status_code=404)
        return PlainTextResponse(report, media_type="application/json")

    async def unknown(_: Request) -> JSONResponse:
        return JSONResponse({"error": f"the paths under {OWN} are {', '.join(OWN_PATHS)}"}, status_code=404)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with proxy.client:
            yield
        proxy.close()

    own = [
        Route("/health", health),
        Route("/metrics", metrics),
        Route("/repairs", newest),
        Route("/repairs/{number}", repairs),
        # What is meant for the proxy, keys included, is nobody else's.
        Route("/{rest:path}", unknown, methods=METHODS),
    ]
    return Starlette(
        routes=[
            Route(OWN, unknown, methods=METHODS),
            Mount(OWN, routes=own, middleware=[Middleware(OwnPaths, hosts=settings.own_hosts.split(","))]),
            Mount("/", app=proxy),
        ],
        lifespan=lifespan,
    )


class _LeftError(Exception):
    """The client has left before its request was whole."""


class _StalledError(Exception):
    """The client has stopped sending before its request was whole."""


@final
class _Proxy:
    """The ASGI application for all paths that are not the proxy's own."""

    def __init__(self, settings: Settings, conversations: Conversations | None) -> None:
        self.metrics = Metrics()
        self.reports = Reports()
        self.client = httpx.AsyncClient(
            timeout=httpx.Timeout(settings.read_timeout, connect=settings.connect_timeout, pool=None),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=200),
            follow_redirects=False,
        )
        self._settings = settings
        memory = MemoryConversations(settings.max_conversations, settings.max_memory_bytes)
        self.metrics.gauge("conversations", "Conversations that are kept in memory.", memory.__len__)
        self.metrics.gauge("conversations_bytes", "About how much memory they hold.", lambda: memory.held_bytes)
        self._shared = conversations
        self._opened_store: DatabaseConversations | None = None
        if conversations is None and settings.store is not None:
            self._shared = conversations = self._opened_store = self._opened(settings.store)
        kept = conversations if conversations is not None else memory
        self._healer = Healer(kept if settings.follow else NoConversations())
        self._run = secrets.token_hex(4)
        self._numbers = itertools.count(1)

    def _opened(self, url: str) -> DatabaseConversations:
        from message_history_proxy.store import DatabaseConversations  # noqa: PLC0415 - only it needs SQLAlchemy

        def report(error: Exception) -> None:
            self.metrics.count("store_errors_total")
            logger.error("the store of conversations does not answer: %s", type(error).__name__)

        return DatabaseConversations(url, time.time, report)

    def close(self) -> None:
        if self._opened_store is not None:
            self._opened_store.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1003, "reason": "websockets are not forwarded"})
            return
        headers: Headers = list(scope["headers"])
        raw_path = scope.get("raw_path") or scope["path"].encode()
        target = target_of(self._settings.upstreams, scope["method"], raw_path.decode("latin-1"), headers)
        if target is None:
            names = ", ".join(f"/{name}" for name in sorted(self._settings.upstreams))
            await self._answer(send, 404, "no_upstream", f"No upstream has this path; begin it with one of {names}.")
            return
        try:
            if target.route is None:
                await self._pass_through(scope, receive, send, target, headers)
            else:
                await self._heal_and_forward(scope, receive, send, target, headers)
        except _LeftError:
            return
        except _StalledError:
            seconds = self._settings.upload_timeout
            text = f"The body did not go on for {seconds:g} seconds (upload_timeout)."
            await self._answer(send, 408, "upload_timeout", text)
        except BodyTooLargeError:
            limit = self._settings.max_body_bytes
            await self._answer(send, 413, "body_too_large", f"The body is larger than {limit} bytes (max_body_bytes).")

    async def _pass_through(self, scope: Scope, receive: Receive, send: Send, target: Target, headers: Headers) -> None:
        """Forward what holds no list of messages, without keeping it."""
        sent = forwarded_request_headers(headers)
        is_chunked = bool(header(headers, b"transfer-encoding"))
        # A message with chunks must not have a length (RFC 9112, 6.3).
        lengths = [pair for pair in headers if pair[0] == b"content-length" and not is_chunked]
        has_body = bool(lengths) or is_chunked
        request = self._request(scope, target, [*sent, *lengths], self._chunks(receive) if has_body else None)
        await self._exchange(receive, send, request, target, None, watch=not has_body)

    async def _heal_and_forward(
        self, scope: Scope, receive: Receive, send: Send, target: Target, headers: Headers
    ) -> None:
        body = await self._whole(receive, headers)
        healing = await self._healed(body, target, headers)
        drop = frozenset[bytes]()
        if healing is not None and healing.request.is_healed:
            body, drop = healing.request.body, frozenset({b"content-encoding", b"content-md5", b"digest"})
        request = self._request(scope, target, forwarded_request_headers(headers, drop=drop), body)
        await self._exchange(receive, send, request, target, healing, watch=True)

    async def _whole(self, receive: Receive, headers: Headers) -> bytes:
        limit = self._settings.max_body_bytes
        length = header(headers, b"content-length")
        if length.isdigit() and int(length) > limit:
            await self._refuse_large(receive)
        parts: list[bytes] = []
        size = 0
        async for chunk in self._chunks(receive):
            size += len(chunk)
            if size > limit:
                await self._refuse_large(receive)
            parts.append(chunk)
        return b"".join(parts)

    async def _refuse_large(self, receive: Receive) -> Never:
        # A client that is still sending would not see an answer.
        with anyio.move_on_after(DRAIN_SECONDS), suppress(_LeftError, _StalledError):
            async for _ in self._chunks(receive):
                pass
        raise BodyTooLargeError

    async def _chunks(self, receive: Receive) -> AsyncIterator[bytes]:
        while True:
            with anyio.move_on_after(self._settings.upload_timeout) as waiting:
                message = await receive()
            if waiting.cancelled_caught:
                raise _StalledError
            if message["type"] == "http.disconnect":
                raise _LeftError
            if message.get("body"):
                yield message["body"]
            if not message.get("more_body", False):
                return

    async def _healed(self, body: bytes, target: Target, headers: Headers) -> Healing[bytes] | None:
        """Heal a body; None when it cannot be read, and is passed on unchanged."""
        started = time.perf_counter()
        try:
            content = decompressed(body, header(headers, b"content-encoding"), self._settings.max_body_bytes)
            if len(content) > INLINE or self._shared is not None:
                healing: Healing[bytes] | None = await anyio.to_thread.run_sync(self._heal, content, target)
            else:
                healing = self._heal(content, target)
        except CannotReadError:
            return None
        self.metrics.added(time.perf_counter() - started)
        if healing is not None and healing.request.is_healed:
            self.metrics.count("healed_requests_total", api=healing.request.dialect.name)
            for code, count in Counter(repair.code.value for repair in healing.request.new_repairs).items():
                self.metrics.count("repairs_total", count, code=code)
        return healing

    def _heal(self, content: bytes, target: Target) -> Healing[bytes] | None:
        if target.route is None:
            return None
        try:
            upstream = target.upstream
            return self._healer.heal(
                content, target.route, group=upstream.name, provider=upstream.provider, dialect=upstream.dialect
            )
        except Exception as error:  # noqa: BLE001 - whatever is wrong here, the request is sent unchanged
            self.metrics.count("errors_total", reason="not_healed")
            logger.error("a request was passed on unhealed: %s", type(error).__name__)  # noqa: TRY400 - no content
            return None

    def _request(
        self, scope: Scope, target: Target, headers: Headers, content: bytes | AsyncIterator[bytes] | None
    ) -> httpx.Request:
        query = scope.get("query_string", b"")
        url = httpx.URL(target.upstream.url)
        path = url.raw_path.rstrip(b"/") + target.path.encode("latin-1") + (b"?" + query if query else b"")
        return httpx.Request(
            scope["method"],
            url,  # the path is in `target`, as it came: not every path is one of a URL
            headers=headers,
            content=content,
            extensions={"target": path, "timeout": self.client.timeout.as_dict()},
        )

    async def _exchange(
        self,
        receive: Receive,
        send: Send,
        request: httpx.Request,
        target: Target,
        healing: Healing[bytes] | None,
        *,
        watch: bool,
    ) -> None:
        """Send a request and pass its response on; a client that leaves after its body cancels both."""
        if not watch:
            await self._forward(send, request, target, healing)
            return
        async with anyio.create_task_group() as group:

            async def leave() -> None:
                while (await receive())["type"] != "http.disconnect":
                    pass
                group.cancel_scope.cancel()

            group.start_soon(leave)
            await self._forward(send, request, target, healing)
            group.cancel_scope.cancel()

    async def _forward(
        self, send: Send, request: httpx.Request, target: Target, healing: Healing[bytes] | None
    ) -> None:
        try:
            response = await self.client.send(request, stream=True)
        except httpx.TimeoutException:
            await self._answer(send, 504, "upstream_timeout", f"The upstream {target.upstream.name} did not answer.")
            return
        except httpx.HTTPError as error:
            text = f"The upstream {target.upstream.name} cannot be reached ({type(error).__name__})."
            await self._answer(send, 502, "upstream_unreachable", text)
            return
        try:
            await self._respond(send, response, target, healing)
        except (httpx.HTTPError, httpx.StreamError):
            # The headers are out: an end without a last chunk is all that can tell the client.
            self.metrics.count("errors_total", reason="upstream_broke_off")
        finally:
            with anyio.CancelScope(shield=True):
                await response.aclose()

    async def _respond(
        self, send: Send, response: httpx.Response, target: Target, healing: Healing[bytes] | None
    ) -> None:
        api = target.route.api if target.route is not None else "other"
        self.metrics.count("requests_total", api=api, status=str(response.status_code))
        headers = forwarded_response_headers(response.headers.raw)
        read, rest = b"", response.aiter_raw()
        if healing is not None:
            number = f"{self._run}-{next(self._numbers)}"
            if healing.request.is_healed:
                self.reports.keep(number, healing.request)
            headers += repair_headers(number, healing.request)
            if response.is_success:
                await self._keep(healing)
                _log_healed(number, healing)
            elif response.status_code in REFUSED:
                self.metrics.count("still_refused_total", api=api)
                read, rest, is_whole = await beginning_of(response)
                text = text_in(response, read) if is_whole else ""
                # It takes a while, and streams go on meanwhile.
                explained = await anyio.to_thread.run_sync(explanation_headers, text, healing.request.dialect)
                headers += explained
                rule = explained[0][1].decode() if explained else "no rule of messages that is known"
                logger.warning("%s: still refused with %s: %s", number, response.status_code, rule)
        await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
        if read:
            await send(_body(read, more=True))
        async for chunk in rest:
            await send(_body(chunk, more=True))
        await send(_body(b"", more=False))

    async def _keep(self, healing: Healing[bytes]) -> None:
        try:
            if self._shared is not None:
                await anyio.to_thread.run_sync(self._healer.sent, healing)
            else:
                self._healer.sent(healing)
        except Exception as error:  # noqa: BLE001 - the response goes on without it
            self.metrics.count("errors_total", reason="not_kept")
            logger.error("what was sent could not be kept: %s", type(error).__name__)  # noqa: TRY400 - no content

    async def _answer(self, send: Send, status: int, reason: str, text: str) -> None:
        self.metrics.count("errors_total", reason=reason)
        body = json_bytes({"type": "error", "error": {"type": reason, "message": f"message-history proxy: {text}"}})
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        if status in (408, 413):
            headers.append((b"connection", b"close"))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send(_body(body, more=False))


def _log_healed(number: str, healing: Healing[bytes]) -> None:
    if healing.request.new_repairs and not healing.counts:
        codes = codes_of(healing.request.new_repairs)
        logger.info("%s: healed (%s): %s", number, healing.request.dialect.name, codes)


def _body(chunk: bytes, *, more: bool) -> Message:
    return {"type": "http.response.body", "body": chunk, "more_body": more}
