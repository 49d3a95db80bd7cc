"""Read lists of items of the Responses API, and whole responses that people have saved among them.

A message of ours is a run of items of one role: reasoning, text and calls are the assistant's, outputs and the text of
users and systems are the user's. Every block keeps which item it was part of, so that it can be sent back unchanged.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, final

from message_history.core.messages.block_base import Block
from message_history.core.messages.blocks import (
    ProviderBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    text_block,
    tool_result_block,
    with_meta,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.messages.parsed import Parsed
from message_history.core.messages.repairs import RepairCode
from message_history.core.values.json_values import EMPTY, FrozenDict, freeze, freeze_mapping, short_repr
from message_history.core.values.meta import Meta
from message_history.dialects._shared.beside import REPEATED, without
from message_history.dialects._shared.blank_texts import without_empty_texts
from message_history.dialects._shared.held import held_call
from message_history.dialects._shared.mcp import mcp_block, mcp_result
from message_history.dialects._shared.plain_runs import read_runs
from message_history.dialects._shared.reader import as_system, read_entries, role_of
from message_history.dialects._shared.reply_info import reply_info
from message_history.dialects._shared.runs import Runs
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence
from message_history.dialects._shared.typed_blocks import (
    call_of_text,
    is_plain_text,
    read_parts,
    text_of_json,
    within_result,
)
from message_history.dialects.openai_responses import notes, schema
from message_history.dialects.openai_responses.approvals import (
    CLIENT_RUNS,
    decision_of,
    is_decision,
    is_request,
    request_of,
    whole_item,
)
from message_history.dialects.openai_responses.plain_reader import read_item
from message_history.dialects.openai_responses.schema import APPROVAL, CUSTOM, DECISION, FUNCTION, OPENAI_RESPONSES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.core.messages.message import Role
    from message_history.dialects.base import Foreign

UNFINISHED: Final = frozenset({"incomplete", "failed", "cancelled", "in_progress", "queued"})
_EASY: Final = frozenset({"role", "content", "phase", "status", "id", "type"})
_TEXTS: Final = frozenset({"input_text", "output_text", "text"})
_SPOKEN: Final = ("input_audio", "output_audio", "audio")
"""How Realtime names what was said; its transcript is what a model that reads can take."""
_PARTS: Final = frozenset({"refusal"}).union(*schema.PARTS.values())


def is_truncated(response: Mapping[Any, Any]) -> bool:
    return _text(response.get("status")) in UNFINISHED or bool(response.get("incomplete_details"))


def refers_to_call(block: Block) -> bool:
    """Return whether a block is a reference to what may be a call: to no message, and to no reasoning."""
    if not isinstance(block, ProviderBlock) or block.type != "item_reference" or block.dialect != OPENAI_RESPONSES:
        return False
    id = block.data.get("id")
    return isinstance(id, str) and not id.startswith(("rs_", "msg_"))


def summary_of(thinking: str, extra: Mapping[str, Any]) -> Any:
    """Return the summary of reasoning, unchanged or as its text says it."""
    if "summary" in extra:
        return extra["summary"]
    return [{"type": "summary_text", "text": thinking}] if thinking and not extra.get("content") else []


@final
class Reader:
    """One list on its way in; a run of items of one side is one message, its source the first of them."""

    def __init__(self) -> None:
        self.parsed = Parsed()
        self._run = Runs(self.parsed, self._in_order)
        self._answered: dict[str, str] = {}
        self.has_references = False
        """Whether the list refers to items that only the server has."""
        self._requested: set[str] = set()

    def read(self, raw: Sequence[Any], foreign: Foreign | None) -> Parsed:
        self._look_for_requests(raw)
        ahead = partial(self._ahead, raw)
        read_entries(raw, foreign, self, "no item", lambda _: self._run.end(), ahead=ahead)
        self._run.end()
        return without_empty_texts(self.parsed)

    def _look_for_requests(self, raw: Sequence[Any]) -> None:
        """Find the requests for approval; one that is only referred to is not seen, and its decision is kept whole."""
        for entry in raw:
            if not isinstance(entry, dict):
                continue
            kind = entry.get("type")
            if kind == APPROVAL and isinstance(entry.get("id"), str):
                self._requested.add(entry["id"])
            refers = kind == "item_reference" or (kind is None and schema.is_bare_reference(entry))
            self.has_references = self.has_references or refers

    def _ahead(self, raw: Sequence[Any], source: int) -> int:
        """Read items at one look each, where they are part of no run that has begun."""
        if self._run.side is not None:
            piece = read_item(raw[source]) if type(raw[source]) is dict else None
            if piece is None or piece.side == self._run.side:
                return source
            self._run.end()
        return read_runs(raw, source, self.parsed, read_item)

    def own_entry(self, entry: object, source: int) -> bool:
        """Read an item that is surely of this dialect, or could be any dialect's."""
        data = as_mapping(entry)
        return data is not None and _is_item(data) and self.other_entry(data, source)

    def other_entry(self, entry: object, source: int) -> bool:
        data = as_mapping(entry)
        if data is not None and data.get("object") == "response" and as_sequence(data.get("output")) is not None:
            self._response(data, source)
        elif data is not None and schema.is_bare_reference(data):
            self._item({**data, "type": "item_reference"}, source)
        elif data is None or not (isinstance(data.get("type"), str) or data.keys() & {"role", "content"}):
            return False
        else:
            self._item(data, source)
        return True

    def _response(self, response: Mapping[Any, Any], source: int) -> None:
        """Read a whole response; what is on nobody's side is the assistant's here."""
        self._run.begin("assistant", source)
        for item in as_sequence(response.get("output")) or ():
            data = as_mapping(item)
            if data is None:
                self.parsed.dropped(item, source, "no item")
            else:
                self._item(data, source)
        made = {key: response[key] for key in ("id", "model") if isinstance(response.get(key), str)}
        blocks = self._run.blocks
        if blocks and made:
            # No request has a place for them; who goes on from the response, or asks which model it was, finds them.
            self._carry(blocks, {**blocks[0].carried(OPENAI_RESPONSES), notes.RESPONSE: made})
        if not blocks and not as_sequence(response.get("output")):
            self.parsed.empty(response, source)
        self._run.truncated = self._run.truncated or is_truncated(response)
        beside = without(response, REPEATED | {"output"})
        self._run.came_in(reply_info(response, OPENAI_RESPONSES, beside))
        self._run.end()

    def _item(self, data: Mapping[Any, Any], source: int) -> None:
        kind = data.get("type")
        if (
            not isinstance(kind, str)
            or kind == "message"
            or (kind not in schema.KEYS and data.keys() >= {"role", "content"})
        ):
            self._message(data, source)
        elif kind == "reasoning":
            self._run.take("assistant", [self._reasoning(data)], source)
        elif kind in (FUNCTION, CUSTOM) or (kind in schema.CLIENT_TOOLS and not schema.is_searched_by_server(data)):
            self._led_to(data)
            self._run.truncated = self._run.truncated or data.get("status") == "incomplete"
            self._run.take("assistant", [self._call(kind, data)], source)
        elif kind == APPROVAL and is_request(data):
            self._led_to(data)
            self._run.take("assistant", [request_of(data)], source)
        elif kind == DECISION and is_decision(data) and self._is_expected(data):
            self._answered[data["approval_request_id"]] = APPROVAL
            self._run.take("user", [decision_of(data)], source)
        elif kind in schema.OUTPUTS and not schema.is_searched_by_server(data):
            self._run.take("user", [self._output(kind, data, source)], source)
        elif kind in ("image", "image_url") and (image := _image_item(data)) is not None:
            self._run.take("user", [image], source)
        elif kind == "context_compaction" and isinstance(data.get("encrypted_content"), str):
            # What Codex calls its compaction so is one to the API (OR-32).
            self._run.take(
                self._run.side or "user", [ProviderBlock(OPENAI_RESPONSES, {**data, "type": "compaction"})], source
            )
            self.parsed.note(RepairCode.VALUE_CONVERTED, source, (kind,), "a context_compaction as a compaction")
        elif kind in _PARTS or kind == "text":
            side: Role = "assistant" if kind in schema.PARTS["assistant"] else "user"
            self._run.take(side, [self._part(data)], source)
        else:
            side = schema.side_of(data) or self._run.side or "user"
            if side == "assistant":
                self._led_to(data)
            self._run.take(side, [whole_item(data)], source)

    def held_call(self, result: ToolResultBlock) -> ToolUseBlock:
        """Make the call of an output that the server alone has; its type follows from the output's."""
        kind, name = self._answered.get(result.tool_use_id, FUNCTION), result.extra(OPENAI_RESPONSES).get("name")
        tool = schema.CLIENT_TOOLS.get(kind)
        called = tool.name if tool is not None else name if isinstance(name, str) else ""
        extra = EMPTY if kind == FUNCTION else freeze_mapping({OPENAI_RESPONSES: {"type": kind}})[0]
        return held_call(result.tool_use_id, called, extra)

    def _is_expected(self, decision: Mapping[Any, Any]) -> bool:
        """Return whether the request of a decision is in the list, or may be in what the list goes on from."""
        return not self.has_references or decision["approval_request_id"] in self._requested

    # Runs

    def _led_to(self, data: Mapping[Any, Any]) -> None:
        """Let reasoning right before this item remember it: it is sent back with this item or not at all."""
        last = self._run.blocks[-1] if self._run.blocks else None
        if isinstance(last, ThinkingBlock) and self._run.side == "assistant":
            id = data.get("id")
            extra = {**last.extra(OPENAI_RESPONSES), notes.LED_TO: id if isinstance(id, str) else ""}
            self._run.blocks[-1] = with_meta(last, extra=FrozenDict({OPENAI_RESPONSES: FrozenDict(extra)}))

    def _in_order(self, blocks: list[Block]) -> list[Block]:
        """Put results in the order of their calls: outputs come as the tools finish."""
        before = self.parsed.messages[-1] if self.parsed.messages else None
        calls = before.ids if before is not None and before.role == "assistant" else ()
        results = [block for block in blocks[: len(calls)] if isinstance(block, ToolResultBlock)]
        by_id = {block.tool_use_id: block for block in results}
        if len(by_id) != len(calls) or by_id.keys() != set(calls):
            return blocks
        return [*(by_id[id] for id in calls), *blocks[len(calls) :]]

    # Items

    def _message(self, data: Mapping[Any, Any], source: int) -> None:
        role = _text(role_of(data))
        if role not in schema.ROLES:
            self.parsed.role_assumed(source, data.get("role"), "role {} taken as the user's")
        kind = data.get("type")
        if kind not in (None, "message"):
            self.parsed.note(
                RepairCode.VALUE_CONVERTED, source, (freeze(kind)[0],), f"type {short_repr(kind)} taken as a message"
            )
        blocks = self._content(data.get("content"), source)
        if role in ("system", "developer"):
            blocks = as_system(blocks)
        if role == "assistant":
            self._led_to(data)
        if not blocks:
            self.parsed.empty(data, source)
            return
        keys = {key: value for key, value in data.items() if key not in ("type", "role", "content")}
        if role == "developer":
            keys[notes.DEVELOPER] = True
        if role == "assistant":
            self._run.truncated = self._run.truncated or data.get("status") == "incomplete"
            if isinstance(data.get("id"), str) and data["id"]:
                keys[notes.PART_COUNT] = len(blocks)
                blocks = [self._of_item(block, data["id"]) for block in blocks]
        self._carry(blocks, keys)
        self._run.take("assistant" if role == "assistant" else "user", blocks, source)

    def _of_item(self, block: Block, id: str) -> Block:
        """Let a block remember the item that it is part of."""
        extra = FrozenDict({**block.extra(OPENAI_RESPONSES), notes.ITEM: id})
        return with_meta(block, extra=FrozenDict({OPENAI_RESPONSES: extra}))

    def _carry(self, blocks: list[Block], keys: Mapping[Any, Any]) -> None:
        carried, converted = _kept(keys)
        if carried:
            noted = blocks[0].meta.converted if blocks[0].meta is not None else ()
            blocks[0] = with_meta(blocks[0], carried=carried, converted=(*noted, *converted))

    def _reasoning(self, data: Mapping[Any, Any]) -> ThinkingBlock:
        self._led_to(data)
        texts = [_text_of(part) for key in ("summary", "content") for part in as_sequence(data.get(key)) or ()]
        summarised = len(as_sequence(data.get("summary")) or ())
        thinking = "\n\n".join(texts[:summarised] or texts)
        signature = data.get("encrypted_content")
        unread = ("type", "encrypted_content") if isinstance(signature, str) else ("type",)
        keys = {key: value for key, value in data.items() if key not in unread}
        if keys.get("summary") == summary_of(thinking, {"content": keys.get("content")}):
            del keys["summary"]
        extra, converted = _kept(keys)
        meta = Meta(issuer=OPENAI_RESPONSES, extra=extra, converted=converted)
        return ThinkingBlock(thinking, signature if isinstance(signature, str) else None, meta=meta)

    def _call(self, kind: str, data: Mapping[Any, Any]) -> ToolUseBlock:
        id = _id_of(data)
        tool = schema.CLIENT_TOOLS.get(kind)
        input_keys = tool.input_keys if tool is not None else ("arguments" if kind == FUNCTION else "input",)
        keys = {key: value for key, value in data.items() if key not in ("call_id", *input_keys)}
        if kind == FUNCTION:
            del keys["type"]
        if tool is None:
            keys.pop("name", None)
        extra, converted = _kept(keys)
        asks = CLIENT_RUNS if data.get("pending_safety_checks") else None
        meta = Meta(extra=extra, converted=converted, mark=asks) if extra else None
        name = _as_text(data.get("name")) if tool is None else tool.name
        if kind == FUNCTION:
            return self._function(id, name, data.get("arguments"), meta)
        found = {key: data[key] for key in input_keys if data.get(key) is not None}
        if not found:
            return ToolUseBlock(id, name, None, meta=meta)
        return ToolUseBlock(id, name, found, meta=meta)

    def _function(self, id: str, name: str, arguments: object, meta: Meta | None) -> ToolUseBlock:
        if isinstance(arguments, str) and arguments.strip():
            return call_of_text(id, name, arguments, meta, keep=True)
        if arguments is None or isinstance(arguments, str):
            if arguments is not None:
                meta = Meta(extra=meta.extra if meta is not None else EMPTY, arguments=arguments)
            return ToolUseBlock(id, name, EMPTY, meta=meta)
        input = as_mapping(arguments)
        if input is not None:
            return ToolUseBlock(id, name, input, meta=meta)
        return call_of_text(id, name, text_of_json(arguments), meta)

    def _output(self, kind: str, data: Mapping[Any, Any], source: int) -> ToolResultBlock:
        tool = schema.CLIENT_TOOLS.get(schema.OUTPUTS[kind])
        held = "tools" if kind == "tool_search_output" else "output"
        content: tuple[Block, ...]
        found = mcp_result(data.get(held))
        if found is not None:
            content = tuple(found.content)
        elif tool is not None and tool.form == "whole":
            whole = {key: data[key] for key in (held,) if data.get(key) is not None}
            content = (ProviderBlock(OPENAI_RESPONSES, {"type": kind, **whole}),)
        else:
            content = self._output_blocks(data.get(held), source)
        self._answered[_id_of(data)] = schema.OUTPUTS[kind]
        extra, converted = _kept({key: value for key, value in data.items() if key not in ("type", "call_id", held)})
        failed = kind == "apply_patch_call_output" and data.get("status") == "failed"
        failed = failed or (found is not None and found.is_error)
        meta = Meta(extra=extra, converted=converted) if extra else None
        return tool_result_block(_id_of(data), within_result(content, source, self.parsed), failed, meta)

    def _output_blocks(self, output: object, source: int) -> tuple[Block, ...]:
        """Read what a tool gave: text, parts, a screenshot, or whatever is there."""
        if output is None or output == "":
            return ()
        part = as_mapping(output) if not isinstance(output, str | list) else None
        if isinstance(output, str) or (part is not None and part.get("type") == "computer_screenshot"):
            return (text_block(str.__str__(output)),) if isinstance(output, str) else (self._part(part or {}),)
        items = as_sequence(output)
        if items is None or not all(isinstance(item, str | Block) or _is_part(item) for item in items):
            self.parsed.note(RepairCode.VALUE_CONVERTED, source, detail="an output that is not text, kept as JSON text")
            return (text_block(text_of_json(output)),)
        return tuple(self._content(items, source))

    # Parts

    def _content(self, content: object, source: int) -> list[Block]:
        """Read the content of a message, whatever it is."""
        if content is None:
            return []
        if isinstance(content, str):
            return [text_block(str.__str__(content))]
        part = as_mapping(content) if not isinstance(content, list) else None
        items = [part] if part is not None and _is_part(part) else as_sequence(content)
        if items is None:
            self.parsed.note(RepairCode.VALUE_CONVERTED, source, detail="content that is not text, kept as JSON text")
            return [text_block(text_of_json(content))]
        return read_parts(items, source, self.parsed, self._part)

    def _part(self, part: Mapping[Any, Any]) -> Block:
        kind = _text(part.get("type"))
        if kind in _TEXTS and isinstance(part.get("text"), str):
            return text_block(part["text"], _rest_of(part, "text"))
        if kind in _SPOKEN and isinstance(part.get("transcript"), str) and part["transcript"].strip():
            return text_block(part["transcript"], _rest_of({**part, "type": "input_text"}, "transcript"))
        if kind == "refusal" and isinstance(part.get("refusal"), str):
            return text_block(part["refusal"], _meta({key: part[key] for key in part if key != "refusal"}))
        if kind in ("input_image", "computer_screenshot"):
            return _image(part) or ProviderBlock(OPENAI_RESPONSES, part)
        if kind == "input_file":
            return _document(part) or ProviderBlock(OPENAI_RESPONSES, part)
        if is_plain_text(part):
            return text_block(part["text"])
        meta = (
            None if kind in schema.KEYS else Meta(extra=FrozenDict({OPENAI_RESPONSES: FrozenDict({notes.PART: True})}))
        )
        return mcp_block(part) or ProviderBlock(OPENAI_RESPONSES, part, meta=meta)


