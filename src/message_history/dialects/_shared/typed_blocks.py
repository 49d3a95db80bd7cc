"""Messages whose content is a list of blocks with a `type`: the form of the Messages API, and of our own saved form.

What `plain_reader` does not take at one look is read here, block by block: what is not known is kept, and what could
not be taken is noted.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeGuard

from attrs import evolve

from message_history.core.messages.block_base import Block
from message_history.core.messages.blocks import (
    RedactedThinkingBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    text_block,
    tool_result_block,
    with_meta,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.messages.repairs import RepairCode
from message_history.core.values.json_values import freeze, freeze_mapping, json_text, with_whole_pairs
from message_history.core.values.meta import Meta
from message_history.dialects._shared.mcp import mcp_block
from message_history.dialects._shared.schema import text_or_none
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from message_history.core.messages.parsed import Parsed

MODELLED: Final[Mapping[str, frozenset[str]]] = {
    "text": frozenset({"type", "text"}),
    "tool_use": frozenset({"type", "id", "name", "input"}),
    "tool_result": frozenset({"type", "tool_use_id", "content", "is_error"}),
    "thinking": frozenset({"type", "thinking", "signature", "bound"}),
    "redacted_thinking": frozenset({"type", "data", "bound"}),
    "image": frozenset({"type", "source"}),
    "document": frozenset({"type", "source", "title"}),
}
"""The keys of each block type that we have a field for."""
_OF_MCP: Final = {"toolUseId": "tool_use_id", "isError": "is_error"}
"""How the Model Context Protocol's messages for sampling (2025-11-25) call the keys of a result."""


class BlockReader(Protocol):
    """What differs between the dialects that use typed blocks."""

    issuer: str | None
    """Who knows the file ids in a list; None when the blocks say so themselves."""

    def meta(self, kind: str, others: dict[str, Any]) -> Meta | None:
        """Keep the keys that a block of this type has besides the modelled ones."""
        ...

    def other(self, data: Mapping[Any, Any]) -> Block:
        """Keep a block whose type is not modelled."""
        ...


def read_blocks(content: object, source: int, parsed: Parsed, reader: BlockReader) -> list[Block]:
    """Read the content of a message, whatever it is.

    Args:
        content: text, a list of blocks, one block, None, or anything else.
        source: the entry of the raw list.
        parsed: gets notes of what could not be taken.
        reader: keeps what is not modelled.

    Returns:
        The blocks.

    Complexity: linear in the content.
    """
    if content is None:
        return []
    if isinstance(content, str):
        return [text_block(str.__str__(content))]
    mapping = as_mapping(content) if not isinstance(content, list) else None
    items = [mapping] if mapping is not None else as_sequence(content)
    if items is None:
        return [_as_text(content, source, parsed)]
    return [block for item in items if (block := _read_block(item, source, parsed, reader)) is not None]


def _read_block(item: object, source: int, parsed: Parsed, reader: BlockReader) -> Block | None:
    if isinstance(item, str):
        return text_block(str.__str__(item))
    if isinstance(item, Block):
        return item
    data = as_mapping(item)
    if data is None:
        if item is None:
            parsed.note(RepairCode.ENTRY_DROPPED, source, (None,), "an empty block")
            return None
        return _as_text(item, source, parsed)
    return read_block(data, source, parsed, reader)


def read_block(data: Mapping[Any, Any], source: int, parsed: Parsed, reader: BlockReader) -> Block:
    """Read one block; what does not fit its type is kept whole, and `parsed` gets a note."""
    kind = data.get("type")
    modelled = MODELLED.get(kind) if isinstance(kind, str) else None
    if modelled is None or not isinstance(kind, str):
        return reader.other(data)
    if kind == "tool_result":
        data = {_OF_MCP.get(key, key): value for key, value in data.items()}
    others = {key: value for key, value in data.items() if key not in modelled}
    if kind == "tool_use":
        return _tool_use(data, source, parsed, reader.meta(kind, others))
    if kind == "tool_result":
        content = _result_blocks(data.get("content"), source, parsed, reader)
        is_error = _is_error(data.get("is_error"), source, parsed)
        return tool_result_block(name_of(data.get("tool_use_id")), content, is_error, reader.meta(kind, others))
    if kind in ("image", "document"):
        return _media(kind, data, others, reader) or reader.other(data)
    if kind == "text":
        text, meta = data.get("text"), reader.meta(kind, others)
        return TextBlock(text or "", meta=meta) if text_or_none(text) else _as_text(text, source, parsed, meta)
    return _thought(kind, data, others, reader) or reader.other(data)


