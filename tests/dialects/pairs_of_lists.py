"""The lists of `pairs`: one that breaks a rule, and the nearest one that is sound."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from attrs import evolve

from message_history.dialects import Dialect, LangChain
from message_history.dialects.registry import DIALECTS
from tests.media.headers import as_text, png

FOLDER: Final = Path(__file__).parent / "pairs"


class Pair(NamedTuple):
    """A rule, and the two lists.

    Args:
        name: the dialect's name.
        rule: the rule.
        dialect: who gets the lists.
        found: all that is found in the refused list.
        refused: a list that breaks the rule.
        sound: the nearest list that breaks none.
    """

    name: str
    rule: str
    dialect: Dialect[Any]
    found: frozenset[str]
    refused: list[Any]
    sound: list[Any]


def pairs() -> list[Pair]:
    """Read all pairs."""
    return [_pair(path.stem, row) for path in sorted(FOLDER.glob("*.toml")) for row in _table(path.stem)["pair"]]


def unseen(name: str) -> set[str]:
    """Return the rules of a dialect that no list shows."""
    return {rule for row in _table(name).get("unseen", []) for rule in row["rules"]}


def named(name: str) -> Dialect[Any]:
    """Return a dialect by its name."""
    return LangChain() if name == "langchain" else DIALECTS[name]


def grown(value: Any) -> Any:
    """Write out the short forms of a list."""
    if isinstance(value, list):
        return [each for item in value for each in _items(item)]
    if not isinstance(value, dict):
        return value
    if "repeat" in value:
        return value["repeat"] * value["times"]
    if "png" in value:
        return value.get("before", "") + as_text(_picture(value["png"], value.get("size", 0)))
    return {key: grown(item) for key, item in value.items()}


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def _pair(name: str, row: dict[str, Any]) -> Pair:
    lists = [grown(json.loads(row[key])) for key in ("refused", "sound")]
    return Pair(
        name,
        row["rule"],
        _dialect(name, row.get("dialect", {})),
        frozenset({row["rule"], *row.get("also", ())}),
        *lists,
    )


def _dialect(name: str, given: dict[str, Any]) -> Dialect[Any]:
    kind = cast("Any", type(named(name)))
    model, provider, version = (given.get(key) for key in ("model", "provider", "version"))
    fields = {key: value for key, value in given.items() if key not in ("model", "provider", "version")}
    if version is not None:
        return cast("Dialect[Any]", evolve(kind.for_version(version), **fields))
    if model is not None:
        return cast("Dialect[Any]", evolve(kind.for_model(model, *([provider] if provider else [])), **fields))
    return cast("Dialect[Any]", evolve(kind.for_provider(provider) if provider else kind(), **fields))


def _items(item: Any) -> list[Any]:
    if isinstance(item, dict) and "each" in item:
        return [grown(_numbered(item["each"], n)) for n in range(item["times"])]
    return [grown(item)]


def _numbered(value: Any, n: int) -> Any:
    if isinstance(value, str):
        return value.replace("#", str(n))
    if isinstance(value, list):
        return [_numbered(item, n) for item in value]
    return {key: _numbered(item, n) for key, item in value.items()} if isinstance(value, dict) else value


def _picture(sides: list[int], size: int) -> bytes:
    width, height = sides
    return png(width, height, filler=max(0, size - len(png(width, height))))
