"""How `explain` does on texts that it does not know: each known text is left out once, with its near copies.

A text about the list counts when the first explanation has the topic of its rule, and one about something else when
there is none. Rules are split by provider into two halves, and only what is missed in the first is printed: signs of
topics are made by looking at that half, and the other says whether they hold for what nobody looked at.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from unittest import mock
from zlib import crc32

from message_history.dialects._shared.rules import Rule
from message_history.explaining import cuts, explain, known, matching, places, reading
from message_history.explaining.topics import topics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from random import Random

__all__ = ["ALONE", "IN_A_BODY", "Case", "Outcome", "cases", "in_half", "left_out", "outcomes", "report"]

ALONE: Final = "alone"
IN_A_BODY: Final = "in a body"
NEAR: Final = 0.75
"""Which part of the words of two texts both have that are near copies."""
_AROUND: Final[dict[str, Callable[[str], str]]] = {
    ALONE: str,
    IN_A_BODY: lambda text: (
        "Error code: 400 - "
        + repr({"error": {"message": text, "type": "invalid_request_error", "param": None, "code": None}})
    ),
}
_PLACE: Final = re.compile(r"\{[a-z_]+\}")
_NUMBERS: Final = frozenset(
    ("n", "m", "k", "count", "limit", "line", "column", "position", "before", "member", "pages", "most", "code", "size")
)
_VALUES: Final[dict[str, tuple[str, ...]]] = {
    "ids": ("toolu_01AbC9xYz", "call_k20FunjGZouIu7PaUIAHz2G6, call_2", "fc_0a1b2c"),
    "role": ("assistant", "tool", "user"),
    "tag": ("text", "block"),
    "key": ("annotations", "index", "extra"),
    "model": ("deepseek-reasoner", "gpt-4o", "claude-sonnet-4-5"),
    "kind": ("image_url", "function_call", "file"),
    "name": ("web_search", "get_weather", "Bash"),
    "tags": ("'text', 'image', 'tool_use'", "'user', 'assistant'"),
    "url": ("https://example.com/a.png",),
    "type": ("text", "object", "string"),
}
_CHINESE: Final = re.compile(r"[\u3400-\u9fff]")
_LENGTHS: Final = ((6, "up to 6 words"), (15, "7 to 15 words"))
_LONGER: Final = "16 words or more"
_NOTHING: Final = "nothing"
_UNKNOWN: Final = "other"
_SHOWN: Final = 400


class Case(NamedTuple):
    """A known text.

    Args:
        text: the text, with `{...}` for what differs.
        topics: what it is about; empty for what is about something else than the list.
        family: whose text it is: the prefix of its rule, or its subject.
    """

    text: str
    topics: frozenset[str]
    family: str


class Outcome(NamedTuple):
    """What `explain` said of a text that it did not know.

    Args:
        case: the text.
        around: what was around it.
        topic: what the first explanation is about.
        right: whether it should be that.
    """

    case: Case
    around: str
    topic: str
    right: bool


def cases() -> list[Case]:
    """Return the texts that say what they are about, each once, in the order in which they are known."""
    found: dict[str, Case] = {}
    for dialect, about, error in matching.known_texts():
        if isinstance(about, Rule):
            names = known.topics_of(dialect, about.id)
            if about.id in known.opaque_rules() or names[:1] == ("the request around the list",) or not names:
                continue
            prefix = about.id.partition("-")[0]
            family = dialect if prefix == "EX" else prefix
        else:
            names, family = (), f"about {about.name}"
        before = found.get(error, Case(error, frozenset(), family))
        found[error] = Case(error, before.topics.union(names), before.family)
    return list(found.values())


def in_half(case: Case) -> bool:
    """Return whether a text is in the half that may be looked at: by provider, and of what is elsewhere by text."""
    return crc32((case.family if case.topics else case.text).encode()) % 2 == 0


def left_out(case: Case) -> list[Any]:
    """Return what is known without a text and its near copies."""
    own = Counter(_words(case.text))
    return [row for row in _known() if not _is_near(own, Counter(_words(row[2])))]


def outcomes(of: Iterable[Case], random: Random) -> Iterator[Outcome]:
    """Explain texts, each alone and in a body, without what is known of them."""
    for case in of:
        rest = left_out(case)
        text = filled(case.text, random)
        with (
            mock.patch.object(matching, "known_texts", lambda rest=rest: iter(rest)),
            mock.patch.object(cuts, "known_texts", lambda rest=rest: iter(rest)),
            mock.patch.multiple(matching, clauses_of=_clauses_of, masked=_masked, _leaves=_leaves),
        ):
            _forget()
            for around, wrap in _AROUND.items():
                named = _topic(wrap(text))
                right = bool(case.topics.intersection(named)) if case.topics else not named
                yield Outcome(case, around, named[0] if named else _NOTHING, right)
    _forget()


def filled(error: str, random: Random) -> str:
    """Put values in the places of a text."""

    def value(place: re.Match[str]) -> str:
        name = place[0][1:-1]
        return str(random.randrange(1, 211)) if name in _NUMBERS else random.choice(_VALUES.get(name, ("something7",)))

    return _PLACE.sub(value, error)


def report(found: list[Outcome]) -> list[str]:
    """Return lines of figures: by half, topic, language and length, and what was taken for what in the first half."""
    lines = []
    for title, key in _GROUPS.items():
        lines.append(title)
        groups = sorted({key(one.case) for one in found})
        lines += [
            f"  {group}: " + "; ".join(_share(one for one in found if key(one.case) == group)) for group in groups
        ]
    lines.append("missed in the first half")
    lines += [
        f"  {_of(one.case)} -> {one.topic}, {one.around}: {one.case.text[:_SHOWN]}"
        for one in sorted(found, key=lambda one: (_of(one.case), one.topic))
        if not one.right and in_half(one.case)
    ]
    return lines


def _share(found: Iterable[Outcome]) -> Iterator[str]:
    rows = list(found)
    for around in _AROUND:
        right = [one.right for one in rows if one.around == around]
        yield f"{around} {sum(right)} of {len(right)} ({sum(right) / max(1, len(right)):.1%})"


def _topic(text: str) -> tuple[str, ...]:
    """Return what the first explanation of a text is about: the first topic is the one that is said."""
    found = explain(text)
    if not found:
        return ()
    stands_for = tuple(topic.name for topic in topics() if topic.id == found[0].rule.id)
    return (stands_for or known.topics_of(found[0].dialect, found[0].rule.id) or (_UNKNOWN,))[:1]


def _of(case: Case) -> str:
    return " / ".join(sorted(case.topics)) or "elsewhere"


def _length(case: Case) -> str:
    words = len(_words(case.text))
    return next((name for most, name in _LENGTHS if words <= most), _LONGER)


_GROUPS: Final[dict[str, Callable[[Case], str]]] = {
    "all": lambda case: "about the list" if case.topics else "about something else",
    "by half": lambda case: (
        f"{'about the list' if case.topics else 'about something else'}, {'first' if in_half(case) else 'second'} half"
    ),
    "by topic": _of,
    "by family": lambda case: case.family,
    "by language": lambda case: "Chinese" if _CHINESE.search(case.text) else "English",
    "by length": lambda case: f"{'about the list' if case.topics else 'about something else'}, {_length(case)}",
}


@cache
def _known() -> tuple[Any, ...]:
    return tuple(matching.known_texts())


@cache
def _words(error: str) -> tuple[str, ...]:
    return tuple(word for word in reading.words_of(_PLACE.sub(" ", error.lower())) if not word.isdigit())


@cache
def _clauses_of(error: str) -> list[frozenset[str]]:
    return reading.clauses_of(error)


@cache
def _masked(text: str) -> str:
    return places.masked(text)


_leaves: Final = cache(matching._leaves)


def _is_near(one: Counter[str], other: Counter[str]) -> bool:
    """Return whether two texts have most words in common; what has no words is near to what has none."""
    return (one & other).total() >= NEAR * (one | other).total()


def _forget() -> None:
    matching._index.cache_clear()
    cuts._by_first_word.cache_clear()
