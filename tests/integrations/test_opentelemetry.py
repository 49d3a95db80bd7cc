"""Repairs as a metric and as events of a span."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest

from message_history import Message, MessageHistory, ProviderBlock, RepairCode
from message_history.dialects import OpenAIChat

pytest.importorskip("opentelemetry.sdk")

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from message_history.integrations.opentelemetry import COUNTER, EVENT, RepairObserver

if TYPE_CHECKING:
    from collections.abc import Iterator

BROKEN = [
    {"role": "assistant", "content": "hi"},
    {"role": "user", "content": [{"type": "text", "text": ""}]},
    {"role": "user", "content": [{"type": "text", "text": " "}]},
]


class Telemetry:
    """What was counted, and the spans."""

    def __init__(self) -> None:
        self.reader = InMemoryMetricReader()
        self.meters = MeterProvider([self.reader])
        self.exporter = InMemorySpanExporter()
        traces = TracerProvider()
        traces.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.tracer = traces.get_tracer("test")

    def counts(self) -> dict[tuple[Any, ...], int]:
        data: Any = self.reader.get_metrics_data()
        points = [
            point
            for resource in (data.resource_metrics if data is not None else ())
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == COUNTER
            for point in metric.data.data_points
        ]
        return {tuple(point.attributes.values()): point.value for point in points}

    def events(self) -> list[dict[str, Any]]:
        spans: tuple[ReadableSpan, ...] = self.exporter.get_finished_spans()
        return [dict(event.attributes or {}) for span in spans for event in span.events if event.name == EVENT]


@pytest.fixture
def telemetry() -> Iterator[Telemetry]:
    made = Telemetry()
    yield made
    made.meters.shutdown()


def test_repairs_are_counted_by_code_and_dialect(telemetry: Telemetry) -> None:
    with RepairObserver(meter_provider=telemetry.meters):
        MessageHistory.from_list(BROKEN)
        MessageHistory().add(Message.assistant("hi"))
    MessageHistory.from_list(BROKEN)
    assert telemetry.counts() == {
        ("bootstrap_added", "synthetic", "anthropic"): 1,
        ("blank_text_dropped", "lossy", "anthropic"): 2,
        ("bootstrap_added", "synthetic", "none"): 1,
    }


def test_lossless_repairs_are_counted_when_the_logger_lets_them_through(
    telemetry: Telemetry, caplog: pytest.LogCaptureFixture
) -> None:
    raw = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}}]},
        {"role": "user", "content": "b"},
        {"role": "assistant", "content": "c"},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "ok"}]},
    ]
    with RepairObserver(meter_provider=telemetry.meters):
        MessageHistory.from_list(raw)
        assert telemetry.counts() == {}
        caplog.set_level(logging.INFO, "message_history")
        MessageHistory.from_list(raw)
    assert telemetry.counts()["result_moved", "lossless", "anthropic"] == 1


def test_what_an_export_leaves_out_is_counted_for_its_dialect(telemetry: Telemetry) -> None:
    history = MessageHistory().add_user("hi").add_assistant(["a", ProviderBlock("anthropic", {"type": "x"})])
    observer = RepairObserver(meter_provider=telemetry.meters)
    dialect = OpenAIChat(prefill=True)
    observer.observe(history.export(dialect).repairs, dialect.name)
    assert telemetry.counts() == {(RepairCode.WITHHELD.value, "lossy", "openai_chat"): 1}


def test_the_current_span_is_told(telemetry: Telemetry) -> None:
    with telemetry.tracer.start_as_current_span("load"), RepairObserver(meter_provider=telemetry.meters):
        MessageHistory.from_list(BROKEN)
    assert telemetry.events()[0] == {
        "message_history.repair.code": "bootstrap_added",
        "message_history.repair.severity": "synthetic",
        "message_history.dialect": "anthropic",
        "message_history.repair.index": 0,
        "message_history.repair.source": 0,
    }
    assert len(telemetry.events()) == 3


def test_details_are_shown_only_when_asked_for(telemetry: Telemetry) -> None:
    for details in (False, True):
        observer = RepairObserver(meter_provider=telemetry.meters, details=details)
        with telemetry.tracer.start_as_current_span("load"), observer:
            observer.observe(MessageHistory.from_list(BROKEN).repairs, "")
    shown = ["message_history.repair.detail" in event for event in telemetry.events()]
    assert shown == [False] * 6 + [False] * 3 + [True] * 3  # What is logged comes first, and never with details.


def test_other_records_of_the_logger_are_passed_over(telemetry: Telemetry) -> None:
    with RepairObserver(meter_provider=telemetry.meters):
        logging.getLogger("message_history").warning("a line was skipped")
        logging.getLogger("message_history").warning("odd", extra={"repair": "no repair"})
    assert telemetry.counts() == {}
