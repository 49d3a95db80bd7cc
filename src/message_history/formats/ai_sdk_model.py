"""The AI SDK: messages for models, as in `response.messages`; the messages of the interface are in `ai_sdk`."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from message_history.core.messages.blocks import TextBlock, ToolResultBlock, ToolUseBlock
from message_history.files.files import UnreadableFileError
from message_history.formats.ai_sdk import AI_SDK_ROLES, ai_sdk_file, ai_sdk_messages
from message_history.formats.kit.base import Collector, Fit, Format, Reading, fit_items
from message_history.formats.kit.chat_messages import blocks_of, first_of
from message_history.formats.kit.document import parse_document
from message_history.formats.kit.message_rows import RowForm
from message_history.formats.kit.raw_blocks import BLOCKS, call, result, state_result, text_of, thinking

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message, Role
    from message_history.core.messages.policy import Policy
    from message_history.formats.kit.base import Rewritten
    from message_history.formats.kit.document import Document
    from message_history.formats.kit.message_rows import Items


def _is_model_part(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in ("tool-call", "tool-result") and "toolCallId" in part


def _is_model_message(item: Mapping[str, Any]) -> bool:
    content = item.get("content")
    return "role" in item and isinstance(content, list) and any(map(_is_model_part, content))


def _fit_model(document: Document) -> Fit:
    items = [item for _, item in ai_sdk_messages(document)[:60] if isinstance(item, dict)]
    return fit_items(items, lambda item: item.get("role") in (*AI_SDK_ROLES, "tool"), _is_model_message, is_common=True)


def _read_model(document: Document) -> Reading:
    collector = Collector()
    contents = [message.get("content") for _, message in ai_sdk_messages(document) if isinstance(message, dict)]
    decided, ended = _decisions(part for content in contents if isinstance(content, list) for part in content)
    for n, message in ai_sdk_messages(document):
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
        collector.add_blocks(n, role, ai_sdk_file(part))
    elif kind == "reasoning":
        options = (part.get("providerOptions") or {}).get("anthropic") or {}
        collector.add_blocks(n, role, thinking(part.get("text"), options.get("signature") or part.get("signature")))
    else:
        collector.add_blocks(n, role, blocks_of([part]))


def _items(message: Mapping[str, Any]) -> Items:
    """Return the parts of a message that count as entries of their own: what the provider has run needs no result."""
    role, content = message.get("role"), message.get("content")
    if role not in ("user", "assistant", "tool"):
        return "user", []
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    if role == "assistant":
        parts = [part for part in parts if not _is_run_by_provider(part)]
    return "assistant" if role == "assistant" else "user", parts


def _is_run_by_provider(part: Any) -> bool:
    return isinstance(part, dict) and (part.get("providerExecuted") is True or part.get("type") == "tool-result")


def _with_items(message: dict[str, Any], items: list[Any]) -> dict[str, Any]:
    """Return a message with what is left of the parts that count as entries of their own, and all others."""
    left = set(map(id, items))
    own = set(map(id, _items(message)[1]))
    return {**message, "content": [part for part in message["content"] if id(part) in left or id(part) not in own]}


def _parse(item: Any) -> list[Any]:
    collector = Collector()
    _add_model_part(collector, 0, "user", item, {})
    return [block for entry in collector.entries for block in entry["content"]]


def _write(role: Role, block: Block, before: Message | None) -> list[Any]:
    """Write a block that was made; a result names the tool of its call."""
    del role
    if isinstance(block, ToolUseBlock):
        made = {"toolCallId": block.id, "toolName": block.name, "input": block.input}
        return [{"type": "tool-call", **made}]
    if isinstance(block, ToolResultBlock):
        calls = before.calls if before is not None else ()
        name = next((each.name for each in calls if each.id == block.tool_use_id), "")
        output = {"type": "error-text" if block.is_error else "text", "value": block.text}
        return [{"type": "tool-result", "toolCallId": block.tool_use_id, "toolName": name, "output": output}]
    return [{"type": "text", "text": block.text}] if isinstance(block, TextBlock) else []


def _make(role: Role, items: list[Any], like: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Make messages; results are in messages of their own, and in the form that others in the file have."""
    content = like.get("content")
    is_old = any(isinstance(part, dict) and ("args" in part or "result" in part) for part in content or ())
    made: list[dict[str, Any]] = []
    for is_result, run in groupby(items, lambda item: item.get("type") == "tool-result"):
        parts = [_as_before_version_5(item) if is_old else item for item in run]
        made.append({"role": "tool" if is_result else role, "content": parts})
    return made


def _as_before_version_5(part: dict[str, Any]) -> dict[str, Any]:
    """Return a call or a result as versions 3 and 4 have it."""
    old = {key: value for key, value in part.items() if key not in ("input", "output")}
    if "input" in part:
        return {**old, "args": part["input"]}
    if "output" in part:
        failed = {"isError": True} if part["output"]["type"] == "error-text" else {}
        return {**old, "result": part["output"]["value"], **failed}
    return old


_ROWS: Final = RowForm(
    list_key="messages", items=_items, parse=_parse, with_items=_with_items, write=_write, make=_make
)


def _repair(data: bytes, policy: Policy) -> Rewritten:
    """Repair a file, unless a person is still asked for a call in it: its state is in parts that are apart from it."""
    messages = ai_sdk_messages(parse_document(data))
    contents = [message.get("content") for _, message in messages if isinstance(message, dict)]
    decided, ended = _decisions(part for content in contents if isinstance(content, list) for part in content)
    if decided.keys() - ended:
        raise UnreadableFileError("it is not written: a call in it waits for a person, and may yet have its result")
    return _ROWS.repair(data, policy)


AI_SDK_MODEL: Final = Format(
    name="ai-sdk-model",
    rank=430,
    title="AI SDK messages for models (ModelMessage, CoreMessage)",
    files="what `response.messages` gives, in whatever place an application keeps it",
    omits="nothing",
    source="vercel/ai: packages/provider-utils/src/types/model-message.ts",
    checked="2026-11-22",
    fit=_fit_model,
    read=_read_model,
    repair=_repair,
)
