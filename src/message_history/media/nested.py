"""What is inside a block, as the blocks of a result and the images of a document, and how it is put back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve

from message_history.core.messages.block_base import Block
from message_history.core.messages.blocks import TextBlock, ToolResultBlock
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.values.json_values import FrozenDict, FrozenList
from message_history.media.inspect import Beside

if TYPE_CHECKING:
    from collections.abc import Iterator


def inside(block: Block) -> tuple[tuple[int, Block], ...]:
    """Return the blocks of a result or the images of a document, by position, kept as long as the document lives."""
    if isinstance(block, ToolResultBlock):
        return tuple(enumerate(block.content))
    if not isinstance(block, DocumentBlock) or block.source.get("type") != "content":
        return ()
    known = _IMAGES.get(block)
    if known is None:
        known = tuple(_images(block.source.get("content")))
        _IMAGES.keep(block, known)
    return known


def _images(content: object) -> Iterator[tuple[int, Block]]:
    for position, item in enumerate(content if isinstance(content, FrozenList) else ()):
        source: Any = item.get("source") if isinstance(item, Mapping) and item.get("type") == "image" else None
        if isinstance(source, Mapping):
            yield position, ImageBlock(source)


def with_inside(block: Block, parts: Mapping[int, Block]) -> Block:
    """Return a block with other blocks inside of it, by position; one that holds none stays as it is."""
    if isinstance(block, ToolResultBlock):
        content = tuple(parts.get(position, part) for position, part in enumerate(block.content))
        return ToolResultBlock(block.tool_use_id, content, block.is_error, meta=block.meta)
    if not isinstance(block, DocumentBlock):
        return block
    source: Any = block.source
    items = [_raw(item, parts.get(position)) for position, item in enumerate(source["content"])]
    return evolve(block, source=FrozenDict({**source, "content": items}))


def _raw(item: Any, block: Block | None) -> Any:
    """Write an image of a document, or the text in its place, with the keys that it had."""
    if isinstance(block, ImageBlock):
        return {**item, "source": block.source}
    if isinstance(block, TextBlock):
        return {**{key: value for key, value in item.items() if key != "source"}, "type": "text", "text": block.text}
    return item


_IMAGES: Final = Beside[tuple[tuple[int, Block], ...]]()
