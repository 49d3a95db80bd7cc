"""Write valid messages as the objects of langchain-core; the one file that imports it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar, final

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from message_history.core.messages.blocks import (
    ProviderBlock,
    RedactedThinkingBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    is_blank,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.values.json_values import FrozenDict, freeze_mapping
from message_history.dialects._shared.list_writer import write_list
from message_history.dialects._shared.writer import PLACEHOLDER, Changes, thaw_well_formed, well_formed
from message_history.dialects.langchain.provider_blocks import ITEMS
from message_history.dialects.langchain.schema import LANGCHAIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.dialects.langchain.model_fields import Fields

Wire: TypeAlias = dict[str, Any]
_M = TypeVar("_M", bound=BaseMessage)


@final
class Render:
    """One export."""

    def __init__(self, dialect: Fields) -> None:
        self.changes = Changes()
        self._dialect = dialect
        self._names: dict[str, str] = {}
        self._places: dict[str, int] = {}

    def written(self, messages: Iterable[Message], system: Sequence[SystemBlock]) -> tuple[list[BaseMessage], None]:
        """Write a whole conversation; the system prompt is the first message."""
        return write_list(self, messages, system), None

    def prompt(self, system: Sequence[SystemBlock]) -> list[BaseMessage]:
        return [self._system(system)]

    def message(self, message: Message) -> list[BaseMessage]:
        return self._user(message) if message.role == "user" else [self._assistant(message)]

    # Whole messages

    def _system(self, blocks: Sequence[SystemBlock]) -> SystemMessage:
        items = [self._with_keys(block, {"type": "text", "text": self._text(block.text)}) for block in blocks]
        return self._made(SystemMessage, self._keys(blocks[0]), content=_plain(items))

    def _assistant(self, message: Message) -> AIMessage:
        items: list[Wire] = []
        calls: list[Wire] = []
        invalid: list[Wire] = []
        self._places = {}
        for block in message.content:
            if isinstance(block, ToolUseBlock):
                self._places[block.id] = self._place(block)
            if isinstance(block, ToolUseBlock) and ITEMS in block.extra(LANGCHAIN):
                items += self._items(block)
            elif isinstance(block, ToolUseBlock):
                self._names[block.id] = block.name
                (invalid if self._is_invalid(block) else calls).append(self._call(block))
                if "item" in block.extra(LANGCHAIN):
                    items.append(thaw_well_formed(block.extra(LANGCHAIN)["item"], self.changes))
            else:
                items += self._items(block)
        if not items and not calls and not invalid:
            self.changes.added("a message of which nothing could be sent")
            items.append({"type": "text", "text": PLACEHOLDER})
        keys = self._keys(message.content[0])
        for block in message.content[1:]:
            if block.meta is not None and (more := block.carried(LANGCHAIN)):
                self.changes.omitted(FrozenDict(more), "the keys of a message that was joined to another")
        return self._made(AIMessage, keys, content=_plain(items), tool_calls=calls, invalid_tool_calls=invalid)

    def _user(self, message: Message) -> list[BaseMessage]:
        written: list[BaseMessage] = []
        items: list[Wire] = []
        keys: Wire = {}
        # As the calls are read again: so a list that was written comes out the same.
        results = sorted(message.results, key=lambda result: self._places.get(result.tool_use_id, 0))
        for block in (*results, *message.content[len(results) :]):
            if isinstance(block, ToolResultBlock):
                written.append(self._result(block))
                continue
            own = self._keys(block)
            # At the very beginning it would be taken for the system prompt.
            apart = isinstance(block, SystemBlock) and self._dialect.late_system and bool(self.changes.index or items)
            if items and (own or apart):
                written.append(self._made(HumanMessage, keys, content=_plain(items)))
                items, keys = [], {}
            if isinstance(block, SystemBlock) and (apart or (written and self._dialect.late_system)):
                written.append(self._system([block]))
            elif found := self._items(block):
                items += found
                keys = keys or own
        if not items and not written:
            self.changes.added("a message of which nothing could be sent")
            items.append({"type": "text", "text": PLACEHOLDER})
        return [*written, self._made(HumanMessage, keys, content=_plain(items))] if items else written

    def _result(self, block: ToolResultBlock) -> ToolMessage:
        items = [item for part in block.content for item in self._items(part)]
        keys = thaw_well_formed(block.extra(LANGCHAIN), self.changes)
        for own in ("function", ITEMS):
            keys.pop(own, None)
        keys.setdefault("name", self._names.get(block.tool_use_id))
        status = "error" if block.is_error else "success"
        return self._made(ToolMessage, keys, content=_plain(items), tool_call_id=block.tool_use_id, status=status)

    def _made(self, kind: type[_M], keys: Wire, **fields: Any) -> _M:
        """Make a message without the keys it came with if langchain-core refuses them."""
        message: _M
        try:
            message = kind(**keys, **fields)
        except (TypeError, ValueError):
            self._omit(keys)
            message = kind(**fields)
        return message

    def _omit(self, keys: Wire) -> None:
        self.changes.omitted(freeze_mapping(keys)[0], "keys that langchain-core does not take")

    # Blocks

    def _items(self, block: Block) -> list[Wire]:
        """Write a block as the items of content that it came as, else as one; none when it cannot be sent."""
        came = block.extra(LANGCHAIN).get(ITEMS) if block.meta is not None else None
        invalid = isinstance(block, ThinkingBlock | RedactedThinkingBlock) and not block.bound
        if came is not None and not (invalid and self._dialect.binds_thinking):
            return list(thaw_well_formed(came, self.changes))
        item = self._item(block)
        return [item] if item is not None else []

    def _item(self, block: Block) -> Wire | None:
        if isinstance(block, TextBlock) and is_blank(block.text):
            # It stood for its signature, which goes to its provider only.
            self.changes.omitted(block, "blank text")
            return None
        if isinstance(block, TextBlock):
            return self._with_keys(block, {"type": "text", "text": self._text(block.text)})
        if isinstance(block, ThinkingBlock | RedactedThinkingBlock):
            return self._thinking(block)
        if isinstance(block, ImageBlock | DocumentBlock):
            return self._media(block)
        if isinstance(block, SystemBlock):
            self.changes.rewritten("a system message as marked text of the human's", block)
            return {"type": "text", "text": f"<system>\n{self._text(block.text)}\n</system>"}
        if isinstance(block, ProviderBlock) and block.dialect in _OWN:
            own: Wire = thaw_well_formed(block.data, self.changes)
            return own
        self.changes.omitted(block, f"a block that only {getattr(block, 'dialect', 'its provider')} knows")
        return None

    def _thinking(self, block: ThinkingBlock | RedactedThinkingBlock) -> Wire | None:
        if not block.bound and self._dialect.binds_thinking:
            self.changes.omitted(block, "thinking after a change")
            return None
        if block.issuer not in (None, *_OWN):
            self.changes.omitted(block, f"thinking issued by {block.issuer}")
            return None
        if isinstance(block, RedactedThinkingBlock):
            return self._with_keys(block, {"type": "redacted_thinking", "data": block.data})
        signed = {"signature": block.signature} if block.signature is not None else {}
        if block.extra(LANGCHAIN).get("form") == "reasoning":
            item = self._with_keys(block, {"type": "reasoning", "reasoning": self._text(block.thinking)})
            return {**item, "extras": {**item.get("extras", {}), **signed}} if signed else item
        return self._with_keys(block, {"type": "thinking", "thinking": self._text(block.thinking), **signed})

    def _media(self, block: ImageBlock | DocumentBlock) -> Wire:
        source: Wire = thaw_well_formed(block.source, self.changes)
        form = block.extra(LANGCHAIN).get("form")
        title = {"title": block.title} if isinstance(block, DocumentBlock) and block.title is not None else {}
        image = isinstance(block, ImageBlock)
        if form == "image_url":
            return self._image_url(block, source)
        place = _PLACED.get(str(source.get("type")), ("", ""))
        if form == "source" or (place[0] not in source and source.get("type") != "text"):
            return self._with_keys(block, {"type": "image" if image else "document", "source": source, **title})
        kind = {"mime_type": source["media_type"]} if "media_type" in source else {}
        if source.get("type") == "text":
            item = {"type": "text-plain", "text": source.get("data"), "mime_type": "text/plain", **title}
        else:
            item = {"type": "image" if image else "file", place[1]: source[place[0]], **kind, **title}
        return self._with_keys(block, item)

    def _image_url(self, block: Block, source: Wire) -> Wire:
        inline = f"data:{source.get('media_type')};base64,{source.get('data')}"
        url = source["url"] if source.get("type") == "url" else inline
        keys: Wire = thaw_well_formed(block.extra(LANGCHAIN), self.changes)
        del keys["form"]
        return {"type": "image_url", "image_url": url if keys.pop("text", False) else {"url": url, **keys}}

    def _call(self, block: ToolUseBlock) -> Wire:
        keys: Wire = thaw_well_formed(block.extra(LANGCHAIN), self.changes)
        invalid = self._is_invalid(block)
        error = keys.pop("error", None) if invalid and isinstance(keys.get("error"), str | None) else None
        others = {key: value for key, value in keys.items() if key not in ("item", "form", ITEMS)}
        if others:
            self._omit(others)
        call = {"name": self._text(block.name), "id": block.id}
        if invalid:
            return {**call, "error": error, "args": block.arguments, "type": "invalid_tool_call"}
        return {**call, "args": thaw_well_formed(block.frozen_input, self.changes), "type": "tool_call"}

    def _place(self, block: ToolUseBlock) -> int:
        """Return where a call is in its message: in the content, among its calls, or among its invalid calls."""
        if not block.extra(LANGCHAIN).keys().isdisjoint(("item", ITEMS)):
            return 0
        return 2 if self._is_invalid(block) else 1

    def _is_invalid(self, block: ToolUseBlock) -> bool:
        return not block.readable or block.extra(LANGCHAIN).get("form") == "invalid"

    # Keys

    def _text(self, text: str) -> str:
        return well_formed(text, self.changes)

    def _with_keys(self, block: Block, item: Wire) -> Wire:
        keys: Wire = thaw_well_formed(block.extra(LANGCHAIN), self.changes) if block.extra(LANGCHAIN) else {}
        keys.pop("form", None)
        return {**item, **keys}

    def _keys(self, block: Block) -> Wire:
        keys: Wire = thaw_well_formed(block.carried(LANGCHAIN), self.changes) if block.carried(LANGCHAIN) else {}
        keys.pop("role", None)
        return keys


_OWN: Final = (LANGCHAIN, "anthropic")
"""Whose blocks are in content lists unchanged; langchain-core treats those of its other providers as its own."""
_PLACED: Final = {"base64": ("data", "base64"), "url": ("url", "url"), "file": ("file_id", "file_id")}


def _plain(items: list[Wire]) -> Any:
    """Return content as text when it is no more than that."""
    if not items:
        return ""
    only = items[0]
    return only["text"] if len(items) == 1 and only.keys() == {"type", "text"} and only["type"] == "text" else items
