"""Read lists of Mistral's chat messages: Chat Completions with chunks of their own."""

from __future__ import annotations

from collections.abc import Mapping
from operator import is_
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve

from message_history.core.messages.blocks import (
    ProviderBlock,
    SystemBlock,
    ThinkingBlock,
    ToolResultBlock,
    tool_result_block,
    with_meta,
)
from message_history.core.messages.media_blocks import DocumentBlock
from message_history.core.messages.message import Message, is_plain, with_content
from message_history.core.values.json_values import EMPTY, freeze_mapping, json_text
from message_history.dialects._shared.reader import role_of
from message_history.dialects._shared.sdk_objects import as_mapping
from message_history.dialects._shared.typed_blocks import meta_of, rest_of
from message_history.dialects.openai_chat.parse import OPENAI_CHAT, Reader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.parsed import Parsed
    from message_history.core.values.meta import Meta
    from message_history.dialects.base import Foreign

MISTRAL: Final = "mistral"
NOTED: Final = "(noted)"
"""The key under which a block of a prompt keeps the chunk that it was, besides the text."""
JOINED: Final = "joined"
"""What is noted of a block whose message began with the one before it."""


def parse(raw: Sequence[Any], foreign: Foreign | None = None) -> Parsed:
    parsed = Reader(MISTRAL).read(raw, foreign)
    for n, message in enumerate(parsed.messages):
        entry = as_mapping(raw[parsed.sources[n]]) or {}
        parsed.messages[n] = _as_prompt(message) if role_of(entry) == "system" else _with_chunks(message)
    return parsed


SHARED: Final[Mapping[str, frozenset[str]]] = {OPENAI_CHAT: frozenset({"detail", "index", "name"})}
"""The keys of blocks that Mistral and Chat Completions have in common: its lists can read as theirs."""


def shared_key(block: Block, key: str) -> Any:
    """Return a key that Mistral and Chat Completions have in common, whichever the block was read as."""
    if block.meta is None:
        return None
    return block.extra(MISTRAL).get(key, block.extra(OPENAI_CHAT).get(key))


def _as_prompt(message: Message) -> Message:
    """Read the thinking in a system message: it shows the model how to think, in the system's own text."""
    own = [block for block in message.content if isinstance(block, ProviderBlock)]
    if not own or not all(block.type == "thinking" for block in own):
        return _with_chunks(message)
    content: list[Block] = []
    for block in message.content:
        facts: dict[str, Any] = {JOINED: True} if content else {}
        text = block.text if isinstance(block, SystemBlock) else ""
        if isinstance(block, ProviderBlock):
            thought = _thinking(block.data, None)
            text = (thought.thinking if isinstance(thought, ThinkingBlock) else "") or json_text(block.data)
            facts |= block.data
        before = block.meta.extra if block.meta is not None else EMPTY
        extra, _ = freeze_mapping({**before, MISTRAL: {**block.extra(MISTRAL), NOTED: facts}} if facts else before)
        content.append(with_meta(SystemBlock(text, meta=block.meta), extra=extra))
    return with_content(message, tuple(content))


def _with_chunks(message: Message) -> Message:
    """Read the chunks of a message that Chat Completions do not have."""
    if is_plain(message):
        return message
    content = tuple(map(_read, message.content))
    return message if all(map(is_, content, message.content)) else with_content(message, content)


def _read(block: Block, *, in_result: bool = False) -> Block:
    if isinstance(block, ToolResultBlock):
        if any(isinstance(part, ProviderBlock) for part in block.content):
            content = tuple(_read(part, in_result=True) for part in block.content)
            return tool_result_block(block.tool_use_id, content, block.is_error, block.meta)
        return block
    if isinstance(block, ProviderBlock) and block.dialect == MISTRAL and not (in_result and block.type == "thinking"):
        read = _READERS.get(block.type)
        found = read(block.data, block.meta) if read is not None else None
        return found if found is not None else block
    return block


def _file(data: Mapping[str, Any], meta: Meta | None) -> Block | None:
    id = data.get("file_id")
    if not isinstance(id, str):
        return None
    return DocumentBlock({"type": "file", "file_id": id}, meta=_rest(data, meta, "type", "file_id"))


def _thinking(data: Mapping[str, Any], meta: Meta | None) -> Block | None:
    """Read a thinking chunk; its parts are kept where they are more than one text."""
    thinking, signature = data.get("thinking"), data.get("signature")
    parts = [thinking] if isinstance(thinking, str) else thinking
    if not isinstance(parts, (list, tuple)):
        return None
    texts = [_text(part) for part in parts]
    taken = ["type"]
    if isinstance(thinking, str) or (len(parts) == 1 and parts[0] == {"type": "text", "text": texts[0]}):
        taken.append("thinking")
    if isinstance(signature, str):
        taken.append("signature")
    joined = "\n\n".join(filter(None, texts))
    return ThinkingBlock(joined, signature if isinstance(signature, str) else None, meta=_rest(data, meta, *taken))


def _text(part: object) -> str:
    if isinstance(part, str):
        return part
    text = part.get("text") if isinstance(part, Mapping) else None
    return text if isinstance(text, str) else ""


def _rest(data: Mapping[str, Any], meta: Meta | None, *taken: str) -> Meta | None:
    """Keep the keys that we have no field for, with what travelled with the chunk; its ids and signatures are ours."""
    kept = meta_of(MISTRAL, rest_of(data, *taken), MISTRAL)
    if kept is None or meta is None:
        return kept
    return evolve(meta, extra=kept.extra, issuer=kept.issuer, converted=(*meta.converted, *kept.converted))


_READERS: Final = {"file": _file, "thinking": _thinking}
