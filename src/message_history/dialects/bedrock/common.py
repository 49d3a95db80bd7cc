"""Write common messages in Converse's form; whatever else there is, `render` writes.

A short identifier is an id and a name that every model takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.dialects.common import common_heard, common_said

if TYPE_CHECKING:
    from message_history.dialects.bedrock import Bedrock
    from message_history.dialects.writing import Changes
    from message_history.message import Message

__all__ = ["BRIDGE", "NO_OUTPUT", "common_wire"]

Wire = dict[str, Any]
BRIDGE: Final = "."
"""What the other side says between two messages that must not be one: as little as every model takes."""
NO_OUTPUT: Final = "(no output)"
"""What an empty result says."""


def common_wire(message: Message, dialect: Bedrock, changes: Changes) -> list[Wire] | None:
    """Write a message that needs no second look.

    Args:
        message: the message.
        dialect: the model's fields.
        changes: gets a record of what is added.

    Returns:
        The messages; None for any other message.

    Complexity: linear in the message.
    """
    return _heard(message, dialect, changes) if message.role == "user" else _said(message, dialect, changes)


def _heard(message: Message, dialect: Bedrock, changes: Changes) -> list[Wire] | None:
    heard = common_heard(message)
    if heard is None:
        return None
    results: list[Wire] = []
    for id, text in heard[0]:
        if not text:
            changes.added("text of an empty result (B13, B14)")
        results.append({"toolResult": {"toolUseId": id, "content": [{"text": text or NO_OUTPUT}]}})
    texts: list[Wire] = [{"text": text} for text in heard[1]]
    if not (results and texts) or "text" in dialect.beside_results:
        return [{"role": "user", "content": results + texts}]
    changes.added("an assistant message between results, or media, and what may not stand with them")
    bridge = {"role": "assistant", "content": [{"text": BRIDGE}]}
    return [{"role": "user", "content": results}, bridge, {"role": "user", "content": texts}]


def _said(message: Message, dialect: Bedrock, changes: Changes) -> list[Wire] | None:
    said = common_said(message)
    if said is None:
        return None
    texts: list[Wire] = [{"text": text} for text in said[0]]
    calls: list[Wire] = [{"toolUse": {"toolUseId": id, "name": name, "input": given}} for id, name, given in said[1]]
    if not (texts and calls) or dialect.text_with_calls:
        return [{"role": "assistant", "content": texts + calls}]
    changes.added("a user message between words and calls of one message (B15)")
    bridge = {"role": "user", "content": [{"text": BRIDGE}]}
    return [{"role": "assistant", "content": texts}, bridge, {"role": "assistant", "content": calls}]
