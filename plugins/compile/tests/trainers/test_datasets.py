"""`datasets` loads what is compiled to every target, with one schema."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from message_history_compile import TARGETS, Plan
from trainers.compiled import compiled, inputs

pytest.importorskip("datasets")

import datasets

from message_history_compile.engines.datasets import compile_dataset

if TYPE_CHECKING:
    from pathlib import Path

LINES = [name for name, target in TARGETS.items() if not target.needs_template and name != "bedrock-claude"]


def load(target: str, cache: Path) -> Any:
    return datasets.load_dataset(str(compiled(target)), cache_dir=str(cache))


@pytest.mark.parametrize("target", LINES)
def test_a_folder_loads_with_one_schema_and_all_its_rows(target: str, tmp_path: Path) -> None:
    loaded = load(target, tmp_path)
    shards = json.loads((compiled(target) / "manifest.json").read_text(encoding="utf-8"))["shards"]
    for split in ("train", "test"):
        written = [shard["rows"] for shard in shards if shard["file"].startswith(split)]
        assert len(written) > 1
        assert loaded[split].num_rows == sum(written)


@pytest.mark.parametrize(
    "target", ["openai_chat", "trl", "sharegpt-llama-factory", "atif", "inspect", "bedrock", "anthropic"]
)
def test_a_loaded_row_is_the_row_that_was_written(target: str, tmp_path: Path) -> None:
    loaded = load(target, tmp_path)["train"]
    first = min((compiled(target) / "train").iterdir()).read_text(encoding="utf-8").splitlines()
    for row, line in zip(loaded, first, strict=False):
        written = json.loads(line)
        assert {key: value for key, value in row.items() if value is not None or key in written} == {
            key: written.get(key) for key in row if key in written
        }


def test_a_data_set_is_compiled_by_map_in_two_processes() -> None:
    rows = [json.loads(line) for line in (inputs() / "b.jsonl").read_bytes().split(b"\n")[:100] if line[-1:] == b"}"]
    typed = datasets.Dataset.from_dict({"json": [json.dumps(row) for row in rows]})
    plan = Plan(target="trl")
    one = compile_dataset(typed, plan, batch_size=10)
    two = compile_dataset(typed, plan, num_proc=2, batch_size=7)
    assert one.to_dict() == two.to_dict()
    assert one.column_names == ["row", "receipt", "rejected"]
    assert sum(row is not None for row in one["row"]) > 80
    assert all((row is None) != (why is None) for row, why in zip(one["row"], one["rejected"], strict=True))
    parquet = compile_dataset(typed, Plan(target="parquet"), batch_size=10)
    assert parquet[0]["messages"][0]["role"] == "system"
