"""Read lists of Converse messages, as boto3 gives and takes them or as they are in saved JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from attrs import evolve

from message_history.core.messages.block_base import Block
from message_history.core.messages.blocks import (
    ProviderBlock,
    RedactedThinkingBlock,
    TextBlock,
    ThinkingBlock,
    is_blank,
    text_block,
    tool_result_block,
    with_meta,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.messages.parsed import Parsed
from message_history.core.messages.repairs import RepairCode
from message_history.core.values.json_values import freeze, freeze_mapping, json_text, short_repr
from message_history.core.values.meta import Meta
from message_history.dialects._shared.plain_runs import read_runs
from message_history.dialects._shared.reader import add_message, assume_user, read_entries, role_of
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence
from message_history.dialects._shared.typed_blocks import is_white_space, read_block, text_of_json, within_result
from message_history.dialects.anthropic.parse import ANTHROPIC
from message_history.dialects.bedrock.media import base64_of, bytes_of, format_of, media_type_of, with_text
from message_history.dialects.bedrock.plain_reader import read_message
from message_history.dialects.bedrock.schema import AS_JSON, BLOCKS, IN_RESULTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.dialects.base import Foreign

BEDROCK: Final = "bedrock"
_KEYS: Final = frozenset(BLOCKS)
_RESULT_KEYS: Final = frozenset(IN_RESULTS)


class _TypedBlocks:
    """Keeps what a call has besides the modelled keys."""

    issuer: str | None = None

    def meta(self, kind: str, others: dict[str, Any]) -> Meta | None:
        return _meta(others)

    def other(self, data: Mapping[Any, Any]) -> Block:
        return ProviderBlock(BEDROCK, data)


_TYPED: Final = _TypedBlocks()


def parse(raw: Sequence[Any], foreign: Foreign | None = None, *, white_space: bool = False) -> Parsed:
    """Read a list of Converse messages, and keep white space alone where the model takes it."""
    reader = _Reader(white_space=white_space)
    return read_entries(raw, foreign, reader, ahead=lambda source: read_runs(raw, source, reader.parsed, read_message))


def _is_surely_ours(entry: object) -> bool:
    """Return at a glance whether an entry is one of Converse."""
    if type(entry) is not dict or entry.get("role") not in ("user", "assistant") or len(entry) != 2:
        return False
    content = entry.get("content")
    first = content[0] if isinstance(content, list) and content else None
    return type(first) is dict and len(first) == 1 and not first.keys().isdisjoint(_KEYS)


@final
class _Reader:
    """One list on its way in."""

    def __init__(self, *, white_space: bool) -> None:
        self.parsed = Parsed()
        self._white_space = white_space  # whether texts of white space are kept wherever they are
        self._source = 0
        self._server_calls: set[str] = set()

    def own_entry(self, entry: object, source: int) -> bool:
        return _is_surely_ours(entry) and self.other_entry(entry, source)

    def other_entry(self, entry: object, source: int) -> bool:
        data = as_mapping(entry)
        if data is None or ("role" not in data and "content" not in data):
            return False
        self._source, self._server_calls = source, set()
        came_as = role_of(data)
        blocks = self._kept_blank(self._blocks(data.get("content")), assistant=came_as == "assistant")
        role = "system" if came_as == "developer" else came_as
        if role != "system":
            assume_user(self.parsed, role, source)
        keys = {key: value for key, value in data.items() if key not in ("role", "content")}
        add_message(self.parsed, data, source, dialect=BEDROCK, role=role, blocks=blocks, keys=keys, own_call=_own_call)
        return True

    def _kept_blank(self, blocks: list[Block], *, assistant: bool) -> list[Block]:
        """Keep white space that the model takes back as blocks of this API's own: no history holds it as text."""
        texts = [block for block in blocks if isinstance(block, TextBlock)]
        if not self._white_space and (not assistant or all(is_blank(block.text) for block in texts)):
            return blocks
        return [ProviderBlock(BEDROCK, {"text": block.text}) if is_white_space(block) else block for block in blocks]

    def _blocks(self, content: object, *, in_result: bool = False) -> list[Block]:
        """Read content, whatever it is; a cache point goes with the block before it."""
        if content is None or (in_result and content == ""):
            return []
        if isinstance(content, str):
            return [text_block(str.__str__(content))]
        mapping = as_mapping(content) if not isinstance(content, list) else None
        items = [mapping] if mapping is not None else as_sequence(content)
        if items is None:
            return [self._as_text(content)]
        blocks: list[Block] = []
        for item in items:
            data = as_mapping(item)
            if isinstance(item, Block):
                blocks.append(item)
            elif isinstance(item, str):
                blocks.append(text_block(str.__str__(item)))
            elif data is not None:
                self._item(data, blocks, in_result=in_result)
            elif item is None:
                self.parsed.note(RepairCode.ENTRY_DROPPED, self._source, (None,), "an empty block")
            else:
                blocks.append(self._as_text(item))
        return blocks

    def _item(self, data: Mapping[Any, Any], blocks: list[Block], *, in_result: bool) -> None:
        known = [key for key in data if key in (_RESULT_KEYS if in_result else _KEYS)]
        if not known:
            blocks.append(ProviderBlock(BEDROCK, data))
            return
        if len(known) > 1:
            what = f"a block with several keys, read as several: {', '.join(known)}"
            self.parsed.note(RepairCode.VALUE_CONVERTED, self._source, detail=what)
        others = {key: value for key, value in data.items() if key not in known and value not in (None, known[0])}
        if known == ["cachePoint"]:
            self._cache_point({"cachePoint": data["cachePoint"], **others}, blocks)
            return
        first = len(blocks)
        for key in known:
            if key == "cachePoint":
                self._cache_point({"cachePoint": data[key]}, blocks)
            else:
                blocks.append(self._result_part(key, data[key]) if in_result else self._block(key, data[key]))
        if others:
            blocks[first] = self._keeping(blocks[first], others)

    def _cache_point(self, point: dict[Any, Any], blocks: list[Block]) -> None:
        """Let the block before a cache point keep it, and the keys next to it."""
        if blocks:
            blocks[-1] = self._keeping(blocks[-1], point)
        else:
            self.parsed.dropped(point, self._source, "a cache point with nothing before it")

    def _keeping(self, block: Block, others: Mapping[Any, Any]) -> Block:
        """Let a block keep keys from outside of it; a key that it already has is dropped."""
        taken = {key: value for key, value in others.items() if key in block.extra(BEDROCK)}
        if taken:
            self.parsed.dropped(taken, self._source, f"keys that came twice: {', '.join(map(str, taken))}")
        return _with_extra(block, {key: value for key, value in others.items() if key not in taken})

    def _block(self, key: str, value: object) -> Block:
        """Read the value of a block's one key; what does not fit is kept whole."""
        if key == "text":
            return text_block(str.__str__(value)) if isinstance(value, str) else self._as_text(value)
        data = as_mapping(value)
        block: Block | None = None
        if data is not None:
            if key in ("image", "document"):
                block = self._media(key, data)
            elif key == "toolUse":
                block = self._call(data)
            elif key == "toolResult":
                block = self._result(data)
            elif key == "reasoningContent":
                block = _reasoning(data)
            elif key == "citationsContent":
                block = _cited(data)
            elif key == "guardContent":
                block = self._guarded(data)
        return block if block is not None else ProviderBlock(BEDROCK, with_text(key, value))

    def _call(self, data: Mapping[Any, Any]) -> Block | None:
        if data.get("type") == "server_tool_use":
            self._server_calls.add(_id_of(data))
            return None
        names = {"toolUseId": "id", "name": "name", "input": "input"}
        typed = {names[key]: value for key, value in data.items() if key in names}
        others = {key: value for key, value in data.items() if key not in names}
        call = read_block({"type": "tool_use", **typed}, self._source, self.parsed, _TYPED)
        return _with_extra(call, others) if others else call

    def _result(self, data: Mapping[Any, Any]) -> Block | None:
        id, status = _id_of(data), data.get("status")
        if id in self._server_calls:
            return None
        others = {key: value for key, value in data.items() if key not in ("toolUseId", "content", "status")}
        if status is not None and status != "error":
            others["status"] = status
        content = within_result(self._blocks(data.get("content"), in_result=True), self._source, self.parsed)
        return tool_result_block(id, content, status == "error", _meta(others))

    def _result_part(self, key: str, value: object) -> Block:
        if key == "json":
            data = as_mapping(value)
            if data is not None:
                return text_block(json_text(freeze(data)[0]), _meta({AS_JSON: True}))
            what = "JSON in a result that is not an object, kept as text"
            self.parsed.note(RepairCode.VALUE_CONVERTED, self._source, detail=what)
            return text_block(text_of_json(value))
        return self._block(key, value)

    def _media(self, kind: str, data: Mapping[Any, Any]) -> Block | None:
        source, form, name = as_mapping(data.get("source")), data.get("format"), data.get("name")
        found = _found_in(source, kind, media_type_of(kind, form)) if source is not None else None
        if found is None:
            return None
        held, rest = found
        others = {**_rest_of(data, "format", "source"), "source": rest or None}
        if held["type"] != "text":
            self._note_format(kind, form)
        elif form != "txt":
            others["format"] = form
        if kind == "image":
            return ImageBlock(held, meta=_meta(others))
        title = others.pop("name") if isinstance(name, str) else None
        return DocumentBlock(held, title, meta=_meta(others))

    def _note_format(self, kind: str, form: object) -> None:
        """Note a format that the media type does not tell."""
        taken = media_type_of(kind, form)
        if form is not None and form not in (format_of(kind, taken), taken.partition("/")[2]):
            what = f"the format {short_repr(form)} taken as {taken}"
            self.parsed.note(RepairCode.VALUE_CONVERTED, self._source, (freeze(form)[0],), what)

    def _guarded(self, data: Mapping[Any, Any]) -> Block | None:
        text, image = as_mapping(data.get("text")), as_mapping(data.get("image"))
        if len(data) != 1:
            return None
        if text is not None and isinstance(text.get("text"), str):
            return text_block(text["text"], _meta({"guardContent": _rest_of(text, "text")}))
        found = self._media("image", image) if image is not None else None
        return _with_extra(found, {"guardContent": {}}) if found is not None else None

    def _as_text(self, value: object) -> TextBlock:
        what = f"a {type(value).__name__} as content, kept as JSON text"
        self.parsed.note(RepairCode.VALUE_CONVERTED, self._source, detail=what)
        return text_block(text_of_json(value))


