"""The messages of LangChain as `dumpd`, `messages_to_dict` and `model_dump` write them, and states of LangGraph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit.base import STATE, Collector, Fit, Format, Reading, fit_items
from message_history.formats.kit.chat_messages import blocks_of, calls_of
from message_history.formats.kit.raw_blocks import BLOCKS, result, text_of, thinking

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit.document import Document

_ROLES: Final = {
    **dict.fromkeys(("human", "HumanMessage", "HumanMessageChunk"), "user"),
    **dict.fromkeys(("ai", "AIMessage", "AIMessageChunk"), "assistant"),
    **dict.fromkeys(("system", "SystemMessage", "SystemMessageChunk"), "system"),
    **dict.fromkeys(("tool", "ToolMessage", "ToolMessageChunk", "function", "FunctionMessage"), "tool"),
    **dict.fromkeys(("chat", "ChatMessage"), "chat"),
    **dict.fromkeys(("remove", "RemoveMessage"), "remove"),
}
_VERSIONS: Final = (1, 2)
"""Of what `dumpd` writes, and LangGraph in checkpoints before MessagePack."""
_AROUND: Final = (
    *((), ("messages",), ("values", "messages"), ("channel_values", "messages"), ("kwargs", "messages")),
    *(("checkpoint", "channel_values", "messages"), ("state", "values", "messages"), ("history",)),
)
_CALLS: Final = ("tool_use", "tool_call", "function_call", "tool_call_chunk", "input_json_delta")


def fields_of(item: Any) -> tuple[str, Mapping[str, Any]] | None:
    """Return the kind of a message and its fields, from any of the forms it is written in.

    `item` is what may be a message. Returns None for anything else.
    """
    if not isinstance(item, dict):
        return None
    if item.get("lc") in _VERSIONS and isinstance(item.get("id"), list) and isinstance(item.get("kwargs"), dict):
        # A class of an application names its kind among its fields.
        kinds = (item["id"][-1] if item["id"] else None, item["kwargs"].get("type"))
        kind = next((each for each in kinds if isinstance(each, str) and each in _ROLES), None)
        return (kind, item["kwargs"]) if kind is not None else None
    kind = item.get("type")
    if not isinstance(kind, str) or kind not in _ROLES:
        return None
    if isinstance(item.get("data"), dict):
        return kind, item["data"]
    return (kind, item) if "content" in item and "role" not in item else None


def _messages(document: Document) -> list[tuple[int, Any]]:
    if document.value is None:
        return list(document.rows())
    for way in _AROUND:
        found = _newest(document.value)
        for key in way:
            found = found.get(key) if isinstance(found, dict) else None
        if isinstance(found, list) and any(fields_of(item) for item in found):
            # A state of LangGraph may hold a list of turns.
            return list(enumerate(found))
    return []


def _newest(value: Any) -> Any:
    """Return the newest state of a history of a thread, which comes first; any other value as it is."""
    is_history = isinstance(value, list) and all(isinstance(each, dict) and "values" in each for each in value)
    return value[0] if is_history and value else value


def _is_marked(item: Mapping[str, Any]) -> bool:
    marks = ("additional_kwargs", "response_metadata", "tool_calls", "tool_call_id")
    found = fields_of(item)
    return found is not None and ("lc" in item or "data" in item or any(mark in found[1] for mark in marks))


def _fit(document: Document) -> Fit:
    items = [item for _, item in _messages(document)[:60] if isinstance(item, dict)]
    if not items:
        return Fit.NONE
    return fit_items(items, lambda item: fields_of(item) is not None, _is_marked if document.value is None else None)


def _read(document: Document) -> Reading:
    collector = Collector()
    for n, item in _messages(document):
        found = fields_of(item)
        if found is None:
            collector.note(n, "an entry that is not a message", item)
        else:
            add_message(collector, n, *found)
    state = _newest(document.value)
    if state is not document.value:
        collector.omit("earlier states of the thread", len(document.items) - 1)
    rest = state.keys() - {"messages", "values", "lc", "type", "id", "kwargs"} if isinstance(state, dict) else set()
    for key in sorted(rest):
        collector.omit(f"state: {key}")
    return collector.reading(BLOCKS)


def add_message(collector: Collector, n: int, kind: str, fields: Mapping[str, Any]) -> None:
    role, content = _ROLES[kind], fields.get("content")
    if role == "chat":
        named = str(fields.get("role")).lower()
        role = named if named in ("assistant", "system") else "user"
    blocks = [block for block in blocks_of(content) if not isinstance(block, dict) or block.get("type") not in _CALLS]
    if role == "remove":
        collector.omit("marks of removed messages")
    elif role == "system":
        collector.add(n, {"role": "system", "content": blocks})
    elif role == "tool":
        failed = fields.get("status") == "error"
        inner = blocks if isinstance(content, list) else content
        id = fields.get("tool_call_id") or _open_call(collector)
        collector.add_blocks(n, "user", [result(id, inner, is_error=failed)])
        if fields.get("artifact") is not None:
            collector.omit("artifacts of tools")
    elif role == "assistant":
        thoughts = [] if any(map(_is_thinking, blocks)) else _thoughts(fields.get("additional_kwargs") or {})
        collector.add_blocks(n, "assistant", [*thoughts, *blocks, *calls_of(_calls(collector, fields))])
    else:
        collector.add_blocks(n, "user", blocks)


def _is_thinking(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") == "thinking"


def _calls(collector: Collector, fields: Mapping[str, Any]) -> list[Any]:
    """Return the calls of a message: as LangChain has them, else as the provider does, else those in the content."""
    own, beside, content = fields.get("tool_calls"), fields.get("additional_kwargs") or {}, fields.get("content")
    raw = beside.get("tool_calls") or _function_call(collector, beside.get("function_call"))
    inner = [item for item in content if _is_call(item)] if isinstance(content, list) else []
    # The provider's hold those that LangChain could not read, too.
    invalid = fields.get("invalid_tool_calls") or [] if own or not raw else []
    return [*(own or raw or inner), *invalid]


def _thoughts(beside: Mapping[str, Any]) -> list[Any]:
    """Return the reasoning that integrations put next to the content."""
    reasoning = beside.get("reasoning")
    summary = reasoning.get("summary") if isinstance(reasoning, dict) else reasoning
    return thinking(beside.get("reasoning_content") or "\n".join(text_of(each) for each in summary or ()))


def _function_call(collector: Collector, asked: object) -> list[Any]:
    """Return the one call of versions before there were tools; it has no id, and its result none either."""
    return [{"id": f"call_{len(collector.entries)}", "function": asked}] if isinstance(asked, dict) else []


def _open_call(collector: Collector) -> object:
    """Return the id of the call that came last."""
    last = collector.entries[-1]["content"] if collector.entries else []
    calls = [block for block in last if isinstance(block, dict) and block.get("type") == "tool_use"]
    return calls[-1].get("id") if calls else None


def _is_call(item: Any) -> bool:
    return isinstance(item, dict) and item.get("type") in ("tool_use", "tool_call")


LANGCHAIN: Final = Format(
    name="langchain",
    rank=450,
    title="LangChain messages (dumpd, messages_to_dict, model_dump) and LangGraph states",
    files="whatever place an application keeps them in; GET /threads/{id}/state",
    omits="marks of removed messages, other keys of a state",
    unwritten=STATE,
    source="langchain-ai/langchain: libs/core/langchain_core/messages, load/dump.py",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
)
