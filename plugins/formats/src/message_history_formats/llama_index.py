"""The messages of LlamaIndex: alone, in a chat store, in a memory, in a workflow's context, in a database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.files.request_bodies import held_at
from message_history.formats.kit import (
    BLOCKS,
    STATE,
    Conversations,
    Fit,
    Format,
    blocks_of,
    call,
    calls_of,
    first_of,
    fit_items,
    image,
    json_of,
    result,
    text,
    thinking,
)
from message_history.formats.kit.chat_messages import ROLES
from message_history.formats.kit.document import INSPECTED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Collector, Document, Reading

_MEMORY: Final = "memory"
_WAITING: Final = "scratchpad"
_COLUMNS: Final = ("id", "key", "timestamp", "role", "status", "data")
_ARCHIVED: Final = "archived"


def _is_message(item: Any) -> bool:
    return isinstance(item, dict) and "role" in item and isinstance(item.get("additional_kwargs"), dict)


def _is_marked(item: Mapping[str, Any]) -> bool:
    blocks = item.get("blocks")
    return _is_message(item) and (isinstance(blocks, list) or "content" in item)


def _lists(document: Document) -> list[tuple[str, list[tuple[int, Any]]]]:
    """Return the lists of messages with their keys, the main one first."""
    whole = json_of(document.value) if isinstance(document.value, str) else document.object  # persisted before 0.11
    state = _state(whole)
    memory = _value(json_of(state.get(_MEMORY))) if state else whole
    inner = memory.get("chat_store") if isinstance(memory, dict) else None
    store = (inner if isinstance(inner, dict) else memory).get("store") if isinstance(memory, dict) else None
    if not isinstance(store, dict):
        return [("", _waiting(state) if state else document.numbered_items)]
    main = memory.get("chat_store_key")
    keys = sorted((key for key in store if isinstance(store[key], list)), key=lambda key: key != main)
    found = [(str(key), list(enumerate(store[key]))) for key in keys]
    return [(key, [*each, *_waiting(state)] if key == main else each) for key, each in found]


def _state(whole: Any) -> dict[str, Any]:
    """Return the values of a workflow's context, each of them JSON text; empty for anything else."""
    found = held_at(whole, ("state", "state_data", "_data")) or held_at(whole, ("globals",))
    return found if isinstance(found, dict) and found.keys() & {_MEMORY, _WAITING} else {}


def _value(wrapped: Any) -> Any:
    """Return what a workflow's context holds besides the name of its class."""
    return wrapped.get("value") if isinstance(wrapped, dict) else None


def _waiting(state: Mapping[str, Any]) -> list[tuple[int, Any]]:
    """Return the messages of a run that has not ended: its memory gets them at the end."""
    found = json_of(state.get(_WAITING))
    return list(enumerate(map(_value, found))) if isinstance(found, list) else []


def _tables(document: Document) -> list[tuple[str, list[tuple[int, Any]]]]:
    """Return the rows of the tables of a database that memories are in, by their sessions."""
    database = document.database
    names = [name for name in sorted(database.columns) if database.has(name, *_COLUMNS)] if database else []
    rows = [row for name in names for row in database.rows(name, "timestamp, id")] if database else []
    found: dict[str, list[tuple[int, Any]]] = {}
    for n, row in enumerate(rows):
        found.setdefault(str(row["key"]), []).append((n, row))
    return list(found.items())


def _fit(document: Document) -> Fit:
    if document.database is not None:
        rows = [json_of(row["data"]) for _, each in _tables(document) for _, row in each[:INSPECTED]]
        return Fit.CERTAIN if any(map(_is_message, rows)) else Fit.NONE
    items = [item for _, each in _lists(document) for _, item in each[:INSPECTED] if isinstance(item, dict)]
    return fit_items(items, _is_message, _is_marked)


def _read(document: Document) -> Reading:
    found = Conversations()
    for key, rows in _tables(document):
        collector = found.collector()
        active = [(n, json_of(row["data"])) for n, row in rows if row["status"] != _ARCHIVED]
        collector.omit("messages out of the context", len(rows) - len(active))
        _add_all(collector, active)
        found.add(collector.conversation(BLOCKS, label=f"session {key}" if found else "", id=key))
    for n, (key, messages) in enumerate(_lists(document) if document.database is None else ()):
        collector = found.collector()
        _add_all(collector, messages)
        found.add(collector.conversation(BLOCKS, label=key if n else "", id=key))
    return found.reading()


def _add_all(collector: Collector, messages: list[tuple[int, Any]]) -> None:
    for place, message in messages:
        known = ROLES.get(str(message.get("role")).lower()) if _is_message(message) else None
        if known is None:
            collector.note(place, "an entry that is not a message", message)
        else:
            _add(collector, place, known, message)


def _add(collector: Collector, n: int, role: str, message: Mapping[str, Any]) -> None:
    about = message["additional_kwargs"]
    blocks = message.get("blocks")
    parts = blocks if isinstance(blocks, list) else [message.get("content")]
    made = [block for part in parts for block in _block(part)]
    if role == "system":
        collector.add(n, {"role": "system", "content": made})
    elif role == "tool":
        collector.add_blocks(n, "user", [result(first_of(about, "tool_call_id", "name"), made)])
    else:
        has_calls = any(block.get("type") == "tool_use" for block in made)
        others = calls_of(about.get("tool_calls")) if role == "assistant" and not has_calls else []
        collector.add_blocks(n, role, [*made, *others])


def _block(part: Any) -> list[Any]:
    kind = part.get("block_type") if isinstance(part, dict) else None
    if kind == "text":
        return text(part.get("text"))
    if kind == "thinking":
        return thinking(part.get("content"), (part.get("additional_information") or {}).get("signature"))
    if kind == "tool_call":
        return [call(part.get("tool_call_id"), part.get("tool_name"), part.get("tool_kwargs"))]
    if kind == "image":
        data = part.get("image")
        return [image(part.get("url") or f"data:{part.get('image_mimetype') or 'image/png'};base64,{data}")]
    return [{"type": str(kind), **part}] if kind is not None else blocks_of(part)


LLAMA_INDEX: Final = Format(
    name="llama-index",
    rank=470,
    title="LlamaIndex messages, chat stores, memories (also SQLite) and contexts of workflows",
    files="what `SimpleChatStore.persist()`, `ChatMemoryBuffer.to_dict()`, `Context.to_dict()` and `Memory` write",
    omits="messages out of the context, other values and events of a workflow; a context has no `Memory`",
    unwritten=STATE,
    source="run-llama/llama_index: base/llms/types.py, memory, storage/chat_store, workflows/context (0.10 to 0.14.25)",
    checked="2026-11-23",
    fit=_fit,
    read=_read,
)
