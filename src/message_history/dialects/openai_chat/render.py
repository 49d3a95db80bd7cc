"""Write valid messages as a list of Chat Completions.

One turn at a time: an assistant message, its tool messages, then whatever else the user's side holds. What is written
for a turn depends on it and those before it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, final

from message_history.blocks import (
    Block,
    DocumentBlock,
    ImageBlock,
    ProviderBlock,
    RedactedThinkingBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    is_blank,
)
from message_history.dialects.base import Export
from message_history.dialects.openai_chat import rules
from message_history.dialects.openai_chat.parse import OPENAI_CHAT
from message_history.dialects.writing import PLACEHOLDER, Aliases, Changes, named_for, thaw_well_formed, well_formed
from message_history.frozen import FrozenDict, json_text, thaw

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.dialects.openai_chat import OpenAIChat
    from message_history.message import Message

__all__ = ["Render"]

Wire = dict[str, Any]
BRIDGE: Final = "OK."
"""What the assistant says where a user message may not follow a tool message."""


@final
class Render:
    """One export.

    Args:
        dialect: the model's fields.
    """

    def __init__(self, dialect: OpenAIChat) -> None:
        self.changes = Changes()
        self._dialect = dialect
        self._ids = Aliases(dialect.id_pattern, dialect.id_limit)
        self._later_calls: list[list[Wire]] = []
        self._parts: list[Wire] = []

    def export(self, messages: Sequence[Message], system: Sequence[SystemBlock]) -> Export:
        """Write a whole conversation."""
        wire: list[Wire] = self._system_prompt(system)
        for index, message in enumerate(messages):
            self.changes.index = index
            if message.role == "user":
                wire += self.user(message)
            else:
                wire.append(self.assistant(message))
        return Export(wire, None, tuple(self.changes.repairs))

    def _system_prompt(self, system: Sequence[SystemBlock]) -> list[Wire]:
        if not system:
            return []
        if self._dialect.one_system or self._dialect.system_role == "user":
            return [self._spoken([block]) for block in [_joined(system)]]
        return [self._spoken([block]) for block in system]

    def assistant(self, message: Message) -> Wire:
        """Write an assistant message; the calls that it cannot hold come with their results."""
        if not self._dialect.unique_ids:
            self._ids.new_scope()
        texts: list[str] = []
        calls: list[Wire] = []
        wire: Wire = {"role": "assistant", "content": None}
        refusal = ""
        for block in message.content:
            if isinstance(block, ToolUseBlock):
                calls.append(self._call(block))
            elif isinstance(block, TextBlock):
                if is_blank(block.text):
                    self.changes.withheld(block, "blank text")
                elif block.meta is not None and block.extra(OPENAI_CHAT).get("type") == "refusal":
                    refusal += self._text(block.text)
                else:
                    texts.append(self._text(block.text))
            else:
                self._said(block, wire, texts)
            if block.meta is not None:
                self._carried(block, wire, "assistant")
        self._content(wire, texts, refusal, has_calls=bool(calls))
        if calls:
            limit = self._dialect.max_calls
            wire["tool_calls"] = calls[:limit]
            self._later_calls = [calls[start : start + limit] for start in range(limit, len(calls), limit)]
            if self._later_calls:
                self.changes.rewritten(f"{len(calls)} calls as messages of at most {limit} (OC-05)")
        required = self._dialect.reasoning_required
        if self._dialect.reasoning and (required == "always" or (required == "calls" and calls)):
            wire.setdefault(self._dialect.reasoning, "")
        return wire

    def _content(self, wire: Wire, texts: list[str], refusal: str, *, has_calls: bool) -> None:
        if texts:
            wire["content"] = self._joined(texts)
            if refusal:
                wire["refusal"] = refusal
        elif refusal:
            wire["content"] = [{"type": "refusal", "refusal": refusal}]
        elif has_calls or "audio" in wire:
            if self._dialect.null_content == "empty":
                wire["content"] = ""
            elif self._dialect.null_content == "omit":
                del wire["content"]
        else:
            self.changes.added("a message of which nothing could be sent")
            wire["content"] = PLACEHOLDER

    def _joined(self, texts: list[str]) -> str | list[Wire]:
        if len(texts) == 1:
            return texts[0]
        if self._dialect.parts:
            return [{"type": "text", "text": text} for text in texts]
        return "\n\n".join(texts)

    def _call(self, block: ToolUseBlock) -> Wire:
        id = self._id(block.id)
        name = named_for(block.name, rules.NAME, rules.NAME_LIMIT, self.changes)
        extra = block.extra(OPENAI_CHAT) if block.meta is not None else {}
        if extra.get("type") == "custom":
            given = block.input.get("input")
            text = given if isinstance(given, str) else json_text(thaw(given))
            return {"id": id, "type": "custom", "custom": {"name": name, "input": self._text(text)}}
        if extra:
            self.changes.withheld(FrozenDict(extra), f"keys that this API does not take: {', '.join(extra)}")
        return {"id": id, "type": "function", "function": {"name": name, "arguments": self._arguments(block)}}

    def _arguments(self, block: ToolUseBlock) -> str:
        """Write a call's input as text: the provider's own where there is one."""
        text = block.arguments
        if text is not None and (not self._dialect.object_arguments or _is_object(text)):
            return self._text(text)
        if not block.readable:
            self.changes.rewritten("an input that is no JSON object, under `_raw`", block)
        return json.dumps(thaw_well_formed(block.input, self.changes), ensure_ascii=False)

    def _said(self, block: Block, wire: Wire, texts: list[str]) -> None:
        """Write a block of an assistant message that is neither text nor a call."""
        if isinstance(block, ThinkingBlock):
            self._reasoning(block, wire)
        elif isinstance(block, ImageBlock | DocumentBlock):
            self.changes.withheld(block, "media in an assistant message (OC-15)")
            texts.append(f"[{'An image' if isinstance(block, ImageBlock) else 'A document'} was shown here.]")
        elif (
            isinstance(block, ProviderBlock) and block.dialect == OPENAI_CHAT and block.type in self._dialect.own_blocks
        ):
            wire[block.type] = thaw_well_formed(block.data[block.type], self.changes)
        elif isinstance(block, RedactedThinkingBlock):
            self.changes.withheld(block, "thinking of another provider")
        else:
            self.changes.withheld(block, "a block of another provider")

    def _reasoning(self, block: ThinkingBlock, wire: Wire) -> None:
        key = self._dialect.reasoning
        if key is None or block.issuer != OPENAI_CHAT:
            self.changes.withheld(block, "reasoning that this API does not take back")
        else:
            wire[key] = wire.get(key, "") + self._text(block.thinking)

    def user(self, message: Message) -> list[Wire]:
        """Write the user's side of a turn: tool messages, then all else."""
        results = message.results
        if not results and len(message.content) == 1:
            block = message.content[0]
            if type(block) is TextBlock and block.meta is None:
                return [{"role": "user", "content": self._text(block.text)}]
        self._parts = []
        wire = self._results(results)
        groups = self._groups(message.content[len(results) :])
        if groups and wire and self._dialect.bridge:
            self.changes.added("an assistant message between a tool message and a user message")
            wire.append({"role": "assistant", "content": BRIDGE})
        wire += groups
        if not wire or (self.changes.index == 0 and all(entry["role"] != "user" for entry in wire)):
            self.changes.added("a message of which nothing could be sent")
            wire.insert(0, {"role": "user", "content": PLACEHOLDER})
        return wire

    def _results(self, results: Sequence[ToolResultBlock]) -> list[Wire]:
        wire: list[Wire] = []
        later, self._later_calls = self._later_calls, []
        limit = self._dialect.max_calls
        for position, block in enumerate(results):
            if later and position and position % limit == 0:
                empty: Wire = {"role": "assistant", "content": None, "tool_calls": later[position // limit - 1]}
                if self._dialect.null_content == "empty":
                    empty["content"] = ""
                elif self._dialect.null_content == "omit":
                    del empty["content"]
                if self._dialect.reasoning and self._dialect.reasoning_required != "never":
                    empty[self._dialect.reasoning] = ""
                wire.append(empty)
            wire.append(self._result(block))
        return wire

    def _result(self, block: ToolResultBlock) -> Wire:
        texts: list[str] = []
        for part in block.content:
            if isinstance(part, TextBlock):
                texts.append(self._text(part.text))
                self._left(part, frozenset())
            elif isinstance(part, ImageBlock | DocumentBlock):
                texts.append(self._moved(part, block))
            elif isinstance(part, ProviderBlock):
                self.changes.rewritten("a block that a result may not hold, as JSON text", part)
                texts.append(self._text(json_text(part.data)))
        if block.is_error and not block.is_stub:
            self.changes.rewritten("a result's error flag, for which there is no place", block)
        self._left(block, frozenset({"name"}))
        content: str | list[Wire] = "" if not texts else self._joined(texts)
        if content == "" and self._dialect.empty_result is not None:
            self.changes.added("text of an empty result")
            content = self._dialect.empty_result
        wire: Wire = {"role": "tool", "tool_call_id": self._id(block.tool_use_id), "content": content}
        name = block.extra(OPENAI_CHAT).get("name") if block.meta is not None else None
        if isinstance(name, str) and name:
            wire["name"] = named_for(name, rules.NAME, rules.NAME_LIMIT, self.changes)
        return wire

    def _moved(self, part: ImageBlock | DocumentBlock, result: ToolResultBlock) -> str:
        """Send a tool's image behind the tool messages, and say so where it was."""
        kind = "image" if isinstance(part, ImageBlock) else "document"
        written = self._media(part)
        if written["type"] == "text":
            return str(written["text"])
        self.changes.rewritten(f"a tool's {kind} in a user message behind the results (OC-15)", part)
        self._parts.append(
            {"type": "text", "text": f"[The {kind} that tool call {self._ids(result.tool_use_id)} gave:]"}
        )
        self._parts.append(written)
        return f"[The {kind} follows in the next user message.]"

    def _groups(self, blocks: Sequence[Block]) -> list[Wire]:
        """Write what is no result: one message for each run of system words, and for each name."""
        wire: list[Wire] = []
        parts, self._parts = self._parts, []
        name: Any = None
        spoken: list[SystemBlock] = []

        def end_user() -> None:
            if parts:
                wire.append(
                    {"role": "user", **({"name": name} if name is not None else {}), "content": self._of(parts)}
                )
                parts.clear()

        def end_system() -> None:
            if spoken:
                wire.append(self._spoken(spoken))
                spoken.clear()

        for block in blocks:
            if isinstance(block, SystemBlock) and self._dialect.late_system:
                end_user()
                if block.meta is not None:
                    end_system()
                spoken.append(block)
                continue
            end_system()
            given = self._name(block)
            if block.meta is not None and block.carried(OPENAI_CHAT):
                if given != name:
                    end_user()
                name = given
            parts += self._heard(block)
        end_user()
        end_system()
        return wire

    def _name(self, block: Block) -> str | None:
        """Read the speaker's name that a block carries, and record other keys that have no place."""
        if block.meta is None:
            return None
        self._left(block, frozenset({"detail"}), carried=frozenset({"name"}))
        name = block.carried(OPENAI_CHAT).get("name")
        return named_for(name, rules.NAME, rules.NAME_LIMIT, self.changes) if isinstance(name, str) and name else None

    def _of(self, parts: list[Wire]) -> str | list[Wire]:
        if len(parts) == 1 and parts[0]["type"] == "text":
            text: str = parts[0]["text"]
            return text
        if not self._dialect.parts and all(part["type"] == "text" for part in parts):
            return "\n\n".join(part["text"] for part in parts)
        return list(parts)

    def _heard(self, block: Block) -> list[Wire]:
        if isinstance(block, TextBlock):
            if is_blank(block.text):
                self.changes.withheld(block, "blank text")
                return []
            return [{"type": "text", "text": self._text(block.text)}]
        if isinstance(block, SystemBlock):
            self.changes.rewritten("system words as marked text of the user's turn", block)
            return [{"type": "text", "text": self._text(f"<system>\n{block.text}\n</system>")}]
        if isinstance(block, ImageBlock | DocumentBlock):
            return [self._media(block)]
        if isinstance(block, ProviderBlock) and block.dialect == OPENAI_CHAT and block.type in rules.PARTS["user"]:
            if isinstance(block.data.get(block.type), FrozenDict):
                return [thaw_well_formed(block.data, self.changes)]
        self.changes.withheld(block, "not for a user message")
        return []

    def _media(self, block: ImageBlock | DocumentBlock) -> Wire:
        kind, source = block.source.get("type"), block.source
        mine = block.issuer in (None, OPENAI_CHAT)
        if isinstance(block, ImageBlock):
            url = _url(source)
            if url is not None and self._dialect.images:
                wire: Wire = {"url": well_formed(url, self.changes)}
                detail = block.extra(OPENAI_CHAT).get("detail")
                return {"type": "image_url", "image_url": {**wire, **({"detail": detail} if detail else {})}}
        elif kind == "text" and isinstance(source.get("data"), str):
            self.changes.rewritten("a text document as text", block)
            title = f" {block.title}" if block.title else ""
            return {"type": "text", "text": self._text(f"[Document{title}]\n{source['data']}")}
        elif kind == "base64" and self._dialect.files:
            data = f"data:{source.get('media_type')};base64,{source.get('data')}"
            return {"type": "file", "file": {"filename": self._text(block.title or "document.pdf"), "file_data": data}}
        elif kind == "file" and self._dialect.files and mine and isinstance(source.get("file_id"), str):
            return {"type": "file", "file": {"file_id": source["file_id"]}}
        what = "image" if isinstance(block, ImageBlock) else "document"
        self.changes.withheld(block, f"a {what} whose source this API does not take")
        return {"type": "text", "text": f"[{what} left out: it cannot be sent here]"}

    def _spoken(self, blocks: Sequence[SystemBlock]) -> Wire:
        """Write system words as a message."""
        role = self._dialect.system_role
        texts = [self._text(block.text) for block in blocks]
        for block in blocks:
            self._left(block, frozenset(), carried=frozenset({"name"}))
        if role == "user":
            self.changes.rewritten("system words as marked text of the user's turn (OC-17)", *blocks)
            texts = [f"<system>\n{text}\n</system>" for text in texts]
        wire: Wire = {"role": role, "content": self._joined(texts)}
        name = blocks[0].carried(OPENAI_CHAT).get("name") if blocks[0].meta is not None else None
        if isinstance(name, str) and name and role != "user":
            wire["name"] = named_for(name, rules.NAME, rules.NAME_LIMIT, self.changes)
        return wire

    def _carried(self, block: Block, wire: Wire, role: str) -> None:
        """Give an assistant message the keys that it came with, as far as the API takes them."""
        kept = frozenset({"key", "type", "detail"})
        self._left(block, kept, carried=rules.KEYS[role])
        for key, value in block.carried(OPENAI_CHAT).items():
            if key == "name" and isinstance(value, str) and value:
                wire["name"] = named_for(value, rules.NAME, rules.NAME_LIMIT, self.changes)

    def _left(self, block: Block, known: frozenset[str], carried: frozenset[str] = frozenset()) -> None:
        """Record keys that are not sent."""
        if block.meta is None or isinstance(block, ToolUseBlock):
            return
        left: Mapping[str, Any] = {
            **{key: value for key, value in block.extra(OPENAI_CHAT).items() if key not in known},
            **{key: value for key, value in block.carried(OPENAI_CHAT).items() if key not in carried},
        }
        if left:
            self.changes.withheld(FrozenDict(left), f"keys that this API does not take: {', '.join(left)}")

    def _text(self, text: str) -> str:
        if text.isascii() and "\0" not in text:
            return text
        text = well_formed(text, self.changes)
        if "\0" in text:
            self.changes.rewritten("U+0000 in text, replaced by U+FFFD (OC-21)")
            text = text.replace("\0", "\ufffd")
        return text

    def _id(self, id: str) -> str:
        alias = self._ids(id)
        if alias != id:
            self.changes.rewritten(f"the id {id!r:.80} as {alias!r} (OC-06)")
        return alias


def _joined(system: Sequence[SystemBlock]) -> SystemBlock:
    return system[0] if len(system) == 1 else SystemBlock("\n\n".join(block.text for block in system))


def _url(source: FrozenDict) -> str | None:
    if source.get("type") == "url" and isinstance(source.get("url"), str):
        return str(source["url"])
    if source.get("type") == "base64" and isinstance(source.get("data"), str):
        return f"data:{source.get('media_type')};base64,{source['data']}"
    return None


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
