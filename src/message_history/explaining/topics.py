"""Tell the topic of an error text whose words no rule has, by the signs in `topics.toml`."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Final, final

from attrs import frozen

from message_history.explaining.reading import words_of

__all__ = ["Topic", "topic_of", "topics"]

_FILE: Final = "topics.toml"
_SENTENCE_END: Final = re.compile(
    r"""[\n{}|]|(?<=[.;!?])\s|["']\s?,|\bnull\s?,"""
    r"""|(?<!["'\\])["'\\]++(?:message|error|type|code|param|status|detail)["'\\]++\s?:"""
)
"""Where a sentence or a value of a JSON body ends, and the keys that many bodies have."""
_LOCATED: Final = re.compile(r"""\bbody["',\s\\>-]+(?:messages|input)\b""")
_STOCK: Final = re.compile(r"input should be|field required|extra inputs|valid string|valid list|valid dictionary")
"""What validators say of a value; its place stands apart from it, as a list of keys from the body on."""


@final
@frozen(kw_only=True)
class Topic:
    """What rules of several providers have in common.

    Args:
        name: the topic, as the pages of the dialects have it.
        id: the id of the rule that stands for it.
        demand: what providers demand.
        cause: how lists come to break it.
        repair: what this library does about it.
        signs: each sign is a list of groups of words, one of each of which a sentence holds.
        veto: words that keep the topic away.
    """

    name: str
    id: str
    demand: str
    cause: str
    repair: str
    signs: tuple[tuple[re.Pattern[str], ...], ...]
    veto: tuple[re.Pattern[str], ...]


@cache
def topics() -> tuple[Topic, ...]:
    """Return all topics, those first that decide first."""
    rows = tomllib.loads(files(__package__).joinpath(_FILE).read_text(encoding="utf-8"))["topic"]
    keys = ("name", "id", "demand", "cause", "repair")
    return tuple(
        Topic(
            signs=tuple(tuple(_pattern(words) for words in sign) for sign in row["signs"]),
            veto=tuple(_pattern(words) for words in row.get("veto", ())),
            **{key: row[key] for key in keys},
        )
        for row in rows
    )


def topic_of(text: str) -> Topic | None:
    """Find the topic of the first sentence of a plain text that has a sign of one, or None.

    Complexity: linear in the text.
    """
    sentences = [" ".join(words_of(sentence)) for sentence in _SENTENCE_END.split(text)]
    stock = _STOCK.search(text) if _LOCATED.search(text) else None
    if stock is not None:
        sentences.append(f"messages content {stock[0]}")
    return next((topic for sentence in sentences for topic in topics() if _has(topic, sentence)), None)


def _has(topic: Topic, sentence: str) -> bool:
    """Return whether a sentence has a sign of a topic, and no word that keeps it away."""
    if not any(all(group.search(sentence) for group in sign) for sign in topic.signs):
        return False
    return not any(group.search(sentence) for group in topic.veto)


def _pattern(words: list[str]) -> re.Pattern[str]:
    alternatives = "|".join(re.escape(word).replace(r"\*", r"\w*") for word in words)
    return re.compile(rf"\b(?:{alternatives})\b")
