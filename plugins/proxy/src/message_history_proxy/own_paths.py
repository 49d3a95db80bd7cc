"""Who may ask the proxy for what it keeps: nobody whom a web page of somebody else has sent."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, final

from starlette.responses import JSONResponse

from message_history_proxy.forwarding import header

if TYPE_CHECKING:
    from collections.abc import Collection

    from starlette.types import ASGIApp, Receive, Scope, Send


@final
class OwnPaths:
    """Refuses requests for the proxy's own paths that come from a web page.

    A page can give its own name any address (DNS rebinding), so a request must name this machine, an address, or a
    host that is configured; and only browsers send `Origin`.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        self._app = app  # what answers the others
        self._hosts = frozenset(host.strip().lower() for host in hosts) - {""}  # the names that are configured

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        reason = self._refusal(scope["headers"])
        answer = self._app if reason is None else JSONResponse({"error": reason}, status_code=403)
        await answer(scope, receive, send)

    def _refusal(self, headers: list[tuple[bytes, bytes]]) -> str | None:
        if header(headers, b"origin"):
            return "the proxy's own paths are not for web pages; ask without an Origin header"
        name = _host_name(header(headers, b"host"))
        if name in self._hosts or name == "localhost" or _is_address(name):
            return None
        return f"the proxy does not answer as {name!r:.200}; use its address, or name this host in own_hosts"


def _host_name(value: str) -> str:
    if value.startswith("["):
        return value.partition("]")[0][1:]
    return value.partition(":")[0].rstrip(".").lower()


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