def _is_item(data: Mapping[Any, Any]) -> bool:
    """Return whether an entry is surely of this dialect, or could be any dialect's."""
    kind, content = data.get("type"), data.get("content")
    if data.get("object") == "response":
        return True
    if isinstance(kind, str) and kind != "message":
        return kind in schema.KEYS or kind.endswith(("_call", "_call_output"))
    if _text(data.get("role")) not in schema.ROLES or not data.keys() <= _EASY:
        return False
    return isinstance(content, str) or (isinstance(content, list) and all(map(_is_own_part, content)))


def _is_own_part(item: object) -> bool:
    part = as_mapping(item)
    return part is not None and _text(part.get("type")) in _PARTS


def _is_part(item: object) -> bool:
    part = as_mapping(item)
    return part is not None and isinstance(part.get("type"), str)


def _id_of(data: Mapping[Any, Any]) -> str:
    """Read the id that pairs a call with its output; the item's own id where it is missing."""
    id = data.get("call_id")
    if id is None or id == "":
        id = data.get("id")
    return _as_text(id)


def _as_text(value: object) -> str:
    """Read an id or a name; any other value becomes its text, a missing one an empty text."""
    return str.__str__(value) if isinstance(value, str) else "" if value is None else text_of_json(value)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _text_of(part: object) -> str:
    data = as_mapping(part)
    text = data.get("text") if data is not None else part
    return text if isinstance(text, str) else text_of_json(part)


