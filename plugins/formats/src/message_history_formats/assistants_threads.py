"""The messages of threads of OpenAI's Assistants API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    EXPORTED,
    NOTHING_JUDGED,
    Collector,
    Fit,
    Format,
    Reading,
    call,
    fit_items,
    image,
    result,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document

_ASKED: Final = ("input", "ranking_options", "query")
_OUTPUTS: Final = ("output", "outputs", "results")
"""What calls of a step ask for, and what they gave, in each kind of tool."""


def _is_message(item: Mapping[str, Any]) -> bool:
    return item.get("object") == "thread.message"


def _is_known(item: Mapping[str, Any]) -> bool:
    return _is_message(item) or item.get("object") == "thread.run.step"


def _items(document: Document) -> list[tuple[int, Any]]:
    """Return the messages, oldest first: the API lists them the other way round."""
    data = document.object.get("data", document.object.get("messages"))
    items = list(enumerate(data)) if isinstance(data, list) else document.numbered_items
    times = [item.get("created_at") if isinstance(item, dict) else None for _, item in items]
    if all(isinstance(time, int) for time in times):
        order = sorted(range(len(items)), key=lambda n: (times[n] or 0, -n if times[0] != times[-1] else n))
        return [items[n] for n in order]
    return items


def _fit(document: Document) -> Fit:
    return fit_items([item for _, item in _items(document)[:60] if isinstance(item, dict)], _is_known)


def _read(document: Document) -> Reading:
    collector = Collector()
    thread: object = None
    for n, item in _items(document):
        if not isinstance(item, dict) or not _is_known(item):
            collector.note(n, "an item that is not a message of a thread", item)
            continue
        if not _is_message(item):
            _add_step(collector, n, item)
            continue
        thread = item.get("thread_id", thread)
        blocks = [block for part in item.get("content") or [] for block in _block(part)]
        attached = [f"[attached: {each.get('file_id')}]" for each in item.get("attachments") or []]
        collector.add_blocks(n, str(item.get("role")), [*blocks, *(block for name in attached for block in text(name))])
    return collector.reading(BLOCKS, id=thread)


def _add_step(collector: Collector, n: int, step: Mapping[str, Any]) -> None:
    """Add the calls of a step with what they gave; a step that makes a message only names it."""
    details = step.get("step_details") or {}
    calls = details.get("tool_calls")
    if not isinstance(calls, list):
        collector.omit("steps that only name their message")
        return
    for m, each in enumerate(calls):
        kind = str(each.get("type"))
        inner = each.get(kind) or {}
        id, name = each.get("id") or f"step_{n}_{m}", inner.get("name") or kind
        arguments = (
            inner.get("arguments") if kind == "function" else {key: inner[key] for key in inner if key in _ASKED}
        )
        collector.add_blocks(n, "assistant", [call(id, name, arguments)])
        output = next((inner[key] for key in _OUTPUTS if inner.get(key) is not None), None)
        if output is not None:
            collector.add_blocks(n, "user", [result(id, output)])


def _block(part: Any) -> list[Any]:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "text":
        inner = part.get("text")
        return text(inner.get("value") if isinstance(inner, dict) else inner)
    if kind == "image_url":
        return [image((part.get("image_url") or {}).get("url"))]
    if kind == "image_file":
        return text(f"[image_file: {(part.get('image_file') or {}).get('file_id')}]")
    return text(part.get("refusal")) if kind == "refusal" else [part]


ASSISTANTS_THREADS: Final = Format(
    name="assistants-threads",
    rank=580,
    title="OpenAI Assistants: messages of a thread, and steps of its runs",
    files="what GET /v1/threads/{id}/messages and /v1/threads/{id}/runs/{id}/steps give",
    omits="annotations, attached files (their ids are kept); calls are in the steps of runs, not in messages",
    unwritten=EXPORTED,
    source="the API reference of OpenAI, openai-python: types/beta/threads/message.py",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
