"""Write common messages in Converse's form; whatever else there is, `render` writes.

A short identifier is an id and a name that every model takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from message_history.core.messages.plain import input_of
from message_history.dialects._shared.plain_messages import foreign_to

if TYPE_CHECKING:
    from message_history.core.messages.message import Message
    from message_history.core.messages.plain import Plain
    from message_history.dialects._shared.writer import Aliases, Changes
    from message_history.dialects.bedrock.model_fields import Fields

Wire = dict[str, Any]
BRIDGE: Final = "."
"""What the other side says between two messages that must not be one: as little as every model takes."""
NO_OUTPUT: Final = "(no output)"
"""What an empty result says."""


@final
class BedrockPlainWriter:
    """Write messages that need no second look; see `PlainWriter`."""

    takes = staticmethod(foreign_to("bedrock"))

    def __init__(self, dialect: Fields, changes: Changes, ids: Aliases) -> None:
        self._dialect = dialect
        self._changes = changes
        self._ids = ids
        self._takes_thinking = dialect.reasoning and dialect.text_with_calls

    def assistant(self, message: Message, plain: Plain, wire: list[Wire]) -> bool:
        content: list[Wire] = []
        for item in plain:
            if type(item) is str:
                content.append({"text": item})
            elif len(item) == 3:
                id, name, packed = item
                content.append({"toolUse": {"toolUseId": id, "name": name, "input": input_of(packed)}})
            elif self._takes_thinking:
                content.append({"reasoningContent": {"reasoningText": {"text": item[0], "signature": item[1]}}})
            else:
                return False
        self._ids.new_scope()
        first = len(plain) - len(message.ids)
        if self._dialect.text_with_calls or not 0 < first < len(plain):
            wire.append({"role": "assistant", "content": content})
        else:
            self._changes.added("a user message between the text and the calls of one message (BR-B15)")
            wire.append({"role": "assistant", "content": content[:first]})
            wire.append({"role": "user", "content": [{"text": BRIDGE}]})
            wire.append({"role": "assistant", "content": content[first:]})
        return True

    def user(self, message: Message, plain: Plain, wire: list[Wire]) -> bool:
        ids = message.ids
        content: list[Wire] = []
        for item in plain:
            if type(item) is str:
                content.append({"text": item})
                continue
            id, text = item
            if not text:
                self._changes.added("text of an empty result (BR-B13, BR-B14)")
            content.append({"toolResult": {"toolUseId": id, "content": [{"text": text or NO_OUTPUT}]}})
        if "text" in self._dialect.beside_results or not 0 < len(ids) < len(plain):
            wire.append({"role": "user", "content": content})
        else:
            self._changes.added("an assistant message between results, or media, and what may not accompany them")
            wire.append({"role": "user", "content": content[: len(ids)]})
            wire.append({"role": "assistant", "content": [{"text": BRIDGE}]})
            wire.append({"role": "user", "content": content[len(ids) :]})
        return True
