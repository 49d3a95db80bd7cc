"""The same conversations compiled on several engines: `python -m benchmarks.compile_engines FILE ENGINE...`.

Engines: here, processes, datasets, polars, duckdb, ray, spark; each needs its extra. What counts on a machine that does
other work besides is the processor time.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.compile_scale import Watch, measure_loads
from message_history_compile import Plan, compile_files, run_in_processes

if TYPE_CHECKING:
    from collections.abc import Callable

PLAN: Final = Plan(target="trl")
UNIT: Final = 16_000_000


def _here(path: Path, out: Path) -> int:
    return sum(compile_files([path], PLAN, out, unit_bytes=UNIT).rows.values())


def _processes(path: Path, out: Path) -> int:
    return sum(compile_files([path], PLAN, out, unit_bytes=UNIT, run=run_in_processes(2)).rows.values())


def _texts(path: Path) -> Any:
    import pyarrow as pa  # noqa: PLC0415 - an engine needs its own packages only

    with path.open(encoding="utf-8", errors="replace") as opened:
        return pa.table({"json": [line.rstrip("\n") for line in opened]})


def _datasets(path: Path, out: Path) -> int:
    import datasets  # noqa: PLC0415

    from message_history_compile.engines.datasets import compile_dataset  # noqa: PLC0415

    rows = datasets.load_dataset(
        "text", data_files=str(path), split="train", cache_dir=str(out), encoding_errors="replace"
    )
    made = compile_dataset(rows, PLAN, num_proc=2)
    return int(len(made) - made.data.column("row").null_count)


def _polars(path: Path, out: Path) -> int:
    import polars as pl  # noqa: PLC0415

    from message_history_compile.engines.polars import compile_dataframe  # noqa: PLC0415

    del out
    made = compile_dataframe(pl.from_arrow(_texts(path)), PLAN)
    return int(len(made) - made["row"].null_count())


def _duckdb(path: Path, out: Path) -> int:
    import duckdb  # noqa: PLC0415

    from message_history_compile.engines.duckdb import compile_relation  # noqa: PLC0415

    del out
    batches = compile_relation(duckdb.from_arrow(_texts(path)), PLAN)
    return sum(len(batch) - batch.column("row").null_count for batch in batches)


def _ray(path: Path, out: Path) -> int:
    import ray  # noqa: PLC0415

    from message_history_compile.engines.ray import compile_dataset  # noqa: PLC0415

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=500_000_000)
    compile_dataset(ray.data.read_text(str(path)), PLAN, batch_size=500).write_parquet(str(out))
    made: int = (
        ray.data.read_parquet(str(out), columns=["rejected"]).filter(lambda row: row["rejected"] is None).count()
    )
    ray.shutdown()
    return made


def _spark(path: Path, out: Path) -> int:
    from pyspark.sql import SparkSession  # noqa: PLC0415

    from message_history_compile.engines.spark import compile_dataframe  # noqa: PLC0415

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", "500").getOrCreate()
    frame = spark.read.text(str(path)).withColumnRenamed("value", "json")
    compile_dataframe(frame, PLAN).write.parquet(str(out / "rows"))
    made: int = spark.read.parquet(str(out / "rows")).filter("rejected IS NULL").count()
    spark.stop()
    return made


ENGINES: Final[dict[str, Callable[[Path, Path], int]]] = {
    "here": _here,
    "processes": _processes,
    "datasets": _datasets,
    "polars": _polars,
    "duckdb": _duckdb,
    "ray": _ray,
    "spark": _spark,
}


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("engines", nargs="+", choices=ENGINES)
    chosen = parser.parse_args()
    size = chosen.file.stat().st_size
    print(f"{size / 1e6:.0f} MB; json.loads alone: {measure_loads(chosen.file.parent) / 1e6:.0f} MB/s of a processor")
    for name in chosen.engines:
        out = Path(tempfile.mkdtemp())
        watch = Watch(os.getpid(), "")
        watch.start()
        before, start = time.process_time(), time.monotonic()
        rows = ENGINES[name](chosen.file, out / "out")
        seconds = time.monotonic() - start
        watch.stop = True
        processor = time.process_time() - before + sum(watch.seconds.values())
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        peak = max([own, *watch.peaks.values()])
        print(f"{name}: {rows:,} rows in {seconds:.0f} s; {processor:.1f} s of processors")
        print(f"  of one processor: {rows / processor:,.0f} rows/s, {size / 1e6 / processor:.1f} MB/s")
        print(f"  peak of one process: {peak / 1e6:.0f} MB")
        shutil.rmtree(out)


if __name__ == "__main__":
    main()
