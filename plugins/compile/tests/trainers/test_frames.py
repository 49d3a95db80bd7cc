"""Polars and DuckDB, through Arrow."""

from __future__ import annotations

import pytest

from message_history_compile import Plan

pytest.importorskip("polars")
pytest.importorskip("duckdb")

import duckdb
import polars as pl
import pyarrow as pa

from message_history_compile.arrow import repair_batch
from message_history_compile.engines.duckdb import compile_relation
from message_history_compile.engines.polars import compile_dataframe
from trainers.compiled import texts

PLAN = Plan(target="trl")


def test_a_polars_frame_gives_the_same_rows() -> None:
    table = pa.table({"json": texts()})
    assert (
        compile_dataframe(pl.from_arrow(table), PLAN, batch_size=9).to_dicts() == repair_batch(table, PLAN).to_pylist()
    )


def test_a_query_of_duckdb_gives_the_same_rows() -> None:
    table = pa.table({"json": texts()})
    relation = duckdb.from_arrow(table)
    made = compile_relation(relation, PLAN, batch_size=9)
    assert made.read_all().to_pylist() == repair_batch(table, PLAN).to_pylist()