def _id_of(data: Mapping[Any, Any]) -> str:
    """Read the id of a call or a result; any other value becomes its text, a missing one an empty text."""
    id = data.get("toolUseId")
    return id if isinstance(id, str) else "" if id is None else text_of_json(id)


def _found_in(source: Mapping[Any, Any], kind: str, media_type: str) -> tuple[dict[str, str], dict[Any, Any]] | None:
    """Read the source of an image or a document, and what of it has no place; None when there is nothing to read."""
    blob, location = base64_of(source.get("bytes")), as_mapping(source.get("s3Location")) or {}
    if blob is not None:
        return {"type": "base64", "media_type": media_type, "data": blob}, _rest_of(source, "bytes")
    if isinstance(location.get("uri"), str):
        rest = {**_rest_of(source, "s3Location"), "s3Location": _rest_of(location, "uri") or None}
        return {"type": "url", "url": location["uri"], "media_type": media_type}, _rest_of(rest)
    if kind != "document":
        return None
    if isinstance(source.get("text"), str):
        return {"type": "text", "media_type": "text/plain", "data": source["text"]}, _rest_of(source, "text")
    texts = _texts_in(source)
    if texts is None:
        return None
    rest = _rest_of(source, "content" if len(texts) == 1 else "")
    return {"type": "text", "media_type": "text/plain", "data": "\n\n".join(texts)}, rest


