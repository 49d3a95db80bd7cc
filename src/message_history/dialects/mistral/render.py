"""Write valid messages as a list of Mistral's.

One turn at a time: an assistant message, its tool messages, then whatever else the user's side holds. What is written
for a turn depends on it and those before it; only a prefix must be the last.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, final

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
from message_history.core.values.json_values import EMPTY, FrozenDict, is_unicode, json_text
from message_history.dialects._shared.list_writer import write_list, write_messages
from message_history.dialects._shared.writer import (
    PLACEHOLDER,
    Aliases,
    Changes,
    is_prefix,
    named_for,
    thaw_well_formed,
    well_formed,
)
from message_history.dialects.mistral import schema
from message_history.dialects.mistral.parse import JOINED, MISTRAL, NOTED, SHARED, shared_key
from message_history.dialects.mistral.plain_writer import BRIDGE, GO_ON, NOT_TAKEN_BACK, OTHER_ID, MistralPlainWriter
from message_history.dialects.openai_chat.media import beside_source, url_of
from message_history.dialects.openai_chat.parse import OPENAI_CHAT
from message_history.media import has_media

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.dialects.mistral.model_fields import Fields

Wire = dict[str, Any]


@final
class Render:
    """One export."""

    def __init__(self, dialect: Fields) -> None:
        self.changes = Changes()
        self._dialect = dialect
        self._ids = Aliases(dialect.id_pattern, dialect.id_limit)
        self._short = MistralPlainWriter(dialect, self.changes, self._ids)
        self._wire: list[Wire] = []
        self._moved: list[Wire] = []
        self._has_system = False
        self._prefix_at = -1

    def written(self, messages: Sequence[Message], system: Sequence[SystemBlock]) -> tuple[list[Wire], None]:
        last = messages[-1] if messages and self._dialect.prefix is not False else None
        if last is not None and last.role == "assistant" and is_prefix(last, MISTRAL, *SHARED):
            self._prefix_at = len(messages) - 1
        wire = write_list(self, messages, system, self._short)
        if self._prefix_at >= 0:
            wire[-1]["prefix"] = True
        return wire, None

    def turn(self, messages: Sequence[Message]) -> list[Any] | None:
        """Write a turn without media; of another, return None."""
        if any(map(has_media, messages)) or not (self._dialect.audio_beside_system or _has_no_chunks(messages)):
            return None
        return write_messages(self, messages, self._short)

    def message(self, message: Message) -> list[Wire]:
        self._wire = []
        if message.role == "user":
            self._user(message)
        else:
            self._ids.new_scope()
            self._assistant(message)
        return self._wire

    def prompt(self, system: Sequence[SystemBlock]) -> list[Wire]:
        self._has_system = True
        written: list[list[Wire]] = []
        for block in system:
            self._omit_keys(block)
            facts = block.extra(MISTRAL).get(NOTED, EMPTY) if block.meta is not None else EMPTY
            chunk = _text_chunk(self._text(block.text))
            if self._dialect.thinking is not False and not self._dialect.one_system and "type" in facts:
                chunk = thaw_well_formed(FrozenDict({key: facts[key] for key in facts if key != JOINED}), self.changes)
            if written and (self._dialect.one_system or JOINED in facts):
                written[-1].append(chunk)
            else:
                written.append([chunk])
        return [{"role": "system", "content": _prompt_of(chunks)} for chunks in written]

    # The assistant's side

    def _assistant(self, message: Message) -> None:
        chunks: list[Wire] = []
        calls: list[Wire] = []
        for block in message.content:
            if isinstance(block, ToolUseBlock):
                calls.append(self._call(block))
                self._omit_keys(block)
            else:
                chunks += self._assistant_block(block, leads=all(chunk["type"] == "thinking" for chunk in chunks))
        if not chunks and not calls:
            self.changes.added("a message of which nothing could be sent")
            chunks = [_text_chunk(PLACEHOLDER)]
        content = self._content(chunks)
        if calls and content and not self._dialect.text_with_calls:
            self.changes.added("a user message between text and calls of one message (MS-M09)")
            self._wire += [{"role": "assistant", "content": content}, {"role": "user", "content": GO_ON}]
            content = ""
        self._wire.append({"role": "assistant", "content": content, **({"tool_calls": calls} if calls else {})})

    def _assistant_block(self, block: Block, *, leads: bool) -> list[Wire]:
        """Write a block that is not a call; `leads` if nothing but thinking comes before it."""
        if isinstance(block, TextBlock):
            return self._text_chunks(block)
        if isinstance(block, ThinkingBlock):
            return self._thinking(block, leads=leads)
        if isinstance(block, ImageBlock | DocumentBlock):
            self.changes.omitted(block, "media in an assistant message (MS-M10)")
            return [_text_chunk(f"[{'An image' if isinstance(block, ImageBlock) else 'A document'} was shown here.]")]
        own = self._own(block, self._dialect.assistant_chunks)
        if own is None:
            self.changes.omitted(block, "a block that this model does not take")
            return []
        return [own]

    def _thinking(self, block: ThinkingBlock, *, leads: bool) -> list[Wire]:
        if block.issuer != MISTRAL or not self._dialect.thinking:
            self.changes.omitted(block, NOT_TAKEN_BACK)
        elif not leads:
            self.changes.omitted(block, "thinking after other content (MS-M19)")
        elif is_blank(block.thinking) and not block.signature:
            self.changes.omitted(block, "blank thinking")
        elif block.signature and not is_unicode(block.thinking):
            self.changes.omitted(
                block, "signed thinking with a lone surrogate, which cannot be sent unchanged (MS-M23)"
            )
        else:
            extra = block.extra(MISTRAL)
            parts = _thoughts(extra.get("thinking")) or [FrozenDict(_text_chunk(block.thinking))]
            wire: Wire = {"type": "thinking", "thinking": [thaw_well_formed(part, self.changes) for part in parts]}
            if block.signature:
                wire["signature"] = block.signature
            if isinstance(extra.get("closed"), bool):
                wire["closed"] = extra["closed"]
            self._omit_keys(block)
            return [wire]
        return []

    def _content(self, chunks: list[Wire], *, between: str = "\n\n") -> str | list[Wire]:
        """Write content as text if it is, and as one text where lists must not be."""
        if all(chunk["type"] == "text" for chunk in chunks) and (len(chunks) < 2 or not self._dialect.text_lists):
            return between.join(chunk["text"] for chunk in chunks)
        return chunks

    def _call(self, block: ToolUseBlock) -> Wire:
        name = named_for(block.name, self._dialect.name_pattern, self._dialect.name_limit, self.changes)
        wire = {
            "id": self._id(block.id),
            "type": "function",
            "function": {"name": name, "arguments": self._arguments(block)},
        }
        index = shared_key(block, "index")
        return {**wire, "index": index} if isinstance(index, int) else wire

    def _arguments(self, block: ToolUseBlock) -> str:
        """Write a call's input as text: the provider's own where there is one."""
        if block.arguments is not None:
            return self._text(block.arguments)
        return json.dumps(thaw_well_formed(block.frozen_input, self.changes), ensure_ascii=False)

    # The user's side

    def _user(self, message: Message) -> None:
        results = message.results
        self._wire += [self._result(block) for block in results]
        chunks, self._moved = self._moved, []
        rest = message.content[len(results) :]
        if results and (rest or chunks):
            before = len(self._wire)
            if self._dialect.bridge:
                self._wire.append({"role": "assistant", "content": BRIDGE})
            written = len(self._wire)
            self._user_blocks(rest, chunks)
            if len(self._wire) == written:
                del self._wire[before:]
            elif self._dialect.bridge:
                self.changes.added("an assistant message between a tool message and a user message (MS-M03a)")
        elif not results:
            before = len(self._wire)
            self._user_blocks(rest, chunks)
            if len(self._wire) == before:
                self.changes.added("a message of which nothing could be sent")
                self._wire.append({"role": "user", "content": PLACEHOLDER})

    def _user_blocks(self, blocks: Iterable[Block], chunks: list[Wire]) -> None:
        """Write a user message, after `chunks`, for each run of content, a system message for each system block."""
        first = len(self._wire)

        def end() -> None:
            if chunks:
                self._wire.append({"role": "user", "content": self._content(list(chunks))})
                chunks.clear()

        for block in blocks:
            if not isinstance(block, SystemBlock):
                chunks += self._user_block(block)
                continue
            self._omit_keys(block)
            if self._dialect.late_system and (chunks or self._wire[first:]):
                end()
                self._has_system = True
                self._wire.append({"role": "system", "content": self._text(block.text)})
            else:
                self.changes.rewritten("a system message as marked text of the user's turn (MS-M03b)", block)
                chunks.append(_text_chunk(self._text(f"<system>\n{block.text}\n</system>")))
        end()

    def _user_block(self, block: Block) -> list[Wire]:
        if isinstance(block, TextBlock):
            return self._text_chunks(block)
        if isinstance(block, ImageBlock | DocumentBlock):
            return [self._media(block, self._dialect.user_chunks)]
        own = self._own(block, self._dialect.user_chunks)
        if own is None:
            self.changes.omitted(block, "not for a user message")
            return []
        if own["type"] == "input_audio" and self._has_system and not self._dialect.audio_beside_system:
            self.changes.omitted(block, "audio next to a system message (MS-M11)")
            return [_text_chunk("[audio left out: it cannot be sent here]")]
        return [own]

    def _result(self, block: ToolResultBlock) -> Wire:
        chunks: list[Wire] = []
        for part in block.content:
            if isinstance(part, TextBlock):
                chunks.append(_text_chunk(self._text(part.text)))
                self._omit_keys(part)
            elif isinstance(part, ImageBlock | DocumentBlock):
                chunks.append(self._result_part(part, block))
            elif (own := self._own(part, self._dialect.tool_chunks)) is not None:
                chunks.append(own)
            elif isinstance(part, ProviderBlock):
                self.changes.rewritten("a block that a result may not hold, as JSON text", part)
                chunks.append(_text_chunk(self._text(json_text(part.data))))
        if block.is_error and not block.is_stub:
            self.changes.rewritten("a result's error flag, for which there is no place", block)
        self._omit_keys(block)
        content = self._content(chunks, between="\n")
        wire: Wire = {"role": "tool", "tool_call_id": self._id(block.tool_use_id), "content": content}
        name = shared_key(block, "name")
        if isinstance(name, str) and name:
            wire["name"] = named_for(name, schema.NAME, schema.NAME_LIMIT, self.changes)
        return wire

    def _result_part(self, part: ImageBlock | DocumentBlock, result: ToolResultBlock) -> Wire:
        """Write a tool's image or document: where it was, or after the tool messages, with a note in its place."""
        written = self._media(part, self._dialect.tool_chunks | self._dialect.user_chunks)
        if written["type"] in self._dialect.tool_chunks:
            return written
        kind = "image" if isinstance(part, ImageBlock) else "document"
        self.changes.rewritten(f"a tool's {kind} in a user message after the results (MS-M10)", part)
        self._moved += [_text_chunk(f"[The {kind} that tool call {self._ids(result.tool_use_id)} gave:]"), written]
        return _text_chunk(f"[The {kind} follows in the next user message.]")

    # What both sides hold

    def _text_chunks(self, block: TextBlock) -> list[Wire]:
        self._omit_keys(block)
        if is_blank(block.text):
            self.changes.omitted(block, "blank text")
            return []
        return [_text_chunk(self._text(block.text))]

    def _own(self, block: Block, types: frozenset[str]) -> Wire | None:
        own = _chunk(block, types)
        if own is None or not isinstance(block, ProviderBlock):
            return None
        self._omit({key: value for key, value in block.data.items() if key not in own})
        self._omit_keys(block)
        wire: Wire = thaw_well_formed(FrozenDict(own), self.changes)
        return wire

    def _media(self, block: ImageBlock | DocumentBlock, allowed: frozenset[str]) -> Wire:
        wire = self._image(block) if isinstance(block, ImageBlock) else self._document(block)
        kind = "image" if isinstance(block, ImageBlock) else "document"
        if wire is None or wire["type"] not in allowed:
            self.changes.omitted(block, f"media that this model does not take in this form (MS-M10): {kind}")
            return _text_chunk(f"[{kind} left out: it cannot be sent here]")
        if wire["type"] != "text":
            self._omit(beside_source(block.source))
            self._omit_keys(block)
        return wire

    def _image(self, block: ImageBlock) -> Wire | None:
        url, detail = url_of(block.source), shared_key(block, "detail")
        if url is None:
            return None
        image = {"url": well_formed(url, self.changes)}
        if isinstance(detail, str):
            image["detail"] = well_formed(detail, self.changes)
        return {"type": "image_url", "image_url": image}

    def _document(self, block: DocumentBlock) -> Wire | None:
        source, url = block.source, url_of(block.source)
        if source.get("type") == "text" and isinstance(source.get("data"), str):
            self.changes.rewritten("a text document as text", block)
            title = f" {block.title}" if block.title else ""
            return _text_chunk(self._text(f"[Document{title}]\n{source['data']}"))
        if url is not None:
            named = {"document_name": well_formed(block.title, self.changes)} if block.title else {}
            return {"type": "document_url", "document_url": well_formed(url, self.changes), **named}
        if source.get("type") == "file" and block.issuer == MISTRAL and isinstance(source.get("file_id"), str):
            self._omit({"title": block.title} if block.title else {})
            return {"type": "file", "file_id": well_formed(str(source["file_id"]), self.changes)}
        return None

    def _omit_keys(self, block: Block) -> None:
        meta = block.meta
        if meta is None or (meta.extra is EMPTY and meta.carried is EMPTY):
            return
        sends, sent = self._dialect.sends, {*_sent(block), NOTED}
        for origin in (MISTRAL, *SHARED):
            extra, carried = block.extra(origin), block.carried(origin)
            self._omit({key: extra[key] for key in extra if sends(origin, key) and key not in sent})
            inspected = [key for key in carried if sends(origin, key, of_message=True)]
            self._omit({key: carried[key] for key in inspected if not self._is_sent(key, carried[key])})

    def _is_sent(self, key: str, value: object) -> bool:
        """Return whether a key of a message is sent: a prefix that ends the list; not to be one is what others are."""
        return key == "prefix" and (value is False or (value is True and self.changes.index == self._prefix_at))

    def _omit(self, keys: Mapping[str, Any]) -> None:
        if keys:
            self.changes.omitted(FrozenDict(keys), f"keys that this API does not take (MS-M12): {', '.join(keys)}")

    def _text(self, text: str) -> str:
        return text if text.isascii() else well_formed(text, self.changes)

    def _id(self, id: str) -> str:
        alias = self._ids(id)
        if alias != id:
            self.changes.renamed(id, alias, OTHER_ID)
        return alias


