"""Messages and tasks of the Agent2Agent protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    NOTHING_JUDGED,
    STATE,
    Conversations,
    Format,
    first_of,
    image,
    item_fit,
    json_text,
    objects_in,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from message_history.formats.kit import Collector, Document, Reading

_ROLES: Final = {"user": "user", "agent": "assistant", "ROLE_USER": "user", "ROLE_AGENT": "assistant"}
"""The roles of version 0.3, and those of version 1.0."""


def _is_message(item: Mapping[str, Any]) -> bool:
    has_role = isinstance(item.get("role"), str) and item["role"] in _ROLES
    return has_role and isinstance(item.get("messageId"), str) and isinstance(item.get("parts"), list)


def _task(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the task that an item is, or that an answer of a server holds; an empty one for anything else."""
    result = item.get("result", item)
    task = result.get("task", result) if isinstance(result, dict) else None
    if not isinstance(task, dict) or not isinstance(task.get("contextId"), str):
        return {}
    return task if isinstance(task.get("status"), dict) and any(map(_is_message, _messages(task))) else {}


def _messages(task: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the messages of a task: its history, and the one of its state where that is not in it."""
    found = objects_in(task.get("history"))
    last = task["status"].get("message")
    is_new = isinstance(last, dict) and last.get("messageId") not in [each.get("messageId") for each in found]
    return [*found, last] if is_new and isinstance(last, dict) else found


def _read(document: Document) -> Reading:
    found = Conversations()
    main = found.collector()
    for n, item in document.numbered_items:
        if isinstance(item, dict) and (task := _task(item)):
            collector = found.collector()
            for message in _messages(task):
                _add(collector, n, message)
            for artifact in objects_in(task.get("artifacts")):
                collector.add_blocks(n, "assistant", _blocks(artifact, collector))
            label = f"task {task.get('id') or n}" if found else ""
            found.add(collector.conversation(BLOCKS, label=label, id=task["contextId"]))
        elif isinstance(item, dict) and _is_message(item):
            _add(main, n, item)
        else:
            main.note(n, "an item that is neither a message nor a task", item)
    if main.entries:
        found.add(main.conversation(BLOCKS))
    return found.reading(main)


def _add(collector: Collector, n: int, message: Mapping[str, Any]) -> None:
    if _is_message(message):
        collector.add_blocks(n, _ROLES[message["role"]], _blocks(message, collector))
    else:
        collector.note(n, "an entry that is not a message", message)


def _blocks(about: Mapping[str, Any], collector: Collector) -> list[dict[str, Any]]:
    return [block for part in objects_in(about.get("parts")) for block in _part(part, collector)]


def _part(part: Mapping[str, Any], collector: Collector) -> Iterator[dict[str, Any]]:
    """Yield the block of a part; version 1.0 has what version 0.3 calls `file` in the part itself."""
    file = part["file"] if isinstance(part.get("file"), dict) else part
    kind = str(first_of(file, "mimeType", "mediaType"))
    data, url = first_of(file, "bytes", "raw"), first_of(file, "uri", "url")
    if isinstance(part.get("text"), str):
        yield from text(part["text"])
    elif "data" in part:
        yield from text(json_text(part["data"]))
    elif kind.startswith("image/") and isinstance(data or url, str):
        yield image(f"data:{kind};base64,{data}" if data else url)
    else:
        collector.omit("files that are no images, and other parts without words")


A2A: Final = Format(
    name="a2a",
    rank=645,
    title="Messages and tasks of the Agent2Agent protocol (A2A)",
    files="what a server answers to `message/send` and `tasks/get`; lists of messages",
    omits="files that are no images, states of tasks, metadata",
    unwritten=STATE,
    source="a2aproject/A2A: specification, versions 0.3 and 1.0",
    checked="2026-11-27",
    fit=item_fit(lambda item: _is_message(item) or bool(_task(item))),
    read=_read,
    judged=NOTHING_JUDGED,
)
