"""The exports of LibreChat: messages in a tree, nested or with the ids of their parents."""

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
    objects_in,
    result,
    text,
    text_of,
    thinking,
)
from message_history_formats.chatgpt_export import branch_to

if TYPE_CHECKING:
    from message_history.formats.kit import Collector, Document, Reading


def _is_message(item: Any) -> bool:
    return isinstance(item, dict) and "messageId" in item and "isCreatedByUser" in item


def _listed(document: Document) -> Any:
    """Return the messages, under the name that an export of their tree has, or of the path to the newest."""
    about = document.object
    return about.get("messages", about.get("messagesTree", document.value))


def _fit(document: Document) -> Fit:
    messages = _listed(document)
    if not isinstance(messages, list) or not messages or not all(map(_is_message, messages)):
        return Fit.NONE
    return Fit.CERTAIN


def _read(document: Document) -> Reading:
    found = Conversations()
    flat = _flat(_listed(document))
    parts: dict[object, list[dict[str, Any]]] = {}
    for message in flat:
        # What is taken out of the database is of all conversations.
        parts.setdefault(message.get("conversationId"), []).append(message)
    for id, messages in parts.items():
        collector = found.collector()
        path = branch_to({str(each["messageId"]): each for each in messages}, None, "parentMessageId")
        if len(path) < len(messages):
            collector.omit("messages on another branch", len(messages) - len(path))
        for n, message in enumerate(path):
            _add(collector, n, message)
        about = {"id": id, "title": None} if len(parts) > 1 else _about(document, id)
        label = f"conversation {id}" if found else ""
        found.add(collector.conversation(BLOCKS, label=label, **about))
    return found.reading()


def _about(document: Document, id: object) -> dict[str, Any]:
    return {"id": document.object.get("conversationId", id), "title": document.object.get("title")}


def _flat(messages: list[Any]) -> list[dict[str, Any]]:
    """Return nested messages in a row, each with its parent, the newest branch last."""
    found: list[dict[str, Any]] = []
    waiting = [(each, each.get("parentMessageId")) for each in reversed(messages)]
    while waiting:
        message, parent = waiting.pop()
        found.append({**message, "parentMessageId": parent})
        children = [each for each in message.get("children") or [] if _is_message(each)]
        waiting += [(each, message["messageId"]) for each in reversed(children)]
    return found


def _add(collector: Collector, n: int, message: dict[str, Any]) -> None:
    if message.get("isCreatedByUser") is True:
        files = objects_in(message.get("files"))
        names = [block for each in files for block in text(f"[attached: {each.get('filename')}]")]
        collector.add_blocks(n, "user", [*names, *text(message.get("text") or text_of(message.get("content")))])
        return
    content = message.get("content")
    parts: list[Any] = (
        content if isinstance(content, list) and content else [{"type": "text", "text": message.get("text")}]
    )
    for part in parts:
        if not isinstance(part, dict):
            collector.add_blocks(n, "assistant", text(str(part)))
            continue
        kind = part.get("type")
        if kind == "text":
            value = part.get("text")
            collector.add_blocks(n, "assistant", text(value.get("value") if isinstance(value, dict) else value))
        elif kind == "think":
            collector.add_blocks(n, "assistant", thinking(text_of(part.get("think"))))
        elif kind == "tool_call" and isinstance(part.get("tool_call"), dict):
            made = part["tool_call"]
            about: dict[str, Any] = made["function"] if isinstance(made.get("function"), dict) else made
            arguments = about.get("arguments", about.get("args"))
            collector.add_blocks(n, "assistant", [call(made.get("id"), about.get("name"), arguments)])
            if about.get("output") is not None:
                collector.add_blocks(n, "user", [result(made.get("id"), about["output"])])
        elif kind == "error":
            collector.omit("errors of replies")
        else:
            collector.add_blocks(n, "assistant", [part])


LIBRECHAT: Final = Format(
    name="librechat",
    rank=560,
    title="LibreChat exports",
    files="the JSON that a conversation is exported to",
    omits="messages on other branches, errors of replies",
    unwritten=EXPORTED,
    source="danny-avila/LibreChat: api/server/utils/import, client/src/hooks/Conversations/useExportConversation.ts",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
