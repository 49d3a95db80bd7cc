"""Repairs in the logs, as JSON, and in OpenTelemetry.

`python examples/frameworks/observing_repairs.py`
"""

from __future__ import annotations

import json
import logging

from opentelemetry import metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from message_history import MessageHistory
from message_history.dialects import OpenAIChat
from message_history.integrations.opentelemetry import RepairObserver


class JsonFormatter(logging.Formatter):
    """One JSON object per line, with the fields that a repair's record has."""

    def format(self, record: logging.LogRecord) -> str:
        """Write a record."""
        recorded = {name: value for name, value in vars(record).items() if name.startswith("repair_")}
        return json.dumps({"level": record.levelname, **recorded})


def main() -> None:
    """Read a broken list, send it elsewhere, and tell what was counted."""
    handler = logging.StreamHandler(stream=None)
    handler.setFormatter(JsonFormatter())
    logger = logging.getLogger("message_history")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)

    reader = InMemoryMetricReader()
    metrics.set_meter_provider(MeterProvider([reader]))
    with RepairObserver() as observer:
        history = MessageHistory.from_list([{"role": "assistant", "content": [{"type": "text", "text": "Hello."}]}])
        dialect = OpenAIChat()
        observer.observe(history.export(dialect).repairs, dialect.name)

    data = reader.get_metrics_data()
    for resource in data.resource_metrics if data is not None else ():
        for metric in (metric for scope in resource.scope_metrics for metric in scope.metrics):
            print(metric.name, len(metric.data.data_points))


if __name__ == "__main__":
    main()