def _texts_in(source: Mapping[Any, Any]) -> list[str] | None:
    parts = [as_mapping(part) or {} for part in as_sequence(source.get("content")) or ()]
    texts = [part["text"] for part in parts if len(part) == 1 and isinstance(part.get("text"), str)]
    return texts if parts and len(texts) == len(parts) else None


def _own_call(block: Block) -> Mapping[str, Any] | None:
    """Read a call of a tool that the model's own servers run."""
    call = as_mapping(block.data.get("toolUse")) if isinstance(block, ProviderBlock) else None
    return {**call, "id": call.get("toolUseId")} if call is not None else None


def _reasoning(data: Mapping[Any, Any]) -> Block | None:
    """Read reasoning: what is signed or encrypted is Claude's, and good for the Messages API too."""
    reasoning = as_mapping(data.get("reasoningText"))
    if reasoning is not None and isinstance(reasoning.get("text"), str):
        signature = reasoning.get("signature")
        inner = _rest_of(reasoning, "text", "signature" if isinstance(signature, str) else "")
        rest = _rest_of({**data, "reasoningText": inner or None})
        if isinstance(signature, str) and signature:
            return ThinkingBlock(reasoning["text"], signature, meta=_issued(ANTHROPIC, rest))
        return ThinkingBlock(reasoning["text"], meta=_issued(BEDROCK, rest))
    text = base64_of(data.get("redactedContent"))
    if text is None:
        return None
    blob = bytes_of(text)
    rest = _rest_of(data, "redactedContent")
    if blob is None or blob.isascii():
        # The Messages API's own text, as bytes.
        return RedactedThinkingBlock(text if blob is None else blob.decode("ascii"), meta=_issued(ANTHROPIC, rest))
    return RedactedThinkingBlock(text, meta=_issued(BEDROCK, rest))


def _issued(issuer: str, rest: dict[Any, Any]) -> Meta:
    """Say who issued reasoning, and keep what came with it."""
    return evolve(_meta({"reasoningContent": rest or None}) or Meta(), issuer=issuer)


def _cited(data: Mapping[Any, Any]) -> Block | None:
    parts = [as_mapping(part) or {} for part in as_sequence(data.get("content")) or ()]
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    if not parts or len(texts) != len(parts):
        return None
    return text_block("".join(texts), _meta({"citationsContent": data}))


def _rest_of(data: Mapping[Any, Any], *read: str) -> dict[Any, Any]:
    """Return the keys of an object that were not read; nulls say nothing."""
    return {key: value for key, value in data.items() if key not in read and value is not None}


def _meta(others: Mapping[Any, Any]) -> Meta | None:
    kept = {key: value for key, value in others.items() if value is not None}
    if not kept:
        return None
    extra, converted = freeze_mapping({BEDROCK: kept})
    return Meta(extra=extra, converted=converted)


def _with_extra(block: Block, others: Mapping[Any, Any]) -> Block:
    before = block.meta.extra if block.meta is not None else {}
    noted = block.meta.converted if block.meta is not None else ()
    extra, converted = freeze_mapping({**before, BEDROCK: {**block.extra(BEDROCK), **others}})
    return with_meta(block, extra=extra, converted=(*noted, *converted))
