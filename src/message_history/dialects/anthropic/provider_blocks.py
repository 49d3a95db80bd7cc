"""Write blocks that only the Messages API knows: server tools with their results, and others that travel whole."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, final

from message_history.core.messages.blocks import ProviderBlock, TextBlock, ToolResultBlock, is_blank
from message_history.dialects._shared.writer import Aliases
from message_history.dialects.anthropic import schema
from message_history.dialects.anthropic.parse import ANTHROPIC

if TYPE_CHECKING:
    from collections.abc import Callable

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.dialects._shared.writer import Changes
    from message_history.dialects.anthropic.block_writer import BlockWriter

Wire = dict[str, Any]


@final
class ProviderBlocks:
    """The provider's own blocks of one export."""

    def __init__(self, changes: Changes, blocks: BlockWriter, client_id: Callable[[str], str]) -> None:
        self._changes = changes
        self._blocks = blocks
        self._client_id = client_id  # gives the id of a client's call as it is sent
        self._ids = Aliases(schema.SERVER_ID, schema.ID_LIMIT)
        self.outstanding: dict[str, str] = {}
        """The server tools that wait for their results, by their ids."""
        self._has_text = False

    @property
    def depends_on_others(self) -> bool:
        """Return whether what was written depends on other turns, or another turn on it."""
        return bool(self.outstanding) or self._ids.has_changed

    def begin(self, message: Message) -> dict[str, str]:
        """Begin an assistant message, and return the server tools that waited before it."""
        waited, self.outstanding = self.outstanding, {}
        self._has_text = any(isinstance(block, TextBlock) and not is_blank(block.text) for block in message.content)
        return waited

    def write(self, block: ProviderBlock, outstanding: dict[str, str]) -> list[Wire]:
        """Write a block that only this API understands; server tools keep to their turn (AN-S1 to AN-S4)."""
        if self._has_text and _is_white_space(block):
            wire = self._blocks.whole(block)
            return [] if wire is None else [wire]
        why = _why_omitted(block)
        if why:
            self._changes.omitted(block, why)
        wire = self._blocks.whole(block) if not why else None
        if wire is None:
            return []
        if block.type == "server_tool_use":
            wire["id"] = self.server_id(str(wire["id"]))
            return [*self._resolved_before(wire["id"], wire["name"]), wire]
        if block.type == "mcp_tool_use":
            wire["id"] = self._client_id(str(wire["id"]))
            return [*self._resolved_before(wire["id"], "mcp"), wire]
        if "tool_use_id" in wire:
            return self._server_result(block, wire, outstanding)
        return [wire]

    def _resolved_before(self, id: str, name: str) -> list[Wire]:
        """Let a server tool wait; one that waits already under its id is answered first."""
        before = self.resolved({id: self.outstanding.pop(id)}) if id in self.outstanding else []
        self.outstanding[id] = name
        return before

    def _server_result(self, block: ProviderBlock, wire: Wire, outstanding: dict[str, str]) -> list[Wire]:
        called = str(wire["tool_use_id"])
        wire["tool_use_id"] = self._client_id(called) if block.type == "mcp_tool_result" else self.server_id(called)
        for waiting in (self.outstanding, outstanding):
            name = waiting.get(wire["tool_use_id"])
            if name is not None and block.type == ("mcp_tool_result" if name == "mcp" else schema.SERVER_TOOLS[name]):
                del waiting[wire["tool_use_id"]]
                return [wire]
        self._blocks.unmark(wire)
        self._changes.omitted(block, "a server tool's result without its call (AN-S2)")
        return []

    def server_id(self, id: str) -> str:
        alias = self._ids(id if id.startswith("srvtoolu_") else f"srvtoolu_{id}")
        if alias != id:
            self._changes.rewritten(f"the id {id!r:.80} as {alias!r} (AN-S3)")
        return alias

    def settle(self, content: list[Wire], message: Message, after: Message | None) -> list[Wire]:
        """Answer server tools that got no result, unless the turn is paused, or waits for client tools alone."""
        if not self.outstanding or after is None or (message.ids and all(map(_is_result_alone, after.content))):
            return content
        settled: list[Wire] = []
        # Of calls with one id, the last one waits.
        for wire in reversed(content):
            id = wire.get("id")
            if id in self.outstanding:
                settled += self.resolved({id: self.outstanding.pop(id)})
            settled.append(wire)
        return settled[::-1]

    def resolved(self, outstanding: dict[str, str]) -> list[Wire]:
        """Make the error results of server tools whose results never came."""
        wire: list[Wire] = []
        for id, name in outstanding.items():
            self._changes.added(f"the error result of the server tool call {id!r} ({name}), which got none (AN-S1)")
            if name == "mcp":
                text = [{"type": "text", "text": "unavailable"}]
                wire.append({"type": "mcp_tool_result", "tool_use_id": id, "is_error": True, "content": text})
            else:
                kind = schema.SERVER_TOOLS[name]
                error = {"type": f"{kind}_error", "error_code": "unavailable"}
                wire.append({"type": kind, "tool_use_id": id, "content": error})
        return wire


def _why_omitted(block: ProviderBlock) -> str:
    """Return why a block cannot be sent in an assistant message; an empty text for one that can."""
    if block.dialect != ANTHROPIC or not block.type:
        return "a block of another provider"
    if block.type in schema.NOT_IN_ASSISTANT:
        return "not for an assistant message (AN-B6)"
    if re.fullmatch(schema.FOREIGN, block.type):
        return "a block that another API or library made (AN-B6)"
    if block.type == "server_tool_use" and block.data.get("name") not in schema.SERVER_TOOLS:
        return "a server tool that this API does not have (AN-S4)"
    return ""


def _is_result_alone(block: Block) -> bool:
    if not isinstance(block, ToolResultBlock):
        return False
    return not block.is_error or all(isinstance(part, TextBlock) for part in block.content)


def _is_white_space(block: ProviderBlock) -> bool:
    """Return whether a block is white space that the model wrote next to other text."""
    text = block.data.get("text")
    return block.data == {"type": "text", "text": text} and isinstance(text, str) and text != "" and is_blank(text)
