"""Semantic Kernel (.NET and Python), Microsoft.Extensions.AI and the Agent Framework: messages with typed contents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    Collector,
    Fit,
    Format,
    Reading,
    call,
    first_of,
    fit_items,
    image,
    result,
    text,
    thinking,
)
from message_history.formats.kit.chat_messages import ROLES
from message_history.formats.kit.message_rows import RowForm
from message_history_formats.agent_framework_rows import LISTS, joined, key_of, made_of, rows_of, split

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from message_history.core.messages.message import Role
    from message_history.formats.kit import Document

_KINDS: Final = {
    **dict.fromkeys(("TextContent", "text"), "text"),
    **dict.fromkeys(("FunctionCallContent", "functionCall", "function_call", "toolCall"), "call"),
    **dict.fromkeys(("FunctionResultContent", "functionResult", "function_result", "toolResult"), "result"),
    **dict.fromkeys(("ReasoningContent", "reasoning", "text_reasoning"), "thinking"),
    **dict.fromkeys(("ImageContent", "image", "DataContent", "data", "UriContent", "uri"), "data"),
    **dict.fromkeys(("UsageContent", "usage"), "usage"),
}


def _role(message: Mapping[str, Any]) -> str | None:
    role = first_of(message, "role", "Role", "authorRole")
    role = first_of(role, "Label", "label", "value") if isinstance(role, dict) else role
    return ROLES.get(role.lower()) if isinstance(role, str) else None


def _contents(message: Mapping[str, Any]) -> list[Any] | None:
    found = first_of(message, *LISTS)
    if found is None and isinstance(message.get("Role"), dict) and isinstance(message.get("Content"), str):
        # Before 1.0 a message had a text only.
        return [{"$type": "TextContent", "Text": message["Content"]}]
    return found if isinstance(found, list) else None


def _kind(content: Any) -> str:
    name = first_of(content, "$type", "type", "content_type") if isinstance(content, dict) else None
    return _KINDS.get(str(name), "")


def _is_message(item: Any) -> bool:
    if not isinstance(item, dict) or _role(item) is None:
        return False
    contents = _contents(item)
    return contents is not None and all(isinstance(each, dict) and _has_type(each) for each in contents)


def _has_type(content: Mapping[str, Any]) -> bool:
    return bool(content.keys() & {"$type", "content_type", "type"})


def _lists(value: Any, depth: int = 0) -> Iterator[list[Any]]:
    """Find the lists of messages in a state of a thread or session."""
    if isinstance(value, list) and value and all(map(_is_message, value)):
        yield value
    elif isinstance(value, dict) and depth < 8:
        for inner in value.values():
            yield from _lists(inner, depth + 1)


def _messages(document: Document) -> list[tuple[int, Any]]:
    if document.value is None:
        return list(document.rows())
    return list(enumerate(next(_lists(document.value), [])))


def _fit(document: Document) -> Fit:
    if isinstance(document.value, list):
        return fit_items(document.first_items, _is_message)
    return fit_items([item for _, item in _messages(document)[:60] if isinstance(item, dict)], _is_message)


def _read(document: Document) -> Reading:
    collector = Collector()
    items = document.numbered_items if isinstance(document.value, list) else _messages(document)
    for n, message in items:
        if not _is_message(message):
            collector.note(n, "an entry that is not a message", message)
            continue
        role, blocks = _role(message), _blocks(message, collector)
        if role == "system":
            collector.add(n, {"role": "system", "content": blocks})
        else:
            collector.add_blocks(n, "assistant" if role == "assistant" else "user", blocks)
    rest = len(list(_lists(document.value))) - 1 if document.value is not None else 0
    if rest > 0:
        collector.note(0, f"{rest} more lists of messages in the same file", "")
    return collector.reading(BLOCKS)


def _blocks(message: Mapping[str, Any], collector: Collector) -> list[Any]:
    contents, is_tool = _contents(message) or [], _role(message) == "tool"
    results = {str(first_of(each, "result", "Result")) for each in contents if _kind(each) == "result"}
    return [block for each in contents for block in _block(each, collector, tool=is_tool, results=results)]


def _items(message: Mapping[str, Any]) -> tuple[Role, list[dict[str, Any]]]:
    role = _role(message) if _is_message(message) else None
    if role in (None, "system"):
        return "user", []
    side: Role = "assistant" if role == "assistant" else "user"
    key = key_of(message)
    if not message.get(key):
        return side, [dict(message)]
    return side, split(message, key, [each for each in message[key] if role == "tool" and _kind(each) == "result"])


def _place(value: Any, depth: int = 0) -> tuple[dict[str, Any], str] | None:
    """Find what holds the list of messages in a state of a thread or session, as `_lists` does."""
    for key, inner in value.items() if isinstance(value, dict) and depth < 8 else ():
        if isinstance(inner, list) and inner and all(map(_is_message, inner)):
            return value, key
        if found := _place(inner, depth + 1):
            return found
    return None


_ROWS: Final = RowForm(
    list_key="messages",
    place=_place,
    items=_items,
    parse=lambda item: _blocks(item, Collector()),
    with_items=joined,
    write=made_of,
    make=rows_of,
)


def _id(content: Mapping[str, Any]) -> Any:
    return first_of(content, "call_id", "callId", "CallId", "id", "Id")


def _block(content: Any, collector: Collector, *, tool: bool, results: set[str]) -> list[Any]:
    kind = _kind(content)
    written = first_of(content, "text", "Text", "content")
    if kind == "text" and tool and written in results:
        collector.omit("texts that repeat a result")
        return []
    if kind == "text" and tool and not results:
        about = first_of(content, "Metadata", "metadata") or {}
        return [result(about.get("ChatCompletionsToolCall.Id"), written)]
    if kind == "text":
        return text(written)
    if kind == "thinking":
        return thinking(written)
    if kind == "call":
        return [call(_id(content), _name(content), first_of(content, "arguments", "Arguments"))]
    if kind == "result":
        failed = first_of(content, "exception", "Exception") is not None
        return [result(_id(content), first_of(content, "result", "Result"), is_error=failed)]
    if kind == "data":
        return _data(content)
    if kind == "usage":
        collector.omit("counts of tokens")
        return []
    return [{**content, "type": str(first_of(content, "$type", "type", "content_type"))}]


def _name(content: Mapping[str, Any]) -> str:
    """Return the name of a function as models know it: that of its plugin in front."""
    plugin = first_of(content, "PluginName", "plugin_name", "pluginName")
    name = first_of(content, "FunctionName", "function_name", "functionName", "name", "Name")
    return f"{plugin}-{name}" if plugin and not str(name).startswith(f"{plugin}-") else str(name)


def _data(content: Mapping[str, Any]) -> list[Any]:
    url = first_of(content, "uri", "Uri", "data_uri", "DataUri", "url")
    media = str(first_of(content, "media_type", "mediaType", "MimeType", "mime_type"))
    if media.startswith("image/") or str(url).startswith("data:image/"):
        data = first_of(content, "Data", "data")
        return [image(url or f"data:{media};base64,{data}")]
    return [{**content, "type": "file"}]


AGENT_FRAMEWORK: Final = Format(
    name="agent-framework",
    rank=490,
    title="Semantic Kernel chat histories, Microsoft.Extensions.AI messages, Agent Framework threads and sessions",
    files="whatever place an application keeps them in",
    omits="meta data, counts of tokens, texts that repeat a result",
    source="microsoft/semantic-kernel: serializedChatHistoryV1_15_1.json; microsoft/agent-framework: _types.py",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    repair=_ROWS.repair,
)
