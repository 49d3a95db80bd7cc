"""Look once at a message of the shapes that nearly all have: texts and calls, or results and texts.

What is found needs no second look in any dialect: nothing travels with the blocks, every text says something that each
provider's JSON parser takes as it is, every id and name is a short identifier. A dialect writes it in a few lines; for
every other message its render goes the long way, block by block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from message_history.core.message import sendable
from message_history.core.plain import unpack

if TYPE_CHECKING:
    from message_history.core.message import Message

__all__ = ["SHORT", "Call", "Result", "Thought", "common_assistant", "common_reply", "common_user"]

Call: TypeAlias = tuple[str, str, dict[str, Any]]
"""A call's id, its tool and a fresh input."""
Result: TypeAlias = tuple[str, str]
"""The id of a result's call, and what the tool gave: one text, or an empty one where it gave nothing."""
Thought: TypeAlias = tuple[str, str]
"""Thinking that the Messages API signed, and its signature."""
SHORT: Final = 40
"""How long an id or a name may be."""


def common_assistant(message: Message) -> tuple[list[str], list[Call], bool] | None:
    """Take apart an assistant message of a common shape, for a dialect that sends no thinking back.

    Args:
        message: an assistant message.

    Returns:
        The texts, the calls behind them, and whether it has thinking; None when there is anything else about it.

    Complexity: linear in the message.
    """
    plain = sendable(message, SHORT)
    if plain is None:
        return None
    texts: list[str] = []
    calls: list[Call] = []
    thinks = False
    for item in plain:
        if type(item) is str:
            texts.append(item)
        elif len(item) == 3:
            id, name, packed = item
            calls.append((id, name, unpack(packed)))
        else:
            thinks = True
    return texts, calls, thinks


def common_reply(message: Message) -> list[str | Thought | Call] | None:
    """Take apart an assistant message of a common shape, for a dialect that sends thinking back.

    Args:
        message: an assistant message.

    Returns:
        The texts and the thinking, in order and never thinking last, and the calls behind them; None when there is
        anything else about it.

    Complexity: linear in the message.
    """
    plain = sendable(message, SHORT)
    if plain is None:
        return None
    return [item if type(item) is str or len(item) == 2 else (item[0], item[1], unpack(item[2])) for item in plain]


def common_user(message: Message) -> tuple[list[Result], list[str]] | None:
    """Take apart a user message of a common shape.

    Args:
        message: a user message.

    Returns:
        The results, none of them an error, and the texts behind them; None when there is anything else about it.

    Complexity: linear in the message.
    """
    plain = sendable(message, SHORT)
    if plain is None:
        return None
    results: list[Result] = []
    texts: list[str] = []
    for item in plain:
        if type(item) is str:
            texts.append(item)
        elif type(item[1]) is str:
            results.append(item)
        else:
            return None
    return results, texts
