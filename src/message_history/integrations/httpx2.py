"""httpx2, which newer SDKs use: transports that heal the requests of an SDK on their way.

client = anthropic.Anthropic(http_client=httpx2.Client(transport=HealingTransport()))
client = anthropic.AsyncAnthropic(http_client=httpx2.AsyncClient(transport=AsyncHealingTransport()))
"""

from __future__ import annotations

from typing import final

import httpx2

from message_history.integrations.transports import AsyncHealing, SyncHealing


@final
class HealingTransport(SyncHealing[httpx2.BaseTransport], httpx2.BaseTransport):
    """Heals the requests to every known API, and passes all others on; for SDKs that take a `httpx2.Client`.

    Args:
        transport: what sends the requests; `httpx2.HTTPTransport()` by default.
        healer: keeps what was sent of each conversation; one of its own by default.
        provider: who serves Chat Completions or Responses, as for `OpenAIChat.for_model`.
        on_healed: called with each request that was healed.
    """

    _default = httpx2.HTTPTransport


@final
class AsyncHealingTransport(AsyncHealing[httpx2.AsyncBaseTransport], httpx2.AsyncBaseTransport):
    """Heals the requests to every known API, and passes all others on; for SDKs that take a `httpx2.AsyncClient`.

    Args:
        transport: what sends the requests; `httpx2.AsyncHTTPTransport()` by default.
        healer: keeps what was sent of each conversation; one of its own by default.
        provider: who serves Chat Completions or Responses, as for `OpenAIChat.for_model`.
        on_healed: called with each request that was healed.
    """

    _default = httpx2.AsyncHTTPTransport
