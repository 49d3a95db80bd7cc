"""LangChain: messages of langchain-core, read and written like those of any dialect.

history = MessageHistory.from_list(messages, dialect=LangChain())
history = history.add_response(model.invoke(history.for_send(LangChain())), dialect=LangChain())
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias, TypeVar, final

from attrs import frozen
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

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
)
from message_history.core.json_values import freeze_mapping
from message_history.dialects._shared.checker import Findings, entries, text_at
from message_history.dialects._shared.writer import PLACEHOLDER, Changes, thaw_well_formed, well_formed
from message_history.dialects.base import Dialect, Export, Parsed, Reply, Rule
from message_history.integrations.langchain_items import ITEMS
from message_history.integrations.langchain_parse import LANGCHAIN, Reader, as_message, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from message_history.core.message import Message
    from message_history.dialects.base import Foreign
    from message_history.violations import Violation

__all__ = ["LangChain"]

Wire: TypeAlias = dict[str, Any]
_M = TypeVar("_M", bound=BaseMessage)

_SOURCE: Final = "https://docs.langchain.com/oss/python/langchain/messages"
RULES: Final = (
    Rule(
        id="LC-1",
        rule="The tool messages of all calls of an AI message stand right behind it.",
        errors=(),
        repair="Results are moved, and stubs made for calls that have none.",
        source=_SOURCE,
        date="2026-11",
    ),
    Rule(
        id="LC-2",
        rule="A tool message answers a call of the AI message before it.",
        errors=(),
        repair="A result of no call is dropped.",
        source=_SOURCE,
        date="2026-11",
    ),
    Rule(
        id="LC-3",
        rule="The first message that is no system message is a human one.",
        errors=(),
        repair="A placeholder human message is put first.",
        source=_SOURCE,
        date="2026-11",
    ),
    Rule(
        id="LC-4",
        rule="Every entry is a message of langchain-core with content or calls.",
        errors=(),
        repair="Empty messages are dropped.",
        source=_SOURCE,
        date="2026-11",
    ),
)
_BY_ID: Final = {rule.id: rule for rule in RULES}


@final
@frozen(kw_only=True)
class LangChain(Dialect[BaseMessage]):
    """The messages of langchain-core.

    Args:
        ends_with_ai: whether the list may end with an AI message: to store it. By default it is what a chat model is
            given, and several refuse to go on from their own words.
        late_system: whether system messages may stand in the middle; by default their words become marked text of
            the human's, as several chat models refuse them there.
        binds_thinking: whether signed thinking is left out once anything before it has changed.
    """

    name: ClassVar[str] = LANGCHAIN
    rules: ClassVar[tuple[Rule, ...]] = RULES

    ends_with_ai: bool = False
    late_system: bool = False
    binds_thinking: bool = True

    def parse(self, raw: Sequence[Any], foreign: Foreign | None = None) -> Parsed:
        """Read messages, objects or their dumps; see `Dialect.parse`."""
        return Reader(foreign).read(raw)

    def render(self, messages: Iterable[Message], system: Sequence[SystemBlock] = ()) -> Export:
        """Write messages; see `Dialect.render`."""
        return _Render(self).export(messages, system)

    def violations(self, wire: Sequence[Any]) -> list[Violation]:
        """Find what chat models refuse; see `Dialect.violations`."""
        return _violations(wire)

    def reply(self, response: Mapping[str, Any]) -> Reply | None:
        """Read an AI message; see `Dialect.reply`."""
        return Reply([response]) if as_message(response) is not None and kind_of(response) == "assistant" else None

    def may_end_with(self, assistant: Message) -> bool:
        """Tell whether the list may end with the assistant."""
        del assistant
        return self.ends_with_ai

    def has_system_in_list(self) -> bool:
        """Tell whether the system prompt goes into the list: it is the first message."""
        return True


@final
class _Render:
    """One export.

    Args:
        dialect: the fields.
    """

    def __init__(self, dialect: LangChain) -> None:
        self.changes = Changes()
        self._dialect = dialect
        self._names: dict[str, str] = {}

    def export(self, messages: Iterable[Message], system: Sequence[SystemBlock]) -> Export:
        wire: list[BaseMessage] = [self._system(system)] if system else []
        for index, message in enumerate(messages):
            self.changes.index = index
            wire += self._user(message) if message.role == "user" else [self._assistant(message)]
        return Export(wire, None, tuple(self.changes.repairs))

    # Whole messages

    def _system(self, blocks: Sequence[SystemBlock]) -> SystemMessage:
        items = [self._with_keys(block, {"type": "text", "text": self._text(block.text)}) for block in blocks]
        return self._made(SystemMessage, self._keys(blocks[0]), content=_plain(items))

    def _assistant(self, message: Message) -> AIMessage:
        items: list[Wire] = []
        calls: list[Wire] = []
        invalid: list[Wire] = []
        for block in message.content:
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
        return self._made(AIMessage, keys, content=_plain(items), tool_calls=calls, invalid_tool_calls=invalid)

    def _user(self, message: Message) -> list[BaseMessage]:
        written: list[BaseMessage] = []
        items: list[Wire] = []
        keys: Wire = {}
        for block in message.content:
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
            self._withhold(keys)
            message = kind(**fields)
        return message

    def _withhold(self, keys: Wire) -> None:
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
        """Write a block as an item of a content list; None when it cannot be sent."""
        if isinstance(block, TextBlock):
            return self._with_keys(block, {"type": "text", "text": self._text(block.text)})
        if isinstance(block, ThinkingBlock | RedactedThinkingBlock):
            return self._thinking(block)
        if isinstance(block, ImageBlock | DocumentBlock):
            return self._media(block)
        if isinstance(block, SystemBlock):
            self.changes.rewritten("system words as marked text of the human's", block)
            return {"type": "text", "text": f"<system>\n{self._text(block.text)}\n</system>"}
        if isinstance(block, ProviderBlock) and block.dialect in _OWN:
            own: Wire = thaw_well_formed(block.data, self.changes)
            return own
        self.changes.omitted(block, f"a block that only {getattr(block, 'dialect', 'its provider')} knows")
        return None

    def _thinking(self, block: ThinkingBlock | RedactedThinkingBlock) -> Wire | None:
        if not block.bound and self._dialect.binds_thinking:
            self.changes.omitted(block, "thinking behind a change")
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
        """Write media in the form that it came in, else as a standard block."""
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
        error = keys.pop("error", None) if invalid else None
        others = {key: value for key, value in keys.items() if key not in ("item", "form", ITEMS)}
        if others:
            self._withhold(others)
        call = {"name": self._text(block.name), "id": block.id}
        if invalid:
            return {**call, "error": error, "args": block.arguments, "type": "invalid_tool_call"}
        return {**call, "args": thaw_well_formed(block.frozen_input, self.changes), "type": "tool_call"}

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
        """Give the keys of the message that a block opened."""
        keys: Wire = thaw_well_formed(block.carried(LANGCHAIN), self.changes) if block.carried(LANGCHAIN) else {}
        keys.pop("role", None)
        return keys


_OWN: Final = (LANGCHAIN, "anthropic")
"""Whose blocks stand in content lists as they are; those of langchain-core's other providers are its own to it."""
_PLACED: Final = {"base64": ("data", "base64"), "url": ("url", "url"), "file": ("file_id", "file_id")}


