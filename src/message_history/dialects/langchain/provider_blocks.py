"""Read the items of a message's content that are in a provider's own form, each by the reader of its provider.

An item becomes the same block as from its provider's own list, so that it is sent there unchanged. What was in the
content is kept with the block, to be written again for LangChain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.core.messages.blocks import ProviderBlock, with_meta
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.values.json_values import FrozenDict, freeze
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence
from message_history.dialects.anthropic import Anthropic
from message_history.dialects.bedrock import Bedrock
from message_history.dialects.bedrock.schema import BLOCKS
from message_history.dialects.langchain.schema import LANGCHAIN
from message_history.dialects.openai_responses import OpenAIResponses

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.dialects.base import Dialect

ITEMS: Final = "content_items"
"""The key, among a block's own keys, of the items of content that it stood for."""
_CONVERSE: Final = frozenset({"image", "document", "video"})
_MESSAGE: Final = frozenset({"text", "output_text", "refusal"})
_OF_RESPONSES: Final = frozenset(
    {"apply_patch_call", "shell_call", "local_shell_call", "computer_call", "web_search_call", "file_search_call"}
    | {"code_interpreter_call", "image_generation_call", "mcp_call", "mcp_list_tools", "mcp_approval_request"}
    | {"compaction", "tool_search_call"}
)


def type_of(item: Mapping[Any, Any]) -> str:
    """Return the type of an item; empty for one that names none, or one that is not text."""
    kind = item.get("type")
    return kind if isinstance(kind, str) else ""


def item_groups(items: Iterable[object]) -> list[list[Any]]:
    """Group what is one item of a provider: the texts of one message, the summaries of one reasoning."""
    groups: list[list[Any]] = []
    before: tuple[str, str] | None = None
    for item in items:
        key = _key(item)
        if key is not None and key == before:
            groups[-1].append(item)
        else:
            groups.append([item])
        before = key
    return groups


def _key(item: object) -> tuple[str, str] | None:
    """Return what the items of one group have in common; None for an item by itself."""
    data = as_mapping(item) if not isinstance(item, str) else None
    id = data.get("id") if data is not None else None
    if data is None or not isinstance(id, str) or not id.startswith(("msg_", "rs_")):
        return None
    kind = type_of(data)
    return ("message" if kind in _MESSAGE else kind, id) if kind in _MESSAGE or kind == "reasoning" else None


def provider_blocks(items: Sequence[Mapping[Any, Any]], role: str) -> list[Block]:
    """Read a group of items in a provider's own form; none when they are in no such form."""
    first = items[0]
    kind = type_of(first)
    dialect, entry = _entry(items, first, kind, role)
    blocks: list[Block] = []
    if dialect is None:
        blocks += _media(first) if kind == "media" else []
    else:
        blocks += [block for message in dialect.parse([entry]).messages for block in message.content]
    # The first block stands for all items of the group, the others for none.
    return [_with_items(block, items if n == 0 else ()) for n, block in enumerate(blocks)]


def _entry(
    items: Sequence[Mapping[Any, Any]], first: Mapping[Any, Any], kind: str, role: str
) -> tuple[Dialect[Any] | None, Any]:
    """Return the dialect whose form a group has, and the entry of its list that says the same."""
    converse = _converse(first, kind)
    if converse is not None:
        return Bedrock(), {"role": role, "content": [converse]}
    if kind == "tool_result":
        return Anthropic(), {"role": "user", "content": [_without_index(first)]}
    if role != "assistant":
        return None, None
    if kind in ("refusal", "output_text") or _key(first) == ("message", first.get("id")):
        return OpenAIResponses(), _message(items)
    if kind == "reasoning" and _is_of_responses(items):
        return OpenAIResponses(), _reasoning(items)
    return (OpenAIResponses(), _without_index(first)) if kind in _OF_RESPONSES else (None, None)


