"""The conversations of an export of claude.ai."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    EXPORTED,
    NOTHING_JUDGED,
    Conversations,
    Fit,
    Format,
    call,
    fit_items,
    objects_in,
    result,
    text,
    thinking,
)
from message_history_formats.chatgpt_export import branch_to

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Collector, Document, Reading

_NOT_SENT: Final = ("token_budget", "flag")


def _fit(document: Document) -> Fit:
    return fit_items(document.first_items, lambda item: isinstance(item.get("chat_messages"), list))


def _read(document: Document) -> Reading:
    found = Conversations()
    for n, item in document.numbered_items:
        collector = found.collector()
        messages = item.get("chat_messages") if isinstance(item, dict) else None
        if not isinstance(item, dict) or not isinstance(messages, list):
            collector.note(n, "an item that is not a conversation", item)
        else:
            for m, message in enumerate(_branch(item, messages, collector)):
                _add(collector, n, m, message)
            label = f"conversation {n + 1}" if n else ""
            found.add(collector.conversation(BLOCKS, label=label, id=item.get("uuid"), title=item.get("name")))
    return found.reading()


def _branch(conversation: Mapping[str, Any], messages: list[Any], collector: Collector) -> list[Any]:
    """Return the messages of the current branch; older exports hold one branch without links."""
    by_id = {each["uuid"]: each for each in messages if isinstance(each, dict) and isinstance(each.get("uuid"), str)}
    linked = sum(each.get("parent_message_uuid") in by_id for each in by_id.values())
    if len(by_id) < len(messages) or not linked:
        return messages
    path = branch_to(by_id, conversation.get("current_leaf_message_uuid"), "parent_message_uuid")
    if len(path) < len(messages):
        collector.omit("messages on another branch", len(messages) - len(path))
    return path


def _add(collector: Collector, n: int, m: int, message: Any) -> None:
    sender = message.get("sender") if isinstance(message, dict) else None
    if sender not in ("human", "assistant"):
        collector.note(n, f"a message of the unknown sender {sender!r}", message)
        return
    role = "user" if sender == "human" else "assistant"
    files = objects_in(message.get("files"))
    collector.add_blocks(n, role, [block for each in message.get("attachments") or [] for block in _attachment(each)])
    collector.add_blocks(n, role, [block for each in files for block in text(f"[attached: {each.get('file_name')}]")])
    content = message.get("content")
    items = content if isinstance(content, list) and content else [{"type": "text", "text": message.get("text")}]
    last_call = ""
    for k, item in enumerate(items):
        kind = item.get("type") if isinstance(item, dict) else None
        if kind == "text":
            collector.add_blocks(n, role, text(item.get("text")))
        elif kind == "thinking":
            collector.add_blocks(n, role, thinking(item.get("thinking"), item.get("signature")))
        elif kind == "tool_use":
            last_call = str(item.get("id") or f"message_{m}_{k}")
            collector.add_blocks(n, "assistant", [call(last_call, item.get("name"), item.get("input"))])
        elif kind == "tool_result":
            made = result(item.get("tool_use_id") or last_call, item.get("content"), is_error=item.get("is_error"))
            collector.add_blocks(n, "user", [made])
        elif kind in _NOT_SENT:
            collector.omit(f"{kind} items")
        else:
            collector.note(n, f"an item of the unknown type {kind!r}", item)


def _attachment(each: Any) -> list[Any]:
    if not isinstance(each, dict):
        return []
    return text(f"[attached: {each.get('file_name')}]\n{each.get('extracted_content') or ''}")


CLAUDE_EXPORT: Final = Format(
    name="claude-export",
    rank=530,
    title="claude.ai data exports",
    files="conversations.json of the export",
    omits="messages on other branches, files (their names are kept)",
    unwritten=EXPORTED,
    source="exports of 2024 to 2026; no public source",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
