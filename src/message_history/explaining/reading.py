"""An error text as it was logged or raised, read into the features that it is compared by.

Quotes, ids, numbers, escapes, colours and what an SDK wraps around an error do not count. What counts are words, pairs
of words that stand side by side, and the way in which a place of the list is written: `messages.3`, `messages[3]`.
"""

from __future__ import annotations

import html
import re
from itertools import pairwise
from typing import Final

_PLACE: Final = re.compile(r"\{[a-z_]+\}")
_WORD: Final = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
"""A word; Chinese is written without spaces, and its characters are compared instead."""
_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
# The possessive quantifier and the look-behind keep a run of backslashes linear.
_UNICODE: Final = re.compile(r"(?<!\\)\\++u([0-9a-fA-F]{4})")
_BYTES: Final = re.compile(r"(?:\\{1,4}x[89a-fA-F][0-9a-fA-F]){2,64}")
"""What Python shows of bytes that are not ASCII."""
_SPACE: Final = re.compile(r"(?<!\\)\\++[nrt](?![a-z]{2})")
_LINE: Final = re.compile(r"(?<!\\)\\++n(?=(?:body|contents?|error|field|input|messages?|type|value)\b)")
"""An escaped end of line before a word that validators begin a line with."""
_ENTITY: Final = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,31});")
_ERROR_TYPE: Final = re.compile(r"\b(?:invalid|bad)_?request_?error\b")
"""What many APIs call any 400; its words are also words of errors."""
_LIST_PLACE: Final = re.compile(
    r"\b(messages?|contents|content|input|parts|history)(\.\[?|\[)\s{0,3}"
    r"(?:\d+|n|x|i|idx|index|<\w{1,20}>|\{\w{1,20}\}|\*)(?!\w)(?=\]?(?:\.([a-z_]\w*))?)"
)
_ADDRESS: Final = re.compile(r"https?://[^\s\"'\\)>,]+")
"""A page that a rule's text leads to; the same stands in texts of other rules."""
_CLAUSE_END: Final = re.compile(r"(?<=[.;!?:])\s+|\n+")
_TEMPLATE: Final = re.compile(r"\{%[^{}%]{0,400}%\}|\{\{[^{}]{0,400}\}\}")
"""A line of a chat template, which engines show of where it raised; what it raised is next to it in plain words."""
_RAISE: Final = re.compile(r"""raise_exception\(['"\\]+([^{}'"]{1,300})""")
_ENTITY_DEPTH: Final = 2
"""How often HTML may have been escaped."""


def plain(text: str) -> str:
    """Remove colours, templates and the type of the error, and resolve the escapes of the encodings around it."""
    text = _COLOUR.sub("", text)
    text = _UNICODE.sub(lambda found: chr(int(found[1], 16)), text)
    text = _BYTES.sub(lambda found: bytes.fromhex(re.sub(r"\\+x", "", found[0])).decode(errors="replace"), text)
    for _ in range(_ENTITY_DEPTH):
        text = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
    text = _SPACE.sub(" ", _LINE.sub(" ", text))
    return _ERROR_TYPE.sub(" ", (_TEMPLATE.sub(_raised, text) if "{%" in text else text).lower())


def _raised(line: re.Match[str]) -> str:
    """Return what a line of a template raises: a log may have cut off the words next to it."""
    found = _RAISE.search(line[0])
    return f" {found[1]} " if found is not None else " "


def words_of(text: str) -> list[str]:
    return _WORD.findall(text)


def features_of(text: str) -> frozenset[str]:
    """Return the words of a plain text, its pairs of neighbouring words, and how it writes places of the list."""
    words = _WORD.findall(text)
    pairs = (f"{one} {other}" for one, other in pairwise(words) if not one.isdigit() and not other.isdigit())
    return frozenset((*(word for word in words if not word.isdigit()), *pairs, *_places(text)))


def clauses_of(error: str) -> list[frozenset[str]]:
    """Return the features of each clause of a rule's text, without addresses and what stands in a place of `{...}`."""
    error = _ADDRESS.sub(" ", error.lower())
    found = []
    for clause in _CLAUSE_END.split(error):
        features = frozenset().union(*(features_of(part) for part in _PLACE.split(clause)))
        features |= _places(clause)
        if features:
            found.append(features)
    return found


def _places(text: str) -> frozenset[str]:
    """Return how a plain text writes places of the list, alone and with the next key: `input[#`, `input[#.id`."""
    found = set()
    for place in _LIST_PLACE.finditer(text):
        here = f"{place[1]}{place[2]}#"
        found |= {here, f"{here}.{place[3]}"} if place[3] else {here}
    return frozenset(found)


def is_place(feature: str) -> bool:
    return "#" in feature
