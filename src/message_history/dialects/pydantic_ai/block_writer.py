"""Write content of pydantic-ai's messages: text, files, and what tools gave, in the form in which it stood."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from message_history.core.messages.blocks import ProviderBlock, TextBlock, ToolResultBlock
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.values.json_values import EMPTY, FrozenDict, json_text
from message_history.dialects._shared.schema import misfits
from message_history.dialects._shared.sources import omit_beside_source
from message_history.dialects._shared.writer import thaw_well_formed, well_formed
from message_history.dialects.pydantic_ai.provider_blocks import PYDANTIC_AI, json_of
from message_history.dialects.pydantic_ai.shapes import ITEMS, is_base64

if TYPE_CHECKING:
    from message_history.core.messages.block_base import Block
    from message_history.dialects._shared.writer import Changes

Wire = dict[str, Any]


@final
class Content:
    """The content of one export."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes

    def returned(self, block: ToolResultBlock, form: object) -> Any:
        """Write what a tool gave, in the form in which it stood."""
        if form == "null" and not block.content:
            return None
        if form == "json" and len(block.content) == 1 and isinstance(block.content[0], TextBlock):
            return json_of(self.text(block.content[0].text))
        if form == "item" and len(block.content) == 1:
            item = self._output(block.content[0])
            return item if isinstance(item, dict) else [item]
        items = [self._output(part) for part in block.content]
        if form == "list" or len(items) > 1 or any(isinstance(item, dict) for item in items):
            return items
        return items[0] if items else ""

    def _output(self, part: Block) -> Any:
        if isinstance(part, TextBlock) and part.extra(PYDANTIC_AI).get("form") == "json":
            return json_of(self.text(part.text))
        item = self.item(part)
        if item is None:
            self._changes.rewritten("a block that a return may not hold, as JSON text", part)
            return self.text(json_text(part.data if isinstance(part, ProviderBlock) else repr(part)))
        if isinstance(item, dict) and str(item.get("kind")).endswith("-url"):
            # Only with this key does the package take a mapping that a tool gave for a file.
            item.setdefault("media_type", None)
        return item

    def item(self, block: Block) -> str | Wire | None:
        """Write an item of content; None when it cannot be one."""
        others = block.extra(PYDANTIC_AI).get("item")
        others = others if isinstance(others, FrozenDict) else EMPTY
        if isinstance(block, TextBlock):
            text = self.text(block.text)
            kind = others.get("kind")
            if not isinstance(kind, str) or kind not in ITEMS:
                return text
            return self._fitting({"content": text, **self.thawed(others)}, block) or text
        if isinstance(block, ImageBlock | DocumentBlock):
            return self.media(block, others)
        if isinstance(block, ProviderBlock) and block.dialect == PYDANTIC_AI and block.data.get("kind") in ITEMS:
            return self._fitting(self.thawed(block.data), block)
        if not isinstance(block, ProviderBlock) or block.dialect != PYDANTIC_AI:
            self._changes.omitted(block, "not for a request")
        else:
            self._changes.omitted(block, "content of a kind that is not known (PA-07)")
        return None

    def media(self, block: ImageBlock | DocumentBlock, others: FrozenDict) -> str | Wire:
        source, kind = block.source, block.source.get("type")
        what = "image" if isinstance(block, ImageBlock) else "document"
        keys = self.thawed(others)
        wire: Wire | None = None
        if kind == "base64" and is_base64(source.get("data")) and isinstance(source.get("media_type"), str):
            data = {"data": source["data"], "media_type": self.text(str(source["media_type"]))}
            wire = self._fitting({**data, "kind": "binary", **keys}, block)
        elif kind == "url" and isinstance(source.get("url"), str):
            wire = self._fitting({"url": self.text(str(source["url"])), "kind": f"{what}-url", **keys}, block)
        elif kind == "file" and others.get("kind") == "uploaded-file":
            wire = self._fitting({"file_id": thaw_well_formed(source.get("file_id"), self._changes), **keys}, block)
        elif kind == "file" and block.issuer == "anthropic":
            file_id = thaw_well_formed(source.get("file_id"), self._changes)
            wire = self._fitting({"file_id": file_id, "provider_name": "anthropic", "kind": "uploaded-file"}, block)
        elif kind == "text" and isinstance(source.get("data"), str):
            self._changes.rewritten("a text document as text", block)
            title = f" {block.title}" if isinstance(block, DocumentBlock) and block.title else ""
            return self.text(f"[Document{title}]\n{source['data']}")
        if wire is not None:
            omit_beside_source(block, self._changes, sends_type=False)
            if isinstance(block, DocumentBlock) and block.title:
                omitted = FrozenDict({"title": block.title})
                self._changes.omitted(omitted, "a document's title, for which there is no place")
            return wire
        self._changes.omitted(block, f"{what}: its source cannot be sent here")
        return f"[{what} left out: it cannot be sent here]"

    def _fitting(self, item: Wire, block: Block) -> Wire | None:
        """Take keys off an item that it may not hold; None when it lacks something."""
        shape = ITEMS.get(item.get("kind", ""))
        if shape is None:
            return None
        wrong = misfits(shape, item)
        if any(missing or key in shape.required for key, missing in wrong):
            self._changes.omitted(block, f"content that lacks something: {', '.join(key for key, _ in wrong)} (PA-06)")
            return None
        omitted = {key: item.pop(key) for key, _ in wrong}
        if omitted:
            self._changes.omitted(
                FrozenDict(omitted), f"keys with values that do not fit (PA-06): {', '.join(omitted)}"
            )
        return item

    def thawed(self, value: FrozenDict) -> Wire:
        thawed: Wire = thaw_well_formed(value, self._changes)
        return thawed

    def text(self, text: str) -> str:
        return text if text.isascii() else well_formed(text, self._changes)
