"""Put blocks together as items again: what was one item is one item, under its id only if nothing in it has changed."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, final

from attrs import define

from message_history.core.messages.blocks import (
    ProviderBlock,
    RedactedThinkingBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    is_blank,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.turns.stub_results import reason_of
from message_history.core.values.json_values import FrozenDict, FrozenList, json_text
from message_history.dialects._shared.held import is_held, is_referred
from message_history.dialects._shared.schema import anything
from message_history.dialects.openai_responses import notes, schema
from message_history.dialects.openai_responses.approvals import is_approved, unacknowledged
from message_history.dialects.openai_responses.block_writer import is_part
from message_history.dialects.openai_responses.schema import APPROVAL, CUSTOM, FUNCTION, OPENAI_RESPONSES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.blocks import ToolResultBlock
    from message_history.core.messages.message import Message
    from message_history.dialects._shared.writer import Aliases, Changes
    from message_history.dialects.openai_responses.model_fields import Fields
    from message_history.dialects.openai_responses.schema import ClientTool

UNCLEAN: Final = re.compile("[\0\ud800-\udfff]")
"""What no text is sent with (OC-20, OC-21)."""


@final
@define
class Item:
    """An item of an assistant message."""

    kind: str
    blocks: list[Block]
    id: str | None = None  # the server's id, under which it is sent back; None without one
    flaw: str = ""  # why reasoning cannot be sent back; empty when it can
    is_free: bool = False  # whether another server than OpenAI's made it, so that OpenAI's rules of ids are not for it
    is_held: bool = False  # whether the server has it, and it is not sent

    @property
    def is_reasoning(self) -> bool:
        return self.kind == "reasoning" or (self.kind == "item_reference" and str(self.id).startswith("rs_"))

    @property
    def is_call(self) -> bool:
        return isinstance(self.blocks[0], ToolUseBlock)


@final
class Items:
    """The items of one export."""

    def __init__(self, dialect: Fields, changes: Changes, ids: Aliases) -> None:
        self._dialect = dialect
        self._changes = changes
        self._ids = ids
        self._encrypted = dialect.reasoning != "text"
        self._seen: set[str] = set()

    @property
    def has_ids(self) -> bool:
        """Return whether any item is sent back under its id, which no other may have."""
        return bool(self._seen)

    def of(self, message: Message, results: Mapping[str, ToolResultBlock]) -> list[Item]:
        """Put blocks together as the items that they were, or are to be, each with the id to be sent back under."""
        items: list[Item] = []
        for block in message.content:
            if isinstance(block, TextBlock):
                self._text(block, items)
            elif isinstance(block, ThinkingBlock) and block.issuer == OPENAI_RESPONSES:
                items.append(self._reasoning(block))
            elif isinstance(block, ToolUseBlock):
                items.append(self._call(block, results.get(block.id)))
            elif isinstance(block, ImageBlock | DocumentBlock):
                self._changes.omitted(block, "media in an assistant message (OR-18)")
                what = "An image" if isinstance(block, ImageBlock) else "A document"
                items.append(Item("message", [TextBlock(f"[{what} was shown here.]")]))
            elif isinstance(block, ProviderBlock) and block.dialect == OPENAI_RESPONSES:
                items += self._own(block)
            else:
                what = "thinking" if isinstance(block, ThinkingBlock | RedactedThinkingBlock) else "a block"
                self._changes.omitted(block, f"{what} of another provider (OR-21)")
        for item in items:
            if item.kind == "message" and item.id is not None:
                item.id = self._intact(item.id, self._is_whole(item), "message")
            item.is_free = item.is_free or is_of_another(self._dialect, item.id)
        return items

    def _text(self, block: TextBlock, items: list[Item]) -> None:
        if is_blank(block.text):
            self._changes.omitted(block, "blank text")
            return
        id = block.extra(OPENAI_RESPONSES).get(notes.ITEM) if block.meta is not None else None
        if isinstance(id, str) and items and items[-1].id == id and not block.carried(OPENAI_RESPONSES):
            items[-1].blocks.append(block)
        else:
            items.append(Item("message", [block], id if isinstance(id, str) else None))

    def _is_whole(self, item: Item) -> bool:
        """Return whether all parts of a message are there, unchanged."""
        texts = [block for block in item.blocks if isinstance(block, TextBlock)]
        refusals = any(block.extra(OPENAI_RESPONSES).get("type") == "refusal" for block in texts)
        if refusals and not self._dialect.refusals:
            return False
        parts = item.blocks[0].carried(OPENAI_RESPONSES).get(notes.PART_COUNT)
        return parts == len(texts) and self._is_clean(*(block.text for block in texts))

    def _is_clean(self, *texts: str) -> bool:
        """Return whether texts go out as they are: well-formed, without U+0000, and not too long."""
        return not any(len(text) > self._dialect.text_limit or UNCLEAN.search(text) for text in texts)

    def _intact(self, id: object, whole: bool, kind: str) -> str | None:
        if whole or not isinstance(id, str):
            return self.fresh(id, kind)
        self._changes.omitted(FrozenDict({"id": id}), "the id of an item that is not sent as it came (OR-06)")
        return None

    def _call(self, block: ToolUseBlock, result: ToolResultBlock | None) -> Item:
        extra = block.extra(OPENAI_RESPONSES) if block.meta is not None else {}
        kind = str(extra.get("type", FUNCTION))
        if not extra and block.meta is not None and block.extra("openai_chat").get("type") == "custom":
            kind = CUSTOM
        tool = schema.CLIENT_TOOLS.get(kind)
        if is_referred(block) or (self._dialect.continues and is_held(block)):
            return Item(kind, [block], is_held=True)
        if kind == APPROVAL:
            return self._request(block, result, extra)
        alias = self._ids(block.id)
        name_fits = len(block.name) <= schema.NAME_LIMIT and schema.NAME.fullmatch(block.name) is not None
        arguments = block.arguments if block.arguments is not None else json_text(block.frozen_input)
        readable = not self._dialect.object_arguments or block.arguments is None or is_object(arguments)
        whole = alias == block.id and name_fits and readable and self._is_clean(arguments)
        id = self._intact(extra.get("id"), whole, kind)
        if alias != block.id:
            self._changes.renamed(block.id, alias, "OR-15, DS-16")
        item = Item(kind, [block], id)
        why = self._why_function(item, tool, block, result)
        if why:
            self.as_function(item, why)
        return item

    def _why_function(
        self, item: Item, tool: ClientTool | None, block: ToolUseBlock, result: ToolResultBlock | None
    ) -> str:
        """Say why a call cannot go as what it is; an empty text when it can."""
        if tool is None:
            is_written = item.kind == CUSTOM and isinstance(block.frozen_input.get("input"), str)
            return "" if item.kind == FUNCTION or is_written else "its input is no text"
        if not _has_order(item.kind, tool, block):
            return "it does not say what to do"
        if item.id is None and item.kind in schema.NEEDS_ID:
            return "it has no id to go back under"
        if not (tool.as_function or self._can_answer(tool, block, result)):
            return "its own type of output cannot say the result"
        return ""

    def _request(self, block: ToolUseBlock, result: ToolResultBlock | None, extra: Mapping[str, Any]) -> Item:
        """Make a request for approval; one that the client answered, or whose id is taken, is a function call."""
        item = Item(APPROVAL, [block])
        arguments = block.arguments if block.arguments is not None else json_text(block.frozen_input)
        if result is not None and not result.is_stub:
            self.as_function(item, "it has a result of the client's")
        elif extra.get("id") != block.id or not isinstance(extra.get("server_label"), str):
            self.as_function(item, "it has no id and server of its own")
        elif self._ids(block.id) != block.id or not self._is_clean(arguments, block.name):
            self.as_function(item, "it cannot go back as it came")
        else:
            item.id = self.fresh(block.id, APPROVAL)
            if item.id is None:
                self.as_function(item, "it has no id to go back under")
        return item

    def _can_answer(self, tool: ClientTool, block: ToolUseBlock, result: ToolResultBlock | None) -> bool:
        if tool.form == "screenshot" and not self._dialect.images:
            return False
        if result is not None and unacknowledged(block, result) and not is_approved(result):
            return False
        if result is not None and result.is_stub and reason_of(result) != "denied":
            return False
        return result is None or fits(tool, result, self._dialect.text_limit)

    def as_function(self, item: Item, why: str) -> None:
        """Turn a call of a tool of the API's into a call of a function."""
        self._changes.rewritten(f"a call of type {item.kind} as a function call: {why}", *item.blocks)
        item.kind, item.id = FUNCTION, None

    def _own(self, block: ProviderBlock) -> list[Item]:
        modelled = block.type in schema.MODELLED and not schema.is_searched_by_server(block.data)
        if not block.type or modelled or schema.side_of(block.data) == "user":
            self._changes.omitted(block, "not for an assistant message")
            return []
        if block.extra(OPENAI_RESPONSES).get(notes.PART):
            self._changes.omitted(block, "a part that no message holds (OR-18)")
            return []
        if block.type == "item_reference" and not self._dialect.store:
            self._changes.omitted(block, "a reference to what is not stored (OR-09)")
            return []
        if self._dialect.checks_keys is not False and not schema.is_known(block.data):
            self._changes.omitted(block, "an item that this API does not take (OR-32, OR-33)")
            return []
        if block.type == APPROVAL:
            self._changes.omitted(block, "a request for approval that nobody can decide (OR-36)")
            return []
        id = self.fresh(block.data.get("id"), block.type)
        if id is None and block.type in schema.NEEDS_ID:
            self._changes.omitted(block, "an item that needs an id (OR-11 to OR-14)")
            return []
        return [Item(block.type, [block], id)]

    def _reasoning(self, block: ThinkingBlock) -> Item:
        extra = block.extra(OPENAI_RESPONSES)
        item = Item("reasoning", [block])
        if not block.bound and self._dialect.binds_thinking:
            item.flaw = "reasoning whose prefix was changed"
        elif not all(map(_is_text_part, (*_parts(extra, "summary"), *_parts(extra, "content")))):
            item.flaw = "reasoning in another form than the API's"
        elif not self._is_clean(block.thinking, block.signature or "", json_text(extra)):
            item.flaw = "reasoning that JSON cannot carry as it is (OC-20)"
        elif not self._encrypted:
            if block.signature is not None or not (block.thinking or extra.get("content")):
                item.flaw = "reasoning without a text that this server reads (OR-21)"
            else:
                item.id = self.fresh(extra.get("id"), "reasoning")
                item.flaw = "" if item.id is not None or self._dialect.bare_items else "reasoning without an id (OR-27)"
        elif self._dialect.reasoning is None and block.signature is None and extra.get("content"):
            item.id, item.is_free = self.fresh(extra.get("id"), ""), True
        elif block.signature is None and not (self._is_stored and extra.get("id")):
            item.flaw = "reasoning without encrypted content (OR-09)"
        elif extra.get("id") is not None:
            item.id = self.fresh(extra.get("id"), "reasoning")
            item.flaw = "reasoning without an id of its own (OR-11 to OR-14)" if item.id is None else ""
        elif not self._dialect.bare_items:
            item.flaw = "reasoning without an id (OR-27)"
        return item

    @property
    def _is_stored(self) -> bool:
        """Return whether the server has the item that an id stands for: it keeps all unless a request says not to."""
        stores = self._dialect.store
        return self._dialect.reasoning == "encrypted" if stores is None else stores

    def fresh(self, id: object, kind: str) -> str | None:
        """Return an item's id if it may be sent (OR-11 to OR-14), and record it otherwise."""
        if id is None:
            return None
        if isinstance(id, str) and (self._dialect.checks_ids is False or is_of_another(self._dialect, id)):
            self._seen.add(id)
            return id
        prefix = schema.PREFIXES.get(kind, "") if self._encrypted else ""
        if not isinstance(id, str) or not schema.ID.fullmatch(id) or not id.startswith(prefix):
            why = "an item's id that the API does not take (OR-12 to OR-14)"
        elif id in self._seen and not (kind == "message" and self._dialect.store is False):
            why = "an item's id that was sent before (OR-11)"
        else:
            self._seen.add(id)
            return id
        self._changes.omitted(FrozenDict({"id": id}), why)
        return None


