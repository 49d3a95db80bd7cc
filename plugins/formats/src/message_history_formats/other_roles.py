"""Chats whose messages name who speaks in another way than all APIs do: human and ai, bot, userMessage, sender."""

from __future__ import annotations

from itertools import repeat
from types import NoneType
from typing import TYPE_CHECKING, Any, Final

from message_history.dialects.elsewhere import API_ROLES
from message_history.files.request_bodies import KEYS
from message_history.formats.kit import (
    BLOCKS,
    NOTHING_JUDGED,
    Conversations,
    Fit,
    Format,
    add_chat_message,
    call,
    json_of,
    objects_in,
    result,
)
from message_history.formats.kit.chat_messages import ROLES
from message_history.formats.kit.document import INSPECTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from message_history.formats.kit import Collector, Document, Reading

_SPEAKERS: Final = ("role", "from", "sender", "speaker", "author")
_CONTENTS: Final = ("content", "value", "text", "message")
_NAMES: Final = {**ROLES, "usermessage": "user", **dict.fromkeys(("apimessage", "chatbot"), "assistant")}
"""Flowise's names come before the one of Cohere's first API."""
_CALLS: Final = ("tool_call", "function_call")
_RESULTS: Final = ("tool_result", "function_result")
_ERROR: Final = "error"
_PAIR: Final = 2
_CALLING: Final = frozenset({"tool_calls", "toolCalls", "tool_call_id", "toolCallId", "call_id", "is_error", "isError"})
_KNOWN: Final = _CALLING | {"reasoning", "reasoning_content", "usedTools", "error"}


def _keys(message: Any) -> tuple[str, str] | None:
    """Return the keys of who speaks in a message and of what is said."""
    if not isinstance(message, dict):
        return None
    speaker = next((key for key in _SPEAKERS if isinstance(message.get(key), str)), None)
    content = next((key for key in _CONTENTS if isinstance(message.get(key), str | list)), None)
    is_known = speaker is not None and message[speaker].lower() in _NAMES
    if not is_known or speaker is None or content is None or not _is_sound(message):
        return None
    return speaker, content


def _is_sound(message: Mapping[str, Any]) -> bool:
    """Return whether names and calls are what they are called: what is not would be left out without a word."""
    calls = message.get("tool_calls", ())
    named = isinstance(message.get("name", ""), str | NoneType) and isinstance(calls, list | tuple | NoneType)
    return named and all(
        isinstance(each, dict)
        and isinstance(each.get("id", ""), str | NoneType)
        and isinstance(each.get("function", {}), dict | NoneType)
        for each in calls or ()
    )


def _event(message: Any) -> str:
    """Name what an entry is that no one says: a call or a result, both without an id, or an error; else empty."""
    if not isinstance(message, dict) or not {*_SPEAKERS, "id", "call_id"}.isdisjoint(message):
        return ""
    kind = message.get("type")
    is_call = kind in _CALLS and isinstance(_called(message), str) and "arguments" in message
    is_result = kind in _RESULTS and "result" in message
    return str(kind) if is_call or is_result or kind == _ERROR else ""


def _called(message: Mapping[str, Any]) -> Any:
    inner = message.get("function")
    return inner.get("name") if isinstance(inner, dict) else message.get("name")


def _pairs(entries: list[Any]) -> list[Any]:
    """Return a list whose entries are all pairs of a role and a content, as LangChain takes them, as messages."""
    is_pairs = all(
        isinstance(each, list) and len(each) == _PAIR and isinstance(each[0], str) and isinstance(each[1], str)
        for each in entries
    )
    if not is_pairs or not all(each[0].lower() in _NAMES for each in entries):
        return entries
    return [{"speaker": role, "content": content} for role, content in entries]


def _role(message: Mapping[str, Any], key: str) -> str:
    return _NAMES[message[key].lower()]


def _is_chat(entries: Any) -> bool:
    """Return whether all messages of a list are of this kind, and someone answers."""
    if not isinstance(entries, list) or not entries:
        return False
    found = [_keys(each) for each in entries]
    whole = [(each, keys[0]) for each, keys in zip(entries, found, strict=True) if keys is not None]
    return len(whole) + sum(map(bool, map(_event, entries))) == len(entries) and {"user", "assistant"} <= {
        _role(*each) for each in whole
    }