def _kept(keys: Mapping[Any, Any]) -> tuple[FrozenDict, tuple[str, ...]]:
    """Freeze keys that we have no field for, under this dialect's name; nulls say nothing."""
    present = {key: value for key, value in keys.items() if value is not None}
    return freeze_mapping({OPENAI_RESPONSES: present}) if present else (EMPTY, ())


def _meta(keys: Mapping[Any, Any]) -> Meta | None:
    extra, converted = _kept({key: value for key, value in keys.items() if value not in ([], ())})
    return Meta(extra=extra, converted=converted) if extra else None


def _rest_of(part: Mapping[Any, Any], *read: str) -> Meta | None:
    """Keep the keys of a part that were not read."""
    return _meta({key: value for key, value in part.items() if key not in ("type", *read)})


def _image(part: Mapping[Any, Any]) -> ImageBlock | None:
    url, id = part.get("image_url"), part.get("file_id")
    if isinstance(url, str):
        inline = _data_url(url)
        source = {"type": "url", "url": url}
        if inline is not None:
            source = {"type": "base64", "media_type": inline[0], "data": inline[1]}
        return ImageBlock(source, meta=_rest_of(part, "image_url"))
    if isinstance(id, str):
        image = ImageBlock({"type": "file", "file_id": id}, meta=_rest_of(part, "file_id"))
        return with_meta(image, issuer=OPENAI_RESPONSES)
    return None


