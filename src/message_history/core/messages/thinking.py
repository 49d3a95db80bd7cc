"""The thinking in messages: whether there is any, how much of it is valid, and how it is invalidated."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from attrs import evolve

from message_history.core.messages.blocks import RedactedThinkingBlock, ThinkingBlock
from message_history.core.messages.message import items_of, like, like_plain, message_of_shape, not_plain
from message_history.core.messages.plain import NOT_PLAIN, invalidated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.core.messages.message import Message


def has_thinking(message: Message) -> bool:
    # `any` takes three times as long, and a repaired list asks often.
    items = items_of(message)
    if items:
        if message.role == "assistant":
            for item in items:
                if type(item) is tuple and len(item) != 3:
                    return True
        return False
    for block in message.content:  # noqa: SIM110
        if isinstance(block, _THINKING):
            return True
    return False


def any_thinking(messages: Sequence[Message]) -> bool:
    """Return whether one of several messages holds thinking, in a fifth of the time of a look at each."""
    plains = [message._plain or NOT_PLAIN for message in messages if message.role == "assistant"]
    # Thinking is a pair, or alone in a tuple; a call has three parts, and few texts have so few letters.
    may_be = not _LENGTHS_OF_THINKING.isdisjoint(map(len, chain.from_iterable(plains)))
    return any(map(has_thinking, messages if may_be else not_plain(messages)))


def count_of_thinking(message: Message) -> int:
    """Return how many blocks of thinking that is valid a message holds."""
    items = items_of(message)
    if items:
        if message.role == "user":
            return 0
        return len([item for item in items if type(item) is tuple and len(item) == 2])
    return sum(isinstance(block, _THINKING) and block.bound for block in message.content)


_THINKING: Final = (ThinkingBlock, RedactedThinkingBlock)
_LENGTHS_OF_THINKING: Final = frozenset({1, 2})


def invalidate_thinking(message: Message) -> Message:
    """Return a message whose thinking is invalidated: what came before it is not what its issuer saw."""
    if not has_thinking(message):
        return message
    items = items_of(message)
    if items:
        return like(message, like_plain(message, invalidated(items)))
    content = (
        evolve(block, bound=False) if isinstance(block, ThinkingBlock | RedactedThinkingBlock) else block
        for block in message.content
    )
    changed = message_of_shape(message.role, tuple(content), message.ids, message.shape)
    return like(message, changed)
