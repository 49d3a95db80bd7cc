"""Write valid messages as a list of Chat Completions.

One turn at a time: an assistant message, its tool messages, then whatever else the user's side holds. What is written
for a turn depends on it and those before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from message_history.core.messages.blocks import (
    ProviderBlock,
    RedactedThinkingBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    is_blank,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.messages.policy import DEFAULT_POLICY
from message_history.core.values.json_values import EMPTY, FrozenDict, json_text
from message_history.dialects._shared.blank_texts import is_kept_blank
from message_history.dialects._shared.list_writer import write_messages, write_turn
from message_history.dialects._shared.writer import PLACEHOLDER, is_prefix, thaw_well_formed
from message_history.dialects.openai_chat import schema
from message_history.dialects.openai_chat.block_writer import BlockWriter, Wire
from message_history.dialects.openai_chat.media import data_url
from message_history.dialects.openai_chat.parse import OPENAI_CHAT
from message_history.dialects.openai_chat.plain_writer import (
    BRIDGE,
    EMPTIED,
    NOT_TAKEN_BACK,
    ChatPlainWriter,
    add_reasoning,
    as_messages,
    call_message,
    is_common,
)
from message_history.dialects.openai_chat.unknown import is_returned_part, returned_keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.dialects.openai_chat.model_fields import Fields

INLINE: Final = "<think>"
"""The `reasoning` of models that take it inside the content."""


@final
class Render:
    """One export."""

    def __init__(self, dialect: Fields) -> None:
        self._writer = BlockWriter(dialect)
        self.changes = self._writer.changes
        self._dialect = dialect
        self._short = ChatPlainWriter(dialect, self._writer) if is_common(dialect) else None
        self._behind: list[Wire] = []
        self._answers_calls = False
        self._prefix_at = -1

    def written(self, messages: Sequence[Message], system: Sequence[SystemBlock]) -> tuple[list[Wire], None]:
        wire = self._system_prompt(system)
        prompt = self._writer.marks
        if wire and not messages and self._dialect.needs_user:
            self.changes.added("a user message, as there was none (HF-05)")
            wire.append({"role": "user", "content": DEFAULT_POLICY.bootstrap_text})
        last = messages[-1] if messages and self._dialect.prefix else None
        if last is not None and last.role == "assistant" and is_prefix(last, OPENAI_CHAT):
            self._prefix_at = len(messages) - 1
        wire += write_messages(self, messages, self._short)
        if self._prefix_at >= 0:
            wire[-1]["prefix"] = True
        if self._dialect.parts == "always":
            for written in wire:
                content = written.get("content") or ""
                written["content"] = _as_parts(content) if content or "tool_calls" not in written else []
        if self._dialect.alternate or self._dialect.system_role == "user":
            wire = _without_neighbours(wire)
        self._writer.limit_marks(prompt)
        return wire, None

    def turn(self, messages: Sequence[Message]) -> list[Any] | None:
        """Write a turn without cache marks and media; of another, return None."""
        wire = write_turn(self, messages, self._short)
        return None if self._writer.marks else wire

    def message(self, message: Message) -> list[Wire]:
        if message.role == "user":
            return self.user(message)
        return as_messages(self.assistant(message), self._dialect, self._writer)

    def _system_prompt(self, system: Sequence[SystemBlock]) -> list[Wire]:
        if self._dialect.one_system or self._dialect.system_role == "user":
            return [self._system_message(system)] if system else []
        runs: list[list[SystemBlock]] = []
        for block in system:
            if not runs or _opens(block):
                runs.append([])
            runs[-1].append(block)
        return [self._system_message(run) for run in runs]

    def assistant(self, message: Message) -> Wire:
        """Write an assistant message; the calls that it cannot hold come with their results."""
        writer = self._writer
        writer.ids.new_scope()
        only = message.content[0]
        if type(only) is TextBlock and only.meta is None and len(message.content) == 1 and not is_blank(only.text):
            assistant: Wire = {"role": "assistant", "content": writer.text(only.text)}
            add_reasoning(assistant, self._dialect, has_calls=False)
            return assistant
        texts: list[Wire] = []
        calls: list[Wire] = []
        wire: Wire = {"role": "assistant", "content": None}
        refusal = ""
        beside = any(isinstance(block, TextBlock | ToolUseBlock) for block in message.content)
        for block in message.content:
            if isinstance(block, ToolUseBlock):
                if self._dialect.tools == "text":
                    texts.append(writer.call_as_text(block))
                else:
                    calls.append(writer.call(block))
            elif isinstance(block, TextBlock):
                if is_blank(block.text):
                    self.changes.omitted(block, "blank text")
                elif self._is_refusal(block):
                    refusal += writer.text(block.text)
                else:
                    texts.append(writer.part(block))
            else:
                self._assistant(block, wire, texts, beside=beside)
            if block.meta is not None:
                taken = self._dialect.own_keys | returned_keys(block, self._dialect)
                writer.omit_keys(block, taken | ({"prefix"} if self.changes.index == self._prefix_at else frozenset()))
                self._opened(wire, block)
                self._own_keys(wire, block, taken)
        self._content(wire, texts, refusal, has_calls=bool(calls))
        if calls:
            limit = self._dialect.max_calls
            wire["tool_calls"] = calls[:limit]
            self._writer.later_calls = calls[limit:]
            if self._writer.later_calls:
                self.changes.rewritten(f"{len(calls)} calls as messages of at most {limit} (OC-05, HF-06)")
        add_reasoning(wire, self._dialect, has_calls=bool(calls))
        return wire

    def _opened(self, wire: Wire, block: Block) -> None:
        """Give a message the name and the mark that a block carries; of messages that became one, the last one's."""
        keys = self._writer.opened(block)
        if "name" in keys and wire.get("name", keys["name"]) != keys["name"]:
            self.changes.omitted(FrozenDict(name=wire["name"]), "a second name of one message")
        is_marked = "cache_control" in wire
        wire |= keys
        if not is_marked:
            self._writer.opening(wire)

    def _own_keys(self, wire: Wire, block: Block, taken: frozenset[str]) -> None:
        """Give a message the keys that it came with and that only this API knows, or no rule does."""
        opened = block.carried(OPENAI_CHAT)
        for key in sorted(taken & opened.keys()):
            own, there = thaw_well_formed(opened[key], self.changes), wire.get(key)
            if isinstance(there, list) and isinstance(own, list):
                there += own
            elif there not in (None, own):
                self._writer.omit({key: opened[key]}, "a second value of a message's key")
            else:
                wire[key] = own

    def _is_refusal(self, block: TextBlock) -> bool:
        """Return whether to write text as a refusal, which only OpenAI has a place for."""
        if block.meta is None or block.extra(OPENAI_CHAT).get("type") != "refusal":
            return False
        if not self._dialect.refusals:
            self.changes.rewritten("a refusal as text (OC-18)", block)
        return self._dialect.refusals

    def _content(self, wire: Wire, texts: list[Wire], refusal: str, *, has_calls: bool) -> None:
        if texts:
            whole = any(part["type"] != "text" for part in texts)
            wire["content"] = texts if whole else self._writer.joined(texts)
            if refusal:
                wire["refusal"] = refusal
        elif refusal:
            wire["content"] = [{"type": "refusal", "refusal": refusal}]
        elif has_calls or "audio" in wire:
            self._without_content(wire)
        else:
            self.changes.added("a message of which nothing could be sent")
            wire["content"] = PLACEHOLDER

    def _without_content(self, wire: Wire) -> None:
        if self._dialect.null_content in EMPTIED:
            wire["content"] = ""
        elif self._dialect.null_content == "omit":
            del wire["content"]

    def _assistant(self, block: Block, wire: Wire, texts: list[Wire], *, beside: bool) -> None:
        """Write a block of an assistant message that is neither text nor a call."""
        if isinstance(block, ThinkingBlock):
            self._reasoning(block, wire, texts)
        elif isinstance(block, ImageBlock | DocumentBlock):
            self.changes.omitted(block, "media in an assistant message (OC-15)")
            kind = "An image" if isinstance(block, ImageBlock) else "A document"
            texts.append({"type": "text", "text": f"[{kind} was shown here.]"})
        elif (
            isinstance(block, ProviderBlock) and block.dialect == OPENAI_CHAT and block.type in self._dialect.own_blocks
        ):
            self._own(block, wire)
        elif isinstance(block, RedactedThinkingBlock):
            self.changes.omitted(block, "thinking of another provider")
        elif is_kept_blank(block, OPENAI_CHAT):
            self._blank(block, texts, beside=beside)
        elif isinstance(block, ProviderBlock) and is_returned_part(block, self._dialect):
            texts.append(thaw_well_formed(block.data, self.changes))
        else:
            self.changes.omitted(block, "a block of another provider")

    def _blank(self, block: ProviderBlock, texts: list[Wire], *, beside: bool) -> None:
        """Write white space unchanged, where it is next to something."""
        if beside and self._dialect.empty_content and self._dialect.text_with_calls:
            texts.append({"type": "text", "text": block.data["text"]})
        else:
            self.changes.omitted(block, "blank text")

    def _own(self, block: ProviderBlock, wire: Wire) -> None:
        """Give a message a key that only this API knows; lists of two messages that became one are one."""
        items = thaw_well_formed(block.data.get(block.type), self.changes)
        omitted = {key: value for key, value in block.data.items() if key not in ("type", block.type)}
        self._writer.omit(omitted, "keys that this API does not take")
        there = wire.get(block.type)
        if there is None and items:
            wire[block.type] = items
        elif isinstance(there, list) and isinstance(items, list):
            there += items
        else:
            self.changes.omitted(block, f"a second {block.type} in one message")

    def _reasoning(self, block: ThinkingBlock, wire: Wire, texts: list[Wire]) -> None:
        is_own = self._dialect.reasoning == schema.OWN_KEY
        key = str(block.extra(OPENAI_CHAT).get("key", schema.REASONING)) if is_own else self._dialect.reasoning
        if key is None or block.issuer != OPENAI_CHAT or (is_own and key == schema.THINKING):
            self.changes.omitted(block, NOT_TAKEN_BACK)
            return
        if block.signature:
            self._writer.omit({"signature": block.signature}, "a signature of reasoning, for which there is no place")
        if key == schema.THINKING:
            texts.append({"type": "thinking", "thinking": self._writer.text(block.thinking)})
        elif key == INLINE:
            self.changes.rewritten("reasoning inside the content", block)
            # First in the content: many templates drop whatever comes before the end of reasoning.
            place = sum(text.get("text", "").startswith("<think>\n") for text in texts)
            texts.insert(place, {"type": "text", "text": self._writer.text(f"<think>\n{block.thinking}\n</think>")})
        else:
            wire[key] = wire.get(key, "") + self._writer.text(block.thinking)

    def user(self, message: Message) -> list[Wire]:
        """Write the user messages of a turn: tool messages, then everything else."""
        results = message.results
        if not results and len(message.content) == 1:
            block = message.content[0]
            if type(block) is TextBlock and block.meta is None:
                return [{"role": "user", "content": self._writer.text(block.text)}]
        self._behind = []
        if self._dialect.tools == "text":
            wire: list[Wire] = []
            parts = [self._writer.result_as_text(block, self._texts(block)) for block in results]
        else:
            wire = self._results(results)
            parts = []
        self._answers_calls = bool(results)
        groups = self._groups([*parts, *self._behind], message.content[len(results) :])
        if groups and self.changes.index == 0 and all(group["role"] != "user" for group in groups):
            # A list that goes on with the assistant would seem to begin with it.
            self.changes.added("a user message, as there was none")
            groups.append({"role": "user", "content": DEFAULT_POLICY.bootstrap_text})
        if groups and wire and self._dialect.bridge:
            self.changes.added("an assistant message between a tool message and a user message (HF-02)")
            bridge: Wire = {"role": "assistant", "content": BRIDGE}
            add_reasoning(bridge, self._dialect, has_calls=False)
            wire.append(bridge)
        wire += groups
        if not wire:
            self.changes.added("a message of which nothing could be sent")
            wire.append({"role": "user", "content": PLACEHOLDER})
        return wire

    def _results(self, results: Sequence[ToolResultBlock]) -> list[Wire]:
        wire: list[Wire] = []
        later, self._writer.later_calls = self._writer.later_calls, []
        limit = self._dialect.max_calls
        for position, block in enumerate(results):
            if later and position and position % limit == 0:
                wire.append(call_message(later[position - limit : position], self._dialect))
            wire.append(self._result(block))
        return wire

    def _result(self, block: ToolResultBlock) -> Wire:
        parts = self._texts(block)
        if block.is_error and not block.is_stub:
            self.changes.rewritten("a result's error flag, for which there is no place", block)
        images = [part for part in parts if part["type"] != "text"]
        content: str | list[Wire] = parts if images else self._writer.joined(parts) if parts else ""
        empty = self._dialect.empty_result
        if empty is not None and all(is_blank(part["text"]) for part in parts if part["type"] == "text"):
            self.changes.added("text of an empty result (KM-02, XA-02)")
            content = [{"type": "text", "text": empty}, *images] if images else empty
        wire: Wire = {"role": "tool", "tool_call_id": self._writer.id(block.tool_use_id), "content": content}
        own_name = block.extra(OPENAI_CHAT).get("name") if block.meta is not None else None
        name = self._writer.name(own_name) if isinstance(own_name, str) and own_name else None
        if self._dialect.native:
            return {**wire, "tool_name": name or self._writer.tools.get(block.tool_use_id, "unknown_tool")}
        if name is None and self._dialect.result_names:
            name = self._writer.tools.get(block.tool_use_id, "unknown_tool")
        return {**wire, "name": name} if name is not None else wire

    def _texts(self, block: ToolResultBlock) -> list[Wire]:
        """Write what a tool gave as text parts; its media go after the results."""
        texts: list[Wire] = []
        for part in block.content:
            self._writer.omit_keys(part)
            if isinstance(part, TextBlock):
                texts.append(self._writer.part(part))
            elif isinstance(part, ImageBlock | DocumentBlock):
                texts.append(self._result_part(part, block))
            elif (
                isinstance(part, ProviderBlock)
                and part.dialect == OPENAI_CHAT
                and part.type in self._dialect.result_parts
            ):
                texts.append(thaw_well_formed(part.data, self.changes))
            elif isinstance(part, ProviderBlock):
                self.changes.rewritten("a block that a result may not hold, as JSON text", part)
                texts.append({"type": "text", "text": self._writer.text(json_text(part.data))})
        self._writer.omit_keys(block)
        return texts

    def _result_part(self, part: ImageBlock | DocumentBlock, result: ToolResultBlock) -> Wire:
        """Write a tool's image where it was, or after the tool messages with a note in its place."""
        kind = "image" if isinstance(part, ImageBlock) else "document"
        written = self._writer.media(part)
        if written["type"] == "text" or (written["type"] == "image_url" and self._dialect.result_images == "kept"):
            return written
        self.changes.rewritten(f"a tool's {kind} in a user message after the results (OC-15)", part)
        id = self._writer.ids(result.tool_use_id)
        self._behind += [{"type": "text", "text": f"[The {kind} that tool call {id} gave:]"}, written]
        return {"type": "text", "text": f"[The {kind} follows in the next user message.]"}

    def _groups(self, parts: list[Wire], blocks: Sequence[Block]) -> list[Wire]:
        """Write what is not a result: one message for each run of system messages, and for each name."""
        wire: list[Wire] = []
        opened: Wire = {}
        run: list[SystemBlock] = []

        def end_user() -> None:
            if parts:
                wire.append(self._user_message(parts, opened))
                parts.clear()

        def end_system() -> None:
            if run:
                wire.append(self._system_message(run))
                run.clear()

        for block in blocks:
            if isinstance(block, SystemBlock) and self._dialect.late_system:
                end_user()
                if _opens(block):
                    end_system()
                opened = {}
                run.append(block)
                continue
            self._writer.omit_keys(block)
            if self._is_function(block):
                end_user()
                end_system()
                wire.append(self._function(block))
                continue
            written = self._user(block)
            if not written:
                continue
            end_system()
            keys = self._writer.opened(block)
            if block.meta is not None and block.carried(OPENAI_CHAT):
                if keys != opened:
                    end_user()
                opened = keys
            parts += written
        end_user()
        end_system()
        return wire

    def _is_function(self, block: Block) -> bool:
        if not isinstance(block, ProviderBlock) or block.dialect != OPENAI_CHAT or block.type != "function":
            return False
        # Behind results it would be taken for one of them.
        allowed = self._dialect.function_role and not self._answers_calls
        return allowed and all(isinstance(block.data.get(key), str) for key in ("name", "content"))

    def _function(self, block: Block) -> Wire:
        """Write what a function gave that nobody called, as the first form of the API had it."""
        data = block.data if isinstance(block, ProviderBlock) else EMPTY
        others = {key: value for key, value in data.items() if key not in ("type", "name", "content")}
        self._writer.omit(others, "keys that this API does not take")
        written: Wire = thaw_well_formed(FrozenDict({key: data.get(key) for key in ("name", "content")}), self.changes)
        return {"role": "function", **written, "name": self._writer.name(written["name"])}

    def _user_message(self, parts: list[Wire], opened: Wire) -> Wire:
        wire = self._writer.opening({"role": "user", **opened, "content": None})
        texts = [part for part in parts if part["type"] == "text"]
        if self._dialect.native:
            wire["content"] = self._writer.joined(texts) if texts else ""
            images = [found[1] for part in parts if part["type"] == "image_url" for found in [_inline(part)] if found]
            return {**wire, "images": images} if images else wire
        wire["content"] = self._writer.joined(texts) if len(texts) == len(parts) else list(parts)
        return wire

    def _user(self, block: Block) -> list[Wire]:
        if isinstance(block, TextBlock):
            if is_blank(block.text):
                self.changes.omitted(block, "blank text")
                return []
            return [self._writer.part(block)]
        if isinstance(block, SystemBlock):
            self.changes.rewritten("a system message as marked text of the user's turn (HF-04)", block)
            return [{"type": "text", "text": self._writer.text(f"<system>\n{block.text}\n</system>")}]
        if isinstance(block, ImageBlock | DocumentBlock):
            return [self._writer.media(block)]
        if isinstance(block, ProviderBlock) and block.dialect == OPENAI_CHAT and block.type in self._taken():
            written: Wire = thaw_well_formed(block.data, self.changes)
            file = self._writer.file(block, written) if block.type == "file" else written
            if file is not None:
                return [file]
        self.changes.omitted(block, "not for a user message")
        return []

    def _taken(self) -> frozenset[str]:
        """Return the types of parts that are sent back unchanged."""
        dialect = self._dialect
        kinds = {"input_audio": dialect.audio, "file": dialect.files, "video_url": dialect.videos}
        return frozenset(kind for kind, taken in kinds.items() if taken and not dialect.native)

    def _system_message(self, blocks: Sequence[SystemBlock]) -> Wire:
        writer = self._writer
        role = self._dialect.system_role
        if len(blocks) > 1 and self._dialect.one_system:
            self.changes.rewritten("system messages as one (HF-04)", *blocks)
        for block in blocks:
            writer.omit_keys(block)
        if role == "user":
            self.changes.rewritten("a system message as marked text of the user's turn (OC-17, HF-03)", *blocks)
            texts = "\n\n".join(f"<system>\n{writer.text(block.text)}\n</system>" for block in blocks)
            return {"role": "user", "content": texts}
        carried = blocks[0].carried(OPENAI_CHAT) if blocks[0].meta is not None else {}
        if self._dialect.developer and carried.get("role") == "developer":
            role = "developer"
        wire: Wire = {"role": role, "content": writer.joined([writer.part(block) for block in blocks])}
        return writer.opening({**wire, **writer.opened(blocks[0])})


def _opens(block: SystemBlock) -> bool:
    """Return whether a block opens a system message of its own, not one more part of the message before."""
    return block.meta is not None and bool(block.carried(OPENAI_CHAT))


def _without_neighbours(wire: list[Wire]) -> list[Wire]:
    """Join neighbours of the user, except those with names: roles must alternate, or the system prompt is a user's."""
    joined = wire[:1]
    for written in wire[1:]:
        last = joined[-1]
        if not last["role"] == written["role"] == "user" or "name" in last or "name" in written:
            joined.append(written)
        elif isinstance(last["content"], str) and isinstance(written["content"], str):
            last["content"] += f"\n\n{written['content']}"
        else:
            last["content"] = [*_as_parts(last["content"]), *_as_parts(written["content"])]
    return joined


def _as_parts(content: str | list[Wire]) -> list[Wire]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _inline(part: Wire) -> tuple[str, str] | None:
    return data_url(part["image_url"]["url"])
