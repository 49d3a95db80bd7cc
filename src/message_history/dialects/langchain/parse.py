"""Read messages of langchain-core: the objects, their dumps, and what its content lists hold.

Nothing is imported for that: an object is read by its `model_dump`. Content may be in the standard blocks of
langchain-core or in a provider's own; what is neither stays a block of its own dialect and is sent back unchanged.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, Final, final

from attrs import evolve

from message_history.core.messages.blocks import (
    ProviderBlock,
    RedactedThinkingBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    text_block,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.messages.message import make_message
from message_history.core.messages.parsed import Parsed
from message_history.core.messages.repairs import RepairCode
from message_history.core.values.json_values import freeze_mapping
from message_history.core.values.meta import Meta
from message_history.dialects._shared.reply_info import with_info
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence
from message_history.dialects._shared.truncated import TRUNCATED
from message_history.dialects._shared.typed_blocks import (
    call_of_text,
    carry,
    half_written,
    parsed_input,
    text_of_json,
    within_result,
)
from message_history.dialects.gemini import TRUNCATED as TRUNCATED_BY_GEMINI
from message_history.dialects.langchain.provider_blocks import ITEMS, item_groups, provider_blocks, type_of
from message_history.dialects.langchain.schema import ISSUERS, KINDS, LANGCHAIN, as_message, kind_of
from message_history.dialects.openai_chat import OpenAIChat
from message_history.dialects.openai_chat.media import image_of
from message_history.dialects.openai_responses.parse import is_truncated as is_unfinished

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from message_history.core.messages.block_base import Block


_CALLS: Final = frozenset(
    {"tool_use", "tool_call", "tool_call_chunk", "invalid_tool_call", "function_call", "custom_tool_call"}
)
_OF_ALL: Final = frozenset({"type", "content", "content_blocks"})
_READ: Final = {
    "assistant": _OF_ALL | {"tool_calls", "invalid_tool_calls", "tool_call_chunks", "chunk_position"},
    "tool": _OF_ALL | {"tool_call_id", "status", "artifact"},
}
"""The keys of a message that are read, by whose it is; all others are kept as they are."""
_NOTHING: Final = {"additional_kwargs": {}, "response_metadata": {}, "example": False}
"""What langchain-core writes where there is nothing."""


@final
class Reader:
    """One list on its way in."""

    def __init__(self) -> None:
        self.parsed = Parsed()

    def own_entry(self, entry: object, source: int) -> bool:
        """Read a message of langchain-core, or a text, which stands for the user's."""
        data = as_message(entry)
        if data is not None:
            self._message(data, source)
        elif isinstance(entry, str):
            self.parsed.add(make_message("user", (text_block(entry),)), source)
        return data is not None or isinstance(entry, str)

    def other_entry(self, entry: object, source: int) -> bool:
        """Read a message as chat models of any kind are given one, by its role."""
        data = as_mapping(entry)
        if data is None or not isinstance(data.get("role"), str) or "content" not in data:
            return False
        self.parsed.extend(OpenAIChat().parse([data]).at(source))
        return True

    def _message(self, data: Mapping[Any, Any], source: int) -> None:
        kind = kind_of(data)
        metadata = as_mapping(data.get("response_metadata")) or {}
        issuer = ISSUERS.get(str(metadata.get("model_provider")))
        content = _Content(self.parsed, source, kind, "gemini" if issuer is None and _signatures(data) else issuer)
        blocks: list[Block]
        if kind == "tool":
            blocks = [_result(data, content, partial(within_result, source=source, parsed=self.parsed))]
        elif kind == "assistant":
            blocks = _assistant(data, content)
        else:
            blocks = content.blocks(data.get("content"))
            if kind == "system":
                blocks = [SystemBlock(b.text, meta=b.meta) if isinstance(b, TextBlock) else b for b in blocks]
        if data.get("type") in ("chat", "ChatMessageChunk") and str(data.get("role")) not in KINDS:
            self.parsed.role_assumed(source, data.get("role"), "role {} taken as the user's")
        if not blocks:
            self.parsed.empty(data, source)
            return
        if kind != "tool":
            carry(blocks, LANGCHAIN, _message_keys(data, kind))
        truncated = kind == "assistant" and _is_truncated(data, metadata)
        if truncated and isinstance(blocks[-1], ToolUseBlock):
            blocks[-1] = half_written(blocks[-1])
        message = make_message("assistant" if kind == "assistant" else "user", tuple(blocks))
        if kind == "assistant":
            message = with_info(message, data, LANGCHAIN)
        self.parsed.add(message, source, interrupted=truncated)


