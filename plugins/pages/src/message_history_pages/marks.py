"""Repairs and violations as HTML, for the places where they happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from message_history.core.messages.block_base import Block
from message_history.core.values.json_values import thaw
from message_history.markup import Markup, element, join
from message_history.words import SEVERITIES, TITLES, detail_of
from message_history_pages.blocks import block, folded_text, json_block

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from message_history.core.messages.repairs import Removed, Repair
    from message_history.violations import Violation

ALIKE: Final = 20
"""How many removed blocks of one repair are shown."""


def repair_note(repair: Repair, place_of: Callable[[int], str]) -> Markup:
    """Return a repair, with what it removed and added. `place_of` says where an entry is in the file."""
    severity = repair.severity
    where = place_of(repair.source) if repair.source is not None else ""
    return element(
        "aside",
        element("strong", TITLES[repair.code]),
        element("span", ", ".join(filter(None, (where, SEVERITIES[severity]))), class_="where"),
        element("code", repair.code.value, class_="code"),
        element("p", detail_of(repair)) if repair.detail else "",
        _values("removed", repair.removed),
        _values("added", repair.added),
        class_=f"note repair {severity.value}",
    )


def _values(name: str, values: Iterable[Removed]) -> Markup:
    shown = list(values)
    if not shown:
        return Markup()
    more = [element("p", f"and {len(shown) - ALIKE:,} more")] if len(shown) > ALIKE else []
    inner = [element("div", value, class_="value") for value in map(_value, shown[:ALIKE])]
    return element("details", element("summary", name), *inner, *more, class_=name, open=name == "removed")


def _value(value: Removed) -> Markup:
    if isinstance(value, Block):
        return block(value)
    plain = thaw(value)
    return folded_text(plain) if isinstance(plain, str) else json_block(plain)


def violation_note(violation: Violation, place_of: Callable[[int], str]) -> Markup:
    """Return a violation, with the words of the provider. `place_of` says where an entry is in the file."""
    where = "the list" if violation.index is None else place_of(violation.index)
    answer = (
        element("blockquote", element("span", "the provider answers", class_="label"), violation.error)
        if violation.error
        else Markup()
    )
    return element(
        "aside",
        element("strong", violation.detail or "The provider rejects this"),
        element("span", join((where, " ", element("code", violation.path) if violation.path else "")), class_="where"),
        element("code", violation.rule, class_="code"),
        answer,
        class_="note violation",
    )
