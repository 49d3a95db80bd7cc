"""Markdown of a message, shown as what it means: code, headings and strong words, with every character of the text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from message_history.markup import Markup, element, join

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARKED: Final = re.compile(
    r"""(?P<fenced>^```[^\n`]*\n(?:.*?\n)??```[ ]*$)
      | (?P<heading>^\#{1,6}[ ][^\n]+$)
      | (?P<code>`[^`\n]+`)
      | (?P<strong>\*\*[^*\s](?:[^*\n]*[^*\s])?\*\*)""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_ELEMENTS: Final = {"fenced": "code", "heading": "strong", "code": "code", "strong": "strong"}


def markdown(value: str) -> Markup:
    """Return a text as HTML. Nothing is taken out of it: the marks of Markdown stay."""
    return join(_pieces(value))


def _pieces(value: str) -> Iterator[str]:
    end = 0
    for found in _MARKED.finditer(value):
        kind = str(found.lastgroup)
        yield value[end : found.start()]
        yield element(_ELEMENTS[kind], found[0], class_=f"markdown-{kind}")
        end = found.end()
    yield value[end:]
