"""The placeholder before a leading assistant message: the history needs it, and some providers do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.core.messages.blocks import SystemBlock, ToolUseBlock
from message_history.core.messages.message import CLEAN_ASSISTANT, CLEAN_USER, Message, bootstrap_message, is_bootstrap
from message_history.core.turns.rules import Arrival, arrival_of, fault_of_call, is_nothing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.parsed import Parsed
    from message_history.core.messages.policy import Policy
    from message_history.dialects.base import Dialect


def lead_with_placeholder(parsed: Parsed, policy: Policy, dialect: str) -> None:
    """Put the placeholder before a list that begins with the assistant, and record nothing.

    The provider takes such a list, or may take it, and gets it back unchanged: nothing was wrong with it. `parsed` is
    changed; `policy` says what the placeholder says, and whether there is one.
    """
    if policy.leading_assistant != "bootstrap":
        return
    stays = (_stays(message, truncated=n in parsed.interrupted) for n, message in enumerate(parsed.messages))
    first = next((n for n, does in enumerate(stays) if does), None)
    if first is None or parsed.messages[first].role != "assistant":
        return
    parsed.messages.insert(first, bootstrap_message(policy.bootstrap_text, dialect))
    parsed.sources.insert(first, parsed.sources[first])
    parsed.interrupted = {n + (n >= first) for n in parsed.interrupted}


def keep_blank_lead(parsed: Parsed, policy: Policy, dialect: str) -> None:
    """Put the placeholder in the place of an empty text that a list begins with, and record nothing.

    The history needs a user's message that says something, and the provider takes the empty one: it gets that back.
    `parsed` is changed; `policy` says what the placeholder says, and whether there is one.
    """
    first, *rest = parsed.messages[:2] or [_BLANK]
    if policy.leading_assistant != "bootstrap" or not rest or first.shape == CLEAN_USER or rest[0].role != "assistant":
        return
    if first == _BLANK and _stays(rest[0], truncated=1 in parsed.interrupted):
        parsed.messages[0] = bootstrap_message(policy.bootstrap_text, dialect)


def length_of_lead(messages: Sequence[Message], dialect: Dialect[Any]) -> int:
    """Return how many messages lead that a dialect does not need: a placeholder that its provider can do without."""
    return int(len(messages) > 1 and is_bootstrap(messages[0]) and is_omitted(messages[0], dialect))


def is_omitted(placeholder: Message, dialect: Dialect[Any]) -> bool:
    """Return whether a placeholder is not sent: such lists are taken, or may be and this one came so."""
    takes = dialect.takes_leading_assistant()
    if takes is not None:
        return takes
    mark = placeholder.content[0].mark
    return mark is not None and mark.reason == dialect.name


_BLANK: Final = Message.user("")


def _stays(message: Message, *, truncated: bool) -> bool:
    """Return whether a message is one of the history's, and neither its prompt nor an assistant's that says nothing."""
    if message.role == "user":
        return message.shape == CLEAN_USER or not all(isinstance(block, SystemBlock) for block in message.content)
    if message.shape == CLEAN_ASSISTANT:
        return True
    return any(_is_assistants(block, truncated=truncated) for block in message.content)


def _is_assistants(block: Block, *, truncated: bool) -> bool:
    if isinstance(block, ToolUseBlock):
        return fault_of_call(block, truncated=truncated) is None
    return arrival_of("assistant", block) is Arrival.ASSISTANT_CONTENT and not is_nothing(block)