def _has_no_chunks(messages: Sequence[Message]) -> bool:
    """Return whether messages hold nothing of which a system message decides whether it is sent (MS-M11)."""
    return not any(isinstance(block, ProviderBlock) for message in messages for block in message.content)


def _prompt_of(chunks: list[Wire]) -> str | list[Wire]:
    """Write a prompt as text, where it is nothing else."""
    is_text = all(chunk["type"] == "text" for chunk in chunks)
    return "\n\n".join(chunk["text"] for chunk in chunks) if is_text else chunks


def _text_chunk(text: str) -> Wire:
    return {"type": "text", "text": text}


def _chunk(block: Block, types: frozenset[str]) -> Wire | None:
    """Return a chunk that we do not model with the keys that the API knows, if it is whole and allowed there."""
    if not isinstance(block, ProviderBlock) or block.dialect not in (MISTRAL, OPENAI_CHAT) or block.type not in types:
        return None
    if block.type == "input_audio":
        audio = block.data.get("input_audio")
        # Data alone, or with its format as OpenAI has it: both were taken.
        formed = isinstance(audio, FrozenDict) and audio.keys() == {"data", "format"}
        data = audio["data"] if formed else audio
        return {"type": "input_audio", "input_audio": audio} if isinstance(data, str) and data else None
    if block.type == "reference":
        ids = block.data.get("reference_ids")
        fits = isinstance(ids, tuple) and all(isinstance(id, int | str) for id in ids)
        return {"type": "reference", "reference_ids": ids} if fits else None
    return None


