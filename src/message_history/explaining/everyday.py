"""Find the rules' texts that other programs say too, as `Invalid role`: these count next to words of models."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from message_history.explaining.known import topics_of
from message_history.explaining.places import places_of
from message_history.explaining.reading import plain, words_of
from message_history.explaining.topics import is_of_models, topic_table

_FEW: Final = 4
"""How many words a text has at most that other programs have by chance too."""
_FEW_OF_UPLOADS: Final = 8
"""The same of a text about images and files, of which any program speaks that takes uploads."""
_UPLOADS: Final = "media"
_PLACE: Final = re.compile(r"\{[a-z_]+\}")
_ADDRESS: Final = re.compile(r"https?://\S{1,400}")
_KEY: Final = re.compile(r"\w_\w")


def is_everyday(dialect: str, id: str, error: str) -> bool:
    """Return whether a rule's text is so short, and so free of words of models, that other programs say it too."""
    topics = topics_of(dialect, id)
    text = plain(_PLACE.sub(" ", error)).strip()
    names_a_key = " " in text and _KEY.search(text) is not None
    few = 0 < len(words_of(text)) <= (_FEW_OF_UPLOADS if _UPLOADS in topics else _FEW)
    return few and not names_a_key and not is_of_models(text) and not places_of(plain(error))


def stands_alone(text: str, error: str) -> bool:
    """Return whether a plain text says nothing but a rule's text, its values, and what logs put before any error."""
    own = set(words_of(plain(error))) | _neutral()
    others = [word for word in words_of(_ADDRESS.sub(" ", text)) if word not in own and not word.isdigit()]
    return len(others) <= len(_PLACE.findall(error))


@cache
def _neutral() -> frozenset[str]:
    return frozenset(topic_table()["everyday"]["neutral"])