def _is_error(value: object, source: int, parsed: Parsed) -> bool:
    """Read whether a result is an error; any value but a flag counts as one, unless it says otherwise."""
    if value is None or isinstance(value, bool):
        return value is True
    frozen, _ = freeze(value)
    is_error = frozen.strip().lower() not in _NO if isinstance(frozen, str) else bool(frozen)
    parsed.note(RepairCode.VALUE_CONVERTED, source, (frozen,), f"an is_error that is not a flag, taken as {is_error}")
    return is_error


_NO: Final = frozenset({"", "0", "false", "no", "none", "null"})


def _media(kind: str, data: Mapping[Any, Any], others: dict[str, Any], reader: BlockReader) -> Block | None:
    """Read an image or a document; None when it does not say where that is."""
    place = as_mapping(data.get("source"))
    if place is None:
        return mcp_block(data)
    title = data.get("title") if kind == "document" else None
    if not text_or_none(title):
        others["title"], title = title, None
    meta = reader.meta(kind, others)
    if place.get("type") == "file" and reader.issuer is not None:
        meta = evolve(meta if meta is not None else Meta(), issuer=reader.issuer)
    return ImageBlock(place, meta=meta) if kind == "image" else DocumentBlock(place, title, meta=meta)


def _thought(kind: str, data: Mapping[Any, Any], others: dict[str, Any], reader: BlockReader) -> Block | None:
    """Read thinking; None when a part of it is not text: its issuer would not recognize it."""
    text, signature = data.get("thinking" if kind == "thinking" else "data"), data.get("signature")
    if not text_or_none(text) or (kind == "thinking" and not text_or_none(signature)):
        return None
    bound = data.get("bound", True)
    if not isinstance(bound, bool):
        others["bound"], bound = bound, True
    meta = reader.meta(kind, others)
    if kind == "thinking":
        return ThinkingBlock(text or "", signature, bound, meta=meta)
    return RedactedThinkingBlock(text or "", bound, meta=meta)


def _tool_use(data: Mapping[Any, Any], source: int, parsed: Parsed, meta: Meta | None) -> ToolUseBlock:
    id, name = name_of(data.get("id")), name_of(data.get("name"))
    if "input" not in data:
        return ToolUseBlock(id, name, None, meta=meta)
    input = data["input"]
    mapping = as_mapping(input)
    if mapping is not None:
        return ToolUseBlock(id, name, mapping, meta=meta)
    parsed.note(RepairCode.VALUE_CONVERTED, source, detail=f"the input of call {id!r:.80} was not an object")
    if input is None or input == []:
        # An empty list is what PHP makes of an empty object (https://github.com/prism-php/prism/issues/659, 2025).
        return ToolUseBlock(id, name, {}, meta=meta)
    return call_of_text(id, name, input if isinstance(input, str) else json_text(input), meta)


def call_of_text(id: str, name: str, arguments: str, meta: Meta | None = None, *, keep: bool = False) -> ToolUseBlock:
    """Make a call whose input came as text.

    Args:
        id: its id.
        name: its tool.
        arguments: the text.
        meta: what travels with the call.
        keep: whether to keep the text, to send it back as it came; one that cannot be read is always kept.

    Returns:
        The call; its input is `{"_raw": text}` when the text is not a JSON object.
    """
    arguments = with_whole_pairs(arguments)
    input = parsed_input(arguments)
    if input is None or keep:
        meta = evolve(meta, arguments=arguments) if meta is not None else Meta(arguments=arguments)
    return ToolUseBlock(id, name, input if input is not None else {"_raw": arguments}, meta=meta)


def half_written(call: ToolUseBlock) -> ToolUseBlock:
    """Make the input of a truncated reply's last call unreadable, unless its text is complete."""
    if call.arguments is not None:
        return call
    text = json_text(call.frozen_input)
    meta = call.meta if call.meta is not None else Meta()
    return ToolUseBlock(call.id, call.name, {"_raw": text}, meta=evolve(meta, arguments=text))


def parsed_input(text: str) -> dict[str, Any] | None:
    """Read a call's input that came as text: JSON, also within JSON text, or what a model made of it; else None."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, str):
        try:
            found = json.loads(found)
        except (ValueError, RecursionError):
            found = None
    return found if isinstance(found, dict) else None


def _result_blocks(content: object, source: int, parsed: Parsed, reader: BlockReader) -> tuple[Block, ...]:
    """Read what a tool gave; a block that a result cannot hold is kept whole, as the provider's own."""
    if content is None or content == "":
        return ()
    blocks: list[Block] = []
    mapping = as_mapping(content) if not isinstance(content, list) else None
    items = [mapping] if mapping is not None else as_sequence(content)
    for item in [content] if items is None else items:
        data = as_mapping(item)
        if data is not None and data.get("type") not in ("text", "image", "document"):
            blocks.append(mcp_block(data) or reader.other(data))
        else:
            block = _read_block(item, source, parsed, reader)
            blocks += [block] if block is not None else []
    return tuple(blocks)


