"""httpx2, which newer SDKs use: transports that heal the requests of an SDK on their way.

client = anthropic.Anthropic(http_client=httpx2.Client(transport=HealingTransport()))
client = anthropic.AsyncAnthropic(http_client=httpx2.AsyncClient(transport=AsyncHealingTransport()))
"""

from __future__ import annotations

from typing import final

import httpx2

from message_history_healing.transports import AsyncHealing, SyncHealing


@final
class HealingTransport(SyncHealing[httpx2.BaseTransport], httpx2.BaseTransport):
    """Heals the requests to every known API, and passes all others on; as that of `httpx` does."""

    _default = httpx2.HTTPTransport


@final
class AsyncHealingTransport(AsyncHealing[httpx2.AsyncBaseTransport], httpx2.AsyncBaseTransport):
    """Heals the requests to every known API, and passes all others on; as that of `httpx` does."""

    _default = httpx2.AsyncHTTPTransport
