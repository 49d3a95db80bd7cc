"""Spark: a data frame in, a data frame of compiled rows out, by `mapInArrow`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from message_history.extras import needs_extra

with needs_extra("spark", "message-history-compile"):
    from pyspark.sql.pandas.types import from_arrow_schema

from message_history_compile.arrow import repair_batch, schema_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from message_history_compile.plan import Plan


def compile_dataframe(frame: DataFrame, plan: Plan) -> DataFrame:
    """Compile a data frame with one conversation in each row.

    Args:
        frame: the data frame; see `repair_batch` for what a row may hold. `spark.sql.execution.arrow
            .maxRecordsPerBatch` says how many rows are held at once.
        plan: what to compile to.

    Returns:
        A lazy data frame with the columns of `repair_batch`.

    Complexity: linear in the rows.
    """
    return frame.mapInArrow(partial(_batches, plan=plan), from_arrow_schema(schema_of(plan)))


def _batches(batches: Iterator[pa.RecordBatch], plan: Plan) -> Iterator[Any]:
    for batch in batches:
        yield repair_batch(batch, plan)