def _converse(item: Mapping[Any, Any], kind: str) -> dict[str, Any] | None:
    """Return an item as a block of Converse, in which langchain-aws takes and gives it; None for any other."""
    if not kind and item.keys() & BLOCKS and "type" not in item:
        return dict(item)
    if kind in _CONVERSE and as_mapping(item.get(kind)) is not None:
        return {kind: item[kind]}
    if kind == "guard_content" and isinstance(item.get("text"), str):
        return {"guardContent": {"text": {"text": item["text"]}}}
    if kind != "reasoning_content":
        return None
    reasoning = as_mapping(item.get("reasoning_content", item.get("reasoningContent"))) or {}
    text = reasoning.get("text") if "reasoningText" not in reasoning else None
    if isinstance(text, str):
        signed = {"signature": reasoning["signature"]} if isinstance(reasoning.get("signature"), str) else {}
        return {"reasoningContent": {"reasoningText": {"text": text, **signed}}}
    return {"reasoningContent": dict(reasoning)} if reasoning else None


def _message(items: Sequence[Mapping[Any, Any]]) -> dict[str, Any]:
    """Return the message of the Responses API that a group of texts and refusals was."""
    parts: list[dict[str, Any]] = []
    phase: dict[str, Any] = {}
    for item in items:
        extras = as_mapping(item.get("extras")) or {}
        value = item.get("phase", extras.get("phase"))
        phase = {"phase": value} if isinstance(value, str) else phase
        if type_of(item) == "refusal":
            parts.append({"type": "refusal", "refusal": item.get("refusal")})
        else:
            annotations = {"annotations": item["annotations"]} if item.get("annotations") else {}
            parts.append({"type": "output_text", "text": item.get("text"), **annotations})
    id = items[0].get("id")
    own = {"id": id, "status": "completed"} if isinstance(id, str) and id.startswith("msg_") else {}
    return {"type": "message", "role": "assistant", **own, **phase, "content": parts}


def _is_of_responses(items: Sequence[Mapping[Any, Any]]) -> bool:
    return any(
        item.keys() & {"summary", "encrypted_content"}
        or "encrypted_content" in (as_mapping(item.get("extras")) or {})
        or str(item.get("id", "")).startswith("rs_")
        for item in items
    )


def _reasoning(items: Sequence[Mapping[Any, Any]]) -> dict[str, Any]:
    """Return the reasoning of the Responses API that a group of items was, in either form of langchain-openai."""
    found: dict[str, Any] = {"type": "reasoning"}
    summary: list[Any] = []
    for item in items:
        extras = as_mapping(item.get("extras")) or {}
        for key in ("id", "encrypted_content", "status", "content"):
            value = item.get(key, extras.get(key))
            if value is not None:
                found[key] = value
        if isinstance(item.get("reasoning"), str):
            summary.append({"type": "summary_text", "text": item["reasoning"]})
        for part in as_sequence(item.get("summary")) or ():
            data = as_mapping(part) if not isinstance(part, str) else None
            summary.append(_without_index(data) if data is not None else {"type": "summary_text", "text": str(part)})
    return {**found, "summary": summary}


def _media(item: Mapping[Any, Any]) -> list[Block]:
    kind, data, uri = item.get("mime_type"), item.get("data"), item.get("file_uri")
    if not isinstance(kind, str):
        return []
    if isinstance(data, str):
        source, part = {"type": "base64", "media_type": kind, "data": data}, {"mimeType": kind, "data": data}
    elif isinstance(uri, str):
        held = {"url": uri} if uri.startswith("http") else {"file_id": uri}
        source = {"type": "url" if "url" in held else "file", **held, "media_type": kind}
        part = {"mimeType": kind, "fileUri": uri}
    else:
        return []
    if kind.startswith(("audio/", "video/")):
        return [ProviderBlock("gemini", {"inlineData" if "data" in part else "fileData": part})]
    return [ImageBlock(source) if kind.startswith("image/") else DocumentBlock(source)]


def _without_index(item: Mapping[Any, Any]) -> dict[str, Any]:
    return {key: value for key, value in item.items() if key != "index"}


def _with_items(block: Block, items: Sequence[Mapping[Any, Any]]) -> Block:
    frozen, converted = freeze(list(map(dict, items)))
    extra = block.meta.extra if block.meta is not None else {}
    noted = block.meta.converted if block.meta is not None else ()
    own = {LANGCHAIN: FrozenDict({ITEMS: frozen})}
    return with_meta(block, extra=FrozenDict({**extra, **own}), converted=(*noted, *converted))
