"""The runs of LangSmith: each call of a model has the messages that went in and the one that came out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import BLOCKS, NOTHING_JUDGED, OUTCOME, Conversations, Format, item_fit
from message_history.formats.langchain_dumps import add_message, fields_of
from message_history_formats.provider_messages import add_body

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Collector, Document, Reading

_MODEL: Final = "llm"


def _is_run(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("run_type"), str) and isinstance(item.get("inputs"), dict)


def _read(document: Document) -> Reading:
    found = Conversations()
    others = found.collector()
    for n, run in document.numbered_items:
        if not _is_run(run):
            others.note(n, "an item that is not a run", run)
        elif run["run_type"] != _MODEL:
            others.omit(f"runs of type {run['run_type']}")
        else:
            collector = found.collector()
            _add_all(collector, n, run["inputs"], "user")
            _add_all(collector, n, run.get("outputs") or {}, "assistant")
            label = f"run {run.get('id') or n}" if found else ""
            found.add(collector.conversation(BLOCKS, label=label, id=run.get("id"), title=run.get("name")))
    return found.reading(others)


def _add_all(collector: Collector, n: int, body: Mapping[str, Any], role: str) -> None:
    """Add the messages of inputs or outputs: LangChain's own, or those of a provider."""
    generations, messages = body.get("generations"), body.get("messages")
    if isinstance(generations, list) and generations:
        # The first of each batch; the others are other choices.
        first = generations[0][0] if isinstance(generations[0], list) else generations[0]
        _add(collector, n, first.get("message") or first.get("text"), role)
    elif isinstance(messages, list) and any(isinstance(each, list) or fields_of(each) for each in messages):
        for each in messages[0] if isinstance(messages[0], list) else messages:
            _add(collector, n, each, role)
    else:
        add_body(collector, n, body, role)


def _add(collector: Collector, n: int, message: Any, role: str) -> None:
    found = fields_of(message)
    if found is not None:
        add_message(collector, n, *found)
    else:
        add_body(collector, n, message, role)


LANGSMITH: Final = Format(
    name="langsmith",
    rank=670,
    title="LangSmith runs",
    files="exports of runs as JSON or JSONL",
    omits="runs that are not calls of a model, other choices, metadata",
    unwritten=OUTCOME,
    source="langchain-ai/langsmith-sdk: python/langsmith/schemas.py; langchain-core: tracers",
    checked="2026-11-22",
    fit=item_fit(_is_run),
    read=_read,
    judged=NOTHING_JUDGED,
)
