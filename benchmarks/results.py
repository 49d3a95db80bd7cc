"""What a run measured, as it is kept in `results/`, and the ratios of it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Any, Final, Literal, NamedTuple, TypeAlias

__all__ = ["FOLDER", "Ratio", "Speed", "Subject", "read", "with_rounds_of", "write", "write_beside"]

FOLDER: Final = Path(__file__).with_name("results")
Subject: TypeAlias = tuple[str, str]


class Ratio(NamedTuple):
    """A figure with its spread over the rounds.

    Args:
        median: the median.
        low: the lowest.
        high: the highest.
    """

    median: float
    low: float
    high: float


@dataclass(frozen=True)
class Speed:
    """What was measured.

    Args:
        made: when, where and how.
        cells: each contender's rounds for an operation at a size.
        beside: the same with other versions of Python, for this library and what it is compared with.
        threads: what two threads take beside one, for each Python that it was measured with.
    """

    made: dict[str, Any]
    cells: list[dict[str, Any]]
    beside: tuple[Speed, ...] = field(default=(), compare=False)
    threads: tuple[Speed, ...] = field(default=(), compare=False)

    def rounds(self, subject: Subject, size: int) -> list[float]:
        """Give the rounds of a contender's operation at a size; none when it was not measured."""
        return self._rounds.get((*subject, size), [])

    @cached_property
    def _rounds(self) -> dict[tuple[str, str, int], list[float]]:
        return {(cell["contender"], cell["operation"], cell["size"]): cell["rounds"] for cell in self.cells}

    def sizes(self, subject: Subject) -> list[int]:
        """Give the sizes at which a contender's operation was measured."""
        return sorted(size for name, operation, size in self._rounds if (name, operation) == subject)

    def value(self, subject: Subject, size: int) -> Ratio | None:
        """Give the seconds, or bytes, of a contender's operation; None when it was not measured."""
        rounds = self.rounds(subject, size)
        return Ratio(median(rounds), min(rounds), max(rounds)) if rounds else None

    def ratio(self, subject: Subject, reference: Subject, size: int) -> Ratio | None:
        """Give how many times as long, or as large, one is as another, each round for itself.

        Args:
            subject: a contender and its operation.
            reference: what it is compared with.
            size: the size of the transcript.

        Returns:
            The ratio, or None when one of them was not measured.
        """
        mine, its = self.rounds(subject, size), self.rounds(reference, size)
        if not mine or not its:
            return None
        ratios = [a / b for a, b in zip(mine, its, strict=True)]
        return Ratio(median(ratios), min(ratios), max(ratios))


def read(folder: Path = FOLDER) -> tuple[Speed, dict[str, Any]]:
    """Read the results.

    Args:
        folder: where they are.

    Returns:
        What was measured, and what the judge found.
    """
    speed = json.loads((folder / "speed.json").read_text(encoding="utf-8"))
    validity: dict[str, Any] = json.loads((folder / "validity.json").read_text(encoding="utf-8"))
    return Speed(speed["made"], speed["cells"], _runs(folder, "python"), _runs(folder, "threads")), validity


def _runs(folder: Path, kind: str) -> tuple[Speed, ...]:
    """Read what `write_beside` wrote, for each Python."""
    runs = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob(f"{kind}-*.json"))]
    return tuple(Speed(run["made"], run["cells"]) for run in runs)


def with_rounds_of(before: Speed, speed: dict[str, Any]) -> dict[str, Any]:
    """Add the rounds that were measured before to those of now; what was too slow in one has none.

    Args:
        before: what was measured before, with the same Python, machine and packages.
        speed: what is measured now.

    Returns:
        The same with the rounds of both.

    Raises:
        ValueError: if the two were not measured with the same.
    """
    for name in ("python", "machine", "versions"):
        if before.made[name] != speed["made"][name]:
            raise ValueError(
                f"before was measured with another {name}, {before.made[name]}, than now, {speed['made'][name]}; "
                "measure without --again"
            )
    known = {_cell_key(cell): cell["rounds"] for cell in before.cells}
    cells = []
    for cell in speed["cells"]:
        first = known.get(_cell_key(cell), [])
        both = [*first, *cell["rounds"]] if first and cell["rounds"] else []
        cells.append({**cell, "rounds": both} | ({} if both else {"why": "too slow"}))
    rounds = before.made["rounds"] + speed["made"]["rounds"]
    return {"made": {**speed["made"], "rounds": rounds}, "cells": cells}


def _cell_key(cell: dict[str, Any]) -> tuple[str, int, str]:
    return cell["operation"], cell["size"], cell["contender"]


def write(speed: dict[str, Any], validity: dict[str, Any], folder: Path = FOLDER) -> None:
    """Write the results, a line for each cell.

    Args:
        speed: what was measured.
        validity: what the judge found.
        folder: where they go.
    """
    folder.mkdir(exist_ok=True)
    _write_speed(speed, folder / "speed.json")
    (folder / "validity.json").write_text(json.dumps(validity, indent=1) + "\n", encoding="utf-8")


def write_beside(speed: dict[str, Any], folder: Path = FOLDER, kind: Literal["python", "threads"] = "python") -> None:
    """Write what one version of Python measured, in a file of its own.

    Args:
        speed: what was measured.
        folder: where it goes.
        kind: what was measured: the same as on the page, or threads.
    """
    version = re.search(r"(\d+\.\d+)[\d.]*(t?)", speed["made"]["python"])
    assert version is not None
    _write_speed(speed, folder / f"{kind}-{''.join(version.groups())}.json")


def _write_speed(speed: dict[str, Any], path: Path) -> None:
    cells = ",\n".join(json.dumps(cell) for cell in speed["cells"])
    text = f'{{"made": {json.dumps(speed["made"], indent=1)},\n"cells": [\n{cells}\n]}}\n'
    path.write_text(text, encoding="utf-8")
