"""The chat history of Grok's command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    ChatRows,
    Collector,
    Format,
    Reading,
    call,
    image,
    json_text,
    objects_in,
    result,
    row_fit,
    text,
    text_of,
    thinking,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document

_KINDS: Final = frozenset({"system", "user", "assistant", "tool_result", "reasoning", "backend_tool_call"})
_MARKS: Final = frozenset({"prompt_index", "synthetic_reason", "model_id", "model_fingerprint"})


def _is_row(row: Mapping[str, Any]) -> bool:
    return row.get("type") in _KINDS and not row.keys() & {"message", "uuid", "session_id", "step_index", "timestamp"}


def _is_marked(row: Mapping[str, Any]) -> bool:
    return _is_row(row) and (bool(row.keys() & _MARKS) or row.get("type") == "backend_tool_call")


def _read(document: Document) -> Reading:
    collector = Collector()
    for number, row in document.rows():
        _add(collector, number, row)
    return collector.reading(BLOCKS)


def _add(collector: Collector, number: int, row: Mapping[str, Any]) -> bool:
    """Add a row; return whether its type is known."""
    kind = row.get("type")
    if kind == "system":
        collector.add(number, {"role": "system", "content": text_of(row.get("content"))})
    elif kind == "user":
        collector.add_blocks(number, "user", _content(row.get("content")))
    elif kind == "assistant":
        calls = objects_in(row.get("tool_calls"))
        made = [call(each.get("id"), each.get("name"), each.get("arguments")) for each in calls]
        collector.add_blocks(number, "assistant", [*_content(row.get("content")), *made])
    elif kind == "tool_result":
        content = row.get("content")
        made_of = _content(content) if isinstance(content, list) else content
        collector.add_blocks(number, "user", [result(row.get("tool_call_id"), made_of)])
    elif kind == "reasoning":
        summary = thinking("\n\n".join(map(text_of, row.get("summary") or [])))
        secret = {"encrypted_content": row.get("encrypted_content"), "reasoning_id": row.get("id")}
        collector.add_blocks(number, "assistant", [{**block, **secret} for block in summary])
        if not summary:
            collector.omit("reasoning without a summary")
    elif kind == "backend_tool_call":
        collector.add_blocks(number, "assistant", [dict(row)])
    else:
        collector.note(number, f"a row of the unknown type {kind!r}", row)
        return False
    return True


def _content(content: object) -> list[Any]:
    if not isinstance(content, list):
        return text(content)
    return [block for item in content for block in _block(item)]


def _block(item: Any) -> list[Any]:
    kind = item.get("type") if isinstance(item, dict) else None
    if kind == "text":
        return text(item.get("text"))
    return [image(item.get("url"))] if kind == "image" else [item]


def _call(made: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": made["id"], "name": made["name"], "arguments": json_text(made["input"])}


_FORM: Final = ChatRows(role_key="type", result_role="tool_result", call=_call, add=_add).form()


GROK_CLI: Final = Format(
    name="grok-cli",
    rank=180,
    title="Grok CLI chat history",
    files="~/.grok/sessions/*/*/chat_history.jsonl",
    omits="encrypted reasoning without a summary",
    source="files of 2026, and jazzyalex/agent-sessions: GrokSessionParser.swift (no public source)",
    checked="2026-11-22",
    fit=row_fit(_is_row, _is_marked),
    read=_read,
    repair=_FORM.repair,
)
