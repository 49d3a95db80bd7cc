"""Counters of the proxy, in Prometheus' text format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

if TYPE_CHECKING:
    from collections.abc import Callable

PREFIX: Final = "message_history_proxy"
BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
_COUNTERS: Final = {
    "requests_total": ("Requests that were forwarded, by API and status.", ("api", "status")),
    "healed_requests_total": ("Requests that were healed, by API.", ("api",)),
    "repairs_total": ("Repairs that were made for the first time in their conversation, by code.", ("code",)),
    "still_refused_total": (
        "Requests that the upstream refused though their list is valid or was healed, by API.",
        ("api",),
    ),
    "errors_total": ("Requests that the proxy answered itself, by reason.", ("reason",)),
    "store_errors_total": ("Times that the store of conversations did not answer.", ()),
}


@final
class Metrics:
    """Counters, and a histogram of the latency that healing adds; of one proxy, and not of the process."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._counters = {
            name: Counter(f"{PREFIX}_{name}", text, labels, registry=self._registry)
            for name, (text, labels) in _COUNTERS.items()
        }
        self._added = Histogram(
            f"{PREFIX}_added_latency_seconds",
            "The time that reading and healing a request takes.",
            buckets=BOUNDS,
            registry=self._registry,
        )

    def count(self, name: str, amount: int = 1, **labels: str) -> None:
        counter = self._counters[name]
        (counter.labels(**labels) if labels else counter).inc(amount)

    def added(self, seconds: float) -> None:
        """Note the latency that healing one request has added."""
        self._added.observe(seconds)

    def gauge(self, name: str, text: str, read: Callable[[], float]) -> None:
        """Add a value that is read when somebody asks."""
        Gauge(f"{PREFIX}_{name}", text, registry=self._registry).set_function(read)

    def text(self) -> bytes:
        """Write all of it in Prometheus' text format."""
        text: bytes = generate_latest(self._registry)
        return text
