"""What a provider's rules are, and what differs by model, as values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, final

from attrs import field, frozen

from message_history.core.values.json_values import short_repr
from message_history.core.values.value import Value

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Mapping


def shown(value: object) -> str:
    """Return a text as it is, and anything else in a few words."""
    return value if isinstance(value, str) else short_repr(value)


@final
@frozen(kw_only=True, repr=False, eq=False)
class Rule(Value):
    """One rule of a provider.

    Args:
        id: its name, which never changes.
        rule: what the provider demands, in one sentence.
        errors: what it answers otherwise, verbatim, with `{...}` for what differs; empty when no text is known.
        repair: what this library does about it.
        source: where that was seen: a page or an issue.
        date: when the source was read or the report made, as `YYYY-MM`.
        topic: what it is about, as `docs/dialects.md` names the topics: `explain` says the usual cause then. Our own
            dialects have theirs in `explaining/rule_topics.toml`, most of them.
    """

    id: str
    rule: str
    errors: tuple[str, ...]
    repair: str
    source: str
    date: str
    topic: str = field(default="", repr=False)

    def error(self, which: int = 0, **values: object) -> str:
        """Say what the provider answers in one case.

        Args:
            which: the position of the error among the rule's; one beyond them for a case without a known text.
            values: what fills the places `{...}` of the error; anything but a str in a few words.

        Returns:
            The text; an unnamed place stays as it is.
        """
        text = self.errors[which] if 0 <= which < len(self.errors) else ""
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", shown(value))
        return text


class ModelRow(NamedTuple):
    """What holds for some models.

    Args:
        models: a pattern that is searched for in a model's name, in lower case.
        fields: the dialect's fields, with their values for these models.
        source: where that was seen: a page or an issue.
        date: when, as `YYYY-MM`.
    """

    models: re.Pattern[str]
    fields: Mapping[str, Any]
    source: str
    date: str


def checked_name(value: object, argument: str = "model") -> str:
    if isinstance(value, str):
        return value
    hint = "for one that is not known, call the dialect's class without it"
    raise TypeError(f"{argument} must be a str, the name of a {argument}, not {type(value).__name__}; {hint}")


def fields_for(rows: Iterable[ModelRow], model: str) -> dict[str, Any]:
    """Choose the fields for a model: those of all rows that match, the later rows over the earlier.

    Returns none for a model that no row matches.
    """
    found: dict[str, Any] = {}
    for row in rows:
        if row.models.search(model.lower()):
            found.update(row.fields)
    return found
