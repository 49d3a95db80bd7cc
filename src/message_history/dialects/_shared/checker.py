"""What all detection shares: collecting violations, and looking into raw lists without trusting them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, final

from message_history.core.json_values import short_repr
from message_history.violations import Violation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history.dialects.base import Rule

__all__ = [
    "Findings",
    "OpenCalls",
    "entries",
    "has_lone_surrogate",
    "is_blank_text",
    "kind_of",
    "mapping_of",
    "mappings",
    "shown",
    "text_at",
]


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


@final
class OpenCalls:
    """The calls of one message, and which of them were answered; each step costs the same however many there are.

    Args:
        index: the entry that makes the calls.
        ids: their ids; one may be there twice.
    """

    def __init__(self, index: int = -1, ids: Iterable[str] = ()) -> None:
        self.index = index
        self.count = 0
        self._waiting: dict[str, int] = {}
        self._answered: dict[str, int] = {}
        for id in ids:
            self.add(id)

    def add(self, id: str) -> bool:
        """Add a call; False when another of this id waits already."""
        self.count += 1
        others = self._waiting.get(id, 0)
        self._waiting[id] = others + 1
        return not others

    def answer(self, id: str, index: int) -> Literal["answered", "again", "unknown"]:
        """Take a result; say whether its call waited, was answered before, or is none of these.

        Args:
            id: the call that it answers.
            index: the entry that it stands in.
        """
        if id in self._waiting:
            self._waiting[id] -= 1
            if not self._waiting[id]:
                del self._waiting[id]
            self._answered.setdefault(id, index)
            return "answered"
        return "again" if id in self._answered else "unknown"

    def answered_at(self, id: str) -> int | None:
        """Return the entry of the first result for a call; None while there is none."""
        return self._answered.get(id)

    @property
    def is_waiting(self) -> bool:
        """Return whether a call has no result."""
        return bool(self._waiting)

    @property
    def waiting(self) -> list[str]:
        """Return the ids without a result, in the order of the calls."""
        return [id for id, count in self._waiting.items() for _ in range(count)]


def entries(value: object) -> list[Any]:
    """Return the items of a list, nothing for anything else."""
    return list(value) if isinstance(value, (list, tuple)) else []


def mapping_of(value: object) -> Mapping[Any, Any]:
    """Return an object as it is, and an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def mappings(values: Iterable[object]) -> list[Mapping[Any, Any]]:
    """Return objects as they are, and an empty one for anything else: the places stay the same."""
    return [value if isinstance(value, Mapping) else {} for value in values]


def kind_of(part: object) -> str:
    """Return the type of a part or a block, an empty text when it has none."""
    return text_at(part, "type") if isinstance(part, Mapping) else ""


def text_at(value: Mapping[Any, Any], key: str) -> str:
    """Return the text under a key, an empty one for anything else."""
    found = value.get(key)
    return found if isinstance(found, str) else ""


def shown(value: object) -> str:
    """Return a text as it is, and anything else in a few words."""
    return value if isinstance(value, str) else short_repr(value)


def is_blank_text(value: object) -> bool:
    """Return whether a value is a text of nothing but white space."""
    return isinstance(value, str) and not value.strip()


def has_lone_surrogate(value: object) -> bool:
    """Return whether any text in a raw value cannot be written as UTF-8.

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
