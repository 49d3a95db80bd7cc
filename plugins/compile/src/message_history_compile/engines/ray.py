"""Ray: `compile_dataset` for data sets of Ray Data, `run_on_ray` for files. The engine retries and distributes."""

from __future__ import annotations

import pickle
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from message_history.extras import needs_extra

with needs_extra("ray", "message-history-compile"):
    import pyarrow as pa
    import ray.data

from message_history_compile.arrow import repair_batch
from message_history_compile.shards import compile_unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ray.data import Dataset

    from message_history_compile.plan import Plan
    from message_history_compile.shards import Unit, UnitReport

ROWS: Final = 1000


def compile_dataset(dataset: Dataset, plan: Plan, *, batch_size: int = ROWS, **options: Any) -> Dataset:
    """Compile a data set with one conversation in each row.

    Args:
        dataset: the data set; see `repair_batch` for what a row may hold.
        plan: what to compile to.
        batch_size: how many rows are held at once.
        options: what else `map_batches` takes, as `num_cpus` and `concurrency`.

    Returns:
        A lazy data set with the columns of `repair_batch`.

    Complexity: linear in the rows.
    """
    return dataset.map_batches(
        partial(_batch, plan=plan), batch_format="pyarrow", batch_size=batch_size, zero_copy_batch=True, **options
    )


def run_on_ray(units: Sequence[Unit], plan: Plan, work: str) -> Iterator[UnitReport]:
    """Compile units as tasks of Ray Data; what `compile_files` takes as `run`.

    All workers must see the input and the output under the same paths. A task whose worker is killed is run again by
    Ray; its shard holds the same bytes.

    Args:
        units: the units.
        plan: what to compile to.
        work: the folder that the shards go to.

    Yields:
        The report of each unit as it is done.

    Complexity: linear in the input.
    """
    rows = [{"unit": pickle.dumps(unit)} for unit in units]
    tasks = ray.data.from_items(rows, override_num_blocks=len(rows))
    done = tasks.map_batches(partial(_units, plan=plan, work=work), batch_format="pyarrow", batch_size=None)
    for row in done.iter_rows():
        report: UnitReport = pickle.loads(row["report"])  # noqa: S301 - our own workers wrote it
        yield report


def _batch(table: Any, plan: Plan) -> Any:
    return pa.Table.from_batches([repair_batch(table, plan)])


def _units(table: Any, plan: Plan, work: str) -> Any:
    units = (pickle.loads(pickled) for pickled in table.column("unit").to_pylist())  # noqa: S301 - written above
    return pa.table({"report": [pickle.dumps(compile_unit(unit, plan, work)) for unit in units]})
