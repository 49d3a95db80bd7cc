"""The conversations of a Grok export: responses of both sides, each with its parent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    EXPORTED,
    NOTHING_JUDGED,
    Conversations,
    Format,
    fit_items,
    text,
    thinking,
)
from message_history.formats.kit.document import INSPECTED
from message_history_formats.chatgpt_export import branch_to

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Collector, Document, Fit, Reading

_PARENT: Final = "parent_response_id"
_USER: Final = "human"
"""The sender of a user's words; a reply has `assistant` in small or capital letters, or the name of a model."""
_BESIDE: Final = {"steps": "steps of tools", "agent_thinking_traces": "thinking of other agents"}


def _items(document: Document) -> list[tuple[int, Any]]:
    found = document.object.get("conversations")
    return list(enumerate(found)) if isinstance(found, list) else document.numbered_items


def _responses(item: Any) -> list[Any]:
    found = item.get("responses") if isinstance(item, dict) else None
    listed = found if isinstance(found, list) else []
    return [each.get("response") if isinstance(each, dict) else each for each in listed]


def _is_conversation(item: Mapping[str, Any]) -> bool:
    responses = _responses(item)
    return isinstance(item.get("conversation"), dict) and any(map(_is_response, responses))


def _is_response(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("sender"), str) and "message" in value


def _fit(document: Document) -> Fit:
    items = [item for _, item in _items(document)[:INSPECTED] if isinstance(item, dict)]
    # Conversations without a response are in exports too.
    return fit_items(items, lambda item: item.keys() >= {"conversation", "responses"}, _is_conversation)


def _read(document: Document) -> Reading:
    found = Conversations()
    for n, item in _items(document):
        collector = found.collector()
        about = item.get("conversation") if isinstance(item, dict) else None
        if not isinstance(about, dict):
            collector.note(n, "an item that is not a conversation", item)
            continue
        for response in _on_branch(_responses(item), collector):
            _add(collector, n, response)
        label = f"conversation {n + 1}" if n else ""
        found.add(collector.conversation(BLOCKS, label=label, id=about.get("id"), title=about.get("title")))
    return found.reading()


def _on_branch(responses: list[Any], collector: Collector) -> list[Any]:
    """Return the responses that lead to the newest one; all of a conversation that names no parents."""
    nodes = {str(each["_id"]): each for each in responses if isinstance(each, dict) and "_id" in each}
    has_parents = any(isinstance(each, dict) and each.get(_PARENT) for each in responses)
    if not has_parents or len(nodes) < len(responses):
        return responses
    found = branch_to(nodes, None, _PARENT)
    collector.omit("messages on another branch", len(nodes) - len(found))
    return found


def _add(collector: Collector, n: int, response: Any) -> None:
    if not _is_response(response):
        collector.note(n, "an entry that is not a response", response)
        return
    role = "user" if response["sender"].lower() == _USER else "assistant"
    thought = response.get("thinking_trace") if role == "assistant" else None
    files = [block for each in response.get("file_attachments") or () for block in text(f"[attached: {each}]")]
    images = [block for each in response.get("generated_image_urls") or () for block in text(f"[image: {each}]")]
    collector.add_blocks(n, role, [*thinking(thought), *text(response["message"]), *files, *images])
    for key, kind in _BESIDE.items():
        collector.omit(kind, len(response.get(key) or ()))
    collector.omit("errors of replies", int(bool(response.get("error"))))


GROK_EXPORT: Final = Format(
    name="grok-export",
    rank=550,
    title="Grok data exports",
    files="prod-grok-backend.json of the export",
    omits="messages on other branches, steps of tools, thinking of other agents, results of searches, files and images",
    unwritten=EXPORTED,
    source="exports of 2025 and 2026, as their readers describe them; no public source",
    checked="2026-11-23",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
