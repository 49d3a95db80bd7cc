"""Polars: a frame in, a frame of compiled rows out, through Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.extras import needs_extra

with needs_extra("polars", "message-history-compile"):
    import polars as pl
    import pyarrow as pa

from message_history_compile.arrow import repair_batch, schema_of

if TYPE_CHECKING:
    from message_history_compile.plan import Plan

ROWS: Final = 1000


def compile_dataframe(frame: Any, plan: Plan, *, batch_size: int = ROWS) -> Any:
    """Compile a frame with one conversation in each row.

    Args:
        frame: a `polars.DataFrame`; see `repair_batch` for what a row may hold.
        plan: what to compile to.
        batch_size: how many rows are held as Python objects at once.

    Returns:
        A `polars.DataFrame` with the columns of `repair_batch`.

    Complexity: linear in the rows.
    """
    slices = (frame.slice(start, batch_size).to_arrow() for start in range(0, frame.height, batch_size))
    return pl.from_arrow(pa.Table.from_batches([repair_batch(each, plan) for each in slices], schema_of(plan)))
