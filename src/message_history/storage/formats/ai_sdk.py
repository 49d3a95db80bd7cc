"""The AI SDK: messages of the interface in versions 4, 5 and 6, and messages for models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.storage.formats.base import STATE, Collector, Fit, Format, Reading, fit_items
from message_history.storage.formats.chat_messages import blocks_of, first_of
from message_history.storage.formats.raw_blocks import (
    BLOCKS,
    call,
    image,
    result,
    state_result,
    text,
    text_of,
    thinking,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from message_history.storage.formats.document import Document

__all__ = ["AI_SDK", "AI_SDK_MODEL"]

_ROLES: Final = ("user", "assistant", "system", "data")
_NOT_SENT: Final = ("step-start", "source", "source-url", "source-document")


def _messages(document: Document) -> list[tuple[int, Any]]:
    found = document.object.get("messages")
    return list(enumerate(found)) if isinstance(found, list) else document.numbered_items


def _is_message(item: Mapping[str, Any]) -> bool:
    parts = item.get("parts")
    has_parts = isinstance(parts, list) and all(map(_is_part, parts))
    return item.get("role") in _ROLES and (has_parts or "toolInvocations" in item)


def _is_part(part: Any) -> bool:
    kind = part.get("type") if isinstance(part, dict) else None
    return isinstance(kind, str) and (kind != "text" or isinstance(part.get("text"), str))


def _fit(document: Document) -> Fit:
    items = [item for _, item in _messages(document)[:60] if isinstance(item, dict)]
    return fit_items(items, lambda item: _is_message(item) or _is_plain(item), _is_message)


def _is_plain(item: Mapping[str, Any]) -> bool:
    return "id" in item and item.get("role") in _ROLES


def _read(document: Document) -> Reading:
    collector = Collector()
    for n, message in _messages(document):
        if not isinstance(message, dict) or message.get("role") not in _ROLES:
            collector.note(n, "a message of an unknown role", message)
        elif message["role"] == "data":
            collector.omit("data messages")
        elif message["role"] == "system":
            parts = message.get("parts") or message.get("content")
            collector.add(n, {"role": "system", "content": text_of(parts)})
        else:
            _add(collector, n, message)
    return collector.reading(BLOCKS, id=document.object.get("id"), title=document.object.get("title"))


def _add(collector: Collector, n: int, message: Mapping[str, Any]) -> None:
    role, parts = message["role"], message.get("parts")
    if not isinstance(parts, list):
        # The older form: text, and calls beside it.
        collector.add_blocks(n, role, [*thinking(message.get("reasoning")), *blocks_of(message.get("content"))])
        parts = [{"type": "tool-invocation", "toolInvocation": each} for each in message.get("toolInvocations") or []]
    for part in parts:
        _add_part(collector, n, role, part)
    for each in message.get("experimental_attachments") or []:
        collector.add_blocks(n, role, _file(each))


def _add_part(collector: Collector, n: int, role: str, part: Any) -> None:
    kind = str(part.get("type")) if isinstance(part, dict) else ""
    if kind == "text" and "text" in part:
        collector.add_blocks(n, role, text(part["text"]))
    elif kind == "reasoning":
        about = (part.get("providerMetadata") or {}).get("anthropic") or {}
        signature = about.get("signature") or _signature(part.get("details"))
        collector.add_blocks(n, role, thinking(first_of(part, "text", "reasoning"), signature))
    elif kind == "tool-invocation":
        invocation = part.get("toolInvocation") or {}
        _add_tool(collector, n, invocation, invocation.get("toolName"))
    elif kind == "dynamic-tool":
        _add_tool(collector, n, part, part.get("toolName"))
    elif kind.startswith("tool-"):
        _add_tool(collector, n, part, kind.removeprefix("tool-"))
    elif kind == "file":
        collector.add_blocks(n, role, _file(part))
    elif kind in _NOT_SENT or kind.startswith("data-"):
        collector.omit(f"{kind} parts")
    else:
        collector.note(n, f"a part of the unknown type {kind!r}", part)


def _signature(details: object) -> object:
    found = [each.get("signature") for each in details if isinstance(each, dict)] if isinstance(details, list) else []
    return next(filter(None, found), None)


def _add_tool(collector: Collector, n: int, part: Mapping[str, Any], name: object) -> None:
    id, state = part.get("toolCallId"), part.get("state")
    collector.add_blocks(n, "assistant", [call(id, name, first_of(part, "input", "args", "rawInput"))])
    approval = part.get("approval")
    approval = approval if isinstance(approval, dict) else {}
    if state == "output-error":
        collector.add_blocks(n, "user", [result(id, part.get("errorText"), is_error=True)])
    elif state == "approval-requested":
        collector.add_blocks(n, "user", [state_result(id, "pending")])
    elif state == "approval-responded" and approval.get("approved") is True:
        collector.add_blocks(n, "user", [state_result(id, "approved")])
    elif state in ("approval-responded", "output-denied"):
        collector.add_blocks(n, "user", [state_result(id, "denied", approval.get("reason"))])
    elif state in ("output-available", "result") or part.get("output") is not None:
        collector.add_blocks(n, "user", [result(id, first_of(part, "output", "result"))])


def _file(part: Mapping[str, Any]) -> list[Any]:
    media = first_of(part, "mediaType", "mimeType", "contentType")
    url = first_of(part, "url", "data")
    if str(media).startswith("image/"):
        is_url = isinstance(url, str) and url.startswith(("data:", "http"))
        return [image(url if is_url else f"data:{media};base64,{url}")]
    return [{"type": "file", "mediaType": media, "url": url, "filename": first_of(part, "filename", "name")}]


AI_SDK: Final = Format(
    name="ai-sdk",
    title="AI SDK messages (UIMessage of versions 4, 5 and 6)",
    files="what `onFinish` and `useChat` give, in whatever place an application keeps it",
    omits="starts of steps, sources, data parts and data messages",
    unwritten=STATE,
    source="vercel/ai: packages/ai/src/ui/ui-messages.ts, ui/convert-to-model-messages.ts",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
)


def _is_model_part(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in ("tool-call", "tool-result") and "toolCallId" in part


def _is_model_message(item: Mapping[str, Any]) -> bool:
    content = item.get("content")
    return "role" in item and isinstance(content, list) and any(map(_is_model_part, content))


def _fit_model(document: Document) -> Fit:
    items = [item for _, item in _messages(document)[:60] if isinstance(item, dict)]
    return fit_items(items, lambda item: item.get("role") in (*_ROLES, "tool"), _is_model_message, is_common=True)


def _read_model(document: Document) -> Reading:
    collector = Collector()
    contents = [message.get("content") for _, message in _messages(document) if isinstance(message, dict)]
    decided, ended = _decisions(part for content in contents if isinstance(content, list) for part in content)
    for n, message in _messages(document):
        role = message.get("role") if isinstance(message, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        if role == "system":
            collector.add(n, {"role": "system", "content": text_of(content)})
        elif role in ("user", "assistant", "tool"):
            for part in content if isinstance(content, list) else [{"type": "text", "text": content}]:
                _add_model_part(collector, n, "user" if role == "tool" else role, part, decided)
            for part in content if isinstance(content, list) else ():
                id = part.get("toolCallId") if isinstance(part, dict) else None
                if id in decided and id not in ended and part.get("type") == "tool-approval-request":
                    collector.add_blocks(n, "user", [state_result(id, *decided[id])])
        else:
            collector.note(n, "a message of an unknown role", message)
    return collector.reading(BLOCKS, id=document.object.get("id"))


def _decisions(parts: Iterable[Any]) -> tuple[dict[object, tuple[str, object]], set[object]]:
    """Find the calls that a person was asked for, with what was decided, and those with a result."""
    asked: dict[object, object] = {}
    states: dict[object, tuple[str, object]] = {}
    ended: set[object] = set()
    for part in parts:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "tool-approval-request":
            asked[part.get("approvalId")] = part.get("toolCallId")
        elif kind == "tool-approval-response":
            approved = part.get("approved") is True
            states[part.get("approvalId")] = ("approved", None) if approved else ("denied", part.get("reason"))
        elif kind == "tool-result":
            ended.add(part.get("toolCallId"))
    return {call: states.get(id, ("pending", None)) for id, call in asked.items()}, ended


def _add_model_part(
    collector: Collector, n: int, role: str, part: Any, decided: Mapping[object, tuple[str, object]]
) -> None:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind in ("tool-approval-request", "tool-approval-response"):
        # The state of the call says it; see `_decisions`.
        return
    if kind == "tool-call":
        made = call(part.get("toolCallId"), part.get("toolName"), first_of(part, "input", "args"))
        collector.add_blocks(n, "assistant", [made])
    elif kind == "tool-result":
        output = first_of(part, "output", "result")
        is_typed = isinstance(output, dict) and "type" in output and "value" in output
        if isinstance(output, dict) and output.get("type") == "execution-denied":
            denied = state_result(part.get("toolCallId"), "denied", output.get("reason"))
            collector.add_blocks(n, "user", [denied])
            return
        state, reason = decided.get(part.get("toolCallId"), ("", None))
        if state == "denied" and is_typed and output["type"] == "error-text":
            # What the SDK writes for a model of a call that was denied.
            collector.add_blocks(n, "user", [state_result(part.get("toolCallId"), state, reason)])
            return
        value = output["value"] if is_typed else output
        failed = part.get("isError") is True or (is_typed and str(output["type"]).startswith("error"))
        collector.add_blocks(n, "user", [result(part.get("toolCallId"), value, is_error=failed)])
    elif kind == "file":
        collector.add_blocks(n, role, _file(part))
    elif kind == "reasoning":
        options = (part.get("providerOptions") or {}).get("anthropic") or {}
        collector.add_blocks(n, role, thinking(part.get("text"), options.get("signature") or part.get("signature")))
    else:
        collector.add_blocks(n, role, blocks_of([part]))


AI_SDK_MODEL: Final = Format(
    name="ai-sdk-model",
    title="AI SDK messages for models (ModelMessage, CoreMessage)",
    files="what `response.messages` gives, in whatever place an application keeps it",
    omits="nothing",
    unwritten=STATE,
    source="vercel/ai: packages/provider-utils/src/types/model-message.ts",
    checked="2026-11-22",
    fit=_fit_model,
    read=_read_model,
)