@final
class _Content:
    """The content of one message."""

    def __init__(self, parsed: Parsed, source: int, role: str, issuer: str | None) -> None:
        self._parsed = parsed
        self._source = source  # the entry of the raw list
        self._role = "assistant" if role == "assistant" else "user"
        self.issuer = issuer  # the dialect of the provider that wrote it; None when it is not known

    def blocks(self, content: object) -> list[Block]:
        """Read content: text, or a list of texts and dicts; empty text is not content."""
        if isinstance(content, str):
            return [text_block(str.__str__(content))] if content else []
        items = as_sequence(content) if content is not None else ()
        groups = item_groups([content] if items is None else items)
        return [block for group in groups for block in self.group(group)]

    def group(self, items: list[Any]) -> list[Block]:
        """Read items that belong together: by their provider's own reader, if they have its form."""
        found = [as_mapping(item) if not isinstance(item, str) else None for item in items]
        known = [data for data in found if data is not None]
        if len(known) == len(items):
            blocks = provider_blocks(known, self._role)
            if blocks:
                return blocks
        return [self.block(item) for item in items]

    def block(self, item: object) -> Block:
        data = as_mapping(item) if not isinstance(item, str) else None
        if isinstance(item, str):
            return text_block(str.__str__(item))
        if data is None:
            self._parsed.note(RepairCode.VALUE_CONVERTED, self._source, detail="an item that is not one, kept as text")
            return text_block(text_of_json(item))
        kind = type_of(data)
        block: Block | None = None
        if kind == "text" and isinstance(data.get("text"), str):
            block = self._text(data)
        elif kind in ("thinking", "redacted_thinking", "reasoning"):
            block = self._thinking(data)
        elif kind in ("image", "image_url"):
            block = _image(data)
        elif kind in ("document", "file", "text-plain"):
            block = _document(data)
        return block if block is not None else ProviderBlock(self.issuer or LANGCHAIN, data)

    def _text(self, data: Mapping[Any, Any]) -> TextBlock:
        extras = as_mapping(data.get("extras")) or {}
        signature = extras.get("signature")
        meta = _extra(data, "text")
        if self.issuer == "gemini" and isinstance(signature, str):
            came, converted = freeze_mapping({LANGCHAIN: {ITEMS: [data]}})
            meta = Meta(extra=came, signature=signature, issuer="gemini", converted=converted)
        return TextBlock(data["text"], meta=meta)

    def _thinking(self, data: Mapping[Any, Any]) -> Block | None:
        kind = data["type"]
        if kind == "redacted_thinking" and isinstance(data.get("data"), str):
            return RedactedThinkingBlock(data["data"], meta=_extra(data, "data", issuer=self.issuer or "anthropic"))
        if kind == "thinking" and isinstance(data.get("thinking"), str):
            issuer = self.issuer or "anthropic"
            meta = _extra(data, "thinking", "signature", issuer=issuer)
            return ThinkingBlock(data["thinking"], _text_or_none(data.get("signature")), meta=meta)
        if kind == "reasoning" and isinstance(data.get("reasoning"), str):
            extras = as_mapping(data.get("extras")) or {}
            others = {key: value for key, value in extras.items() if key != "signature"}
            fields = {**data, "extras": others or None, "form": kind}
            meta = _extra(fields, "reasoning", issuer=self.issuer or LANGCHAIN)
            return ThinkingBlock(data["reasoning"], _text_or_none(extras.get("signature")), meta=meta)
        return None


def _assistant(data: Mapping[Any, Any], content: _Content) -> list[Block]:
    """Read the assistant's message: calls that are in the content too stay where they are there."""
    calls: dict[str, ToolUseBlock] = {}
    nameless: list[ToolUseBlock] = []
    signatures = _signatures(data)
    for read in [*_calls(data)] or _raw_calls(data):
        call = _signed(read, signatures.get(read.id))
        if call.id and call.id not in calls:
            calls[call.id] = call
        else:
            nameless.append(call)
    items = data.get("content")
    if isinstance(items, str):
        return [*content.blocks(items), *calls.values(), *nameless]
    blocks: list[Block] = []
    for group in item_groups(as_sequence(items) or ()):
        part = as_mapping(group[0]) if not isinstance(group[0], str) else None
        if part is None or type_of(part) not in _CALLS:
            blocks += content.group(group)
            continue
        id = next((str(value) for key in ("call_id", "id") if (value := part.get(key))), "")
        same = [call for call in nameless if not call.id and call.name == part.get("name")] if not id else []
        if same:
            nameless.remove(same[0])
        found = calls.pop(id, None) or (same[0] if same else _signed(_call_in_content(id, part), signatures.get(id)))
        blocks.append(_placed(found, part))
    return [*blocks, *calls.values(), *nameless]


