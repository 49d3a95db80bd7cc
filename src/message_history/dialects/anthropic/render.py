"""Write valid messages as a list of the Messages API.

What is written for a message depends on it and those before it; within the open turn also on the user message that
answers it (AN-S7). Global limits (cache marks) are the exception.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from message_history.core.messages.blocks import (
    ProviderBlock,
    SystemBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    is_blank,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.values.json_values import FrozenDict, FrozenList
from message_history.dialects._shared.truncated import is_truncated
from message_history.dialects._shared.writer import PLACEHOLDER, Aliases, Changes, named_for, thaw_well_formed
from message_history.dialects.anthropic import schema
from message_history.dialects.anthropic.block_writer import BlockWriter
from message_history.dialects.anthropic.call_order import CALL, CONTENT, SERVER, THINKING, Kind, calls_last
from message_history.dialects.anthropic.parse import ANTHROPIC
from message_history.dialects.anthropic.plain_writer import write_common
from message_history.dialects.anthropic.provider_blocks import ProviderBlocks
from message_history.media import has_media

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.dialects.anthropic.model_fields import Fields

FAILED_SILENTLY: Final = "The tool failed and gave no output."
Wire = dict[str, Any]


@final
class Render:
    """One export."""

    def __init__(self, dialect: Fields) -> None:
        self.changes = Changes()
        self._dialect = dialect
        self._ids = Aliases(schema.ID, schema.ID_LIMIT)
        self._toolsets: dict[str, Any] = {}
        self._by_code: set[str] = set()
        self._assistant_last: Message | None = None
        self._blocks = BlockWriter(self.changes, dialect)
        self._provider = ProviderBlocks(self.changes, self._blocks, self._id)

    def written(
        self, messages: Sequence[Message], system: Sequence[SystemBlock], begun: Sequence[Wire] = ()
    ) -> tuple[list[Wire], str | list[Wire] | None]:
        """Write a whole conversation, of which `write_common` has written the first messages or none."""
        prompt = self.system(system)
        marked_prompt = len(self._blocks.marked)
        wire = self._written(messages, begun)
        if wire and wire[-1]["role"] == "assistant" and self._dialect.prefill:
            self.changes.index = len(messages) - 1
            self._trim_prefill(wire[-1]["content"])
        self._limit_cache_marks(marked_prompt)
        return wire, prompt

    def turn(self, messages: Sequence[Message]) -> list[Any] | None:
        """Write a turn without cache marks and media, in which every server tool is done; of another, return None."""
        if any(map(has_media, messages)):
            return None
        wire = self._written(messages)
        return None if self._blocks.marked or self._provider.depends_on_others else wire

    def _written(self, messages: Sequence[Message], begun: Sequence[Wire] = ()) -> list[Wire]:
        wire = list(begun)
        nothing_waits = True
        index = len(wire)
        rest = iter(messages[index:])
        while True:
            before = len(wire)
            message = write_common(rest, wire) if nothing_waits else next(rest, None)
            index += len(wire) - before
            if message is None:
                return wire
            self.changes.index = index
            if message.role == "user":
                if index and messages[index - 1] is not self._assistant_last:
                    self._ids.new_scope()  # The calls went the short way: their ids are as they were.
                wire += self.user(message)
            else:
                after = messages[index + 1] if index + 1 < len(messages) else None
                wire.append(self.assistant(message, after))
                self._assistant_last = message
            nothing_waits = not (self._provider.outstanding or self._toolsets or self._by_code)
            index += 1

    def system(self, system: Sequence[SystemBlock]) -> str | list[Wire] | None:
        """Write the system prompt: a text if it is one, else blocks."""
        blocks = [self._blocks.with_keys(block, "system", self._blocks.text(block.text)) for block in system]
        if not blocks:
            return None
        text: str = blocks[0]["text"]
        return text if len(blocks) == 1 and len(blocks[0]) == 2 else blocks

    def assistant(self, message: Message, after: Message | None) -> Wire:
        """Write an assistant message. `after` is the user message that follows."""
        self._ids.new_scope()
        self._toolsets = {}
        self._by_code = set()
        content: list[Wire] = []
        outstanding = self._provider.begin(message)
        self._blocks.replies = message.replies
        for block in message.content:
            kind = type(block)
            if kind is TextBlock and block.meta is None:
                content.append(self._blocks.text(block.text))  # type: ignore[attr-defined]
            elif isinstance(block, ToolUseBlock):
                content.append(self._tool_use(block))
            elif isinstance(block, ProviderBlock):
                content += self._provider.write(block, outstanding)
            elif (written := self._blocks.assistant(block)) is not None:
                content.append(written)
        content = [*self._provider.resolved(outstanding), *content]
        content = self._ordered(self._provider.settle(content, message, after))
        self._end_without_thinking(content)
        if not content:
            self.changes.added("a message of which nothing could be sent")
            content = [{"type": "text", "text": PLACEHOLDER}]
        return {"role": "assistant", "content": content}

    def _end_without_thinking(self, content: list[Wire]) -> None:
        while content and content[-1]["type"] in ("thinking", "redacted_thinking"):
            self.changes.omitted(FrozenDict(content.pop()), "thinking at the end of a message (AN-T8)")

    def _ordered(self, content: list[Wire]) -> list[Wire]:
        """Move what may not follow a call before it."""
        ordered = calls_last(content, _kind_of)
        if any(one is not other for one, other in zip(ordered, content, strict=True)):
            self.changes.rewritten("text, media and server tools before the calls (AN-C20)")
        return ordered

    def is_paused(self, message: Message) -> bool:
        """Return whether the API stopped in mid-turn, and a server tool use or its result is sent last (AN-S6)."""
        replies = [carried for block in message.content if (carried := block.carried(ANTHROPIC))]
        last = replies[-1] if replies else {}
        if is_truncated(last):
            return False
        content = self.assistant(message, None)["content"]
        waiting = any(name != "mcp" for name in self._provider.outstanding.values())
        behind_result = content[-1]["type"] in schema.SERVER_TOOLS.values()
        return waiting or (behind_result and last.get("stop_reason") == "pause_turn")

    def user(self, message: Message) -> list[Wire]:
        """Write a user message; a system message may follow it as a message of their own."""
        content: list[Wire] = []
        behind: list[Wire] = []
        system_blocks: list[SystemBlock] = []
        directives: list[Wire] = []
        for block in message.content:
            if isinstance(block, ToolResultBlock):
                content.append(self._tool_result(block, behind))
                continue
            content += behind
            behind = []
            if isinstance(block, SystemBlock) and self._dialect.system_in_list:
                system_blocks.append(block)
            elif isinstance(block, SystemBlock):
                content.append(self._as_user_text(block))
            elif isinstance(block, ProviderBlock) and block.data.get("role") == "system":
                directives += self._directive(block)
            elif (written := self._blocks.user(block)) is not None:
                content.append(written)
        content += behind
        in_list = self._dialect.system_in_list and bool(content)
        if system_blocks and not in_list:
            content += map(self._as_user_text, system_blocks)
        if not content:
            if not directives:
                self.changes.added("a message of which nothing could be sent")
            content = [{"type": "text", "text": PLACEHOLDER}]
        wire: list[Wire] = [{"role": "user", "content": content}]
        texts: list[Wire] = []
        if system_blocks and in_list:
            texts = [self._blocks.with_keys(block, "system", self._blocks.text(block.text)) for block in system_blocks]
        return [*wire, *_joined(texts, directives)]

    def _as_user_text(self, block: SystemBlock) -> Wire:
        self.changes.rewritten("system text as marked text of the user's turn (AN-A9)", block)
        return self._blocks.text(f"<system>\n{block.text}\n</system>")

    def _directive(self, block: ProviderBlock) -> list[Wire]:
        """Write a system message that holds more than text: as much of it as the API takes (AN-A10, AN-A12)."""
        found = block.data.get("content")
        content = [_plain(part) for part in found if _is_directive(part)] if isinstance(found, FrozenList) else []
        config = block.data.get("output_config")
        has_config = isinstance(config, FrozenDict)
        # Only models that take system messages take changes of tools: where none is named, the list is for such a one.
        only_tools = bool(content) and not has_config and all(part.get("type") != "text" for part in content)
        taken = self._dialect.system_in_list or (self._dialect.system_in_list is None and only_tools)
        if block.dialect != ANTHROPIC or not taken or not (content or has_config):
            self.changes.omitted(block, "a system message of another form (AN-A9)")
            return []
        wire: Wire = {"role": "system", "content": [thaw_well_formed(part, self.changes) for part in content]}
        if has_config:
            wire["output_config"] = thaw_well_formed(config, self.changes)
        omitted = {key: value for key, value in block.data.items() if wire.get(key) != value}
        if omitted:
            self.changes.omitted(
                FrozenDict(omitted), f"what a system message may not hold (AN-A10, AN-A11): {', '.join(omitted)}"
            )
        return [wire]

    def _tool_use(self, block: ToolUseBlock) -> Wire:
        wire = {
            "type": "tool_use",
            "id": self._id(block.id),
            "name": named_for(block.name, schema.NAME, schema.NAME_LIMIT, self.changes),
            "input": thaw_well_formed(block.frozen_input, self.changes),
        }
        if block.meta is None:
            return wire
        wire = self._blocks.with_keys(block, "tool_use", wire)
        if wire.get("toolset_name") is not None:
            self._toolsets[block.id] = wire["toolset_name"]
        if wire.get("caller", {}).get("tool_id") is not None:
            self._by_code.add(block.id)
            wire["caller"]["tool_id"] = self._provider.server_id(wire["caller"]["tool_id"])
        return wire

    def _id(self, id: str) -> str:
        alias = self._ids(id)
        if alias != id:
            self.changes.rewritten(f"the id {id!r:.80} as {alias!r} (AN-C7)")
        return alias

    def _tool_result(self, block: ToolResultBlock, behind: list[Wire]) -> Wire:
        """Write a result; what it may not hold goes after the results (AN-C13)."""
        content: list[Wire] = []
        only_searches = all(map(_is_search, block.content))
        for part in block.content:
            for written in self._returned(part, block, only_searches=only_searches):
                self._place(written, content, behind, errs=block.is_error)
        if block.is_error and not content:
            self.changes.added("an error result without text (AN-C12)")
            content = [{"type": "text", "text": FAILED_SILENTLY}]
        wire: Wire = {"type": "tool_result", "tool_use_id": self._id(block.tool_use_id)}
        if content:
            wire["content"] = content
        if block.is_error:
            wire["is_error"] = True
        if block.meta is not None:
            wire = self._blocks.with_keys(block, "tool_result", wire)
        toolset, own = self._toolsets.get(block.tool_use_id), wire.pop("toolset_name", None)
        if own is not None and own != toolset:
            self.changes.omitted(FrozenDict(toolset_name=own), "a toolset that is not the call's (AN-C17)")
        return {**wire, "toolset_name": toolset} if toolset is not None else wire

    def _returned(self, part: Block, result: ToolResultBlock, *, only_searches: bool) -> list[Wire]:
        if isinstance(part, TextBlock):
            if not is_blank(part.text):
                return [self._blocks.with_keys(part, "text", self._blocks.text(part.text))]
            if part.text or part.extra(ANTHROPIC):
                self.changes.omitted(part, "blank text in a result (AN-B3)")
            return []
        if isinstance(part, ImageBlock | DocumentBlock):
            kind = "image" if isinstance(part, ImageBlock) else "document"
            if result.tool_use_id in self._by_code:
                self.changes.omitted(part, f"{kind}: code is answered with text (AN-S8)")
                return [self._blocks.text(f"[{kind} left out: it cannot be sent here]")]
            if kind == "document" and result.tool_use_id in self._toolsets:
                self.changes.omitted(part, "document: a toolset's member is answered with text and images (AN-C17)")
                return [self._blocks.text("[document left out: it cannot be sent here]")]
            return [self._blocks.media(part)]
        if isinstance(part, ProviderBlock) and part.dialect == ANTHROPIC and part.type in schema.OWN_IN_RESULTS:
            plain = result.tool_use_id in self._by_code or result.tool_use_id in self._toolsets
            if part.type == "search_result" and not only_searches:
                return [self._blocks.as_json(part, "a search result next to other content (AN-C15)")]
            # Only what a user message may hold can follow the results of an error (AN-C13).
            plain = plain or (result.is_error and part.type not in schema.OWN_IN_USER)
            wire = None if plain else self._blocks.whole(part)
            if wire is not None:
                return [wire]
        return [self._blocks.as_json(part, "a block that a result may not hold (AN-C14)")]

    def _place(self, written: Wire, content: list[Wire], behind: list[Wire], *, errs: bool) -> None:
        if errs and written["type"] != "text":
            self.changes.rewritten("media of an error result after the results (AN-C13)")
            behind.append(written)
        else:
            content.append(written)

    def _trim_prefill(self, content: list[Wire]) -> None:
        """AN-B4: a prefilled answer does not end with white space."""
        while content[-1]["type"] == "text" and (text := content[-1]["text"]) != text.rstrip():
            self.changes.rewritten("white space at the end of a prefilled answer, omitted (AN-B4)")
            content[-1]["text"] = text.rstrip()
            if not content[-1]["text"] and len(content) > 1:
                content.pop()
                self._end_without_thinking(content)

    def _limit_cache_marks(self, in_prompt: int) -> None:
        """AN-K1 and AN-K4: at most four marks, the earliest of the messages go first; no hour after five minutes."""
        beyond = max(len(self._blocks.marked) - schema.MAX_CACHE_MARKS, 0)
        for index, part in self._blocks.marked[in_prompt : in_prompt + beyond]:
            self.changes.index = index
            del part["cache_control"]
            self.changes.omitted(None, "a cache mark beyond four (AN-K1)")
        short = False
        for index, part in self._blocks.marked:
            self.changes.index = index
            mark = part.get("cache_control")
            if not isinstance(mark, dict):
                continue
            if short and mark.get("ttl") == "1h":
                del mark["ttl"]
                self.changes.rewritten("a one-hour cache mark after a five-minute one, as five minutes (AN-K4)")
            short = short or mark.get("ttl") != "1h"


def _kind_of(wire: Wire) -> Kind:
    """Return what a block is for the order of its message."""
    return _KINDS.get(wire["type"], SERVER)


_KINDS: Final[dict[str, Kind]] = {
    "tool_use": CALL,
    "thinking": THINKING,
    "redacted_thinking": THINKING,
    "text": CONTENT,
}


def _joined(texts: list[Wire], directives: list[Wire]) -> list[Wire]:
    """Make one system message of the texts and the directives next to them, as far as one can hold them."""
    texts += [part for each in directives for part in each["content"] if part["type"] == "text"]
    joined: list[Wire] = [{"role": "system", "content": texts}] if texts else []
    for each in directives:
        content = [part for part in each.pop("content") if part["type"] != "text"]
        if joined and "output_config" not in joined[-1]:
            joined[-1]["content"] += content
            joined[-1].update(each)
        elif content or "output_config" in each:
            joined.append({**each, "content": content})
    return joined


def _plain(part: Any) -> Any:
    """Return a block as a system message may hold it: text without citations and marks."""
    return FrozenDict({key: part[key] for key in ("type", "text")}) if part.get("type") == "text" else part


def _is_directive(part: object) -> bool:
    """Return whether a system message may hold a block."""
    if not isinstance(part, FrozenDict):
        return False
    text = part.get("text")
    return part.get("type") in schema.TOOL_CHANGES or (
        part.get("type") == "text" and isinstance(text, str) and not is_blank(text)
    )


def _is_search(part: Block) -> bool:
    return isinstance(part, ProviderBlock) and part.dialect == ANTHROPIC and part.type == "search_result"
