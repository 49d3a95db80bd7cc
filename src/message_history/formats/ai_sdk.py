"""The AI SDK: messages of the interface in versions 4, 5 and 6; those for models are in `ai_sdk_model`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.files.files import json_bytes
from message_history.formats.kit.base import Collector, Fit, Format, Reading, Rewritten, fit_items
from message_history.formats.kit.chat_messages import blocks_of, first_of
from message_history.formats.kit.document import parse_document
from message_history.formats.kit.raw_blocks import (
    BLOCKS,
    call,
    image,
    objects_in,
    result,
    state_result,
    text,
    text_of,
    thinking,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.core.messages.policy import Policy
    from message_history.formats.kit.document import Document
    from message_history.formats.kit.splicing import Line

AI_SDK_ROLES: Final = ("user", "assistant", "system", "data")
_NOT_SENT: Final = ("step-start", "source", "source-url", "source-document")


def ai_sdk_messages(document: Document) -> list[tuple[int, Any]]:
    """Return the messages in a list, in lines, or under `messages` of an object, with their places."""
    found = document.object.get("messages")
    return list(enumerate(found)) if isinstance(found, list) else document.numbered_items


def _is_message(item: Mapping[str, Any]) -> bool:
    parts = item.get("parts")
    has_parts = isinstance(parts, list) and all(map(_is_part, parts))
    return item.get("role") in AI_SDK_ROLES and (has_parts or "toolInvocations" in item)


def _is_part(part: Any) -> bool:
    kind = part.get("type") if isinstance(part, dict) else None
    return isinstance(kind, str) and (kind != "text" or isinstance(part.get("text"), str))


def _fit(document: Document) -> Fit:
    items = [item for _, item in ai_sdk_messages(document)[:60] if isinstance(item, dict)]
    return fit_items(items, lambda item: _is_message(item) or _is_plain(item), _is_message)


def _is_plain(item: Mapping[str, Any]) -> bool:
    return "id" in item and item.get("role") in AI_SDK_ROLES


def _read(document: Document) -> Reading:
    collector = Collector()
    for n, message in ai_sdk_messages(document):
        if not isinstance(message, dict) or message.get("role") not in AI_SDK_ROLES:
            collector.note(n, "a message of an unknown role", message)
        elif message["role"] == "data":
            collector.omit("data messages")
        elif message["role"] == "system":
            parts = message.get("parts") or message.get("content")
            collector.add(n, {"role": "system", "content": text_of(parts)})
        else:
            add_ai_sdk_message(collector, n, message)
    return collector.reading(BLOCKS, id=document.object.get("id"), title=document.object.get("title"))


def add_ai_sdk_message(collector: Collector, n: int, message: Mapping[str, Any]) -> None:
    role, parts = message["role"], message.get("parts")
    if not isinstance(parts, list):
        # The older form: text, and calls next to it.
        collector.add_blocks(n, role, [*thinking(message.get("reasoning")), *blocks_of(message.get("content"))])
        parts = [{"type": "tool-invocation", "toolInvocation": each} for each in message.get("toolInvocations") or []]
    for part in parts:
        _add_part(collector, n, role, part)
    for each in message.get("experimental_attachments") or []:
        collector.add_blocks(n, role, ai_sdk_file(each))


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
        collector.add_blocks(n, role, ai_sdk_file(part))
    elif kind in _NOT_SENT or kind.startswith("data-"):
        collector.omit(f"{kind} parts")
    else:
        collector.note(n, f"a part of the unknown type {kind!r}", part)


def _signature(details: object) -> object:
    found = [each.get("signature") for each in objects_in(details)]
    return next(filter(None, found), None)


def _add_tool(collector: Collector, n: int, part: Mapping[str, Any], name: object) -> None:
    made = call(part.get("toolCallId"), name, first_of(part, "input", "args", "rawInput"))
    collector.add_blocks(n, "assistant", [made])
    collector.add_blocks(n, "user", _outcome(part))


def _outcome(part: Mapping[str, Any]) -> list[Any]:
    """Return what came of a call as a block; none while nothing did."""
    id, state, approval = part.get("toolCallId"), part.get("state"), part.get("approval")
    approval = approval if isinstance(approval, dict) else {}
    if state == "output-error":
        return [result(id, part.get("errorText"), is_error=True)]
    if state == "approval-requested":
        return [state_result(id, "pending")]
    if state == "approval-responded" and approval.get("approved") is True:
        return [state_result(id, "approved")]
    if state in ("approval-responded", "output-denied"):
        return [state_result(id, "denied", approval.get("reason"))]
    if state in ("output-available", "result") or part.get("output") is not None:
        return [result(id, first_of(part, "output", "result"))]
    return []


def ai_sdk_file(part: Mapping[str, Any]) -> list[Any]:
    media = first_of(part, "mediaType", "mimeType", "contentType")
    url = first_of(part, "url", "data")
    if str(media).startswith("image/"):
        is_url = isinstance(url, str) and url.startswith(("data:", "http"))
        return [image(url if is_url else f"data:{media};base64,{url}")]
    return [{"type": "file", "mediaType": media, "url": url, "filename": first_of(part, "filename", "name")}]


def _repair(data: bytes, policy: Policy) -> Rewritten:
    """Give every call without an outcome one that says so: a call and what came of it are in one part."""
    document = parse_document(data)
    repairs = (("", _read(document).conversations[0].history(policy=policy).repairs),)
    messages = document.object.get("messages")
    if document.value is None:
        rows = [line.written if line.value is None else _line_of(line, policy) for line in document.lines]
        return Rewritten(b"".join(rows), repairs)
    if isinstance(messages, list):
        whole: Any = {**document.object, "messages": [_answered(each, policy) for each in messages]}
    else:
        whole = [_answered(each, policy) for each in document.items]
    return Rewritten(json_bytes(whole, indent=2) + b"\n", repairs)


def _line_of(line: Line, policy: Policy) -> bytes:
    value = _answered(line.value, policy)
    return line.written if value == line.value else json_bytes(value) + b"\n"


def _answered(message: Any, policy: Policy) -> Any:
    if not isinstance(message, dict):
        return message
    answered = dict(message)
    if isinstance(message.get("parts"), list):
        answered["parts"] = [_answered_part(part, policy) for part in message["parts"]]
    if isinstance(message.get("toolInvocations"), list):
        answered["toolInvocations"] = [_answered_call(each, policy) for each in message["toolInvocations"]]
    return answered


def _answered_part(part: Any, policy: Policy) -> Any:
    kind = str(part.get("type")) if isinstance(part, dict) else ""
    if kind == "tool-invocation":
        return {**part, "toolInvocation": _answered_call(part.get("toolInvocation"), policy)}
    if not kind.startswith(("tool-", "dynamic-tool")) or _outcome(part):
        return part
    # A call that was cut off while it streamed may have no input, which its error must have.
    had: dict[str, Any] = {} if first_of(part, "input", "rawInput") is not None else {"input": {}}
    return {**part, **had, "state": "output-error", "errorText": policy.stub_text}


def _answered_call(made: Any, policy: Policy) -> Any:
    """Return a call in the form of version 4, which has no place for errors."""
    if not isinstance(made, dict) or _outcome(made):
        return made
    return {**made, "args": made.get("args") or {}, "state": "result", "result": policy.stub_text}


AI_SDK: Final = Format(
    name="ai-sdk",
    rank=420,
    title="AI SDK messages (UIMessage of versions 4, 5 and 6)",
    files="what `onFinish` and `useChat` give, in whatever place an application keeps it",
    omits="starts of steps, sources, data parts and data messages",
    source="vercel/ai: packages/ai/src/ui/ui-messages.ts, ui/convert-to-model-messages.ts",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    repair=_repair,
)
