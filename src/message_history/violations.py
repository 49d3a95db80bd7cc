"""Read-only detection: what a provider would refuse in a list as it is.

Detection is written apart from repair: it works on wire lists, never on a history, and shares no code with the state
machine. A dialect's own rules do the finding; this module knows only what a violation is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol, final

from attrs import frozen

from message_history.core.values.json_values import short_repr
from message_history.core.values.readable import read_anyway
from message_history.core.views.view import ConversationView

if TYPE_CHECKING:
    from collections.abc import Sequence


@final
@frozen(kw_only=True)
class Violation:
    """One thing that a provider refuses.

    Args:
        rule: the id of the rule, as the dialect's rules list it.
        index: the entry of the list; None when it is the list itself.
        path: where in the entry, like `content[1].id`; empty when it is the entry itself.
        error: what the provider answers, with the values of this case.
        detail: what is wrong, in our words.
        severity: `refused`; or `unknown`, for a key or a part of the assistant's that no rule knows, which is not a
            violation: `check` reports it only where it is asked to.
    """

    rule: str
    index: int | None = None
    path: str = ""
    error: str = ""
    detail: str = ""
    severity: Literal["refused", "unknown"] = "refused"

    def __str__(self) -> str:
        where = "the list" if self.index is None else f"entry {self.index}"
        return f"{where}{f' {self.path}' if self.path else ''}: {self.rule}: {self.detail or self.error}"


class Checks(Protocol):
    """Whatever can find violations: every dialect."""

    def violations(self, wire: Sequence[Any]) -> list[Violation]:
        """Find what the provider refuses in a list."""
        ...

    def unknown(self, wire: Sequence[Any]) -> list[Violation]:
        """Find what no rule knows in a list."""
        ...


def check(raw: Sequence[Any], dialect: Checks, *, unknown: bool = False) -> list[Violation]:
    """Find what a provider would refuse in a list; nothing is changed.

    Args:
        raw: the list, as it would be sent.
        dialect: the provider's dialect.
        unknown: whether to find also what of the assistant's messages is not known to the rules: no violations, which
            `severity` says.

    Returns:
        What is wrong, in the order in which it is found; empty when the list is acceptable.

    Raises:
        TypeError: when `raw` is not a list of entries, or `dialect` not a dialect.

    Complexity: linear in the list.
    """
    if isinstance(raw, ConversationView):
        raise TypeError("raw must be a list of messages, not a history; check what it sends: history.for_send(dialect)")
    if isinstance(raw, (str, bytes, bytearray, dict)) or not hasattr(raw, "__iter__"):
        hint = (
            "parse the JSON first" if isinstance(raw, (str, bytes, bytearray)) else "pass its 'messages', or [message]"
        )
        raise TypeError(f"raw must be a list of messages, not {type(raw).__name__}; {hint}")
    if isinstance(dialect, type) or not hasattr(dialect, "violations"):
        name = dialect.__name__ if isinstance(dialect, type) else ""
        if name:
            raise TypeError(f"dialect must be a dialect, not the class {name}; write {name}()")
        raise TypeError(f"dialect must be a dialect, not {short_repr(dialect)}; take one of message_history.dialects")
    found = read_anyway(dialect.violations, list(raw))
    return [*found, *read_anyway(dialect.unknown, list(raw))] if unknown else found
