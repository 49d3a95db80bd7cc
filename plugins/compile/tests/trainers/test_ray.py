"""Ray Data, on a local cluster with two workers. It needs the extra `ray`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from message_history_compile import Plan, compile_files

pytest.importorskip("ray.data")

import pyarrow as pa
import ray

from compiling.conversations import bytes_in
from message_history_compile.arrow import repair_batch
from message_history_compile.engines.ray import compile_dataset, run_on_ray
from trainers.compiled import inputs, texts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PLAN = Plan(target="trl")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module", autouse=True)
def _cluster() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=100_000_000)
    yield
    ray.shutdown()


def by_place(row: dict[str, Any]) -> str:
    return json.dumps(row, sort_keys=True)


@pytest.mark.parametrize("blocks", [1, 4])
def test_a_ray_data_set_gives_the_same_rows_in_the_order_in_which_blocks_are_done(blocks: int) -> None:
    table = pa.table({"json": texts()})
    made = compile_dataset(ray.data.from_arrow(table).repartition(blocks), PLAN, batch_size=9).take_all()
    assert sorted(made, key=by_place) == sorted(repair_batch(table, PLAN).to_pylist(), key=by_place)


def test_files_compiled_on_ray_have_the_same_bytes(tmp_path: Path) -> None:
    compile_files([inputs()], PLAN, tmp_path / "here", unit_bytes=500_000)
    compile_files([inputs()], PLAN, tmp_path / "ray", unit_bytes=500_000, run=run_on_ray)
    assert bytes_in(tmp_path / "here") == bytes_in(tmp_path / "ray")
