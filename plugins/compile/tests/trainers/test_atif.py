"""Harbor's own models read ATIF: `pip install --no-deps --ignore-requires-python harbor` is enough, on 3.11 too."""

from __future__ import annotations

import json

import pytest

from trainers.compiled import compiled

trajectories = pytest.importorskip("harbor.models.trajectories")


def test_harbor_takes_every_trajectory() -> None:
    for path in sorted((compiled("atif") / "train").iterdir()):
        for line in path.read_text(encoding="utf-8").splitlines():
            trajectories.Trajectory.model_validate(json.loads(line))
