"""What all detection shares: collecting violations, and looking into raw lists without trusting them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, final

from message_history.core.json_values import short_repr
from message_history.violations import Violation

if TYPE_CHECKING:
    from message_history.dialects.base import Rule

__all__ = ["Findings", "entries", "has_lone_surrogate", "is_blank_text", "shown", "text_at"]


@final
class Findings:
    """The violations of one list.

    Args:
        rules: the dialect's rules, by id.
    """

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self.violations: list[Violation] = []
        self._rules = rules

    def add(
        self, rule: str, index: int | None = None, path: str = "", detail: str = "", *, which: int = 0, **values: object
    ) -> None:
        """Add one.

        Args:
            rule: the id of the rule.
            index: the entry; None for the list itself.
            path: where in the entry.
            detail: what is wrong; the rule's own sentence when empty.
            which: the position of the provider's text among the rule's.
            values: what stands in the places of the provider's text, besides `n`.
        """
        known = self._rules[rule]
        places = {"n": index, **values} if index is not None else values
        self.violations.append(
            Violation(
                rule=rule, index=index, path=path, error=known.error(which, **places), detail=detail or known.rule
            )
        )


def entries(value: object) -> list[Any]:
    """Give the items of a list, nothing for anything else."""
    return list(value) if isinstance(value, (list, tuple)) else []


def text_at(value: Mapping[Any, Any], key: str) -> str:
    """Give the text under a key, an empty one for anything else."""
    found = value.get(key)
    return found if isinstance(found, str) else ""


def shown(value: object) -> str:
    """Give a text as it is, and anything else in a few words."""
    return value if isinstance(value, str) else short_repr(value)


def is_blank_text(value: object) -> bool:
    """Tell whether a value is a text of nothing but white space."""
    return isinstance(value, str) and not value.strip()


def has_lone_surrogate(value: object) -> bool:
    """Tell whether any text in a raw value cannot be written as UTF-8.

    Args:
        value: any raw value; what is nested deeper than 200 is not looked at.

    Returns:
        True when one is found.

    Complexity: linear in the value.
    """
    todo: list[tuple[object, int]] = [(value, 0)]
    while todo:
        item, depth = todo.pop()
        if isinstance(item, str):
            if not item.isascii() and any("\ud800" <= letter <= "\udfff" for letter in item):
                return True
        elif depth < 200 and isinstance(item, Mapping):
            todo += [(part, depth + 1) for pair in item.items() for part in pair]
        elif depth < 200 and isinstance(item, (list, tuple)):
            todo += [(part, depth + 1) for part in item]
    return False
