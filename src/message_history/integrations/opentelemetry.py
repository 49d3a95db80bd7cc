"""OpenTelemetry: repairs as a metric and as events of the current span.

with RepairObserver() as observer:
    history = MessageHistory.from_list(raw)                  # what is repaired is logged, and so observed
    exported = history.export(dialect)
    observer.observe(exported.repairs, dialect.name)         # what a dialect cannot take is not logged
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, final

from opentelemetry import metrics, trace

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from opentelemetry.metrics import MeterProvider

    from message_history.core.messages.repairs import Repair

__all__ = ["COUNTER", "EVENT", "RepairObserver"]

COUNTER: Final = "message_history.repairs"
"""The metric: how many repairs, by code, severity and dialect."""
EVENT: Final = "message_history.repair"
"""The event of a span."""
_LOGGER: Final = logging.getLogger("message_history")


@final
class RepairObserver(logging.Handler):
    """Counts repairs, and adds them to the current span.

    It listens to the logger `message_history`, on which lossless repairs are INFO and all others WARNING: set the
    logger's level to let the former through. Use it as a context, or call `install` and `uninstall`.

    Args:
        meter_provider: where to count; the global one by default.
        details: whether events of `observe` say what was changed; it may quote the history. Log records never do.
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
        """Observe the repair of a log record, which holds no content; other records are passed over."""
        if hasattr(record, "repair_code"):
            self._observe(
                record.repair_code,
                getattr(record, "repair_severity", ""),
                getattr(record, "repair_dialect", ""),
                getattr(record, "repair_index", 0),
                getattr(record, "repair_source", None),
            )

    def observe(self, repairs: Iterable[Repair], dialect: str) -> None:
        """Observe repairs that are not logged: those of an export.

        Args:
            repairs: the repairs.
            dialect: the name of the dialect.
        """
        for repair in repairs:
            detail = repair.detail if self._details else None
            self._observe(repair.code.value, repair.severity.value, dialect, repair.index, repair.source, detail=detail)

    def _observe(
        self, code: str, severity: str, dialect: str, index: int, source: int | None, *, detail: str | None = None
    ) -> None:
        attributes: dict[str, str | int] = {
            "message_history.repair.code": code,
            "message_history.repair.severity": severity,
            "message_history.dialect": dialect or "none",
        }
        self._counter.add(1, attributes)
        span = trace.get_current_span()
        if not span.is_recording():
            return
        attributes["message_history.repair.index"] = index
        if source is not None:
            attributes["message_history.repair.source"] = source
        if detail is not None:
            attributes["message_history.repair.detail"] = detail
        span.add_event(EVENT, attributes)
