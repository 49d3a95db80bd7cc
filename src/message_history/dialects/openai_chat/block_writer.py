"""Write one block at a time, in the form that an API takes; what is changed on the way is recorded."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, final

from message_history.core.messages.blocks import (
    ProviderBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    is_blank,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.values.json_values import EMPTY, FrozenDict, json_text, thaw
from message_history.dialects._shared.dropped_keys import FROM
from message_history.dialects._shared.plain_messages import SHORT
from message_history.dialects._shared.writer import (
    Aliases,
    Changes,
    json_object,
    named_for,
    thaw_well_formed,
    well_formed,
)
from message_history.dialects.openai_chat import schema
from message_history.dialects.openai_chat.media import beside_source, media_type_of, url_of
from message_history.dialects.openai_chat.parse import OPENAI_CHAT
from message_history.dialects.openai_chat.unknown import returned_own, returned_within

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.dialects.openai_chat.model_fields import Fields

Wire = dict[str, Any]
OTHER_ID: Final = "OC-06"
"""The rule that demands another id."""
PDF: Final = base64.b64encode(b"%PDF-1").decode()
"""How the base64 of a PDF begins."""
ADDRESSES: Final = ("https://", "http://", "data:")
"""How the URLs of images begin that OpenAI can get."""
ZERO_WIDTH: Final = "\u200b"
_SENT: Final[Mapping[type[Block], tuple[str, ...]]] = {
    TextBlock: ("type",),
    ThinkingBlock: ("key",),
    ImageBlock: ("detail",),
    ToolResultBlock: ("name",),
}
"""The keys of blocks that a message has a place for when they are text."""
_CALL_KEYS: Final = frozenset({"id", "type", "function", "custom"})
"""The keys of a call that are documented."""
_NOTHING: Final[tuple[Any, ...]] = (None, "", (), {})
"""Values of keys that say nothing."""


@final
class BlockWriter:
    """What an export writes of the blocks alone."""

    def __init__(self, dialect: Fields) -> None:
        self.changes = Changes()  # the record of what is omitted, rewritten or added
        limit = dialect.id_limit or schema.ID_LIMIT
        takes_words = dialect.id_pattern is schema.ID and limit >= SHORT
        # The ids of calls.
        self.ids = Aliases(dialect.id_pattern, limit, unique=dialect.unique_ids, takes_words=takes_words)
        self.later_calls: list[Wire] = []  # the calls that the last assistant message could not hold
        self.tools: dict[str, str] = {}  # the names of the calls that were written one by one, by id
        self._dialect = dialect
        self._marked: list[tuple[int, Wire]] = []
        banned = dialect.banned_text
        self._instead = f"{banned[0]}{ZERO_WIDTH}{banned[1:]}" if banned else ""

    def text(self, text: str) -> str:
        if text.isascii() and "\0" not in text and not self._dialect.banned_text:
            return text
        text = well_formed(text, self.changes)
        if "\0" in text:
            self.changes.rewritten("U+0000 in text, replaced by U+FFFD (OC-21)")
            text = text.replace("\0", "\ufffd")
        banned = self._dialect.banned_text
        if banned and banned in text:
            self.changes.rewritten(f"a zero-width space in {banned}, which the model reads as an image (DS-13)")
            text = text.replace(banned, self._instead)
        return text

    def part(self, block: TextBlock | SystemBlock) -> Wire:
        wire = {"type": "text", "text": self.text(block.text)}
        if block.meta is not None and FROM in block.extra(OPENAI_CHAT):
            wire |= thaw_well_formed(returned_own(block, self._dialect), self.changes)
        return self._with_mark(block, wire)

    def joined(self, parts: Sequence[Wire]) -> str | list[Wire]:
        """Write text parts as content: one text if they are one, or if lists are not taken."""
        if len(parts) == 1 and len(parts[0]) == 2:
            text: str = parts[0]["text"]
            return text
        # A template that goes through parts may show the first alone.
        if self._dialect.parts is True:
            return list(parts)
        if len(parts) > 1:
            self.changes.rewritten(f"{len(parts)} texts as one")
        return "\n\n".join(part["text"] for part in parts)

    def id(self, id: str) -> str:
        alias = self.ids(id)
        if alias != id:
            self.changes.renamed(id, alias, OTHER_ID)
        return alias

    def name(self, name: str) -> str:
        return named_for(name, self._dialect.name_pattern, schema.NAME_LIMIT, self.changes)

    def call(self, block: ToolUseBlock) -> Wire:
        id = self.id(block.id)
        name = self.name(block.name)
        self.tools[block.id] = name
        extra = block.extra(OPENAI_CHAT) if block.meta is not None else {}
        own = self._keys_of_call(block, extra)
        others = {key: thaw_well_formed(value, self.changes) for key, value in own.items()}
        within = thaw_well_formed(returned_within(block, self._dialect), self.changes)
        if extra.get("type") == "custom":
            if self._dialect.custom_calls:
                value = block.frozen_input.get("input")
                text = value if isinstance(value, str) else json_text(thaw(value))
                return {
                    "id": id,
                    "type": "custom",
                    "custom": {"name": name, "input": self.text(text), **within},
                    **others,
                }
            self.changes.rewritten("a custom call as a function call", block)
        arguments: object = self._arguments(block)
        if self._dialect.native:
            arguments = thaw_well_formed(block.frozen_input, self.changes)
        return self.opening(
            {"id": id, "type": "function", "function": {"name": name, "arguments": arguments, **within}, **others}
        )

    def _keys_of_call(self, block: ToolUseBlock, extra: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keys of a call that no documentation has and that are sent back."""
        return _own_keys(extra) if self._dialect.call_keys else returned_own(block, self._dialect)

    def call_as_text(self, block: ToolUseBlock) -> Wire:
        """Write a call as text, for a model whose template knows no tools."""
        self.changes.rewritten("a call as text: this model's template knows no tools (HF-01)", block)
        body = json_text({"name": block.name, "arguments": thaw(block.frozen_input)})
        id = json.dumps(block.id, ensure_ascii=False)
        return {"type": "text", "text": self.text(f"<tool_call id={id}>\n{body}\n</tool_call>")}

    def result_as_text(self, block: ToolResultBlock, content: Sequence[Wire]) -> Wire:
        """Write a result as text, for a model whose template knows no tools."""
        self.changes.rewritten("a result as text: this model's template knows no tools (HF-01)", block)
        failed = ' error="true"' if block.is_error and not block.is_stub else ""
        body = "\n\n".join(part["text"] for part in content)
        id = json.dumps(block.tool_use_id, ensure_ascii=False)
        return {"type": "text", "text": self.text(f"<tool_result id={id}{failed}>\n") + f"{body}\n</tool_result>"}

    def _arguments(self, block: ToolUseBlock) -> str:
        """Write a call's input as text: the provider's own where there is one."""
        text = block.arguments
        strict = self._dialect.object_arguments
        if text is not None and (not strict or _is_object(text)):
            return self.text(text)
        if not block.readable:
            self.changes.rewritten("an input that is not a JSON object, under `_raw`", block)
        elif text is not None:
            self.changes.rewritten("an input that is not a JSON object, as the object that it stands for", block)
        return self.text(json_object(thaw_well_formed(block.frozen_input, self.changes)))

    def media(self, block: ImageBlock | DocumentBlock) -> Wire:
        written = self._image(block) if isinstance(block, ImageBlock) else self._document(block)
        if written is None:
            what = "image" if isinstance(block, ImageBlock) else "document"
            self.changes.omitted(block, f"{what}: a source that this API does not take")
            return {"type": "text", "text": f"[{what} left out: it cannot be sent here]"}
        if written["type"] != "text":
            self.omit(beside_source(block.source), "keys of a source that this API does not take")
        return written

    def _image(self, block: ImageBlock) -> Wire | None:
        url = url_of(block.source)
        if url is None or not self._dialect.images or not (self._dialect.image_urls or url.startswith("data:")):
            return None
        if self._dialect.strict_urls and not url.startswith(ADDRESSES):
            return None
        wire: Wire = {"url": well_formed(url, self.changes)}
        detail = block.extra(OPENAI_CHAT).get("detail")
        if self._dialect.native:
            kind = block.source.get("media_type")
            if kind != media_type_of(str(block.source.get("data"))):
                self.changes.rewritten(f"an image without its type {kind!r:.80}, for which there is no place", block)
        elif isinstance(detail, str):
            wire["detail"] = self.text(detail)
        return self._with_mark(block, {"type": "image_url", "image_url": wire})

    def _document(self, block: DocumentBlock) -> Wire | None:
        kind, source = block.source.get("type"), block.source
        if kind == "text" and isinstance(source.get("data"), str):
            self.changes.rewritten("a text document as text", block)
            title = f" {block.title}" if block.title else ""
            return {"type": "text", "text": self.text(f"[Document{title}]\n{source['data']}")}
        if not self._dialect.files:
            return None
        url = url_of(source) if kind == "base64" else None
        if url is not None and self._dialect.strict_urls and url.startswith(("data:audio/", "data:video/")):
            return None
        if url is not None:
            name = self.text(block.title or "document.pdf")
            return {"type": "file", "file": {"filename": name, "file_data": well_formed(url, self.changes)}}
        id = source.get("file_id")
        if kind == "file" and block.issuer in (None, OPENAI_CHAT) and isinstance(id, str) and id:
            named = {"filename": self.text(block.title)} if block.title else {}
            return {"type": "file", "file": {"file_id": self.text(id), **named}}
        return None

    def file(self, block: ProviderBlock, written: Wire) -> Wire | None:
        """Write a file that is neither a data URL nor an id, where it shows that it is a PDF (OC-25)."""
        file = written.get("file")
        if not self._dialect.strict_urls:
            return written if isinstance(file, dict) and any(file[key] for key in file if key != "filename") else None
        data = file.get("file_data") if isinstance(file, dict) else None
        if not isinstance(file, dict) or not isinstance(data, str) or not data.startswith(PDF):
            return None
        self.changes.rewritten("a file's data as a data URL (OC-25)", block)
        named = {"filename": "document.pdf", **file, "file_data": f"data:application/pdf;base64,{data}"}
        return {**written, "file": named}

    def omit_keys(self, block: Block, taken: Iterable[str] = ()) -> None:
        """Record the keys of a block, and of the message that it opened, that are not sent; `taken` are sent."""
        meta = block.meta
        if not self.changes.wanted or meta is None or (meta.extra is EMPTY and meta.carried is EMPTY):
            return
        opened = block.carried(OPENAI_CHAT)
        known = {"role", *taken}
        if self._names() and isinstance(opened.get("name"), str):
            known.add("name")
        if self._mark_in(opened) is not None and not isinstance(block, ToolResultBlock | ProviderBlock):
            known.add("cache_control")
        for keys, sent in ((block.extra(OPENAI_CHAT), self._sent(block)), (opened, known)):
            left = {key: value for key, value in keys.items() if key not in sent and value not in _NOTHING}
            self.omit(left, "keys that this API does not take")

    def omit(self, keys: Mapping[str, Any], why: str) -> None:
        """Record keys that are not sent, if there are any."""
        if keys:
            self.changes.omitted(FrozenDict(keys), f"{why}: {', '.join(keys)}")

    def _sent(self, block: Block) -> set[str]:
        """Name the keys of a block that are sent, or that only say how it stood in its list."""
        extra = block.extra(OPENAI_CHAT)
        sent = {FROM, *(key for key in _SENT.get(type(block), ()) if isinstance(extra.get(key), str))}
        if isinstance(block, ToolUseBlock):
            sent |= self._keys_of_call(block, extra).keys()
            if not self._dialect.call_keys:
                sent |= _place_of(extra)
            kind = "custom" if extra.get("type") == "custom" else "function"
            sent |= {kind} if extra.get(kind) == returned_within(block, self._dialect) else set()
            sent |= {"type"} if kind == "custom" else set()
        elif isinstance(block, TextBlock):
            sent |= returned_own(block, self._dialect).keys()
        if self._dialect.native:
            sent.discard("detail")
        if self._mark(block) is not None:
            sent.add("cache_control")
        if self._point(block) is not None:
            sent.add("prompt_cache_breakpoint")
        return sent

    def _point(self, block: Block) -> FrozenDict | None:
        """Return where OpenAI's own cache is to end, which a part says."""
        point = block.extra(OPENAI_CHAT).get("prompt_cache_breakpoint")
        of_parts = isinstance(block, TextBlock | SystemBlock | ImageBlock | DocumentBlock)
        if not of_parts or self._dialect.provider not in ("openai", "azure"):
            return None
        return point if isinstance(point, FrozenDict) else None

    def author(self, block: Block) -> str | None:
        if block.meta is None or not self._names():
            return None
        name = block.carried(OPENAI_CHAT).get("name")
        if not isinstance(name, str) or not name:
            return None
        return named_for(name, schema.NAME, schema.NAME_LIMIT, self.changes)

    def opened(self, block: Block) -> Wire:
        """Return the keys that a block gives its message: who speaks, and a cache mark for all of it."""
        name = self.author(block)
        mark = self._mark_in(block.carried(OPENAI_CHAT)) if block.meta is not None else None
        keys = {} if name is None else {"name": name}
        return keys if mark is None else {**keys, "cache_control": thaw_well_formed(mark, self.changes)}

    def opening(self, wire: Wire) -> Wire:
        """Count the cache mark of a message or a call, if it has one."""
        if "cache_control" in wire:
            self._marked.append((self.changes.index, wire))
        return wire

    def _names(self) -> bool:
        return not self._dialect.alternate and "name" not in self._dialect.refused_keys

    def limit_marks(self, prompt: int) -> None:
        """Leave out cache marks beyond four, the earliest messages' first and the prompt's last."""
        beyond = max(len(self._marked) - schema.MAX_CACHE_MARKS, 0)
        for index, part in (self._marked[prompt:] + self._marked[:prompt][::-1])[:beyond]:
            self.changes.index = index
            del part["cache_control"]
            self.changes.omitted(None, f"a cache mark beyond {schema.MAX_CACHE_MARKS}")

    @property
    def marks(self) -> int:
        return len(self._marked)

    def _mark(self, block: Block) -> FrozenDict | None:
        """Return the cache mark of a block that may have one here."""
        if not isinstance(block, TextBlock | SystemBlock | ImageBlock):
            return None
        if not isinstance(block, ImageBlock) and is_blank(block.text):
            return None
        return self._mark_in(block.extra(OPENAI_CHAT))

    def _mark_in(self, keys: Mapping[str, Any]) -> FrozenDict | None:
        """Return the cache mark among keys, where marks are taken."""
        mark = keys.get("cache_control")
        if not self._dialect.cache_marks or not isinstance(mark, FrozenDict):
            return None
        return mark if mark.get("type") == "ephemeral" and mark.keys() <= {"type", "ttl"} else None

    def _with_mark(self, block: Block, wire: Wire) -> Wire:
        if block.meta is None:
            return wire
        point = self._point(block)
        if point is not None:
            wire["prompt_cache_breakpoint"] = thaw_well_formed(point, self.changes)
        mark = self._mark(block)
        if mark is not None:
            wire["cache_control"] = thaw_well_formed(mark, self.changes)
            self._marked.append((self.changes.index, wire))
        return wire