def _signatures(data: Mapping[Any, Any]) -> Mapping[str, str]:
    """Return the signatures that langchain-google-genai keeps next to a message, by the ids of its calls."""
    extra = as_mapping(data.get("additional_kwargs")) or {}
    found = as_mapping(extra.get(_SIGNATURES)) or {}
    return {str(id): value for id, value in found.items() if isinstance(value, str)}


def _signed(call: ToolUseBlock, signature: str | None) -> ToolUseBlock:
    if signature is None:
        return call
    return ToolUseBlock(
        call.id, call.name, call.frozen_input, meta=evolve(call.meta or Meta(), signature=signature, issuer="gemini")
    )


_SIGNATURES: Final = "__gemini_function_call_thought_signatures__"


def _is_truncated(data: Mapping[Any, Any], metadata: Mapping[Any, Any]) -> bool:
    """Return whether a reply was truncated: its metadata say so, or it is a sum of chunks without the last."""
    reasons = [str(reason).lower() for key in _ENDS if (reason := metadata.get(key))]
    if not _TRUNCATED.isdisjoint(reasons) or is_unfinished(metadata):
        return True
    return data.get("type") == "AIMessageChunk" and not reasons and data.get("chunk_position") != "last"


_TRUNCATED: Final = TRUNCATED | TRUNCATED_BY_GEMINI
_ENDS: Final = ("finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason", "status")
"""Where the metadata of a reply tell how it ended, by provider."""


def _calls(data: Mapping[Any, Any]) -> Iterator[ToolUseBlock]:
    """Read the calls of a message; in a sum of chunks their text, for `tool_calls` completes what is half there."""
    chunks = as_sequence(data.get("tool_call_chunks"))
    if chunks:
        for item in chunks:
            yield _call({**(as_mapping(item) or {}), "index": None})
        return
    for key in ("tool_calls", "invalid_tool_calls"):
        for item in as_sequence(data.get(key)) or ():
            yield _call(as_mapping(item) or {}, invalid=key == "invalid_tool_calls")


def _raw_calls(data: Mapping[Any, Any]) -> Iterator[ToolUseBlock]:
    """Read calls in the provider's own form: a dump from before langchain-core read them has no others."""
    raw = as_mapping(data.get("additional_kwargs")) or {}
    function = as_mapping(raw.get("function_call"))
    items = [{"function": function}] if function is not None else as_sequence(raw.get("tool_calls"))
    for item in items or ():
        call = as_mapping(item) or {}
        function = as_mapping(call.get("function")) or {}
        yield _call({"id": call.get("id"), "name": function.get("name"), "args": function.get("arguments")})


def _call_in_content(id: str, item: Mapping[Any, Any]) -> ToolUseBlock:
    """Read a call that is in the content only."""
    args = next((item[key] for key in ("args", "input", "arguments") if item.get(key) is not None), None)
    return _call({"id": id, "name": item.get("name"), "args": args})


def _call(item: Mapping[Any, Any], *, invalid: bool = False) -> ToolUseBlock:
    id, name = (value if isinstance(value := item.get(key), str) else "" for key in ("id", "name"))
    args = item.get("args")
    input = as_mapping(args) if not invalid else None
    if input is not None:
        return ToolUseBlock(id, name, input, meta=_extra(item, "id", "name", "args"))
    text = "" if args is None else text_of_json(args)
    meta = _extra({**item, "form": "invalid" if invalid else None}, "id", "name", "args")
    if invalid or parsed_input(text) is not None:
        return call_of_text(id, name, text, meta, keep=True)
    return _lenient_call(id, name, text, meta)


def _lenient_call(id: str, name: str, text: str, meta: Meta | None) -> ToolUseBlock:
    """Read what langchain-core treats as whole arguments and JSON does not: none at all, and line breaks in a text."""
    try:
        found = json.loads(text or "{}", strict=False)
    except (ValueError, RecursionError):
        found = None
    input = found if isinstance(found, dict) else None
    return ToolUseBlock(id, name, input, meta=meta) if input is not None else call_of_text(id, name, text, meta)


