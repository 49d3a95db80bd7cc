"""What a block that only one provider knows says to a reader: its text, for every other dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from attrs import frozen

from message_history.core.blocks import Block, ProviderBlock, TextBlock, is_blank
from message_history.core.json_values import FrozenDict
from message_history.core.message import Message, make_message
from message_history.core.repairs import Repair, RepairCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history.dialects.base import Dialect

__all__ = ["TurnWithText", "holds_provider_blocks", "with_foreign_text"]

_HOLDS_THEM: Final = frozenset({"anthropic", "langchain", "native"})
"""The dialects that take these blocks as they are."""


@final
@frozen
class TurnWithText:
    """Writes a settled turn alone, with the text of blocks of other providers.

    Args:
        dialect: writes the turn.
    """

    dialect: Dialect[Any]

    def write_turn(self, assistant: Message | None, user: Message | None) -> list[Any] | None:
        """Return fresh messages; None when they depend on other turns."""
        if self.dialect.name in _HOLDS_THEM:
            return self.dialect.write_turn(assistant, user)
        return self.dialect.write_turn(*map(_readable, (assistant, user)))

    def takes_leading_assistant(self) -> bool:
        """Return whether a list may begin with an assistant message."""
        return self.dialect.takes_leading_assistant()


def with_foreign_text(messages: list[Message], dialect: Dialect[Any]) -> tuple[list[Message], list[Repair]]:
    """Replace blocks that only another provider knows by their text, where they have one.

    Args:
        messages: the messages that are sent.
        dialect: the dialect that they are sent in.

    Returns:
        The messages, and a repair for each block.

    Complexity: linear in the messages.
    """
    if dialect.name in _HOLDS_THEM:
        return messages, []
    readable = [_readable(message) for message in messages]
    repairs = [
        Repair(code=RepairCode.REWRITTEN, index=index, removed=(block,), detail=f"{block!r:.60} as text")
        for index, (message, other) in enumerate(zip(messages, readable, strict=True))
        if other is not message
        for block in _with_text(message.content)
    ]
    return readable, repairs


def _readable(message: Message | None) -> Any:
    if message is None or not _holds_provider_block(message) or not _with_text(message.content):
        return message
    return make_message(message.role, tuple(map(_as_text, message.content)))


def holds_provider_blocks(start: int, turns: Sequence[tuple[Message | None, Message | None]]) -> bool:
    """Return whether a run of turns holds a block that only one provider knows, for `Log.summaries`."""
    del start
    return any(_holds_provider_block(message) for turn in turns for message in turn if message is not None)


def _holds_provider_block(message: Message) -> bool:
    return ProviderBlock in map(type, message.content)


def _with_text(blocks: Iterable[Block]) -> list[Block]:
    return [block for block in blocks if _text_of(block)]


def _as_text(block: Block) -> Block:
    text = _text_of(block)
    return TextBlock(text, meta=block.meta) if text else block


def _text_of(block: Block) -> str:
    """Return the text of a compaction's summary, or of a search result; an empty one for any other block."""
    if not isinstance(block, ProviderBlock) or block.dialect != "anthropic":
        return ""
    content = block.data.get("content")
    if block.type == "compaction":
        return content if isinstance(content, str) and not is_blank(content) else ""
    if block.type != "search_result" or not isinstance(content, tuple):
        return ""
    parts = [block.data.get("title"), block.data.get("source")]
    parts += [part.get("text") for part in content if isinstance(part, FrozenDict)]
    return "\n".join(part for part in parts if isinstance(part, str) and not is_blank(part))
