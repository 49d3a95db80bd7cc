"""Write valid messages as a list of Converse messages.

What is written for a message depends on it and those before it: names of documents are numbered in the order in which
they come. The limit of cache points is the exception. A user message that may not hold all that it has is written as
several, with a short assistant message between them, as the API joins neighbours of one role.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from message_history.core.messages.blocks import ProviderBlock, SystemBlock, TextBlock, ToolResultBlock
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.values.json_values import FrozenDict, json_text
from message_history.dialects._shared.list_writer import write_messages, write_turn
from message_history.dialects._shared.writer import PLACEHOLDER, Changes
from message_history.dialects.anthropic.call_order import CALL, CONTENT, SERVER, THINKING, Kind, calls_last
from message_history.dialects.bedrock import schema
from message_history.dialects.bedrock.block_writer import BlockWriter
from message_history.dialects.bedrock.grouping import (
    calls_apart,
    groups_of,
    is_allowed,
    key_of,
    place_cache_points,
    with_text,
)
from message_history.dialects.bedrock.parse import BEDROCK
from message_history.dialects.bedrock.plain_writer import BRIDGE, NO_OUTPUT, BedrockPlainWriter
from message_history.dialects.bedrock.provider_blocks import beyond, served_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.dialects.bedrock.model_fields import Fields

Wire = dict[str, Any]


@final
class Render:
    """One export."""

    def __init__(self, dialect: Fields) -> None:
        self.changes = Changes()
        self._dialect = dialect
        self._blocks = BlockWriter(self.changes, dialect)
        self._short = BedrockPlainWriter(dialect, self.changes, self._blocks.ids)
        self._points: list[tuple[int, list[Wire], Wire]] = []
        self._moved: list[Wire] = []
        self._counts: dict[str, int] = {}

    def written(
        self, messages: Sequence[Message], system: Sequence[SystemBlock]
    ) -> tuple[list[Wire], list[Wire] | None]:
        prompt = self._prompt(system)
        in_prompt = len(self._points)
        wire = write_messages(self, messages, self._short)
        if wire and wire[-1]["role"] == "assistant":
            self._trim_prefill(wire[-1]["content"])
        self._limit_cache_points(in_prompt)
        return wire, prompt or None

    def turn(self, messages: Sequence[Message]) -> list[Any] | None:
        """Write a turn without cache points and media; of another, return None."""
        wire = write_turn(self, messages, self._short)
        return None if self._points else wire

    def message(self, message: Message) -> list[Wire]:
        """Write a message that the short way is not for."""
        if message.role == "user":
            return self._user(message)
        self._blocks.ids.new_scope()
        return self._assistant(message)

    def _prompt(self, system: Sequence[SystemBlock]) -> list[Wire]:
        prompt: list[Wire] = []
        for block in system:
            prompt += self._marked(block, [{"text": self._blocks.text(block.text)}])
            self._blocks.omit_keys(block)
        self._settle(prompt)
        return prompt

    # The assistant's side

    def _assistant(self, message: Message) -> list[Wire]:
        self._blocks.begin(message)
        pairs = served_pairs(message) if self._dialect.server_tools else frozenset()
        written = [
            self._marked(block, self._blocks.assistant(block, served=position in pairs))
            for position, block in enumerate(message.content)
        ]
        content = [wire for wires in self._ordered(written) for wire in wires]
        self._end_with_text(content)
        if not content:
            self.changes.added("a message of which nothing could be sent")
            content = [{"text": PLACEHOLDER}]
        parts = [content] if self._dialect.text_with_calls else calls_apart(content)
        for part in parts:
            self._settle(part)
        if len(parts) == 1:
            return [_message("assistant", content)]
        self.changes.added("a user message between the text and the calls of one message (BR-B15)")
        texts, calls = parts
        return [_message("assistant", texts), _message("user", [{"text": BRIDGE}]), _message("assistant", calls)]

    def _ordered(self, written: list[list[Wire]]) -> list[list[Wire]]:
        """Move what may not follow a call before it, each with its cache point."""
        written = [wires for wires in written if wires]
        if not self._dialect.calls_last:
            return written
        ordered = calls_last(written, _kind_of)
        if any(one is not other for one, other in zip(ordered, written, strict=True)):
            self.changes.rewritten("text before the calls (BR-B32)")
        return ordered

    def _end_with_text(self, content: list[Wire]) -> None:
        """Take reasoning from the end of a message, and the cache points after it (BR-B23)."""
        while content:
            last = next((wire for wire in reversed(content) if key_of(wire) != "cachePoint"), content[-1])
            if key_of(last) != "reasoningContent":
                return
            while content.pop() is not last:
                self.changes.omitted(None, "a cache point after reasoning (BR-B22)")
            block = next(block for wire, block in self._blocks.reasoned if wire is last)
            self.changes.omitted(block, "reasoning at the end of a message (BR-B23)")

    def _trim_prefill(self, content: list[Wire]) -> None:
        """An answer that is to be gone on with does not end with white space, as the Messages API has it (B4)."""
        if self._dialect.white_space == "alone":
            return  # No Claude: these take it anywhere.
        while "text" in content[-1] and (text := content[-1]["text"]) != text.rstrip():
            self.changes.rewritten("white space at the end of a prefilled answer, omitted")
            content[-1]["text"] = text.rstrip()
            if not content[-1]["text"]:
                # Beside a text that is sent: white space alone is not.
                content.pop()
                self._end_with_text(content)

    # The user's side

    def _user(self, message: Message) -> list[Wire]:
        self._counts = {}
        self._blocks.begin(message)
        results: list[Wire] = []
        for result in message.results:
            results += self._marked(result, [self._result(result)])
        rest, self._moved = self._moved, []
        for block in message.content[len(message.results) :]:
            rest += self._marked(block, self._blocks.user(block))
        if not results and not rest:
            self.changes.added("a message of which nothing could be sent")
            rest = [{"text": PLACEHOLDER}]
        wire: list[Wire] = []
        for content in groups_of(results, rest, self._dialect):
            if with_text(content):
                self.changes.added("a text next to a document (BR-B19)")
            self._settle(content)
            if wire:
                self.changes.added("an assistant message between results, or media, and what may not accompany them")
                wire.append(_message("assistant", [{"text": BRIDGE}]))
            wire.append(_message("user", content))
        return wire

    def _result(self, block: ToolResultBlock) -> Wire:
        content: list[Wire] = []
        for part in block.content:
            if isinstance(part, TextBlock):
                content += self._blocks.result_text(part)
            elif isinstance(part, ImageBlock | DocumentBlock):
                content += self._result_part(part, self._blocks.media(part, in_result=True), block)
            elif isinstance(part, ProviderBlock):
                own = self._blocks.own(part)
                if own is None:
                    self.changes.rewritten("a block that a result may not hold, as JSON text", part)
                    own = {"text": self._blocks.text(json_text(part.data))}
                content += self._result_part(part, own, block)
        if not content and block.content and self._dialect.empty_results and not block.is_error:
            content = [{"text": ""}]  # It came so: a text of white space is recorded above.
        elif not content:
            self.changes.added("text of an empty result (BR-B13, BR-B14)")
            content = [{"text": NO_OUTPUT}]
        status = block.extra(BEDROCK).get("status")
        wire: Wire = {"toolUseId": self._blocks.id(block.tool_use_id), "content": content}
        if self._dialect.status and (block.is_error or status == "success"):
            wire["status"] = "error" if block.is_error else "success"
        elif block.is_error and not block.is_stub:
            self.changes.rewritten("a result's error flag, as a word (BR-B26)", block)
            if "text" in content[0]:
                content[0]["text"] = f"Error: {content[0]['text']}"
            else:
                content.insert(0, {"text": "Error:"})
        # A result without a status is a success.
        self._blocks.omit_keys(block, {"status": "success", **wire})
        return {"toolResult": wire}

    def _result_part(self, part: Block, written: Wire, result: ToolResultBlock) -> list[Wire]:
        """Write the media of a result: in place, or after the results with a note in its place (BR-B16)."""
        key = key_of(written)
        limit = {"image": self._dialect.max_images, "document": self._dialect.max_documents}.get(key)
        count = self._counts.get(key, 0)
        allowed = _IN_ANY_RESULT if self._dialect.in_results is None else self._dialect.in_results
        if key == "text" or (is_allowed(written, allowed) and (limit is None or count < limit)):
            self._counts[key] = count + 1
            return [written]
        self.changes.rewritten(f"a tool's {key} after the results (BR-B16)", part)
        self._moved += [{"text": f"[The {key} that tool call {self._blocks.ids(result.tool_use_id)} gave:]"}, written]
        return [{"text": f"[The {key} follows the results.]"}]

    # What both sides hold

    # Cache points, and what is left of keys

    def _marked(self, block: Block, wires: list[Wire]) -> list[Wire]:
        point = block.extra(BEDROCK).get("cachePoint") if block.meta is not None else None
        if point is None:
            return wires
        if not self._dialect.cache_points or not wires:
            self.changes.omitted(
                FrozenDict({"cachePoint": point}), "a cache point that this model does not take here (BR-B22)"
            )
            return wires
        wire: Wire = {"type": "default"}
        ttl = point.get("ttl") if isinstance(point, FrozenDict) else None
        if ttl in ("5m", "1h") and self._dialect.cache_ttl is not False:
            wire["ttl"] = ttl
        omitted = beyond(FrozenDict({"cachePoint": point}), {"cachePoint": wire})
        if omitted:
            self.changes.omitted(FrozenDict(omitted), "what this model does not take of a cache point (BR-B22)")
        return [*wires, {"cachePoint": wire}]

    def _settle(self, content: list[Wire]) -> None:
        dropped, moved = place_cache_points(content)
        for _ in range(dropped):
            self.changes.omitted(None, "a cache point where nothing can be cached (BR-B22)")
        for _ in range(moved):
            self.changes.rewritten("a cache point before trailing documents (BR-B22)")
        self._points += [(self.changes.index, content, wire) for wire in content if key_of(wire) == "cachePoint"]

    def _limit_cache_points(self, in_prompt: int) -> None:
        """At most four, the earliest of the messages go first (BR-B22)."""
        surplus = max(len(self._points) - schema.MAX_CACHE_POINTS, 0)
        for index, content, point in self._points[in_prompt : in_prompt + surplus]:
            self.changes.index = index
            del content[next(n for n, wire in enumerate(content) if wire is point)]
            self.changes.omitted(None, "a cache point beyond four (BR-B22)")


def _kind_of(wires: list[Wire]) -> Kind:
    wire = wires[0]
    key = key_of(wire)
    if key == "toolUse":
        return SERVER if wire[key].get("type") == "server_tool_use" else CALL
    return _KINDS.get(key, CONTENT)


_IN_ANY_RESULT: Final = frozenset({"csv", "image", "txt"})
"""What stays in a result where no model is known: Nova refuses other documents there."""
_KINDS: Final[dict[str, Kind]] = {"reasoningContent": THINKING, "toolResult": SERVER}


def _message(role: str, content: list[Wire]) -> Wire:
    return {"role": role, "content": content}
