"""Conversations in traces of OpenTelemetry: the messages of its conventions for generative AI, and spans with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    NOTHING_JUDGED,
    OUTCOME,
    Collector,
    Conversations,
    Fit,
    Format,
    call,
    first_of,
    fit_items,
    image,
    json_of,
    objects_in,
    result,
    text,
    thinking,
)
from message_history.formats.kit.chat_messages import ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from message_history.formats.kit import Document, Reading

_SYSTEM: Final = ("gen_ai.system_instructions",)
_INPUTS: Final = ("gen_ai.input.messages", "pydantic_ai.all_messages")
_TOOLS: Final = "gen_ai.tool.definitions"
_OUTPUTS: Final = ("gen_ai.output.messages",)
_SPANS: Final = (("resourceSpans", "scopeSpans", "spans"), ("resourceLogs", "scopeLogs", "logRecords"))
_RESULTS: Final = ("tool_call_response", "tool_call_result")
_KEYS: Final = frozenset({"attributes", "spanId", "span_id", "traceId", "context", "timeUnixNano", "metadata", "name"})
_VALUES: Final = ("stringValue", "intValue", "doubleValue", "boolValue")


def is_otel_message(message: object) -> bool:
    """Return whether a value is a message of the conventions: its parts have a type, and texts are their `content`."""
    parts = message.get("parts") if isinstance(message, dict) else None
    if not isinstance(message, dict) or not isinstance(parts, list) or str(message.get("role")).lower() not in ROLES:
        return False
    return all(map(_is_part, parts)) and (bool(parts) or "finish_reason" in message)


def _is_part(part: Any) -> bool:
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(kind, str) or "part_kind" in part:
        return False
    if kind in ("text", "reasoning", "thinking"):
        return "text" not in part and "content" in part
    named = {"tool_call": "name", "blob": "content", "uri": "uri", "file": "file_id", "image-url": "url"}
    return kind in _RESULTS or kind == "binary" or named.get(kind, "type") in part


def add_otel_message(collector: Collector, n: int, message: Mapping[str, Any]) -> None:
    """Add a message of the conventions; the output of a tool is a separate part, whoever's message it is in."""
    role = ROLES[str(message["role"]).lower()]
    blocks = [block for part in message["parts"] for block in _block(part)]
    if role == "system":
        collector.add(n, {"role": "system", "content": blocks})
        return
    for block in blocks:
        is_result = isinstance(block, dict) and block.get("type") == "tool_result"
        collector.add_blocks(n, "assistant" if role == "assistant" and not is_result else "user", [block])


def _block(part: Mapping[str, Any]) -> list[Any]:
    kind, content = part["type"], part.get("content")
    if kind == "text":
        return text(content)
    if kind in ("reasoning", "thinking"):
        return thinking(content)
    if kind == "tool_call":
        return [call(_id(part), part.get("name"), part.get("arguments"))]
    if kind in _RESULTS:
        return [result(_id(part), first_of(part, "response", "result"))]
    media = str(first_of(part, "mime_type", "media_type"))
    if kind in ("blob", "binary") and (media.startswith("image/") or part.get("modality") == "image") and content:
        return [image(f"data:{media};base64,{content}")]
    if kind == "image-url" or (kind == "uri" and (media.startswith("image/") or part.get("modality") == "image")):
        return [image(first_of(part, "url", "uri"))]
    return [dict(part)]


def _id(part: Mapping[str, Any]) -> Any:
    """Return the id of a call; Azure's agents write it after the id of their run."""
    found = part.get("id")
    return found[-1] if isinstance(found, list) and found else found


def _value(wrapped: Any) -> Any:
    """Return a value without the names that OTLP puts around everything."""
    if not isinstance(wrapped, dict):
        return wrapped
    if isinstance(wrapped.get("arrayValue"), dict):
        return [_value(each) for each in wrapped["arrayValue"].get("values") or ()]
    if isinstance(wrapped.get("kvlistValue"), dict):
        return {each.get("key"): _value(each.get("value")) for each in objects_in(wrapped["kvlistValue"].get("values"))}
    return next((wrapped[key] for key in _VALUES if key in wrapped), wrapped)


_ABOUT: Final = frozenset({"attributes", "metadata"})
"""Where a span has its attributes: most items of other files have neither."""


def _attributes(item: Any) -> dict[str, Any]:
    """Return the attributes of a span or of a record of a log, by their whole names."""
    found = item.get("attributes") if isinstance(item, dict) else None
    found = json_of(found) if isinstance(found, str) else found
    if isinstance(found, list):
        return {str(each.get("key")): _value(each.get("value")) for each in objects_in(found)}
    if isinstance(found, dict):
        return {**found, **_flat(found)}
    # Observations of Langfuse have them in their metadata.
    about = item.get("metadata") if isinstance(item, dict) else None
    about = json_of(about) if isinstance(about, str) else about
    return _attributes(about) if isinstance(about, dict) and "attributes" in about else {}


