"""Servers on this machine for one test: the proxy, and upstreams to put behind it."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from message_history_proxy.serving import make_server
from message_history_proxy.settings import Settings, Upstream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from message_history_healing.conversations import Conversations


@contextmanager
def proxy_for(
    urls: dict[str, str],
    conversations: Conversations | None = None,
    providers: dict[str, str] | None = None,
    **more: Any,
) -> Iterator[str]:
    """Run a proxy in a thread; gives its address."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    upstreams = {name: Upstream(name=name, url=url, provider=(providers or {}).get(name)) for name, url in urls.items()}
    server = make_server(Settings(port=port, upstreams=upstreams, **more), conversations)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 10
    while not server.started:
        assert time.monotonic() < deadline, "the proxy did not start"
        assert thread.is_alive(), "the proxy did not start"
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)
        assert not thread.is_alive(), "the proxy did not stop"


@contextmanager
def raw_upstream(answer: Callable[[socket.socket, bytes], None]) -> Iterator[tuple[str, list[bytes]]]:
    """Run an upstream that gets each request's bytes whole and answers as it likes; gives its address and requests."""
    listening = socket.create_server(("127.0.0.1", 0))
    requests: list[bytes] = []

    def serve(connection: socket.socket) -> None:
        with connection:
            while (request := _read(connection)) is not None:
                requests.append(request)
                answer(connection, request)

    def accept() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", requests
    finally:
        listening.close()


def _read(connection: socket.socket) -> bytes | None:
    data = b""
    try:
        while b"\r\n\r\n" not in data:
            more = connection.recv(65536)
            if not more:
                return None
            data += more
        head, _, body = data.partition(b"\r\n\r\n")
        lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        length = int(lengths[0].split(b":")[1]) if lengths else 0
        is_chunked = b"transfer-encoding: chunked" in head.lower()
        while len(body) < length or (is_chunked and not body.endswith(b"0\r\n\r\n")):
            more = connection.recv(65536)
            if not more:
                return data
            body += more
            data += more
    except OSError:
        return None
    return data


@contextmanager
def proxy_before(
    answer: Callable[[socket.socket, bytes], None], name: str = "openai", **more: Any
) -> Iterator[tuple[str, list[bytes]]]:
    """Run a proxy before an upstream that answers as it likes; gives the proxy's address, and what the upstream got."""
    with raw_upstream(answer) as (upstream, seen), proxy_for({name: upstream}, **more) as url:
        yield url, seen