def _image_item(item: Mapping[Any, Any]) -> ImageBlock | None:
    """Read an image that is in the list by itself, in the form of any API."""
    source, url = as_mapping(item.get("source")), as_mapping(item.get("image_url"))
    if source is not None:
        return ImageBlock(source, meta=_rest_of(item, "source"))
    return _image({**item, "image_url": url.get("url")} if url is not None else item)


def _document(part: Mapping[Any, Any]) -> DocumentBlock | None:
    data, url, id, name = (part.get(key) for key in ("file_data", "file_url", "file_id", "filename"))
    title, named = (name, "filename") if isinstance(name, str) else (None, "")
    inline = _data_url(data) if isinstance(data, str) else None
    if inline is not None:
        source = {"type": "base64", "media_type": inline[0], "data": inline[1]}
        return DocumentBlock(source, title, meta=_rest_of(part, "file_data", named))
    if isinstance(url, str) and data is None:
        return DocumentBlock({"type": "url", "url": url}, title, meta=_rest_of(part, "file_url", named))
    if isinstance(id, str) and data is None:
        document = DocumentBlock({"type": "file", "file_id": id}, title, meta=_rest_of(part, "file_id", named))
        return with_meta(document, issuer=OPENAI_RESPONSES)
    return None


def _data_url(url: str) -> tuple[str, str] | None:
    """Split a base64 data URL into its media type and its data; None for another one."""
    head, comma, data = url.partition(",")
    kind, _, rest = head.removeprefix("data:").partition(";")
    return (kind, data) if comma and head.startswith("data:") and rest == "base64" and kind else None
