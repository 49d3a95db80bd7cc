"""Engines that few have: what they are asked to do, with a module in the place of each."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from compiling.conversations import agent, crashed
from message_history_compile.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Iterator

pa: Any = pytest.importorskip("pyarrow")

TRL = Plan(target="trl")
ENGINE = "message_history_compile.engines.ray"


class Mapping:
    """A data set of one table: it says what is to be done with it."""

    def __init__(self, table: Any) -> None:
        self.table = table
        self.options: dict[str, Any] = {}

    def map_batches(self, function: Any, **options: Any) -> Mapping:
        made = Mapping(function(self.table))
        made.options = options
        return made


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    ray = ModuleType("ray")
    ray.data = data = ModuleType("ray.data")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setitem(sys.modules, "ray.data", data)
    monkeypatch.delitem(sys.modules, ENGINE, raising=False)
    yield import_module(ENGINE)
    sys.modules.pop(ENGINE, None)


def test_ray_compiles_the_batches_of_a_data_set(engine: Any) -> None:
    from message_history_compile.arrow import repair_batch  # noqa: PLC0415 - pyarrow is an extra

    table = pa.table({"json": [json.dumps(each) for each in (agent(), crashed())]})
    made = engine.compile_dataset(Mapping(table), TRL, batch_size=9, num_cpus=2)
    assert made.table.to_pylist() == repair_batch(table, TRL).to_pylist()
    assert made.options == {"batch_format": "pyarrow", "batch_size": 9, "zero_copy_batch": True, "num_cpus": 2}
    assert engine.compile_dataset(Mapping(table), TRL).options["batch_size"] == 1000
