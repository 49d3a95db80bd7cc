"""Write common messages as the JSON of pydantic-ai's messages; whatever else there is, `render` writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from message_history.core.messages.plain import unpack
from message_history.dialects._shared.plain_messages import foreign_to
from message_history.dialects.pydantic_ai.schema import PROVIDERS

if TYPE_CHECKING:
    from message_history.core.messages.message import Message
    from message_history.core.messages.plain import Plain
    from message_history.dialects._shared.writer import Aliases, Changes

Wire = dict[str, Any]


@final
class PydanticPlainWriter:
    """Write messages that need no second look; see `PlainWriter`."""

    takes = staticmethod(foreign_to("pydantic_ai"))

    def __init__(self, changes: Changes, ids: Aliases) -> None:
        self.names: dict[str, str] = {}  # the tools of the calls of the last response, by id
        self.opens = False  # whether the first message opens with the system prompt, and goes the long way
        self._changes = changes  # tells which message is written
        self._ids = ids

    def begin(self) -> None:
        self._ids.new_scope()
        self.names = {}

    def assistant(self, message: Message, plain: Plain, wire: list[Wire]) -> bool:
        self.begin()
        parts: list[Wire] = []
        for item in plain:
            if type(item) is str:
                parts.append({"content": item, "part_kind": "text"})
            elif len(item) == 3:
                id, name, packed = item
                self.names[id] = name
                args = unpack(packed) if type(packed) is bytes else packed
                parts.append({"tool_name": name, "args": args, "tool_call_id": id, "part_kind": "tool-call"})
            else:
                thinking, signature = item
                provider = PROVIDERS["anthropic"]
                parts.append(
                    {"content": thinking, "signature": signature, "provider_name": provider, "part_kind": "thinking"}
                )
        wire.append({"parts": parts, "kind": "response"})
        return True

    def user(self, message: Message, plain: Plain, wire: list[Wire]) -> bool:
        if self.opens and self._changes.index == 0:
            return False
        names = self.names
        parts: list[Wire] = []
        for item in plain:
            if type(item) is str:
                parts.append({"content": item, "part_kind": "user-prompt"})
            else:
                id, text = item
                name = names.get(id, "unknown_tool")
                parts.append({"tool_name": name, "content": text, "tool_call_id": id, "part_kind": "tool-return"})
        wire.append({"parts": parts, "kind": "request"})
        return True