def _placed(call: ToolUseBlock, item: Mapping[Any, Any]) -> ToolUseBlock:
    """Let a call remember that it is in the content too, and in which form."""
    meta = call.meta if call.meta is not None else Meta()
    extra: dict[str, Any] = {LANGCHAIN: {**call.extra(LANGCHAIN), "item": item}}
    if type_of(item) == "tool_use":
        # What else a provider's own block says is of use to that provider: a toolset, a caller.
        others = _others(item, "id", "name", "input", "index", "partial_json")
        extra |= {"anthropic": others} if others else {}
    elif type_of(item) in ("function_call", "custom_tool_call") and "call_id" in item:
        others = _others(item, "name", "call_id", "arguments", "input", "index")
        kind = {} if type_of(item) == "function_call" else {"type": type_of(item)}
        extra |= {"openai_responses": {**others, **kind}} if others or kind else {}
    return ToolUseBlock(call.id, call.name, call.frozen_input, meta=evolve(meta, extra=freeze_mapping(extra)[0]))


def _others(item: Mapping[Any, Any], *read: str) -> dict[Any, Any]:
    return {key: value for key, value in item.items() if key not in ("type", *read) and value is not None}


def _result(data: Mapping[Any, Any], content: _Content, within: Callable[..., tuple[Block, ...]]) -> ToolResultBlock:
    id = data.get("tool_call_id")
    kept = {**_message_keys(data, "tool"), "artifact": data.get("artifact")}
    meta = _extra({**kept, "function": True if data.get("type") == "function" else None})
    is_error = data.get("status") == "error"
    blocks = within(content.blocks(data.get("content")))
    return ToolResultBlock(id if isinstance(id, str) else "", blocks, is_error, meta=meta)


def _image(data: Mapping[Any, Any]) -> Block | None:
    if data["type"] == "image_url":
        value = data.get("image_url")
        image = image_of({"url": value} if isinstance(value, str) else as_mapping(value) or {}, LANGCHAIN, {})
        if image is None:
            return None
        kept = {**image.extra(LANGCHAIN), "form": "image_url", "text": True if isinstance(value, str) else None}
        return ImageBlock(image.source, meta=_extra(kept))
    source = as_mapping(data.get("source"))
    if source is not None:
        return ImageBlock(source, meta=_extra({**data, "form": "source"}, "source"))
    source = _source(data)
    return ImageBlock(source, meta=_extra(data, *_PLACES)) if source is not None else None


def _document(data: Mapping[Any, Any]) -> Block | None:
    source, title = as_mapping(data.get("source")), _text_or_none(data.get("title"))
    if data["type"] == "document":
        meta = _extra({**data, "form": "source"}, "source", "title")
        return DocumentBlock(source, title, meta=meta) if source is not None else None
    if data["type"] == "text-plain" and isinstance(data.get("text"), str):
        source = {"type": "text", "media_type": "text/plain", "data": data["text"]}
        return DocumentBlock(source, title, meta=_extra(data, "text", "title", "mime_type"))
    source = _source(data)
    return DocumentBlock(source, title, meta=_extra(data, *_PLACES, "title")) if source is not None else None


_PLACES: Final = ("base64", "url", "file_id", "mime_type")


def _source(data: Mapping[Any, Any]) -> dict[str, Any] | None:
    base64, url, id = data.get("base64"), data.get("url"), data.get("file_id")
    kind = {"media_type": data["mime_type"]} if isinstance(data.get("mime_type"), str) else {}
    if isinstance(base64, str):
        return {"type": "base64", **kind, "data": base64}
    if isinstance(url, str):
        return {"type": "url", "url": url, **kind}
    return {"type": "file", "file_id": id, **kind} if isinstance(id, str) else None


def _message_keys(data: Mapping[Any, Any], kind: str) -> dict[Any, Any]:
    """Take the message's own keys; raw calls among them say what the calls say."""
    read = _READ.get(kind, _OF_ALL)
    kept = {
        key: value
        for key, value in data.items()
        if value is not None and key not in read and not (key in _NOTHING and value == _NOTHING[key])
    }
    extra = as_mapping(kept.get("additional_kwargs"))
    if kind == "assistant" and extra is not None:
        others = {key: value for key, value in extra.items() if key not in ("tool_calls", "function_call")}
        kept["additional_kwargs"] = others or None
    return kept


def _extra(data: Mapping[Any, Any], *read: str, issuer: str | None = None) -> Meta | None:
    """Keep the keys of an item that we have no field for."""
    others = {key: value for key, value in data.items() if key not in ("type", *read) and value is not None}
    if not others:
        return Meta(issuer=issuer) if issuer is not None else None
    extra, converted = freeze_mapping({LANGCHAIN: others})
    return Meta(extra=extra, issuer=issuer, converted=converted)


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None