def _plain(items: list[Wire]) -> Any:
    """Give content as text when it is no more than that."""
    if not items:
        return ""
    only = items[0]
    return only["text"] if len(items) == 1 and only.keys() == {"type", "text"} and only["type"] == "text" else items


def _violations(wire: Sequence[Any]) -> list[Violation]:
    """Find what chat models refuse, from the dumps alone."""
    found = Findings(_BY_ID)
    waiting: list[str] = []
    begun = False
    for n, entry in enumerate(wire):
        data = as_message(entry)
        kind = kind_of(data) if data is not None else ""
        if data is None:
            found.add("LC-4", n)
            continue
        if kind == "tool":
            if text_at(data, "tool_call_id") not in waiting:
                found.add("LC-2", n, "tool_call_id")
            else:
                waiting.remove(text_at(data, "tool_call_id"))
            continue
        if waiting:
            found.add("LC-1", n - 1, detail=f"no tool message for {', '.join(waiting)}")
        calls = [*entries(data.get("tool_calls")), *entries(data.get("invalid_tool_calls"))]
        waiting = [text_at(_mapping(call), "id") for call in calls]
        if not begun and kind == "assistant":
            found.add("LC-3", n)
        begun = begun or kind != "system"
        if not calls and not data.get("content"):
            found.add("LC-4", n, "content")
    if waiting:
        found.add("LC-1", len(wire) - 1, detail=f"no tool message for {', '.join(waiting)}")
    return found.violations


def _mapping(call: object) -> Mapping[Any, Any]:
    """Read a call of a dump."""
    return call if isinstance(call, dict) else {}