def is_of_another(dialect: Fields, id: object) -> bool:
    """Return whether an item's id shows that another server than OpenAI's made it, where no model is known."""
    return dialect.checks_ids is None and isinstance(id, str) and schema.ID_OF_ANOTHER.fullmatch(id) is not None


def _parts(extra: Mapping[str, Any], key: str) -> tuple[object, ...]:
    found = extra.get(key, FrozenList())
    return tuple(found) if isinstance(found, FrozenList) else (found,)


def _is_text_part(part: object) -> bool:
    return isinstance(part, FrozenDict) and isinstance(part.get("text"), str) and isinstance(part.get("type"), str)


def is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def fits(tool: ClientTool, result: ToolResultBlock, limit: int) -> bool:
    """Return whether a tool's own type of output can say a result, with texts no longer than `limit`."""
    content = result.content
    if tool.form == "text":
        return len(content) <= 1 and len(_text_of(result)) <= limit and not any(map(_is_media, content))
    if len(content) != 1:
        return False
    part = content[0]
    if tool.form == "screenshot":
        return isinstance(part, ImageBlock) and _can_show(part)
    return isinstance(part, ProviderBlock) and part.dialect == OPENAI_RESPONSES and part.type == tool.output


def _has_order(kind: str, tool: ClientTool, block: ToolUseBlock) -> bool:
    """Return whether a call says what its tool is to do, in a form that the tool knows."""
    if not block.frozen_input.keys() <= set(tool.input_keys):
        return False
    kinds: dict[str, Any] = {"actions": FrozenList, "arguments": object}
    suited = [isinstance(value, kinds.get(key, FrozenDict)) for key, value in block.frozen_input.items()]
    known = schema.ORDERS.get(kind, anything)
    return bool(suited) and all(suited) and all(map(known, block.frozen_input.values()))


def _text_of(result: ToolResultBlock) -> str:
    """Return a result as the one text that some outputs are; what is not text as JSON text."""
    part = result.content[0] if result.content else None
    return json_text(part.data) if isinstance(part, ProviderBlock) else result.text


def _is_media(part: Block) -> bool:
    return isinstance(part, ImageBlock | DocumentBlock) or (isinstance(part, ProviderBlock) and is_part(part))


def _can_show(image: ImageBlock) -> bool:
    kind = image.source.get("type")
    key: Any = {"url": "url", "base64": "data", "file": "file_id"}.get(str(kind))
    return isinstance(image.source.get(key), str) and (kind != "file" or image.issuer in (None, OPENAI_RESPONSES))
