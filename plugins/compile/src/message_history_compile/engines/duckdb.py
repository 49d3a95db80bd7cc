"""DuckDB: a query in, a stream of compiled rows out, through Arrow; DuckDB queries such a stream by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.extras import needs_extra

with needs_extra("duckdb", "message-history-compile"):
    import pyarrow as pa

from message_history_compile.arrow import repair_batch, schema_of

if TYPE_CHECKING:
    from message_history_compile.plan import Plan

ROWS: Final = 1000


def compile_relation(relation: Any, plan: Plan, *, batch_size: int = ROWS) -> pa.RecordBatchReader:
    """Compile the result of a query with one conversation in each row.

    Args:
        relation: a `duckdb.DuckDBPyRelation`; see `repair_batch` for what a row may hold.
        plan: what to compile to.
        batch_size: how many rows are held at once.

    Returns:
        A reader of batches with the columns of `repair_batch`; it is read once.

    Complexity: linear in the rows.
    """
    batches = (repair_batch(batch, plan) for batch in relation.to_arrow_reader(batch_size))
    return pa.RecordBatchReader.from_batches(schema_of(plan), batches)
