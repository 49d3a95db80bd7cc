"""Read lists of steps of the Interactions API, the turns of its first version, and whole interactions among them.

A message of ours is a run of steps of one side: thoughts, output, calls and the steps of the provider's own tools are
the assistant's, input and results the user's.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final, final

from attrs import evolve

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
from message_history.core.values.json_values import EMPTY, FrozenDict, freeze, json_text
from message_history.core.values.meta import Meta
from message_history.dialects._shared.beside import REPEATED, without
from message_history.dialects._shared.reader import as_system, assume_user, read_entries, role_of
from message_history.dialects._shared.reply_info import reply_info
from message_history.dialects._shared.runs import Runs
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence
from message_history.dialects._shared.typed_blocks import (
    call_of_text,
    carry,
    meta_of,
    name_of,
    read_parts,
    rest_of,
    text_of_json,
)
from message_history.dialects.gemini.media import (
    in_plain_base64,
    is_held_by_google,
    is_modelled,
    media_type,
    type_of_data,
)
from message_history.dialects.gemini_interactions import schema
from message_history.dialects.gemini_interactions.schema import GEMINI_INTERACTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Role
    from message_history.dialects.base import Foreign

NOTED: Final = "(noted)"
"""The key, among a block's keys of this dialect, under which we keep how it came; no field of the API has this name."""
_ROLES: Final[dict[str, Role]] = {"model": "assistant", "assistant": "assistant", "user": "user"}


def is_interaction(data: Mapping[Any, Any]) -> bool:
    """Return whether a mapping is a whole interaction, as the API gives it."""
    steps = data.get("steps", data.get("outputs"))
    return as_sequence(steps) is not None and (data.get("object") == "interaction" or "status" in data)


def summary_of(thinking: str, extra: Mapping[str, Any]) -> Any:
    """Return the summary of a thought, unchanged or as its text says it."""
    return extra.get("summary", [{"type": "text", "text": thinking}] if thinking else [])


def noted(block: Block) -> Mapping[str, Any]:
    """Return how a block came from this dialect, where that is not plain from the block."""
    found = block.extra(GEMINI_INTERACTIONS).get(NOTED, EMPTY) if block.meta is not None else EMPTY
    return found if isinstance(found, FrozenDict) else EMPTY


