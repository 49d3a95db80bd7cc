"""Blocks that only the Converse API knows, and whether they are whole enough to be sent back there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from message_history.core.messages.blocks import ProviderBlock, is_blank
from message_history.core.values.json_values import FrozenDict, thaw
from message_history.dialects.bedrock import schema
from message_history.dialects.bedrock.parse import BEDROCK

if TYPE_CHECKING:
    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message


def beyond(came: Mapping[str, Any], sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of an object that are not sent, or otherwise; of an object within it, only those in it."""
    rest: dict[str, Any] = {}
    for key, value in came.items():
        if isinstance(value, FrozenDict) and isinstance(sent.get(key), Mapping):
            inner = beyond(value, sent[key])
            if inner:
                rest[key] = FrozenDict(inner)
        elif key not in sent or sent[key] != value:
            rest[key] = value
    return rest


def kind_of(block: Block) -> str:
    if not isinstance(block, ProviderBlock) or block.dialect != BEDROCK or len(block.data) != 1:
        return ""
    return next(iter(block.data))


def served_pairs(message: Message) -> frozenset[int]:
    """Find the positions of the model's own calls whose result is in the same message, and of these (BR-B30)."""
    calls = frozenset(message.ids)
    called: dict[str, int] = {}
    pairs: dict[str, tuple[int, int]] = {}
    for position, block in enumerate(message.content):
        id = server_id(block)
        if id is None or id in calls or id in pairs:
            continue
        if kind_of(block) == "toolUse":
            called.setdefault(id, position)
        elif id in called:
            pairs[id] = called[id], position
    return frozenset(position for pair in pairs.values() for position in pair)


def server_id(block: Block) -> str | None:
    """Return the id of a whole call, or result, of one of the model's own tools; None for any other block."""
    kind = kind_of(block)
    value = block.data[kind] if isinstance(block, ProviderBlock) and kind in ("toolUse", "toolResult") else None
    if not isinstance(value, FrozenDict):
        return None
    id, content = value.get("toolUseId"), value.get("content")
    if not isinstance(id, str) or not 0 < len(id) <= schema.ID_LIMIT or not schema.ID.fullmatch(id):
        return None
    if kind == "toolUse":
        known = {"toolUseId", "name", "input", "type"}
        name, fits = value.get("name"), isinstance(value.get("input"), FrozenDict)
        fits = fits and isinstance(name, str) and len(name) <= schema.NAME_LIMIT and bool(schema.NAME.fullmatch(name))
    else:
        known = {"toolUseId", "content", "type", "status"}
        fits = isinstance(content, tuple) and bool(content) and all(map(_is_plain_part, content))
        fits = fits and value.get("status") in (None, "success", "error") and isinstance(value.get("type", ""), str)
    return id if fits and value.keys() <= known else None


def _is_plain_part(part: object) -> bool:
    """Return whether a part of a server tool's result is JSON or text."""
    is_json = isinstance(part, FrozenDict) and len(part) == 1 and isinstance(part.get("json"), FrozenDict)
    return is_json or _is_text(part)


def is_search_result(value: FrozenDict) -> bool:
    """Return whether a search result holds what it must, and nothing that the API does not know."""
    content, citations = value.get("content"), value.get("citations")
    if not all(isinstance(value.get(key), str) for key in ("source", "title")):
        return False
    if citations is not None and not _is_switch(citations):
        return False
    return isinstance(content, tuple) and bool(content) and all(map(_is_text, content))


def cited_of(value: FrozenDict) -> FrozenDict | None:
    """Return an answer with its citations as the API takes it back. Returns None when it is not whole."""
    content, citations = value.get("content"), value.get("citations")
    if not isinstance(content, tuple) or not all(map(_is_text, content)) or not isinstance(citations, tuple):
        return None
    return FrozenDict({"content": content, "citations": citations})


def _is_text(part: object) -> bool:
    text = part.get("text") if isinstance(part, FrozenDict) and len(part) == 1 else None
    return isinstance(text, str) and not is_blank(text)


def _is_switch(value: object) -> bool:
    return isinstance(value, FrozenDict) and len(value) == 1 and isinstance(value.get("enabled"), bool)


def qualifiers_of(guard: FrozenDict) -> dict[str, Any]:
    """Return the qualifiers of a text that a guardrail is to look at, as a part of its block."""
    found = guard.get("qualifiers")
    known = ("grounding_source", "query", "guard_content")
    return {"qualifiers": thaw(found)} if isinstance(found, tuple) and found and set(found) <= set(known) else {}
