"""Runs a test of a conformance suite as pytest would."""

from __future__ import annotations

from typing import Any


class NotThoughtOfError(Exception):
    """What a planted check or reader raises."""


def names_in(suite: type) -> list[str]:
    return [name.removeprefix("test_") for name in vars(suite) if name.startswith("test_")]


def run(suite: type, test: str, **of: Any) -> None:
    made = suite()
    for name, value in of.items():
        setattr(made, name, value)
    getattr(made, f"test_{test}")()