def is_plain_text(part: Mapping[Any, Any]) -> bool:
    """Return whether a part of a type that is not known is still somebody's text, not a model's thoughts."""
    kind = part.get("type")
    if not isinstance(kind, str) or not isinstance(part.get("text"), str) or part.keys() - {"type", "text"}:
        return False
    return not any(word in kind.lower() for word in ("reason", "refusal", "think", "thought"))


def carry(blocks: list[Block], dialect: str, keys: Mapping[Any, Any]) -> None:
    """Let the first of `blocks` carry the message's own keys, in addition to those that it carries already."""
    kept = rest_of(keys) if keys else None
    if kept and blocks:
        meta = blocks[0].meta if blocks[0].meta is not None else Meta()
        carried, converted = freeze_mapping({**meta.carried, dialect: {**blocks[0].carried(dialect), **kept}})
        blocks[0] = with_meta(blocks[0], carried=carried, converted=(*meta.converted, *converted))


def meta_of(dialect: str, keys: Mapping[Any, Any], issuer: str | None = None) -> Meta | None:
    """Keep the keys of a block that we have no field for.

    Args:
        dialect: where they came from.
        keys: the keys; those whose value is None are as good as absent.
        issuer: who signed or encrypted the block, or gave the id in it; None when nobody did.

    Returns:
        What travels with the block; None when there is nothing to keep.
    """
    kept = rest_of(keys) if keys else None
    if not kept:
        return Meta(issuer=issuer) if issuer is not None else None
    extra, converted = freeze_mapping({dialect: kept})
    return Meta(extra=extra, issuer=issuer, converted=converted)


def rest_of(data: Mapping[Any, Any], *taken: str) -> dict[Any, Any]:
    """Return the keys of an object that we have no field for.

    Args:
        data: the object.
        taken: the keys that were read.

    Returns:
        The others, except those whose value is None: they are as good as absent.
    """
    return {key: value for key, value in data.items() if key not in taken and value is not None}


def read_parts(
    items: Sequence[Any], source: int, parsed: Parsed, read: Callable[[Mapping[Any, Any]], Block]
) -> list[Block]:
    """Read content that is a list of parts, of the APIs whose parts differ from ours.

    The parts may include texts and blocks; `read` reads a part that is a mapping. `parsed` gets notes of what could not
    be taken.
    """
    blocks: list[Block] = []
    for item in items:
        part = as_mapping(item)
        if isinstance(item, str):
            blocks.append(text_block(item))
        elif isinstance(item, Block):
            blocks.append(item)
        elif part is not None:
            blocks.append(read(part))
        elif item is not None:
            parsed.note(RepairCode.VALUE_CONVERTED, source, detail="a part that is not one, kept as JSON text")
            blocks.append(text_block(text_of_json(item)))
    return blocks


def _as_text(value: object, source: int, parsed: Parsed, meta: Meta | None = None) -> TextBlock:
    """Keep a value that is not a block as its JSON text."""
    parsed.note(RepairCode.VALUE_CONVERTED, source, detail=f"a {type(value).__name__} as content, kept as JSON text")
    return text_block(text_of_json(value), meta)


def within_result(blocks: Iterable[Block], source: int, parsed: Parsed) -> tuple[Block, ...]:
    """Return blocks as a result may hold them: a nested result as its content, a call as its text; each is noted."""
    made: list[Block] = []
    for block in blocks:
        if not isinstance(block, ToolResultBlock | ToolUseBlock):
            made.append(block)
            continue
        parsed.note(RepairCode.VALUE_CONVERTED, source, (block,), f"a {type(block).__name__} within a result")
        inner = block.content if isinstance(block, ToolResultBlock) else (text_block(repr(block)),)
        made += within_result(inner, source, parsed)
    return tuple(made)


def text_of_json(value: object) -> str:
    """Write any value as the text that a model should read: text as it is, everything else as JSON."""
    frozen, _ = freeze(value)
    return frozen if isinstance(frozen, str) else json_text(frozen)


def is_white_space(block: Block) -> TypeGuard[TextBlock]:
    """Return whether a block is a text of white space with nothing else about it."""
    return isinstance(block, TextBlock) and block.meta is None and block.text.isspace()


def name_of(value: object) -> str:
    """Read an id or a name: any other value as its text, and an empty text where there is nothing."""
    if isinstance(value, str):
        return with_whole_pairs(str.__str__(value))
    return "" if value is None or value is False else text_of_json(value)
