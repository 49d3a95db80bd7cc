"""The spans of Arize Phoenix, in the attributes of OpenInference: nested, or with dots in their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.files.request_bodies import entries_at, find_place, held_at
from message_history.formats.kit import (
    BLOCKS,
    NOTHING_JUDGED,
    OUTCOME,
    Collector,
    Conversations,
    Fit,
    Format,
    add_chat_message,
    fit_items,
    json_of,
    objects_in,
)
from message_history.formats.kit.raw_blocks import arguments_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document, Reading

_COLUMNS: Final = ("id", "trace_rowid", "span_id", "name", "span_kind", "start_time", "attributes")
"""The columns of a span in Phoenix's own database."""
_MODEL: Final = "LLM"
"""The kind of a span of a model."""


def _llm(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes under `llm`, nested; an empty object when it has no attributes."""
    attributes = item.get("attributes")
    if isinstance(attributes, str):
        attributes = arguments_of(attributes)
    flat = attributes if isinstance(attributes, dict) else item
    names = "\n".join(("", *map(str, flat)))
    if "\nllm" not in names and "\nattributes" not in names:
        return {}  # Most items are not spans: splitting all their names takes a tenth of the time for a folder.
    found = _nested(flat)
    inner = found.get("attributes", found)
    llm = inner.get("llm") if isinstance(inner, dict) else None
    return llm if isinstance(llm, dict) else {}


def _nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Part names at their dots."""
    made: dict[str, Any] = {}
    for name, value in flat.items():
        *way, last = str(name).split(".")
        inner = made
        for step in way:
            next_one = inner.setdefault(step, {})
            inner = next_one if isinstance(next_one, dict) else {}
        inner[last] = value
    return made


def _listed(value: object) -> list[Any]:
    """Return a list, or what is numbered from 0 as one."""
    if isinstance(value, dict) and all(str(key).isdigit() for key in value):
        return [value[key] for key in sorted(value, key=int)]
    return value if isinstance(value, list) else []


def _is_span(item: Mapping[str, Any]) -> bool:
    return bool(item.keys() & {"context", "span_kind", "name", "spanKind"}) and (
        "attributes" in item or any(str(key).startswith("attributes.") for key in item)
    )


def _items(document: Document) -> list[tuple[int, Any]]:
    if document.database is not None:
        # The newest request has what came before it.
        return list(enumerate(map(_row, document.database.rows("spans", "start_time DESC, id DESC"))))
    data = document.object.get("data")
    items = list(enumerate(data)) if isinstance(data, list) else document.numbered_items
    return [(n, span) for n, item in items for span in _spans(item)]


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of Phoenix's own database as a span."""
    return {**row, "context": {"span_id": row["span_id"]}}


def _spans(item: Any) -> list[Any]:
    """Return the spans of an export of OpenTelemetry; any other item is one itself."""
    if not isinstance(item, dict) or not isinstance(item.get("resourceSpans"), list):
        return [item]
    scopes = [scope for resource in item["resourceSpans"] for scope in resource.get("scopeSpans") or ()]
    return [_span(span) for scope in scopes for span in scope.get("spans") or ()]


def _span(span: Mapping[str, Any]) -> dict[str, Any]:
    listed = objects_in(span.get("attributes"))
    values = {str(each.get("key")): next(iter((each.get("value") or {}).values()), None) for each in listed}
    return {"name": span.get("name"), "context": {"span_id": span.get("spanId")}, "attributes": values}


def _fit(document: Document) -> Fit:
    if document.database is not None:
        is_own = document.database.has("spans", *_COLUMNS) and document.database.has("traces", "project_rowid")
        return Fit.CERTAIN if is_own else Fit.NONE
    items = [item for _, item in _items(document)[:60] if isinstance(item, dict)]
    return fit_items(items, _is_span, _has_messages)


def _has_messages(item: Mapping[str, Any]) -> bool:
    return bool(_llm(item).keys() & {"input_messages", "output_messages"}) or bool(_of_values(item))


def _of_values(item: Mapping[str, Any]) -> list[Any]:
    """Return the messages of a model's span that has its request and its reply as text only; none for another."""
    attributes = item.get("attributes")
    if not isinstance(attributes, str | dict):
        return []
    found = _nested(arguments_of(attributes))
    kind = item.get("span_kind") or held_at(found, ("openinference", "span", "kind"))
    if kind != _MODEL:
        return []
    body = json_of(held_at(found, ("input", "value")))
    asked = body if isinstance(body, list) else entries_at(body, find_place(body) or ())
    if not asked:
        return []
    written = held_at(found, ("output", "value"))
    reply = json_of(written)
    choices = reply.get("choices") if isinstance(reply, dict) else None
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        reply = choices[0].get("message")
    is_message = isinstance(reply, dict) and "role" in reply
    answer = [reply] if is_message else [{"role": "assistant", "content": written}] if written else []
    return [*asked, *answer]


def _read(document: Document) -> Reading:
    found = Conversations()
    others = Collector()
    for n, item in _items(document):
        llm = _llm(item) if isinstance(item, dict) else {}
        messages = [*_listed(llm.get("input_messages")), *_listed(llm.get("output_messages"))]
        messages = messages or (_of_values(item) if isinstance(item, dict) else [])
        if not messages:
            others.omit("spans without messages")
            continue
        collector = found.collector()
        for message in messages:
            plain = _message(message)
            if not add_chat_message(collector, n, plain):
                collector.note(n, "a message of an unknown role", message)
        id = (item.get("context") or {}).get("span_id") if isinstance(item.get("context"), dict) else None
        label = f"span {id or n}" if found else ""
        found.add(collector.conversation(BLOCKS, label=label, id=id, title=item.get("name")))
    return found.reading(others)


def _message(wrapped: Any) -> dict[str, Any]:
    """Return a message without the names that are put around everything."""
    inner = wrapped.get("message", wrapped) if isinstance(wrapped, dict) else {}
    inner = _nested(inner) if isinstance(inner, dict) else {}
    inner = inner.get("message", inner)
    contents = [_content(each) for each in _listed(inner.get("contents"))]
    asked = list(map(_nested, objects_in(_listed(inner.get("tool_calls")))))
    calls = [each.get("tool_call", each) for each in asked]
    made = {key: value for key, value in inner.items() if key not in ("contents", "tool_calls")}
    made |= {"tool_calls": calls} if calls else {}
    return {**made, "content": contents} if contents and not made.get("content") else made


def _content(wrapped: Any) -> Any:
    wrapped = _nested(wrapped) if isinstance(wrapped, dict) else wrapped
    inner = wrapped.get("message_content", wrapped) if isinstance(wrapped, dict) else wrapped
    if isinstance(inner, dict) and inner.get("type") == "image":
        url = ((inner.get("image") or {}).get("image") or {}).get("url")
        return {"type": "image_url", "image_url": {"url": url}}
    return inner


PHOENIX: Final = Format(
    name="phoenix",
    rank=680,
    title="Arize Phoenix spans (OpenInference): its database (SQLite), and exports",
    files="~/.phoenix/phoenix.db; exports of spans as JSON or JSONL",
    omits="spans without messages",
    unwritten=OUTCOME,
    source="Arize-ai/openinference: spec/semantic_conventions.md, Arize-ai/phoenix: src/phoenix/db/models.py (20.26.1)",
    checked="2026-11-23",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
