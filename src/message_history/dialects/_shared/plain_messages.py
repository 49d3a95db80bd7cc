"""Look once at a message of the shapes that nearly all have: texts and calls, or results and texts.

What is found needs no second look in any dialect: nothing travels with the blocks, every text says something that each
provider's JSON parser takes as it is, every id and name is a short identifier. A dialect writes it in a few lines; for
every other message its render goes the long way, block by block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from message_history.core.blocks import TextBlock, ToolResultBlock, ToolUseBlock
from message_history.core.json_values import thaw_flat
from message_history.dialects._shared.writer import is_unicode, thaw_unchanged

if TYPE_CHECKING:
    from message_history.core.message import Message

__all__ = ["SHORT", "Call", "Result", "common_assistant", "common_user"]

Call: TypeAlias = tuple[str, str, dict[str, Any]]
"""A call's id, its tool and a fresh input."""
Result: TypeAlias = tuple[str, str]
"""The id of a result's call, and what the tool gave: one text, or an empty one where it gave nothing."""
SHORT: Final = 40
"""How long an id or a name may be."""


def common_assistant(message: Message) -> tuple[list[str], list[Call]] | None:
    """Check what the assistant said.

    Args:
        message: an assistant message.

    Returns:
        The texts and the calls behind them; None when there is anything else about it.

    Complexity: linear in the message.
    """
    texts: list[str] = []
    calls: list[Call] = []
    for block in message.content:
        if block.meta is not None:
            return None
        # The classes are final: to compare types takes half the time of `isinstance`, and this is all that is done.
        kind = type(block)
        if kind is TextBlock:
            text: str = block.text  # type: ignore[attr-defined]
            if calls or not text or text.isspace() or "\0" in text or not (text.isascii() or is_unicode(text)):
                return None
            texts.append(text)
        elif kind is ToolUseBlock:
            id, name = block.id, block.name  # type: ignore[attr-defined]
            if not (id.isascii() and id.isidentifier() and name.isascii() and name.isidentifier()):
                return None
            given = thaw_flat(block.frozen_input) or thaw_unchanged(block.frozen_input)  # type: ignore[attr-defined]
            if given is None or len(id) > SHORT or len(name) > SHORT:
                return None
            calls.append((id, name, given))
        else:
            return None
    return (texts, calls) if texts or calls else None


def common_user(message: Message) -> tuple[list[Result], list[str]] | None:
    """Check what the user's side answered.

    Args:
        message: a user message.

    Returns:
        The results, none of them an error, and the texts behind them; None when there is anything else about it.

    Complexity: linear in the message.
    """
    results: list[Result] = []
    texts: list[str] = []
    for block in message.content:
        if block.meta is not None:
            return None
        kind = type(block)
        if kind is TextBlock:
            text: str = block.text  # type: ignore[attr-defined]
            if not text or text.isspace() or "\0" in text or not (text.isascii() or is_unicode(text)):
                return None
            texts.append(text)
        elif kind is ToolResultBlock and not texts:
            given = _given(block)  # type: ignore[arg-type]
            if given is None:
                return None
            results.append(given)
        else:
            return None
    return (results, texts) if results or texts else None


def _given(block: ToolResultBlock) -> Result | None:
    id, content = block.tool_use_id, block.content
    if block.is_error or len(id) > SHORT or not (id.isascii() and id.isidentifier()):
        return None
    if not content:
        return id, ""
    part = content[0]
    if len(content) > 1 or type(part) is not TextBlock or part.meta is not None:
        return None
    text = part.text
    if not text or text.isspace() or "\0" in text or not (text.isascii() or is_unicode(text)):
        return None
    return id, text
