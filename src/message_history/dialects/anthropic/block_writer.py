"""Write blocks of the Messages API one by one: their keys, media and citations, and blocks that travel whole."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final, final

from message_history.core.messages.blocks import (
    ProviderBlock,
    RedactedThinkingBlock,
    TextBlock,
    ThinkingBlock,
    is_blank,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.values.json_values import FrozenDict, is_unicode, json_text, short_repr
from message_history.dialects._shared.schema import misfits
from message_history.dialects._shared.writer import thaw_well_formed, well_formed
from message_history.dialects.anthropic import schema
from message_history.dialects.anthropic.parse import ANTHROPIC
from message_history.dialects.anthropic.shapes import DOCUMENT_SOURCES, IMAGE_SOURCES, VALUES, WHOLE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.replies import ReplyInfo
    from message_history.dialects._shared.writer import Changes
    from message_history.dialects.anthropic.model_fields import Fields

Wire = dict[str, Any]


@final
class BlockWriter:
    """Writes the blocks of one export."""

    def __init__(self, changes: Changes, dialect: Fields) -> None:
        self._dialect = dialect
        self.marked: list[tuple[int, Wire]] = []
        self.replies: tuple[ReplyInfo, ...] = ()
        self._changes = changes
        self._cited: dict[str, bool] = {}

    def text(self, text: str) -> Wire:
        """Write a text that UTF-8 can carry."""
        return {"type": "text", "text": text if text.isascii() else well_formed(text, self._changes)}

    def assistant(self, block: Block) -> Wire | None:
        if isinstance(block, TextBlock):
            if is_blank(block.text):
                self._changes.omitted(block, "blank text (AN-B3)")
                return None
            return self.with_keys(block, "text", self.text(block.text))
        if isinstance(block, ThinkingBlock | RedactedThinkingBlock):
            return self._thinking(block)
        if isinstance(block, ImageBlock | DocumentBlock):
            self._changes.omitted(block, "media in an assistant message")
            return self.text(f"[{'An image' if isinstance(block, ImageBlock) else 'A document'} was shown here.]")
        self._changes.omitted(block, "not for an assistant message")
        return None

    def _thinking(self, block: ThinkingBlock | RedactedThinkingBlock) -> Wire | None:
        issued = block.issuer in (None, ANTHROPIC)
        if isinstance(block, ThinkingBlock) and not block.signature:
            if issued and self._dialect.unsigned_thinking and block.thinking and _can_be_sent(block):
                return self.with_keys(block, "thinking", {**_thought(block), "signature": ""})
            self._changes.omitted(block, "unsigned thinking (AN-T5)")
        elif isinstance(block, ThinkingBlock) and not schema.SIGNATURE.fullmatch(block.signature or ""):
            self._changes.omitted(block, "thinking with a signature that this API cannot have made (AN-T4)")
        elif not issued:
            self._changes.omitted(block, f"thinking issued by {block.issuer} (AN-T4)")
        elif not block.bound and self._dialect.binds_thinking:
            self._changes.omitted(block, "thinking whose prefix was changed (AN-T12)")
        elif not _can_be_sent(block):
            self._changes.omitted(block, "signed thinking with a lone surrogate (AN-B9)")
        elif isinstance(block, ThinkingBlock):
            # Signed text is sent as it is: any edit would break the signature.
            return self.with_keys(block, "thinking", {**_thought(block), "signature": block.signature})
        elif not block.data:
            self._changes.omitted(block, "redacted thinking without data (AN-T6)")
        else:
            return self.with_keys(block, "redacted_thinking", {"type": "redacted_thinking", "data": block.data})
        return None

    def user(self, block: Block) -> Wire | None:
        if isinstance(block, TextBlock):
            if is_blank(block.text):
                self._changes.omitted(block, "blank text (AN-B3)")
                return None
            return self.with_keys(block, "text", self.text(block.text))
        if isinstance(block, ImageBlock | DocumentBlock):
            return self.media(block)
        if isinstance(block, ProviderBlock) and block.dialect == ANTHROPIC and block.type in schema.OWN_IN_USER:
            return self.whole(block)
        self._changes.omitted(block, "not for a user message")
        return None

    def as_json(self, block: Block, why: str) -> Wire:
        self._changes.rewritten(f"{why} as JSON text", block)
        return self.text(json_text(block.data if isinstance(block, ProviderBlock) else repr(block)))

    def with_keys(self, block: Block, kind: str, wire: Wire) -> Wire:
        """Add the keys of the dated list, and record the others."""
        if block.meta is None:
            return wire
        known = VALUES[kind]
        omitted: dict[str, Any] = {}
        for key, value in block.extra(ANTHROPIC).items():
            if value is None:
                continue  # As good as absent, and not read back.
            if key in known and known[key](value):
                wire[key] = thaw_well_formed(value, self._changes)
                if key == "cache_control":
                    self.marked.append((self._changes.index, wire))
            else:
                omitted[key] = value
        self._omit(omitted)
        self._omit_of_message(block)
        return wire

    def _omit(self, keys: Mapping[str, Any]) -> None:
        if keys:
            self._changes.omitted(FrozenDict(keys), f"keys that this API does not take (AN-B7): {', '.join(keys)}")

    def _omit_of_message(self, block: Block) -> None:
        """Record the keys of a message that are not sent, except those that its `replies` hold."""
        carried = block.carried(ANTHROPIC)
        if carried:
            self._omit({key: value for key, value in carried.items() if not self._is_in_replies(key, value)})

    def _is_in_replies(self, key: str, value: object) -> bool:
        return key in schema.OF_RESPONSES and any(getattr(reply, key) == value for reply in self.replies)

    def unmark(self, wire: Wire) -> None:
        """Forget the cache mark of a block that is not sent after all."""
        self.marked = [(index, marked) for index, marked in self.marked if marked is not wire]

    def media(self, block: ImageBlock | DocumentBlock) -> Wire:
        kind = "image" if isinstance(block, ImageBlock) else "document"
        source = self._source(block, kind)
        if isinstance(source, str):
            return self.text(f"[{kind} left out: {source}]")
        wire: Wire = {"type": kind, "source": source}
        if isinstance(block, DocumentBlock) and block.title:
            wire["title"] = self._title(block)
        wire = self.with_keys(block, kind, wire)
        return self._cited_alike(wire) if kind == "document" else wire

    def _title(self, block: DocumentBlock) -> str:
        title = well_formed(block.title or "", self._changes)
        if len(title) > _LONGEST_TITLE:
            self._changes.rewritten(f"a title of {len(title)} characters, cut (AN-M8)", block)
        return title[:_LONGEST_TITLE]

    def _source(self, block: ImageBlock | DocumentBlock, kind: str) -> Wire | str:
        source: Wire = thaw_well_formed(block.source, self._changes)
        known = (IMAGE_SOURCES if kind == "image" else DOCUMENT_SOURCES).get(str(source.get("type")))
        if known is None or block.issuer not in (None, ANTHROPIC):
            self._changes.omitted(block, "a source that this API does not know")
            return "its source cannot be sent here"
        url = source.get("url")
        is_refused = self._dialect.data_only or (isinstance(url, str) and not url.strip())
        if source["type"] == "url" and (is_refused or (kind == "document" and _is_text_at(url))):
            self._changes.omitted(block, f"{kind}: its address cannot be sent here (AN-M11, AN-M12)")
            return "its address cannot be sent here"
        if source["type"] == "base64" and isinstance(source.get("data"), str):
            reason = self._fit_data(block, source, kind)
            if reason:
                self._changes.omitted(block, f"{kind}: {reason}")
                return reason
            known = known if source["type"] == "base64" else DOCUMENT_SOURCES["text"]
        if source["type"] == "text" and source.get("media_type") != "text/plain":
            self._changes.rewritten(
                f"a text document of type {short_repr(source.get('media_type'))} as plain text", block
            )
            source["media_type"] = "text/plain"
        if misfits(known, source):
            self._changes.omitted(block, "a source that lacks something (AN-B8)")
            return "its source cannot be sent here"
        omitted = {key: source.pop(key) for key in [*source] if key not in known.fields and key != "type"}
        if omitted:
            self._changes.omitted(FrozenDict(omitted), f"keys of a source (AN-B7): {', '.join(omitted)}")
        return source

    def _fit_data(self, block: ImageBlock | DocumentBlock, source: Wire, kind: str) -> str:
        """AN-M5 to AN-M7: change a media type that is not the data's; or return why the data cannot be sent."""
        declared = str(source.get("media_type"))
        if kind == "image":
            actual = _image_type(source["data"])
            if actual is None:
                known = declared in schema.IMAGE_TYPES
                return "it is no image" if known else f"the type {declared!r:.80} cannot be sent here"
            if actual != declared:
                self._changes.rewritten(
                    f"the media type {declared!r:.80} as {actual!r}, which the data is (AN-M5)", block
                )
                source["media_type"] = actual
        elif declared.startswith("text/"):
            text = _decoded(source["data"])
            if text is None:
                return "it is no text"
            self._changes.rewritten(f"a document of type {declared!r:.80} as plain text", block)
            source.update({"type": "text", "media_type": "text/plain", "data": well_formed(text, self._changes)})
        elif declared != "application/pdf":
            return f"the type {declared!r:.80} cannot be sent here"
        return ""

    def whole(self, block: ProviderBlock) -> Wire | None:
        """Write a block that only this API understands; None when it lacks something."""
        wire: Wire = thaw_well_formed(block.data, self._changes)
        if block.type == "compaction" and wire.get("content") == "":
            wire["content"] = None
        shape = WHOLE.get(block.type)
        if shape is not None and not self._trimmed(block, wire):
            return None
        self._omit_of_message(block)
        if wire.get("cache_control") is not None:
            self.marked.append((self._changes.index, wire))
        return self._cited_alike(wire) if block.type == "search_result" else wire

    def _trimmed(self, block: ProviderBlock, wire: Wire) -> bool:
        """Take off what a block may not hold; False when it lacks something."""
        shape = WHOLE[block.type]
        wrong = misfits(shape, wire)
        if block.type in schema.SERVER_TOOLS.values() and wrong == [("content", False)]:
            # The pair stays whole: a search without its encrypted content, say, counts as one that failed (AN-S5).
            self._changes.omitted(
                FrozenDict(content=wire["content"]), "a server tool's result that lacks something (AN-S5)"
            )
            wire["content"] = {"type": f"{block.type}_error", "error_code": "unavailable"}
            wrong = []
        if any(missing or key in shape.required for key, missing in wrong):
            keys = ", ".join(key for key, _ in wrong)
            self._changes.omitted(block, f"a block that lacks something (AN-B8): {keys}")
            return False
        unfit = {key for key, _ in wrong}
        omitted = {key: wire.pop(key) for key in [*wire] if key != "type" and (key in unfit or key not in shape.fields)}
        # Null is as good as absent.
        self._omit({key: value for key, value in omitted.items() if value is not None})
        return True

    def _cited_alike(self, wire: Wire) -> Wire:
        """AN-M9: cite all documents or none, as the first one says; search results likewise."""
        config = wire.get("citations")
        enabled = isinstance(config, dict) and config.get("enabled") is True
        wanted = self._cited.setdefault(wire["type"], enabled)
        if enabled and not wanted:
            self._changes.omitted(
                FrozenDict(citations=wire.pop("citations")), "citations that others do not have (AN-M9)"
            )
        elif wanted and not enabled:
            self._changes.rewritten(f"a {wire['type']} without citations, with them, as the others (AN-M9)")
            wire["citations"] = {"enabled": True}
        return wire


