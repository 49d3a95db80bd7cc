"""The observations of Langfuse: each generation has the messages that went in and the one that came out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import BLOCKS, NOTHING_JUDGED, OUTCOME, Conversations, Fit, Format, fit_items, json_of
from message_history_formats.provider_messages import add_body

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document, Reading

_KINDS: Final = (
    "GENERATION",
    "SPAN",
    "EVENT",
    "AGENT",
    "TOOL",
    "CHAIN",
    "RETRIEVER",
    "EVALUATOR",
    "EMBEDDING",
    "GUARDRAIL",
)


def _is_observation(item: Mapping[str, Any]) -> bool:
    return item.get("type") in _KINDS and ("input" in item or "output" in item)


def _observations(document: Document) -> list[tuple[int, Any]]:
    """Return the observations, those of traces too; a trace without any counts itself."""
    found: list[tuple[int, Any]] = []
    inner = document.object.get("data")
    for n, item in list(enumerate(inner)) if isinstance(inner, list) else document.numbered_items:
        nested = item.get("observations") if isinstance(item, dict) else None
        has_nested = isinstance(nested, list) and any(isinstance(each, dict) for each in nested)
        found += [(n, each) for each in nested] if has_nested and isinstance(nested, list) else [(n, item)]
    return found


def _is_trace(item: Mapping[str, Any]) -> bool:
    return (
        "input" in item
        and "output" in item
        and bool(item.keys() & {"traceId", "sessionId", "observations", "htmlPath"})
    )


def _fit(document: Document) -> Fit:
    items = [item for _, item in _observations(document)[:60] if isinstance(item, dict)]
    return fit_items(items, lambda item: _is_observation(item) or _is_trace(item))


def _read(document: Document) -> Reading:
    found = Conversations()
    main = found.collector()
    for n, item in _observations(document):
        if not isinstance(item, dict) or not (_is_observation(item) or _is_trace(item)):
            main.note(n, "an item that is not an observation", item)
        elif item.get("type") not in (None, "GENERATION"):
            main.omit(f"observations of type {item.get('type')}")
        else:
            collector = found.collector()
            add_body(collector, n, _parsed(item.get("input")), "user")
            add_body(collector, n, _parsed(item.get("output")), "assistant")
            label = f"observation {item.get('id') or n}" if found else ""
            tools = _parsed(item.get("input"))
            about = tools.get("tools") if isinstance(tools, dict) else None
            found.add(
                collector.conversation(BLOCKS, label=label, id=item.get("id"), title=item.get("name"), tools=about)
            )
    return found.reading(main)


def _parsed(value: object) -> Any:
    """Read what an export holds as JSON text."""
    found = json_of(value) if isinstance(value, str) and value[:1] in ("[", "{") else None
    return found if found is not None else value


LANGFUSE: Final = Format(
    name="langfuse",
    rank=660,
    title="Langfuse observations and traces",
    files="exports of observations or traces as JSON or JSONL",
    omits="spans, events and other observations that are not generations",
    unwritten=OUTCOME,
    source="langfuse/langfuse: packages/shared/src/server/repositories/types.ts, fern/apis/server",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
