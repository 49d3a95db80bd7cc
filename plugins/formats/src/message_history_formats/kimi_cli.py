"""The context of Kimi CLI, and its wire file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    ChatRows,
    Collector,
    Fit,
    Format,
    Reading,
    add_chat_message,
    blocks_of,
    call,
    fit_items,
    result,
)
from message_history.formats.kit.raw_blocks import arguments_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document

_MARKS: Final = ("_system_prompt", "_usage", "_checkpoint")


def _fit_context(document: Document) -> Fit:
    return fit_items(document.first_rows, lambda row: "role" in row, _is_marked, is_common=True)


def _is_marked(row: Mapping[str, Any]) -> bool:
    """Return whether a row is a record of Kimi CLI, or a reply with thinking in its form."""
    content = row.get("content")
    parts = content if isinstance(content, list) else []
    has_thought = any(isinstance(part, dict) and part.get("type") == "think" and "think" in part for part in parts)
    return row.get("role") in _MARKS or (row.get("role") == "assistant" and has_thought)


def _read_context(document: Document) -> Reading:
    collector = Collector()
    for number, row in document.rows():
        if row.get("role") == "_system_prompt":
            collector.add(number, {"role": "system", "content": str(row.get("content") or "")})
        elif row.get("role") in _MARKS:
            collector.omit(f"{row['role']} records")
        elif not add_chat_message(collector, number, row):
            collector.note(number, "a record of an unknown kind", row)
    return collector.reading(BLOCKS)


_FORM: Final = ChatRows().form()


KIMI_CONTEXT: Final = Format(
    name="kimi-cli",
    rank=200,
    title="Kimi CLI context",
    files="~/.kimi/sessions/*/*/context.jsonl, the output of `kimi --print --output-format stream-json`",
    omits="counts of tokens and checkpoints",
    source="MoonshotAI/kimi-cli: src/kimi_cli/soul/context.py, packages/kosong/src/kosong/message.py",
    checked="2026-07-16",
    fit=_fit_context,
    read=_read_context,
    repair=_FORM.repair,
)


def _is_wire(row: Mapping[str, Any]) -> bool:
    message = row.get("message")
    return "timestamp" in row and isinstance(message, dict) and "type" in message and "payload" in message


def _is_metadata(row: Mapping[str, Any]) -> bool:
    return row.get("type") == "metadata" and "protocol_version" in row


def _fit_wire(document: Document) -> Fit:
    return fit_items(document.first_rows, lambda row: _is_wire(row) or _is_metadata(row), _is_wire)


def _read_wire(document: Document) -> Reading:
    collector = Collector()
    asked: list[tuple[dict[str, Any], list[Any]]] = []
    for number, row in document.rows():
        message = row.get("message")
        if not _is_wire(row) or not isinstance(message, dict) or not isinstance(message["payload"], dict):
            collector.omit("metadata") if _is_metadata(row) else collector.note(
                number, "a row that is not an event", row
            )
            continue
        kind, payload = str(message["type"]), message["payload"]
        if kind in ("TurnBegin", "SteerInput"):
            collector.add_blocks(number, "user", blocks_of(payload.get("user_input")))
        elif kind == "ContentPart":
            collector.add_blocks(number, "assistant", blocks_of(payload))
        elif kind == "ToolCall":
            about = payload.get("function") or {}
            asked.append((call(payload.get("id"), about.get("name"), {}), [about.get("arguments")]))
            collector.add_blocks(number, "assistant", [asked[-1][0]])
        elif kind == "ToolCallPart" and asked:
            asked[-1][1].append(payload.get("arguments_part"))
        elif kind == "ToolResult":
            found = payload.get("return_value") or payload.get("result") or {}
            output = found.get("output") or found.get("message") if isinstance(found, dict) else found
            content = blocks_of(output) if isinstance(output, list) else output
            failed = isinstance(found, dict) and found.get("is_error")
            collector.add_blocks(number, "user", [result(payload.get("tool_call_id"), content, is_error=failed)])
        else:
            collector.omit(f"{kind} events")
    for made, arguments in asked:
        pieces = [piece for piece in arguments if piece]
        made["input"] = arguments_of(pieces[0] if len(pieces) == 1 else "".join(map(str, pieces)))
    return collector.reading(BLOCKS)


KIMI_WIRE: Final = Format(
    name="kimi-wire",
    rank=210,
    title="Kimi CLI wire events",
    files="~/.kimi/sessions/*/*/wire.jsonl",
    omits="steps, status, approvals and other events of the display",
    unwritten="Kimi CLI goes on from context.jsonl, which is `kimi-cli`; this is what it showed",
    source="MoonshotAI/kimi-cli: src/kimi_cli/wire/file.py, types.py",
    checked="2026-07-16",
    fit=_fit_wire,
    read=_read_wire,
)