_LONGEST_TITLE: Final = 500
_MAGIC: Final = ((b"\xff\xd8\xff", "image/jpeg"), (b"\x89PNG", "image/png"), (b"GIF8", "image/gif"))


def _image_type(data: str) -> str | None:
    """Return an image's type from the beginning of its base64 text."""
    try:
        start = base64.b64decode(data[:16], validate=True)
    except ValueError:
        return None
    if start[:4] == b"RIFF" and start[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _MAGIC if start.startswith(magic)), None)


def _decoded(data: str) -> str | None:
    try:
        return base64.b64decode(data, validate=True).decode()
    except ValueError:
        return None


def _thought(block: ThinkingBlock) -> Wire:
    return {"type": "thinking", "thinking": block.thinking}


def _can_be_sent(block: ThinkingBlock | RedactedThinkingBlock) -> bool:
    """Return whether thinking can be sent at all: a lone surrogate in it cannot, and replaced breaks the signature."""
    text = f"{block.thinking}{block.signature}" if isinstance(block, ThinkingBlock) else block.data
    return is_unicode(text)


def _is_text_at(url: object) -> bool:
    """Return whether an address is that of a text, as its ending says."""
    return isinstance(url, str) and url.partition("?")[0].partition("#")[0].lower().endswith((".txt", ".md", ".csv"))