def _is_object(text: str) -> bool:
    """Return whether text is that of a JSON object, as strict parsers read it."""
    try:
        found = json.loads(text, parse_constant=_no_constant)
        if "\\u" in text:
            json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict)


def _no_constant(name: str) -> object:
    raise ValueError(name)


_SIGNATURE: Final = re.compile("[A-Za-z0-9+/_-]*={0,2}")
"""What Gemini takes as a signature from a host of this API: base64, of either alphabet."""


def _own_keys(extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a call that no documentation has, of which OpenAI takes any; Gemini reads its signature."""
    own = {key: value for key, value in extra.items() if key not in _CALL_KEYS and key != FROM}
    held = own.get("extra_content")
    google = held.get("google") if isinstance(held, FrozenDict) else None
    for key, about in (("extra_content", google), ("thought_signature", own)):
        signature = about.get("thought_signature") if isinstance(about, Mapping) else None
        if isinstance(signature, str) and not _SIGNATURE.fullmatch(signature):
            own.pop(key, None)
    return own


def _place_of(extra: Mapping[str, Any]) -> set[str]:
    """Return the key that says only where a call stood in its message, if there is one."""
    index = extra.get("index")
    return {"index"} if isinstance(index, int) and 0 <= index < schema.MAX_CALLS else set()
