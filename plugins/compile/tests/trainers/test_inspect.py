"""inspect_ai reads its samples."""

from __future__ import annotations

import json

import pytest

from trainers.compiled import compiled

inspect_dataset = pytest.importorskip("inspect_ai.dataset")


def test_inspect_reads_every_sample() -> None:
    for path in sorted((compiled("inspect") / "train").iterdir()):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        samples = inspect_dataset.json_dataset(str(path))
        assert [sample.id for sample in samples] == [row["id"] for row in rows]
        for sample, row in zip(samples, rows, strict=True):
            assert [message.role for message in sample.input] == [message["role"] for message in row["input"]]
            assert sample.target == row["target"]
            assert sample.metadata["receipt"]["format"] == "log"
