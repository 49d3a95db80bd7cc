"""Blank texts next to the assistant's content: many servers write them for no content, and take them back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

from message_history.core.messages.blocks import ProviderBlock, TextBlock, ToolUseBlock, is_blank
from message_history.core.messages.message import CLEAN_ASSISTANT, with_content

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.core.messages.parsed import Parsed


def without_empty_texts(parsed: Parsed) -> Parsed:
    """Take texts without a character out of the assistant's turns that hold more: they are not content there."""
    messages = parsed.messages
    own = (n for n, message in enumerate(messages) if message.role == "assistant" and message.shape != CLEAN_ASSISTANT)
    empty = {n for n in own if any(map(_is_empty, messages[n].content))}
    gone: set[int] = set()
    for n in sorted(empty):
        left = tuple(block for block in messages[n].content if not _is_empty(block))
        beside = [m for m in (n - 1, n + 1) if 0 <= m < len(messages) and m not in gone]
        if any(map(_is_text_or_call, left)):
            messages[n] = with_content(messages[n], left)
        elif not left and any(_is_answer(messages[m]) for m in beside):
            gone.add(n)
    if gone:
        kept = [n for n in range(len(messages)) if n not in gone]
        places = {n: place for place, n in enumerate(kept)}
        parsed.messages[:], parsed.sources[:] = [messages[n] for n in kept], [parsed.sources[n] for n in kept]
        parsed.interrupted = {places[n] for n in parsed.interrupted if n in places}
    return parsed


def kept_beside(
    blocks: Sequence[Block], dialect: str, data_of: Callable[[str], Mapping[str, Any]], *, empty: bool = False
) -> list[Block]:
    """Keep the blank texts that the assistant wrote next to text or calls, as the dialect's own blocks.

    No history holds them as texts, and the provider takes them back. `data_of` makes the data of such a block. `empty`
    says whether texts without a character are kept too.
    """
    if not any(map(_is_text_or_call, blocks)):
        return list(blocks)
    return [
        ProviderBlock(dialect, data_of(block.text)) if _is_bare_blank(block) and (block.text or empty) else block
        for block in blocks
    ]


def is_kept_blank(block: Block, dialect: str) -> TypeGuard[ProviderBlock]:
    if not isinstance(block, ProviderBlock) or block.dialect != dialect:
        return False
    text = block.data.get("text")
    return isinstance(text, str) and is_blank(text) and block.data.keys() <= {"type", "text"}


def _is_empty(block: Block) -> bool:
    return isinstance(block, TextBlock) and block.meta is None and not block.text


def _is_bare_blank(block: Block) -> TypeGuard[TextBlock]:
    return isinstance(block, TextBlock) and block.meta is None and is_blank(block.text)


def _is_answer(message: Message) -> bool:
    """Return whether a message is the assistant's and holds text or a call."""
    return message.role == "assistant" and any(map(_is_text_or_call, message.content))


def _is_text_or_call(block: Block) -> bool:
    return isinstance(block, ToolUseBlock) or (isinstance(block, TextBlock) and not is_blank(block.text))
