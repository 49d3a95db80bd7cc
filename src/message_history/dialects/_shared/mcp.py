"""What tools of MCP servers give: text, images and resources in the protocol's own form, as the blocks that they are.

Sent as JSON, an image would be a text full of base64.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.core.blocks import DocumentBlock, ImageBlock, ProviderBlock, text_block
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.core.blocks import Block

__all__ = ["mcp_block", "mcp_blocks"]

_RESULT: Final = frozenset(
    {"content", "isError", "is_error", "structuredContent", "structured_content", "_meta", "meta", "result_type"}
)


def mcp_blocks(value: object) -> list[Block] | None:
    """Read the result of a call, or the list of content in it.

    Args:
        value: anything that a tool gave.

    Returns:
        The blocks; None for what is not surely a result of MCP, such as a list of nothing but text.

    Complexity: linear in the content.
    """
    data = as_mapping(value) if not isinstance(value, str | list) else None
    flagged = data is not None and data.keys() <= _RESULT and bool(data.keys() & {"isError", "is_error"})
    content = as_sequence(data.get("content")) if data is not None and data.keys() <= _RESULT else as_sequence(value)
    items = [as_mapping(item) if not isinstance(item, str) else None for item in content or ()]
    blocks = [_text(item) or mcp_block(item) if item is not None else None for item in items]
    found = [block for block in blocks if block is not None]
    sure = flagged or any(item is not None and item.get("type") != "text" for item in items)
    return found if sure and found and len(found) == len(blocks) else None


def mcp_block(item: Mapping[Any, Any]) -> Block | None:
    """Read an image, audio or a resource as MCP has them.

    Args:
        item: an item of content.

    Returns:
        The block; None for an item that has another form.
    """
    kind, data, mime = item.get("type"), item.get("data"), item.get("mimeType")
    if kind in ("image", "audio") and isinstance(data, str) and isinstance(mime, str):
        return _of_bytes(mime, data)
    resource = as_mapping(item.get("resource"))
    uri = resource.get("uri") if resource is not None else None
    if kind != "resource" or resource is None or uri is None:
        return None
    text, blob, title = resource.get("text"), resource.get("blob"), str(uri)
    mime = resource.get("mimeType")
    if isinstance(text, str):
        return DocumentBlock({"type": "text", "media_type": "text/plain", "data": text}, title)
    return _of_bytes(mime, blob, title) if isinstance(blob, str) and isinstance(mime, str) else None


def _of_bytes(mime: str, data: str, title: str | None = None) -> Block:
    if mime.startswith("image/"):
        return ImageBlock({"type": "base64", "media_type": mime, "data": data})
    if mime.startswith(("audio/", "video/")):
        return ProviderBlock("gemini", {"inlineData": {"mimeType": mime, "data": data}})
    return DocumentBlock({"type": "base64", "media_type": mime, "data": data}, title)


def _text(item: Mapping[Any, Any]) -> Block | None:
    text = item.get("text")
    return text_block(str.__str__(text)) if item.get("type") == "text" and isinstance(text, str) else None
