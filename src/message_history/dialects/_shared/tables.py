"""The TOML tables of a dialect, read when first needed: its rules, and what differs by model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, Final, final, overload

from message_history.core.values.json_values import EMPTY
from message_history.dialects._shared.rules import ModelRow, Rule

_DIALECTS: Final = "message_history.dialects"


@final
class RuleTable(Sequence[Rule]):
    """The rules of one dialect, from its `rules.toml`.

    Args:
        package: the package that holds the file: `__package__` in the dialect's own modules.
    """

    def __init__(self, package: str) -> None:
        self._package = package

    @cached_property
    def by_id(self) -> Mapping[str, Rule]:
        """The rules by their ids, in the order of the file."""
        rules: dict[str, Rule] = {}
        for row in read_table(self._package, "rules")["rule"]:
            rules[row["id"]] = _rule_of(row)
        return rules

    def __len__(self) -> int:
        return len(self.by_id)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.by_id.values())

    @overload
    def __getitem__(self, index: int) -> Rule: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Rule]: ...

    def __getitem__(self, index: int | slice) -> Rule | Sequence[Rule]:
        return tuple(self)[index]


@final
class ModelTable(Sequence[ModelRow]):
    """What differs by model, from one table of a dialect's `models.toml`.

    Args:
        package: the package that holds the file: `__package__` in the dialect's own modules.
        table: the table in the file.
        values: what a name in a row stands for where TOML cannot hold the value, as a compiled pattern.

    In the file a row may have, besides its `fields`, the names of presets that it begins with (`like`) and of fields
    whose value is None (`unset`).
    """

    def __init__(self, package: str, table: str = "models", values: Mapping[str, object] = EMPTY) -> None:
        self._package, self._table, self._values = package, table, values

    @cached_property
    def _rows(self) -> tuple[ModelRow, ...]:
        rows = self._file[self._table]
        return tuple(
            ModelRow(
                models=re.compile(row["models"]), fields=self.fields_of(row), source=row["source"], date=row["date"]
            )
            for row in rows
        )

    @cached_property
    def _file(self) -> dict[str, Any]:
        return read_table(self._package, "models")

    def preset(self, name: str) -> dict[str, Any]:
        """Return the fields of a preset."""
        return self.fields_of(self._file["presets"][name])

    def fields_of(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields that a row of this table's form stands for."""
        fields: dict[str, Any] = {}
        for name in row.get("like", ()):
            fields |= self.preset(name)
        fields |= dict.fromkeys(row.get("unset", ()))
        return fields | {name: self._value(name, value) for name, value in row.get("fields", {}).items()}

    def _value(self, name: str, value: Any) -> Any:
        if isinstance(value, list):
            return frozenset(value)
        return self._values[value] if name.endswith("_pattern") else value

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[ModelRow]:
        return iter(self._rows)

    @overload
    def __getitem__(self, index: int) -> ModelRow: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[ModelRow]: ...

    def __getitem__(self, index: int | slice) -> ModelRow | Sequence[ModelRow]:
        return self._rows[index]


def _rule_of(row: Mapping[str, Any]) -> Rule:
    """Make a rule from its row, or from the rules of another dialect that it names."""
    if "shared_with" in row:
        return RuleTable(f"{_DIALECTS}.{row['shared_with']}").by_id[row["id"]]
    if "origins" not in row:
        return Rule(**{**row, "errors": tuple(row["errors"])})
    known = RuleTable(f"{_DIALECTS}.openai_chat").by_id
    origins = [known[id] for id in row["origins"]]
    return Rule(
        id=row["id"],
        rule=row["rule"],
        errors=(*(error for origin in origins for error in origin.errors), *row["errors"]),
        repair=f"{row['repair']} It comes from {', '.join(row['origins'])}.",
        source=origins[0].source,
        date=max(origin.date for origin in origins),
    )


def read_table(package: str, table: str) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 - who names no model and breaks no rule reads no table

    found: Any = import_module(package)
    # As `importlib.resources` would, in a zip too, which takes longer to import than the tables to be read.
    return tomllib.loads(found.__spec__.loader.get_data(f"{found.__path__[0]}/{table}.toml").decode())
