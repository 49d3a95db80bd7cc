"""Write parts of a content: media, the keys next to a part's data, and what the API does not take of both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from message_history.core.messages.blocks import ProviderBlock, is_blank
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.values.json_values import EMPTY, FrozenDict, json_text
from message_history.dialects._shared.sources import omit_beside_source
from message_history.dialects._shared.writer import Changes, thaw_well_formed, well_formed
from message_history.dialects.gemini import schema
from message_history.dialects.gemini.entries import GEMINI, NOTED, noted
from message_history.dialects.gemini.media import (
    in_url_base64,
    is_base64,
    is_held_by_google,
    is_masked,
    is_modelled,
    is_taken,
    media_type,
    text_of,
    type_of_data,
    type_of_url,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from message_history.core.messages.block_base import Block
    from message_history.dialects.gemini.model_fields import Fields

Wire = dict[str, Any]


@final
class Parts:
    """The parts of one export."""

    def __init__(self, dialect: Fields, changes: Changes) -> None:
        self.changes = changes
        self._dialect = dialect

    def media(self, block: Block, *, in_response: bool = False) -> list[Wire]:
        """Write an image, a document, audio or video; a note in its place when the API does not take it."""
        if isinstance(block, ImageBlock | DocumentBlock):
            text = self._as_text(block)
            if text is not None:
                self.changes.rewritten(f"{kind_of(block)} whose data are text, as text (GM-G24)", block)
                return [{"text": self.text(text)}]
            part = self._sourced(block)
        else:
            part = self._held(block)
        if part is None:
            what = kind_of(block)
            if _is_masked(block):
                self.changes.rewritten(f"{what} of which a recording kept only a part, as a note", block)
            else:
                self.changes.omitted(block, f"{what} that the API does not take (GM-G24)")
            return [{"text": f"[{what} left out: it cannot be sent here]"}]
        if isinstance(block, ImageBlock | DocumentBlock):
            omit_beside_source(block, self.changes)
        title = block.title if isinstance(block, DocumentBlock) else block.extra(GEMINI).get("displayName")
        if not isinstance(title, str) or not title:
            return [part]
        # Of a document, the title may have come from anywhere.
        came_so = "displayName" in block.extra(GEMINI)
        named = came_so if self._dialect.display_names is None else self._dialect.display_names
        if named or in_response:
            next(iter(part.values()))["displayName"] = self.text(title)
            return [part]
        self.changes.rewritten(f"the title of {kind_of(block)} as text before it", block)
        return [{"text": self.text(f"[{title}:]")}, part]

    def _as_text(self, block: ImageBlock | DocumentBlock) -> str | None:
        source = block.source
        text = text_of(block)
        if text is None and isinstance(block, DocumentBlock) and source.get("type") in ("text", "content"):
            found = source.get("data") if source["type"] == "text" else source.get("content")
            text = found if isinstance(found, str) else json_text(found)
        if text is None:
            return None
        title = block.title if isinstance(block, DocumentBlock) else None
        return f"[{title}:]\n{text}" if title else "[An empty file.]" if is_blank(text) else text

    def _sourced(self, block: ImageBlock | DocumentBlock) -> Wire | None:
        source, mime = block.source, type_of(block)
        kind, data = source.get("type"), source.get("data")
        beside = ("thought", *schema.OF_MEDIA)
        titled = isinstance(block.extra(GEMINI).get("displayName"), str)
        written = ("mimeType", "displayName") if titled else ("mimeType",)
        if not is_taken(mime):
            return None
        if kind == "base64":
            if not isinstance(data, str) or not data or not is_base64(data):
                return None
            if noted(block).get("alphabet") == "url":
                data = in_url_base64(data)
            return self.keys(block, {"inlineData": {"mimeType": mime, "data": data}}, beside, written)
        uri = _uri_of(block)
        if uri is None or block.issuer not in (None, GEMINI) or (kind == "file" and not is_held_by_google(uri)):
            return None
        part = {"fileData": {"mimeType": mime, "fileUri": self.text(uri)}}
        return self.keys(block, part, beside, written)

    def _held(self, block: Block) -> Wire | None:
        if not isinstance(block, ProviderBlock):
            return None
        kind, inner = _held_in(block)
        data, uri, mime = inner.get("data"), inner.get("fileUri"), inner.get("mimeType")
        if is_modelled(media_type(mime)):
            # Such media are not a block of ours because what they hold was not text.
            return None
        if kind == "inlineData":
            taken = isinstance(data, str) and data != "" and is_base64(data) and is_taken(media_type(mime))
        else:
            taken = isinstance(uri, str) and uri != "" and (mime is None or is_taken(media_type(mime)))
        if not taken:
            return None
        part = self.whole(block, kind)
        return part if mime is None else {**part, kind: {**part[kind], "mimeType": media_type(mime)}}

    def whole(self, block: ProviderBlock, kind: str) -> Wire:
        data: Any = block.data[kind]
        known = schema.FIELDS[kind] - {"displayName"} if self._dialect.display_names is False else schema.FIELDS[kind]
        inner = {key: value for key, value in data.items() if key in known and fits(key, value)}
        beside = {key: value for key, value in block.data.items() if key != kind}
        self.keys(block, {}, ())
        self._omit({key: value for key, value in data.items() if key not in inner}, self._unsent(beside))
        return {
            kind: thaw_well_formed(FrozenDict(inner), self.changes),
            **{
                key: thaw_well_formed(value, self.changes) for key, value in beside.items() if self._is_sent(key, value)
            },
        }

    def beside(self, block: ProviderBlock) -> Wire:
        """Write a part that has only the keys next to a part's data."""
        data: Any = block.data
        self._omit(self._unsent(dict(data)))
        return {key: thaw_well_formed(value, self.changes) for key, value in data.items() if self._is_sent(key, value)}

    def text(self, text: str) -> str:
        return text if text.isascii() else well_formed(text, self.changes)

    def _is_sent(self, key: str, value: object) -> bool:
        if key == "partMetadata" and not self._dialect.server_tools:
            return False
        return key in schema.BESIDE - {"thoughtSignature"} and fits(key, value)

    def _unsent(self, keys: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in keys.items() if not self._is_sent(key, value)}

    def keys(self, block: Block, part: Wire, allowed: Collection[str], written: Collection[str] = ()) -> Wire:
        """Add the fields that a part may have besides its data, and record the others (GM-G22)."""
        if block.meta is None:
            return part
        omitted: dict[str, Any] = {}
        for key, value in block.extra(GEMINI).items():
            # That a part is not a thought, some clients say of every part; recorded requests have it anywhere.
            sent = key in allowed or key in schema.OF_ANY or (key == "thought" and value is False)
            if part and sent and self._is_sent(key, value):
                part[key] = thaw_well_formed(value, self.changes)
            elif key not in (NOTED, *written):
                omitted[key] = value
        self._omit(block.carried(GEMINI), omitted)
        return part

    def _omit(self, *omitted: Mapping[str, Any]) -> None:
        self.changes.omitted_keys("fields that this API does not take (GM-G22)", *omitted)


