"""Write messages of the shapes that nearly all have, at one look; whatever else there is, `render` writes.

A short identifier in ASCII is an id and a name that no rule refuses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from message_history.core.messages.message import sendable
from message_history.core.messages.plain import unpack
from message_history.dialects.anthropic.schema import NAME_LIMIT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history.core.messages.message import Message

Wire = dict[str, Any]


def write_common(messages: Iterable[Message], wire: list[Wire]) -> Message | None:
    """Write plain messages in one loop, since each call costs 5 % of it; give the first that is another."""
    for message in messages:
        plain = sendable(message, NAME_LIMIT)
        if plain is None:
            return message
        content: list[Wire] = []
        if message.role == "assistant":
            for item in plain:
                if type(item) is str:
                    content.append({"type": "text", "text": item})
                elif len(item) == 3:
                    id, name, packed = item
                    content.append({"type": "tool_use", "id": id, "name": name, "input": unpack(packed)})
                else:
                    content.append({"type": "thinking", "thinking": item[0], "signature": item[1]})
            wire.append({"role": "assistant", "content": content})
        else:
            for item in plain:
                if type(item) is str:
                    content.append({"type": "text", "text": item})
                    continue
                id, text = item
                if type(text) is str and text:
                    texts = [{"type": "text", "text": text}]
                    content.append({"type": "tool_result", "tool_use_id": id, "content": texts})
                else:
                    content.append({"type": "tool_result", "tool_use_id": id, **_content(text)})
            wire.append({"role": "user", "content": content})
    return None


def _content(texts: tuple[str, ...]) -> Wire:
    return {"content": [{"type": "text", "text": text} for text in texts]} if texts else {}
