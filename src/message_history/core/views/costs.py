"""What messages cost: the arithmetic of windows."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, final

from message_history.core.messages.blocks import (
    ProviderBlock,
    RedactedThinkingBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.messages.message import Message, make_message
from message_history.core.messages.plain import unpack
from message_history.core.values.json_values import json_text, thaw

if TYPE_CHECKING:
    from message_history.core.messages.block_base import Block

Counter: TypeAlias = Callable[[Any], int]
"""What a message costs. It is called with one message; one that takes lists of messages gets a list of one."""

IMAGE_TOKENS: Final = 1_600
BYTES_PER_TOKEN: Final = 4
ENCODED_BYTES_PER_TOKEN: Final = 30
BLOCK_TOKENS: Final = 4


class Cut(NamedTuple):
    """A place where a history may be cut; it can be used as an index.

    Args:
        position: the message that a window from here on begins with: the user's, where a turn begins; the assistant's
            inside a turn, where the user's words lead that opened it.
        cost: what the messages from here on cost, all together, with what leads.
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

    Raises:
        TypeError: for anything but a message.

    Complexity: linear in the message.
    """
    if not isinstance(message, Message):
        raise TypeError(f"message must be a Message, not {type(message).__name__}; windows.tokens counts a history")
    if message._plain:
        return BLOCK_TOKENS + sum(_tokens_of_item(message.role, item) for item in message._plain)
    return BLOCK_TOKENS + sum(map(_tokens, message.content))


@final
class Costs:
    """What messages cost, by a counter that takes a message or a list of messages."""

    def __init__(self, counter: Counter | None) -> None:
        if counter is not None and not callable(counter):
            raise TypeError(f"counter must be a function of a message, not {type(counter).__name__}")
        self._counter: Counter = counter if counter is not None else estimate_tokens
        # None until it has been asked once.
        self._takes_lists: bool | None = None

    def of(self, message: Message) -> int:
        """Count one message, in the form that the counter accepts."""
        cost: object
        if self._takes_lists is None:
            cost = self._first(message)
        else:
            cost = self._counter([message] if self._takes_lists else message)
        if not isinstance(cost, int) or cost < 0:
            raise TypeError(f"the counter must return a whole number of 0 or more, not {cost!r:.80}")
        return cost

    def of_blocks(self, blocks: tuple[Block, ...]) -> int:
        """Count the user message that some blocks make; 0 for none."""
        return self.of(make_message("user", blocks)) if blocks else 0

    def _first(self, message: Message) -> object:
        """Find out what the counter accepts."""
        self._takes_lists = False
        try:
            return self._counter(message)
        except TypeError as error:
            self._takes_lists = True
            try:
                return self._counter([message])
            except Exception:  # noqa: BLE001 - a counter that takes no list may fail in any way
                raise error from None


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


def _tokens_of_item(role: str, item: Any) -> int:
    """Count what `_tokens` does for the block of an item of a plain content, without making it."""
    if type(item) is str:
        return BLOCK_TOKENS + _of_text(item)
    if role == "user":
        _, content = item
        texts = content if type(content) is tuple else filter(None, (content,))
        return 2 * BLOCK_TOKENS + sum(BLOCK_TOKENS + _of_text(text) for text in texts)
    if len(item) < len(("id", "name", "input")):
        text, _ = item if len(item) > 1 else item[0]
        return BLOCK_TOKENS + _of_text(text)
    _, name, input = item
    written = input if type(input) is str else json.dumps(unpack(input), ensure_ascii=False)
    return 2 * BLOCK_TOKENS + _of_text(name) + _of_text(written)


def _of_text(text: str, per_token: int = BYTES_PER_TOKEN) -> int:
    size = len(text) if text.isascii() else len(text.encode(errors="surrogatepass"))
    return -(-size // per_token)
