"""httpx: transports that heal the requests of an SDK on their way.

client = openai.OpenAI(http_client=httpx.Client(transport=HealingTransport()))
client = openai.AsyncOpenAI(http_client=httpx.AsyncClient(transport=AsyncHealingTransport()))
"""

from __future__ import annotations

from typing import final

import httpx

from message_history_healing.transports import AsyncHealing, SyncHealing

__all__ = ["AsyncHealingTransport", "HealingTransport"]


@final
class HealingTransport(SyncHealing[httpx.BaseTransport], httpx.BaseTransport):
    """Heals the requests to every known API, and passes all others on; for SDKs that take a `httpx.Client`.

    Args:
        transport: what sends the requests; `httpx.HTTPTransport()` by default.
        healer: keeps what was sent of each conversation; one of its own by default.
        provider: who serves Chat Completions or Responses, as for `OpenAIChat.for_model`.
        on_healed: called with each request that was healed.
    """

    _default = httpx.HTTPTransport


@final
class AsyncHealingTransport(AsyncHealing[httpx.AsyncBaseTransport], httpx.AsyncBaseTransport):
    """Heals the requests to every known API, and passes all others on; for SDKs that take a `httpx.AsyncClient`.

    Args:
        transport: what sends the requests; `httpx.AsyncHTTPTransport()` by default.
        healer: keeps what was sent of each conversation; one of its own by default.
        provider: who serves Chat Completions or Responses, as for `OpenAIChat.for_model`.
        on_healed: called with each request that was healed.
    """

    _default = httpx.AsyncHTTPTransport