def is_media(block: Block) -> bool:
    return isinstance(block, ProviderBlock) and block.dialect == GEMINI and _held_in(block)[0] != ""


def _held_in(block: ProviderBlock) -> tuple[str, Any]:
    """Find the media that a part of this API holds: the name of the field and what it holds."""
    for kind in ("inlineData", "fileData"):
        if isinstance(block.data.get(kind), FrozenDict):
            return kind, block.data[kind]
    return "", EMPTY


def _is_masked(block: Block) -> bool:
    data: Any = block.source.get("data") if isinstance(block, ImageBlock | DocumentBlock) else None
    if isinstance(block, ProviderBlock):
        data = _held_in(block)[1].get("data")
    return isinstance(data, str) and is_masked(data)


def fits(key: str, value: object) -> bool:
    """Return whether a field's value is of the kind that the API takes for it."""
    if key in schema.FIELDS:
        return isinstance(value, FrozenDict) and value.keys() <= schema.FIELDS[key]
    return isinstance(value, schema.KINDS.get(key, object))


def _uri_of(block: ImageBlock | DocumentBlock) -> str | None:
    """Return what a source names, if it is a URI."""
    source = block.source
    uri = source.get({"url": "url", "file": "file_id"}.get(str(source.get("type")), ""))
    return uri if isinstance(uri, str) and "://" in uri else None


def type_of(block: Block) -> str:
    """Return a block's media type: what it says, else what its data or its URI look like."""
    if not isinstance(block, ImageBlock | DocumentBlock):
        return ""
    source = block.source
    mime = media_type(source.get("media_type") or block.extra(GEMINI).get("mimeType"))
    if mime:
        return mime
    data = source.get("data")
    if source.get("type") == "base64":
        return type_of_data(data) if isinstance(data, str) else ""
    return type_of_url(_uri_of(block) or "") or ("image/jpeg" if isinstance(block, ImageBlock) else "application/pdf")


def kind_of(block: Block) -> str:
    return {ImageBlock: "image", DocumentBlock: "document"}.get(type(block), "file")
