"""The entries of Mistral's Conversations: what went in, what came out, calls, results and hand-overs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    Collector,
    Fit,
    Format,
    Reading,
    blocks_of,
    call,
    fit_items,
    json_text,
    result,
    thinking,
)
from message_history.formats.kit.message_rows import RowForm, dialect_items
from message_history_formats.agent_framework_rows import result_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message, Role
    from message_history.formats.kit import Document

_KINDS: Final = (
    *("message.input", "message.output", "function.call", "function.result", "tool.execution", "agent.handoff"),
)
_LISTS: Final = ("entries", "outputs", "inputs", "messages")


def _entries(document: Document) -> list[tuple[int, Any]]:
    found = next((document.object[key] for key in _LISTS if isinstance(document.object.get(key), list)), None)
    return list(enumerate(found)) if found is not None else document.numbered_items


def _is_entry(entry: Mapping[str, Any]) -> bool:
    return entry.get("type") in _KINDS


def _fit(document: Document) -> Fit:
    return fit_items([entry for _, entry in _entries(document)[:60] if isinstance(entry, dict)], _is_entry)


def _read(document: Document) -> Reading:
    collector = Collector()
    for n, entry in _entries(document):
        _add(collector, n, entry)
    return collector.reading(BLOCKS, id=document.object.get("conversation_id"))


def _add(collector: Collector, n: int, entry: Any) -> None:
    if not isinstance(entry, dict):
        collector.note(n, "an entry that is not one", entry)
    elif entry.get("type") in ("message.input", "message.output") or ("type" not in entry and "role" in entry):
        default = "assistant" if entry.get("type") == "message.output" else "user"
        role = str(entry["role"]) if entry.get("role") in ("user", "assistant") else default
        collector.add_blocks(n, role, _blocks(entry.get("content")))
        if role == "assistant":
            collector.reply(entry, "mistral")
    elif entry.get("type") == "function.call":
        made = call(entry.get("tool_call_id"), entry.get("name"), entry.get("arguments"))
        collector.add_blocks(n, "assistant", [made])
    elif entry.get("type") == "function.result":
        collector.add_blocks(n, "user", [result(entry.get("tool_call_id"), entry.get("result"))])
    elif entry.get("type") == "tool.execution":
        # The service ran it: what it gave is in what came out.
        collector.add_blocks(n, "assistant", [call(entry.get("id"), entry.get("name"), entry.get("arguments"))])
        collector.add_blocks(n, "user", [result(entry.get("id"), json_text(entry.get("info") or {}))])
    elif entry.get("type") == "agent.handoff":
        collector.omit("hand-overs to another agent")
    else:
        collector.note(n, f"an entry of the unknown type {entry.get('type')!r}", entry)


def _blocks(content: Any) -> list[Any]:
    """Return the chunks of a message as blocks; thinking is a list of chunks itself."""
    made: list[Any] = []
    for chunk in content if isinstance(content, list) else [content]:
        is_thinking = isinstance(chunk, dict) and chunk.get("type") == "thinking"
        inner = chunk.get("thinking") if is_thinking else None
        if isinstance(inner, list):
            made += thinking("".join(str(each.get("text", "")) for each in inner if isinstance(each, dict)))
        else:
            made += blocks_of([chunk]) if isinstance(chunk, dict) else blocks_of(chunk)
    return made


def _parsed(entry: Any) -> list[Any]:
    collector = Collector()
    _add(collector, 0, entry)
    return [block for made in collector.entries for block in made["content"]]


def _items(entry: Mapping[str, Any]) -> tuple[Role, list[dict[str, Any]]]:
    """Return an entry as one item; what the service ran itself is a call with its result, and is left alone."""
    kind = entry.get("type", "message.input" if "role" in entry else "")
    if kind not in ("message.input", "message.output", "function.call", "function.result"):
        return "user", []
    is_assistant = kind in ("message.output", "function.call") or entry.get("role") == "assistant"
    return "assistant" if is_assistant and kind != "function.result" else "user", [dict(entry)]


def _written(role: Role, block: Block, before: Message | None) -> list[Any]:
    return [_entry(role, made) for made in dialect_items(BLOCKS, "content", role, block, before)]


def _entry(role: Role, made: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was made as an entry that a request may hold."""
    if made.get("type") == "tool_use":
        about = {"tool_call_id": made["id"], "name": made["name"], "arguments": json_text(made["input"])}
        return {"type": "function.call", **about}
    if made.get("type") == "tool_result":
        return {"type": "function.result", "tool_call_id": made["tool_use_id"], "result": result_text(made)}
    kind = "message.output" if role == "assistant" else "message.input"
    return {"type": kind, "role": role, "content": str(made.get("text", ""))}


def _place(whole: dict[str, Any]) -> tuple[dict[str, Any], str] | None:
    return next(((whole, key) for key in _LISTS if isinstance(whole.get(key), list)), None)


_ROWS: Final = RowForm(
    list_key=_LISTS[0],
    place=_place,
    items=_items,
    parse=_parsed,
    with_items=lambda row, _: row,
    write=_written,
    make=lambda _, items, like: [
        {**({"object": like["object"]} if "object" in like else {}), **each} for each in items
    ],
)


MISTRAL_CONVERSATIONS: Final = Format(
    name="mistral-conversations",
    rank=637,
    title="Conversations of Mistral's API for agents",
    files="`GET /v1/conversations/*/history`, and the `inputs` of a request",
    omits="hand-overs to another agent",
    source="mistralai/client-python: docs/models/conversationhistory.md, messageoutputentry.md, functioncallentry.md",
    checked="2026-11-23",
    fit=_fit,
    read=_read,
    repair=_ROWS.repair,
)
