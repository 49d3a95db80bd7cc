"""What a block of pydantic-ai needs to be sent back unchanged: its extra keys, and the form of its content.

The extra keys are `part` (the other keys of the part), `kind` (the part's kind, where the block does not say), `form`
(how content or arguments stood), `item` (the other keys of an item of a list of content), `items` (the block opens such
a list) and `joined` (it belongs to the part of the block before it).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from message_history.core.messages.blocks import with_meta
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.values.json_values import freeze_mapping
from message_history.core.values.meta import Meta
from message_history.dialects.pydantic_ai.objects import plain

if TYPE_CHECKING:
    from message_history.core.messages.block_base import Block

PYDANTIC_AI: Final = "pydantic_ai"


def rest_of(data: Mapping[Any, Any], *modelled: str) -> dict[Any, Any]:
    """Return the keys of an object that no field of its block holds."""
    return {key: value for key, value in data.items() if key not in modelled}


def others_of(data: Mapping[Any, Any], *modelled: str) -> dict[Any, Any]:
    """Return the keys of a part that no field of its block holds, as JSON."""
    return {key: plain(value) for key, value in rest_of(data, "part_kind", *modelled).items()}


def meta_of(data: Mapping[Any, Any], *modelled: str, kind: str | None = None, form: str | None = None) -> Meta | None:
    """Keep what a part needs in addition to its block to be sent back."""
    others = others_of(data, *modelled)
    keys = {"part": others or None, "kind": kind, "form": form}
    kept = {key: value for key, value in keys.items() if value is not None}
    if not kept:
        return None
    extra, converted = freeze_mapping({PYDANTIC_AI: kept})
    return Meta(extra=extra, converted=converted)


def with_extra(block: Block, **keys: Any) -> Block:
    """Let a block keep more of what it needs to be sent back."""
    kept = {key: value for key, value in keys.items() if value not in ({}, None)}
    if not kept:
        return block
    extra, converted = freeze_mapping({PYDANTIC_AI: {**block.extra(PYDANTIC_AI), **kept}})
    noted = block.meta.converted if block.meta is not None else ()
    return with_meta(block, extra=extra, converted=(*noted, *converted))


def media_of(data: Mapping[Any, Any]) -> Block | None:
    """Read an image or a document; None for what no other provider has a place for."""
    kind, url, media_type = data.get("kind"), data.get("url"), data.get("media_type")
    block: Block
    if kind in ("image-url", "document-url") and isinstance(url, str):
        source = {"type": "url", "url": url}
        block = ImageBlock(source) if kind == "image-url" else DocumentBlock(source)
        return with_extra(block, item=rest_of(data, "url"))
    if kind == "binary" and isinstance(data.get("data"), str) and isinstance(media_type, str):
        if media_type.startswith(("audio/", "video/")):
            return None
        source = {"type": "base64", "media_type": media_type, "data": data["data"]}
        block = ImageBlock(source) if media_type.startswith("image/") else DocumentBlock(source)
        return with_extra(block, item=rest_of(data, "data", "media_type"))
    provider = data.get("provider_name")
    issuer = _FILES.get(provider) if isinstance(provider, str) else None
    if kind == "uploaded-file" and issuer is not None and isinstance(data.get("file_id"), str):
        source = {"type": "file", "file_id": data["file_id"]}
        is_image = isinstance(media_type, str) and media_type.startswith("image/") and issuer == "anthropic"
        meta = Meta(issuer=issuer)
        block = ImageBlock(source, meta=meta) if is_image else DocumentBlock(source, meta=meta)
        return with_extra(block, item=rest_of(data, "file_id"))
    return None


_FILES: Final[dict[str, str]] = {"anthropic": "anthropic", "openai": "openai_chat"}
"""Whose file ids another dialect here can use."""


def is_file(value: object) -> bool:
    """Return whether the package reads a value back as a file: a mapping of a known kind, and whole."""
    if not isinstance(value, Mapping):
        return False
    kind = value.get("kind")
    if kind in ("image-url", "audio-url", "document-url", "video-url"):
        return isinstance(value.get("url"), str) and "media_type" in value
    if kind == "binary":
        return isinstance(value.get("data"), str) and isinstance(value.get("media_type"), str)
    return kind == "uploaded-file" and isinstance(value.get("file_id"), str) and "provider_name" in value


def json_of(text: str) -> Any:
    """Read content that stood as JSON back from its text. Returns the text itself when it was text."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return text


def _no_constant(name: str) -> None:
    raise ValueError(name)
