"""Batches of Arrow: conversations in, rows of one schema out. Only here, and in `engines`, is pyarrow imported.

`repair_batch` is what every engine runs: a pure function, which can be pickled and holds one batch in memory.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, final

from message_history.extras import needs_extra

with needs_extra("arrow", "message-history-compile"):
    import pyarrow as pa
    import pyarrow.parquet as pq

from message_history.formats.conversation_lists import CONVERSATION_LISTS
from message_history.formats.kit import Document, Fit
from message_history.formats.registry import FORMATS
from message_history_compile.arrow_rows import item_of, rows_in
from message_history_compile.plan import checked_plan
from message_history_compile.reading import compile_found, conversations_of
from message_history_compile.rows import Rejected, Row, Source, digest_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from message_history.formats.kit import Format
    from message_history_compile.plan import Plan

ROWS_IN_GROUP: Final = 1000
"""How many rows of Parquet are held before they are written."""
_CALL: Final = pa.struct([("id", pa.string()), ("name", pa.string()), ("arguments", pa.string())])
_MESSAGE: Final = pa.struct(
    [
        ("role", pa.string()),
        ("content", pa.string()),
        ("reasoning", pa.string()),
        ("tool_calls", pa.list_(_CALL)),
        ("tool_call_id", pa.string()),
        ("name", pa.string()),
        ("is_error", pa.bool_()),
        ("parts", pa.string()),
        ("train", pa.bool_()),
        ("synthetic", pa.bool_()),
    ]
)
_TYPED: Final = [
    ("id", pa.string()),
    ("messages", pa.list_(_MESSAGE)),
    ("tools", pa.string()),
    ("receipt", pa.string()),
]
MESSAGES_SCHEMA: Final = pa.schema(_TYPED)
"""The schema of Parquet files; arguments, definitions of tools, parts and receipts are JSON text."""
ROWS_SCHEMA: Final = pa.schema([("row", pa.string()), ("receipt", pa.string()), ("rejected", pa.string())])
"""The schema of a batch in the form of any other target: the row is JSON text, or null where it was rejected."""
_BATCH_SCHEMA: Final = pa.schema([*_TYPED, ("rejected", pa.string())])


def schema_of(plan: Plan) -> pa.Schema:
    """Return the schema of what `repair_batch` returns.

    Args:
        plan: the plan.

    Returns:
        The schema: the same for all batches.
    """
    return _BATCH_SCHEMA if plan.form.arrow else ROWS_SCHEMA


def repair_batch(batch: pa.RecordBatch | pa.Table, plan: Plan) -> pa.RecordBatch:
    """Compile the conversations in a batch, one in each row.

    A row is an object with its conversation under `messages`, `conversations` or another key of the formats that are
    read, with its columns as keys; or the JSON text of one, in a column `json`, `text`, `row` or `value`. A column
    with JSON text for a list or an object is parsed.

    Args:
        batch: the rows.
        plan: what to compile to; its `dedupe` is not looked at.

    Returns:
        A batch with `schema_of(plan)`: what was rejected has its reason there, and null for its row.

    Raises:
        TypeError: for what is not a batch or not a plan.

    Complexity: linear in the batch.
    """
    if not isinstance(batch, pa.RecordBatch | pa.Table):
        raise TypeError(f"batch must be a RecordBatch or a Table of pyarrow, not {type(batch).__name__}")
    checked_plan(plan)
    made = [_made(row, plan) for row in rows_in(batch)]
    rows = [each for found in made for each in found]
    return pa.RecordBatch.from_pylist(rows, schema=schema_of(plan))


def _made(row: dict[str, Any], plan: Plan) -> Iterator[dict[str, Any]]:
    item = item_of(row)
    source = Source(hash=digest_of(json.dumps(item, ensure_ascii=False, default=str).encode(errors="replace")))
    for found in conversations_of(item, source, _format_of(item, plan)):
        yield _values(compile_found(found, plan), plan)


def _values(made: Row | Rejected, plan: Plan) -> dict[str, Any]:
    if isinstance(made, Rejected):
        return {"rejected": json.dumps(made.values())}
    if plan.form.arrow:
        return made.values
    return {"row": made.line[:-1].decode(), "receipt": json.dumps(made.receipt, ensure_ascii=False)}


def _format_of(item: Any, plan: Plan) -> Format:
    """Choose between the formats that a row may be in; a row is read the same in every batch."""
    if plan.format is not None:
        return FORMATS[plan.format]
    sharegpt = FORMATS.get("sharegpt")  # of message-history-formats, which may not be installed
    fits = sharegpt is not None and sharegpt.fit(Document(data=b"", text="", value=item)) is Fit.CERTAIN
    return sharegpt if sharegpt is not None and fits else CONVERSATION_LISTS


@final
class TableFile:
    """A Parquet file that is written group by group."""

    def __init__(self, path: Path) -> None:
        self._writer = pq.ParquetWriter(path, MESSAGES_SCHEMA, compression="zstd")
        self._rows: list[dict[str, Any]] = []

    def add(self, row: dict[str, Any]) -> None:
        """Add a row."""
        self._rows.append(row)
        if len(self._rows) == ROWS_IN_GROUP:
            self._flush()

    def close(self) -> None:
        """Write what is left, and the end of the file."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, schema=MESSAGES_SCHEMA))
            self._rows = []


def copy_kept(source: Path, target: Path, kept: list[bool]) -> None:
    """Copy the rows of a Parquet file that are kept to a new file; `kept` says for each row whether it is."""
    done = 0
    with pq.ParquetFile(source) as opened, pq.ParquetWriter(target, MESSAGES_SCHEMA, compression="zstd") as writer:
        for number in range(opened.num_row_groups):
            group = opened.read_row_group(number)
            writer.write_table(group.filter(pa.array(kept[done : done + len(group)])))
            done += len(group)
