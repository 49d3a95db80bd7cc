"""The logs of inspect_ai: samples of an evaluation, each with its messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    NOTHING_JUDGED,
    OUTCOME,
    Conversations,
    Fit,
    Format,
    add_chat_message,
    first_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document, Reading

_ATTACHMENT: Final = "attachment://"


def _samples(document: Document) -> list[Any] | None:
    """Return the samples of a log; inside an archive each sample is a separate file."""
    whole = document.object
    samples = whole.get("samples")
    if isinstance(samples, list) and samples and all(isinstance(each, dict) and "messages" in each for each in samples):
        return samples
    is_sample = {"id", "epoch", "input", "messages"} <= whole.keys() and isinstance(whole["messages"], list)
    return [whole] if is_sample else None


def _fit(document: Document) -> Fit:
    return Fit.CERTAIN if _samples(document) is not None else Fit.NONE


def _read(document: Document) -> Reading:
    found = Conversations()
    for n, sample in enumerate(_samples(document) or ()):
        collector = found.collector()
        attached = sample.get("attachments")
        for message in sample.get("messages") or []:
            whole = _with_attachments(message, attached if isinstance(attached, dict) else {})
            if not all(add_chat_message(collector, n, each) for each in _parted(whole)):
                collector.note(n, "a message of an unknown role", message)
        if sample.get("events"):
            collector.omit("events")
        id, epoch = str(sample.get("id")), sample.get("epoch", 1)
        label = f"sample {id}, epoch {epoch}"
        found.add(collector.conversation(BLOCKS, label=label if found else "", id=id, title=label))
    return found.reading()


def _parted(message: Any) -> list[Any]:
    """Split a message after each call of the provider's own tools, which is in it with its result."""
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return [message]
    found: list[Any] = [{**message, "content": []}]
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "tool_use":
            made = {"id": part.get("id"), "name": part.get("name"), "arguments": part.get("arguments")}
            outcome = first_of(part, "error", "result")
            answer = {"role": "tool", "tool_call_id": part.get("id"), "content": outcome}
            found[-1]["tool_calls"] = [made]
            found += [{**answer, "is_error": part.get("error") is not None}, {**message, "content": []}]
        else:
            is_hidden = kind == "reasoning" and part.get("redacted") and part.get("summary")
            found[-1]["content"].append({**part, "reasoning": part["summary"]} if is_hidden else part)
    for each in found[:-1]:
        if each.get("role") == message.get("role") and "tool_calls" not in each:
            each["tool_calls"] = []
    return found


def _with_attachments(value: Any, attached: Mapping[str, Any]) -> Any:
    """Put large contents, which a sample keeps in a separate place, back where they are named."""
    if isinstance(value, str):
        return attached.get(value.removeprefix(_ATTACHMENT), value) if value.startswith(_ATTACHMENT) else value
    if isinstance(value, dict):
        return {key: _with_attachments(inner, attached) for key, inner in value.items()}
    return [_with_attachments(inner, attached) for inner in value] if isinstance(value, list) else value


INSPECT_LOGS: Final = Format(
    name="inspect",
    rank=690,
    title="inspect_ai logs",
    files="logs/*.json; and .eval; where that is packed with Zstandard, `inspect log convert --to json` unpacks it",
    omits="events, scores, the configuration of the evaluation",
    unwritten=OUTCOME,
    source="UKGovernmentBEIS/inspect_ai: inspect_ai/log/_log.py, model/_chat_message.py (0.3.285)",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
