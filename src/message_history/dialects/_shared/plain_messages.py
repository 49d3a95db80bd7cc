"""Messages of the shapes that nearly all have, on their way out: texts and calls, or results and texts.

They need no second look in any dialect: nothing travels with their blocks, every text says something that each
provider's JSON parser takes as it is, every id and name is a short identifier, results come first and calls last. A
dialect writes them in a few lines; for every other message its render goes the long way, block by block.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Protocol

from message_history.core.messages.plain import meta_of_keys

if TYPE_CHECKING:
    from collections.abc import Callable

    from message_history.core.messages.message import Message
    from message_history.core.messages.plain import Plain

SHORT: Final = 40
"""How long an id or a name may be."""


class PlainWriter(Protocol):
    """What a dialect writes of messages that need no second look.

    Each method gets a message, its plain content and the list that it is added to. It returns whether the message was
    added; where it was not, nothing was added or recorded.
    """

    def assistant(self, message: Message, plain: Plain, wire: list[Any]) -> bool:
        """Write an assistant message: its texts and its thinking, and after them as many calls as it has ids."""

    def user(self, message: Message, plain: Plain, wire: list[Any]) -> bool:
        """Write a user message: as many results as it has ids, each of one text or none, and the texts after them."""

    def takes(self, keys: bytes | None, item: Any) -> bool:
        """Return whether an item that came with packed keys may be written, with those that are sent back."""


def foreign_to(*own: str) -> Callable[[bytes | None, Any], bool]:
    """Return a function that says whether packed keys came from none of some dialects."""
    return lambda keys, _: are_foreign(keys, *own)


@lru_cache(maxsize=1_000)
def are_foreign(keys: bytes | None, *own: str) -> bool:
    """Return whether packed keys came from other dialects, whose keys are not looked at."""
    meta = meta_of_keys(keys)
    return meta is None or meta.extra.keys().isdisjoint(own)


def has_result_of_texts(plain: Plain) -> bool:
    """Return whether a result in a user message is a list of texts, not one text or none."""
    for item in plain:  # noqa: SIM110 - a generator takes five times as long
        if type(item) is not str and type(item[1]) is not str:
            return True
    return False
