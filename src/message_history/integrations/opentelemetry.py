"""OpenTelemetry: repairs as a metric and as events of the current span.

with RepairObserver() as observer:
    history = MessageHistory.from_list(raw)                  # what it mends is logged, and so observed
    exported = history.export(dialect)
    observer.observe(exported.repairs, dialect.name)         # what a dialect cannot take is not logged
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, final

from opentelemetry import metrics, trace

from message_history.core.repairs import Repair

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from opentelemetry.metrics import MeterProvider

__all__ = ["COUNTER", "EVENT", "RepairObserver"]

COUNTER: Final = "message_history.repairs"
"""The metric: how many repairs, by code, severity and dialect."""
EVENT: Final = "message_history.repair"
"""The event of a span."""
_LOGGER: Final = logging.getLogger("message_history")


@final
class RepairObserver(logging.Handler):
    """Counts repairs, and tells the current span of them.

    It listens to the logger `message_history`, on which lossless repairs are INFO and all others WARNING: set the
    logger's level to let the former through. Use it as a context, or call `install` and `uninstall`.

    Args:
        meter_provider: where to count; the global one by default.
        details: whether events say what was changed; it may quote the conversation.
    """

    def __init__(self, *, meter_provider: MeterProvider | None = None, details: bool = False) -> None:
        super().__init__()
        meter = metrics.get_meter("message_history", meter_provider=meter_provider)
        self._counter = meter.create_counter(COUNTER, unit="{repair}", description="Changes made to message histories")
        self._details = details

    def install(self) -> None:
        """Begin to listen."""
        _LOGGER.addHandler(self)

    def uninstall(self) -> None:
        """Stop listening."""
        _LOGGER.removeHandler(self)

    def __enter__(self) -> RepairObserver:
        self.install()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.uninstall()

    def emit(self, record: logging.LogRecord) -> None:
        """Observe the repair of a log record; records of anything else are passed over."""
        repair = getattr(record, "repair", None)
        if isinstance(repair, Repair):
            self.observe((repair,), getattr(record, "repair_dialect", ""))

    def observe(self, repairs: Iterable[Repair], dialect: str) -> None:
        """Observe repairs that are not logged: those of an export.

        Args:
            repairs: the repairs.
            dialect: the name of the dialect.
        """
        span = trace.get_current_span()
        for repair in repairs:
            told: dict[str, str | int] = {
                "message_history.repair.code": repair.code.value,
                "message_history.repair.severity": repair.severity.value,
                "message_history.dialect": dialect or "none",
            }
            self._counter.add(1, told)
            if not span.is_recording():
                continue
            told["message_history.repair.index"] = repair.index
            if repair.source is not None:
                told["message_history.repair.source"] = repair.source
            if self._details:
                told["message_history.repair.detail"] = repair.detail
            span.add_event(EVENT, told)