def _flat(nested: Mapping[str, Any], before: str = "", depth: int = 0) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in nested.items():
        name = f"{before}{key}"
        if isinstance(value, dict) and depth < 4:
            made |= _flat(value, f"{name}.", depth + 1)
        else:
            made[name] = value
    return made


def messages_of(item: Any) -> list[dict[str, Any]]:
    """Return the messages of a span: its system prompt, what went in, and what came out, each once."""
    about = _attributes(item)
    if not any(key in about for key in (*_INPUTS, *_OUTPUTS)):
        return []
    system = _listed(first_of(about, *_SYSTEM))
    asked, came_out = _listed(first_of(about, *_INPUTS)), _listed(first_of(about, *_OUTPUTS))
    asked = asked if is_list(asked) else []
    came_out = came_out if is_list(came_out) and asked[-len(came_out) :] != came_out else []
    first = [{"role": "system", "parts": system}] if system and all(map(_is_part, system)) else []
    return [*first, *asked, *came_out]


def _listed(value: Any) -> list[Any]:
    found = json_of(value) if isinstance(value, str) else value
    return found if isinstance(found, list) else []


def is_list(value: object) -> bool:
    """Return whether a value is a list of messages of the conventions, with at least one."""
    return isinstance(value, list) and bool(value) and all(map(is_otel_message, value))


def _spans(item: Any) -> Iterator[Any]:
    """Yield the spans and the records of an export of OTLP; any other item is one itself."""
    found = False
    for outer, middle, inner in _SPANS:
        for resource in objects_in(item.get(outer) if isinstance(item, dict) else None):
            found = True
            for scope in objects_in(resource.get(middle)):
                yield from objects_in(scope.get(inner))
    if not found:
        yield item


def _items(document: Document) -> list[tuple[int, Any]]:
    data = document.object.get("data", document.object.get("spans"))
    items = list(enumerate(data)) if isinstance(data, list) else document.numbered_items
    return [(n, span) for n, item in items for span in _spans(item)]


def _fit(document: Document) -> Fit:
    items = [item for _, item in document.numbered_items[:60] if isinstance(item, dict)]
    if any(map(is_otel_message, items)):
        return fit_items(items, is_otel_message, lambda item: is_otel_message(item) and bool(item["parts"]))
    spans = [item for _, item in _items(document) if isinstance(item, dict) and not _ABOUT.isdisjoint(item)]
    if any(str(key).startswith("llm.") for span in spans for key in _attributes(span)):
        return Fit.NONE  # OpenInference's names are there too: its spans have their own format.
    return Fit.CERTAIN if any(map(messages_of, spans)) else Fit.NONE


def _read(document: Document) -> Reading:
    found = Conversations()
    items = document.numbered_items
    if any(is_otel_message(item) for _, item in items):
        collector = found.collector()
        for n, item in items:
            if is_otel_message(item):
                add_otel_message(collector, n, item)
            else:
                collector.note(n, "an entry that is not a message", item)
        found.add(collector.conversation(BLOCKS))
        return found.reading()
    others = found.collector()
    # A later request of an agent has all that came before it: the longest of a trace comes first.
    spans = [(n, span, messages_of(span)) for n, span in _items(document)]
    longer: dict[Any, list[list[dict[str, Any]]]] = {}
    for n, span, messages in sorted(spans, key=lambda each: -len(each[2])):
        if not isinstance(span, dict) or _KEYS.isdisjoint(span):
            others.note(n, "an item that is not a span", span)
            continue
        if not messages:
            others.omit("spans without messages")
            continue
        of_trace = longer.setdefault(first_of(span, "traceId", "trace_id"), [])
        if any(each[: len(messages)] == messages for each in of_trace):
            others.omit("spans whose messages a later one of their trace has")
            continue
        of_trace.append(messages)
        collector = found.collector()
        for message in messages:
            add_otel_message(collector, n, message)
        id = first_of(span, "spanId", "span_id", "id")
        label = f"span {id or n}" if found else ""
        tools = _listed(_attributes(span).get(_TOOLS))
        found.add(collector.conversation(BLOCKS, label=label, id=id, title=span.get("name"), tools=tools))
    return found.reading(others)


OTEL: Final = Format(
    name="otel",
    rank=675,
    title="OpenTelemetry: messages of its conventions for generative AI, and traces and logs with them (OTLP in JSON)",
    files="what a collector's file exporter writes; `gen_ai.input.messages` of a span, as a list",
    omits="spans without messages, or with those that a later span of their trace has too; counts of tokens, times",
    unwritten=OUTCOME,
    source="open-telemetry/semantic-conventions-genai: gen-ai-input-messages.json; opentelemetry-proto: trace.proto",
    checked="2026-11-23",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
