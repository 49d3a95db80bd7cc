"""The campaign of fields: whatever the fields of a dialect say together, what is sent in it is valid in it."""

from __future__ import annotations

import re
from ast import literal_eval
from random import Random
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve, fields

from message_history import MessageHistory, check
from message_history.dialects import PydanticAI
from tests.campaigns.samples import random_list
from tests.campaigns.targets import TARGETS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from message_history.dialects import Dialect

__all__ = ["failures", "random_dialect"]

# What pydantic-ai's dialect makes are objects of a library that may not be there.
_TARGETS: Final = [target for target in TARGETS if not isinstance(target, PydanticAI)]
_LITERAL: Final = re.compile(r"Literal(\[.*?\])")


def _values(kind: str, now: Any) -> list[Any]:
    """Give the values that a field may have, as far as its type names them."""
    if isinstance(now, frozenset):
        return [frozenset(), *(now - {each} for each in sorted(now))]
    found = [value for named in _LITERAL.findall(kind) for value in literal_eval(named)]
    found += [False, True] if "bool" in kind else []
    return [*found, None] if found and "None" in kind else found


def random_dialect(chance: Random) -> Dialect[Any]:
    """Make a dialect of which some fields have other values; again where the values contradict each other."""
    while True:
        target = chance.choice(_TARGETS)
        choices = {
            each.name: values
            for each in fields(type(target))
            if (values := _values(str(each.type), getattr(target, each.name)))
        }
        names = chance.sample(sorted(choices), min(len(choices), chance.randint(1, 5)))
        try:
            return evolve(target, **{name: chance.choice(choices[name]) for name in names})
        except ValueError:
            continue


def failures(seed: int) -> Iterator[str]:
    """Send one list in one dialect.

    Args:
        seed: its number; the same number makes the same list and the same dialect.

    Yields:
        What should not have happened, one line each.
    """
    chance = Random(seed)
    dialect = random_dialect(chance)
    history = MessageHistory.from_list(random_list(chance).entries)
    wire = history.for_send(dialect)
    for violation in check(wire, dialect) if wire else ():
        yield f"{dialect!r}: {violation.rule} {violation.path}: {violation.detail}"
