"""Batches of Arrow, and the engines that run them in this process."""

from __future__ import annotations

import json
import pickle
from functools import partial

import pytest

from message_history_compile import Plan

pytest.importorskip("pyarrow")

import pyarrow as pa

from message_history_compile.arrow import repair_batch, schema_of
from trainers.compiled import texts


@pytest.mark.parametrize("target", ["trl", "openai_chat", "parquet"])
def test_a_batch_has_one_schema_and_each_row_a_row_or_a_reason(target: str) -> None:
    plan = Plan(target=target)
    batch = pa.RecordBatch.from_pydict({"json": texts()})
    made = repair_batch(batch, plan)
    assert made.schema == schema_of(plan)
    assert made.num_rows == batch.num_rows
    rows = made.to_pylist()
    key = "messages" if target == "parquet" else "row"
    assert all((row[key] is None) != (row["rejected"] is None) for row in rows)
    assert json.loads(rows[3]["rejected"])["code"] == "no_conversation"


def test_a_text_that_is_no_utf_8_is_rejected_and_the_others_are_not() -> None:
    sound = json.dumps({"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]})
    cut = sound.encode()[:-30] + b"\xe6"
    texts_of_spark = pa.array([sound.encode(), cut, None], pa.binary()).view(pa.string())
    whole = pa.table({"json": texts_of_spark, "n": [1, 2, 3]})
    for batch in (whole, whole.to_batches()[0]):
        first, second, third = repair_batch(batch, Plan(target="trl")).to_pylist()
        assert first["rejected"] is None
        assert json.loads(second["rejected"])["code"] == "no_conversation"
        assert third["row"] is None


def test_batches_of_any_size_give_the_same_rows() -> None:
    plan = Plan(target="trl")
    table = pa.table({"json": texts()})
    whole = pa.Table.from_batches([repair_batch(table, plan)])
    for size in (1, 7, 50):
        parts = pa.Table.from_batches([repair_batch(each, plan) for each in table.to_batches(max_chunksize=size)])
        assert parts.combine_chunks() == whole


def test_typed_columns_with_the_nulls_that_arrow_puts_are_read() -> None:
    chat = [
        {"role": "user", "content": "a"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c", "content": "b"},
        {"role": "assistant", "content": "d"},
    ]
    table = pa.table({"messages": [chat, chat[:1] + chat[3:]], "other": [1, None]})
    rows = repair_batch(table, Plan(target="trl")).to_pylist()
    assert [len(json.loads(row["row"])["messages"]) for row in rows] == [4, 2]
    assert [json.loads(row["receipt"])["repairs"] for row in rows] == [[], []]
    shared = pa.table({"conversations": [[{"from": "human", "value": "a"}, {"from": "gpt", "value": "b"}]]})
    assert json.loads(repair_batch(shared, Plan(target="trl")).to_pylist()[0]["receipt"])["format"] == "sharegpt"


def test_the_function_can_be_pickled() -> None:
    function = partial(repair_batch, plan=Plan(target="trl"))
    batch = pa.RecordBatch.from_pydict({"json": texts()[:5]})
    assert pickle.loads(pickle.dumps(function))(batch) == function(batch)
