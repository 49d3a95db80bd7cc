"""What is to be forgotten, found in texts, in JSON values, and in the encodings in which this library writes both."""

from __future__ import annotations

import json
import re
from binascii import Error as Base64Error
from binascii import a2b_base64
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

from message_history.core.messages.blocks import is_blank
from message_history.core.values.json_values import json_text, short_repr

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Find: TypeAlias = "str | re.Pattern[str] | Iterable[str | re.Pattern[str]] | Callable[[str], str]"
"""What is to be forgotten: texts, patterns, or a function that returns a text without it."""

MOST_ROUNDS: Final = 10
"""How often a text is looked through, as what is left may say it again; then all of it goes."""
SHORTEST: Final = 8
"""How long a text is that may be base64 of something; one that is not known to be text needs three times as much."""
_BASE64: Final = re.compile(r"(?:data:[^,\s]*;base64,)?([A-Za-z0-9+/_-]+={0,2})")
_URL_SAFE: Final = str.maketrans("-_", "+/")


@final
class Finder:
    """Finds what is to be forgotten, and counts the places.

    Args:
        find: what it is.
        replace: the text that takes its place.
    """

    def __init__(self, find: Find, replace: str) -> None:
        if not isinstance(replace, str):
            raise TypeError(f"replace must be a str, not {type(replace).__name__}: {short_repr(replace)}")
        self.places = 0
        self._replace = replace
        self._own = find if callable(find) else None
        listed = () if callable(find) else (find,) if isinstance(find, str | re.Pattern) else tuple(find)
        for each in listed:
            _check(each)
        if not listed and self._own is None:
            raise ValueError("find must not be empty: pass a text, a compiled pattern or a function")
        texts = [each for each in listed if isinstance(each, str)]
        written = sorted(set(chain.from_iterable(map(_writings, texts))), key=lambda text: (-len(text), text))
        self._bytes = tuple(text.encode(errors="surrogatepass") for text in written)
        self._patterns = [each for each in listed if isinstance(each, re.Pattern)]
        if written:
            self._patterns.insert(0, re.compile("|".join(map(re.escape, written))))
        if any(pattern.search(replace) for pattern in self._patterns):
            raise ValueError(f"replace must not hold what is to be forgotten; {short_repr(replace)} does")

    def text(self, text: str) -> str:
        """Return a text without what is to be forgotten, in it or in what it encodes."""
        left = self._without(text)
        if left.lstrip()[:1] in ("{", "[", '"'):
            left = self._in_json(left)
        if left == text and len(text) >= SHORTEST and self._is_encoded_in(text):
            left = self._replace
        self.places += left != text
        return left

    def value(self, value: Any) -> Any:
        """Return a fresh JSON value without it; a number that says it becomes a text."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            found: dict[str, Any] = {}
            for key, item in value.items():
                found[free_name(self.text(key), found)] = self.value(item)
            return found
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if type(value) in (int, float):
            written = json.dumps(value)
            left = self.text(written)
            return value if left == written else left
        return value

    def _without(self, text: str) -> str:
        if self._own is not None:
            left = self._own(text)
            if not isinstance(left, str):
                raise TypeError(f"find must return a str for each str, not {type(left).__name__}")
            return left
        for _ in range(MOST_ROUNDS):
            left = text
            for pattern in self._patterns:
                left = pattern.sub(lambda _: self._replace, left)
            if left == text:
                return text
            text = left
        return self._replace

    def _in_json(self, text: str) -> str:
        """Look into a text that is JSON: escapes and base64 may hide what its strings say."""
        try:
            value = json.loads(text)
            before, left = self.places, self.value(value)
        except (ValueError, RecursionError):
            return text
        if self.places == before:
            return text
        self.places = before  # The text is one place.
        return json_text(left)

    def _is_encoded_in(self, text: str) -> bool:
        found = _BASE64.fullmatch(text)
        if found is None:
            return False
        letters = found[1].rstrip("=").translate(_URL_SAFE)
        try:
            data = a2b_base64(letters + "=" * (-len(letters) % 4))
        except Base64Error:
            return False
        if any(each in data for each in self._bytes):
            return True
        if len(text) < 3 * SHORTEST:
            return False
        try:
            decoded = data.decode()
        except UnicodeDecodeError:
            return False
        return self._without(decoded) != decoded


def _check(each: object) -> None:
    if not isinstance(each, str | re.Pattern) or (isinstance(each, re.Pattern) and not isinstance(each.pattern, str)):
        raise TypeError(
            f"find must be a str, a compiled pattern, a list of these or a function, not {type(each).__name__}"
        )
    if is_blank(each) if isinstance(each, str) else each.search("") is not None:
        raise ValueError(f"find must not match an empty text, as {short_repr(each)} does")


def _writings(text: str) -> set[str]:
    """Return how this library may write a text: as it is, escaped in JSON, in JSON within JSON, and in a `repr`."""
    found = {text}
    for _ in range(2):
        found |= {json.dumps(each, ensure_ascii=ascii)[1:-1] for each in found for ascii in (False, True)}
    return found | {repr(text)[1:-1]}


def free_name(name: str, taken: Any) -> str:
    """Return a name, with a number after it if it is taken."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free
