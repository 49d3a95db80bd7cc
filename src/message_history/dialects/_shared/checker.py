"""What all detection shares: collecting violations, and looking into raw lists without trusting them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol, final

from message_history.violations import Violation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history.dialects._shared.rules import Rule


class ListCheck(Protocol):
    """What a dialect checks of one list."""

    found: Findings

    @property
    def entries(self) -> Sequence[Any]:
        """The entries as they are looked at; their positions are those in the list."""

    def entry(self, n: int, entry: Any, /) -> None:
        """Check one entry alone."""

    def whole(self) -> None:
        """Check what several entries say together, or the first or the last alone; there is at least one."""


def check_list(check: ListCheck, empty: str = "", detail: str = "") -> list[Violation]:
    """Check a list: each entry, then the whole.

    Args:
        check: what the dialect checks.
        empty: the rule that a list without entries breaks.
        detail: what is wrong with such a list; the rule's own sentence when empty.

    Returns:
        What is wrong.

    Complexity: linear in the list.
    """
    for n, entry in enumerate(check.entries):
        check.entry(n, entry)
    if check.entries:
        check.whole()
    elif empty:
        check.found.add(empty, detail=detail)
    return check.found.violations


@final
class Findings:
    """The violations of one list.

    Args:
        rules: the dialect's rules, by what they are added by: their ids, or faults that break them.
        texts: the position of the provider's text for some rules, whatever the case.
    """

    def __init__(self, rules: Mapping[str, Rule], texts: Mapping[str, int] | None = None) -> None:
        self.violations: list[Violation] = []
        self._rules = rules
        self._texts = texts or {}

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
            values: what fills the places in the provider's text, in addition to `n`.
        """
        known = self._rules[rule]
        places = {"n": index, **values} if index is not None else values
        error = known.error(self._texts.get(rule, which), **places)
        self.violations.append(
            Violation(rule=known.id, index=index, path=path, error=error, detail=detail or known.rule)
        )


@final
class OpenCalls:
    """The calls of one message, and which of them were answered; each step costs the same however many there are.

    Args:
        index: the entry that makes the calls.
        ids: their ids; one may be there twice.
    """

    def __init__(self, *, index: int = -1, ids: Iterable[str] = ()) -> None:
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
        """Take a result; say whether its call waited, was answered before, or is unknown."""
        if id in self._waiting:
            self._waiting[id] -= 1
            if not self._waiting[id]:
                del self._waiting[id]
            self._answered.setdefault(id, index)
            return "answered"
        return "again" if id in self._answered else "unknown"

    def answered_at(self, id: str) -> int | None:
        """Return the entry of the first result for a call; None while it has no result."""
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
    return text_at(part, "type") if type(part) is dict or isinstance(part, Mapping) else ""


def text_at(value: Mapping[Any, Any], key: str) -> str:
    """Return the text under a key, an empty one for anything else."""
    found = value.get(key)
    return found if isinstance(found, str) else ""


def is_blank_text(value: object) -> bool:
    return isinstance(value, str) and not value.strip()


def has_lone_surrogate(value: object) -> bool:
    """Return whether any text in a raw value, down to 200 levels, cannot be written as UTF-8."""
    level, depth = [value], 0
    while level and depth <= 200:
        inner: list[object] = []
        for item in level:
            if isinstance(item, str):
                if not item.isascii() and item.encode(errors="ignore").decode() != item:
                    return True
            elif type(item) is dict or isinstance(item, Mapping):
                inner += [*item, *item.values()]
            elif isinstance(item, (list, tuple)):
                inner += item
        level, depth = inner, depth + 1
    return False
