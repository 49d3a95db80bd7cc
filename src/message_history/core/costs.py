"""What messages cost, and where whole turns begin: the arithmetic of windows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, final

from message_history.core.blocks import (
    Block,
    DocumentBlock,
    ImageBlock,
    ProviderBlock,
    RedactedThinkingBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from message_history.core.conversation import context_of, length_of, message_at
from message_history.core.json_values import json_text, thaw
from message_history.core.message import Message, make_message
from message_history.core.rules import needs_placeholder, placeholder

if TYPE_CHECKING:
    from message_history.core.conversation import Conversation
    from message_history.core.policy import Policy

__all__ = ["Costs", "Counter", "Cut", "estimate_tokens", "json_of_block", "opening_of", "starts_turn"]

Counter: TypeAlias = Callable[[Any], int]
"""What a message costs. It is called with one message; one that takes lists of messages gets a list of one."""

IMAGE_TOKENS: Final = 1_600
BYTES_PER_TOKEN: Final = 4
ENCODED_BYTES_PER_TOKEN: Final = 30
BLOCK_TOKENS: Final = 4


class Cut(NamedTuple):
    """A place where a history may be cut; it can be used as an index.

    Args:
        position: the user message that a window from here on begins with.
        cost: what the messages from here on cost, all together.
    """

    position: int
    cost: int

    def __index__(self) -> int:
        return self.position


def estimate_tokens(message: Message) -> int:
    """Estimate how many tokens a message has, without a tokenizer.

    It is a rough guess: four bytes of text are taken for a token, which is about right for English and code and too
    little for some other scripts; an image counts 1,600, an encoded document a token for each 30 bytes. Leave a fifth
    of the budget free, or give a counter of your own.

    Args:
        message: the message.

    Returns:
        The estimate.

    Complexity: linear in the message.
    """
    return BLOCK_TOKENS + sum(map(_tokens, message.content))


@final
class Costs:
    """What whole turns cost, counted from the newest on and no further than asked for.

    Args:
        conversation: the conversation.
        counter: what a message costs.
    """

    def __init__(self, conversation: Conversation, counter: Counter | None) -> None:
        self.spent = 0
        self._conversation = conversation
        self._length = length_of(conversation)
        self._policy = context_of(conversation).policy
        self._counter: Counter = counter if counter is not None else estimate_tokens
        # None until it has been asked once.
        self._takes_lists: bool | None = None

    def of_turns(self, tokens: float = math.inf, messages: float = math.inf) -> Iterator[tuple[int, int]]:
        """Yield each position where a whole turn begins, newest first, with the cost of all that follows it.

        Behind the newest one, no more is counted than it takes to see that nothing else fits.
        """
        found = False
        for position in range(self._length - 1, -1, -1):
            if found and (self.spent > tokens or self._length - position > messages):
                return
            message = message_at(self._conversation, position)
            own = self._of(message)
            if starts_turn(message):
                found = True
                opening = opening_of(message, self._policy) if position else ()
                leading = make_message("user", (*opening, *message.content)) if opening else message
                yield position, self.spent + (self._of(leading) if opening else own)
            self.spent += own

    def _of(self, message: Message) -> int:
        """Count one message, in the way that the counter takes it."""
        cost: object
        if self._takes_lists is None:
            cost = self._first(message)
        else:
            cost = self._counter([message] if self._takes_lists else message)
        if not isinstance(cost, int) or cost < 0:
            raise TypeError(f"the counter must give a whole number that is not negative, not {cost!r:.80}")
        return cost

    def _first(self, message: Message) -> object:
        """Find out what the counter takes."""
        self._takes_lists = False
        try:
            return self._counter(message)
        except TypeError as error:
            self._takes_lists = True
            try:
                return self._counter([message])
            except Exception:  # noqa: BLE001 - a counter that takes no list may fail in any way
                raise error from None


def starts_turn(message: Message) -> bool:
    """Return whether a message begins a whole turn: a user message that answers no call."""
    return message.role == "user" and not message.ids


def opening_of(message: Message, policy: Policy) -> tuple[Block, ...]:
    """Return what must stand before the first block of a message that is to lead."""
    return (placeholder(policy),) if needs_placeholder(message) else ()


def json_of_block(block: Block) -> str:
    """Write what an image, a document or a provider's block holds."""
    held = block.source if isinstance(block, ImageBlock | DocumentBlock) else None
    return json_text(thaw(block.data if isinstance(block, ProviderBlock) else held))


def _tokens(block: Block) -> int:
    if isinstance(block, TextBlock | SystemBlock):
        return BLOCK_TOKENS + _of_text(block.text)
    if isinstance(block, ToolUseBlock):
        return (
            2 * BLOCK_TOKENS + _of_text(block.name) + _of_text(block.arguments or json_text(thaw(block.frozen_input)))
        )
    if isinstance(block, ToolResultBlock):
        return 2 * BLOCK_TOKENS + sum(map(_tokens, block.content))
    if isinstance(block, ThinkingBlock):
        return BLOCK_TOKENS + _of_text(block.thinking)
    if isinstance(block, RedactedThinkingBlock):
        return BLOCK_TOKENS + _of_text(block.data)
    if isinstance(block, ImageBlock):
        return IMAGE_TOKENS
    if isinstance(block, DocumentBlock):
        per_token = BYTES_PER_TOKEN if block.source.get("type") == "text" else ENCODED_BYTES_PER_TOKEN
        return BLOCK_TOKENS + _of_text(json_of_block(block), per_token)
    return BLOCK_TOKENS + _of_text(json_of_block(block))


def _of_text(text: str, per_token: int = BYTES_PER_TOKEN) -> int:
    size = len(text) if text.isascii() else len(text.encode(errors="surrogatepass"))
    return -(-size // per_token)
