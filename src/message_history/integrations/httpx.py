"""httpx: transports that heal the requests of an SDK on their way.

client = openai.OpenAI(http_client=httpx.Client(transport=HealingTransport()))
client = openai.AsyncOpenAI(http_client=httpx.AsyncClient(transport=AsyncHealingTransport()))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import httpx

from message_history.integrations.transports import AsyncHealing, OnHealed, SyncHealing

if TYPE_CHECKING:
    from message_history.healing.healer import Healer

__all__ = ["AsyncHealingTransport", "HealingTransport"]


@final
class HealingTransport(SyncHealing, httpx.BaseTransport):
    """Heals the requests to every known API, and passes all others on; for SDKs that take a `httpx.Client`.

    Args:
        transport: what sends the requests; `httpx.HTTPTransport()` by default.
        healer: keeps what was sent of each conversation; one of its own by default.
        provider: who serves Chat Completions or Responses, as for `OpenAIChat.for_model`.
        on_healed: called with each request that was healed.
    """

    def __init__(
        self,
        transport: httpx.BaseTransport | None = None,
        *,
        healer: Healer | None = None,
        provider: str | None = None,
        on_healed: OnHealed | None = None,
    ) -> None:
        super().__init__(transport if transport is not None else httpx.HTTPTransport(), healer, provider, on_healed)


@final
class AsyncHealingTransport(AsyncHealing, httpx.AsyncBaseTransport):
    """Heals the requests to every known API, and passes all others on; for SDKs that take a `httpx.AsyncClient`.

    Args:
        transport: what sends the requests; `httpx.AsyncHTTPTransport()` by default.
        healer: keeps what was sent of each conversation; one of its own by default.
        provider: who serves Chat Completions or Responses, as for `OpenAIChat.for_model`.
        on_healed: called with each request that was healed.
    """

    def __init__(
        self,
        transport: httpx.AsyncBaseTransport | None = None,
        *,
        healer: Healer | None = None,
        provider: str | None = None,
        on_healed: OnHealed | None = None,
    ) -> None:
        super().__init__(
            transport if transport is not None else httpx.AsyncHTTPTransport(), healer, provider, on_healed
        )
