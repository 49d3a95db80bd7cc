"""Spark in local mode; it needs a Java runtime and the extra `spark`."""

from __future__ import annotations

import sys

import pytest

from message_history_compile import Plan

pytest.importorskip("pyspark")

import pyarrow as pa
from pyspark.sql import SparkSession

from message_history_compile.arrow import repair_batch
from message_history_compile.engines.spark import compile_dataframe
from trainers.compiled import texts

pytestmark = pytest.mark.filterwarnings("ignore")


def test_a_spark_data_frame_gives_the_same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        plan = Plan(target="trl")
        frame = spark.createDataFrame([(text,) for text in texts()], ["json"])
        made = [row.asDict() for row in compile_dataframe(frame, plan).collect()]
        assert made == repair_batch(pa.table({"json": texts()}), plan).to_pylist()
    finally:
        spark.stop()
