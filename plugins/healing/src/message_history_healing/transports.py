"""What the transports for `httpx` and for `httpx2` share: they heal requests on their way."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeAlias, TypeVar

from message_history_healing.healer import Healer, Healing
from message_history_healing.routes import route_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from message_history_healing.request import HealedRequest

OnHealed: TypeAlias = "Callable[[HealedRequest[bytes]], object]"
TransportT = TypeVar("TransportT")
MISTRAL: Final = "mistral"


class _Healing(Generic[TransportT]):
    """Heals one request, and keeps what was sent of it; `_default` makes what sends the requests."""

    _default: ClassVar[Callable[[], Any]]

    def __init__(
        self,
        transport: TransportT | None = None,
        *,
        healer: Healer | None = None,
        provider: str | None = None,
        on_healed: OnHealed | None = None,
    ) -> None:
        self._transport: Any = transport if transport is not None else type(self)._default()
        self._healer = healer if healer is not None else Healer()
        self._provider, self._on_healed = provider, on_healed

    def _heal(self, request: Any) -> Healing[bytes] | None:
        """Heal a request that was read; None for one that holds no list of messages."""
        mistral = MISTRAL in (self._provider, *request.url.host.split("."))
        route = route_of(request.url.path, mistral=mistral) if request.method == "POST" else None
        if route is None or request.headers.get("content-encoding", "identity") != "identity":
            return None
        content: bytes = request.content
        healing = self._healer.heal(content, route, group=request.url.host, provider=self._provider)
        if healing.request.is_healed and self._on_healed is not None:
            self._on_healed(healing.request)
        return healing

    def _sent(self, healing: Healing[bytes], response: Any) -> Any:
        """Keep what was sent if the provider took it, and say in a header what was repaired."""
        if response.is_success:
            self._healer.sent(healing)
        if healing.request.is_healed:
            codes = Counter(repair.code.value for repair in healing.request.repairs)
            response.headers["message-history-repairs"] = ", ".join(f"{code}={n}" for code, n in sorted(codes.items()))
        return response


class SyncHealing(_Healing[TransportT]):
    """The methods of a transport for a client; `transport` sends the requests."""

    def handle_request(self, request: Any) -> Any:
        """Heal a request, send it, and keep what was sent if the provider took it."""
        request.read()
        healing = self._heal(request)
        if healing is None:
            return self._transport.handle_request(request)
        return self._sent(healing, self._transport.handle_request(_with_body(request, healing)))

    def close(self) -> None:
        """Close what sends the requests."""
        self._transport.close()


class AsyncHealing(_Healing[TransportT]):
    """The methods of a transport for an asynchronous client; `transport` sends the requests."""

    async def handle_async_request(self, request: Any) -> Any:
        """Heal a request, send it, and keep what was sent if the provider took it."""
        await request.aread()
        healing = self._heal(request)
        if healing is None:
            return await self._transport.handle_async_request(request)
        return self._sent(healing, await self._transport.handle_async_request(_with_body(request, healing)))

    async def aclose(self) -> None:
        """Close what sends the requests."""
        await self._transport.aclose()


def _with_body(request: Any, healing: Healing[bytes]) -> Any:
    if not healing.request.is_healed:
        return request
    headers = [pair for pair in request.headers.raw if pair[0].lower() not in _ABOUT_THE_BODY]
    return type(request)(
        request.method, request.url, headers=headers, content=healing.request.body, extensions=request.extensions
    )


_ABOUT_THE_BODY: Final = (b"content-length", b"transfer-encoding")
