"""What tools of MCP servers give, as the blocks that they are: sent as JSON, an image would be a text of base64."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

from message_history.core.messages.blocks import ProviderBlock, text_block, with_meta
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.values.json_values import freeze_mapping, json_text
from message_history.core.values.meta import Meta
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.core.messages.block_base import Block

MCP: Final = "mcp"
"""Under which name a block keeps the keys that it came with: annotations, `_meta`, a size."""
_ERROR: Final = frozenset({"isError", "is_error"})
_RESULT: Final = _ERROR | {
    *("content", "structuredContent", "structured_content", "_meta", "meta", "resultType", "result_type", "data")
}
_MIME: Final = ("mimeType", "mime_type")
"""How the protocol writes the key, and how its Python SDK does."""


@final
class McpResult(NamedTuple):
    """What a tool of an MCP server gave."""

    content: list[Block]  # the blocks; the first keeps what else the result has
    is_error: bool  # whether the server says that the call failed


def mcp_result(value: object) -> McpResult | None:
    """Read the result of a call, or its content; None for what need not be of MCP, as a list of text alone."""
    data = as_mapping(value) if not isinstance(value, str | list) else None
    whole = data if data is not None and data.keys() <= _RESULT else None
    if whole is None:
        content = _content(as_sequence(value), is_sure=False)
        return McpResult(content, is_error=False) if content is not None else None
    is_flagged = not whole.keys().isdisjoint(_ERROR)
    if "data" in whole and not is_flagged:
        return None  # FastMCP's client has it together with the flag; elsewhere it may be anything.
    content = _content(as_sequence(whole.get("content")), is_sure=is_flagged)
    if content is None:
        return None
    beside = {key: value for key, value in whole.items() if key not in _ERROR and key != "content"}
    content[0] = _with_keys(content[0], "result", beside)
    return McpResult(content, is_error=any(whole.get(key) is True for key in _ERROR))


def _content(raw: Sequence[Any] | None, *, is_sure: bool) -> list[Block] | None:
    """Read the items of a result; None without items, when one has another form, or when no server made them."""
    items = [as_mapping(item) if not isinstance(item, str) else None for item in raw or ()]
    blocks: list[Block] = []
    for item in items:
        block = _text(item) or mcp_block(item) if item is not None else None
        if item is None or block is None:
            return None
        blocks.append(block)
        is_sure = is_sure or item.get("type") != "text"
    return blocks if is_sure and blocks else None


def mcp_block(item: Mapping[Any, Any]) -> Block | None:
    """Read an image, audio, a resource or a link to one as MCP has them.

    Returns None for an item that has another form.
    """
    kind, data, mime = item.get("type"), item.get("data"), _mime(item)
    if kind in ("image", "audio") and isinstance(data, str) and isinstance(mime, str):
        return _with_keys(_of_bytes(mime, data), "", _rest(item, "type", "data", *_MIME))
    if kind == "resource_link" and isinstance(item.get("uri"), str):
        return text_block(json_text(freeze_mapping(item)[0]))
    resource = as_mapping(item.get("resource"))
    uri = resource.get("uri") if resource is not None else None
    if kind != "resource" or resource is None or uri is None:
        return None
    block, taken = _of_resource(resource, str(uri))
    if block is None:
        return None
    return _with_keys(_with_keys(block, "", _rest(item, "type", "resource")), "resource", _rest(resource, *taken))


def _of_resource(resource: Mapping[Any, Any], title: str) -> tuple[Block | None, tuple[str, ...]]:
    """Read a resource; return the keys that are in the block as well."""
    text, blob, mime = resource.get("text"), resource.get("blob"), _mime(resource)
    if isinstance(text, str):
        block = DocumentBlock({"type": "text", "media_type": "text/plain", "data": text}, title)
        return block, ("uri", "text", *_MIME) if mime == "text/plain" else ("uri", "text")
    if not isinstance(blob, str) or not isinstance(mime, str):
        return None, ()
    found = _of_bytes(mime, blob, title)
    return found, ("uri", "blob", *_MIME) if isinstance(found, DocumentBlock) else ("blob", *_MIME)


def _mime(item: Mapping[Any, Any]) -> object:
    return next((item[key] for key in _MIME if item.get(key) is not None), None)


def _of_bytes(mime: str, data: str, title: str | None = None) -> Block:
    if mime.startswith("image/"):
        return ImageBlock({"type": "base64", "media_type": mime, "data": data})
    if mime.startswith(("audio/", "video/")):
        return ProviderBlock("gemini", {"inlineData": {"mimeType": mime, "data": data}})
    return DocumentBlock({"type": "base64", "media_type": mime, "data": data}, title)


def _text(item: Mapping[Any, Any]) -> Block | None:
    text = item.get("text")
    if item.get("type") != "text" or not isinstance(text, str):
        return None
    return _with_keys(text_block(str.__str__(text)), "", _rest(item, "type", "text"))


def _rest(item: Mapping[Any, Any], *taken: str) -> dict[Any, Any]:
    return {key: value for key, value in item.items() if key not in taken}


def _with_keys(block: Block, name: str, keys: Mapping[Any, Any]) -> Block:
    """Let a block keep keys, under a name of their own if they are not its own; None is as good as absent."""
    kept = {key: value for key, value in keys.items() if value is not None}
    if not kept:
        return block
    before = block.extra(MCP)
    meta = block.meta if block.meta is not None else Meta()
    extra, converted = freeze_mapping({**meta.extra, MCP: {**before, **({name: kept} if name else kept)}})
    return with_meta(block, extra=extra, converted=(*meta.converted, *converted))
