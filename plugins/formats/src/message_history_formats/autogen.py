"""AutoGen: the states of agents and teams, lists of their messages, and chats of version 0.2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    NOTHING_JUDGED,
    STATE,
    Conversations,
    Fit,
    Format,
    add_chat_message,
    blocks_of,
    calls_of,
    fit_items,
    result,
    text,
    thinking,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from message_history.core.messages.message import Role
    from message_history.formats.kit import Collector, Document, Reading

_MODEL: Final = ("SystemMessage", "UserMessage", "AssistantMessage", "FunctionExecutionResultMessage")
_TEXTS: Final = (
    *("TextMessage", "MultiModalMessage", "StopMessage", "HandoffMessage", "StructuredMessage"),
    "ToolCallSummaryMessage",
)
_CALLS: Final = "ToolCallRequestEvent"
_RESULTS: Final = "ToolCallExecutionEvent"
_NOT_SENT: Final = (
    *("ModelClientStreamingChunkEvent", "UserInputRequestedEvent", "MemoryQueryEvent", "SelectSpeakerEvent"),
    *("CodeGenerationEvent", "CodeExecutionEvent", "SelectorEvent"),
)
_NAMED: Final = {"content", "role", "name"}
_KINDS: Final = frozenset({*_MODEL, *_TEXTS, _CALLS, _RESULTS, "ThoughtEvent", *_NOT_SENT})


def _is_message(item: Any) -> bool:
    return isinstance(item, dict) and item.get("type") in _KINDS and "content" in item


def _lists(value: Any, name: str = "", depth: int = 0) -> Iterator[tuple[str, list[Any]]]:
    """Find the lists of messages in a state, with the name of the agent that each is of."""
    if isinstance(value, list) and value and any(map(_is_message, value)):
        yield name, value
    elif isinstance(value, dict) and depth < 8:
        for key, inner in value.items():
            own = name if key in ("agent_state", "llm_context", "messages", "agent_states", "message_thread") else key
            yield from _lists(inner, str(own), depth + 1)


def _older(document: Document) -> list[tuple[str, list[Any]]]:
    """Find the list of messages in the result of a chat of version 0.2, or the list itself."""
    history = document.object.get("chat_history")
    if isinstance(history, list) and document.object.keys() & {"chat_id", "summary", "cost"}:
        return [("", _as_answered(history))]
    is_list = any(isinstance(each, dict) and isinstance(each.get("tool_responses"), list) for each in document.items)
    return [("", _as_answered(document.items))] if is_list or _is_named(document.items) else []


def _is_named(items: list[Any]) -> bool:
    """Return whether a list is a chat of two agents as the one that began it has it: its own words come first."""
    if len(items) < 2 or not all(isinstance(each, dict) and each.keys() == _NAMED for each in items):
        return False
    sides = {(each["name"], each["role"]) for each in items}
    return items[0]["role"] == "assistant" and sorted(role for _, role in sides) == ["assistant", "user"]


def _as_answered(history: list[Any]) -> list[Any]:
    """Return a chat as the agent that answers has it: who begins one records its own words as the assistant's."""
    first = history[0] if history and isinstance(history[0], dict) else {}
    if first.get("role") != "assistant" or first.get("tool_calls") or first.get("function_call"):
        return history
    return [{**each, "role": _other_side(each)} if isinstance(each, dict) else each for each in history]


def _other_side(message: Mapping[str, Any]) -> object:
    """Return the role of a message for the other side; a call is the assistant's for both."""
    role = message.get("role")
    if message.get("tool_calls") or message.get("function_call"):
        return role
    return {"assistant": "user", "user": "assistant"}.get(str(role), role)


def _add_older(collector: Collector, n: int, message: Any) -> bool:
    """Add a message of version 0.2, which holds the results of several calls."""
    results = message.get("tool_responses") if isinstance(message, dict) else None
    if not isinstance(results, list):
        return add_chat_message(collector, n, message)
    made = [result(each.get("tool_call_id"), each.get("content")) for each in results if isinstance(each, dict)]
    collector.add_blocks(n, "user", made)
    return True


def _fit(document: Document) -> Fit:
    if _older(document):
        return Fit.CERTAIN
    if document.value is None:
        return fit_items(document.first_rows, _is_message)
    lists = list(_lists(document.value))
    return Fit.CERTAIN if lists and all(map(_is_message, lists[0][1])) else Fit.NEAR if lists else Fit.NONE


def _read(document: Document) -> Reading:
    found = Conversations()
    older = _older(document)
    whole = document.value if document.value is not None else [row for _, row in document.rows()]
    lists = older or list(_lists(whole))
    for name, messages in lists:
        collector = found.collector()
        for n, message in enumerate(messages):
            if _is_message(message):
                _add(collector, n, message)
            elif not (older and _add_older(collector, n, message)):
                collector.note(n, "an entry that is not a message", message)
        found.add(collector.conversation(BLOCKS, label=name if len(lists) > 1 else "", title=name))
    return found.reading()


def _add(collector: Collector, n: int, message: Mapping[str, Any]) -> None:
    kind, content = message["type"], message["content"]
    if kind == "SystemMessage":
        collector.add(n, {"role": "system", "content": str(content)})
    elif kind == "AssistantMessage" and isinstance(content, list):
        collector.add_blocks(n, "assistant", [*thinking(message.get("thought")), *calls_of(content)])
    elif kind == _CALLS:
        collector.add_blocks(n, "assistant", calls_of(content))
    elif kind == "ThoughtEvent":
        collector.add_blocks(n, "assistant", thinking(content))
    elif kind in ("FunctionExecutionResultMessage", _RESULTS):
        made = [result(each.get("call_id"), each.get("content"), is_error=each.get("is_error")) for each in content]
        collector.add_blocks(n, "user", made)
    elif kind in _NOT_SENT:
        collector.omit(f"{kind} entries")
    else:
        is_user = kind == "UserMessage" or (kind != "AssistantMessage" and message.get("source") == "user")
        blocks = text(content) if isinstance(content, str) else blocks_of(content)
        thought = thinking(message.get("thought")) if not is_user else []
        role: Role = "user" if is_user else "assistant"
        collector.add_blocks(n, role, [*thought, *blocks])
        if message.get("source") not in (None, role):
            collector.omit("names of speakers")


AUTOGEN: Final = Format(
    name="autogen",
    rank=460,
    title="AutoGen states of agents and teams, and lists of their messages",
    files="what `save_state()` and `TaskResult` give; chats of version 0.2 are lists of messages",
    omits="chunks of streams, requests for input, choices of the next speaker, names of speakers",
    unwritten=STATE,
    source="microsoft/autogen: autogen-core models/_types.py, autogen-agentchat messages.py, state/_states.py (0.7.5)",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
