"""Run the proxy with uvicorn; nothing of a request is logged."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import uvicorn

from message_history.proxy.app import create_app

if TYPE_CHECKING:
    from message_history.healing.conversations import Conversations
    from message_history.proxy.settings import Settings

__all__ = ["make_server", "serve"]


def make_server(settings: Settings, conversations: Conversations | None = None) -> uvicorn.Server:
    """Make the server; its `run` serves until it is stopped.

    Args:
        settings: the settings of the proxy.
        conversations: where it keeps what was sent; in memory by default.

    Returns:
        The server.
    """
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


def serve(settings: Settings) -> None:
    """Serve until interrupted.

    Args:
        settings: the settings of the proxy.
    """
    # A repair's log record quotes what was repaired.
    repairs = logging.getLogger("message_history")
    repairs.addHandler(logging.NullHandler())
    repairs.propagate = False
    make_server(settings).run()
