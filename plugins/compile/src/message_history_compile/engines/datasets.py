"""Hugging Face `datasets`: a data set in, a data set of compiled rows out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.extras import needs_extra

with needs_extra("datasets", "message-history-compile"):
    import pyarrow as pa
    from datasets import Features

from message_history_compile.arrow import repair_batch, schema_of

if TYPE_CHECKING:
    from datasets import Dataset

    from message_history_compile.plan import Plan

ROWS: Final = 1000


def compile_dataset(dataset: Dataset, plan: Plan, *, num_proc: int | None = None, batch_size: int = ROWS) -> Dataset:
    """Compile a data set with one conversation in each row.

    Args:
        dataset: the data set; see `repair_batch` for what a row may hold.
        plan: what to compile to.
        num_proc: how many processes work.
        batch_size: how many rows are held at once.

    Returns:
        A data set with the columns of `repair_batch`; the cache of `datasets` keeps it.

    Complexity: linear in the rows.
    """
    mapped = dataset.with_format("arrow").map(
        _batch,
        batched=True,
        batch_size=batch_size,
        fn_kwargs={"plan": plan},
        remove_columns=dataset.column_names,
        features=Features.from_arrow_schema(schema_of(plan)),
        num_proc=num_proc,
    )
    return mapped.with_format(None)


def _batch(table: Any, plan: Plan) -> Any:
    return pa.Table.from_batches([repair_batch(table, plan)])
