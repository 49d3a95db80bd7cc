"""Write common messages in Converse's form; whatever else there is, `render` writes.

A short identifier is an id and a name that every model takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.dialects._shared.plain_messages import common_reply, common_user

if TYPE_CHECKING:
    from message_history.core.message import Message
    from message_history.dialects._shared.writer import Changes
    from message_history.dialects.bedrock.model_fields import Fields

__all__ = ["BRIDGE", "NO_OUTPUT", "common_wire"]

Wire = dict[str, Any]
BRIDGE: Final = "."
"""What the other side says between two messages that must not be one: as little as every model takes."""
NO_OUTPUT: Final = "(no output)"
"""What an empty result says."""


def common_wire(message: Message, dialect: Fields, changes: Changes) -> list[Wire] | None:
    """Write a message that needs no second look.

    Args:
        message: the message.
        dialect: the model's fields.
        changes: gets a record of what is added.

    Returns:
        The messages; None for any other message.

    Complexity: linear in the message.
    """
    return _user(message, dialect, changes) if message.role == "user" else _assistant(message, dialect, changes)


def _user(message: Message, dialect: Fields, changes: Changes) -> list[Wire] | None:
    user = common_user(message)
    if user is None:
        return None
    results: list[Wire] = []
    for id, text in user[0]:
        if not text:
            changes.added("text of an empty result (BR-B13, BR-B14)")
        results.append({"toolResult": {"toolUseId": id, "content": [{"text": text or NO_OUTPUT}]}})
    texts: list[Wire] = [{"text": text} for text in user[1]]
    if not (results and texts) or "text" in dialect.beside_results:
        return [{"role": "user", "content": results + texts}]
    changes.added("an assistant message between results, or media, and what may not stand with them")
    bridge = {"role": "assistant", "content": [{"text": BRIDGE}]}
    return [{"role": "user", "content": results}, bridge, {"role": "user", "content": texts}]


def _assistant(message: Message, dialect: Fields, changes: Changes) -> list[Wire] | None:
    reply = common_reply(message)
    if reply is None:
        return None
    texts: list[Wire] = []
    calls: list[Wire] = []
    for block in reply:
        if isinstance(block, str):
            texts.append({"text": block})
        elif len(block) == 3:
            calls.append({"toolUse": {"toolUseId": block[0], "name": block[1], "input": block[2]}})
        elif dialect.reasoning and dialect.text_with_calls:
            texts.append({"reasoningContent": {"reasoningText": {"text": block[0], "signature": block[1]}}})
        else:
            return None
    if not (texts and calls) or dialect.text_with_calls:
        return [{"role": "assistant", "content": texts + calls}]
    changes.added("a user message between the text and the calls of one message (BR-B15)")
    bridge = {"role": "user", "content": [{"text": BRIDGE}]}
    return [{"role": "assistant", "content": texts}, bridge, {"role": "assistant", "content": calls}]
