"""HTML that cannot be broken out of: every text is escaped when it is put in, and nowhere else."""

from __future__ import annotations

import re
from html import escape as escape_html
from typing import TYPE_CHECKING, Final, final

if TYPE_CHECKING:
    from collections.abc import Iterable

VOID: Final = frozenset({"br", "hr", "img", "input", "meta"})

UNSEEN: Final = (
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
"""What steers a terminal, begins a line, is not seen, or turns the direction of the text: on pages and in terminals.

Characters that join letters or choose the form of one (U+200C, U+200D, U+FE00 to U+FE0F) stay: scripts need them.
"""
_HIDDEN: Final = re.compile(rf"(?![\t\n]){UNSEEN}")


@final
class Markup(str):
    """A text that is HTML already."""

    __slots__ = ()


def text(value: str) -> Markup:
    if isinstance(value, Markup):
        return value
    escaped = escape_html(value)
    return Markup(_HIDDEN.sub(_shown, escaped) if _HIDDEN.search(escaped) else escaped)


def _shown(found: re.Match[str]) -> str:
    code = found[0].encode("unicode_escape", "surrogatepass").decode()
    return f'<span class="hidden-character">{code}</span>'


def join(parts: Iterable[str]) -> Markup:
    return Markup("".join(map(text, parts)))


def element(name: str, *children: str, **attributes: str | int | bool | None) -> Markup:
    """Make an element; texts are escaped, names have `_` for `-`, and True gives an attribute without a value."""
    opening = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        attribute = key.rstrip("_").replace("_", "-")
        opening.append(attribute if value is True else f'{attribute}="{_value(str(value))}"')
    start = f"<{' '.join(opening)}>"
    return Markup(start) if name in VOID else Markup(f"{start}{join(children)}</{name}>")


def _value(value: str) -> str:
    """Escape the value of an attribute, which cannot hold an element."""
    return _HIDDEN.sub(lambda found: found[0].encode("unicode_escape", "surrogatepass").decode(), escape_html(value))