@final
class Reader:
    """One list on its way in; a run of steps of one side is one message, its source the first of them."""

    def __init__(self) -> None:
        self.parsed = Parsed()
        self._run = Runs(self.parsed)
        self._step = ""
        self._entry = 0
        self._names: dict[str, str] = {}

    def read(self, raw: Sequence[Any], foreign: Foreign | None) -> Parsed:
        read_entries(raw, foreign, self, "no step", lambda _: self._run.end())
        self._run.end()
        return self.parsed

    def own_entry(self, entry: object, source: int) -> bool:
        self._entry = source
        data = as_mapping(entry)
        if data is not None and is_interaction(data):
            self._interaction(data)
        elif data is not None and _is_own(data):
            self._own(data)
        else:
            return False
        return True

    def other_entry(self, entry: object, source: int) -> bool:
        """Read a text, which stands for the user's input, or a message."""
        data = as_mapping(entry)
        if isinstance(entry, str):
            self._take("user", [text_block(str.__str__(entry))], "user_input")
        elif data is not None and data.keys() & {"type", "role", "content"}:
            self._own(data)
        else:
            return False
        return True

    def _own(self, data: Mapping[Any, Any]) -> None:
        """Read a step, a turn of the first version, or an item of content that stands for the user's input."""
        kind = data.get("type")
        if isinstance(data.get("role"), str) or not isinstance(kind, str):
            self._turn(data)
        elif kind in schema.CONTENT:
            self._take("user", [self._item(data)], "user_input")
        else:
            self._one_step(data, kind)

    def _interaction(self, data: Mapping[Any, Any]) -> None:
        """Read a whole interaction; its id and its model travel with the first block of its reply."""
        if self._run.side != "assistant":
            self._run.end()
        steps = as_sequence(data.get("steps", data.get("outputs"))) or []
        for step in steps:
            found = as_mapping(step)
            if found is None:
                self.parsed.dropped(step, self._entry, "no step")
            elif isinstance(found.get("type"), str) and found["type"] in schema.CONTENT:
                self._take("assistant", [self._item(found)], "model_output")
            else:
                self._own(found)
        if not steps:
            self.parsed.empty(data, self._entry)
        if self._run.side == "assistant":
            made = rest_of({key: data.get(key) for key in ("id", "model")})
            carry(self._run.blocks, GEMINI_INTERACTIONS, {NOTED: made} if made else {})
            self._run.truncated = self._run.truncated or data.get("status") in schema.TRUNCATED
            beside = without(data, REPEATED | {"steps" if "steps" in data else "outputs"})
            self._run.came_in(reply_info(data, GEMINI_INTERACTIONS, beside))
        self._run.end()

    def _turn(self, data: Mapping[Any, Any]) -> None:
        """Read a message with a role: its content may hold steps too."""
        role = role_of(data)
        side = _ROLES.get(role.lower(), "user") if isinstance(role, str) else "user"
        is_system = role in ("system", "developer")
        if not is_system and (not isinstance(role, str) or role.lower() not in _ROLES):
            assume_user(self.parsed, role, self._entry)
        content = data.get("content")
        items = [content] if isinstance(content, str) else read_parts_of(content)
        before = len(self.parsed.messages), len(self._run.blocks)
        keys = rest_of(data, "role", "content", *(("type",) if isinstance(data.get("type"), str) else ()))
        for item in items:
            found = as_mapping(item) if not isinstance(item, str) else None
            if found is not None and isinstance(found.get("type"), str) and found["type"] in schema.STEPS:
                self._one_step(found, str(found["type"]))
                continue
            blocks = read_parts([item], self._entry, self.parsed, self._item)
            if is_system:
                blocks = as_system(blocks)
            if blocks:
                carry(blocks, GEMINI_INTERACTIONS, keys)
                keys = {}
            self._take(side, blocks, "model_output" if side == "assistant" else "user_input")
        if before == (len(self.parsed.messages), len(self._run.blocks)):
            self.parsed.empty(data, self._entry)
        elif keys:
            self.parsed.dropped(keys, self._entry, "keys of a message that holds steps alone")

    # Runs

    def _take(self, side: Role, blocks: list[Block], step: str) -> None:
        if side == self._run.side and blocks and step == self._step and step in ("user_input", "model_output"):
            facts = {**noted(blocks[0]), "step": True}
            blocks[0] = _with_extra(blocks[0], {**blocks[0].extra(GEMINI_INTERACTIONS), NOTED: facts})
        self._step = step
        self._run.take(side, blocks, self._entry)

    # Steps

    def _one_step(self, data: Mapping[Any, Any], kind: str) -> None:
        match kind:
            case "user_input" | "model_output":
                self._content_step(data, kind)
            case "thought":
                self._take("assistant", [self._thought(data)], kind)
            case "function_call":
                self._take("assistant", [self._call(data)], kind)
            case "function_result":
                self._take("user", [self._result(data)], kind)
            case _:
                side: Role = "assistant" if kind in schema.MODEL_STEPS else self._run.side or "user"
                self._take(side, [ProviderBlock(GEMINI_INTERACTIONS, data)], kind)

    def _content_step(self, data: Mapping[Any, Any], kind: str) -> None:
        content = data.get("content")
        items = [content] if isinstance(content, str) else read_parts_of(content)
        blocks = read_parts(items, self._entry, self.parsed, self._item)
        if not blocks:
            self.parsed.empty(data, self._entry)
            return
        carry(blocks, GEMINI_INTERACTIONS, rest_of(data, "type", "content"))
        self._take("assistant" if kind == "model_output" else "user", blocks, kind)

    def _thought(self, data: Mapping[Any, Any]) -> ThinkingBlock:
        summary = as_sequence(data.get("summary")) or ()
        thinking = "\n\n".join(_text_in(item) for item in summary)
        signature = _signature_of(data)
        keys = rest_of(data, "type") if signature is None else rest_of(data, "type", "signature")
        if keys.get("summary") == summary_of(thinking, {}):
            del keys["summary"]
        return ThinkingBlock(thinking, signature, meta=meta_of(GEMINI_INTERACTIONS, keys, issuer=GEMINI_INTERACTIONS))

    def _call(self, data: Mapping[Any, Any]) -> ToolUseBlock:
        id, name, arguments = name_of(data.get("id")), name_of(data.get("name")), data.get("arguments")
        self._names[id] = name
        signature = _signature_of(data)
        keys = rest_of(data, "type", "id", "name", "arguments")
        if signature is not None:
            del keys["signature"]
        meta = meta_of(GEMINI_INTERACTIONS, keys)
        if signature is not None:
            meta = evolve(meta or Meta(), signature=signature, issuer=GEMINI_INTERACTIONS)
        input = as_mapping(arguments) if not isinstance(arguments, str) else None
        if input is not None:
            return ToolUseBlock(id, name, input, meta=meta)
        if arguments is None:
            return ToolUseBlock(id, name, EMPTY, meta=meta)
        return call_of_text(id, name, text_of_json(arguments), meta)

    def _result(self, data: Mapping[Any, Any]) -> ToolResultBlock:
        id, name = name_of(data.get("call_id")), data.get("name")
        keys = rest_of(data, "type", "call_id", "result", "name", "is_error")
        facts: dict[str, Any] = {}
        if name is None:
            facts["named"] = False
        elif name != self._names.get(id):
            keys["name"] = name
        if data.get("is_error") is False:
            facts["stated"] = True
        elif data.get("is_error") not in (None, True):
            keys["is_error"] = data["is_error"]
        content = self._output(data.get("result"), facts)
        if facts:
            keys[NOTED] = facts
        is_error = data.get("is_error") is True
        return tool_result_block(id, content, is_error, meta_of(GEMINI_INTERACTIONS, keys))

    def _output(self, result: object, facts: dict[str, Any]) -> tuple[Block, ...]:
        if result is None or result == "":
            return ()
        if isinstance(result, str):
            return (text_block(str.__str__(result)),)
        items = as_sequence(result)
        if items is not None and all(_is_content(item) for item in items):
            facts["form"] = "list"
            return tuple(read_parts(items, self._entry, self.parsed, self._item))
        frozen, converted = freeze(as_mapping(result) or items or result)
        facts["form"] = "json"
        if converted:
            self._note(RepairCode.VALUE_CONVERTED, "; ".join(converted))
        return (text_block(json_text(frozen)),)

    # Content

    def _item(self, item: Mapping[Any, Any]) -> Block:
        kind = item.get("type")
        if kind == "text" and isinstance(item.get("text"), str):
            keys = rest_of(item, "type", "text")
            return text_block(item["text"], meta_of(GEMINI_INTERACTIONS, keys) if keys else None)
        if kind in ("image", "document"):
            return _media(item) or ProviderBlock(GEMINI_INTERACTIONS, item)
        return ProviderBlock(GEMINI_INTERACTIONS, item)

    def _note(self, code: RepairCode, detail: str) -> None:
        self.parsed.note(code, self._entry, detail=detail)


