"""The rows of Arrow as JSON values."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from message_history.extras import needs_extra

with needs_extra("arrow", "message-history-compile"):
    import pyarrow as pa
    import pyarrow.parquet as pq

from message_history_compile.places import CHUNK

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROWS_AT_ONCE: Final = 32
"""How many rows of Parquet are held when they are read."""
_WHOLE: Final = ("json", "text", "row", "value")
"""The columns that hold a whole line of JSON."""


def rows_in(batch: pa.RecordBatch | pa.Table) -> list[dict[str, Any]]:
    """Give the rows as Python values; Spark hands over the bytes of a text as they are, and they may be no UTF-8."""
    try:
        found: list[dict[str, Any]] = batch.to_pylist()
    except UnicodeDecodeError:
        columns = [
            [None if value is None else value.decode("utf-8", errors="surrogateescape") for value in _bytes(column)]
            if pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
            else column.to_pylist()
            for column in batch.columns
        ]
        return [dict(zip(batch.schema.names, row, strict=True)) for row in zip(*columns, strict=True)]
    return found


def _bytes(column: Any) -> list[bytes | None]:
    kind = pa.large_binary() if pa.types.is_large_string(column.type) else pa.binary()
    values: list[bytes | None] = column.cast(kind).to_pylist()
    return values


def item_of(row: Mapping[str, Any]) -> Any:
    """Return a row as a JSON value."""
    for name in _WHOLE:
        value = row.get(name)
        if isinstance(value, str) and value[:1] in ("{", "["):
            return _parsed(value)
    return {key: _parsed(_without_nulls(value)) for key, value in row.items() if value is not None}


def _parsed(value: Any) -> Any:
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return json.loads(value, strict=False)
        except (ValueError, RecursionError):
            return value
    return value


def _without_nulls(value: Any) -> Any:
    """Take out the nulls that Arrow puts where a key is missing in one row and there in another."""
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    return [_without_nulls(inner) for inner in value] if isinstance(value, list) else value


def items_of(opened: Any) -> Iterator[Any]:
    """Yield the rows of a file of Parquet as JSON values, a few in memory at once."""
    with pq.ParquetFile(opened, pre_buffer=False, buffer_size=CHUNK) as file:
        for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, use_threads=False):
            yield from map(item_of, rows_in(batch))
