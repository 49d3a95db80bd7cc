"""Write valid messages as a list of Converse messages.

What is written for a message depends on it and those before it: names of documents are numbered in the order in which
they come. The limit of cache points is the exception. A user message that may not hold all that it has is written as
several, with a short assistant message between them, as the API joins neighbours of one role.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, TypeGuard, final

from message_history.core.blocks import (
    Block,
    DocumentBlock,
    ImageBlock,
    ProviderBlock,
    RedactedThinkingBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    is_blank,
)
from message_history.core.json_values import EMPTY, FrozenDict, freeze, json_text
from message_history.dialects._shared.writer import (
    PLACEHOLDER,
    Aliases,
    Changes,
    named_for,
    thaw_well_formed,
    well_formed,
)
from message_history.dialects.anthropic.call_order import CALL, CONTENT, SERVER, THINKING, Kind, calls_last
from message_history.dialects.anthropic.parse import ANTHROPIC
from message_history.dialects.anthropic.schema import SIGNATURE
from message_history.dialects.base import Export
from message_history.dialects.bedrock import schema
from message_history.dialects.bedrock.grouping import (
    calls_apart,
    groups_of,
    is_allowed,
    key_of,
    place_cache_points,
    with_text,
)
from message_history.dialects.bedrock.media import (
    DOCUMENTS,
    VIDEOS,
    bytes_of,
    clean_name,
    format_of,
    media_type_of,
    utf8_of,
    with_bytes,
)
from message_history.dialects.bedrock.parse import BEDROCK
from message_history.dialects.bedrock.plain_writer import BRIDGE, NO_OUTPUT, common_wire
from message_history.dialects.bedrock.provider_blocks import (
    beyond,
    cited_of,
    is_search_result,
    kind_of,
    qualifiers_of,
    served_pairs,
)
from message_history.media import has_media
from message_history.media.encoded import encoded, inline_data

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.core.message import Message
    from message_history.dialects.bedrock import Bedrock

__all__ = ["Render"]

Wire = dict[str, Any]


@final
class Render:
    """One export.

    Args:
        dialect: the model's fields.
    """

    def __init__(self, dialect: Bedrock) -> None:
        self.changes = Changes()
        self._dialect = dialect
        self._ids = Aliases(schema.ID, schema.ID_LIMIT)
        self._names: dict[str, int] = {}
        self._reasoned: list[tuple[Wire, Block]] = []
        self._points: list[tuple[int, list[Wire], Wire]] = []
        self._moved: list[Wire] = []
        self._counts: dict[str, int] = {}
        self._has_text = False

    def export(self, messages: Sequence[Message], system: Sequence[SystemBlock]) -> Export:
        """Write a whole conversation."""
        prompt = self._prompt(system)
        in_prompt = len(self._points)
        wire = self._written(messages)
        if wire and wire[-1]["role"] == "assistant":
            self._trim_prefill(wire[-1]["content"])
        self._limit_cache_points(in_prompt)
        return Export(wire, prompt or None, tuple(self.changes.repairs))

    def turn(self, messages: Sequence[Message]) -> list[Any] | None:
        """Write a turn that depends on no other; None when it does, or another may depend on it."""
        if any(map(has_media, messages)):
            return None
        wire = self._written(messages)
        return None if self._points else wire

    def _written(self, messages: Sequence[Message]) -> list[Wire]:
        wire: list[Wire] = []
        for index, message in enumerate(messages):
            self.changes.index = index
            if message.role == "assistant":
                self._ids.new_scope()
            common = common_wire(message, self._dialect, self.changes)
            if common is not None:
                wire += common
            else:
                wire += self._user(message) if message.role == "user" else self._assistant(message)
        return wire

    def _prompt(self, system: Sequence[SystemBlock]) -> list[Wire]:
        prompt: list[Wire] = []
        for block in system:
            prompt += self._marked(block, [{"text": self._text(block.text)}])
            self._left(block)
        self._settle(prompt)
        return prompt

    # The assistant's side

    def _assistant(self, message: Message) -> list[Wire]:
        self._reasoned = []
        pairs = served_pairs(message) if self._dialect.server_tools else frozenset()
        self._has_text = any(isinstance(block, TextBlock) and not is_blank(block.text) for block in message.content)
        written = [
            self._marked(block, self._assistant_block(block, served=position in pairs))
            for position, block in enumerate(message.content)
        ]
        content = [wire for wires in self._ordered(written) for wire in wires]
        self._end_with_words(content)
        if not content:
            self.changes.added("a message of which nothing could be sent")
            content = [{"text": PLACEHOLDER}]
        parts = [content] if self._dialect.text_with_calls else calls_apart(content)
        for part in parts:
            self._settle(part)
        if len(parts) == 1:
            return [_message("assistant", content)]
        self.changes.added("a user message between words and calls of one message (BR-B15)")
        words, calls = parts
        return [_message("assistant", words), _message("user", [{"text": BRIDGE}]), _message("assistant", calls)]

    def _ordered(self, written: list[list[Wire]]) -> list[list[Wire]]:
        """Put what may not stand behind a call before it, each with its cache point."""
        written = [wires for wires in written if wires]
        if not self._dialect.calls_last:
            return written
        ordered = calls_last(written, _kind_of)
        if any(one is not other for one, other in zip(ordered, written, strict=True)):
            self.changes.rewritten("text before the calls (BR-B32)")
        return ordered

    def _end_with_words(self, content: list[Wire]) -> None:
        """Take reasoning from the end of a message, and the cache points behind it (BR-B23)."""
        while content:
            last = next((wire for wire in reversed(content) if key_of(wire) != "cachePoint"), content[-1])
            if key_of(last) != "reasoningContent":
                return
            while content.pop() is not last:
                self.changes.omitted(None, "a cache point after reasoning (BR-B22)")
            block = next(block for wire, block in self._reasoned if wire is last)
            self.changes.omitted(block, "reasoning at the end of a message (BR-B23)")

    def _assistant_block(self, block: Block, *, served: bool) -> list[Wire]:
        """Write a block of an assistant message.

        Args:
            block: the block.
            served: whether it is a call or result of a server tool, and has its counterpart in this message.
        """
        if isinstance(block, ToolUseBlock):
            name = named_for(block.name, schema.NAME, schema.NAME_LIMIT, self.changes)
            self._left(block)
            given = thaw_well_formed(block.frozen_input, self.changes)
            return [{"toolUse": {"toolUseId": self._id(block.id), "name": name, "input": given}}]
        if isinstance(block, TextBlock):
            given = block.extra(BEDROCK).get("citationsContent")
            cited = cited_of(given) if isinstance(given, FrozenDict) and self._dialect.citations else None
            if cited is not None:
                self._left(block, {"citationsContent": cited})
                return [{"citationsContent": thaw_well_formed(cited, self.changes)}]
            return self._words(block)
        if isinstance(block, ThinkingBlock | RedactedThinkingBlock):
            return self._thinking(block)
        if isinstance(block, ImageBlock | DocumentBlock):
            self.changes.omitted(block, "media in an assistant message (BR-B20)")
            return [{"text": f"[{'An image' if isinstance(block, ImageBlock) else 'A document'} was shown here.]"}]
        if self._takes_white_space(block):
            return [thaw_well_formed(block.data, self.changes)]
        if served and isinstance(block, ProviderBlock):
            self._left(block)
            return [thaw_well_formed(block.data, self.changes)]
        self.changes.omitted(block, "a block that this model does not take")
        return []

    def _takes_white_space(self, block: Block) -> TypeGuard[ProviderBlock]:
        """Return whether a block is white space that this model takes here (BR-B05)."""
        if not isinstance(block, ProviderBlock) or kind_of(block) != "text":
            return False
        text = block.data["text"]
        allowed = self._dialect.white_space
        return (
            isinstance(text, str) and text.isspace() and (allowed == "alone" or (allowed != "never" and self._has_text))
        )

    def _thinking(self, block: ThinkingBlock | RedactedThinkingBlock) -> list[Wire]:
        why = ""
        wire: Wire = {}
        if not self._dialect.reasoning:
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
            self.changes.omitted(block, why)
            return []
        written: Wire = {"reasoningContent": wire}
        self._left(block, written)
        self._reasoned.append((written, block))
        return [written]

    def _trim_prefill(self, content: list[Wire]) -> None:
        """An answer that is to be gone on with does not end with white space, as the Messages API has it (B4)."""
        last = content[-1]
        if "text" in last and last["text"] != last["text"].rstrip():
            self.changes.rewritten("white space at the end of a prefilled answer left out")
            last["text"] = last["text"].rstrip()

    # The user's side

    def _user(self, message: Message) -> list[Wire]:
        self._moved, self._counts, self._has_text = [], {}, False
        results: list[Wire] = []
        for result in message.results:
            results += self._marked(result, [self._result(result)])
        rest, self._moved = self._moved, []
        for block in message.content[len(message.results) :]:
            rest += self._marked(block, self._user_block(block))
        if not results and not rest:
            self.changes.added("a message of which nothing could be sent")
            rest = [{"text": PLACEHOLDER}]
        wire: list[Wire] = []
        for content in groups_of(results, rest, self._dialect):
            if with_text(content):
                self.changes.added("a text beside a document (BR-B19)")
            self._settle(content)
            if wire:
                self.changes.added("an assistant message between results, or media, and what may not stand with them")
                wire.append(_message("assistant", [{"text": BRIDGE}]))
            wire.append(_message("user", content))
        return wire

    def _user_block(self, block: Block) -> list[Wire]:
        """Write a block of a user message that is no result."""
        if isinstance(block, TextBlock):
            guard = block.extra(BEDROCK).get("guardContent")
            if isinstance(guard, FrozenDict) and not is_blank(block.text):
                qualifiers = qualifiers_of(guard)
                self._left(block, {"guardContent": qualifiers})
                return [{"guardContent": {"text": {"text": self._text(block.text), **qualifiers}}}]
            return self._words(block)
        if isinstance(block, SystemBlock):
            self.changes.rewritten("system words as marked text of the user's turn (BR-B25)", block)
            self._left(block)
            return [{"text": self._text(f"<system>\n{block.text}\n</system>")}]
        if isinstance(block, ImageBlock | DocumentBlock):
            written = self._media(block)
            guard = block.extra(BEDROCK).get("guardContent")
            if guard is not None and "image" in written and written["image"]["format"] in ("png", "jpeg"):
                if "bytes" in written["image"]["source"]:
                    return [{"guardContent": {"image": written["image"]}}]
            return [written]
        own = self._own(block)
        if own is not None:
            return [own]
        if self._takes_white_space(block):
            return [thaw_well_formed(block.data, self.changes)]
        self.changes.omitted(block, "not for a user message")
        return [{"text": "[video left out: it cannot be sent here]"}] if kind_of(block) == "video" else []

    def _result(self, block: ToolResultBlock) -> Wire:
        content: list[Wire] = []
        for part in block.content:
            if isinstance(part, TextBlock):
                content += self._given_text(part)
            elif isinstance(part, ImageBlock | DocumentBlock):
                content += self._given(part, self._media(part), block)
            elif isinstance(part, ProviderBlock):
                own = self._own(part)
                if own is None:
                    self.changes.rewritten("a block that a result may not hold, as JSON text", part)
                    own = {"text": self._text(json_text(part.data))}
                content += self._given(part, own, block)
        if not content and block.content and self._dialect.empty_results and not block.is_error:
            content = [{"text": ""}]  # It came so: a text of white space is recorded above.
        elif not content:
            self.changes.added("text of an empty result (BR-B13, BR-B14)")
            content = [{"text": NO_OUTPUT}]
        status = block.extra(BEDROCK).get("status")
        wire: Wire = {"toolUseId": self._id(block.tool_use_id), "content": content}
        if self._dialect.status and (block.is_error or status == "success"):
            wire["status"] = "error" if block.is_error else "success"
        elif block.is_error and not block.is_stub:
            self.changes.rewritten("a result's error flag, as a word (BR-B26)", block)
            if "text" in content[0]:
                content[0]["text"] = f"Error: {content[0]['text']}"
            else:
                content.insert(0, {"text": "Error:"})
        # A result without a status is a success.
        self._left(block, {"status": "success", **wire})
        return {"toolResult": wire}

    def _given_text(self, part: TextBlock) -> list[Wire]:
        if part.extra(BEDROCK).get("json") is True:
            try:
                given = json.loads(part.text)
            except (ValueError, RecursionError):
                given = None
            if isinstance(given, dict):
                self._left(part, _JSON)
                return [{"json": thaw_well_formed(freeze(given)[0], self.changes)}]
        if is_blank(part.text):
            if part.text:
                self.changes.omitted(part, "blank text in a result (BR-B05)")
            else:
                self._left(part, _JSON)
            return []
        self._left(part, _JSON)
        return [{"text": self._text(part.text)}]

    def _given(self, part: Block, written: Wire, result: ToolResultBlock) -> list[Wire]:
        """Write the media of a result: in place, or behind the results with a note in its place (BR-B16)."""
        key = key_of(written)
        limit = {"image": self._dialect.max_images, "document": self._dialect.max_documents}.get(key)
        count = self._counts.get(key, 0)
        if key == "text" or (is_allowed(written, self._dialect.in_results) and (limit is None or count < limit)):
            self._counts[key] = count + 1
            return [written]
        self.changes.rewritten(f"a tool's {key} behind the results (BR-B16)", part)
        self._moved += [{"text": f"[The {key} that tool call {self._ids(result.tool_use_id)} gave:]"}, written]
        return [{"text": f"[The {key} follows the results.]"}]

    # What both sides hold

    def _words(self, block: TextBlock) -> list[Wire]:
        self._left(block, _GUARD)
        if is_blank(block.text):
            self.changes.omitted(block, "blank text (BR-B05)")
            return []
        return [{"text": self._text(block.text)}]

    def _media(self, block: ImageBlock | DocumentBlock) -> Wire:
        """Write an image or a document, or a text that says what was there."""
        kind = "image" if isinstance(block, ImageBlock) else "document"
        extra = block.extra(BEDROCK)
        media_type, source = self._source(block, kind)
        form = format_of(kind, media_type)
        if source is None or form is None or kind not in self._dialect.media:
            self.changes.omitted(
                block, f"media that this model does not take in this form (BR-B20, BR-B27, BR-B28): {kind}"
            )
            return {"text": f"[{kind} left out: it cannot be sent here]"}
        wire: Wire = {"format": form, "source": source}
        if isinstance(block, ImageBlock):
            self._left(block, {**wire, **_GUARD})
            return {"image": wire}
        wire = {"format": form, "name": self._name(block), "source": source}
        context, citations, given = extra.get("context"), extra.get("citations"), extra.get("source")
        if isinstance(context, str) and context:
            wire["context"] = self._text(context)
        if self._dialect.citations and isinstance(citations, FrozenDict):
            wire["citations"] = {"enabled": citations.get("enabled") is True}
        assistant: Wire = {"context": context} if "context" in wire else {}
        if block.source.get("type") == "text" and isinstance(given, FrozenDict):
            # The texts of a list are sent as one.
            assistant["source"] = {**source, "content": given.get("content")}
        self._left(block, {**wire, **assistant})
        return {"document": wire}

    def _source(self, block: ImageBlock | DocumentBlock, kind: str) -> tuple[object, Wire | None]:
        """Give the media type and the source of an image or a document; None where it cannot be sent."""
        source, media_type = block.source, block.source.get("media_type")
        how = source.get("type")
        self._omitted({key: value for key, value in source.items() if key not in _SOURCE})
        if how == "text" and kind == "document":
            blob = utf8_of(self._text(str(source.get("data") or "")))
            form = block.extra(BEDROCK).get("format")
            if media_type not in (None, "text/plain"):
                self._omitted({"media_type": media_type})
            named = media_type_of(kind, form) if form in DOCUMENTS else "text/plain"
            return named, {"bytes": blob} if blob else None
        held = source.get({"base64": "data", "url": "url"}.get(str(how), ""))
        inline = inline_data(held) if isinstance(held, str) else None
        given: Mapping[str, Any] = {"bytes": held if inline is None else inline[1]}
        if how == "url" and inline is not None:
            media_type = inline[0]
        elif how == "url":
            given = {"s3Location": {**_location_of(block), "uri": held}}
        return media_type, self._sent(given, kind)

    def _sent(self, source: Mapping[str, Any], kind: str) -> Wire | None:
        """Give a source as boto3 takes it; None where it cannot be sent."""
        sent = with_bytes(source, kind, self._dialect.s3)
        if sent is not None and "bytes" in sent and encoded(str(source["bytes"])) is None:
            self.changes.rewritten(f"media whose data is no base64 text, as the bytes of that text: {kind}")
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
            self.changes.rewritten(f"the document name {block.title!r:.80} as {name!r} (BR-B17, BR-B18)", block)
        return name

    def _own(self, block: Block) -> Wire | None:
        """Write a block that only this API knows, as far as this model takes it."""
        kind = kind_of(block)
        if kind not in self._dialect.media or not isinstance(block, ProviderBlock):
            return None
        value = block.data[kind]
        if not isinstance(value, FrozenDict):
            return None
        if kind == "video":
            source = value.get("source")
            sent = self._sent(source, kind) if isinstance(source, FrozenDict) else None
            if sent is None or not isinstance(source, FrozenDict) or value.get("format") not in VIDEOS:
                return None
            assistant = {"bytes": source["bytes"]} if "bytes" in sent else sent
            self._left(block)
            self._omitted(beyond(value, {"format": value["format"], "source": assistant}))
            return {"video": {"format": value["format"], "source": sent}}
        if kind == "searchResult" and is_search_result(value):
            known = {key: value[key] for key in ("source", "title", "content", "citations") if key in value}
            self._left(block)
            self._omitted(beyond(value, known))
            return {kind: thaw_well_formed(FrozenDict(known), self.changes)}
        return None

    # Cache points, and what is left of keys

    def _marked(self, block: Block, wires: list[Wire]) -> list[Wire]:
        """Put a block's cache point behind it."""
        point = block.extra(BEDROCK).get("cachePoint") if block.meta is not None else None
        if point is None:
            return wires
        if not self._dialect.cache_points or not wires:
            self.changes.omitted(
                FrozenDict({"cachePoint": point}), "a cache point that this model does not take here (BR-B22)"
            )
            return wires
        wire: Wire = {"type": "default"}
        ttl = point.get("ttl") if isinstance(point, FrozenDict) else None
        if ttl in ("5m", "1h") and self._dialect.cache_ttl:
            wire["ttl"] = ttl
        left = beyond(FrozenDict({"cachePoint": point}), {"cachePoint": wire})
        if left:
            self.changes.omitted(FrozenDict(left), "what this model does not take of a cache point (BR-B22)")
        return [*wires, {"cachePoint": wire}]

    def _settle(self, content: list[Wire]) -> None:
        """Move cache points to where they may stand (BR-B22)."""
        dropped, moved = place_cache_points(content)
        for _ in range(dropped):
            self.changes.omitted(None, "a cache point where nothing can be cached (BR-B22)")
        for _ in range(moved):
            self.changes.rewritten("a cache point before trailing documents (BR-B22)")
        self._points += [(self.changes.index, content, wire) for wire in content if key_of(wire) == "cachePoint"]

    def _limit_cache_points(self, in_prompt: int) -> None:
        """At most four, the earliest of the messages go first (BR-B22)."""
        surplus = max(len(self._points) - schema.MAX_CACHE_POINTS, 0)
        for index, content, point in self._points[in_prompt : in_prompt + surplus]:
            self.changes.index = index
            del content[next(n for n, wire in enumerate(content) if wire is point)]
            self.changes.omitted(None, "a cache point beyond four (BR-B22)")

    def _left(self, block: Block, sent: Mapping[str, Any] = EMPTY) -> None:
        """Record keys that are not sent.

        Args:
            block: the block that they came with.
            sent: what is sent of them.
        """
        if block.meta is None:
            return
        # A cache point is told of where it is written.
        extra = {key: value for key, value in block.extra(BEDROCK).items() if key != "cachePoint"}
        self._omitted({**beyond(extra, sent), **block.carried(BEDROCK)})

    def _omitted(self, left: Mapping[str, Any]) -> None:
        if left:
            self.changes.omitted(FrozenDict(left), f"keys that this API does not take (BR-B24): {', '.join(left)}")

    def _text(self, text: str) -> str:
        return text if text.isascii() else well_formed(text, self.changes)

    def _id(self, id: str) -> str:
        alias = self._ids(id)
        if alias != id:
            self.changes.renamed(id, alias, "BR-B09")
        return alias


_JSON: Final = FrozenDict({"json": True})
"""What tells that a text of a result came as JSON."""
_SOURCE: Final = frozenset({"type", "media_type", "data", "url"})
"""The keys of a source that are read."""
_GUARD: Final = FrozenDict({"guardContent": {}})
"""What tells that a guardrail is to look at a block, without qualifiers."""


def _location_of(block: Block) -> FrozenDict:
    """Give what a place in S3 came with besides its URI."""
    source = block.extra(BEDROCK).get("source")
    location = source.get("s3Location") if isinstance(source, FrozenDict) else None
    return location if isinstance(location, FrozenDict) else EMPTY


def _kind_of(wires: list[Wire]) -> Kind:
    """Return what a block is for the order of its message."""
    wire = wires[0]
    key = key_of(wire)
    if key == "toolUse":
        return SERVER if wire[key].get("type") == "server_tool_use" else CALL
    return _KINDS.get(key, CONTENT)


_KINDS: Final[dict[str, Kind]] = {"reasoningContent": THINKING, "toolResult": SERVER}


def _message(role: str, content: list[Wire]) -> Wire:
    return {"role": role, "content": content}
