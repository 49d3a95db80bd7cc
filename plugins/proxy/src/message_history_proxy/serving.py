"""Run the proxy with uvicorn; nothing of a request is logged."""

from __future__ import annotations

import logging
import signal
import socket
from typing import TYPE_CHECKING, Final, NamedTuple, final

import uvicorn

from message_history.extras import not_installed
from message_history_proxy.app import create_app
from message_history_proxy.settings import SettingsError

if TYPE_CHECKING:
    from message_history_healing.conversations import Conversations
    from message_history_proxy.settings import Settings

_EXTRAS: Final = {"sqlalchemy": "sql", "psycopg": "postgres"}
_WAITING: Final = 2048
"""How many connections may wait to be taken, as with a socket of uvicorn's own."""


@final
class Prepared(NamedTuple):
    """A server that has its port and serves nothing yet."""

    server: uvicorn.Server
    listening: socket.socket

    @property
    def address(self) -> str:
        host, port = self.listening.getsockname()[:2]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def make_server(settings: Settings, conversations: Conversations | None = None) -> uvicorn.Server:
    """Make the server; its `run` serves until it is stopped. What was sent is kept in memory by default."""
    config = uvicorn.Config(
        create_app(settings, conversations),
        host=settings.host,
        port=settings.port,
        # A path may hold a key in its query, a traceback anything.
        access_log=False,
        log_level="critical",
        server_header=False,
        date_header=False,
        lifespan="on",
        ws="none",
        timeout_graceful_shutdown=5,
    )
    return uvicorn.Server(config)


def prepare(settings: Settings) -> Prepared:
    """Make the server and take its port, so that errors show before it prints where it listens."""
    try:
        server = make_server(settings)
    except ModuleNotFoundError as error:
        extra = _EXTRAS.get((error.name or "").partition(".")[0])
        if extra is None:
            raise
        raise SettingsError(f"the store: {not_installed(error.name, extra)}") from None
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        listening = socket.create_server((settings.host, settings.port), family=family, backlog=_WAITING)
    except OSError as error:
        place = f"port {settings.port} of {settings.host}"
        why = (error.strerror or "").partition(" (")[0]
        raise SettingsError(f"cannot listen on {place}: {why}; choose another port or host") from None
    # asyncio sends without delay (TCP_NODELAY) on sockets that name their protocol; those of `create_server` do not.
    return Prepared(server, socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, listening.detach()))


def serve(prepared: Prepared) -> None:
    """Serve until it is interrupted or terminated; the main thread alone can."""
    # A repair's log record quotes what was repaired; those of the proxy itself hold nothing of a request.
    repairs = logging.getLogger("message_history")
    repairs.addHandler(logging.NullHandler())
    repairs.propagate = False
    own = logging.getLogger("message_history_proxy")
    own.setLevel(logging.INFO)
    own.addHandler(logging.StreamHandler())
    # uvicorn raises again what has stopped it; stopping is not a failure.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, prepared.server.handle_exit)
    prepared.server.run(sockets=[prepared.listening])
