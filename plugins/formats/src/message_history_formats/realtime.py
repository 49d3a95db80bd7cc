"""The events of OpenAI's Realtime API: the items of a conversation, with the transcripts of what was said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.dialects import OpenAIResponses
from message_history.formats.kit import NOTHING_JUDGED, PRINTED, Collector, Fit, Format, fit_items, objects_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document, Reading

_WITH_ITEM: Final = frozenset(
    {
        *("conversation.item.created", "conversation.item.added", "conversation.item.done"),
        *("conversation.item.retrieved", "conversation.item.create"),
        *("response.output_item.added", "response.output_item.done"),
    }
)
_TRANSCRIBED: Final = "conversation.item.input_audio_transcription.completed"
_DELETED: Final = "conversation.item.deleted"
_DONE: Final = "response.done"
SPOKEN: Final = ("input_audio", "output_audio", "audio")
_OURS: Final = ("conversation.", "response.", "session.", "input_audio_buffer.", "output_audio_buffer.", "rate_limits.")


def _is_event(row: Mapping[str, Any]) -> bool:
    kind = row.get("type")
    return isinstance(kind, str) and (kind.startswith(_OURS) or kind == "error") and "sequence_number" not in row


def _is_marked(row: Mapping[str, Any]) -> bool:
    """Return whether an event has items of this API, whose replies are another object than those of Responses."""
    if row.get("type") in (_TRANSCRIBED, _DELETED) or str(row.get("type")).startswith("conversation.item."):
        return True
    response = row.get("response")
    return isinstance(response, dict) and response.get("object") == "realtime.response"


def _fit(document: Document) -> Fit:
    return fit_items(document.first_items, _is_event, lambda row: _is_event(row) and _is_marked(row), is_common=True)


def _read(document: Document) -> Reading:
    items: dict[str, tuple[int, dict[str, Any]]] = {}
    collector = Collector()
    for n, row in document.numbered_items:
        kind = row.get("type") if isinstance(row, dict) else None
        if not isinstance(row, dict) or not _is_event(row):
            collector.note(n, "an entry that is not an event", row)
        elif kind in _WITH_ITEM and isinstance(row.get("item"), dict):
            _keep(items, n, row["item"])
        elif kind == _DONE and isinstance(row.get("response"), dict):
            for item in objects_in(row["response"].get("output")):
                _keep(items, n, item)
        elif kind == _TRANSCRIBED:
            _transcribe(items, row)
        elif kind == _DELETED:
            items.pop(str(row.get("item_id")), None)
        else:
            collector.omit("other events")
    for n, item in items.values():
        collector.add(n, {key: value for key, value in item.items() if key not in ("object", "status")})
    return collector.reading(OpenAIResponses())


def _keep(items: dict[str, tuple[int, dict[str, Any]]], n: int, item: dict[str, Any]) -> None:
    """Keep an item in its first place; what is said of it later has more of it."""
    id = str(item.get("id") or f"item {len(items)}")
    place, before = items.get(id, (n, {}))
    items[id] = place, {**before, **{key: value for key, value in item.items() if value not in (None, [])}}


def _transcribe(items: dict[str, tuple[int, dict[str, Any]]], row: Mapping[str, Any]) -> None:
    place, item = items.get(str(row.get("item_id")), (0, {}))
    parts = [dict(part) for part in objects_in(item.get("content"))]
    spoken = [part for part in parts if part.get("type") in SPOKEN and not part.get("transcript")]
    if spoken and isinstance(row.get("transcript"), str):
        spoken[0]["transcript"] = row["transcript"]
        items[str(row.get("item_id"))] = place, {**item, "content": parts}


REALTIME: Final = Format(
    name="realtime",
    rank=638,
    title="Events of OpenAI's Realtime API",
    files="logs of what a server sends and gets",
    omits="all other events; what was said without a transcript",
    unwritten=PRINTED,
    source="openai/openai-python: src/openai/types/realtime/ (conversation_item.py, response_done_event.py)",
    checked="2026-11-23",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
