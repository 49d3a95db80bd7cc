"""Write valid messages as a list of items.

One turn at a time: the assistant message, the outputs of its calls, then the rest of the user message. What is
written for a turn depends on it and those before it.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, final

from message_history.core.messages.blocks import (
    ProviderBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    is_blank,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.values.json_values import FrozenDict, json_text
from message_history.dialects._shared.held import begins_at_provider
from message_history.dialects._shared.list_writer import write_messages
from message_history.dialects._shared.writer import PLACEHOLDER, Aliases, Changes, named_for, thaw_well_formed
from message_history.dialects.openai_responses import notes, schema
from message_history.dialects.openai_responses.approvals import acknowledged, write_decision
from message_history.dialects.openai_responses.block_writer import Pieces, is_part, plain
from message_history.dialects.openai_responses.items import Item, Items, fits, is_object, is_of_another
from message_history.dialects.openai_responses.parse import summary_of
from message_history.dialects.openai_responses.plain_writer import ResponsesPlainWriter
from message_history.dialects.openai_responses.plan import Planner, Segment
from message_history.dialects.openai_responses.schema import APPROVAL, CUSTOM, DECISION, FUNCTION, OPENAI_RESPONSES
from message_history.media import has_media

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.dialects.openai_responses.block_writer import Wire
    from message_history.dialects.openai_responses.model_fields import Fields
    from message_history.dialects.openai_responses.schema import ClientTool


@final
class Render:
    """One export."""

    def __init__(self, dialect: Fields) -> None:
        self.changes = Changes()
        self._dialect = dialect
        self._ids = Aliases(schema.CALL_ID, schema.CALL_ID_LIMIT, unique=dialect.unique_ids, takes_words=True)
        self._short = ResponsesPlainWriter(dialect.text_limit, self.changes, self._ids)
        self._messages: Sequence[Message] = ()
        self._planned: list[Segment] = []
        self._items = Items(dialect, self.changes, self._ids)
        self._planner = Planner(dialect, self.changes, self._items)
        self._pieces = Pieces(dialect, self.changes)
        self._has_references = False
        self._has_loose_decisions = False

    def written(self, messages: Sequence[Message], system: Sequence[SystemBlock]) -> tuple[list[Wire], None]:
        """Write a whole conversation; the system prompt goes first, as items of its own."""
        wire: list[Wire] = [item for block in system for item in self._system_message(block)]
        wire += self._written(messages)
        self._add_status(wire)
        return wire, None

    def turn(self, messages: Sequence[Message]) -> list[Any] | None:
        """Write a turn without media, items' ids, and calls whose ids must be unique; of another, return None."""
        shared = self._dialect.unique_ids and any(message.ids for message in messages)
        if shared or any(map(has_media, messages)):
            return None
        wire = [] if len(messages) == 1 and self._begins_without((*messages, *messages)) else self._written(messages)
        self._add_status(wire)
        return None if self._items.has_ids or self._has_loose_decisions else wire

    def _begins_without(self, messages: Sequence[Message]) -> bool:
        """Return whether the list begins without the user turn that the history begins with."""
        return bool(self._dialect.continues) and begins_at_provider(messages)

    def _add_status(self, wire: list[Wire]) -> None:
        """Add what some servers demand of every item (OR-31)."""
        if not self._dialect.needs_status:
            return
        for item in wire:
            if item.get("type") != "item_reference":
                item.setdefault("status", "completed")

    def _written(self, messages: Sequence[Message]) -> list[Wire]:
        self._messages = messages
        wire = write_messages(self, messages, self._short)
        for segment in self._planned[1:]:
            wire += self._segment(segment)
        return wire

    def message(self, message: Message) -> list[Wire]:
        """Write a message that the short way is not for."""
        index, asked = self.changes.index, self._short.asked
        self._short.asked = None
        if index == 0 and self._begins_without(self._messages):
            return []
        if message.role == "user":
            planned, self._planned = self._planned, []
            if asked is not None:
                planned = [Segment([], [Item(FUNCTION, [call]) for call in asked.calls])]
            self._short.may_answer = True
            return [*self._answered(planned, message), *self.user(message, first=index == 0)]
        self._ids.new_scope()
        after = self._messages[index + 1 : index + 2]
        results = {block.tool_use_id: block for behind in after for block in behind.results}
        self._planned = self._planner.plan(message, results)
        self._short.may_answer = False
        return self._segment(self._planned[0])

    def _answered(self, planned: Sequence[Segment], user: Message) -> list[Wire]:
        """Write the outputs of a turn's calls; calls that come one after the other, with the output of each."""
        wire: list[Wire] = []
        results = {block.tool_use_id: block for block in user.results}
        for number, segment in enumerate(planned):
            if number:
                wire += self._segment(segment)
            for item in segment.calls:
                call = item.blocks[0]
                if isinstance(call, ToolUseBlock) and call.id in results:
                    wire.append(acknowledged(self._output(item.kind, results[call.id]), call, results[call.id]))
        return wire

    def _segment(self, segment: Segment) -> list[Wire]:
        items = (*segment.words, *segment.calls)
        return [written for item in items if not item.is_held for written in self._item(item)]

    # The assistant's items

    def _item(self, item: Item) -> list[Wire]:
        block = item.blocks[0]
        if isinstance(block, ToolUseBlock):
            return [self._call(item, block)]
        if isinstance(block, ThinkingBlock):
            return [self._reasoning(item, block)]
        if isinstance(block, ProviderBlock):
            return [self._own(block, item.id)]
        return self._message(item) if item.id is not None else self._easy(item)

    def _message(self, item: Item) -> list[Wire]:
        carried = item.blocks[0].carried(OPENAI_RESPONSES)
        wire: Wire = {"type": "message", "id": item.id, "role": "assistant"}
        wire["status"] = carried["status"] if carried.get("status") in schema.STATUSES else "completed"
        wire["content"] = [self._assistant(block) for block in item.blocks if isinstance(block, TextBlock)]
        return [{**wire, **self._pieces.kept(carried, "message", "status", written=wire, free=item.is_free)}]

    def _assistant(self, block: TextBlock) -> Wire:
        extra = block.extra(OPENAI_RESPONSES)
        if extra.get("type") == "refusal":
            self._pieces.omit_keys(extra, frozenset())
            return {"type": "refusal", "refusal": block.text}
        wire: Wire = {"type": "output_text", "text": self._pieces.text(block.text), "annotations": []}
        sent = {key for key in ("annotations", "logprobs") if key in extra and schema.suits(key, extra[key])}
        self._pieces.omit_keys(extra, sent)
        return {**wire, **{key: thaw_well_formed(extra[key], self.changes) for key in sorted(sent)}}

    def _easy(self, item: Item) -> list[Wire]:
        """Write text without an id: one message for each text, as the specification's only form without an id."""
        first = item.blocks[0]
        carried = dict(first.carried(OPENAI_RESPONSES))
        came_with_id = notes.ITEM in first.extra(OPENAI_RESPONSES)
        if "id" in carried and not came_with_id:
            self._pieces.omit_keys({"id": carried["id"]}, frozenset())
        if came_with_id and (status := carried.pop("status", None)) not in ("completed", None):
            # Text that is sent without its id is complete.
            self._pieces.omit_keys({"status": status}, frozenset())
        phase = self._pieces.kept(carried, "easy", written=("role", "content"))
        texts = [block for block in item.blocks if isinstance(block, TextBlock)]
        if self._dialect.bare_items and self._is_annotated(texts):
            # Only a list of parts has a place for them.
            parts = [self._assistant(block) for block in texts]
            return [{"role": "assistant", "content": parts, **phase}]
        wire: list[Wire] = []
        for block in item.blocks:
            if isinstance(block, TextBlock):
                extra = block.extra(OPENAI_RESPONSES)
                if extra.get("type") == "refusal":
                    self.changes.rewritten("a refusal as text", block)
                self._pieces.omit_keys(extra, frozenset())
                wire += [{"role": "assistant", "content": text, **phase} for text in self._pieces.texts(block.text)]
        return wire

    def _is_annotated(self, texts: Sequence[TextBlock]) -> bool:
        """Return whether texts have annotations, and each may be a part of a list."""
        extras = [text.extra(OPENAI_RESPONSES) for text in texts]
        may_be_parts = all(extra.get("type") != "refusal" for extra in extras) and all(
            len(text.text) <= self._dialect.text_limit for text in texts
        )
        return may_be_parts and any(extra.get("annotations") for extra in extras)

    def _reasoning(self, item: Item, block: ThinkingBlock) -> Wire:
        extra = block.extra(OPENAI_RESPONSES)
        wire: Wire = {"type": "reasoning"}
        if item.id is not None:
            wire["id"] = item.id
        wire["summary"] = thaw_well_formed(summary_of(block.thinking, extra), self.changes)
        if block.signature is not None:
            wire["encrypted_content"] = block.signature
        keys = {key: value for key, value in extra.items() if key != "summary"}
        if isinstance(keys.get("encrypted_content"), str):
            # No text came there, but what is kept as one.
            self._pieces.omit_keys({"encrypted_content": keys.pop("encrypted_content")}, ())
        takes_text = self._dialect.reasoning == "text" or (item.is_free and block.signature is None)
        if not takes_text and "content" in keys:
            if keys.pop("content"):
                self.changes.omitted(FrozenDict({"content": extra["content"]}), "reasoning text (OR-16)")
        return {**wire, **self._pieces.kept(keys, "reasoning", free=item.is_free)}

    def _call(self, item: Item, block: ToolUseBlock) -> Wire:
        if item.kind == APPROVAL:
            name = self._pieces.text(block.name)
            wire: Wire = {"type": APPROVAL, "id": item.id, "arguments": self._arguments(block), "name": name}
            return {**wire, **self._pieces.kept(block.extra(OPENAI_RESPONSES), APPROVAL, written=wire)}
        tool = schema.CLIENT_TOOLS.get(item.kind)
        wire = {"type": item.kind, "call_id": self._ids(block.id)}
        if item.id is not None:
            wire["id"] = item.id
        if tool is not None:
            wire.update((key, list(value) if isinstance(value, tuple) else value) for key, value in tool.defaults)
            wire.update((key, thaw_well_formed(value, self.changes)) for key, value in block.frozen_input.items())
        else:
            wire["name"] = named_for(block.name, schema.NAME, schema.NAME_LIMIT, self.changes)
            if item.kind == CUSTOM:
                wire["input"] = self._pieces.text(str(block.frozen_input["input"]))
            else:
                wire["arguments"] = self._arguments(block)
        extra = dict(block.extra(OPENAI_RESPONSES))
        if not block.readable and extra.get("status") == "incomplete":
            # Text after it is written before it: as the last item it would be read as one that was truncated.
            self._pieces.omit_keys({"status": extra.pop("status")}, ())
        was = extra.get("type", FUNCTION)
        return (
            {**wire, **self._pieces.kept(extra, item.kind, written=wire, free=item.is_free)}
            if was == item.kind
            else wire
        )

    def _arguments(self, block: ToolUseBlock) -> str:
        """Write a call's input as text: the provider's own where there is one."""
        text = block.arguments
        if text is not None and (not self._dialect.object_arguments or is_object(text)):
            return self._pieces.text(text)
        if not block.readable:
            self.changes.rewritten("an input that is not a JSON object, under `_raw` (HF-07)", block)
        return json.dumps(thaw_well_formed(block.frozen_input, self.changes), ensure_ascii=False)

    def _own(self, block: ProviderBlock, id: str | None) -> Wire:
        self._has_references = self._has_references or block.type == "item_reference"
        self._pieces.omit_keys(block.carried(OPENAI_RESPONSES), frozenset())
        wire: Wire = thaw_well_formed(block.data, self.changes)
        if id is None:
            wire.pop("id", None)
        omitted: Wire = {}
        if self._dialect.checks_keys is False or is_of_another(self._dialect, id):
            return wire
        if block.type in schema.KEYS:
            known, nullable = schema.KEYS[block.type], schema.NULLABLE.get(block.type, frozenset())
            for key in [*wire]:
                if key not in known or (wire[key] is None and key not in nullable):
                    omitted[key] = wire.pop(key)
        self._pieces.omit_keys(omitted, frozenset())
        return wire

    # Outputs

    def _output(self, kind: str, result: ToolResultBlock) -> Wire:
        tool = schema.CLIENT_TOOLS.get(kind)
        extra = dict(result.extra(OPENAI_RESPONSES)) if result.meta is not None else {}
        id = extra.pop("id", None)
        wire: Wire
        if kind == APPROVAL:
            wire = write_decision(result, self._ids(result.tool_use_id), self.changes)
        else:
            wire = {"type": f"{kind}_output", "call_id": self._ids(result.tool_use_id)}
        if isinstance(id, str) and schema.ID.fullmatch(id):
            wire["id"] = id
        elif id is not None:
            self._pieces.omit_keys({"id": id}, frozenset())
        if kind == APPROVAL:
            return {**wire, **self._pieces.kept(extra, DECISION, written=wire)}
        if tool is None:
            wire["output"] = self._result_output(result, detailed=kind == CUSTOM)
        else:
            self._answer(tool, result, wire)
        failed = extra.get("status") == "failed"
        if failed or wire["type"] == "apply_patch_call_output":
            extra.pop("status", None)
        if wire["type"] == "apply_patch_call_output":
            wire["status"] = "failed" if result.is_error else "completed"
        elif result.is_error and not result.is_stub:
            self.changes.rewritten("a result's error flag, for which there is no place", result)
        return {**wire, **self._pieces.kept(extra, wire["type"], written=wire)}

    def _answer(self, tool: ClientTool, result: ToolResultBlock, wire: Wire) -> None:
        """Write what answers a call of one of the API's own tools: in its own form, else in that of a function."""
        content = result.content[0] if result.content else None
        suits = fits(tool, result, self._dialect.text_limit)
        if suits and tool.form == "screenshot" and isinstance(content, ImageBlock):
            wire["output"] = {**self._pieces.media(content), "type": "computer_screenshot"}
        elif suits and tool.form == "whole" and isinstance(content, ProviderBlock):
            wire.update(thaw_well_formed(content.data, self.changes))
        else:
            wire["output"] = self._result_output(result, detailed=False)
            if tool.form == "text" and isinstance(wire["output"], str):
                wire["type"] = tool.output
            else:
                wire["type"] = "function_call_output"
        if wire["type"] == "local_shell_call_output":
            called: str = wire["call_id"]
            wire.setdefault("id", called if schema.ID.fullmatch(called) else re.sub("[^A-Za-z0-9-]", "-", called))

    def _result_output(self, result: ToolResultBlock, *, detailed: bool) -> str | list[Wire]:
        """Write what a tool gave: a text if it is one, else parts (OR-25); custom tools' images tell their detail."""
        parts: list[Wire] = []
        for part in result.content:
            if isinstance(part, TextBlock):
                parts += self._pieces.text_parts(part)
            elif isinstance(part, ImageBlock | DocumentBlock):
                parts.append(_detailed(self._pieces.media(part)) if detailed else self._pieces.media(part))
            elif isinstance(part, ProviderBlock) and is_part(part):
                parts.append(self._pieces.own(part))
            elif isinstance(part, ProviderBlock):
                self.changes.rewritten("a block that an output may not hold, as JSON text", part)
                parts += [{"type": "input_text", "text": text} for text in self._pieces.texts(json_text(part.data))]
        return plain(parts) if parts else ""

    # The user's items

    def user(self, message: Message, *, first: bool) -> list[Wire]:
        """Write a message for each run of content, and for each system message; `first` must hold more than that."""
        wire: list[Wire] = []
        parts: list[Wire] = []
        of_message: Wire = {}

        def end() -> None:
            if parts:
                wire.append({"role": "user", "content": plain(parts), **of_message})
                parts.clear()
                of_message.clear()

        for block in message.content[len(message.results) :]:
            if isinstance(block, SystemBlock):
                end()
                wire += self._system_message(block)
            elif isinstance(block, ProviderBlock) and is_part(block):
                self._carried(block, of_message)
                parts.append(self._pieces.own(block))
            elif isinstance(block, ProviderBlock):
                item = self._user_item(block)
                if item:
                    end()
                wire += item
            else:
                self._carried(block, of_message)
                parts += self._user(block)
        end()
        if not wire and not message.results:
            self.changes.added("a message of which nothing could be sent")
            wire.append({"role": "user", "content": PLACEHOLDER})
        elif first and all(item.get("role") in ("system", "developer") and "type" not in item for item in wire):
            self.changes.added("a user message before a system message, which would otherwise be the system prompt")
            wire.insert(0, {"role": "user", "content": PLACEHOLDER})
        elif not first and not message.results and "role" not in wire[0] and schema.side_of(wire[0]) is None:
            self.changes.added("a user message before an item that would be taken for the assistant's")
            wire.insert(0, {"role": "user", "content": PLACEHOLDER})
        return wire

    def _user(self, block: Block) -> list[Wire]:
        if isinstance(block, TextBlock):
            if is_blank(block.text):
                self.changes.omitted(block, "blank text")
                return []
            return self._pieces.text_parts(block)
        if isinstance(block, ImageBlock | DocumentBlock):
            return [_detailed(self._pieces.media(block))]
        self.changes.omitted(block, "not for a user message")
        return []

    def _user_item(self, block: ProviderBlock) -> list[Wire]:
        """Write an item of the user's side that only this API understands."""
        modelled = block.type in schema.MODELLED or schema.side_of(block.data) == "assistant"
        if block.dialect != OPENAI_RESPONSES or not block.type or modelled:
            self.changes.omitted(block, "not for a user message")
            return []
        if block.extra(OPENAI_RESPONSES).get(notes.PART):
            self.changes.omitted(block, "a part that no message holds (OR-18)")
            return []
        if block.type == "item_reference" and not self._dialect.store:
            self.changes.omitted(block, "a reference to what is not stored (OR-09)")
            return []
        if self._dialect.checks_keys is not False and not schema.is_known(block.data):
            self.changes.omitted(block, "an item that this API does not take (OR-32, OR-33)")
            return []
        self._has_loose_decisions = self._has_loose_decisions or block.type == DECISION
        if block.type == DECISION and not (self._has_references or self._dialect.continues):
            self.changes.omitted(block, "a decision on a request that is not sent (OR-36)")
            return []
        id = self._items.fresh(block.data.get("id"), block.type)
        if id is None and block.type in schema.NEEDS_ID:
            self.changes.omitted(block, "an item that needs an id (OR-11 to OR-14)")
            return []
        return [self._own(block, id)]

    def _system_message(self, block: SystemBlock) -> list[Wire]:
        """Write a system message; several, when its text is too long for one."""
        carried = block.carried(OPENAI_RESPONSES) if block.meta is not None else {}
        role = "system"
        if carried.get(notes.DEVELOPER) is True:
            if self._dialect.developer:
                role = "developer"
            else:
                self.changes.rewritten("a developer message as a system message (DS-18)", block)
        extra = block.extra(OPENAI_RESPONSES) if block.meta is not None else {}
        mark = extra.get("prompt_cache_breakpoint")
        if not isinstance(mark, FrozenDict):
            self._pieces.omit_keys(extra, frozenset())
            keys = self._carried(block, {})
            return [{"role": role, "content": text, **keys} for text in self._pieces.texts(block.text)]
        self._pieces.omit_keys(extra, {"prompt_cache_breakpoint"})
        parts: list[Wire] = [{"type": "input_text", "text": text} for text in self._pieces.texts(block.text)]
        parts[-1]["prompt_cache_breakpoint"] = thaw_well_formed(mark, self.changes)
        return [{"role": role, "content": parts, **self._carried(block, {})}]

    def _carried(self, block: Block, keys: Wire) -> Wire:
        """Let a message have the keys that a block carries, unless it has another value; record all others."""
        carried = block.carried(OPENAI_RESPONSES) if block.meta is not None else {}
        for key in ("status", "phase"):
            if key in carried and schema.suits(key, carried[key]):
                keys.setdefault(key, carried[key])
        self._pieces.omit_keys(carried, [key for key in keys if carried.get(key) == keys[key]])
        return keys


def _detailed(part: Wire) -> Wire:
    return {**part, "detail": part.get("detail", "auto")} if part["type"] == "input_image" else part
