"""The results of batches: OpenAI's, Anthropic's and Bedrock's, with the request where the file has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.dialects import Gemini, OpenAIChat, OpenAIResponses
from message_history.formats.kit import BLOCKS, NOTHING_JUDGED, OUTCOME, Conversations, Format, item_fit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.dialects import Dialect
    from message_history.formats.kit import Collector, Document, Reading


def _is_gemini(item: Mapping[str, Any]) -> bool:
    response = item.get("response")
    return isinstance(response, dict) and ("candidates" in response or "promptFeedback" in response)


def _is_result(item: Mapping[str, Any]) -> bool:
    if _is_gemini(item):
        return True
    if "recordId" in item:
        return "modelOutput" in item or ("error" in item and "modelInput" in item)
    return "custom_id" in item and ("response" in item or "result" in item)


def _read(document: Document) -> Reading:
    found = Conversations()
    for n, item in document.numbered_items:
        collector = found.collector()
        dialect: Dialect[Any] = BLOCKS
        if not isinstance(item, dict) or not _is_result(item):
            collector.note(n, "an item that is not a result", item)
        else:
            dialect = _add(collector, n, item)
        id = item.get("custom_id", item.get("recordId", item.get("key"))) if isinstance(item, dict) else None
        found.add(collector.conversation(dialect, label=f"result {id}" if found else "", id=id))
    return found.reading()


def _add(collector: Collector, n: int, item: Mapping[str, Any]) -> Dialect[Any]:
    if _is_gemini(item):
        return _add_gemini(collector, n, item)
    request = item.get("modelInput") or {}
    if request.get("system") is not None:
        collector.add(n, {"role": "system", "content": request["system"]})
    for message in request.get("messages") or []:
        collector.add(n, message)
    body = (item.get("response") or {}).get("body") or {}
    reply = item.get("modelOutput") or (item.get("result") or {}).get("message") or {}
    choices = body.get("choices") or reply.get("choices")
    if choices:
        collector.add(n, choices[0].get("message"))
        collector.omit("other choices", len(choices) - 1)
        return OpenAIChat()
    if isinstance(body.get("output"), list):
        for each in body["output"]:
            collector.add(n, each)
        return OpenAIResponses(continues=False)
    output = (reply.get("output") or {}).get("message") or reply
    if isinstance(output.get("content"), list):
        collector.add(n, {"role": "assistant", "content": output["content"]})
    else:
        collector.omit("requests that failed")
    return BLOCKS


def _add_gemini(collector: Collector, n: int, item: Mapping[str, Any]) -> Dialect[Any]:
    """Add a result of Gemini's: Vertex AI repeats the request in it."""
    for content in (item.get("request") or {}).get("contents") or []:
        collector.add(n, content)
    candidates = item["response"].get("candidates") or []
    if candidates and isinstance(candidates[0].get("content"), dict):
        collector.add(n, candidates[0]["content"])
        collector.omit("other choices", len(candidates) - 1)
    else:
        collector.omit("requests that failed")
    return Gemini()


BATCH_RESULTS: Final = Format(
    name="batch-results",
    rank=920,
    title="Results of batches (OpenAI, Anthropic, Bedrock, Gemini, Vertex AI)",
    files="what the batch APIs give",
    omits="requests that failed, other choices, counts of tokens; OpenAI's and Anthropic's results lack the request",
    unwritten=OUTCOME,
    source="the providers' references of their batch APIs",
    checked="2026-11-22",
    fit=item_fit(_is_result),
    read=_read,
    judged=NOTHING_JUDGED,
    by_line=True,
)
