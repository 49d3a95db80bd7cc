"""Counters of the proxy, in Prometheus' text format."""

from __future__ import annotations

from collections import Counter
from threading import Lock
from typing import TYPE_CHECKING, Final, final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PREFIX: Final = "message_history_proxy"
BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
_HELP: Final = {
    "requests_total": "Requests that were forwarded, by API and status.",
    "healed_requests_total": "Requests that were healed, by API.",
    "repairs_total": "Repairs that were made for the first time in their conversation, by code.",
    "still_refused_total": "Requests that the upstream refused though their list is valid or was healed, by API.",
    "errors_total": "Requests that the proxy answered itself, by reason.",
    "store_errors_total": "Times that the store of conversations did not answer.",
}


@final
class Metrics:
    """Counters, and a histogram of the latency that healing adds."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, tuple[tuple[str, str], ...]]] = Counter()
        self._buckets = [0] * (len(BOUNDS) + 1)
        self._seconds = 0.0
        self._lock = Lock()

    def count(self, name: str, amount: int = 1, **labels: str) -> None:
        """Add to the counter of this name (without the prefix) and these labels."""
        with self._lock:
            self._counts[name, tuple(sorted(labels.items()))] += amount

    def added(self, seconds: float) -> None:
        bucket = next((n for n, bound in enumerate(BOUNDS) if seconds <= bound), len(BOUNDS))
        with self._lock:
            self._buckets[bucket] += 1
            self._seconds += seconds

    def text(self, gauges: Iterable[tuple[str, str, float]] = ()) -> str:
        """Write all of it in Prometheus' text format. Each of `gauges` is a name, what it is, and its value."""
        return "\n".join([*self._lines(gauges), ""])

    def _lines(self, gauges: Iterable[tuple[str, str, float]]) -> Iterator[str]:
        with self._lock:
            counts, buckets, seconds = sorted(self._counts.items()), list(self._buckets), self._seconds
        for name, help_text in _HELP.items():
            yield f"# HELP {PREFIX}_{name} {help_text}"
            yield f"# TYPE {PREFIX}_{name} counter"
            for (counted, labels), value in counts:
                if counted == name:
                    yield f"{PREFIX}_{name}{_labels(labels)} {value}"
        name = f"{PREFIX}_added_latency_seconds"
        yield f"# HELP {name} The time that reading and healing a request takes."
        yield f"# TYPE {name} histogram"
        total = 0
        for bound, number in zip([*map(str, BOUNDS), "+Inf"], buckets, strict=True):
            total += number
            yield f'{name}_bucket{{le="{bound}"}} {total}'
        yield f"{name}_sum {seconds:.6f}"
        yield f"{name}_count {total}"
        for gauge, help_text, amount in gauges:
            yield f"# HELP {PREFIX}_{gauge} {help_text}"
            yield f"# TYPE {PREFIX}_{gauge} gauge"
            yield f"{PREFIX}_{gauge} {amount}"


def _labels(labels: tuple[tuple[str, str], ...]) -> str:
    if not labels:
        return ""
    escaped = ((key, value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")) for key, value in labels)
    return "{" + ",".join(f'{key}="{value}"' for key, value in escaped) + "}"
