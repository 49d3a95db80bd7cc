"""Cache marks where they pay, in an export that is otherwise the same.

A mark says that the request up to here is to be kept. It pays where a later request still has the same beginning: at
the end of the system prompt, at the end of what the last reply answered, and at the end of the list. A long list gets
one more mark, deep inside, so that a conversation that goes on from an earlier point finds a beginning too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, final

from attrs import evolve, field, frozen
from attrs.validators import and_, ge, instance_of, le, optional

from message_history.core.turns.conversation import open_turn_of
from message_history.core.turns.growth import is_continuation
from message_history.core.turns.stubs import standing_stubs
from message_history.core.values.validators import one_of

if TYPE_CHECKING:
    from message_history.core.turns.conversation import Conversation
    from message_history.dialects.base import Dialect, Export

MOST_MARKS: Final = 4
CHARACTERS_PER_TOKEN: Final = 4


@final
@frozen(kw_only=True)
class PromptCache:
    """Where an export gets cache marks, for providers that cache only what is marked.

    Args:
        marks: how many at most, with that of the system prompt; a mark that you put on your tools counts as well.
        ttl: how long what is marked is kept, `5m` or `1h`; None for the provider's default.
        min_tokens: how long a beginning must be, by a rough estimate, to be marked; providers ignore shorter ones.
        tools: the definitions of the tools that are sent, which come before everything else in what is cached: they
            count for `min_tokens`, and get no marks.
    """

    marks: int = field(default=MOST_MARKS, validator=and_(instance_of(int), ge(0), le(MOST_MARKS)))
    ttl: Literal["5m", "1h"] | None = field(default=None, validator=optional(one_of("5m", "1h")))
    min_tokens: int = field(default=1024, validator=and_(instance_of(int), ge(0)))
    tools: Sequence[Any] = field(default=(), repr=False, hash=False)


def with_cache_marks(export: Export, cache: PromptCache, dialect: Dialect[Any], closed: Conversation) -> Export:
    """Put cache marks on `export`, which `closed` was written as; marks of its blocks give way."""
    if not isinstance(cache, PromptCache):
        raise TypeError(f"cache must be a PromptCache, not {type(cache).__name__}; write PromptCache()")
    if not dialect.takes_cache_marks():
        return export
    for message in export.messages:
        dialect.unmark_cache(message["content"])
    marks = cache.marks
    # What was added only to be sent may be another the next time.
    last = open_turn_of(closed)[1]
    is_final = last is not None and not standing_stubs(closed) and not is_continuation(last.content[-1])
    places = _places(export.messages, _first_long_enough(export, cache), is_final=is_final)
    for place in places[:2]:
        marks -= marks > 0 and dialect.mark_cache(export.messages[place]["content"], cache.ttl)
    system = export.system
    if system:
        blocks = [{"type": "text", "text": system}] if isinstance(system, str) else system
        dialect.unmark_cache(blocks)
        if marks > 0 and dialect.mark_cache(blocks, cache.ttl):
            marks, system = marks - 1, blocks
    for place in places[2:]:
        marks -= marks > 0 and dialect.mark_cache(export.messages[place]["content"], cache.ttl)
    return evolve(export, system=system)


def _places(messages: Sequence[Any], first: int, *, is_final: bool) -> list[int]:
    """Return the positions of the messages to mark, the most useful first."""
    replies = [n for n, message in enumerate(messages) if message["role"] == "assistant"]
    users = [n for n, message in enumerate(messages) if message["role"] == "user" and message["content"]]
    settled = [n for n in users if replies and n < replies[-1]]
    places = [users[-1]] if users and is_final and (not replies or users[-1] > replies[-1]) else []
    places += settled[-1:]
    if len(settled) > 1:
        # It moves only when the list has doubled.
        places.append(settled[(1 << (len(settled) - 1).bit_length() - 1) - 1])
    return [place for place in dict.fromkeys(places) if place >= first]


def _first_long_enough(export: Export, cache: PromptCache) -> int:
    """Return the first message whose end is so many tokens from the beginning, by a rough estimate."""
    wanted = cache.min_tokens * CHARACTERS_PER_TOKEN - _size(cache.tools) - _size(export.system)
    for position, message in enumerate(export.messages):
        wanted -= _size(message["content"])
        if wanted <= 0:
            return position
    return len(export.messages)


def _size(value: object) -> int:
    """Count the characters in all texts of a value."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(_size, value.values()))
    return sum(map(_size, value)) if isinstance(value, list | tuple) else 0
