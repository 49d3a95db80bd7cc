"""Read a text that a log has cut off within the words of an error: by the known texts that begin as it ends."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from message_history.explaining.matching import known_texts
from message_history.explaining.reading import words_of

if TYPE_CHECKING:
    from message_history.dialects._shared.rules import Rule
    from message_history.explaining.known import Subject

_START: Final = re.compile(r"""[:"'`>\])\[({\n\-|]\s{0,3}(?=\w)|^\s{0,8}(?=\w)""")
"""Where an error may begin in what is wrapped around it."""
_STARTS: Final = 24
"""From how many starts, the last ones, a text is read."""
_PLACE: Final = re.compile(r"\{[a-z_]+\}")
_FREE: Final = 8
"""How many words may stand in a place of a known text."""
_LEAST: Final = 3
"""Of fewer words of its own, the last of which may be a part of one, the beginning of a text says nothing."""
_ANY: Final = ""
"""What stands for a place among the words of a known text."""


def begun(text: str) -> list[tuple[str, Rule | Subject, str]]:
    """Find the known texts that begin as a plain text ends, the longest: dialect, subject and text of each."""
    text = text.rstrip(" .\u2026\"'`\\")
    for start in [found.end() for found in _START.finditer(text)][-_STARTS:]:
        words = words_of(text[start : start + 600]) if len(text) - start <= 600 else []
        if len(words) >= _LEAST:
            found = [known for own, known in _by_first_word().get(words[0], ()) if _begins(own, words)]
            if found:
                return found
    return []


@cache
def _by_first_word() -> dict[str, list[tuple[tuple[str, ...], tuple[str, Rule | Subject, str]]]]:
    """Return the words of all known texts, by the first."""
    found: dict[str, list[tuple[tuple[str, ...], tuple[str, Rule | Subject, str]]]] = {}
    for known in known_texts():
        parts = [words_of(part) for part in _PLACE.split(known[2].lower())]
        words = tuple(word for number, part in enumerate(parts) for word in ([_ANY, *part] if number else part))
        if words and words[0] != _ANY:
            found.setdefault(words[0], []).append((words, known))
    return found


def _begins(own: tuple[str, ...], words: list[str]) -> bool:
    """Return whether a known text begins with these words, of which the last may be cut off."""
    at = {(0, 0)}
    for word in words[:-1]:
        at = {step for place, free in at for step in _steps(own, place, free, word)}
    end = words[-1]
    literal = [place for place, _ in at if any(own[to].startswith(end) for to in _next(own, place) if own[to] != _ANY)]
    return any(sum(word != _ANY for word in own[:place]) >= _LEAST - 1 for place in literal)


def _next(own: tuple[str, ...], place: int) -> list[int]:
    """Return where the next word of a known text may stand: a place in it may also be filled already."""
    return [to for to in (place, place + 1) if to < len(own) and (to == place or own[place] == _ANY)]


def _steps(own: tuple[str, ...], place: int, free: int, word: str) -> list[tuple[int, int]]:
    """Return where a known text goes on after a word: at the next of its own, or still in a place."""
    found = [(to + 1, 0) for to in _next(own, place) if own[to] == word]
    if place < len(own) and own[place] == _ANY and free < _FREE:
        found.append((place, free + 1))
    return found
