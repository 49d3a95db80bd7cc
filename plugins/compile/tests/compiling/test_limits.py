"""What is held, looked at, shown and waited for has limits: a change of one is a choice, and is made here too."""

from __future__ import annotations

import pytest
from attrs import fields

from message_history_compile import (
    finishing,
    items,
    learning,
    masks,
    places,
    processes,
    recognising,
    rows,
    running,
    shards,
)
from message_history_compile.plan import Plan
from message_history_compile.targets import base, forms, openai

MB = 1024 * 1024
LIMITS = {
    finishing: {"KEPT_BYTES": 16, "CHUNK": MB},
    forms: {"_SHORT": 9},
    items: {"LARGE": 8 * MB, "LONGEST": 16 * MB, "HEAD": 60},
    learning: {"SAMPLE": 30, "OF_EACH": 2, "LONGEST": 4000},
    masks: {"_DEPTH": 6},
    openai: {"ID_LIMIT": 40},
    places: {"CHUNK": MB, "_PACKED_CHUNK": 16 * 1024},
    processes: {"TRIES": 5},
    recognising: {"HEAD_LINES": 60, "HEAD_BYTES": 16 * MB, "FURTHER": 600},
    rows: {"MOST_DETAIL": 200},
    running: {"UNIT_BYTES": 64 * MB},
}
RENDERING = {"SECONDS": 10.0, "CLOCK": 10, "MEMORY": 1024 * MB, "LONGEST": 64 * MB}


@pytest.mark.parametrize("module", LIMITS, ids=lambda module: module.__name__.rpartition(".")[2])
def test_a_limit_is_what_it_was(module: object) -> None:
    assert {name: getattr(module, name) for name in LIMITS[module]} == LIMITS[module]  # type: ignore[index]


def test_a_template_has_so_much_time_and_memory() -> None:
    pytest.importorskip("message_history_measure")
    from message_history_compile import rendering  # noqa: PLC0415 - an extra

    assert {name: getattr(rendering, name) for name in RENDERING} == RENDERING


def test_rows_of_arrow_are_held_in_groups() -> None:
    pytest.importorskip("pyarrow")
    from message_history_compile import arrow, arrow_rows  # noqa: PLC0415 - an extra

    assert (arrow.ROWS_IN_GROUP, arrow_rows.ROWS_AT_ONCE) == (1000, 32)


@pytest.mark.parametrize(
    "kind",
    [
        *(Plan, rows.Source, rows.Row, rows.Rejected, running.CompileReport, shards.Unit, shards.UnitReport),
        *(base.Settings, base.Sample, base.Target),
    ],
    ids=lambda kind: kind.__name__,
)
def test_a_value_is_made_by_the_names_of_its_fields(kind: type) -> None:
    assert {each.kw_only for each in fields(kind)} == {True}


def test_a_report_of_nothing_is_empty() -> None:
    nothing = {"rows": {}, "repaired": 0, "repairs": {}, "rejected": {}, "bytes": 0, "shards": 0}
    assert running._values(running.CompileReport()) == nothing
    assert shards.UnitReport(index=1, bytes=2).repaired == 0
