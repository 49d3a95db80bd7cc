"""The messages that Cline and Roo Code go on with: blocks of the Messages API's form, and some of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import BLOCKS, Collector, Fit, Format, Reading, image, text, text_of, thinking
from message_history.formats.kit.message_rows import RowForm, dialect_items

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history import Message
    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Role
    from message_history.formats.kit import Document
    from message_history.formats.kit.message_rows import Items
    from message_history.formats.kit.splicing import Line

_ROLES: Final = ("user", "assistant")
_KINDS: Final = frozenset(
    {
        *("text", "image", "document", "file", "media", "tool_use", "tool_result", "thinking", "redacted_thinking"),
        *("reasoning", "thoughtSignature"),
    }
)
_OWN: Final = ("file", "reasoning", "thoughtSignature")
_MARKS: Final = ("ts", "modelInfo", "isSummary", "condenseParent", "truncationParent", "isTruncationMarker")


def _rows(document: Document) -> list[Any]:
    found = document.object.get("messages", document.value)
    return found if isinstance(found, list) else []


def _kinds(row: Mapping[str, Any]) -> list[Any]:
    content = row.get("content")
    items = [item for item in content if isinstance(item, dict)] if isinstance(content, list) else []
    return [item.get("type") if _kind(item) != "file" or _is_file(item) else None for item in items]


def _is_file(item: Mapping[str, Any]) -> bool:
    """Return whether a file is Cline's, with its text; those of APIs have other keys."""
    return isinstance(item.get("path"), str) and isinstance(item.get("content"), str)


def _is_row(row: Any) -> bool:
    if not isinstance(row, dict):
        return False
    if row.get("type") == "reasoning":
        return "ts" in row
    is_message = row.get("role") in _ROLES and isinstance(row.get("content"), str | list)
    return is_message and "tool_calls" not in row and _KINDS.issuperset(_kinds(row))


def _is_marked(row: Mapping[str, Any]) -> bool:
    has_own = any(kind in _OWN for kind in _kinds(row)) or row.get("type") == "reasoning"
    return has_own or (bool(_kinds(row)) and any(key in row for key in _MARKS))


def _fit(document: Document) -> Fit:
    about, rows = document.object, _rows(document)
    if about:
        is_session = isinstance(about.get("sessionId"), str) and "agent" in about and "version" in about
        if not is_session or "messages" not in about:
            return Fit.NONE
    elif not any(_is_row(row) and _is_marked(row) for row in rows):
        return Fit.NONE
    return Fit.CERTAIN if all(map(_is_row, rows)) else Fit.NEAR


def _sent(rows: Sequence[Any]) -> list[int]:
    """Return the positions of what is sent: the newest summary and what follows, without what was cut off."""
    summaries = [n for n, row in enumerate(rows) if isinstance(row, dict) and row.get("isSummary") is True]
    known = {row.get(key) for row in rows if isinstance(row, dict) for key in ("condenseId", "truncationId")} - {None}

    def is_left(row: Any) -> bool:
        return isinstance(row, dict) and not any(
            row.get(key) in known for key in ("condenseParent", "truncationParent")
        )

    return [n for n in range(summaries[-1] if summaries else 0, len(rows)) if is_left(rows[n])]


def _read(document: Document) -> Reading:
    collector, rows = Collector(), _rows(document)
    if isinstance(document.object.get("system_prompt"), str):
        collector.add(0, {"role": "system", "content": document.object["system_prompt"]})
    sent = set(_sent(rows))
    for n, row in enumerate(rows):
        if not _is_row(row):
            collector.note(n, "an item that is not a message", row)
        elif n not in sent:
            collector.omit("messages that a summary takes the place of, or that were cut off")
        elif row.get("type") == "reasoning":
            written = thinking(text_of(row.get("summary")) or row.get("text"))
            collector.add_blocks(n, "assistant", written)
            collector.omit("encrypted reasoning", int(not written))
        else:
            role, items = _items(row)
            collector.add_blocks(n, role, [*thinking(row.get("reasoning_content")), *_blocks(items, collector)])
    return collector.reading(BLOCKS, id=document.object.get("sessionId"))


def _blocks(items: Sequence[Any], collector: Collector) -> list[Any]:
    collector.omit("signatures of thoughts", sum(_kind(item) == "thoughtSignature" for item in items))
    return [block for item in items for block in _parse(item)]


def _kind(item: Any) -> object:
    return item.get("type") if isinstance(item, dict) else None


def _items(row: Mapping[str, Any]) -> Items:
    content = row.get("content")
    items = [{"type": "text", "text": content}] if isinstance(content, str) else content
    role = row.get("role")
    return "assistant" if role == "assistant" else "user", list(items) if isinstance(items, list) else []


def _parse(item: Any) -> list[Any]:
    kind = _kind(item)
    if kind == "text":
        return text(item.get("text"))
    if kind == "file":
        return text(f'<file_content path="{item.get("path")}">\n{item.get("content")}\n</file_content>')
    if kind == "thinking":
        return thinking(item.get("thinking"), item.get("signature"))
    if kind == "reasoning":
        return thinking(text_of(item.get("summary")) or item.get("text"))
    if kind == "image" and isinstance(item.get("data"), str):
        return [image(f"data:{item.get('mediaType')};base64,{item['data']}")]
    if kind == "tool_use":
        return [{key: item[key] for key in ("type", "id", "name", "input") if key in item}]
    if kind == "tool_result":
        return [_result(item)]
    return [] if kind == "thoughtSignature" else [item]


def _result(item: Mapping[str, Any]) -> dict[str, Any]:
    made = {key: item[key] for key in ("type", "tool_use_id", "content", "is_error") if key in item}
    content = item.get("content")
    if isinstance(content, list):
        made["content"] = [block for each in content for block in _parse(each)]
    return made


def _path(lines: Sequence[Line]) -> list[int]:
    rows = [line.value for line in lines]
    return [n for n in _sent(rows) if isinstance(rows[n], dict) and _items(rows[n] or {})[1]]


def _write(role: Role, block: Block, before: Message | None) -> list[Any]:
    names = {each.id: each.name for each in before.calls} if before is not None else {}
    made = dialect_items(BLOCKS, "content", role, block, before)
    return [
        {**item, "name": names.get(item.get("tool_use_id"), "")} if item.get("type") == "tool_result" else item
        for item in made
    ]


def _make(role: Role, items: list[Any], like: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"role": role, "content": items, **({"ts": like["ts"]} if "ts" in like else {})}]


_FORM: Final = RowForm(
    list_key="messages", path=_path, items=_items, parse=_parse, write=_write, make=_make, id_key="id"
)


CLINE: Final = Format(
    name="cline",
    rank=330,
    title="Cline and Roo Code: the messages that they go on with",
    files="globalStorage/saoudrizwan.claude-dev/tasks/*/api_conversation_history.json, ~/.cline/data/sessions/*/*.json",
    omits="messages that a summary takes the place of or that were cut off, encrypted reasoning",
    source="cline/cline: sdk/packages/shared/src/llms/messages.ts, core/storage/disk.ts; RooCodeInc/Roo-Code: "
    "src/core/task-persistence/apiMessages.ts, src/core/condense",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    repair=_FORM.repair,
)
