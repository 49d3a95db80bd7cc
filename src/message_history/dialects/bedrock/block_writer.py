"""Write blocks of Converse messages one by one: text, calls, reasoning, media, and the keys that come with them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, TypeGuard, final

from message_history.core.messages.blocks import (
    ProviderBlock,
    RedactedThinkingBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    is_blank,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.values.json_values import EMPTY, FrozenDict, freeze
from message_history.dialects._shared.writer import Aliases, Changes, named_for, thaw_well_formed, well_formed
from message_history.dialects.anthropic.parse import ANTHROPIC
from message_history.dialects.anthropic.schema import SIGNATURE
from message_history.dialects.bedrock import schema
from message_history.dialects.bedrock.media import bytes_of, clean_name, format_of, media_type_of, utf8_of, with_bytes
from message_history.dialects.bedrock.parse import BEDROCK
from message_history.dialects.bedrock.provider_blocks import beyond, cited_of, is_search_result, kind_of, qualifiers_of
from message_history.dialects.bedrock.schema import AS_JSON, AUDIO, DOCUMENTS, VIDEOS
from message_history.media.encoded import encoded, inline_data

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.dialects.bedrock.model_fields import Fields

Wire = dict[str, Any]


@final
class BlockWriter:
    """Writes the blocks of one export."""

    def __init__(self, changes: Changes, dialect: Fields) -> None:
        self._changes = changes
        self._dialect = dialect
        self._names: dict[str, int] = {}
        self.ids = Aliases(schema.ID, schema.ID_LIMIT)
        self.reasoned: list[tuple[Wire, Block]] = []
        """The reasoning of the message that is written, and what it was written from."""
        self._has_text = False

    def begin(self, message: Message) -> None:
        self.reasoned = []
        self._has_text = any(
            isinstance(block, TextBlock) and not is_blank(block.text) and self._cited(block) is None
            for block in message.content
        )

    def assistant(self, block: Block, *, served: bool) -> list[Wire]:
        """Write a block; `served` says of one of a server tool that its counterpart is in this message."""
        if isinstance(block, ToolUseBlock):
            name = named_for(block.name, schema.NAME, schema.NAME_LIMIT, self._changes)
            self.omit_keys(block)
            input = thaw_well_formed(block.frozen_input, self._changes)
            return [{"toolUse": {"toolUseId": self.id(block.id), "name": name, "input": input}}]
        if isinstance(block, TextBlock):
            cited = self._cited(block)
            if cited is not None:
                self.omit_keys(block, {"citationsContent": cited})
                return [{"citationsContent": thaw_well_formed(cited, self._changes)}]
            return self._plain_text(block)
        if isinstance(block, ThinkingBlock | RedactedThinkingBlock):
            return self._thinking(block)
        if isinstance(block, ImageBlock | DocumentBlock):
            self._changes.omitted(block, "media in an assistant message (BR-B20)")
            return [{"text": f"[{'An image' if isinstance(block, ImageBlock) else 'A document'} was shown here.]"}]
        if self._takes_white_space(block):
            self.omit_keys(block)
            return [thaw_well_formed(block.data, self._changes)]
        if served and isinstance(block, ProviderBlock):
            self.omit_keys(block)
            return [thaw_well_formed(block.data, self._changes)]
        self._changes.omitted(block, "a block that this model does not take")
        return []

    def user(self, block: Block) -> list[Wire]:
        if isinstance(block, TextBlock):
            guard = block.extra(BEDROCK).get("guardContent")
            if isinstance(guard, FrozenDict) and not is_blank(block.text):
                qualifiers = qualifiers_of(guard)
                self.omit_keys(block, {"guardContent": qualifiers})
                return [{"guardContent": {"text": {"text": self.text(block.text), **qualifiers}}}]
            return self._plain_text(block)
        if isinstance(block, SystemBlock):
            self._changes.rewritten("system text as marked text of the user's turn (BR-B25)", block)
            self.omit_keys(block)
            return [{"text": self.text(f"<system>\n{block.text}\n</system>")}]
        if isinstance(block, ImageBlock | DocumentBlock):
            written = self.media(block)
            guard = block.extra(BEDROCK).get("guardContent")
            if guard is not None and "image" in written and written["image"]["format"] in ("png", "jpeg"):
                if "bytes" in written["image"]["source"]:
                    return [{"guardContent": {"image": written["image"]}}]
            return [written]
        own = self.own(block)
        if own is not None:
            return [own]
        if self._takes_white_space(block):
            self.omit_keys(block)
            return [thaw_well_formed(block.data, self._changes)]
        self._changes.omitted(block, "not for a user message")
        return [{"text": "[video left out: it cannot be sent here]"}] if kind_of(block) == "video" else []

    def _thinking(self, block: ThinkingBlock | RedactedThinkingBlock) -> list[Wire]:
        why = ""
        wire: Wire = {}
        if self._dialect.unsigned_reasoning and isinstance(block, ThinkingBlock) and not block.signature:
            wire = {"reasoningText": {"text": self.text(block.thinking)}}
        elif not self._dialect.reasoning:
            why = "reasoning, which this model does not take back (BR-B23)"
        elif block.issuer not in (None, ANTHROPIC, BEDROCK):
            why = f"reasoning issued by {block.issuer} (BR-B23)"
        elif not block.bound and self._dialect.binds_thinking:
            why = "reasoning whose prefix was changed (BR-B23)"
        elif isinstance(block, ThinkingBlock):
            # Signed text is sent as it is: any edit would break the signature.
            if not block.signature or block.issuer == BEDROCK:
                why = "unsigned reasoning (BR-B23)"
            elif not SIGNATURE.fullmatch(block.signature):
                why = "reasoning with a signature that Claude cannot have made (BR-B23)"
            elif utf8_of(block.thinking + block.signature) is None:
                why = "signed reasoning with a lone surrogate, which cannot be sent unchanged (BR-B29)"
            wire = {"reasoningText": {"text": block.thinking, "signature": block.signature}}
        else:
            blob = bytes_of(block.data) if block.issuer == BEDROCK else utf8_of(block.data)
            why = "" if blob else "redacted reasoning without data (BR-B23)"
            wire = {"redactedContent": blob}
        if why:
            self._changes.omitted(block, why)
            return []
        written: Wire = {"reasoningContent": wire}
        self.omit_keys(block, written)
        self.reasoned.append((written, block))
        return [written]

    def _takes_white_space(self, block: Block) -> TypeGuard[ProviderBlock]:
        """Return whether a block is white space that this model takes here (BR-B05)."""
        if not isinstance(block, ProviderBlock) or kind_of(block) != "text":
            return False
        text = block.data["text"]
        allowed = self._dialect.white_space
        return (
            isinstance(text, str) and text.isspace() and (allowed == "alone" or (allowed != "never" and self._has_text))
        )

    def _cited(self, block: TextBlock) -> Any:
        """Return what is sent in the place of a text that came with its citations; None for any other text."""
        content = block.extra(BEDROCK).get("citationsContent") if block.meta is not None else None
        return cited_of(content) if isinstance(content, FrozenDict) and self._dialect.citations else None

    def _plain_text(self, block: TextBlock) -> list[Wire]:
        self.omit_keys(block, _GUARD)
        if is_blank(block.text):
            self._changes.omitted(block, "blank text (BR-B05)")
            return []
        return [{"text": self.text(block.text)}]

    def result_text(self, part: TextBlock) -> list[Wire]:
        """Write a text of a result, as JSON if it came so."""
        if part.extra(BEDROCK).get(AS_JSON) is True:
            try:
                value = json.loads(part.text)
            except (ValueError, RecursionError):
                value = None
            if isinstance(value, dict):
                self.omit_keys(part, _JSON)
                return [{"json": thaw_well_formed(freeze(value)[0], self._changes)}]
        if is_blank(part.text):
            if part.text:
                self._changes.omitted(part, "blank text in a result (BR-B05)")
            else:
                self.omit_keys(part, _JSON)
            return []
        self.omit_keys(part, _JSON)
        return [{"text": self.text(part.text)}]

    def media(self, block: ImageBlock | DocumentBlock, *, in_result: bool = False) -> Wire:
        """Write an image or a document, or a text that says what was there."""
        kind = "image" if isinstance(block, ImageBlock) else "document"
        extra = block.extra(BEDROCK)
        media_type, source = self._source(block, kind, in_result=in_result)
        form = format_of(kind, media_type)
        if source is None or form is None or kind not in self._dialect.media:
            self._changes.omitted(
                block, f"media that this model does not take in this form (BR-B20, BR-B27, BR-B28): {kind}"
            )
            return {"text": f"[{kind} left out: it cannot be sent here]"}
        wire: Wire = {"format": form, "source": source}
        if isinstance(block, ImageBlock):
            self.omit_keys(block, {**wire, **_GUARD})
            return {"image": wire}
        wire = {"format": form, "name": self._name(block), "source": source}
        context, citations, own = extra.get("context"), extra.get("citations"), extra.get("source")
        if isinstance(context, str) and context:
            wire["context"] = self.text(context)
        if self._dialect.citations and isinstance(citations, FrozenDict):
            wire["citations"] = {"enabled": citations.get("enabled") is True}
        as_parsed: Wire = {"context": context} if "context" in wire else {}
        if block.source.get("type") == "text" and isinstance(own, FrozenDict):
            # The texts of a list are sent as one.
            as_parsed["source"] = {**source, "content": own.get("content")}
        self.omit_keys(block, {**wire, **as_parsed})
        return {"document": wire}

    def _source(self, block: ImageBlock | DocumentBlock, kind: str, *, in_result: bool) -> tuple[object, Wire | None]:
        """Return the media type and the source of an image or a document; None where it cannot be sent."""
        source, media_type = block.source, block.source.get("media_type")
        how = source.get("type")
        self._omit({key: value for key, value in source.items() if key not in _SOURCE})
        if how == "text" and kind == "document":
            blob = utf8_of(self.text(str(source.get("data") or "")))
            form = block.extra(BEDROCK).get("format")
            if media_type not in (None, "text/plain"):
                self._omit({"media_type": media_type})
            named = media_type_of(kind, form) if form in DOCUMENTS else "text/plain"
            return named, {"bytes": blob} if blob else None
        held = source.get({"base64": "data", "url": "url"}.get(str(how), ""))
        inline = inline_data(held) if isinstance(held, str) else None
        content: Mapping[str, Any] = {"bytes": held if inline is None else inline[1]}
        if how == "url" and inline is not None:
            media_type = inline[0]
        elif how == "url":
            content = {"s3Location": {**_location_of(block), "uri": held}}
        return media_type, self._sent(content, kind, in_result=in_result)

    def _sent(self, source: Mapping[str, Any], kind: str, *, in_result: bool = False) -> Wire | None:
        others = self._dialect.s3_in_results if in_result else None
        sent = with_bytes(source, kind, self._dialect.s3 if others is None else others)
        if sent is not None and "bytes" in sent and encoded(str(source["bytes"])) is None:
            self._changes.rewritten(f"media whose data is not base64 text, as the bytes of that text: {kind}")
        return sent

    def _name(self, block: DocumentBlock) -> str:
        """Give a document a name that no document before it has (BR-B17, BR-B18)."""
        limit = schema.DOCUMENT_NAME_LIMIT
        base = name = clean_name(block.title, limit)
        number = self._names.get(base.lower(), 0)
        while name.lower() in self._names:
            number += 1
            ending = f" {number + 1}"
            name = base[: limit - len(ending)].rstrip() + ending
        self._names[name.lower()] = 0
        self._names[base.lower()] = number
        if name != block.title:
            self._changes.rewritten(f"the document name {block.title!r:.80} as {name!r} (BR-B17, BR-B18)", block)
        return name

    def own(self, block: Block) -> Wire | None:
        kind = kind_of(block)
        if kind not in self._dialect.media | schema.TOOL_CHANGES or not isinstance(block, ProviderBlock):
            return None
        value = block.data[kind]
        if not isinstance(value, FrozenDict):
            return None
        if kind in schema.TOOL_CHANGES:
            self.omit_keys(block)
            return {kind: thaw_well_formed(value, self._changes)} if isinstance(value.get("tool"), FrozenDict) else None
        if kind in ("audio", "video"):
            source = value.get("source")
            sent = self._sent(source, kind) if isinstance(source, FrozenDict) else None
            taken = VIDEOS if kind == "video" else AUDIO
            if sent is None or not isinstance(source, FrozenDict) or value.get("format") not in taken:
                return None
            as_parsed = {"bytes": source["bytes"]} if "bytes" in sent else sent
            self.omit_keys(block)
            self._omit(beyond(value, {"format": value["format"], "source": as_parsed}))
            return {kind: {"format": value["format"], "source": sent}}
        if kind == "searchResult" and is_search_result(value):
            known = {key: value[key] for key in ("source", "title", "content", "citations") if key in value}
            self.omit_keys(block)
            self._omit(beyond(value, known))
            return {kind: thaw_well_formed(FrozenDict(known), self._changes)}
        return None

    def omit_keys(self, block: Block, sent: Mapping[str, Any] = EMPTY) -> None:
        """Record keys that are not sent. `sent` is what is sent of them."""
        if block.meta is None:
            return
        # A cache point is recorded where it is written.
        extra = {key: value for key, value in block.extra(BEDROCK).items() if key != "cachePoint"}
        self._omit(beyond(extra, sent), block.carried(BEDROCK))

    def _omit(self, *omitted: Mapping[str, Any]) -> None:
        self._changes.omitted_keys("keys that this API does not take (BR-B24)", *omitted)

    def text(self, text: str) -> str:
        return text if text.isascii() else well_formed(text, self._changes)

    def id(self, id: str) -> str:
        alias = self.ids(id)
        if alias != id:
            self._changes.renamed(id, alias, "BR-B09")
        return alias


_JSON: Final = FrozenDict({AS_JSON: True})
"""What tells that a text of a result came as JSON."""
_SOURCE: Final = frozenset({"type", "media_type", "data", "url"})
"""The keys of a source that are read."""
_GUARD: Final = FrozenDict({"guardContent": {}})
"""What says that a guardrail is to look at a block, without qualifiers."""


def _location_of(block: Block) -> FrozenDict:
    """Return what a place in S3 came with besides its URI."""
    source = block.extra(BEDROCK).get("source")
    location = source.get("s3Location") if isinstance(source, FrozenDict) else None
    return location if isinstance(location, FrozenDict) else EMPTY