def _chats(document: Document) -> Iterator[tuple[int, Mapping[str, Any], list[Any]]]:
    """Yield the lists of messages with their places, and the objects around them."""
    whole = _pairs(document.items)
    if _is_chat(whole):
        yield 0, {}, whole
        return
    rows = document.numbered_items
    if document.value is None and _is_chat([row for _, row in rows]):
        yield 0, {}, [row for _, row in rows]
        return
    for n, item in rows:
        inner = item if isinstance(item, list) else None
        if isinstance(item, dict):
            inner = next((item[key] for key in KEYS if isinstance(item.get(key), list)), None)
        yield n, item if isinstance(item, dict) else {}, _pairs(inner) if inner is not None else []


def _fit(document: Document) -> Fit:
    first = document.first_items
    inside = [message for item in first for key in KEYS for message in _listed(item.get(key))[:INSPECTED]]
    lists = [message for item in document.items[:INSPECTED] for message in _listed(item)[:INSPECTED]]
    if not any(map(_is_own, [*first, *inside, *lists, *_pairs(document.items)[:INSPECTED]])):
        return Fit.NONE
    chats = [entries for _, _, entries in _chats(document)]
    is_own = any(_is_own(each) for entries in chats for each in entries)
    if is_own and all(map(_is_chat, chats)):
        return Fit.CERTAIN
    return Fit.NEAR if is_own or any(_is_own(item) for _, item in document.numbered_items) else Fit.NONE


def _listed(value: Any) -> list[Any]:
    return _pairs(value) if isinstance(value, list) else []


def _is_own(message: Any) -> bool:
    """Return whether a message is in no API's form."""
    keys = _keys(message)
    if _event(message) in _RESULTS:
        return True
    return keys is not None and (keys != ("role", "content") or message["role"] not in API_ROLES)


def _read(document: Document) -> Reading:
    found = Conversations()
    for item, around, entries in _chats(document):
        collector = found.collector()
        waiting: list[str] = []
        rows = document.numbered_items
        is_whole = not around and len(rows) == len(entries)
        for n, message in zip((place for place, _ in rows) if is_whole else repeat(item), entries, strict=False):
            keys = _keys(message)
            if _event(message):
                _add_event(collector, n, message, waiting)
            elif keys is None:
                collector.note(n, "an entry that is not a message", message)
            else:
                _add(collector, n, message, keys)
        title, id, tools = around.get("title"), around.get("id"), around.get("tools")
        label = f"item {item}" if found else ""
        found.add(collector.conversation(BLOCKS, label=label, id=id, title=title, tools=tools))
    return found.reading()


def _add_event(collector: Collector, n: int, message: Mapping[str, Any], waiting: list[str]) -> None:
    """Add a call or a result, which is of the oldest call that waits for one."""
    kind = message["type"]
    if kind in _CALLS:
        waiting.append(f"call_{len(collector.entries)}_{len(waiting)}")
        collector.add_blocks(n, "assistant", [call(waiting[-1], _called(message), message["arguments"])])
    elif kind in _RESULTS:
        id = waiting.pop(0) if waiting else None
        collector.add_blocks(n, "user", [result(id, message["result"])])
    else:
        collector.omit("errors")


def _add(collector: Collector, n: int, message: Mapping[str, Any], keys: tuple[str, str]) -> None:
    speaker, content = keys
    for n_tool, used in enumerate(_used(message)):
        # Flowise records the tools with the answer that followed them.
        id = f"call_{len(collector.entries)}_{n_tool}"
        collector.add_blocks(n, "assistant", [call(id, used.get("tool"), used.get("toolInput"))])
        collector.add_blocks(n, "user", [result(id, used.get("toolOutput"))])
    kept = {key: value for key, value in message.items() if key in _KNOWN}
    add_chat_message(collector, n, {**kept, "role": _role(message, speaker), "content": message[content]})
    for key in message.keys() - _KNOWN - {speaker, content}:
        if message[key]:
            collector.omit(f"keys of messages: {key}")


def _used(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the tools that Flowise records with an answer: a list, or JSON text as its database has it."""
    return objects_in(json_of(message.get("usedTools")))


OTHER_ROLES: Final = Format(
    name="other-roles",
    rank=2010,
    title="Chats with other names for the roles (human, ai, bot), in pairs of role and text, or with calls without ids",
    files='anywhere; what Flowise exports among others; `[["human", "Hi"], ["ai", "Hello"]]`, as LangChain takes it',
    omits="other keys of messages, which are counted",
    unwritten="no API takes these roles, and who wrote the file is not known",
    source="FlowiseAI/Flowise: packages/server/src/database/entities/ChatMessage.ts; data sets",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
    general=True,
)
