"""The placeholder before a leading assistant message: the history needs it, and some providers do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from message_history.core.blocks import SystemBlock
from message_history.core.message import bootstrap_message, is_bootstrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.core.message import Message
    from message_history.core.policy import Policy
    from message_history.dialects.base import Dialect, Parsed

__all__ = ["lead_with_placeholder", "length_of_lead"]


def lead_with_placeholder(parsed: Parsed, policy: Policy) -> None:
    """Put the placeholder before a list that begins with the assistant, and record nothing.

    The provider takes such a list, and gets it back as it came: nothing was wrong with it.

    Args:
        parsed: what was read; it is changed.
        policy: says what the placeholder says, and whether there is one.
    """
    first = next((n for n, message in enumerate(parsed.messages) if not _is_prompt(message)), None)
    if first is None or parsed.messages[first].role != "assistant" or policy.leading_assistant != "bootstrap":
        return
    parsed.messages.insert(first, bootstrap_message(policy.bootstrap_text))
    parsed.sources.insert(first, parsed.sources[first])
    parsed.interrupted = {n + (n >= first) for n in parsed.interrupted}


def length_of_lead(messages: Sequence[Message], dialect: Dialect[Any]) -> int:
    """Return how many messages at the start a dialect does not need.

    Args:
        messages: the messages of a history.
        dialect: the dialect that they are sent in.

    Returns:
        One for a placeholder before a leading assistant message that the provider takes, else none.
    """
    return int(len(messages) > 1 and is_bootstrap(messages[0]) and dialect.takes_leading_assistant())


def _is_prompt(message: Message) -> bool:
    return message.role == "user" and all(isinstance(block, SystemBlock) for block in message.content)
