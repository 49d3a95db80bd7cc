"""Messages with a role, content and calls, as most programs write them, each with its own names for the keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit.raw_blocks import call, image, json_text, result, text, text_of, thinking

if TYPE_CHECKING:
    from message_history.formats.kit.base import Collector

ROLES: Final = {
    **dict.fromkeys(("user", "human"), "user"),
    **dict.fromkeys(("assistant", "ai", "model", "gpt", "bot", "agent"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("tool", "function", "toolresult", "tool_result", "observation"), "tool"),
}
"""What the roles of other programs mean, in lower case."""
_TEXTS: Final = ("text", "input_text", "output_text")
_THOUGHTS: Final = {"think": "think", "thinking": "thinking", "reasoning": "reasoning"}
_MEDIA: Final = ("mimeType", "mediaType", "mime_type")
_IMAGES: Final = ("image_url", "imageUrl", "input_image")


def first_of(data: Mapping[str, Any], *keys: str) -> Any:
    """Return the value of the first of several keys that has one; None when none has."""
    return next((data[key] for key in keys if data.get(key) is not None), None)


def add_chat_message(collector: Collector, place: int, message: object) -> bool:
    """Add a message, whatever names its program has for the keys.

    Args:
        collector: what it is added to.
        place: where it is.
        message: the message.

    Returns:
        Whether its role is known; nothing is added when it is not.
    """
    role = message.get("role") if isinstance(message, Mapping) else None
    known = ROLES.get(role.lower()) if isinstance(role, str) else None
    if not isinstance(message, Mapping) or known is None:
        return False
    content = message.get("content")
    if known == "system":
        collector.add(place, {"role": "system", "content": blocks_of(content) or text_of(content)})
    elif known == "tool":
        id = first_of(message, "tool_call_id", "toolCallId", "call_id", "id")
        error = first_of(message, "is_error", "isError", "error")
        inner = blocks_of(content) if isinstance(content, list) else content
        if isinstance(error, Mapping) and not inner:
            inner = error.get("message")
        collector.add_blocks(place, "user", [result(id, inner, is_error=bool(error))])
    else:
        thought = first_of(message, "reasoning_content", "reasoning")
        before = thinking(thought) if known == "assistant" and isinstance(thought, str) else []
        calls = calls_of(first_of(message, "tool_calls", "toolCalls")) if known == "assistant" else []
        collector.add_blocks(place, known, [*before, *blocks_of(content), *calls])
        if isinstance(message.get("name"), str) and message["name"]:
            collector.omit("names of speakers")
    return True


def calls_of(calls: object) -> list[dict[str, Any]]:
    """Read calls in the form of Chat Completions, or with the name and the arguments next to the id."""
    made = []
    for each in calls if isinstance(calls, list) else []:
        if not isinstance(each, Mapping):
            continue
        inner = each.get("function")
        about = inner if isinstance(inner, Mapping) else each
        name = inner if isinstance(inner, str) else first_of(about, "name", "tool_name", "toolName")
        arguments = first_of(about, "arguments", "args", "input", "parameters")
        made.append(call(first_of(each, "id", "call_id", "tool_call_id", "toolCallId"), name, arguments))
    return made


def blocks_of(content: object) -> list[Any]:
    """Read content: a text, or a list of texts and typed parts. A part of a kind that is not known stays as it is."""
    if isinstance(content, list):
        return [block for item in content for block in _block(item)]
    if isinstance(content, Mapping):
        return _block(content)
    return text(content) if isinstance(content, str) or content is None else text(json_text(content))


def _block(item: Any) -> list[Any]:
    if isinstance(item, str):
        return text(item)
    kind = item.get("type") if isinstance(item, Mapping) else None
    if kind in _TEXTS and "text" in item:
        return text(text_of(item.get("text")) or _value(item.get("text")))
    if kind in _THOUGHTS:
        written = first_of(item, _THOUGHTS[kind], "text", "content", "summary")
        extras = item.get("extras")
        signed = item.get("signature") or (extras.get("signature") if isinstance(extras, Mapping) else None)
        return thinking(text_of(written), signed)
    if kind in _IMAGES:
        inner = item.get(kind) if kind != "input_image" else item.get("image_url")
        return [image(inner.get("url") if isinstance(inner, Mapping) else inner)]
    if kind == "image" and "source" not in item:
        data, media = first_of(item, "image", "data", "base64", "url"), first_of(item, *_MEDIA)
        if data is None:
            return [item]
        is_data = media is not None and isinstance(data, str) and not data.startswith(("data:", "http"))
        return [image(f"data:{media};base64,{data}" if is_data else data)]
    return [item]


def _value(written: object) -> object:
    return written.get("value") if isinstance(written, Mapping) else None