def read_parts_of(content: object) -> list[Any]:
    """Return the items of a content; a single item becomes a list, and no content an empty one."""
    if content is None:
        return []
    single = as_mapping(content) if not isinstance(content, list) else None
    return [content] if single is not None else as_sequence(content) or [content]


def _media(item: Mapping[Any, Any]) -> Block | None:
    """Read an image or a document; None for one of which no other provider could make sense."""
    data, uri, declared = item.get("data"), item.get("uri"), item.get("mime_type")
    if isinstance(data, bytes | bytearray | memoryview):
        data = base64.b64encode(data).decode()
    if declared is not None and not isinstance(declared, str):
        return None
    mime = media_type(declared) or (type_of_data(data) if isinstance(data, str) else "")
    keys = rest_of(item, "type", "data", "uri", "mime_type")
    if mime != declared:
        keys[NOTED] = {"mime_type": declared}
    meta = meta_of(GEMINI_INTERACTIONS, keys)
    source: dict[str, Any]
    if isinstance(data, str) and uri is None:
        if data.startswith("data:") or not is_modelled(mime):
            return None
        if in_plain_base64(data) != data:
            return None
        source = {"type": "base64", "media_type": mime, "data": data}
    elif isinstance(uri, str) and data is None:
        held = is_held_by_google(uri)
        source = {"type": "file", "file_id": uri} if held else {"type": "url", "url": uri}
        if mime:
            source["media_type"] = mime
        if held:
            meta = evolve(meta or Meta(), issuer=GEMINI_INTERACTIONS)
    else:
        return None
    return ImageBlock(source, meta=meta) if item["type"] == "image" else DocumentBlock(source, meta=meta)


def _with_extra(block: Block, keys: Mapping[str, Any]) -> Block:
    return with_meta(block, extra=FrozenDict({GEMINI_INTERACTIONS: freeze(keys)[0]}))


def _is_own(data: Mapping[Any, Any]) -> bool:
    """Return whether an entry is surely of this dialect, and not of another that has the same names."""
    if schema.is_step(data):
        return True
    items = as_sequence(data.get("content"))
    if "type" in data or items is None or data.keys() - {"role", "content"}:
        return False
    return data.get("role") in ("model", "user") and bool(items) and all(map(_is_content, items))


def _is_content(item: object) -> bool:
    """Return whether a value is an item of content, or a step within a turn."""
    data = as_mapping(item) if not isinstance(item, str) else None
    kind = data.get("type") if data is not None else None
    if data is None or not isinstance(kind, str):
        return False
    return data.keys() <= schema.CONTENT[kind] if kind in schema.CONTENT else schema.is_step(data)


def _signature_of(data: Mapping[Any, Any]) -> str | None:
    signature = data.get("signature")
    if isinstance(signature, bytes | bytearray | memoryview):
        return base64.b64encode(signature).decode()
    return str.__str__(signature) if isinstance(signature, str) and signature else None


def _text_in(item: object) -> str:
    data = as_mapping(item) if not isinstance(item, str) else None
    text = data.get("text") if data is not None else item
    return text if isinstance(text, str) else "[An image.]" if data is not None else text_of_json(item)
