"""Write the items of a step's content: text, media, and what only this API understands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from message_history.core.messages.blocks import ProviderBlock, TextBlock, is_blank
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.values.json_values import FrozenDict, json_text
from message_history.dialects._shared.sources import omit_beside_source
from message_history.dialects._shared.writer import thaw_well_formed, well_formed
from message_history.dialects.gemini.media import (
    is_base64,
    is_held_by_google,
    is_taken,
    media_type,
    text_of,
    type_of_data,
    type_of_url,
)
from message_history.dialects.gemini_interactions import schema
from message_history.dialects.gemini_interactions.parse import NOTED, noted
from message_history.dialects.gemini_interactions.schema import GEMINI_INTERACTIONS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from message_history.core.messages.block_base import Block
    from message_history.dialects._shared.writer import Changes

Wire = dict[str, Any]


@final
class ContentWriter:
    """The content of one export."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes

    def items(self, block: Block) -> list[Wire]:
        """Write a block as items of content; none when it cannot be one."""
        if isinstance(block, TextBlock):
            if is_blank(block.text):
                self._changes.omitted(block, "blank text")
                return []
            return [self.keys(block, {"type": "text", "text": self.text(block.text)})]
        if isinstance(block, ImageBlock | DocumentBlock):
            return self.media(block)
        if self.is_content(block):
            self.keys(block, {}, ())
            return [self._whole(block)]
        self._changes.omitted(block, "a block that only its provider knows")
        return []

    def is_content(self, block: Block) -> bool:
        """Return whether a block is an item of content of this API that we have no block for, such as audio."""
        if not isinstance(block, ProviderBlock) or block.dialect != GEMINI_INTERACTIONS:
            return False
        return block.type in ("audio", "video") and _is_placed(block.data)

    def media(self, block: ImageBlock | DocumentBlock) -> list[Wire]:
        """Write an image or a document; a note in its place when the API does not take it."""
        what = "image" if isinstance(block, ImageBlock) else "document"
        title = block.title if isinstance(block, DocumentBlock) else None
        before = [{"type": "text", "text": self.text(f"[{title}:]")}] if title else []
        text = text_of(block) or self._plain_text(block)
        if text is not None:
            self._changes.rewritten(f"{what} whose data are text, as text (GI-08)", block)
            return [*before, {"type": "text", "text": "[An empty file.]" if is_blank(text) else self.text(text)}]
        item = self._sourced(block, what)
        if item is None:
            self._changes.omitted(block, f"{what} that the API does not take (GI-08)")
            return [{"type": "text", "text": f"[{what} omitted: it cannot be sent here]"}]
        omit_beside_source(block, self._changes)
        if before:
            self._changes.rewritten(f"the title of a {what} as text before it", block)
        return [*before, item]

    def _plain_text(self, block: ImageBlock | DocumentBlock) -> str | None:
        source = block.source
        if not isinstance(block, DocumentBlock) or source.get("type") not in ("text", "content"):
            return None
        found = source.get("data") if source["type"] == "text" else source.get("content")
        return found if isinstance(found, str) else json_text(found)

    def _sourced(self, block: ImageBlock | DocumentBlock, what: str) -> Wire | None:
        source, data = block.source, block.source.get("data")
        kind, uri = source.get("type"), source.get({"url": "url", "file": "file_id"}.get(str(source.get("type")), ""))
        mime = media_type(source.get("media_type"))
        if kind == "base64" and isinstance(data, str) and data and is_base64(data):
            mime = mime or type_of_data(data)
            if mime.startswith("image/") != (what == "image") or not is_taken(mime):
                return None
            return self.keys(block, {"type": what, "data": data, **self._type(block, mime)})
        if not isinstance(uri, str) or "://" not in uri or block.issuer not in (None, GEMINI_INTERACTIONS, "gemini"):
            return None
        if kind == "file" and not is_held_by_google(uri):
            return None
        mime = mime or type_of_url(uri) or ("image/jpeg" if what == "image" else "application/pdf")
        if mime.startswith("image/") != (what == "image") or not is_taken(mime):
            return None
        return self.keys(block, {"type": what, "uri": self.text(uri), **self._type(block, mime)})

    def _type(self, block: Block, mime: str) -> Wire:
        """Return the media type, unless it came without one that the API could tell for itself."""
        return {} if "mime_type" in noted(block) and noted(block)["mime_type"] is None else {"mime_type": mime}

    def _whole(self, block: Block) -> Wire:
        data: Any = block.data if isinstance(block, ProviderBlock) else {}
        known = schema.CONTENT[data["type"]]
        self.omit({key: value for key, value in data.items() if key not in known})
        wire: Wire = thaw_well_formed(FrozenDict({k: v for k, v in data.items() if k in known}), self._changes)
        return wire

    def text(self, text: str) -> str:
        return text if text.isascii() else well_formed(text, self._changes)

    def keys(self, block: Block, wire: Wire, allowed: Collection[str] | None = None) -> Wire:
        """Add those fields that came with a block and are `allowed`, by default its type's; record the others."""
        if block.meta is None:
            return wire
        known = schema.CONTENT.get(str(wire.get("type")), frozenset()) if allowed is None else allowed
        omitted: Wire = {}
        for key, value in block.extra(GEMINI_INTERACTIONS).items():
            if key in known:
                wire.setdefault(key, thaw_well_formed(value, self._changes))
            elif key != NOTED:
                omitted[key] = value
        carried = {key: value for key, value in block.carried(GEMINI_INTERACTIONS).items() if key not in _CARRIED}
        self.omit(carried, omitted)
        return wire

    def omit(self, *keys: Mapping[str, Any]) -> None:
        self._changes.omitted_keys("fields that this API does not take (GI-02)", *keys)


_CARRIED = frozenset({NOTED, "error"})
"""What a message's first block carries and is not recorded when it is not sent there: a step writes it, or none can."""


def _is_placed(data: Mapping[str, Any]) -> bool:
    """Return whether media say where they are, and of which type."""
    kind, held, uri = data.get("mime_type"), data.get("data"), data.get("uri")
    typed = isinstance(kind, str) and is_taken(kind)
    if held is None:
        return isinstance(uri, str) and bool(uri) and (kind is None or typed)
    return typed and uri is None and isinstance(held, str) and bool(held) and is_base64(held)