def _thoughts(value: object) -> list[FrozenDict]:
    """Return the parts that a thinking chunk came with; none if any is not what the API knows."""
    items = value if isinstance(value, tuple) else ()
    parts = [part for part in items if isinstance(part, FrozenDict) and _is_thought(part)]
    return parts if len(parts) == len(items) else []


def _is_thought(part: FrozenDict) -> bool:
    kind = part.get("type")
    return isinstance(part.get("text"), str) if kind == "text" else kind in ("reference", "tool_reference")


def _sent(block: Block) -> set[str]:
    """Name the keys of a block that are sent, or that only say how it stood in its list."""
    if isinstance(block, ThinkingBlock):
        extra = block.extra(MISTRAL)
        known = {"thinking"} if _thoughts(extra.get("thinking")) else set()
        return {"key", *known, *({"closed"} if isinstance(extra.get("closed"), bool) else ())}
    return {key for key, kind in _SENT.get(type(block), ()) if isinstance(shared_key(block, key), kind)}


_SENT: Final[Mapping[type[Block], tuple[tuple[str, type], ...]]] = {
    TextBlock: (("type", str),),
    ImageBlock: (("detail", str),),
    ToolUseBlock: (("index", int),),
    ToolResultBlock: (("name", str),),
}
"""The keys of blocks that a message has a place for, and what they must be."""
