"""Each campaign, in small; `python -m tests.campaigns` runs as many as one likes."""

from __future__ import annotations

import warnings

import pytest

from tests.campaigns.__main__ import CAMPAIGNS, main

FEW = {"lists": 150, "sequences": 15, "runs": 15, "loops": 50, "files": 60, "threads": 15}
MANY = {"lists": 2_000, "sequences": 200, "runs": 200, "loops": 500, "files": 1_000, "threads": 300}


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_a_few_of_each_campaign_find_nothing(name: str) -> None:
    assert {n: found for n in range(FEW[name]) if (found := list(CAMPAIGNS[name](n)))} == {}


@pytest.mark.heavy
@pytest.mark.parametrize("name", CAMPAIGNS)
def test_many_of_each_campaign_find_nothing(name: str) -> None:
    assert {n: found for n in range(MANY[name]) if (found := list(CAMPAIGNS[name](n)))} == {}


def test_a_number_always_gives_the_same_and_what_fails_is_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(CAMPAIGNS, "lists", lambda number: ["lost at (0,)"] if number == 7 else [])
    with warnings.catch_warnings():
        assert main(["--lists", "10"]) == 1
        assert "lists 7: lost at (0,)" in capsys.readouterr().out
        assert main(["--lists", "2", "--first", "8"]) == 0
    assert "2 in 0 s, 0 failures" in capsys.readouterr().out
