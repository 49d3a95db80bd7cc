"""Data sets whose rows hold a conversation as JSON text: SWE-smith, Toolathlon, and what Parquet has no type for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    DATA_SET,
    NOTHING_JUDGED,
    Conversations,
    Format,
    item_fit,
    json_of,
    objects_in,
)
from message_history.formats.message_lists import is_message

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document, Reading

_KEYS: Final = ("messages", "conversations", "trajectory", "conversation")
_IDS: Final = ("traj_id", "id", "instance_id", "task_id", "task_name")


def _messages(item: Mapping[str, Any]) -> list[Any]:
    texts = (json_of(item[key]) for key in _KEYS if isinstance(item.get(key), str))
    return next((found for found in texts if isinstance(found, list) and found and all(map(is_message, found))), [])


def _tools(item: Mapping[str, Any]) -> Any:
    """Return the definitions of tools; Toolathlon has them in the request that it keeps under `tool_calls`."""
    request = json_of(item.get("tool_calls"))
    inner = request.get("tools") if isinstance(request, dict) else None
    return objects_in(json_of(item.get("tools"))) or objects_in(inner)


def _read(document: Document) -> Reading:
    found = Conversations()
    for n, item in document.numbered_items:
        collector = found.collector()
        messages = _messages(item) if isinstance(item, dict) else []
        for message in messages:
            collector.add(n, message)
        if messages:
            id = next((item[key] for key in _IDS if isinstance(item.get(key), str)), None)
            found.add(collector.conversation(None, label=f"item {n}" if found else "", id=id, tools=_tools(item)))
        else:
            collector.note(n, "an item without messages", item)
    return found.reading()


MESSAGE_TEXTS: Final = Format(
    name="message-texts",
    rank=960,
    title="Data sets with the messages of a row as JSON text (SWE-smith, Toolathlon)",
    files="data sets: a JSON list, or a row in each line",
    omits="patches, scores and other columns of a row",
    unwritten=DATA_SET,
    source="huggingface.co: SWE-bench/SWE-smith-trajectories, hkust-nlp/Toolathlon-Trajectories",
    checked="2026-11-23",
    fit=item_fit(lambda item: bool(_messages(item))),
    read=_read,
    judged=NOTHING_JUDGED,
    by_line=True,
)
