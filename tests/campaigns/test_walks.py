"""A few of the walks; `.ci/run` takes them for two minutes."""

from __future__ import annotations

from tests.campaigns.walks import main


def test_walks_end_where_the_ledger_says() -> None:
    assert main(["--walks", "30", "--seconds", "600"]) == 0
