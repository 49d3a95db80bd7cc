"""Write valid messages as steps.

A message of the assistant is its thoughts, output and calls in their order. A message of the user is one result for
each call, then its input. What is written for a message depends on it and those before it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, final

from message_history.core.messages.blocks import (
    ProviderBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from message_history.core.messages.message import is_bootstrap
from message_history.core.values.json_values import FrozenDict, json_text
from message_history.dialects._shared.held import is_held
from message_history.dialects._shared.list_writer import write_messages, write_turn
from message_history.dialects._shared.writer import PLACEHOLDER, Aliases, Changes, named_for, thaw_well_formed
from message_history.dialects.gemini.media import is_base64
from message_history.dialects.gemini_interactions import schema
from message_history.dialects.gemini_interactions.block_writer import ContentWriter, Wire
from message_history.dialects.gemini_interactions.parse import noted, summary_of
from message_history.dialects.gemini_interactions.schema import GEMINI_INTERACTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.dialects.gemini_interactions.model_fields import Fields


@final
class Render:
    """One export."""

    def __init__(self, dialect: Fields) -> None:
        self.changes = Changes()
        self._dialect = dialect
        self._content = ContentWriter(self.changes)
        self._ids = Aliases(schema.ID, schema.ID_LIMIT)
        self._names: dict[str, str] = {}

    def written(self, messages: Iterable[Message], system: Sequence[SystemBlock]) -> tuple[list[Wire], str | None]:
        """Write a whole conversation; the system prompt is what `system_instruction` takes."""
        prompt = "\n\n".join(self._content.text(block.text) for block in system) or None
        for block in system:
            self._content.keys(block, {}, ())
        return write_messages(self, messages), prompt

    def turn(self, messages: Sequence[Message]) -> list[Any] | None:
        """Write a turn without media; of another, return None."""
        return write_turn(self, messages)

    def message(self, message: Message) -> list[Wire]:
        if self.changes.index == 0 and self._dialect.continues and is_bootstrap(message):
            return []
        if message.role == "assistant":
            self._ids.new_scope()
            self._names = {}
        steps = self._assistant(message) if message.role == "assistant" else self._user(message)
        if not steps and not any(map(is_held, message.content)):
            self.changes.added("a message of which nothing could be sent")
            kind = "model_output" if message.role == "assistant" else "user_input"
            steps = [{"type": kind, "content": [{"type": "text", "text": PLACEHOLDER}]}]
        return steps

    def _add(self, steps: list[Wire], kind: str, block: Block, items: list[Wire]) -> None:
        """Add items of content to the step before them, or begin one."""
        if not items:
            return
        error = block.carried(GEMINI_INTERACTIONS).get("error") if block.meta is not None else None
        # What stood between two steps may be omitted; each has room for one error.
        begins = not steps or steps[-1]["type"] != kind or (error is not None and "error" in steps[-1])
        if begins or noted(block).get("step"):
            steps.append({"type": kind, "content": items})
        else:
            steps[-1]["content"] += items
        if error is not None:
            steps[-1]["error"] = thaw_well_formed(error, self.changes)

    # The model's steps

    def _assistant(self, message: Message) -> list[Wire]:
        steps: list[Wire] = []
        for block in message.content:
            if isinstance(block, ToolUseBlock):
                call = self._call(block)
                steps += [] if self._dialect.continues and is_held(block) else [call]
            elif isinstance(block, ThinkingBlock):
                steps += self._thought(block)
            elif isinstance(block, ProviderBlock) and not self._content.is_content(block):
                steps += self._server_step(block)
            else:
                self._add(steps, "model_output", block, self._content.items(block))
        return steps

    def _call(self, block: ToolUseBlock) -> Wire:
        id, name = self._ids(block.id), named_for(block.name, schema.NAME, schema.NAME_LIMIT, self.changes)
        if id != block.id:
            self.changes.renamed(block.id, id, "GI-05")
        if not block.readable:
            self.changes.rewritten("an input that is not a JSON object, under `_raw` (GI-05)", block)
        self._names[block.id] = name
        arguments = thaw_well_formed(block.frozen_input, self.changes)
        self._content.keys(block, {}, ())
        if block.signature is not None and block.issuer == GEMINI_INTERACTIONS:
            self._content.omit({"signature": block.signature})
        return {"type": "function_call", "id": id, "name": name, "arguments": arguments}

    def _thought(self, block: ThinkingBlock) -> list[Wire]:
        """Write a thought unchanged; one of another provider, or one that is not signed, is omitted."""
        if block.issuer != GEMINI_INTERACTIONS:
            self.changes.omitted(block, f"thinking issued by {block.issuer or 'another provider'} (GI-11)")
        elif block.signature is None and not self._dialect.unsigned_thoughts:
            self.changes.omitted(block, "a thought without a signature (GI-14)")
        elif block.signature is not None and not is_base64(block.signature):
            self.changes.omitted(block, "a thought whose signature does not decode (GI-11)")
        else:
            wire: Wire = {"type": "thought"}
            if block.signature is not None:
                wire["signature"] = block.signature
            summary = summary_of(block.thinking, block.extra(GEMINI_INTERACTIONS))
            if summary:
                wire["summary"] = thaw_well_formed(summary, self.changes)
            return [self._content.keys(block, wire, ("summary",))]
        return []

    def _server_step(self, block: ProviderBlock) -> list[Wire]:
        """Write a step of the provider's own tools, with the fields that it knows."""
        known = schema.STEPS.get(block.type, frozenset())
        if block.dialect != GEMINI_INTERACTIONS or block.type not in schema.SERVER_STEPS:
            self.changes.omitted(block, "a block that only its provider knows")
            return []
        self._content.keys(block, {}, ())
        signature = block.data.get("signature")
        if signature is not None and not (isinstance(signature, str) and is_base64(signature)):
            known -= {"signature"}  # It does not decode (GI-11).
        self._content.omit({key: value for key, value in block.data.items() if key not in known})
        data = FrozenDict({key: value for key, value in block.data.items() if key in known})
        return [thaw_well_formed(data, self.changes)]

    # The user's steps

    def _user(self, message: Message) -> list[Wire]:
        steps: list[Wire] = []
        for block in message.content:
            if isinstance(block, ToolResultBlock):
                steps.append(self._result(block))
            elif isinstance(block, SystemBlock):
                self.changes.rewritten("a system message as marked text of the user's turn", block)
                text = self._content.text(f"<system>\n{block.text}\n</system>")
                self._add(steps, "user_input", block, [self._content.keys(block, {"type": "text", "text": text})])
            else:
                self._add(steps, "user_input", block, self._content.items(block))
        return steps

    def _result(self, block: ToolResultBlock) -> Wire:
        facts = noted(block)
        wire: Wire = {"type": "function_result", "call_id": self._ids(block.tool_use_id)}
        if facts.get("named") is not False:
            wire["name"] = self._names.get(block.tool_use_id, "unknown_tool")
        wire["result"] = self._output(block, facts.get("form"))
        if block.is_error:
            wire["is_error"] = True
        elif facts.get("stated"):
            wire["is_error"] = False
        own = block.extra(GEMINI_INTERACTIONS).get("name")
        if isinstance(own, str) and own and "name" in wire:
            wire["name"] = named_for(own, schema.NAME, schema.NAME_LIMIT, self.changes)
        return self._content.keys(block, wire, ("name",) if isinstance(own, str) else ())

    def _output(self, block: ToolResultBlock, form: object) -> Any:
        """Write what a tool gave: text if that is all, else a list of content; an object unchanged."""
        if form == "json" and len(block.content) == 1 and isinstance(block.content[0], TextBlock):
            found = _object_in(block.content[0].text)
            if found is not None:
                return thaw_well_formed(FrozenDict(found), self.changes)
        items: list[Wire] = []
        for part in block.content:
            if isinstance(part, ProviderBlock) and not self._content.is_content(part):
                self.changes.rewritten("a block that a result may not hold, as JSON text", part)
                items.append({"type": "text", "text": self._content.text(json_text(part.data))})
            elif isinstance(part, TextBlock) and len(block.content) == 1:
                items.append(self._content.keys(part, {"type": "text", "text": self._content.text(part.text)}))
            else:
                items += self._content.items(part)
        only = items[0] if len(items) == 1 else {}
        if only.keys() == {"type", "text"} and form != "list":
            return only["text"]
        return items or ""


def _object_in(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
